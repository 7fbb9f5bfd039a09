# SPDX-License-Identifier: BSD-3-Clause
"""Regression with an insensitive zone: loss [|y - w.x| - epsilon]+, z = sign(y - w.x) x ([PA06] 5)."""

from __future__ import annotations

from typing import Any, NamedTuple

from hinge.focus import Constraint
from hinge.native import native
from hinge.tasks import single


@native
class Regression(NamedTuple):
    """The prediction is the score. A constraint with a loss counts as mistaken: its margin is minus the loss."""

    epsilon: float = 0.1

    def predict(self, scores: Any, first: int, known: int) -> float:
        """w . x."""
        return float(scores[first])

    def is_mistake(self, prediction: float, truth: float, worst: Constraint) -> bool:
        """Farther off than epsilon: a loss above 0."""
        return abs(truth - prediction) > self.epsilon

    def is_wrong(self, prediction: float, truth: float, worst: Constraint) -> bool:
        """Farther off than epsilon."""
        return worst.margin < 0

    def worst(self, scores: Any, first: int, labels: int, truth: float, prediction: float) -> Constraint:
        """Up where the truth is above the prediction, else down."""
        error = truth - prediction
        if error > 0:
            return Constraint(self.epsilon - error, 0.0, 0, -1)
        return Constraint(self.epsilon + error, 0.0, -1, 0)

    posed, constraint, against = single.posed, single.constraint, single.against
    cost, lanes = single.cost, single.lanes
