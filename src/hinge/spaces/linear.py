# SPDX-License-Identifier: BSD-3-Clause
"""Linear hypotheses: one alone, or lanes of them side by side.

The intercept is one more feature, of the constant value b, counted in ||x||² like any other; its weights are kept in
``bias``. b is ``state[0]``; NaN asks for ``intercept="auto"``: the root mean square of the non-zeros of the first
non-zero row the learner learns from. Where the average hypothesis is wanted, ``late`` collects every move times the
number of the round it was made in, so that the mean of w_1 .. w_n is w - late / n; else it is empty.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from hinge.focus import Alike
from hinge.native import compiled, native
from hinge.vectors import load, store, zeros

B = 0
#: So many weights lie near the processor anyway, once used: to ask for them costs more than it saves.
NEAR = 1 << 21


@compiled(inline=True)
def begin_with(row: Any, state: Any) -> None:
    """Settle the intercept's size on the first non-zero row."""
    if math.isnan(state[B]):
        q = float(row.sq_norm())
        if q > 0 and math.isfinite(q):
            state[B] = math.sqrt(q / row.size())


@compiled(inline=True)
def intercept_value(state: Any) -> float:
    """b; 0 as long as it is not settled."""
    return 0.0 if math.isnan(state[B]) else float(state[B])


@native
class LinearOne(NamedTuple):
    """One hypothesis: a plain array of weights, read and moved without any lane beside it."""

    weights: Any
    bias: Any
    late: Any
    late_bias: Any
    state: Any

    def begin(self, row: Any) -> None:
        """Called before a row to learn from is scored."""
        begin_with(row, self.state)

    def begun(self) -> float:
        """What `begin_not` is told: b before a row."""
        return float(self.state[B])

    def begin_not(self, row: Any, before: float) -> None:
        """Be again as before the row that turned out bad."""
        self.state[B] = before

    def score(self, row: Any, scores: Any) -> float:
        """w . x + bias b into the scores; ||x||² + b²."""
        score, q = row.dot(self.weights)
        b = intercept_value(self.state)
        scores[0] = score + self.bias[0] * self.bias.dtype.type(b)
        return float(q) + b * b

    def score_mean(self, row: Any, scores: Any, scratch: Any, number: float) -> float:
        """As `score`, for the mean of the hypotheses of the ``number`` rounds so far."""
        q = self.score(row, scores)
        late, _ = row.dot(self.late)
        late += self.late_bias[0] * self.bias.dtype.type(intercept_value(self.state))
        scores[0] -= late / self.bias.dtype.type(number)
        return q

    def move(self, row: Any, coefficients: Any, number: float) -> None:
        """w += coefficient x."""
        step = float(coefficients[0])
        b = intercept_value(self.state)
        row.add_to(self.weights, step)
        self.bias[0] += self.bias.dtype.type(step * b)
        if self.late.size > 0:
            row.add_to(self.late, step * number)
            self.late_bias[0] += self.bias.dtype.type(step * number * b)

    def metric(self, row: Any, q: float) -> Alike:
        """Every constraint's instance is the row."""
        return Alike(q)

    def after(self, row: Any, task: Any, truth: Any, labels: int) -> None:
        """The round is over; there is nothing to count."""

    def prefetch(self, row: Any) -> None:
        """Ask for the weights of a row to come."""
        if self.weights.size > NEAR:
            row.prefetch(self.weights, 1)


