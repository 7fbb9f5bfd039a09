# SPDX-License-Identifier: BSD-3-Clause
"""One weight vector and thresholds, learnt as one vector (w, b) from instances (x, -e_j) ([SP06] 3).

A rank that appears late gets a threshold that changes no prediction: in between, its neighbour's once more, so that the
new rank has no room until learning makes some; at an end, an infinite one. It stays so until a row is learnt from, and
is then placed by it: at the row's score, or at the next threshold if that is farther out.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from hinge.native import native

#: How many thresholds are infinite, at the lower end and at the upper.
LOWER, UPPER = range(2)


@native
class BetweenThresholds(NamedTuple):
    """The metric of instances (x, -e_j), each up or down: ||z||² = ||x||² + 1, and two share ||x||²."""

    q: float

    def sq_norm(self, constraint: Any) -> float:
        """||z||²."""
        return self.q + 1.0

    def inner(self, one: Any, other: Any) -> float:
        """The inner product of two constraints' instances."""
        same = self.q + (1.0 if max(one.up, one.down) == max(other.up, other.down) else 0.0)
        return same if (one.up >= 0) == (other.up >= 0) else -same

    def sq_move(self, coefficients: Any, first: int, lanes: int) -> float:
        """||sum_j lambda_j z_j||² = (sum c)² ||x||² + sum c²."""
        total, squares = 0.0, 0.0
        for lane in range(first + 1, first + lanes):
            total += float(coefficients[lane])
            squares += float(coefficients[lane]) * float(coefficients[lane])
        return total * total * self.q + squares


@native
class LinearOrdinal(NamedTuple):
    """``vectors`` has a hypothesis w for each contender; ``thresholds`` lie as the scores do, ``stride`` apart."""

    vectors: Any
    projections: Any  # w . x of each contender
    pulls: Any
    thresholds: Any
    infinite: Any
    stride: int
    contenders: int
    borders: int

    def begun(self) -> Any:
        """What `begin_not` is told: how many thresholds were infinite before a row."""
        return self.infinite[LOWER], self.infinite[UPPER]

    def begin(self, row: Any) -> None:
        """Place the thresholds that are infinite, so that the prediction for this very row is still the same."""
        lower, upper = int(self.infinite[LOWER]), int(self.infinite[UPPER])
        if lower + upper == 0:
            return
        self.vectors.score(row, self.projections)
        for c in range(self.contenders):
            if not math.isfinite(self.projections[c]):
                return
        thresholds = self.thresholds
        for c in range(self.contenders):
            low, high = self.projections[c], self.projections[c]
            lowest = c * self.stride + 1 + lower
            highest = c * self.stride + self.borders - upper
            if lowest <= highest:
                low, high = min(low, thresholds[lowest]), max(high, thresholds[highest])
            high = np.nextafter(high, thresholds.dtype.type(math.inf))  # the row itself stays below
            for j in range(lower):
                thresholds[c * self.stride + 1 + j] = low
            for j in range(upper):
                thresholds[c * self.stride + self.borders - j] = high
        self.infinite[LOWER] = 0
        self.infinite[UPPER] = 0

    def begin_not(self, row: Any, before: Any) -> None:
        """Be again as before the row that turned out bad."""
        self.infinite[LOWER], self.infinite[UPPER] = before[LOWER], before[UPPER]
        for c in range(self.contenders):
            for j in range(int(before[LOWER])):
                self.thresholds[c * self.stride + 1 + j] = -math.inf
            for j in range(int(before[UPPER])):
                self.thresholds[c * self.stride + self.borders - j] = math.inf

    def score(self, row: Any, scores: Any) -> float:
        """w . x and w . x - b_j into the scores; ||x||²."""
        q = self.vectors.score(row, self.projections)
        for c in range(self.contenders):
            first = c * self.stride
            projection = self.projections[c]
            scores[first] = projection
            for lane in range(first + 1, first + 1 + self.borders):
                scores[lane] = projection - self.thresholds[lane]
        return float(q)

    def score_mean(self, row: Any, scores: Any, scratch: Any, number: float) -> float:
        """Hypotheses with thresholds are not averaged."""
        return self.score(row, scores)

    def move(self, row: Any, coefficients: Any, number: float) -> None:
        """w += (sum_j c_j) x, b_j -= c_j."""
        for c in range(self.contenders):
            first = c * self.stride
            pull = 0.0
            for lane in range(first + 1, first + 1 + self.borders):
                pull += float(coefficients[lane])
                self.thresholds[lane] -= coefficients[lane]
            self.pulls[c] = pull
        self.vectors.move(row, self.pulls, number)

    def metric(self, row: Any, q: float) -> BetweenThresholds:
        """Thresholds count in the norm."""
        return BetweenThresholds(q)

    def after(self, row: Any, task: Any, truth: Any, labels: int) -> None:
        """The round is over; there is nothing to count."""

    def prefetch(self, row: Any) -> None:
        """Ask for the weights of a row to come."""
        self.vectors.prefetch(row)
