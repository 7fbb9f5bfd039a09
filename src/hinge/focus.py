# SPDX-License-Identifier: BSD-3-Clause
"""Focus: which of a round's constraints act on the hypothesis, and how they share the move.

The move is w + sum_j mu_j tau_j z_j. A focus writes it as one coefficient a lane, and answers with a `Share`. What it
knows of a round is in three words: the task names the constraints (``posed``, ``constraint(j)``), the space's metric
knows their norms and inner products, the step how far each would move alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hinge.native import compiled, native

__all__ = ["Mistaken", "Predicted", "Proportional", "Violated", "Worst"]


@native
class Constraint(NamedTuple):
    """One constraint, w . z >= required: z is the instance of lane ``up`` less that of ``down`` (-1: of none)."""

    margin: float
    required: float
    up: int
    down: int


@native
class Alike(NamedTuple):
    """The metric of lanes that all hold the row itself: z has ||x||² for each lane it is in."""

    q: float

    def sq_norm(self, constraint: Any) -> float:
        """||z||²."""
        return self.q * (int(constraint.up >= 0) + int(constraint.down >= 0))

    def inner(self, one: Any, other: Any) -> float:
        """The inner product of two constraints' instances."""
        agree = int(one.up >= 0 and one.up == other.up) + int(one.down >= 0 and one.down == other.down)
        differ = int(one.up >= 0 and one.up == other.down) + int(one.down >= 0 and one.down == other.up)
        return self.q * (agree - differ)

    def sq_move(self, coefficients: Any, first: int, lanes: int) -> float:
        """||sum_j lambda_j z_j||², from the coefficients of a contender's lanes."""
        total = 0.0
        for lane in range(first, first + lanes):
            total += float(coefficients[lane]) * float(coefficients[lane])
        return self.q * total


@native
class Share(NamedTuple):
    """What a round's move was: the sum of its coefficients, and the growth of the dual value."""

    lambdas: float
    gain: float


@native
class Worst(NamedTuple):
    """The constraint of the largest loss acts alone ([PA06] 7; max-loss of 8; Max-SP and Max-MP of [SP06])."""

    def share(self, task: Any, step: Any, scores: Any, first: int, labels: int, truth: Any, prediction: Any, worst: Any,
              metric: Any, weight: float, coefficients: Any) -> Share:  # fmt: skip
        """Write the move's coefficients and tell what it was."""
        return move_by_one(worst, step, first, metric, weight, coefficients)


@native
class Predicted(NamedTuple):
    """The constraint against the predicted label acts, if the prediction is wrong ([PA06] 8, 9; [IW] 2.3)."""

    def share(self, task: Any, step: Any, scores: Any, first: int, labels: int, truth: Any, prediction: Any, worst: Any,
              metric: Any, weight: float, coefficients: Any) -> Share:  # fmt: skip
        """Write the move's coefficients and tell what it was."""
        if not task.is_wrong(prediction, truth, worst):
            return Share(0.0, 0.0)
        constraint = task.against(scores, first, labels, truth, prediction)
        return move_by_one(constraint, step, first, metric, weight, coefficients)


@native
class Violated(NamedTuple):
    """All violated constraints act, each with an equal share: with PA1 this is SimProj ([SP06] 4)."""

    def ready(self, task: Any, constraints: int = 1, alike: bool = True) -> Any:
        """What does it for this task: where all instances are ``alike`` some have a quicker way."""
        return task.equally(0) if alike and hasattr(task, "equally") else self

    def share(self, task: Any, step: Any, scores: Any, first: int, labels: int, truth: Any, prediction: Any, worst: Any,
              metric: Any, weight: float, coefficients: Any) -> Share:  # fmt: skip
        """Write the move's coefficients and tell what it was."""
        if worst.required - worst.margin <= 0:
            return Share(0.0, 0.0)
        acting = 0
        for j in range(task.posed(labels, truth)):
            constraint = task.constraint(scores, first, labels, truth, j)
            acting += constraint.required - constraint.margin > 0
        return move_equally(task, step, scores, first, labels, truth, acting, False, metric, weight, coefficients)


