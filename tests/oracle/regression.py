# SPDX-License-Identifier: BSD-3-Clause
"""Regression, [PA06] 5: loss [|y - w.x| - epsilon]+, z = sign(y - w.x) x."""

from typing import Any

import numpy as np

from oracle.result import Pass, dual_growth, with_constant
from oracle.steps import Step


def regression(step: Step, X: Any, y: Any, *, epsilon: float = 0.1, weights: Any = None, b: float = 0.0) -> Pass:
    rows = with_constant(X, b)
    importance = np.ones(len(rows)) if weights is None else weights
    w = np.zeros(rows.shape[1])
    result = Pass(w)
    for x, target, c in zip(rows, y, importance, strict=True):
        score = w @ x
        loss = max(0.0, abs(target - score) - epsilon)
        q = x @ x
        tau = step.tau(loss, q, c, True) if loss > 0 else 0.0
        w += tau * np.sign(target - score) * x
        result.scores.append(score)
        result.predictions.append(score)
        result.losses.append(loss)
        result.taus.append(tau)
        result.dual += dual_growth(step, tau, loss, q, c)
    result.weights, result.intercept = w[:-1], w[-1] * b
    return result
