# SPDX-License-Identifier: BSD-3-Clause
"""Any set of binary constraints: instance x_j is to score y_j w . x_j >= r_j ([SP06] 2)."""

from __future__ import annotations

from typing import Any, NamedTuple

from hinge.focus import Constraint
from hinge.native import native
from hinge.tasks import single


@native
class SignTruths(NamedTuple):
    """The truths of many rounds: those of round t are ``signed[rounds[t]]`` to ``signed[rounds[t + 1]]``."""

    signed: Any
    rounds: Any


@native
class RoundSigns(NamedTuple):
    """The truth of one round; ``signed`` holds y_j r_j: the label is its sign, the required margin its size."""

    signed: Any
    start: int
    instances: int


@native
class Signs(NamedTuple):
    """Task and form of rounds that are matrices. What is predicted, a sign for each instance, is not kept."""

    def ready(self, labels: int, measures: Any) -> Signs:
        """It needs no memory of its own."""
        return self

    def begin(self, truths: Any, t: int, labels: int) -> RoundSigns:
        """The truth of round t."""
        start = int(truths.rounds[t])
        return RoundSigns(truths.signed, start, int(truths.rounds[t + 1]) - start)

    def keep(self, predictions: Any, t: int, prediction: int) -> None:
        """Nothing is kept."""

    def measure(self, scores: Any, first: int, truth: RoundSigns) -> None:
        """Mistakes and loss say all."""

    def predict(self, scores: Any, first: int, known: int) -> int:
        """The scores themselves are the prediction."""
        return 0

    def is_mistake(self, prediction: int, truth: RoundSigns, worst: Constraint) -> bool:
        """The round is imperfect: some constraint is mistaken."""
        return bool(worst.margin <= 0 and worst.required > 0)

    def is_wrong(self, prediction: int, truth: RoundSigns, worst: Constraint) -> bool:
        """The round is imperfect."""
        return bool(worst.margin <= 0 and worst.required > 0)

    def posed(self, labels: int, truth: RoundSigns) -> int:
        """One constraint an instance."""
        return truth.instances

    def constraint(self, scores: Any, first: int, labels: int, truth: RoundSigns, j: int) -> Constraint:
        """That of the j-th instance."""
        signed = float(truth.signed[truth.start + j])
        if signed > 0:
            return Constraint(float(scores[first + j]), signed, j, -1)
        return Constraint(-float(scores[first + j]), -signed, -1, j)

    def worst(self, scores: Any, first: int, labels: int, truth: RoundSigns, prediction: int) -> Constraint:
        """The one whose loss is the largest part of what it requires, the first of several."""
        found, most = Constraint(0.0, 0.0, -1, -1), 0.0
        for j in range(truth.instances):
            constraint = self.constraint(scores, first, labels, truth, j)
            part = 1.0 - constraint.margin / constraint.required
            if j == 0 or not part <= most:
                found, most = constraint, part
        return found

    def lanes(self, labels: int) -> int:
        """One an instance."""
        return labels

    against, cost = single.against, single.cost
