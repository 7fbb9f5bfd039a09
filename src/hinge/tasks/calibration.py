# SPDX-License-Identifier: BSD-3-Clause
"""Focus Exact for label sets: the round's own problem where a calibration label stands between two sides.

Relevant labels r score u_r, others v_s, the calibration label c; every pair (r, s), (r, c) and (c, s) asks for the
margin g. Of the coefficients of all pairs only sums by label count: a_r, with the sum A, b_s, with the sum B, and the
calibration label moves by B - A. Where the pairs (r, s) themselves have P of it, all coefficients sum to S = A + B - P,
and 0 <= P <= min(A, B) is all that is asked of P. So the dual of the round's problem, with q = ||x||², is

    max  g S - give/2 S² - sum_r a_r u_r + sum_s b_s v_s - c (B - A) - q/2 (sum_r a_r² + sum_s b_s² + (B - A)²)
    over a, b >= 0,  max(A, B) <= S <= A + B,  S <= cap.

(PA2's slack is one for the whole round, give/2 S² its price; PA and PA1 have give = 0.) Stationary in a and b are
a_r = [alpha - u_r]+ / q and b_s = [v_s - beta]+ / q: after the move no relevant label scores less than alpha, no other
more than beta, and the calibration label scores c' = c + q (B - A). Let d be the margin that every pair then has, g
less the slack. With multipliers of the three constraints on S the other conditions say:

    d > 0   alpha = c' + d and beta = c' - d: the pairs with the calibration label act, and S = A + B;
    d = 0   alpha = c' = beta, and S is anything from max(A, B) to A + B;
    d < 0   beta - alpha = -d, alpha <= c' <= beta: pairs (r, s) act as well and S = max(A, B). c' = c as long as
            A = B; else c' is beta, if A is larger, or alpha, if B is.

As d rises from the margin of the worst pair, where nothing moves, alpha rises and beta falls, both piecewise linear,
and so does S. The solution lies where S meets cap, or d meets g - give S. The path is followed from bend to bend: a
label joins in, c' leaves c, or d passes 0. Each is met once, so that a round takes k log k for k labels that act.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from hinge.focus import Share
from hinge.heaps import heapify, pop
from hinge.native import native

#: Where on the path: d < 0 with c' = c, c' = beta or c' = alpha; d > 0.
BETWEEN, AT_BETA, AT_ALPHA, POSITIVE = range(4)


@native
class ExactCalibrated(NamedTuple):
    """All pairs of a round, those with the calibration label too, act jointly; ``margin`` is what each asks for."""

    margin: float

    def share(self, task: Any, step: Any, scores: Any, first: int, labels: int, truth: Any, prediction: Any, worst: Any,
              metric: Any, weight: float, coefficients: Any) -> Share:  # fmt: skip
        """Write the move's coefficients and tell what it was."""
        q, keys = metric.q, task.keys
        if worst.up < 0 or not worst.margin < self.margin or not q > 0:
            return Share(0.0, 0.0)
        relevant, others = truth.relevant, truth.labels - truth.relevant
        for i in range(relevant):
            keys[i] = float(scores[first + task.upper[i]])
        for i in range(others):
            keys[relevant + i] = -float(scores[first + task.lower[i]])
        heapify(keys, 0, relevant)
        heapify(keys, relevant, others)
        c = float(scores[first])
        alpha, beta, A, B, S = self._follow(keys, relevant, others, c, worst.margin, q, step.cap(weight),
                                            step.give(weight))  # fmt: skip
        if not math.isfinite(S):
            return Share(math.inf, 0.0)  # too large a move: the round is refused
        if S == 0:
            return Share(0.0, 0.0)
        # A and B are sums of the path's pieces; differences of levels and scores, which nearly cancel where C is small,
        # only say how to share them. Where nothing is left of these, all that act share equally.
        a, b = 0.0, 0.0
        acting, opposed = 0, 0
        for i in range(relevant):
            difference = alpha - float(scores[first + task.upper[i]])
            a += max(0.0, difference)
            acting += difference >= 0
        for i in range(others):
            difference = float(scores[first + task.lower[i]]) - beta
            b += max(0.0, difference)
            opposed += difference >= 0
        gain, norm = self.margin * S - c * (B - A), (B - A) * (B - A)
        for i in range(relevant):
            score = float(scores[first + task.upper[i]])
            if score <= alpha and A > 0:
                part = A * ((alpha - score) / a if a > 0 else 1.0 / acting)
                coefficients[first + task.upper[i]] += part
                gain -= part * score
                norm += part * part
        for i in range(others):
            score = float(scores[first + task.lower[i]])
            if score >= beta and B > 0:
                part = B * ((score - beta) / b if b > 0 else 1.0 / opposed)
                coefficients[first + task.lower[i]] -= part
                gain += part * score
                norm += part * part
        coefficients[first] += B - A
        return Share(S, gain - 0.5 * q * norm)

    def _follow(self, keys: Any, relevant: int, others: int, c: float, d: float, q: float, cap: float,
                give: float) -> Any:  # fmt: skip
        """(alpha, beta, A, B, S) at the end of the path, from two heaps of u_r and of -v_s."""
        alpha, beta, where = c + d, c - d, POSITIVE
        if d < 0:
            where = BETWEEN
            alpha, beta = c, c
            if relevant > 0:
                alpha = min(c, keys[0])
            if others > 0:
                beta = max(c, -keys[relevant])
            if not beta > c:
                where = AT_BETA
            elif not alpha < c:
                where = AT_ALPHA
        A, B, S = 0.0, 0.0, 0.0
        acting, opposed = 0, 0  # relevant labels below alpha, others above beta
        while True:
            if acting < relevant and keys[0] <= alpha:
                acting += 1
                pop(keys, 0, relevant - acting + 1)
                continue
            if opposed < others and -keys[relevant] >= beta:
                opposed += 1
                pop(keys, relevant, others - opposed + 1)
                continue
            both = acting + opposed + 1.0
            # How fast alpha rises, beta falls and S rises with d.
            if where == BETWEEN:
                rise, fall = opposed / (both - 1.0), acting / (both - 1.0)
            elif where == AT_BETA:
                rise, fall = (1.0 + opposed) / both, acting / both
            elif where == AT_ALPHA:
                rise, fall = opposed / both, (1.0 + acting) / both
            else:
                rise, fall = (1.0 + 2.0 * opposed) / both, (1.0 + 2.0 * acting) / both
            A_rate, B_rate = acting * rise / q, opposed * fall / q
            if where == BETWEEN:
                B_rate = A_rate  # to the last bit: the calibration label stays where it is
            if where == POSITIVE:
                S_rate = A_rate + B_rate
            elif where == AT_ALPHA:
                S_rate = B_rate
            else:
                S_rate = A_rate
            # What comes first: the end, the next label, or the next bend of c'.
            way = (self.margin - d - give * S) / (1.0 + give * S_rate)
            event = 0
            if S_rate > 0 and (cap - S) / S_rate < way:
                way = (cap - S) / S_rate
            if acting < relevant and rise > 0 and (keys[0] - alpha) / rise < way:
                way, event = (keys[0] - alpha) / rise, 1
            if opposed < others and fall > 0 and (beta + keys[relevant]) / fall < way:
                way, event = (beta + keys[relevant]) / fall, 2
            if where == BETWEEN and (c - alpha) / rise < way:
                way, event = (c - alpha) / rise, 3
            if where == BETWEEN and (beta - c) / fall < way:
                way, event = (beta - c) / fall, 4
            if where != POSITIVE and -d < way:
                way, event = -d, 5
            way = max(0.0, way)
            d += way
            alpha += rise * way
            beta -= fall * way
            A += A_rate * way
            B += B_rate * way
            S += S_rate * way
            if event == 0:
                break
            if event == 1:
                alpha = keys[0]
            elif event == 2:
                beta = -keys[relevant]
            elif event == 3:
                alpha, where = c, AT_ALPHA
            elif event == 4:
                beta, where = c, AT_BETA
            else:
                d, where = 0.0, POSITIVE
                most = cap if give == 0 else min(cap, self.margin / give)
                if most < A + B:
                    S = most
                    break
                S = A + B
        return alpha, beta, A, B, S
