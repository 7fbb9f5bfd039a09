# SPDX-License-Identifier: BSD-3-Clause
"""Label-dependent features that an object of the user's makes: it is asked for Phi(x, r) of every label of every row.

A round is then a matrix with a row for each label, and is learnt as such (`hinge.instances_engine`). Of labels' own
vectors, in the space Shared, every weight is one more column of that matrix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hinge import round as rounds
from hinge.blocks import Blocks
from hinge.engine import Record, overflow
from hinge.inputs import Table
from hinge.instances_engine import InstancesEngine
from hinge.joint_engine import posed_at_most
from hinge.native import compiled, frame, kernel, unbind
from hinge.rows import Sparse
from hinge.tasks.multilabel import Sets

#: So many numbers of Phi are collected before they are learnt from.
GATHERED = 1 << 18
_EMPTY = np.zeros(0)


@compiled
def predict_block(machine_bound: Any, blocks_bound: Any) -> Any:
    """(Why it stopped, what the leader predicts) for the first of some rounds; its scores are left in the machine."""
    return rounds._predict(unbind(machine_bound), unbind(blocks_bound).row(0))


class PhiEngine(InstancesEngine):
    """The spaces `Joint` and `Shared` with features of the user's own. ``width`` is that of rows, not of Phi."""

    arrays = ("weights", "own", "state", "totals", "measures")

    def __init__(
        self, task: Any, step: Any, focus: Any, dtype: Any, *, features: Any, shared: bool, names: Sequence[Any],
        labels: int, width: int, intercept: float,
    ) -> None:  # fmt: skip
        self.features, self.shared, self.names = features, shared, list(names)
        #: The columns of Phi: by name, or, where it comes as arrays, just so many.
        self.columns: dict[Any, int] | int | None = None
        #: How many columns are in use, those of labels' own weights too.
        self.used = 0
        #: The row under way as a user knows it, once somebody has looked at it; None on the learners' short way.
        self.given: Any = None
        self.state = np.array([intercept])
        #: The columns of each lane's own weights, -1 as long as there is none; the constant feature's is the last.
        self.own = np.full((0, 0), -1, np.int64)
        super().__init__(task, step, focus, dtype, labels=labels, width=0)
        self.width = width
        self._grow_own()

    # ------------------------------------------------------------------------------- memory

    def grow_features(self, width: int) -> None:
        """Of rows: Phi grows by itself."""
        self.width = max(self.width, width)
        self._grow_own()

    def grow_labels(self, labels: int, task: Any) -> None:
        """Make room for labels; their names are there already."""
        self.labels, self.task = labels, task
        self._grow_own()
        self.make_room(self._instances)
        self.prepare()

    def _grow_own(self) -> None:
        if self.shared and self.own.shape != (self._instances, self.width + 1):
            before, self.own = self.own, np.full((self._instances, self.width + 1), -1, np.int64)
            if before.size:
                self.own[: len(before), : before.shape[1] - 1] = before[:, :-1]
                self.own[: len(before), -1] = before[:, -1]

    @property
    def _shift(self) -> int:
        return int(getattr(self.task, "calibrated", 0))

    @property
    def _instances(self) -> int:
        return self.labels + self._shift

    def prepare(self) -> None:
        """Lay the machine out anew."""
        self.room = max(self.room, self._instances)
        super().prepare()

    def constraints(self) -> tuple[int, bool]:
        """Every label has an instance of its own."""
        return posed_at_most(self.task, self.labels), False

    @property
    def prediction_dtype(self) -> Any:
        """Labels are codes."""
        return np.int32

    def copy(self, columns: Any = None) -> dict[str, Any]:
        """All that rows may change."""
        known = dict(self.columns) if isinstance(self.columns, dict) else self.columns
        return {**super().copy(), "columns": known, "used": self.used, "names": self.names, "room": self.room}

    def put_back(self, kept: dict[str, Any]) -> None:
        """Be again as when the copy was made."""
        self.scratch = np.zeros_like(kept["weights"])
        super().put_back(kept)

    def protect(self, table: Table) -> dict[str, Any]:
        """What the user's object makes of a row is known only when it is learnt from."""
        return self.copy()

    def hypothesis(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """The labels' own vectors and intercepts; without them, the vector they share."""
        if not self.shared:
            return self.joint_hypothesis()[None], np.zeros(1, self.dtype)
        table = np.where(self.own >= 0, self.weights[np.maximum(self.own, 0)], self.dtype.type(0))
        b = 0.0 if np.isnan(self.state[0]) else self.state[0]
        return table[:, :-1], table[:, -1] * self.dtype.type(b)

    def joint_hypothesis(self) -> np.ndarray[Any, Any]:
        """The vector that labels share, in the order in which its features were first seen."""
        if isinstance(self.columns, dict):
            return self.weights[list(self.columns.values())]
        return self.weights[: self.columns or 0].copy()

    # ------------------------------------------------------------------------------- what Phi is

    def _phi(self, given: Any, data: Any, indices: Any, where: str, learning: bool) -> list[tuple[Any, Any]]:
        """(columns, values) of every lane's instance, columns in order; a calibration label has no Phi."""
        found = []
        for lane in range(self._instances):
            columns, values = np.zeros(0, np.int64), np.zeros(0)
            if lane >= self._shift:
                label = self.names[lane - self._shift]
                here = f"features(x, {label!r}) of {where}"
                columns, values = self._columns_of(self.features.features(given, label), here, learning)
                if len(values) and not np.isfinite(values).all():
                    raise ValueError(f"{here} has {values[~np.isfinite(values)][0]}; every value must be finite.")
            if self.shared:
                own, theirs = self._own_part(lane, data, indices, learning)
                columns, values = np.concatenate([columns, own]), np.concatenate([values, theirs])
            order = np.argsort(columns, kind="stable")
            with np.errstate(over="ignore"):  # what is too large for its kind of number is refused by the round
                found.append((columns[order], np.asarray(values[order], self.dtype)))
        return found

    def _columns_of(self, phi: Any, here: str, learning: bool) -> tuple[Any, Any]:
        """Where the features of one label are, and their values."""
        if isinstance(phi, Mapping):
            if self.columns is None and learning:
                self.columns = {}
            if self.columns is not None and not isinstance(self.columns, dict):
                raise TypeError(f"{here} is a dict; an array of {self.columns} features came before.")
            known = self.columns if self.columns is not None else {}
            if learning:
                for name in phi:
                    if name not in known:
                        known[name] = self.used
                        self.used += 1
            pairs = [(known[name], value) for name, value in phi.items() if name in known]
            try:
                values = np.array([float(value) for _, value in pairs])
            except (TypeError, ValueError):
                raise TypeError(f"{here} is {phi!r}; numbers were expected as its values.") from None
            return np.array([column for column, _ in pairs], np.int64), values
        if hasattr(phi, "tocsr"):
            from scipy.sparse import csr_matrix

            row = csr_matrix(phi.reshape(1, -1) if len(phi.shape) == 1 else phi, copy=True)
            row.sum_duplicates()
            shape, columns, values = row.shape, row.indices.astype(np.int64), np.asarray(row.data, np.float64)
            width = shape[1] if shape[0] == 1 else -1
        else:
            array = np.asarray(phi)
            if array.ndim != 1 or array.dtype.kind not in "fiub":
                raise TypeError(f"{here} is {phi!r}; a dict {{name: value}}, a 1-D array or a sparse row was expected.")
            width, columns = len(array), np.flatnonzero(array)
            values = np.asarray(array[columns], np.float64)
        if self.columns is None and learning:
            self.columns, self.used = width, width
        expected = width if self.columns is None else self.columns
        if width != expected or width < 0:
            before = "named features" if isinstance(self.columns, dict) else f"{expected} features"
            raise ValueError(f"{here} has {max(width, 0)} features in one row; {before} came before.")
        return columns, values

    def _own_part(self, lane: int, data: Any, indices: Any, learning: bool) -> tuple[Any, Any]:
        """The row in the block of a lane, with the constant feature."""
        b = 0.0 if np.isnan(self.state[0]) else float(self.state[0])
        places, values = np.append(indices, self.width), np.append(data, b)
        columns = self.own[lane, places]
        new = (columns < 0) & (values != 0)
        if learning and new.any():
            columns[new] = np.arange(self.used, self.used + new.sum())
            self.own[lane, places] = columns
            self.used += int(new.sum())
        return columns[columns >= 0], values[columns >= 0]

    def _settle(self, data: Any) -> None:
        """intercept="auto": the root mean square of the first non-zero row."""
        if np.isnan(self.state[0]) and np.any(data):
            data = np.asarray(data, np.float64)
            self.state[0] = np.sqrt((data @ data) / np.count_nonzero(data))

    def _blocks(self, found: Sequence[list[tuple[Any, Any]]]) -> Blocks:
        """Some rounds for kernels."""
        if self.used > len(self.weights):
            before = self.weights
            self._allocate(max(self.used, 2 * len(before)))
            self.weights[: len(before)] = before
            self.prepare()
        parts = [part for phi in found for part in phi]
        lengths = np.cumsum([0, *(len(columns) for columns, _ in parts)]).astype(np.int64)
        columns = np.concatenate([np.zeros(0, np.int64), *(columns for columns, _ in parts)])
        values = np.concatenate([np.zeros(0, self.dtype), *(values for _, values in parts)])
        starts = np.arange(len(found) + 1, dtype=np.int64) * self._instances
        return Blocks(values, columns.astype(np.int32), lengths, starts, len(self.weights))

    # ------------------------------------------------------------------------------- tables

    def learn(
        self, table: Table, truths: Any, weights: Any, start: int, stop: int, novel: int = 0,
        record: Record | None = None,
    ) -> None:  # fmt: skip
        """Rounds start..stop. Raises for a bad row; whoever calls then puts the engine back."""
        found: list[Any] = []
        size, done = 0, start
        for t, given, data, indices in self._rows(table, start, stop):
            if weights is None or weights[t] > 0:
                self._settle(data)
            found.append(self._phi(given, data, indices, f"row {t + table.offset}", True))
            size += sum(len(columns) for columns, _ in found[-1])
            if size >= GATHERED or t + 1 == stop:
                self._learn_found(found, truths, weights, done, t + 1, novel, record, table.offset)
                found, size, done = [], 0, t + 1

    def _learn_found(
        self, found: list[Any], truths: Any, weights: Any, start: int, stop: int, novel: int, record: Record | None,
        offset: int,
    ) -> None:  # fmt: skip
        part = slice(start, stop)
        kept = self.new_record(0) if record is None else Record(*(column[part] for column in record))
        view = self._blocks(found)
        batch = frame(rounds.Batch(view, truths[part], _EMPTY if weights is None else weights[part], *kept))
        learn = kernel(rounds.learn_rows, self.frame, batch, 0, 0, 0)
        done, why = learn(self.argument, batch.argument, 0, stop - start, novel)
        if why != rounds.DONE:
            raise ValueError(overflow(f"row {start + done + offset}", self.dtype))

    def _rows(self, table: Table, start: int, stop: int) -> Any:
        """(number, the row as a user knows it, its values, their columns) of each row."""
        for first, last, view in table.pieces(self.dtype, start, stop):
            sparse = isinstance(view, Sparse)
            if sparse:
                view = table.tidy(self.dtype, first, last)
            dense = None if sparse else view.data.reshape(-1, max(1, self.width))
            for t in range(first, last):
                if sparse:
                    part = slice(view.indptr[t - first], view.indptr[t - first + 1])
                    data, indices = view.data[part], view.indices[part]
                    given = self.as_given(data, indices)
                else:
                    assert dense is not None
                    given = self.as_given(dense[t - first], None)
                    indices = np.flatnonzero(given)
                    data = given[indices]
                if not np.isfinite(data @ data):
                    raise ValueError(table.fault(t))
                yield t, given, data, indices

    def as_given(self, data: Any, indices: Any) -> Any:
        """A row as a user knows it: a 1-D array, or a sparse row; a copy, with which one may do as one likes."""
        if indices is None:
            return data.copy()
        from scipy.sparse import csr_matrix

        return csr_matrix((data.copy(), indices.copy(), [0, len(data)]), shape=(1, self.width))

    def score(self, table: Table, columns: int) -> np.ndarray[Any, Any]:
        """The first ``columns`` scores for every row."""
        scores = np.zeros((table.n, columns), self.dtype)
        for t, given, data, indices in self._rows(table, 0, table.n):
            view = frame(self._blocks([self._phi(given, data, indices, f"row {t + table.offset}", False)]))
            kernel(predict_block, self.frame, view)(self.argument, view.argument)
            scores[t] = self.scores[:columns]
        return scores

    # ------------------------------------------------------------------------------- one row

    def call(self, function: Any, *arguments: Any) -> Any:
        """Do for one row what a kernel does, with what `given` was made of."""
        learning = function in (rounds.learn_sparse, rounds.learn_dense)
        if self.given is None:  # the short way knows no more of a row than its numbers; this asks for the long one
            return rounds.IRREGULAR if learning else (rounds.IRREGULAR, -1)
        try:
            return self._call(self.given, function, learning, arguments)
        finally:
            self.given = None

    def _call(self, given: Any, function: Any, learning: bool, arguments: Any) -> Any:
        if function in (rounds.learn_dense, rounds.predict_dense):
            row, *more = arguments
            indices = np.flatnonzero(row)
            data = row[indices]
        else:
            data, indices, size, _, *more = arguments
            data, indices = data[:size], indices[:size]
        with np.errstate(over="ignore"):
            if not np.isfinite(data @ data):
                return (rounds.NOT_FINITE, -1) if not learning else rounds.NOT_FINITE
        if not learning:
            view = frame(self._blocks([self._phi(given, data, indices, "x", False)]))
            return kernel(predict_block, self.frame, view)(self.argument, view.argument)
        truth, weight, novel = more
        truths: Any = Sets(truth, np.array([0, len(truth)])) if isinstance(truth, np.ndarray) else np.array([truth])
        columns, used, state = self.columns, self.used, self.state.copy()
        why = rounds.NOT_FINITE
        try:
            if weight > 0:
                self._settle(data)
            view = self._blocks([self._phi(given, data, indices, "x", True)])
            batch = frame(rounds.Batch(view, truths, np.array([weight]), *self.new_record(0)))
            _, why = kernel(rounds.learn_rows, self.frame, batch, 0, 0, 0)(self.argument, batch.argument, 0, 1, novel)
        finally:
            if why != rounds.DONE:
                self._forget(columns, used)
                self.state[:] = state
        return why

    def _forget(self, columns: Any, used: int) -> None:
        """Give up the columns that a round was given which was not learnt from after all."""
        if isinstance(columns, dict):
            for name in [name for name, column in columns.items() if column >= used]:
                del columns[name]
        self.own[self.own >= used] = -1
        self.columns, self.used = columns, used
