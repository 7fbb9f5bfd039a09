# SPDX-License-Identifier: BSD-3-Clause
"""Label-dependent features under way: the vector that labels share, the gates, and the labels' own vectors if any."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hinge import round as rounds
from hinge.engine import LinearEngine, Record
from hinge.inputs import PIECE, Table
from hinge.rows import Dense, Sparse
from hinge.spaces.joint import JointVector, SharedLanes
from hinge.spaces.linear import LinearLanes, aligned

#: More constraints than this are too many for focus Exact: it keeps all their inner products.
MOST = 2000
#: What label-dependent features keep, beside the vector: see ``memory`` of each in `hinge.spaces.features`.
_COUNTS = ("gates", "sums", "by_label")


class JointEngine(LinearEngine):
    """The space `Joint`, or with ``shared`` the space `Shared`. ``names`` are the labels, in order of their codes."""

    arrays = (*LinearEngine.arrays, "vector", *_COUNTS)
    vector: np.ndarray[Any, Any]
    gates: np.ndarray[Any, Any]

    def __init__(
        self, task: Any, step: Any, focus: Any, dtype: Any, *, features: Any, shared: bool, names: Sequence[Any],
        labels: int, width: int, intercept: float,
    ) -> None:  # fmt: skip
        self.features, self.shared, self.names = features, shared, list(names)
        self.features.check(width, self.names)
        self.dtype = np.dtype(dtype)
        self.features_room, self.across = 0, 0
        self._remember(width, labels)
        super().__init__(task, [step], focus, dtype, labels=labels, width=width, intercept=intercept)

    # ------------------------------------------------------------------------------- memory

    def _remember(self, width: int, labels: int) -> bool:
        """Make room for so many features and labels, all labels of a feature side by side; whether there was none."""
        room, across = self.features_room, self.across
        if width > room or room == 0:
            room = max(16, -(-max(width, 2 * room) // 16) * 16)
        if labels > across or across == 0:
            across = max(8, -(-max(labels, across * 5 // 4) // 8) * 8)
        grown = (room, across) != (self.features_room, self.across)
        if grown:
            self._move_to(room, across)
        self.features.fill(self, room, across, self.names)
        return grown

    def _move_to(self, room: int, across: int) -> None:
        before = {name: getattr(self, name, None) for name in ("vector", *_COUNTS)}
        wanted = {"vector": (self.dtype, room), **self.features.memory(room, across, self.dtype)}
        old_room, old_across = self.features_room, self.across
        for name, old in before.items():
            kind, size = wanted.get(name, (self.dtype, 0))
            new = aligned(size, kind)
            if old is not None and name == "gates":
                new.reshape(room, across)[:old_room, :old_across] = old.reshape(old_room, old_across)
            elif old is not None:
                new[: len(old)] = old
            setattr(self, name, new)
        self.features_room, self.across = room, across

    def _allocate(self, capacity: int) -> None:
        super()._allocate(capacity if self.shared else 0)

    def lanes_of(self, name: str) -> int:
        """The gates have a number for each label."""
        if name == "gates":
            return self.across
        return 1 if name == "vector" or (name == "sums" and len(self.gates)) else super().lanes_of(name)

    def copy(self, columns: Any = None) -> dict[str, Any]:
        """All that rows may change."""
        kept = super().copy(columns)
        return {**kept, "names": self.names, "features_room": self.features_room, "across": self.across}

    def grow_features(self, width: int) -> None:
        """At least twice the room each time."""
        self.features.check(width, self.names)
        if self._remember(width, self.labels):
            self.prepare()
        if self.shared:
            super().grow_features(width)
        self.width = max(self.width, width)

    def grow_labels(self, labels: int, task: Any) -> None:
        """Make room for labels; their names are there already."""
        self.features.check(self.width, self.names)
        self._remember(self.width, labels)
        super().grow_labels(labels, task)

    def space(self) -> Any:
        """One vector, or that and one a label."""
        shift = int(getattr(self.task, "calibrated", 0))
        joint = JointVector(self.vector, self.features.ready(self, self.across), self.labels, shift)
        if not self.shared:
            return joint
        return SharedLanes(
            LinearLanes(self.weights, self.bias, self.late, self.late_bias, self.state, self.lanes), joint
        )

    def constraints(self) -> tuple[int, bool]:
        """Every label has an instance of its own."""
        return posed_at_most(self.task, self.labels), False

    def hypothesis(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """The labels' own vectors and intercepts; without them, the vector they share."""
        if self.shared:
            return super().hypothesis()
        return self.joint_hypothesis()[None], np.zeros(1, self.dtype)

    def joint_hypothesis(self) -> np.ndarray[Any, Any]:
        """The vector that labels share."""
        return self.vector[: self.width].copy()

    # ------------------------------------------------------------------------------- rows: they are read as sparse

    def call(self, function: Any, *arguments: Any) -> Any:
        """Call a kernel whose first argument is the machine."""
        if function is rounds.learn_dense or function is rounds.predict_dense:
            row, *more = arguments
            indices = np.flatnonzero(row).astype(np.int32)
            function = rounds.learn_sparse if function is rounds.learn_dense else rounds.predict_sparse
            return super().call(function, row[indices], indices, len(indices), 0, *more)
        return super().call(function, *arguments)

    def learn(
        self, table: Table, truths: Any, weights: Any, start: int, stop: int, novel: int = 0,
        record: Record | None = None,
    ) -> None:  # fmt: skip
        """Rounds start..stop. Raises for a bad row; the rows before it are then learnt from already."""
        super().learn(NonZeros(table), truths, weights, start, stop, novel, record)

    def score(self, table: Table, columns: int) -> np.ndarray[Any, Any]:
        """The first ``columns`` scores for every row."""
        return super().score(NonZeros(table), columns)