@native
class LinearLanes(NamedTuple):
    """Hypotheses side by side, feature-major; the number of lanes is a multiple of 8."""

    weights: Any
    bias: Any
    late: Any
    late_bias: Any
    state: Any
    lanes: int

    def begin(self, row: Any) -> None:
        """Called before a row to learn from is scored."""
        begin_with(row, self.state)

    def begun(self) -> float:
        """What `begin_not` is told: b before a row."""
        return float(self.state[B])

    def begin_not(self, row: Any, before: float) -> None:
        """Be again as before the row that turned out bad."""
        self.state[B] = before

    def score(self, row: Any, scores: Any) -> float:
        """w_l . x + bias_l b for all lanes into the scores; ||x||² + b²."""
        self._dots(row, self.weights, self.bias, scores)
        b = intercept_value(self.state)
        return float(row.sq_norm()) + b * b

    def score_mean(self, row: Any, scores: Any, scratch: Any, number: float) -> float:
        """As `score`, for the mean of the hypotheses of the ``number`` rounds so far."""
        self._dots(row, self.late, self.late_bias, scratch)
        q = self.score(row, scores)
        for lane in range(self.lanes):
            scores[lane] -= scratch[lane] / self.bias.dtype.type(number)
            scratch[lane] = 0
        return q

    def _dots(self, row: Any, weights: Any, bias: Any, scores: Any) -> None:
        lane = 0
        while lane < self.lanes:
            left = self.lanes - lane
            if left >= 32:
                store(scores, lane, row.dot_panel(weights, self.lanes, lane, zeros(scores, 32)))
                lane += 32
            elif left == 24:
                store(scores, lane, row.dot_panel(weights, self.lanes, lane, zeros(scores, 24)))
                lane += 24
            elif left == 16:
                store(scores, lane, row.dot_panel(weights, self.lanes, lane, zeros(scores, 16)))
                lane += 16
            else:
                store(scores, lane, row.dot_panel(weights, self.lanes, lane, zeros(scores, 8)))
                lane += 8
        b = bias.dtype.type(intercept_value(self.state))
        for lane in range(self.lanes):
            scores[lane] += bias[lane] * b

    def move(self, row: Any, coefficients: Any, number: float) -> None:
        """w_l += coefficient_l x for every lane with a coefficient; few lanes are moved one by one."""
        b = self.bias.dtype.type(intercept_value(self.state))
        moved = 0
        for lane in range(self.lanes):
            if coefficients[lane] != 0:
                moved += 1
                self.bias[lane] += coefficients[lane] * b
        self._move(row, self.weights, coefficients, moved)
        if self.late.size > 0:
            for lane in range(self.lanes):
                coefficients[lane] *= self.bias.dtype.type(number)
                self.late_bias[lane] += coefficients[lane] * b
            self._move(row, self.late, coefficients, moved)

    def _move(self, row: Any, weights: Any, coefficients: Any, moved: int) -> None:
        if moved <= 3:
            for lane in range(self.lanes):
                if coefficients[lane] != 0:
                    row.add_to_lane(weights, self.lanes, lane, float(coefficients[lane]))
            return
        lane = 0
        while lane < self.lanes:
            left = self.lanes - lane
            if left >= 32:
                row.add_to_panel(weights, self.lanes, lane, load(coefficients, lane, zeros(coefficients, 32)))
                lane += 32
            elif left == 24:
                row.add_to_panel(weights, self.lanes, lane, load(coefficients, lane, zeros(coefficients, 24)))
                lane += 24
            elif left == 16:
                row.add_to_panel(weights, self.lanes, lane, load(coefficients, lane, zeros(coefficients, 16)))
                lane += 16
            else:
                row.add_to_panel(weights, self.lanes, lane, load(coefficients, lane, zeros(coefficients, 8)))
                lane += 8

    def metric(self, row: Any, q: float) -> Alike:
        """Every constraint's instance is the row."""
        return Alike(q)

    def after(self, row: Any, task: Any, truth: Any, labels: int) -> None:
        """The round is over; there is nothing to count."""

    def prefetch(self, row: Any) -> None:
        """Ask for the weights of a row to come."""
        row.prefetch(self.weights, self.lanes)


def lanes_for(labels: int, contenders: int, room: int = 0) -> tuple[int, int]:
    """(all lanes, lanes of one contender) for so many score lanes a contender: 1, or a multiple of 8."""
    if labels == 1:
        return (1, 1) if contenders == 1 else (-(-contenders // 8) * 8, 1)
    stride = -(-max(labels, room) // 8) * 8
    return stride * contenders, stride


def aligned(size: int, dtype: Any) -> np.ndarray[Any, Any]:
    """Zeros that begin on a cache line."""
    kind = np.dtype(dtype)
    memory = np.zeros(size * kind.itemsize + 64, np.uint8)
    start = -memory.__array_interface__["data"][0] % 64
    return memory[start : start + size * kind.itemsize].view(kind)


class Linear(NamedTuple):
    """The space of linear hypotheses, one weight a feature and lane: what ``space=None`` means."""
