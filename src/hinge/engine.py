# SPDX-License-Identifier: BSD-3-Clause
"""A hypothesis under way: its memory, the machine laid out for the kernels of `hinge.round`, and calls of them.

An engine knows neither labels nor estimators. `LinearEngine` serves every task with weights in lanes, `CentreEngine`
the uniclass task. Memory grows when features or labels appear; the machine is then laid out anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from hinge import round as rounds
from hinge.inputs import Table
from hinge.native import frame, kernel
from hinge.rows import Sparse
from hinge.spaces.centre import Centre
from hinge.spaces.linear import LinearLanes, LinearOne, aligned, lanes_for
from hinge.steps import as_contenders
from hinge.tasks.binary import Binary
from hinge.tasks.costly import Costly
from hinge.tasks.forms import Plain
from hinge.tasks.multiclass import Multiclass
from hinge.tasks.multilabel import MEASURES

#: A hypothesis up to this size, or up to the size of the batch, is copied before a batch is learnt from, to be put
#: back if the batch turns out bad; before a larger one the batch is looked through, and what it can reach is copied.
SMALL = 1 << 18
#: What is to be kept of a hypothesis for one round, which moves it only when all is known to be well.
NOTHING = np.zeros(0, np.intp)
#: So many rows are put in order at a time where a table has them out of order.
UNTIDY = 4096

_PADDING = 16
_EMPTY = np.zeros(0)


class Record(NamedTuple):
    """What a pass leaves behind of every round: 13 or 17 bytes each, and with sets one bit a label more."""

    predictions: Any
    losses: Any
    flags: Any


class Part(NamedTuple):
    """Some columns of an array as they were, and the array they are in."""

    array: Any
    columns: Any
    lanes: int
    values: Any

    @classmethod
    def of(cls, array: Any, columns: Any, lanes: int) -> Part:
        """Copy these columns."""
        return cls(array, columns, lanes, array.reshape(-1, lanes)[columns])

    def put_back(self) -> Any:
        """The array, as it was."""
        self.array.reshape(-1, self.lanes)[self.columns] = self.values
        return self.array


class Engine:
    """What both engines share: laying out, calling, and putting back."""

    #: The arrays that are the hypothesis; what is saved, and put back.
    arrays: tuple[str, ...]
    #: Those of them that have an entry for every feature and lane.
    by_feature = ("weights", "late")
    lanes: int = 1
    #: Whether the account's dual value is one, so that it proves something of every fixed hypothesis.
    proves: bool = True
    dtype: np.dtype[Any]
    width: int
    labels: int

    def __init__(self, task: Any, steps: Sequence[Any], focus: Any, dtype: Any, labels: int) -> None:
        self.task, self.focus, self.dtype, self.labels = task, focus, np.dtype(dtype), labels
        self.steps = [type(step)._make(map(float, step)) for step in steps]  # as kernels take them
        self.choice, self.kinds, self.parameters = as_contenders(steps)
        self.contenders = len(steps)
        self.totals = np.zeros((self.contenders, rounds.TOTALS))
        #: Sums over the rounds so far, for tasks that measure rankings.
        self.measures = np.zeros(len(MEASURES))
        self.width = 0
        self.stride = 1
        self.average = False

    # -- what an engine of one kind fills in

    def space(self) -> Any:
        """The space, over the arrays as they are now."""
        raise NotImplementedError

    def grow_features(self, width: int) -> None:
        """Make room for features up to ``width``."""
        raise NotImplementedError

    def grow_labels(self, labels: int, task: Any) -> None:
        """Make room for labels, which are the task's from now on."""
        raise NotImplementedError

    def score_lanes(self) -> int:
        """How many scores the space writes."""
        raise NotImplementedError

    def constraints(self) -> tuple[int, bool]:
        """(How many constraints a round poses at most, whether all lanes hold the row itself): see `Exact.ready`."""
        return 1, True

    # -- calls

    def prepare(self) -> None:
        """Lay the machine out anew; called whenever an array is another than before."""
        lanes = self.score_lanes()
        self.scores, self.coefficients = aligned(lanes, self.dtype), aligned(lanes, self.dtype)
        self.taken = np.zeros_like(self.totals)
        shown = aligned(lanes, self.dtype) if self.average else self.scores
        task, form = self.task, Plain()
        if hasattr(task, "ready"):
            task = form = task.ready(self.labels, self.measures)
        focus = self.focus
        if hasattr(focus, "ready"):
            focus = focus.ready(task, *self.constraints())
        self.machine = rounds.Machine(
            self.space(), task, form, focus, self.choice, self.kinds, self.parameters, self.totals,
            self.scores, shown, self.coefficients, self.taken, self.stride, self.labels, int(self.average),
        )  # fmt: skip
        self.frame = frame(self.machine)
        self.argument = self.frame.argument
        self._kernels: dict[Any, Callable[..., Any]] = {}

    def call(self, function: Any, *arguments: Any) -> Any:
        """Call a kernel whose first argument is the machine."""
        ready = self._kernels.get(function)
        if ready is None:
            ready = self._kernels[function] = kernel(function, self.frame, *arguments)
        return ready(self.argument, *arguments)

    def learn(
        self,
        table: Table,
        truths: Any,
        weights: Any,
        start: int,
        stop: int,
        novel: int = 0,
        record: Record | None = None,
    ) -> None:
        """Rounds start..stop. Raises for a bad row; the rows before it are then learnt from already."""
        for first, last, view in table.pieces(self.dtype, start, stop):
            done = first
            while done < last:
                done = self._learn(view, truths, weights, first, done, last, novel, record, table)
                if done < last:  # a row out of order: put some in order, and go on from there
                    until = min(last, done + UNTIDY)
                    ordered = table.tidy(self.dtype, done, until)
                    self._learn(ordered, truths, weights, done, done, until, novel, record, table)
                    done = until

    def _learn(
        self, view: Any, truths: Any, weights: Any, first: int, start: int, stop: int, novel: int,
        record: Record | None, table: Table,
    ) -> int:  # fmt: skip
        """Learn from rows of a view whose row 0 is ``first``; the row it stopped at: out of order, or past the end."""
        part = slice(first, stop)
        empty = _EMPTY if weights is None else weights[part]
        batch = rounds.Batch(view, truths[part], empty, *(column[part] for column in record or self.new_record(0)))
        framed = frame(batch)
        ready = kernel(rounds.learn_rows, self.frame, framed, 0, 0, 0)
        done, why = ready(self.argument, framed.argument, start - first, stop - first, novel)
        if why in (rounds.NOT_FINITE, rounds.TOO_LARGE):
            self.refuse(table, first + done, why)
        return int(first + done)

    def new_record(self, n: int, labels: int = 0) -> Record:
        """Room for what n rounds leave behind; where sets are predicted, of up to so many labels."""
        if hasattr(self.task, "ready"):
            predictions = np.zeros((n, max(1, -(-max(labels, self.labels) // 64))), np.uint64)
        else:
            predictions = np.zeros(n, self.prediction_dtype)
        return Record(predictions, np.zeros(n), np.zeros(n, np.uint8))

    def last_round(self) -> tuple[float, int]:
        """(the loss, the flags) of the last round, as a record keeps them."""
        leader = int(self.taken[0, rounds.LEADER])
        return float(self.taken[leader, rounds.LOSS]), int(
            self.taken[leader, rounds.MISTAKES] + 2 * self.taken[0, rounds.NOVEL]
        )

    @property
    def prediction_dtype(self) -> Any:
        """Labels are codes; everything else is a number."""
        return np.int32 if isinstance(self.task, (Binary, Multiclass, Costly)) else np.float64

    def refuse(self, table: Table, row: int, why: int) -> None:
        """Say what is wrong with a row."""
        if why == rounds.TOO_LARGE:
            raise ValueError(overflow(f"row {row + table.offset}", self.dtype))
        raise ValueError(table.fault(row))

    def look_through(self, table: Table) -> None:
        """Raise for the first bad row, before anything is learnt."""
        for first, last, view in table.pieces(self.dtype, 0, table.n):
            done = first
            while done < last:
                row, why = first_bad(view, done - first, last - first)
                done = first + row
                if why == rounds.NOT_FINITE:
                    raise ValueError(table.fault(done))
                if why == rounds.IRREGULAR:
                    until = min(last, done + UNTIDY)
                    row, why = first_bad(table.tidy(self.dtype, done, until), 0, until - done)
                    if why == rounds.NOT_FINITE:
                        raise ValueError(table.fault(done + row))
                    done = until

    def score(self, table: Table, columns: int) -> np.ndarray[Any, Any]:
        """The leader's first ``columns`` scores for every row."""
        scores = np.zeros((table.n, columns), self.dtype)
        for first, last, view in table.pieces(self.dtype, 0, table.n):
            view = self._in_range(view, table, first, last)
            framed = frame(view)
            part = scores[first:last]
            done, why = kernel(rounds.score_rows, self.frame, framed, 0, 0, part)(
                self.argument, framed.argument, 0, last - first, part
            )
            if why != rounds.DONE:
                raise ValueError(table.fault(first + done))
        return scores

    def _in_range(self, view: Any, table: Table, first: int, last: int) -> Any:
        """The view, or an ordered copy of it where an index may be out of order or out of range."""
        if not isinstance(view, Sparse):
            return view
        row, why = first_bad(view, 0, last - first)
        if why == rounds.NOT_FINITE:
            raise ValueError(table.fault(first + row))
        return table.tidy(self.dtype, first, last) if why == rounds.IRREGULAR else view

    # -- in another process

    def __getstate__(self) -> dict[str, Any]:
        """Without what is bound to this process's memory."""
        bound = ("machine", "frame", "argument", "scores", "coefficients", "taken", "_kernels")
        return {name: value for name, value in self.__dict__.items() if name not in bound}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for name in self.arrays:
            before = state[name]
            after = aligned(before.size, before.dtype).reshape(before.shape)
            after[...] = before
            setattr(self, name, after)
        self.prepare()

    # -- putting back

    def copy(self, columns: Any = None) -> dict[str, Any]:
        """All that rows may change: of the arrays that grow with the features, only these columns, if any are named.

        Columns there is no room for yet are not there to be kept.
        """
        kept: dict[str, Any] = {}
        for name in self.arrays:
            array = getattr(self, name)
            lanes = self.lanes_of(name)
            whole = columns is None or lanes == 0 or len(columns) * lanes >= len(array)
            kept[name] = array.copy() if whole else Part.of(array, columns[columns < len(array) // lanes], lanes)
        return {**kept, "labels": self.labels, "width": self.width, "stride": self.stride, "task": self.task}

    def lanes_of(self, name: str) -> int:
        """How many numbers an array has for each feature; 0 if it does not grow with the features."""
        return self.lanes if name in self.by_feature else 0

    def put_back(self, kept: dict[str, Any]) -> None:
        """Be again as when the copy was made."""
        for name, value in kept.items():
            setattr(self, name, value.put_back() if isinstance(value, Part) else value)
        self.prepare()

    @property
    def nbytes(self) -> int:
        """The memory of the hypothesis."""
        return sum(int(getattr(self, name).nbytes) for name in self.arrays)

    def protect(self, table: Table) -> dict[str, Any] | None:
        """Before a batch: what is to be put back if it fails; of a large hypothesis, what its rows can reach."""
        if self.nbytes <= max(SMALL, table.nbytes):
            return self.copy()
        self.look_through(table)
        return self.copy(table.columns())


def first_bad(view: Any, start: int, stop: int) -> tuple[int, int]:
    """(The first of rows start..stop that is not as it should be, why); (stop, DONE) if all are."""
    framed = frame(view)
    row, why = kernel(rounds.check_rows, framed, 0, 0)(framed.argument, start, stop)
    return int(row), int(why)


def overflow(where: str, dtype: Any) -> str:
    """The message for a round whose scores or moves are too large for the weights' kind of number."""
    wider = "pass float64, or scale the features" if dtype == np.float32 else "scale the features or the targets"
    return f"{where}: the score or the move is too large for {dtype} weights (inf or NaN came out); {wider}."


class LinearEngine(Engine):
    """Weights in lanes: one lane for a score, contenders side by side."""

    arrays: tuple[str, ...] = ("weights", "bias", "late", "late_bias", "state", "totals", "measures")

    def __init__(
        self, task: Any, steps: Sequence[Any], focus: Any, dtype: Any, *, labels: int, width: int, intercept: float,
        average: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(task, steps, focus, dtype, labels)
        self.state = np.array([intercept])
        self.average = average
        self.width = width
        self.capacity = _padded(width)
        self.lanes, self.stride = lanes_for(self.scores_each(), self.contenders)
        self._allocate(self.capacity)
        self.prepare()

    def scores_each(self) -> int:
        """Scores of one contender."""
        lanes = int(self.task.lanes(self.labels))
        return lanes if self.task.lanes(2) == 1 else max(2, lanes)

    def score_lanes(self) -> int:
        """All lanes."""
        return self.lanes

    def _allocate(self, capacity: int) -> None:
        self.capacity = capacity
        self.weights, self.bias = aligned(capacity * self.lanes, self.dtype), aligned(self.lanes, self.dtype)
        self.late = aligned(capacity * self.lanes if self.average else 0, self.dtype)
        self.late_bias = aligned(self.lanes if self.average else 0, self.dtype)

    def space(self) -> Any:
        """One hypothesis, or lanes."""
        memory = (self.weights, self.bias, self.late, self.late_bias, self.state)
        return LinearOne(*memory) if self.lanes == 1 else LinearLanes(*memory, self.lanes)

    def put_back(self, kept: dict[str, Any]) -> None:
        """Be again as when the copy was made."""
        super().put_back({**kept, "lanes": len(kept["bias"])})
        self.capacity = len(self.weights) // self.lanes

    def grow_features(self, width: int) -> None:
        """At least twice the room each time, so that a feature costs the same however many there are."""
        if width > self.capacity:
            old = (self.weights, self.bias, self.late, self.late_bias)
            self._allocate(_padded(max(width, 2 * self.capacity)))
            for new, before in zip((self.weights, self.bias, self.late, self.late_bias), old, strict=True):
                new[: len(before)] = before
            self.prepare()
        self.width = max(self.width, width)

    def grow_labels(self, labels: int, task: Any) -> None:
        """Make room for labels, which are the task's from now on.

        A binary hypothesis w becomes two of opposite sign, -w/2 and +w/2: the same margins.
        """
        was_binary = isinstance(self.task, Binary) and not isinstance(task, Binary)
        old_stride, old_lanes = self.stride, self.lanes
        self.labels, self.task = labels, task
        if was_binary or self.scores_each() > self.stride:
            old = {name: getattr(self, name) for name in ("weights", "bias", "late", "late_bias")}
            room = 0 if was_binary else old_stride * 5 // 4
            self.lanes, self.stride = lanes_for(self.scores_each(), self.contenders, room)
            self._allocate(self.capacity)
            if was_binary:  # the coefficients of past moves count half, as the vectors do
                self.totals[:, [rounds.DUAL, rounds.PRICE]] *= 0.5
                self.totals[:, rounds.SQUARES] *= 0.25
            for name, before in old.items():
                after = getattr(self, name).reshape(-1, self.lanes)
                before = before.reshape(-1, old_lanes)
                for c in range(self.contenders):
                    to, source = c * self.stride, c * old_stride
                    if was_binary:
                        after[:, to] = 0.0 - 0.5 * before[:, source]  # not -0.0 where features are yet to come
                        after[:, to + 1] = 0.5 * before[:, source]
                    else:
                        after[:, to : to + old_stride] = before[:, source : source + old_stride]
        self.prepare()

    def leader(self) -> int:
        """The contender that predicts."""
        return int(rounds.leader.py_func(self.totals))

    def hypothesis(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """The leader's (weights (lanes, features), intercepts (lanes,)), averaged where that was asked for."""
        lanes = slice(self.leader() * self.stride, self.leader() * self.stride + self.scores_each())
        n = max(1.0, float(self.totals[0, rounds.ROUNDS]))
        weights = self.weights.reshape(-1, self.lanes)[: self.width, lanes]
        bias = self.bias[lanes]
        if self.average:
            weights = weights - self.late.reshape(-1, self.lanes)[: self.width, lanes] / self.dtype.type(n)
            bias = bias - self.late_bias[lanes] / self.dtype.type(n)
        b = 0.0 if np.isnan(self.state[0]) else self.state[0]
        return np.ascontiguousarray(weights.T), bias * self.dtype.type(b)


class CentreEngine(Engine):
    """A centre, in float64 whatever the rows are: distances are differences of large numbers."""

    arrays = ("weights", "state", "totals")

    def __init__(self, task: Any, step: Any, focus: Any, *, width: int, state: np.ndarray[Any, Any]) -> None:
        super().__init__(task, [step], focus, np.float64, 1)
        self.width = width
        self.weights = aligned(_padded(width), np.float64)
        self.state = state
        self.prepare()

    def score_lanes(self) -> int:
        """How far out, and how deep inside."""
        return 2

    def space(self) -> Any:
        """The centre."""
        return Centre(self.weights, self.state)

    def grow_features(self, width: int) -> None:
        """At least twice the room each time."""
        if width > len(self.weights):
            before = self.weights
            self.weights = aligned(_padded(max(width, 2 * len(before))), np.float64)
            self.weights[: len(before)] = before
            self.prepare()
        self.width = max(self.width, width)


def _padded(width: int) -> int:
    return max(_PADDING, -(-width // _PADDING) * _PADDING)
