# SPDX-License-Identifier: BSD-3-Clause
"""Perceptrons of many labels: w moves on mistakes alone, by c_t times what is written beside each.

Labels 0 .. k-1; of equal scores the first label is predicted. A round's mistake is a wrong prediction, except for
Crammer and Singer's three, which move whenever another label scores as high as the true one.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from oracle.ranking import mira_coefficients, perceptron_coefficients
from oracle.result import Pass, label_scores, with_constant


def _pass(rows: Any, y: Any, weights: Any, size: Any, scores: Any, move: Any) -> Pass:
    """``scores(w, x)``; ``move(scores, x, label, predicted)``: what c times is added to w."""
    importance = np.ones(len(rows)) if weights is None else weights
    w = np.zeros(size)
    result = Pass(w)
    for x, label, c in zip(rows, y, importance, strict=True):
        s = scores(w, x)
        predicted = int(np.argmax(s))
        step = move(s, x, label, predicted)
        result.scores.append(s)
        result.predictions.append(predicted)
        result.losses.append(max(0.0, 1 - s[label] + np.delete(s, label).max()))
        result.taus.append(c if np.any(step) else 0.0)
        w = w + c * step
    result.weights = w
    return result


def crammer_singer(X: Any, y: Any, k: int, share: str, *, weights: Any = None, b: float = 0.0) -> Pass:
    """``share`` "uniform", "max" or "proportional"; the last column of the weights is the constant feature's."""
    rows = with_constant(X, b)

    def move(s: np.ndarray, x: np.ndarray, label: int, predicted: int) -> np.ndarray:
        return np.outer(perceptron_coefficients(s, label, share), x) * x.any()

    return _pass(rows, y, weights, (k, rows.shape[1]), label_scores, move)


def multi_vector(X: Any, y: Any, k: int, *, weights: Any = None, b: float = 0.0) -> Pass:
    """[IW] 2.3: w^y + x, w^yhat - x."""
    rows = with_constant(X, b)
    I = np.eye(k)

    def move(s: np.ndarray, x: np.ndarray, label: int, predicted: int) -> np.ndarray:
        return np.outer(I[label] - I[predicted], x)

    return _pass(rows, y, weights, (k, rows.shape[1]), label_scores, move)


def all_pair(X: Any, y: Any, k: int, *, scoring: str = "linear", weights: Any = None, b: float = 0.0) -> Pass:
    """[IW] 4.1: w^rs = -w^sr. h(r) = sum_s w^rs.x, or, Max-Win, the number of s with w^rs.x > 0 (a draw is no win).

    On a mistake w^yr + x for every r but y, then w^yhat,r - x for every r but yhat: w^y,yhat moves twice.
    """
    assert scoring in ("linear", "max-win")
    rows = with_constant(X, b)

    def scores(w: np.ndarray, x: np.ndarray) -> np.ndarray:
        duels = w @ x
        return duels.sum(axis=1) if scoring == "linear" else (duels > 0).sum(axis=1)

    def move(s: np.ndarray, x: np.ndarray, label: int, predicted: int) -> np.ndarray:
        step = np.zeros((k, k, len(x)))
        if label != predicted:
            for winner, sign in ((label, 1.0), (predicted, -1.0)):
                for r in range(k):
                    if r != winner:
                        step[winner, r] += sign * x
                        step[r, winner] -= sign * x
        return step

    return _pass(rows, y, weights, (k, k, rows.shape[1]), scores, move)


def single_vector(rounds: Any, y: Any, *, weights: Any = None) -> Pass:
    """Fink et al. in [IW] 2.3: w + Phi(x, y) - Phi(x, yhat). Round t is a matrix whose row r is Phi(x_t, r)."""
    rounds = [np.asarray(phi, float) for phi in rounds]

    def move(s: np.ndarray, phi: np.ndarray, label: int, predicted: int) -> np.ndarray:
        return phi[label] - phi[predicted]

    return _pass(rounds, y, weights, rounds[0].shape[1], lambda w, phi: phi @ w, move)


def mira(X: Any, y: Sequence[int], k: int, *, beta: float = 0.01, C: float = 1.0, weights: Any = None,
         b: float = 0.0) -> Pass:  # fmt: skip
    """MIRA(beta, C): the exact projection onto w_y.x - w_r.x >= beta, the true label's coefficient at most C c.

    The coefficients of a cap C are C times those of a cap 1 with scores and beta divided by C. ``losses`` are for beta.
    """
    rows = with_constant(X, b)
    importance = np.ones(len(rows)) if weights is None else weights
    w = np.zeros((k, rows.shape[1]))
    result = Pass(w)
    for x, label, c in zip(rows, y, importance, strict=True):
        s, q, cap = label_scores(w, x), x @ x, C * c
        loss = max(0.0, beta - s[label] + np.delete(s, label).max())
        tau = np.zeros(k)
        if loss > 0 and q > 0 and cap > 0:
            tau = cap * mira_coefficients(s / cap, label, q, beta / cap)
        lambdas = -np.delete(tau, label)
        result.scores.append(s)
        result.predictions.append(int(np.argmax(s)))
        result.losses.append(loss)
        result.taus.append(tau[label])
        result.dual += lambdas @ (beta - s[label] + np.delete(s, label)) - 0.5 * q * tau @ tau
        w = w + np.outer(tau, x)
    result.weights = w
    return result
