# SPDX-License-Identifier: BSD-3-Clause
"""Rounds with many constraints: simultaneous projections ([SP06] 5) and costs ([PA06] 8)."""

from __future__ import annotations

import math
from typing import Any

from hinge.bounds import arguments
from hinge.bounds.arguments import Rounds
from hinge.bounds.bound import Bound
from hinge.bounds.comparators import Comparator, losses_of, norm_of, norms_of


def simultaneous_imperfect(
    imperfect: Any,
    C: float | None = None,
    R: Rounds | None = None,
    u: Any = None,
    comparator_losses: Rounds | None = None,
) -> Bound:
    """Theorem 1 and Corollary 1 of [SP06] 5: SimPerc and ConProj (not SimProj), for any u,

        imperfect rounds <= (1/2 ||u||² + C sum_t l*_t) / (C - 1/2 C² R²),    C < 2/R²

    A round is imperfect if one of its constraints is mistaken (margin <= 0); l*_t is the largest hinge loss of u among
    the round's constraints, R the largest norm of any instance. ``imperfect`` is true or false for each round, their
    number, or a report. C >= 2/R², where nothing is proved, is a ValueError; the paper does not say it.

    Without C it is SimPerc's bound at the best C: its predictions do not depend on C (w_1 = 0), so that C may be chosen
    afterwards. With D = R² ||u||² and L = sum_t l*_t it is L + D/2 + 1/2 sqrt(D² + 4 D L). In print the 4 is missing,
    and the bound fails.

    >>> print(simultaneous_imperfect(imperfect=4, C=1.0, R=1.0, u=[0.5, 0.5, 0.5, 0.5], comparator_losses=[0.5] * 4))
    imperfect rounds 4 <= 5: holds
    >>> print(simultaneous_imperfect(imperfect=4, R=1.0, u=[0.5, 0.5, 0.5, 0.5], comparator_losses=[0.5] * 4))
    imperfect rounds 4 <= 4: holds
    """
    wrong = arguments.count(arguments.figure(imperfect, "mistakes"), "imperfect")
    L = arguments.total(losses_of(u, comparator_losses), "comparator_losses")
    widest = arguments.largest(norms_of(u, R), "R")
    if C is None:
        D = (widest * norm_of(u, at_zero=True)) ** 2
        return Bound.of("imperfect rounds", wrong, L + D / 2 + math.sqrt(D * D + 4 * D * L) / 2)
    C = arguments.number(C, "C", above=0.0)
    if C * widest**2 >= 2:
        raise ValueError(
            f"the theorem needs C < 2/R²; C is {C:g}, and with R = {widest:g} that is at most {2 / widest**2:g}. "
            "For SimPerc leave C out: the bound is then at its best C"
        )
    return Bound.of("imperfect rounds", wrong, (norm_of(u) ** 2 / 2 + C * L) / (C - C**2 * widest**2 / 2))


def cost_sensitive(
    cost: Any,
    C: float,
    u: Any = None,
    comparator_losses: Rounds | None = None,
    R: Rounds | None = None,
    largest_cost: float | None = None,
) -> Bound:
    """Theorem 10 of [PA06] 8: cost-sensitive PA-I (max-loss, or prediction-based), for any u,

        sum_t rho(y_t, yhat_t) <= ||u||² + 2 C sum_t l*_t

    where l*_t is the *max-loss* of u, max_r (u.Phi_r - u.Phi_y + sqrt(rho(y, r))), for both updates:
    ``comparator(X, y, u, cost=...)``. It needs C >= sqrt(rho(y_t, yhat_t)), and ||Phi_y - Phi_r|| <= 1. For rows with
    R > 1 the right side is multiplied by R², which the same proof gives (several prototypes: R² = 2 max ||x||²).

    ``cost`` is rho(y_t, yhat_t) of each round, their sum, or a report; with a sum or a report, ``largest_cost`` is the
    largest one of a round. C < sqrt(rho), where nothing is proved, is a ValueError.

    >>> print(cost_sensitive([0.0, 4.0, 1.0], C=2.0, u=[1.0, 1.0], comparator_losses=[0.0, 0.5, 1.0]))
    cost 5 <= 8: holds
    >>> cost_sensitive([0.0, 4.0, 1.0], C=1.0, u=[1.0, 1.0], comparator_losses=[0.0, 0.5, 1.0])
    Traceback (most recent call last):
    ...
    ValueError: the theorem needs C >= sqrt(rho) for every cost suffered; C is 1, the largest cost 4: give at least 2
    """
    C = arguments.number(C, "C", above=0.0)
    costs = arguments.numbers(arguments.figure(cost, "cost"), "cost")
    total = float(costs.sum())
    most = float(costs.max(initial=0.0)) if largest_cost is None else arguments.number(largest_cost, "largest_cost")
    needed = math.sqrt(most) * (1 - 1e-12)
    if costs.ndim == 0 and largest_cost is None and needed > C:
        raise ValueError("with a sum of costs give largest_cost= too, that of one round: C must be at least its root")
    if needed > C:
        raise ValueError(
            f"the theorem needs C >= sqrt(rho) for every cost suffered; C is {C:g}, the largest cost {most:g}: "
            f"give at least {math.sqrt(most):g}"
        )
    at_best = arguments.total(losses_of(u, comparator_losses), "comparator_losses")
    # Without R, and without a comparator that knows it, the rows are as the theorem assumes.
    widest = arguments.largest(norms_of(u, R), "R") if R is not None or isinstance(u, Comparator) else 1.0
    return Bound.of("cost", total, max(1.0, widest) ** 2 * (norm_of(u) ** 2 + 2 * C * at_best))
