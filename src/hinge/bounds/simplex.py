# SPDX-License-Identifier: BSD-3-Clause
"""The bound of the multiplicative PA algorithm, whose hypotheses are distributions ([PA03] 6)."""

from __future__ import annotations

from typing import Any

import numpy as np

from hinge.bounds import arguments
from hinge.bounds.arguments import Floats, Rounds
from hinge.bounds.bound import Bound


def multiplicative(
    losses: Any, B: Rounds, u: Any, w1: Any = None, gap: float = 0.0, comparator_losses: Rounds | None = None
) -> Bound:
    """Theorem 4 of [PA03] 6: multiplicative PA, for a distribution u without loss at the insensitivity eps* <= eps,

        sum_t l_t² + 2 (eps - eps*) sum_t l_t <= 1/2 B KL(u || w_1),    KL(u || w) = sum_j u_j ln(u_j / w_j)

    ``losses`` is l_t of each round, a report, or the sum of squares (if ``gap``, eps - eps*, is 0). ``u`` is the
    distribution, or KL(u || w_1) itself; ``w1`` is uniform unless given. B is the square of how far the coordinates of
    v_t lie apart, at most, where w_j <- w_j exp(tau v_j)/Z with tau = 4 l / (that square):

    - classification and regression on rows >= 0: B = max ||x_t||_inf², tau = 4 l / ||x_t||_inf²;
    - on doubled rows (x, -x), for features of any sign: B = 4 max ||x_t||_inf², tau = l / ||x_t||_inf² (with the tau of
      rows >= 0 it fails);
    - uniclass: B = 4, tau = l / ||v_t||_inf².

    [PA03] prints l / (8 ||v||²) and B = 16 for uniclass; what stands here is what its proof gives. On rows of both
    signs that are not doubled, its B is too small. Classification asks the margin |eps| (eps is negative). An array of
    B is that of each round: the largest counts. ``comparator_losses``, where given, must be 0.

    >>> print(multiplicative(losses=[0.5, 0.25], B=1.0, u=[0.9, 0.1]))
    squared loss 0.3125 <= 0.184032: does NOT hold
    >>> print(multiplicative(losses=[0.25, 0.125], B=1.0, u=[0.9, 0.1]))
    squared loss 0.078125 <= 0.184032: holds
    """
    gap = float(gap)
    if not gap >= 0:
        raise ValueError(f"gap is eps - eps*, and must not be below 0: u has no loss at eps* <= eps; got {gap:g}")
    if comparator_losses is not None and arguments.largest(comparator_losses, "comparator_losses") > 1e-12:
        raise ValueError("Theorem 4 is for a u without any loss; comparator_losses are not all 0")
    if arguments.is_report(losses):
        left = float(losses.squared_loss) + 2 * gap * float(losses.loss)
    else:
        given = arguments.numbers(losses, "losses")
        if given.ndim == 0 and gap > 0:
            raise ValueError("with a gap above 0 give the losses of each round: their sum is needed as well")
        left = arguments.total_of_squares(given, "losses") + 2 * gap * float(given.sum() if given.ndim else 0.0)
    name = "squared loss" if gap == 0 else "squared loss + 2 (eps - eps*) loss"
    return Bound.of(name, left, arguments.largest(B, "B") * _divergence(u, w1) / 2)


def _divergence(u: Any, w1: Any) -> float:
    """KL(u || w_1)."""
    if np.ndim(u) == 0:
        return arguments.number(u, "u (as a number: the divergence KL(u || w_1))")
    target = _distribution(u, "u")
    start = np.full(len(target), 1 / len(target)) if w1 is None else _distribution(w1, "w1")
    arguments.same_length(u=target, w1=start)
    inside = target > 0
    if (start[inside] == 0).any():
        raise ValueError("w1 is 0 where u is not: KL(u || w_1) is infinite, and no bound is left")
    return max(0.0, float((target[inside] * np.log(target[inside] / start[inside])).sum()))


def _distribution(value: Any, name: str) -> Floats:
    given = arguments.numbers(value, name)
    if given.ndim != 1 or abs(given.sum() - 1) > 1e-9:
        raise ValueError(f"{name} must be a distribution: numbers not below 0 with the sum 1; it is {given.sum():.12g}")
    return given
