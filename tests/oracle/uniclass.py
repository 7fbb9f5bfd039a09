# SPDX-License-Identifier: BSD-3-Clause
"""Uniclass, [PA06] 6: a centre w within a radius of every row; loss [||w - x|| - radius]+, a move straight towards x.

With ``bound`` B the radius is learnt: every row gets a last 0, the centre a last B, and the radius of the ball of
radius B where it meets the rows is sqrt(B^2 - w_last^2). There is no intercept.
"""

from typing import Any

import numpy as np

from oracle.result import Pass, dual_growth
from oracle.steps import Step


def uniclass(
    step: Step, X: Any, *, radius: float | None = None, bound: float | None = None, start: Any = 0, weights: Any = None
) -> Pass:
    """``start`` 0 ([PA06]) or "first" ([PA03]): where the centre begins."""
    assert (radius is None) != (bound is None)
    rows = np.asarray(X, float)
    importance = np.ones(len(rows)) if weights is None else weights
    first = rows[0].copy() if start == "first" else np.zeros(rows.shape[1])
    last = 0.0 if bound is None else float(bound)
    w = np.append(first, last)
    ball = radius if bound is None else bound
    result = Pass(w)
    for row, c in zip(rows, importance, strict=True):
        now = _radius(w, radius, bound)
        x = np.append(row, 0.0)
        distance = np.linalg.norm(x - w)
        loss = max(0.0, distance - ball)
        tau = step.tau(loss, 1.0, c, True) if loss > 0 else 0.0
        result.centres.append(w[:-1].copy())
        result.radii.append(now)
        result.scores.append(now - np.linalg.norm(row - w[:-1]))  # above 0: inside
        result.predictions.append(result.scores[-1] >= 0)
        result.losses.append(loss)
        result.taus.append(tau)
        result.dual += dual_growth(step, tau, loss, 1.0, c)
        if tau > 0:
            w = w + tau * (x - w) / distance
    result.weights, result.radius = w[:-1], _radius(w, radius, bound)
    return result


def _radius(w: np.ndarray, radius: float | None, bound: float | None) -> float:
    if bound is None:
        return float(radius)
    return float(np.sqrt(max(0.0, bound**2 - w[-1] ** 2)))