@native
class Mistaken(NamedTuple):
    """All mistaken constraints act, each with an equal share ([SP06] 4): with PA1 ConProj, with Perceptron SimPerc.

    In multiclass with Perceptron it is the uniform Perceptron of Crammer and Singer.
    """

    def ready(self, task: Any, constraints: int = 1, alike: bool = True) -> Any:
        """What does it for this task: where all instances are ``alike`` some have a quicker way."""
        return task.equally(1) if alike and hasattr(task, "equally") else self

    def share(self, task: Any, step: Any, scores: Any, first: int, labels: int, truth: Any, prediction: Any, worst: Any,
              metric: Any, weight: float, coefficients: Any) -> Share:  # fmt: skip
        """Write the move's coefficients and tell what it was."""
        acting = 0
        for j in range(task.posed(labels, truth)):
            acting += is_mistaken(task.constraint(scores, first, labels, truth, j))
        return move_equally(task, step, scores, first, labels, truth, acting, True, metric, weight, coefficients)


@native
class Proportional(NamedTuple):
    """All mistaken constraints act, in proportion to how far on the wrong side they are: -m_j / sum_i -m_i.

    In multiclass with Perceptron it is the proportional Perceptron of Crammer and Singer; where all mistakes are ties,
    they share equally.
    """

    def share(self, task: Any, step: Any, scores: Any, first: int, labels: int, truth: Any, prediction: Any, worst: Any,
              metric: Any, weight: float, coefficients: Any) -> Share:  # fmt: skip
        """Write the move's coefficients and tell what it was."""
        acting, excess = 0, 0.0
        count = task.posed(labels, truth)
        for j in range(count):
            constraint = task.constraint(scores, first, labels, truth, j)
            if is_mistaken(constraint):
                acting += 1
                excess -= constraint.margin
        if excess == 0:
            return move_equally(task, step, scores, first, labels, truth, acting, True, metric, weight, coefficients)
        lambdas, gain = 0.0, 0.0
        for j in range(count):
            constraint = task.constraint(scores, first, labels, truth, j)
            if constraint.margin < 0:
                tau = -constraint.margin / excess * tau_of(constraint, step, metric, weight)
                lambdas += tau
                gain += tau * (constraint.required - constraint.margin)
                add(coefficients, first, constraint, tau)
        return Share(lambdas, gain - 0.5 * metric.sq_move(coefficients, first, task.lanes(labels)))


@compiled(inline=True)
def is_mistaken(constraint: Any) -> bool:
    """A tie is a mistake, unless no more is asked for, as where a mistake costs nothing."""
    return bool(constraint.margin <= 0 and constraint.margin < constraint.required)


@compiled(inline=True)
def tau_of(constraint: Any, step: Any, metric: Any, weight: float) -> float:
    """How far the constraint alone would move the hypothesis; 0 if its instance is zero, or the step does not act."""
    loss, norm = constraint.required - constraint.margin, metric.sq_norm(constraint)
    if loss > 0 and norm > 0 and step.acts(constraint.margin, loss):
        return float(step.tau(loss, norm, weight))
    return 0.0


@compiled(inline=True)
def add(coefficients: Any, first: int, constraint: Any, tau: float) -> None:
    """Put tau z into the coefficients."""
    if constraint.up >= 0:
        coefficients[first + constraint.up] += tau
    if constraint.down >= 0:
        coefficients[first + constraint.down] -= tau


@compiled(inline=True)
def move_by_one(constraint: Any, step: Any, first: int, metric: Any, weight: float, coefficients: Any) -> Share:
    """One constraint acts alone: w + tau z. The dual value grows by tau l - tau² ||z||² / 2."""
    tau = tau_of(constraint, step, metric, weight)
    if tau == 0:
        return Share(0.0, 0.0)
    add(coefficients, first, constraint, tau)
    loss = constraint.required - constraint.margin
    return Share(tau, tau * loss - 0.5 * tau * tau * metric.sq_norm(constraint))


@compiled(inline=True)
def move_equally(task: Any, step: Any, scores: Any, first: int, labels: int, truth: Any, acting: int, mistaken: bool,
                 metric: Any, weight: float, coefficients: Any) -> Share:  # fmt: skip
    """Every violated, or mistaken, constraint acts with the share 1 / ``acting``."""
    lambdas, gain = 0.0, 0.0
    if acting == 0:
        return Share(lambdas, gain)
    for j in range(task.posed(labels, truth)):
        constraint = task.constraint(scores, first, labels, truth, j)
        if not mistaken or is_mistaken(constraint):
            tau = tau_of(constraint, step, metric, weight) / acting
            if tau != 0:
                lambdas += tau
                gain += tau * (constraint.required - constraint.margin)
                add(coefficients, first, constraint, tau)
    return Share(lambdas, gain - 0.5 * metric.sq_move(coefficients, first, task.lanes(labels)))
