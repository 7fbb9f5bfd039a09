# SPDX-License-Identifier: BSD-3-Clause
"""Focus: which of a round's constraints act on the hypothesis, and how they share the move.

The move is w + sum_j mu_j tau_j z_j. A focus writes it as one coefficient a lane, and answers with a `Share`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hinge.native import compiled, native

__all__ = ["Predicted", "Worst"]


@native
class Constraint(NamedTuple):
    """One constraint on a linear hypothesis: z is x in lane ``up`` and -x in lane ``down`` (-1: in none)."""

    margin: float
    required: float
    up: int
    down: int

    def norm_factor(self) -> int:
        """||z||² / ||x||²: how many lanes hold x."""
        return int(self.up >= 0) + int(self.down >= 0)


@native
class Share(NamedTuple):
    """What a round's move was: the coefficients' sum, the sum of their squares, and the growth of the dual value."""

    lambdas: float
    squares: float
    gain: float


@native
class Worst(NamedTuple):
    """The constraint of the largest loss acts alone ([PA06] 7; max-loss of 8)."""

    def share(self, task: Any, step: Any, scores: Any, first: int, labels: int, truth: Any, prediction: Any, worst: Any,
              q: float, weight: float, coefficients: Any) -> Share:  # fmt: skip
        """Write the move's coefficients and tell what it was."""
        return move_by_one(worst, step, first, q, weight, coefficients)


@native
class Predicted(NamedTuple):
    """The constraint against the predicted label acts, if the prediction is wrong ([PA06] 8, 9; [IW] 2.3)."""

    def share(self, task: Any, step: Any, scores: Any, first: int, labels: int, truth: Any, prediction: Any, worst: Any,
              q: float, weight: float, coefficients: Any) -> Share:  # fmt: skip
        """Write the move's coefficients and tell what it was."""
        if not task.is_wrong(prediction, truth, worst):
            return Share(0.0, 0.0, 0.0)
        constraint = task.against(scores, first, labels, truth, prediction)
        return move_by_one(constraint, step, first, q, weight, coefficients)


@compiled(inline=True)
def move_by_one(constraint: Any, step: Any, first: int, q: float, weight: float, coefficients: Any) -> Share:
    """One constraint acts alone: w + tau z. The dual value grows by tau l - tau² ||z||² / 2."""
    loss = constraint.required - constraint.margin
    norm = constraint.norm_factor() * q
    if not (loss > 0 and norm > 0 and step.acts(constraint.margin, loss)):
        return Share(0.0, 0.0, 0.0)
    tau = np.float64(step.tau(loss, norm, weight))
    if constraint.up >= 0:
        coefficients[first + constraint.up] += tau
    if constraint.down >= 0:
        coefficients[first + constraint.down] -= tau
    return Share(tau, tau * tau, tau * loss - 0.5 * tau * tau * norm)
