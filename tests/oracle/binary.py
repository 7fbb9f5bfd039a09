# SPDX-License-Identifier: BSD-3-Clause
"""Binary classification, [PA06] 3 and 4: one constraint a round, z = y x, required margin 1."""

from typing import Any

import numpy as np

from oracle.result import Pass, dual_growth, with_constant
from oracle.steps import Step


def binary(
    step: Step, X: Any, y: Any, *, weights: Any = None, b: float = 0.0, classes: tuple[Any, Any] = (-1, 1)
) -> Pass:
    rows = with_constant(X, b)
    importance = np.ones(len(rows)) if weights is None else weights
    w = np.zeros(rows.shape[1])
    result = Pass(w)
    for x, label, c in zip(rows, y, importance, strict=True):
        sign = 1.0 if label == classes[1] else -1.0
        score = w @ x
        margin = sign * score
        loss = max(0.0, 1 - margin)
        q = x @ x
        tau = step.tau(loss, q, c, margin <= 0) if loss > 0 else 0.0
        w += tau * sign * x
        result.scores.append(score)
        result.predictions.append(classes[1] if score > 0 else classes[0])
        result.losses.append(loss)
        result.taus.append(tau)
        result.dual += dual_growth(step, tau, loss, q, c)
    result.weights, result.intercept = w[:-1], w[-1] * b
    return result
