# SPDX-License-Identifier: BSD-3-Clause
"""The engine of ranks: for each contender a weight vector, and thresholds in the order of the ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hinge.engine import LinearEngine
from hinge.spaces.linear import aligned
from hinge.spaces.ordinal import LOWER, UPPER, LinearOrdinal
from hinge.tasks.ordinal import Ordinal


class OrdinalEngine(LinearEngine):
    """Vectors lie as in `LinearEngine`, one lane a contender; scores and thresholds are ``stride`` apart."""

    arrays = (*LinearEngine.arrays, "thresholds", "infinite")

    def __init__(
        self, order: Sequence[int], steps: Sequence[Any], focus: Any, dtype: Any, *, labels: int, width: int
    ) -> None:
        self.thresholds = aligned(len(steps) * max(2, labels), dtype)
        self.infinite = np.zeros(2)
        super().__init__(ordinal(order), steps, focus, dtype, labels=labels, width=width, intercept=0.0)

    def scores_each(self) -> int:
        """Weight vectors of one contender."""
        return 1

    def score_lanes(self) -> int:
        """The score of each contender, and its distance from each threshold."""
        return len(self.thresholds)

    def constraints(self) -> tuple[int, bool]:
        """One a threshold; all share the row, but not their own coordinate."""
        return max(2, self.labels - 1), False

    def prepare(self) -> None:
        """Lay the machine out anew."""
        self.stride = len(self.thresholds) // self.contenders
        super().prepare()

    def space(self) -> Any:
        """The vectors with their thresholds."""
        projections, pulls = aligned(self.lanes, self.dtype), aligned(self.lanes, self.dtype)
        return LinearOrdinal(
            super().space(), projections, pulls, self.thresholds, self.infinite, self.stride, self.contenders,
            max(0, self.labels - 1),
        )  # fmt: skip

    def grow_labels(self, labels: int, task: Any) -> None:
        """Make room for one more rank, wherever it stands, without a change of any prediction."""
        place = int(task.places[labels - 1])
        before = self.all_thresholds()
        self.labels, self.task = labels, task
        if labels == 1:
            self.prepare()
            return
        if place == 0:
            new, at = np.full((self.contenders, 1), -np.inf), 0
            self.infinite[LOWER] += 1
        elif place == labels - 1:
            new, at = np.full((self.contenders, 1), np.inf), labels - 2
            self.infinite[UPPER] += 1
        else:
            new, at = before[:, place - 1 : place], place
            self.infinite[LOWER] += place - 1 < self.infinite[LOWER]
            self.infinite[UPPER] += place > labels - 2 - self.infinite[UPPER]
        after = np.concatenate([before[:, :at], new, before[:, at:]], axis=1)
        if labels > self.stride:
            self.thresholds = aligned(self.contenders * max(labels, self.stride * 5 // 4), self.dtype)
        self.thresholds.reshape(self.contenders, -1)[:, 1:labels] = after
        self.prepare()

    def hypothesis(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """The leader's (weights (1, features), no intercept)."""
        lane = self.leader()
        weights = self.weights.reshape(-1, self.lanes)[: self.width, lane : lane + 1]
        return np.ascontiguousarray(weights.T), np.zeros(1, self.dtype)

    def all_thresholds(self) -> np.ndarray[Any, Any]:
        """The thresholds, a row for each contender, from the lowest ranks to the highest."""
        return self.thresholds.reshape(self.contenders, -1)[:, 1 : max(1, self.labels)]

    def count_infinite(self) -> None:
        """Know again which thresholds wait for a row; called when they were read from a file."""
        ends = infinite_ends(self.all_thresholds())
        assert ends is not None
        self.infinite[:] = ends

    @property
    def prediction_dtype(self) -> Any:
        """Ranks are codes."""
        return np.int32


def infinite_ends(thresholds: np.ndarray[Any, Any]) -> tuple[int, int] | None:
    """How many are infinite at the lower end and at the upper; None if any is NaN, or infinite in a way of its own."""
    if not thresholds.size:
        return 0, 0
    lower, upper = int((thresholds[0] == -np.inf).sum()), int((thresholds[0] == np.inf).sum())
    count = thresholds.shape[1]
    ends = (thresholds[:, :lower] == -np.inf).all() and (thresholds[:, count - upper :] == np.inf).all()
    return (lower, upper) if ends and np.isfinite(thresholds[:, lower : count - upper]).all() else None


def ordinal(order: Sequence[int]) -> Ordinal:
    """The task of ranks, whose codes are named from the lowest to the highest."""
    codes = np.array(order, np.int32)
    places = np.zeros(len(codes), np.int32)
    places[codes] = np.arange(len(codes), dtype=np.int32)
    return Ordinal(codes, places)
