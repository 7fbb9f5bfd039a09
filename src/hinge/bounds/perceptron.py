# SPDX-License-Identifier: BSD-3-Clause
"""The bounds of the Perceptron, plain and importance weighted ([OL] 3, [PA06] 4, [IW] 2 and 3)."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from hinge.bounds import arguments
from hinge.bounds.arguments import Rounds
from hinge.bounds.bound import Bound
from hinge.bounds.comparators import Comparator, losses_of, norm_of, norms_of
from hinge.bounds.passive_aggressive import is_distance


def perceptron_mistakes(
    mistakes: Any,
    R: Rounds | None = None,
    u: Any = None,
    comparator_losses: Rounds | None = None,
    form: Literal["hinge", "squared"] = "hinge",
) -> Bound:
    """Gentile's bound ([OL] 3, Theorem 1 of [IW] 2.3; [PA06] 4): the Perceptron, for any u,

        mistakes <= L + R² ||u||² + R ||u|| sqrt(L),    L = sum_t l*_t

    or with ``form="squared"`` Freund and Schapire's ([PA06] 4): mistakes <= (R ||u|| + sqrt(sum_t l*_t²))².

    ``mistakes`` is a report, true or false for each round, or their number. ``comparator_losses`` is one a round, or
    what the form sums: their sum, or the sum of their squares. It does not depend on eta, for w_1 = 0. With several
    labels and focus Predicted it holds with R² = max ||Phi_r - Phi_s||². [OL] prints it for rows of norm 1.

    >>> print(perceptron_mistakes(mistakes=4, R=1.0, u=[1.0, 1.0], comparator_losses=[0.0, 2.0]))
    mistakes 4 <= 6: holds
    >>> print(perceptron_mistakes(mistakes=4, R=1.0, u=[1.0, 1.0], comparator_losses=[0.0, 2.0], form="squared"))
    mistakes 4 <= 11.6569: holds
    """
    if form not in ("hinge", "squared"):
        raise ValueError(f'form must be "hinge" or "squared", got {form!r}')
    if is_distance(mistakes, u):
        raise ValueError("the Perceptron's bound is for classification; nothing is proved for regression and uniclass")
    at_best = losses_of(u, comparator_losses)
    reach = norm_of(u, at_zero=True) * arguments.largest(norms_of(u, R), "R")
    if form == "squared":
        right = (reach + math.sqrt(arguments.total_of_squares(at_best, "comparator_losses"))) ** 2
    else:
        L = arguments.total(at_best, "comparator_losses")
        right = L + reach**2 + reach * math.sqrt(L)
    return Bound.of("mistakes", arguments.count(arguments.figure(mistakes, "mistakes"), "mistakes"), right)


def weighted_perceptron(
    mistakes: Any,
    R: Rounds | None = None,
    u: Any = None,
    comparator_losses: Rounds | None = None,
    weights: Rounds = 1.0,
    w1: Any = None,
) -> Bound:
    """Theorem 3 of [IW] 2.4: the Perceptron with importance weights c_t (w += c_t y_t x_t on a mistake), for any u,

        weighted mistakes <= L + c D + sqrt(c L D),    D = R² ||u||²,  L = sum_t c_t l*_t,  c = max_t c_t

    ``weights`` is c_t of each round, or their largest. ``mistakes`` is true or false for each round, or the sum of the
    weights of the mistaken ones, or a report (its cost). ``comparator_losses`` is l*_t of each round, unweighted, or
    the weighted sum L. Rounds on which the Perceptron did not move may be left out of all arrays (it moves at a tie
    too): R and c are then the largest of the others, which suffices and gives the smaller bound.

    With ``w1``, where the learner started, it is Theorem 4 of [IW] 3 for gamma = 1 (its bound for u and gamma is that
    for u/gamma and 1), and u must be a vector:

        L - u.w_1 + c D/2 + sqrt(c² D² + 4 c D (L - u.w_1) + 4 ||u||² ||w_1||²) / 2

    In print the terms with w_1 are multiplied by c, with which it fails.

    >>> print(weighted_perceptron([True, False], R=1.0, u=[1.0, 1.0], comparator_losses=[0.5, 0.0], weights=[4.0, 1.0]))
    weighted mistakes 4 <= 14: holds
    >>> print(weighted_perceptron(4.0, R=1.0, u=[1.0, 1.0], comparator_losses=2.0, weights=4.0, w1=[0.0, 0.0]))
    weighted mistakes 4 <= 11.6569: holds
    """
    c = arguments.numbers(weights, "weights")
    heaviest = float(c.max(initial=0.0))
    if np.array_equal(weights, 1.0) and arguments.is_report(mistakes) and mistakes.cost != mistakes.mistakes:
        raise ValueError("the rounds of this report were weighted: give weights=, of each round or their largest")
    mistakes = arguments.figure(mistakes, "cost")
    missed = _weighted(arguments.numbers(mistakes, "mistakes"), c, "mistakes")
    if np.ndim(mistakes):
        arguments.count(mistakes, "mistakes")
    L = _weighted(arguments.numbers(losses_of(u, comparator_losses), "comparator_losses"), c, "comparator_losses")
    norm = norm_of(u, at_zero=True)
    D = (norm * arguments.largest(norms_of(u, R), "R")) ** 2
    if w1 is None:
        return Bound.of("weighted mistakes", missed, L + heaviest * D + math.sqrt(heaviest * L * D))
    vector = np.asarray(u.u if isinstance(u, Comparator) else u, float)
    start = np.asarray(w1, float)
    if vector.ndim == 0 or start.shape != vector.shape or not np.isfinite(start).all():
        raise ValueError(f"w1 needs a u of its shape, not its norm alone: w1 has shape {start.shape}, u {vector.shape}")
    A, cD = L - float((vector * start).sum()), heaviest * D
    # The root is of a discriminant, never below 0 but for rounding.
    root = math.sqrt(max(0.0, cD**2 + 4 * cD * A + 4 * (norm * float(np.linalg.norm(start))) ** 2))
    return Bound.of("weighted mistakes", missed, A + cD / 2 + root / 2, size=abs(A) + cD + root)


def _weighted(values: Any, weights: Any, name: str) -> float:
    """The weighted sum, or the sum as given."""
    if values.ndim == 0:
        return float(values)
    if weights.ndim == 0 and weights != 1.0:
        raise ValueError(f"{name} for each round need the weights of each round too, not the largest alone")
    if weights.ndim:
        arguments.same_length(**{name: values, "weights": weights})
    return float((values * weights).sum())
