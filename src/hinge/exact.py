# SPDX-License-Identifier: BSD-3-Clause
"""Focus Exact: all constraints of a round act jointly, as the round's own problem says,

    min_w  1/2 ||w - w_t||² + C xi    such that  w . z_j >= r_j - xi,  xi >= 0,

of which Violated and Mistaken are approximations ([SP06] 2). Its dual has a coefficient lambda_j >= 0 a constraint,
their sum at most C. With PA there is no cap, with PA2 the slack costs C xi², one slack for all.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from hinge.exact_any import ExactAny, memory_for
from hinge.focus import Share, Worst
from hinge.native import native

__all__ = ["Exact"]

#: So many times the bracket of `_meet` is made smaller at most; each time it at least halves.
HALVINGS = 200


class Exact(NamedTuple):
    """The round's problem is solved exactly, to rounding; in multiclass it is MIRA with ``margin`` as its beta.

    ``margin`` scales every margin that the task requires.
    """

    margin: float = 1.0

    def ready(self, task: Any, constraints: int = 1, alike: bool = True) -> Any:
        """What solves a round of this task: of rankings, a few passes; of any other ``constraints``, the general way.

        ``constraints`` is how many one round poses at most. ``alike`` says that all lanes hold the row itself, which
        is what makes rankings easy. A task of one constraint needs no more than Worst.
        """
        margin = float(self.margin)
        if alike and hasattr(task, "exact"):
            return task.exact(margin)
        if alike and hasattr(task, "is_relevant"):
            return ExactRanking(margin)
        return ExactAny(margin, memory_for(constraints)) if constraints > 1 else Worst()


@native
class ExactRanking(NamedTuple):
    """Every relevant label r is to outrank every other label s: w_r.x - w_s.x >= r_s.

    The problem falls apart into the sums a_r and b_s of the coefficients by label: with ||x||² = q it is

        max  sum_s b_s (w_s.x + r_s) - sum_r a_r w_r.x - q/2 (sum_r a_r² + sum_s b_s²) - give/2 S²,

    sum_r a_r = sum_s b_s = S <= cap, and its solution a_r = [alpha - w_r.x]+ / q, b_s = [w_s.x + r_s - beta]+ / q: two
    levels, found on piecewise linear functions, a few passes over the labels each.
    """

    margin: float

    def share(self, task: Any, step: Any, scores: Any, first: int, labels: int, truth: Any, prediction: Any, worst: Any,
              metric: Any, weight: float, coefficients: Any) -> Share:  # fmt: skip
        """Write the move's coefficients and tell what it was."""
        q = metric.q
        lowest, highest = math.inf, -math.inf
        for label in range(labels):
            score = float(scores[first + label])
            if task.is_relevant(truth, label):
                lowest = min(lowest, score)
            else:
                highest = max(highest, score + self.margin * task.required(truth, label))
        if not (highest > lowest and q > 0 and math.isfinite(highest - lowest)):
            return Share(0.0, 0.0)
        cap, give = step.cap(weight), step.give(weight)
        level = self._meet(task, scores, first, labels, truth, q, give, lowest, highest)
        total = self._sums(task, scores, first, labels, truth, level, level)[2] / q
        if total > cap:
            above, below = self._capped(task, scores, first, labels, truth, q * cap, lowest, highest)
        else:
            above, below = level - give * total, level
        lambdas, gain, norm = 0.0, 0.0, 0.0
        for label in range(labels):
            score = float(scores[first + label])
            if task.is_relevant(truth, label):
                a = max(0.0, above - score) / q
                coefficients[first + label] += a
                gain -= a * score
                norm += a * a
            else:
                score += self.margin * task.required(truth, label)
                b = max(0.0, score - below) / q
                coefficients[first + label] -= b
                gain += b * score
                norm += b * b
                lambdas += b
        return Share(lambdas, gain - 0.5 * q * norm)

    def _sums(self, task: Any, scores: Any, first: int, labels: int, truth: Any, above: float, below: float) -> Any:
        """(relevant labels under the level ``above``, the sum of [above - w_r.x]+; others over ``below``, likewise)."""
        under, over = 0, 0
        a, b = 0.0, 0.0
        for label in range(labels):
            score = float(scores[first + label])
            if task.is_relevant(truth, label):
                if score < above:
                    under += 1
                    a += above - score
            else:
                score += self.margin * task.required(truth, label)
                if score > below:
                    over += 1
                    b += score - below
        return under, a, b, over

    def _meet(self, task: Any, scores: Any, first: int, labels: int, truth: Any, q: float, give: float, lowest: float,
              highest: float) -> float:  # fmt: skip
        """The level beta where both sums are the same S, with alpha = beta - give S: without a cap."""
        low, high = lowest, highest
        rounding = 4e-16 * max(abs(lowest), abs(highest))
        beta = 0.5 * (low + high)
        for _ in range(HALVINGS):
            _, _, b, over = self._sums(task, scores, first, labels, truth, beta, beta)
            under, a, _, _ = self._sums(task, scores, first, labels, truth, beta - give * b / q, beta)
            excess = a - b
            if excess > 0:
                high = beta
            else:
                low = beta
            slope = under * (1.0 + give * over / q) + over
            following = beta - excess / slope if slope > 0 else low
            if abs(following - beta) <= rounding:
                break
            if not low < following < high:  # an end of the bracket is no solution: two of them may name each other
                following = 0.5 * (low + high)
            beta = following
        return beta

    def _capped(self, task: Any, scores: Any, first: int, labels: int, truth: Any, total: float, lowest: float,
                highest: float) -> Any:  # fmt: skip
        """The levels where each sum, times q, is ``total``: approached from the side where too many labels act."""
        above, below = lowest + total, highest - total
        for _ in range(HALVINGS):
            under, a, b, over = self._sums(task, scores, first, labels, truth, above, below)
            if under == 0 or over == 0:  # so little that it is lost in the scores' rounding
                break
            next_above, next_below = above - (a - total) / under, below + (b - total) / over
            if not (next_above < above or next_below > below):
                break
            above, below = min(above, next_above), max(below, next_below)
        return above, below
