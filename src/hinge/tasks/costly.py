# SPDX-License-Identifier: BSD-3-Clause
"""Cost-sensitive multiclass: label y is to outrank r by sqrt(rho(y, r)), rho the cost of the mistake ([PA06] 8)."""

from __future__ import annotations

from typing import Any, NamedTuple

from hinge.focus import Constraint
from hinge.native import native
from hinge.tasks.multiclass import Multiclass


@native
class Costly(NamedTuple):
    """As `Multiclass`, with ``roots[y, r]`` the square roots of the costs.

    Focus Predicted is the paper's prediction-based update, Worst its max-loss update.
    """

    roots: Any

    def cost(self, prediction: int, truth: int) -> float:
        """rho(y, y')."""
        if prediction < 0:
            return 0.0
        return float(self.roots[int(truth), int(prediction)]) ** 2

    def worst(self, scores: Any, first: int, labels: int, truth: int, prediction: int) -> Constraint:
        """Against the other label of the largest loss, the first of several."""
        rival, most = -1, 0.0
        for label in range(labels):
            excess = float(scores[first + label]) + self.required(truth, label)
            if label != truth and (rival < 0 or excess > most):
                rival, most = label, excess
        return self.against(scores, first, labels, truth, rival)

    def against(self, scores: Any, first: int, labels: int, truth: int, rival: int) -> Constraint:
        """The true label's score is to exceed the rival's by the root of the cost."""
        if rival < 0:
            return Constraint(0.0, 0.0, -1, -1)
        margin = float(scores[first + truth]) - float(scores[first + rival])
        return Constraint(margin, self.required(truth, rival), truth, rival)

    def required(self, truth: int, label: int) -> float:
        """sqrt(rho(y, r))."""
        return float(self.roots[truth, label])

    predict, is_mistake, is_wrong = Multiclass.predict, Multiclass.is_mistake, Multiclass.is_wrong
    posed, constraint = Multiclass.posed, Multiclass.constraint
    is_relevant, lanes = Multiclass.is_relevant, Multiclass.lanes
