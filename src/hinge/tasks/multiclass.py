# SPDX-License-Identifier: BSD-3-Clause
"""Multiclass, one weight vector a label: for the true label r and every other s, w_r.x - w_s.x >= 1 ([PA06] 7)."""

from __future__ import annotations

from typing import Any, NamedTuple

from hinge.focus import Constraint
from hinge.native import compiled, native


@native
class Multiclass(NamedTuple):
    """The labels are the codes 0, 1, 2, ...; lane ``first + r`` scores label r. z is x in block r and -x in block s."""

    def predict(self, scores: Any, first: int, known: int) -> int:
        """The label of the highest score, the first of several; -1 while no label is known."""
        return highest(scores, first, known, -1)

    def is_mistake(self, prediction: int, truth: int, worst: Constraint) -> bool:
        """The labels differ."""
        return prediction != truth

    def cost(self, prediction: int, truth: int) -> float:
        """What a mistake costs."""
        return 1.0

    def is_wrong(self, prediction: int, truth: int, worst: Constraint) -> bool:
        """The prediction is another label, and there is one."""
        return prediction != truth and prediction >= 0

    def worst(self, scores: Any, first: int, labels: int, truth: int, prediction: int) -> Constraint:
        """Against the other label of the highest score: the predicted one, if that is another."""
        rival = prediction if prediction != truth and prediction >= 0 else highest(scores, first, labels, truth)
        return self.against(scores, first, labels, truth, rival)

    def against(self, scores: Any, first: int, labels: int, truth: int, rival: int) -> Constraint:
        """The true label's score is to exceed the rival's by 1; nothing where there is no rival."""
        if rival < 0:
            return Constraint(0.0, 0.0, -1, -1)
        return Constraint(float(scores[first + truth]) - float(scores[first + rival]), 1.0, truth, rival)

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
        """The margin by which the true label is to outrank this one."""
        return 1.0

    def lanes(self, labels: int) -> int:
        """One a label."""
        return labels


@compiled(inline=True)
def highest(scores: Any, first: int, labels: int, without: int) -> int:
    """The first label of the highest score among those other than ``without``; -1 if there is none."""
    best = -1
    for label in range(labels):
        if label != without and (best < 0 or scores[first + label] > scores[first + best]):
            best = label
    return best
