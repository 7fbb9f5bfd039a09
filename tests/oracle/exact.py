# SPDX-License-Identifier: BSD-3-Clause
"""Focus Exact, slowly: the round's problem of [SP06] (eq. 1 and 2) solved to a duality gap of 1e-12.

    min_w 1/2 ||w - w_t||^2 + C xi   with   w.z_j >= r_j - xi for every j,   xi >= 0

Its dual, with l_j = r_j - w_t.z_j (below 0 where a constraint holds with room to spare: the move may use that room up)
and the Gram matrix G_ij = z_i.z_j:

    max_lambda  lambda.l - 1/2 lambda' G lambda   with   lambda >= 0,   sum lambda <= C;   w = w_t + sum lambda_j z_j
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np


def primal(lambdas: np.ndarray, losses: np.ndarray, gram: np.ndarray, C: float) -> float:
    return 0.5 * lambdas @ gram @ lambdas + C * max(0.0, (losses - gram @ lambdas).max())


def dual(lambdas: np.ndarray, losses: np.ndarray, gram: np.ndarray) -> float:
    return lambdas @ losses - 0.5 * lambdas @ gram @ lambdas


def exact(losses: Any, gram: Any, C: float) -> np.ndarray:
    """Pairwise ascent on the simplex of (lambda, what is left of C): the pair that promises most moves all it may.

    C infinite is the limit of no slack at all, found as a C that does not bind; without a solution there is none.
    """
    losses, gram = np.asarray(losses, float), np.asarray(gram, float)
    if np.isinf(C):
        C = 1.0
        while (lambdas := exact(losses, gram, C)).sum() > C / 2:
            C *= 4
            if C > 1e9:
                raise ValueError("no hypothesis satisfies all constraints of the round")
        return lambdas
    k = len(losses)
    lambdas = np.zeros(k)
    if k == 0 or losses.max() <= 0 or C == 0:
        return lambdas
    share = np.append(lambdas, C)  # the last is what is left: of gradient 0, orthogonal to all
    padded = np.pad(gram, (0, 1))
    gains = np.append(losses, 0.0)
    for count in range(200_000):
        if count % 50 == 0:
            for candidate in (*_stationary_near(share, losses, gram, C), share[:-1]):
                top = primal(candidate, losses, gram, C)
                rounding = 1e-15 * C * (np.abs(losses).max() + (np.abs(gram) @ candidate).max())
                if top - dual(candidate, losses, gram) <= 1e-12 * top + rounding:
                    return candidate.copy()
        gradient = gains - padded @ share
        up = int(np.argmax(gradient))
        slopes = np.where(share > 0, gradient[up] - gradient, 0.0)
        bends = np.maximum(padded[up, up] + np.diag(padded) - 2 * padded[up], 1e-300)
        moves = np.minimum(share, slopes / bends)
        down = int(np.argmax(moves * slopes - 0.5 * moves**2 * bends))
        share[up] += moves[down]
        share[down] = 0.0 if moves[down] == share[down] else share[down] - moves[down]
    raise AssertionError("the pairwise ascent has not converged")


def _stationary_near(share: np.ndarray, losses: np.ndarray, gram: np.ndarray, C: float) -> list[np.ndarray]:
    """What is stationary, and feasible to rounding, on the face that the ascent is on: with all of C used, or not."""
    active = list(np.flatnonzero(share[:-1] > 0))
    points = [_stationary(active, losses, gram, total) for total in (C, None)]
    points = [point for point in points if point is not None and point.sum() <= C * (1 + 1e-9)]
    return [point * min(1.0, C / point.sum()) for point in points if active and point[active].min() > 0]


def _stationary(active: Sequence[int], losses: np.ndarray, gram: np.ndarray, total: float | None) -> Any:
    """G lambda + theta = l on the active constraints; sum lambda = total, or theta = 0 where no total is given."""
    a = len(active)
    system, right = gram[np.ix_(active, active)], losses[active]
    if total is not None:
        system = np.block([[system, np.ones((a, 1))], [np.ones((1, a)), np.zeros((1, 1))]])
        right = np.append(right, total)
    solution = np.linalg.lstsq(system, right, rcond=None)[0]
    rounding = 1e-11 * (np.abs(right) + np.abs(system) @ np.abs(solution))
    if (np.abs(system @ solution - right) > rounding).any():
        return None
    point = np.zeros(len(losses))
    point[active] = solution[:a]
    return point


def exact_by_enumeration(losses: Any, gram: Any, C: float) -> np.ndarray:
    """Every face of the feasible set has at most one best value, taken where it is stationary: try them all."""
    losses, gram = np.asarray(losses, float), np.asarray(gram, float)
    best = np.zeros(len(losses))
    for size in range(1, len(losses) + 1):
        for active in map(list, combinations(range(len(losses)), size)):
            for total in (None, C) if np.isfinite(C) else (None,):
                point = _stationary(active, losses, gram, total)
                if point is None or point.min() < 0 or point.sum() > C * (1 + 1e-9):
                    continue
                point *= min(1.0, C / max(point.sum(), 1e-300))
                if dual(point, losses, gram) > dual(best, losses, gram):
                    best = point
    return best


def exact_of_prototypes(losses: Any, sq_norm: float, C: float) -> np.ndarray:
    """One weight vector a label and one relevant label: z_s is x in its block and -x in block s, G = q (I + 11').

    lambda_s = [l_s / q - theta]+, and theta is the least number >= sum lambda, or, if that exceeds C, what makes it C.
    """
    scaled = np.asarray(losses, float) / sq_norm

    def total(theta: float) -> float:
        return np.maximum(0, scaled - theta).sum()

    def bisect(too_low: Any) -> float:
        low, high = scaled.min() - C - 1 if np.isfinite(C) else 0.0, max(0.0, scaled.max())
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if too_low(middle) else (low, middle)
        return high

    theta = bisect(lambda theta: total(theta) > theta)
    if total(theta) > C:
        theta = bisect(lambda theta: total(theta) > C)
    return np.maximum(0, scaled - theta)
