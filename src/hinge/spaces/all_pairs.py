# SPDX-License-Identifier: BSD-3-Clause
"""All pairs of labels, a vector each ([IW] 4.1): w_ij for i against j, w_ji = -w_ij.

Label scores are h(i) = sum_j w_ij . x, or, Max-Win, the number of duels won, those with w_ij . x > 0. The pair i < j
has the lane j (j - 1) / 2 + i, so that the pairs of a new label come after all others.

A move of label coefficients c, which sum to 0, is the gradient's: w_ij += (c_i - c_j) x, since h(i) has w_ij with the
sign + and h(j) has it with the sign -. Two such moves have the inner product

    sum_{i<j} (c_i - c_j) (c'_i - c'_j) ||x||² = (k sum_i c_i c'_i - sum_i c_i sum_i c'_i) ||x||² = k ||x||² c . c',

so to every focus the space looks like one vector a label with ||x||² replaced by k ||x||². Hence also the equality with
the multi-vector algorithm: its vectors u_i sum to 0, w_ij = u_i - u_j, and h(i) = k u_i . x ([IW] Lemma 3).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hinge.focus import Alike
from hinge.native import native


class AllPairs(NamedTuple):
    """The space of one vector a pair of labels; ``scoring`` is "linear" or "max-win".

    >>> import hinge
    >>> clf = hinge.Classifier(hinge.Perceptron(), space=hinge.AllPairs("max-win"))
    >>> clf.fit([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]], ["a", "b", "c"]).coef_.shape
    (3, 2)
    """

    scoring: str = "linear"


@native
class PairLanes(NamedTuple):
    """``pairs`` are lanes as any, one a pair; ``duels`` and ``steps`` have room for a number each."""

    pairs: Any
    duels: Any
    steps: Any
    labels: int
    counts_wins: int

    def begin(self, row: Any) -> None:
        """Settle the intercept."""
        self.pairs.begin(row)

    def begun(self) -> float:
        """What `begin_not` is told."""
        return float(self.pairs.begun())

    def begin_not(self, row: Any, before: float) -> None:
        """Be again as before the row that turned out bad."""
        self.pairs.begin_not(row, before)

    def score(self, row: Any, scores: Any) -> float:
        """h into the scores; k (||x||² + b²)."""
        return self._judge(self.pairs.score(row, self.duels), scores)

    def score_mean(self, row: Any, scores: Any, scratch: Any, number: float) -> float:
        """As `score`, for the mean of the hypotheses of the ``number`` rounds so far."""
        return self._judge(self.pairs.score_mean(row, self.duels, self.steps, number), scores)

    def _judge(self, q: float, scores: Any) -> float:
        for label in range(self.labels):
            scores[label] = 0
        pair = 0
        for j in range(self.labels):
            for i in range(j):
                duel = self.duels[pair]
                if self.counts_wins > 0:
                    finite = duel - duel  # 0; or else NaN, which is to be seen
                    scores[i] += (1 if duel > 0 else 0) + finite
                    scores[j] += (1 if duel < 0 else 0) + finite
                else:
                    scores[i] += duel
                    scores[j] -= duel
                pair += 1
        return self.labels * float(q)

    def move(self, row: Any, coefficients: Any, number: float) -> None:
        """w_ij += (c_i - c_j) x."""
        pair = 0
        for j in range(self.labels):
            for i in range(j):
                self.steps[pair] = coefficients[i] - coefficients[j]
                pair += 1
        self.pairs.move(row, self.steps, number)
        self.steps[:] = 0

    def metric(self, row: Any, q: float) -> Alike:
        """As of one vector a label, with k ||x||²: see above."""
        return Alike(q)

    def after(self, row: Any, task: Any, truth: Any, labels: int) -> None:
        """The round is over; there is nothing to count."""

    def prefetch(self, row: Any) -> None:
        """Ask for the weights of a row to come."""
        self.pairs.prefetch(row)
