# SPDX-License-Identifier: BSD-3-Clause
"""Regression with an insensitive zone: loss [|y - w.x| - epsilon]+, z = sign(y - w.x) x ([PA06] 5)."""

from __future__ import annotations

from typing import Any, NamedTuple

from hinge.focus import Alike, Constraint
from hinge.native import native


@native
class Regression(NamedTuple):
    """The prediction is the score. A constraint with a loss counts as mistaken: its margin is minus the loss."""

    epsilon: float = 0.1

    def predict(self, scores: Any, first: int, known: int) -> float:
        """w . x."""
        return float(scores[first])

    def is_mistake(self, prediction: float, truth: float) -> bool:
        """Farther off than epsilon: a loss above 0."""
        return abs(truth - prediction) > self.epsilon

    def cost(self, prediction: float, truth: float) -> float:
        """What a mistake costs."""
        return 1.0

    def is_wrong(self, prediction: float, truth: float, worst: Constraint) -> bool:
        """Farther off than epsilon."""
        return worst.margin < 0

    def worst(self, scores: Any, first: int, labels: int, truth: float, prediction: float) -> Constraint:
        """Up where the truth is above the prediction, else down."""
        error = truth - prediction
        if error > 0:
            return Constraint(self.epsilon - error, 0.0, 0, -1)
        return Constraint(self.epsilon + error, 0.0, -1, 0)

    def against(self, scores: Any, first: int, labels: int, truth: float, prediction: float) -> Constraint:
        """The one constraint there is."""
        return self.worst(scores, first, labels, truth, prediction)

    def posed(self, labels: int, truth: float) -> int:
        """How many constraints there are: one."""
        return 1

    def constraint(self, scores: Any, first: int, labels: int, truth: float, j: int) -> Constraint:
        """The one there is."""
        return self.worst(scores, first, labels, truth, 0.0)

    def lanes(self, labels: int) -> int:
        """How many lanes one contender moves."""
        return 1

    def metric(self, q: float) -> Alike:
        """Every instance is the row."""
        return Alike(q)
