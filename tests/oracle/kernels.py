# SPDX-License-Identifier: BSD-3-Clause
"""Kernels, [PA06] 3: w = sum_i alpha_i K(x_i, .), every dot product replaced by K. There is no intercept.

A support is a row that moved the hypothesis, with one coefficient a lane; supports stand in the order in which they
came. A budget decides what becomes of a move: see `oracle.budgets`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from oracle.result import Pass
from oracle.simultaneous import shares
from oracle.steps import Step

Kernel = Callable[[np.ndarray, np.ndarray], float]


@dataclass
class Supports:
    K: Kernel
    rows: list[np.ndarray] = field(default_factory=list)
    alphas: list[np.ndarray] = field(default_factory=list)  # one coefficient a lane

    def score(self, x: np.ndarray, lanes: int) -> np.ndarray:
        return sum((alpha * self.K(row, x) for row, alpha in self), start=np.zeros(lanes))

    def add(self, x: np.ndarray, alpha: np.ndarray) -> None:
        self.rows.append(x)
        self.alphas.append(np.array(alpha, float))

    def remove(self, i: int) -> None:
        del self.rows[i], self.alphas[i]

    def gram(self) -> np.ndarray:
        return np.array([[self.K(r, s) for s in self.rows] for r in self.rows]).reshape(len(self.rows), -1)

    def table(self, lanes: int) -> np.ndarray:
        return np.array(self.alphas).reshape(len(self.alphas), lanes)

    def sq_norm(self, lanes: int = 1) -> float:
        return float(np.sum(self.table(lanes) * (self.gram() @ self.table(lanes)))) if self.rows else 0.0

    def __iter__(self) -> Any:
        return zip(self.rows, self.alphas, strict=True)

    def __len__(self) -> int:
        return len(self.rows)


class Unbounded:
    """Every move is a support more."""

    def move(self, supports: Supports, x: np.ndarray, alpha: np.ndarray) -> None:
        supports.add(x, alpha)


@dataclass
class KernelPass(Pass):
    """``weights`` are the coefficients, one row a support; the dual value means something without a budget alone."""

    supports: Any = None
    sizes: list[int] = field(default_factory=list)  # how many supports there were after each round


@dataclass
class Constraints:
    """What a round poses, in terms of lanes: z_j = signs_j (outer) K(x, .)."""

    prediction: Any
    signs: np.ndarray
    losses: np.ndarray  # r_j - m_j
    margins: np.ndarray
    named: int | None = None  # the constraint against a wrong prediction


def kernel_binary(step: Step, X: Any, y: Any, K: Kernel, *, classes: tuple[Any, Any] = (-1, 1), weights: Any = None,
                  budget: Any = None) -> KernelPass:  # fmt: skip
    def judge(score: np.ndarray, label: Any) -> Constraints:
        sign = 1.0 if label == classes[1] else -1.0
        margins = sign * score
        return Constraints(classes[1] if score[0] > 0 else classes[0], np.array([[sign]]), 1 - margins, margins)

    return _pass(step, X, y, K, 1, "worst", judge, weights, budget)


def kernel_regression(step: Step, X: Any, y: Any, K: Kernel, *, epsilon: float = 0.1, weights: Any = None,
                      budget: Any = None) -> KernelPass:  # fmt: skip
    """Every loss is a mistake of the Perceptron's."""

    def judge(score: np.ndarray, target: float) -> Constraints:
        off = target - score
        return Constraints(score[0], np.sign(off)[None], abs(off) - epsilon, np.array([-np.inf]))

    return _pass(step, X, y, K, 1, "worst", judge, weights, budget)


def kernel_multilabel(step: Step, X: Any, truths: Sequence[Sequence[Any]], K: Kernel, labels: Sequence[Any], *,
                      focus: str = "worst", weights: Any = None, budget: Any = None) -> KernelPass:  # fmt: skip
    """One vector a label, labels known; with sets of one label that is multiclass. The prediction is the top label."""
    labels = list(labels)

    def judge(scores: np.ndarray, truth: Sequence[Any]) -> Constraints:
        relevant = [r for r in range(len(labels)) if labels[r] in truth]
        pairs = [(r, s) for r in relevant for s in range(len(labels)) if s not in relevant]
        I = np.eye(len(labels))
        signs = np.array([I[r] - I[s] for r, s in pairs]).reshape(-1, len(labels))
        margins = np.array([scores[r] - scores[s] for r, s in pairs])
        wrong = any(scores[s] > scores[r] or (scores[s] == scores[r] and s < r) for r, s in pairs)
        named = int(np.argmax(1 - margins)) if wrong else None
        return Constraints(labels[int(np.argmax(scores))], signs, 1 - margins, margins, named)

    return _pass(step, X, truths, K, len(labels), focus, judge, weights, budget)


def _pass(step: Step, X: Any, y: Any, K: Kernel, lanes: int, focus: str, judge: Any, weights: Any, budget: Any) -> Any:
    rows = np.asarray(X, float)
    importance = np.ones(len(rows)) if weights is None else weights
    supports = Supports(K)
    budget = budget or Unbounded()
    result = KernelPass(np.zeros((0, lanes)), supports=supports)
    for x, truth, c in zip(rows, y, importance, strict=True):
        scores, q = supports.score(x, lanes), K(x, x)
        posed = judge(scores, truth)
        gram = q * posed.signs @ posed.signs.T
        lambdas = np.zeros(len(posed.losses))
        if q > 0:  # a kernel that is none may have K(x, x) below 0: such a row moves nothing, like a zero row
            lambdas = shares(step, focus, posed.losses, posed.margins, gram, c, named=posed.named)
        result.scores.append(scores if lanes > 1 else scores[0])
        result.predictions.append(posed.prediction)
        result.losses.append(max(0.0, posed.losses.max(initial=0)))
        result.taus.append(lambdas.sum())
        result.dual += lambdas @ posed.losses - 0.5 * lambdas @ gram @ lambdas - step.slack_price(lambdas.sum(), c)
        if (alpha := lambdas @ posed.signs).any():
            budget.move(supports, x, alpha)
        elif result.losses[-1] > 0 and q > 0 and hasattr(budget, "nudge"):
            budget.nudge(supports, x, posed.signs[np.argmax(posed.losses)], result.losses[-1], c)
        result.sizes.append(len(supports))
    result.weights = supports.table(lanes)
    return result


def linear(x: np.ndarray, y: np.ndarray) -> float:
    return float(x @ y)


def polynomial(gamma: float = 1.0, coef0: float = 0.0, degree: int = 3) -> Kernel:
    return lambda x, y: float((gamma * (x @ y) + coef0) ** degree)


def rbf(gamma: float) -> Kernel:
    return lambda x, y: float(np.exp(-gamma * (x - y) @ (x - y)))


def sigmoid(gamma: float = 1.0, coef0: float = 0.0) -> Kernel:
    return lambda x, y: float(np.tanh(gamma * (x @ y) + coef0))


def precomputed(gram: Any) -> Kernel:
    """Rows are then [i], the index of a row of the Gram matrix."""
    gram = np.asarray(gram, float)
    return lambda x, y: float(gram[int(x[0]), int(y[0])])
