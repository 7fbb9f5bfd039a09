# SPDX-License-Identifier: BSD-3-Clause
"""What tasks of one score and one constraint a round have in common; each takes these for methods of its own."""

from __future__ import annotations

from typing import Any

from hinge.focus import Constraint


def posed(self: Any, labels: int, truth: Any) -> int:
    """How many constraints a round poses: one."""
    return 1


def constraint(self: Any, scores: Any, first: int, labels: int, truth: Any, j: int) -> Constraint:
    """The one constraint there is."""
    return self.worst(scores, first, labels, truth, self.predict(scores, first, labels))


def against(self: Any, scores: Any, first: int, labels: int, truth: Any, prediction: Any) -> Constraint:
    """The one constraint there is."""
    return self.worst(scores, first, labels, truth, prediction)


def cost(self: Any, prediction: Any, truth: Any) -> float:
    """What a mistake costs."""
    return 1.0


def lanes(self: Any, labels: int) -> int:
    """How many lanes one contender moves."""
    return 1
