# SPDX-License-Identifier: BSD-3-Clause
"""The engine of rounds that are matrices: one hypothesis, many instances a round."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hinge import round as rounds
from hinge.blocks import Blocks, Instances
from hinge.engine import SMALL, Engine, Record, first_bad, overflow
from hinge.native import frame, kernel
from hinge.spaces.linear import aligned

_EMPTY = np.zeros(0)


class Matrices(NamedTuple):
    """Many rounds, checked: the rows of all in one CSR matrix, where each round begins, and their truths as kernels
    take them (see `hinge.tasks`). ``first`` is the number that messages give to the first round.
    """

    data: Any
    indices: Any
    indptr: Any
    rounds: Any
    width: int
    truths: Any
    first: int = 0

    @property
    def n(self) -> int:
        """How many rounds."""
        return len(self.rounds) - 1


class InstancesEngine(Engine):
    """One weight a feature; a round has as many scores as instances."""

    arrays: tuple[str, ...] = ("weights", "totals")

    def __init__(self, task: Any, step: Any, focus: Any, dtype: Any, *, labels: int, width: int) -> None:
        super().__init__(task, [step], focus, dtype, labels)
        self.width = width
        self.room = 8
        self._allocate(width)
        self.prepare()

    def _allocate(self, width: int) -> None:
        self.weights = aligned(max(16, -(-width // 16) * 16), self.dtype)
        self.scratch = aligned(len(self.weights), self.dtype)

    def score_lanes(self) -> int:
        """As many as the largest round so far has instances."""
        return self.room

    def constraints(self) -> tuple[int, bool]:
        """One an instance; each instance is itself."""
        return max(2, self.room), False

    def space(self) -> Any:
        """The hypothesis."""
        return Instances(self.weights, aligned(self.room, np.float64), self.scratch)

    def grow_features(self, width: int) -> None:
        """At least twice the room each time."""
        if width > len(self.weights):
            before = self.weights
            self._allocate(max(width, 2 * len(before)))
            self.weights[: len(before)] = before
            self.prepare()
        self.width = max(self.width, width)

    def make_room(self, instances: int) -> None:
        """Make room for rounds of so many instances."""
        if instances > self.room:
            self.room = max(instances, 2 * self.room)
            self.prepare()

    def learn_rounds(self, matrices: Matrices, weights: Any, record: Record | None) -> None:
        """Learn from all rounds, or, if one of them is bad, from none."""
        self.make_room(int(np.diff(matrices.rounds).max(initial=0)))
        kept = None
        if self.nbytes <= max(SMALL, matrices.data.nbytes):
            kept = self.copy()
        else:
            self._look_at(matrices)
        try:
            self._learn_all(matrices, weights, record)
        except BaseException:
            if kept is not None:
                self.put_back(kept)
            raise

    def _learn_all(self, matrices: Matrices, weights: Any, record: Record | None) -> None:
        view = Blocks(matrices.data, matrices.indices, matrices.indptr, matrices.rounds, matrices.width)
        columns = record or self.new_record(0)
        batch = frame(rounds.Batch(view, matrices.truths, _EMPTY if weights is None else weights, *columns))
        learn = kernel(rounds.learn_rows, self.frame, batch, 0, 0, 0)
        done, why = learn(self.argument, batch.argument, 0, matrices.n, 0)
        self._refuse(matrices, done, why)

    def _look_at(self, matrices: Matrices) -> None:
        view = Blocks(matrices.data, matrices.indices, matrices.indptr, matrices.rounds, matrices.width)
        self._refuse(matrices, *first_bad(view, 0, matrices.n))

    def _refuse(self, matrices: Matrices, done: int, why: int) -> None:
        if why == rounds.TOO_LARGE:
            raise ValueError(overflow(f"round {matrices.first + done}", self.dtype))
        if why != rounds.DONE:
            raise ValueError(
                f"round {matrices.first + done} holds NaN, infinity, or a number too large to square; "
                "every value must be finite."
            )

    @property
    def prediction_dtype(self) -> Any:
        """Nothing is kept of predictions; a record has a column for them all the same."""
        return np.uint8
