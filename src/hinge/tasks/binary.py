# SPDX-License-Identifier: BSD-3-Clause
"""Binary classification: one lane, one constraint z = y x with required margin 1 ([PA06] 3)."""

from __future__ import annotations

from typing import Any, NamedTuple

from hinge.focus import Constraint
from hinge.native import native
from hinge.tasks import single


@native
class Binary(NamedTuple):
    """The labels are the codes 0 and 1; y is -1 and +1. The loss is [1 - y w.x]+."""

    def predict(self, scores: Any, first: int, known: int) -> int:
        """1 where the score is above 0, else 0; -1 while no label is known."""
        if known == 0:
            return -1
        return 1 if known > 1 and scores[first] > 0 else 0

    def is_mistake(self, prediction: int, truth: int, worst: Constraint) -> bool:
        """The labels differ."""
        return prediction != truth

    def is_wrong(self, prediction: int, truth: int, worst: Constraint) -> bool:
        """A score of 0 is wrong for either label: every bound counts it."""
        return worst.margin <= 0

    def worst(self, scores: Any, first: int, labels: int, truth: int, prediction: int) -> Constraint:
        """The one constraint there is; the first label's rows pose theirs while the second has not come yet, too."""
        if truth == 1:
            return Constraint(float(scores[first]), 1.0, 0, -1)
        return Constraint(-float(scores[first]), 1.0, -1, 0)

    posed, constraint, against = single.posed, single.constraint, single.against
    cost, lanes = single.cost, single.lanes