class NonZeros(Table):
    """A table whose rows are read as sparse, whatever they are."""

    def __init__(self, table: Table) -> None:
        self.table, self.n, self.width, self.dtype = table, table.n, table.width, table.dtype
        self.names, self.offset = table.names, table.offset

    def pieces(self, dtype: Any, start: int, stop: int) -> Iterator[tuple[int, int, Any]]:
        """The table's own pieces; dense ones are made sparse, a few rows at a time."""
        step = max(1, PIECE // max(1, self.width))
        for first, last, view in self.table.pieces(dtype, start, stop):
            if not isinstance(view, Dense):
                yield first, last, view
                continue
            rows = view.data.reshape(-1, max(1, self.width))
            for begin in range(first, last, step):
                end = min(last, begin + step)
                part = rows[begin - first : end - first]
                row, column = np.nonzero(part)
                ends = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=end - begin))])
                yield begin, end, Sparse(part[row, column], column.astype(np.int32), ends, self.width)

    def tidy(self, dtype: Any, start: int, stop: int) -> Any:
        """What is out of order was sparse to begin with."""
        return self.table.tidy(dtype, start, stop)

    def fault(self, row: int) -> str:
        """What is wrong with a row."""
        return self.table.fault(row)


def posed_at_most(task: Any, labels: int) -> int:
    """How many constraints a round of a task with so many labels may pose: pairs of one relevant and one not.

    For focus Exact, which asks for it, it is never below 2: one constraint alone is then a problem like any other.
    """
    most = labels - 1
    if hasattr(task, "calibrated"):
        both = labels + 2 * int(task.calibrated)
        most = (both // 2) * (both - both // 2)
    if most > MOST:
        raise ValueError(
            f"with {labels} labels a round may pose {most} constraints; with label-dependent features hinge.Exact() "
            f"solves problems of up to {MOST}. hinge.Violated() or hinge.Worst() take any number."
        )
    return max(2, most)
