# SPDX-License-Identifier: BSD-3-Clause
"""Lemma 1 and what follows from it: the bounds of PA, PA-I and PA-II ([PA06] 4 to 7, [PA03] 5).

They hold for binary classification, regression (Lemma 6), uniclass (Lemma 7) and multiclass and multilabel ranking
(Cor. 8) alike: only l, l* and the norms differ, and `comparator` knows which. They are proved for w_1 = 0; for a
learner that starts at w_1, ||u|| becomes ||u - w_1|| (``comparator(..., start=w_1)``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hinge.bounds import arguments
from hinge.bounds.arguments import Rounds
from hinge.bounds.bound import Bound
from hinge.bounds.comparators import Comparator, losses_of, norm_of, norms_of


def lemma1(
    taus: Rounds, losses: Rounds, sq_norms: Rounds | None = None, comparator_losses: Rounds | None = None, u: Any = None
) -> Bound:
    """Lemma 1 of [PA06] 4 (for regression Lemma 6, uniclass Lemma 7, costs Lemma 9): for any u,

        sum_t tau_t (2 l_t - tau_t q_t - 2 l*_t) <= ||u||²

    Each of ``taus`` (tau_t, how far the learner moved), ``losses`` (l_t, of the constraint it moved for), ``sq_norms``
    (q_t, the squared norm of what it moved by) and ``comparator_losses`` (l*_t) has one value a round. A single number
    for ``sq_norms`` is that of every round (1 for uniclass); ``comparator_losses=0`` says that u has none.

    >>> print(lemma1(taus=[0.5, 0], losses=[1, 0], sq_norms=[2, 2], comparator_losses=[0, 1], u=[1.0, 1.0]))
    sum of tau (2l - tau q - 2l*) 0.5 <= 2: holds
    """
    if sq_norms is None:
        sq_norms = arguments.numbers(norms_of(u, None), "sq_norms") ** 2
    right = norm_of(u) ** 2
    tau, l = arguments.numbers(taus, "taus"), arguments.numbers(losses, "losses")
    q = arguments.numbers(sq_norms, "sq_norms")
    at_best = arguments.numbers(losses_of(u, comparator_losses), "comparator_losses")
    if tau.ndim == 0 or l.ndim == 0:
        raise ValueError("lemma1 needs taus and losses of each round; sums do not tell which belong together")
    if at_best.ndim == 0 and at_best != 0:
        raise ValueError("lemma1 needs comparator_losses of each round (or 0, where u has no loss); got one number")
    q, at_best = (np.broadcast_to(part, tau.shape) if part.ndim == 0 else part for part in (q, at_best))
    arguments.same_length(taus=tau, losses=l, sq_norms=q, comparator_losses=at_best)
    terms = tau * (2 * l - tau * q - 2 * at_best)
    size = float((tau * (2 * l + tau * q + 2 * at_best)).sum())
    return Bound.of("sum of tau (2l - tau q - 2l*)", float(terms.sum()), right, size)


def pa_separable(
    squared_loss: Any, R: Rounds | None = None, u: Any = None, comparator_losses: Rounds | None = None
) -> Bound:
    """Theorem 2 of [PA06] 4 (several labels: Cor. 8): PA, where u has no loss on any round,

        sum_t l_t² <= ||u||² R²

    ``squared_loss`` is a report, the losses of each round, or the sum of their squares. ``comparator_losses``, where
    given (or known to a comparator ``u``), must be 0: else the theorem says nothing, which is a ValueError. Equation 17
    of [PA03], damaged in print, is this with u = v/gamma, for a separator v of norm 1 and margin gamma: R²/gamma².

    >>> print(pa_separable(squared_loss=[1.0, 0.5, 0.0], R=1.0, u=[1.0, 1.0]))
    squared loss 1.25 <= 2: holds
    >>> pa_separable(1.25, R=1.0, u=[1.0, 1.0], comparator_losses=[0.0, 0.3, 0.0])
    Traceback (most recent call last):
    ...
    ValueError: Theorem 2 is for a u without any loss; this u has a loss of 0.3 on row 1. There is pa2_squared_loss.
    """
    if comparator_losses is not None or isinstance(u, Comparator):
        at_best = np.atleast_1d(arguments.numbers(losses_of(u, comparator_losses), "comparator_losses"))
        # A u scaled until its least margin is 1 may miss that by a rounding.
        lossy = np.flatnonzero(at_best > 1e-12)
        if len(lossy):
            where = f" on row {lossy[0]}" if len(at_best) > 1 else ""
            raise ValueError(
                f"Theorem 2 is for a u without any loss; this u has a loss of {at_best[lossy[0]]:g}{where}. "
                "There is pa2_squared_loss."
            )
    left = _squared_loss(squared_loss)
    return Bound.of("squared loss", left, (norm_of(u) * arguments.largest(norms_of(u, R), "R")) ** 2)


def pa_unit_norm(
    squared_loss: Any, u: Any = None, comparator_losses: Rounds | None = None, R: Rounds | None = None
) -> Bound:
    """Theorem 3 of [PA06] 4: PA on rows of norm 1 (normalised, under a Gaussian kernel, or uniclass), for any u,

        sum_t l_t² <= (||u|| + 2 sqrt(sum_t l*_t²))²

    ``comparator_losses`` is one a round, or the sum of their squares. ``R``, the norms of the rows, is 1 unless said
    otherwise or known to a comparator ``u``; rows that are not of norm 1 to within 1e-6 are a ValueError. What of that
    is left (float32 rows) is accounted for: with norms from r to R the proof gives (R ||u|| + 2 (R/r)² sqrt(...))².

    >>> print(pa_unit_norm(squared_loss=30.0, u=[3.0, 0.0], comparator_losses=[0.5, 0.0, 1.2]))
    squared loss 30 <= 31.36: holds
    """
    assumed = 1.0 if R is None and not isinstance(u, Comparator) else norms_of(u, R)
    norms = np.atleast_1d(arguments.numbers(assumed, "R"))
    off = np.flatnonzero(np.abs(norms - 1.0) > 1e-6)
    if len(off):
        row = f"row {off[0]} has norm" if len(norms) > 1 else "R is"
        raise ValueError(
            f"Theorem 3 is for rows of norm 1; {row} {norms[off[0]]:.9g}. For other rows there is pa2_squared_loss."
        )
    at_best = arguments.total_of_squares(losses_of(u, comparator_losses), "comparator_losses")
    widest, least = norms.max(initial=1.0), norms.min(initial=1.0)
    right = (widest * norm_of(u) + 2 * (widest / least) ** 2 * np.sqrt(at_best)) ** 2
    return Bound.of("squared loss", _squared_loss(squared_loss), right)


def pa1_mistakes(
    mistakes: Any, C: float, R: Rounds | None = None, u: Any = None, comparator_losses: Rounds | None = None
) -> Bound:
    """Theorem 4 of [PA06] 4: PA-I, for any u,

        mistakes <= max(R², 1/C) (||u||² + 2 C sum_t l*_t)

    ``mistakes`` is a report, true or false for each round, or their number; ``comparator_losses`` is l*_t of each round
    or their sum.

    For regression and uniclass the paper says "mistakes" too; what its proof counts are the rounds with a loss of at
    least 1: give ``losses >= 1`` (of a report they are counted). With losses above 0 it fails: x = 1, y = 0.1 and -0.1
    in turn, 60 rounds, epsilon 0:

    >>> y = np.tile([0.1, -0.1], 30)
    >>> print(pa1_mistakes(np.abs(y) >= 1, C=1.0, R=1.0, u=0.0, comparator_losses=np.abs(y)))
    mistakes 0 <= 12: holds
    >>> print(pa1_mistakes(np.abs(y) > 0, C=1.0, R=1.0, u=0.0, comparator_losses=np.abs(y)))
    mistakes 60 <= 12: does NOT hold
    """
    C = arguments.number(C, "C", above=0.0)
    at_best = arguments.total(losses_of(u, comparator_losses), "comparator_losses")
    widest = arguments.largest(norms_of(u, R), "R")
    what, missed = mistakes_of(mistakes, u)
    return Bound.of(what, missed, max(widest**2, 1 / C) * (norm_of(u) ** 2 + 2 * C * at_best))


def pa2_squared_loss(
    squared_loss: Any, C: float, R: Rounds | None = None, u: Any = None, comparator_losses: Rounds | None = None
) -> Bound:
    """Theorem 5 of [PA06] 4: PA-II, for any u,

        sum_t l_t² <= (R² + 1/(2C)) (||u||² + 2 C sum_t l*_t²)

    ``squared_loss`` is a report, the losses of each round, or the sum of their squares; ``comparator_losses`` is one a
    round, or the sum of their squares. C is [PA06]'s: that of [OL] is twice as large.

    >>> print(pa2_squared_loss(squared_loss=[1.0, 2.0], C=0.5, R=1.0, u=[1.0, 1.0], comparator_losses=[0.0, 1.0]))
    squared loss 5 <= 6: holds
    """
    return relaxed_squared_loss(squared_loss, 1 / (2 * arguments.number(C, "C", above=0.0)), R, u, comparator_losses)


def relaxed_squared_loss(
    squared_loss: Any, gamma: float, R: Rounds | None = None, u: Any = None, comparator_losses: Rounds | None = None
) -> Bound:
    """Theorem 3 of [PA03] 5: the relaxed update tau = l / (q + gamma), for any u,

        sum_t l_t² <= (gamma + B) ||u||² + (1 + B/gamma) sum_t l*_t²,    B = R²

    It is Theorem 5 of [PA06] with gamma = 1/(2C). The arguments are those of `pa2_squared_loss`.

    >>> print(relaxed_squared_loss(squared_loss=[1, 2], gamma=1.0, R=1.0, u=[1.0, 1.0], comparator_losses=[0, 1]))
    squared loss 5 <= 6: holds
    """
    gamma = arguments.number(gamma, "gamma", above=0.0)
    at_best = arguments.total_of_squares(losses_of(u, comparator_losses), "comparator_losses")
    B = arguments.largest(norms_of(u, R), "R") ** 2
    right = (gamma + B) * norm_of(u) ** 2 + (1 + B / gamma) * at_best
    return Bound.of("squared loss", _squared_loss(squared_loss), right)


def mistakes_of(mistakes: Any, u: Any) -> tuple[str, float]:
    """What is counted, and how often: mistakes, or in regression and uniclass rounds with a loss of at least 1."""
    if is_distance(mistakes, u):
        losses = getattr(mistakes, "losses", None)
        if losses is None:
            raise ValueError(
                "the theorem bounds the rounds with a loss of at least 1; the mistakes of this report are losses above "
                "0, as those of regression and uniclass are. Give losses >= 1, or their number"
            )
        return "rounds with a loss of at least 1:", float((np.asarray(losses) >= 1).sum())
    return "mistakes", arguments.count(arguments.figure(mistakes, "mistakes"), "mistakes")


def is_distance(mistakes: Any, u: Any) -> bool:
    """A report of regression or uniclass, whose mistakes are losses above 0."""
    if not arguments.is_report(mistakes):
        return False
    # A mistake of a classifier is a loss of at least 1, so that its loss cannot be below its mistakes.
    return (
        (isinstance(u, Comparator) and u.task in ("regression", "uniclass"))
        or getattr(mistakes, "absolute_error", None) is not None
        or mistakes.mistakes > getattr(mistakes, "loss", np.inf) * (1 + 1e-6)
    )


def _squared_loss(squared_loss: Any) -> float:
    return arguments.total_of_squares(arguments.figure(squared_loss, "squared_loss"), "squared_loss")
