# SPDX-License-Identifier: BSD-3-Clause
"""A centre among the rows, for uniclass: w + tau (x - w) / ||x - w|| ([PA06] 6, [PA03]).

The centre is kept as scale * v, and ||w||² by recurrence, so that a move costs what the row's non-zeros cost. To learn
the radius, every row gets one more coordinate, 0, and the centre starts at the bound B there: the ball of radius B in
that larger space cuts a ball of radius sqrt(B² - w_{n+1}²) out of the rows' own, which starts at 0 and never shrinks.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from hinge.focus import Alike
from hinge.native import native

# What the state holds.
SCALE, SQ_NORM, EXTRA, RADIUS, STARTED = range(5)
#: ``state[STARTED]``: start at the first row, start at 0 (and learn the radius), or under way.
AT_FIRST_ROW, AT_ZERO, UNDER_WAY = 0.0, 1.0, 2.0
SMALLEST_SCALE = 1e-100


@native
class Centre(NamedTuple):
    """``state[RADIUS]`` is the radius, or the bound B where it is learnt; NaN: B is twice the first row's norm."""

    weights: Any
    state: Any

    def begin(self, row: Any) -> None:
        """Settle an open bound, and where the centre starts."""
        state = self.state
        if state[STARTED] == UNDER_WAY:
            return
        q = float(row.sq_norm())
        if not math.isfinite(q):
            return
        if math.isnan(state[RADIUS]):
            if q == 0:
                return
            state[RADIUS] = 2.0 * math.sqrt(q)
            state[EXTRA] = state[RADIUS]
        if state[STARTED] == AT_FIRST_ROW:
            row.add_to(self.weights, 1.0)
            state[SQ_NORM] = q
        state[STARTED] = UNDER_WAY

    def begun(self) -> float:
        """What `begin_not` is told: how things stand before a row, 3 more while the bound is open."""
        return float(self.state[STARTED]) + (3.0 if math.isnan(self.state[RADIUS]) else 0.0)

    def begin_not(self, row: Any, before: float) -> None:
        """Be again as before the row that turned out bad."""
        state = self.state
        if before >= 3.0:
            state[RADIUS] = math.nan
            state[EXTRA] = 0.0
            before -= 3.0
        if before == AT_FIRST_ROW and state[STARTED] == UNDER_WAY:
            row.add_to(self.weights, -1.0)
            state[SQ_NORM] = 0.0
        state[STARTED] = before

    def score(self, row: Any, scores: Any) -> float:
        """(distance - radius in the larger space, radius - distance among the rows); the squared norm, 1."""
        state = self.state
        dot, q = row.dot(self.weights)
        squared = max(0.0, state[SQ_NORM] - 2.0 * state[SCALE] * float(dot) + float(q))
        if not math.isfinite(float(q)):
            return math.inf
        if math.isnan(state[RADIUS]):
            scores[0] = 0.0
            scores[1] = -math.sqrt(squared)
            return 0.0
        extra = state[EXTRA]
        distance = math.sqrt(squared + extra * extra)
        scores[0] = distance - state[RADIUS]
        scores[1] = math.sqrt(max(0.0, state[RADIUS] * state[RADIUS] - extra * extra)) - math.sqrt(squared)
        return 1.0 if distance > 0 else 0.0

    def score_mean(self, row: Any, scores: Any, scratch: Any, number: float) -> float:
        """A centre is not averaged."""
        return self.score(row, scores)

    def move(self, row: Any, coefficients: Any, number: float) -> None:
        """w + tau (x - w) / ||x - w||; the distance is read off again, it is what the loss was made of."""
        state = self.state
        tau = float(coefficients[0])
        dot, q = row.dot(self.weights)
        dot = state[SCALE] * float(dot)
        extra = state[EXTRA]
        distance = math.sqrt(max(0.0, state[SQ_NORM] - 2.0 * dot + float(q)) + extra * extra)
        share = tau / distance
        keep = 1.0 - share
        state[SQ_NORM] = max(0.0, keep * keep * state[SQ_NORM] + 2.0 * keep * share * dot + share * share * float(q))
        state[EXTRA] = keep * extra
        if abs(state[SCALE] * keep) < SMALLEST_SCALE:
            for j in range(self.weights.size):
                self.weights[j] *= state[SCALE] * keep
            state[SCALE] = 1.0
        else:
            state[SCALE] *= keep
        row.add_to(self.weights, share / state[SCALE])

    def metric(self, row: Any, q: float) -> Alike:
        """The instance points from the centre to the row, with norm 1."""
        return Alike(q)

    def after(self, row: Any, task: Any, truth: Any, labels: int) -> None:
        """The round is over; there is nothing to count."""

    def prefetch(self, row: Any) -> None:
        """Ask for the weights of a row to come."""
        row.prefetch(self.weights, 1)
