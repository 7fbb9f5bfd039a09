# SPDX-License-Identifier: BSD-3-Clause
"""Uniclass: keep a centre within a radius of every row; loss [||w - x|| - radius]+ ([PA06] 6)."""

from __future__ import annotations

from typing import Any, NamedTuple

from hinge.focus import Constraint
from hinge.native import native
from hinge.tasks import single


@native
class Uniclass(NamedTuple):
    """The space `Centre` writes two scores: by how much a row is too far out, and how deep it lies inside the ball.

    The constraint, made linear where the centre is, has an instance of norm 1 that points from the centre to the row.
    """

    def predict(self, scores: Any, first: int, known: int) -> float:
        """Radius - distance: positive inside, negative outside."""
        return float(scores[first + 1])

    def is_mistake(self, prediction: float, truth: float, worst: Constraint) -> bool:
        """The row lies outside the ball there was."""
        return prediction < 0

    def is_wrong(self, prediction: float, truth: float, worst: Constraint) -> bool:
        """Outside the ball."""
        return worst.margin < 0

    def worst(self, scores: Any, first: int, labels: int, truth: float, prediction: float) -> Constraint:
        """The one constraint."""
        return Constraint(-float(scores[first]), 0.0, 0, -1)

    posed, constraint, against = single.posed, single.constraint, single.against
    cost, lanes = single.cost, single.lanes
