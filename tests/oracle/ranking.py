# SPDX-License-Identifier: BSD-3-Clause
"""Ranking of labels, [PA06] 7, and the multiclass updates that share one round among several labels."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from oracle.result import Pass, dual_growth
from oracle.steps import Step


def ranking(step: Step, rounds: Any, relevant: Sequence[set[int]], *, weights: Any = None) -> Pass:
    """Single prototype: round t is a matrix whose row r is Phi(x_t, r). The pair (r, s) of the largest loss acts,
    r relevant, s not; the first pair wins ties."""
    importance = np.ones(len(rounds)) if weights is None else weights
    w = np.zeros(np.shape(rounds)[-1])
    result = Pass(w)
    for phi, truth, c in zip(rounds, relevant, importance, strict=True):
        phi = np.asarray(phi, float)
        scores = phi @ w
        result.scores.append(scores)
        worst, z = 0.0, None
        for r in sorted(truth):
            for s in sorted(set(range(len(phi))) - truth):
                loss = 1 - (scores[r] - scores[s])
                if loss > worst:
                    worst, z = loss, phi[r] - phi[s]
        q = 0.0 if z is None else z @ z
        tau = 0.0 if z is None else step.tau(worst, q, c, w @ z <= 0)
        if z is not None:
            w = w + tau * z
        result.losses.append(worst)
        result.taus.append(tau)
        result.dual += dual_growth(step, tau, worst, q, c)
    result.weights = w
    return result


def perceptron_coefficients(scores: Sequence[float], y: int, share: str) -> np.ndarray:
    """Crammer and Singer's multiclass Perceptrons: E are the labels scored at least as high as the true one."""
    s = np.asarray(scores, float)
    E = [r for r in range(len(s)) if r != y and s[r] >= s[y]]
    tau = np.zeros(len(s))
    if not E:
        return tau
    tau[y] = 1.0
    excess = sum(s[r] - s[y] for r in E)
    highest = max(E, key=lambda r: (s[r], -r))
    for r in E:
        if share == "max":
            tau[r] = -1.0 if r == highest else 0.0
        elif share == "uniform" or excess == 0:
            tau[r] = -1.0 / len(E)
        else:
            assert share == "proportional"
            tau[r] = -(s[r] - s[y]) / excess
    return tau


def mira_coefficients(scores: Sequence[float], y: int, sq_norm: float, beta: float) -> np.ndarray:
    """min 1/2 q sum tau_r^2 + sum (s_r - beta [r = y]) tau_r with tau_r <= [r = y], sum tau = 0; q = ``sq_norm``.

    By the Lagrangian tau_r = min([r = y], (theta - s_r + beta [r = y]) / q); theta is found by bisection.
    """
    is_true = np.arange(len(scores)) == y
    wanted = np.asarray(scores, float) - beta * is_true

    def tau(theta: float) -> np.ndarray:
        return np.minimum(is_true, (theta - wanted) / sq_norm)

    low, high = wanted.min() - sq_norm, wanted.max() + sq_norm
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if tau(middle).sum() < 0 else (low, middle)
    return tau(high)
