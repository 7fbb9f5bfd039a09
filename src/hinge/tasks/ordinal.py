# SPDX-License-Identifier: BSD-3-Clause
"""Ordinal regression: ranks in an order, told apart by thresholds b_1 .. b_{k-1} of one score w . x ([SP06] 3).

Instance j is (x, -e_j) in the space of (w, b): it is to be positive, w . x - b_j >= 1, for every threshold below the
true rank, and negative, w . x - b_j <= -1, for the others. The predicted rank is the least i with w . x < b_i, or the
last. Nothing keeps thresholds in order: that they cross makes a mistaken constraint, not always a wrong rank.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from hinge.focus import Constraint
from hinge.native import native


class Ranked(NamedTuple):
    """The task as a model file knows it: labels stand there in the order of ranks, which says all."""


@native
class Ordinal(NamedTuple):
    """The ranks are codes, in the order in which they were first seen: the i-th lowest is ``order[i]``, and
    ``places[order[i]]`` is i. Lane ``first`` has the score w . x, lane ``first + 1 + j`` has w . x - b_j, j from 0 on.

    A threshold that is infinite, for want of a row to place it by (see `LinearOrdinal`), poses no constraint.
    """

    order: Any
    places: Any

    def predict(self, scores: Any, first: int, known: int) -> int:
        """The least i with w . x < b_i, or the last; -1 while no rank is known."""
        if known == 0:
            return -1
        last = self.order.size - 1
        for i in range(last):
            if scores[first + 1 + i] < 0:
                return int(self.order[i])
        return int(self.order[last])

    def is_mistake(self, prediction: int, truth: int, worst: Constraint) -> bool:
        """The ranks differ."""
        return prediction != truth

    def is_wrong(self, prediction: int, truth: int, worst: Constraint) -> bool:
        """The prediction is another rank, and there is one."""
        return prediction != truth and prediction >= 0

    def cost(self, prediction: int, truth: int) -> float:
        """What a mistake costs."""
        return 1.0

    def posed(self, labels: int, truth: int) -> int:
        """One constraint a threshold."""
        return max(0, labels - 1)

    def constraint(self, scores: Any, first: int, labels: int, truth: int, j: int) -> Constraint:
        """That of threshold j: the score is to lie above it if the true rank does, else below."""
        lane = 1 + j
        score = float(scores[first + lane])
        if j < self.places[truth]:
            return Constraint(score, 1.0, lane, -1)
        return Constraint(-score, 1.0, -1, lane)

    def worst(self, scores: Any, first: int, labels: int, truth: int, prediction: int) -> Constraint:
        """The one of the largest loss, the first of several."""
        found = Constraint(float(scores[first]), 0.0, -1, -1)
        if math.isfinite(found.margin):  # else the round is refused for it
            found = Constraint(0.0, 0.0, -1, -1)
            for j in range(labels - 1):
                constraint = self.constraint(scores, first, labels, truth, j)
                if math.isfinite(constraint.margin) and (found.required == 0 or constraint.margin < found.margin):
                    found = constraint
        return found

    def against(self, scores: Any, first: int, labels: int, truth: int, prediction: int) -> Constraint:
        """That of the threshold between the predicted rank and the next one on the true rank's side."""
        place = int(self.places[prediction])
        return self.constraint(scores, first, labels, truth, place - int(place > self.places[truth]))

    def lanes(self, labels: int) -> int:
        """The score, and one for each threshold."""
        return max(1, labels)
