# SPDX-License-Identifier: BSD-3-Clause
"""Cost-sensitive multiclass: label y is to outrank r by sqrt(rho(y, r)), rho the cost of the mistake ([PA06] 8)."""

from __future__ import annotations

from typing import Any, NamedTuple

from hinge.focus import Alike, Constraint
from hinge.native import native
from hinge.tasks.multiclass import highest


@native
class Costly(NamedTuple):
    """As `Multiclass`, with ``roots[y, r]`` the square roots of the costs.

    Focus Predicted is the paper's prediction-based update, Worst its max-loss update.
    """

    roots: Any

    def predict(self, scores: Any, first: int, known: int) -> int:
        """The label of the highest score, the first of several; -1 while no label is known."""
        return highest(scores, first, known, -1)

    def is_mistake(self, prediction: int, truth: int) -> bool:
        """The labels differ."""
        return prediction != truth

    def cost(self, prediction: int, truth: int) -> float:
        """rho(y, y')."""
        if prediction < 0:
            return 0.0
        return float(self.roots[int(truth), int(prediction)]) ** 2

    def is_wrong(self, prediction: int, truth: int, worst: Constraint) -> bool:
        """The prediction is another label, and there is one."""
        return prediction != truth and prediction >= 0

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

    def posed(self, labels: int, truth: int) -> int:
        """One constraint for each other label."""
        return labels - 1

    def constraint(self, scores: Any, first: int, labels: int, truth: int, j: int) -> Constraint:
        """Against the j-th of the other labels."""
        return self.against(scores, first, labels, truth, j + int(j >= truth))

    def is_relevant(self, truth: int, label: int) -> bool:
        """Whether the label is to be ranked above the others."""
        return label == truth

    def required(self, truth: int, label: int) -> float:
        """sqrt(rho(y, r))."""
        return float(self.roots[truth, label])

    def lanes(self, labels: int) -> int:
        """One a label."""
        return labels

    def metric(self, q: float) -> Alike:
        """Every instance is the row, in two blocks."""
        return Alike(q)
