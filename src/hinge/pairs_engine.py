# SPDX-License-Identifier: BSD-3-Clause
"""All pairs of labels under way: lanes as any, one a pair."""

from __future__ import annotations

from typing import Any

import numpy as np

from hinge.engine import LinearEngine
from hinge.spaces.all_pairs import PairLanes
from hinge.spaces.linear import LinearLanes, aligned


class PairsEngine(LinearEngine):
    """The space `AllPairs`. The machine's scores are the labels'; the lanes are the pairs'."""

    def __init__(
        self, task: Any, step: Any, focus: Any, dtype: Any, *, scoring: str, labels: int, width: int, intercept: float,
        average: bool,
    ) -> None:  # fmt: skip
        self.scoring = scoring
        # Numbers of duels won are no products with the hypothesis, so no dual value grows with them.
        self.proves = scoring == "linear"
        super().__init__(task, [step], focus, dtype, labels=labels, width=width, intercept=intercept, average=average)

    @property
    def pairs(self) -> int:
        """How many."""
        return self.labels * (self.labels - 1) // 2

    def scores_each(self) -> int:
        """A lane for each pair, and more than one, so that they are lanes."""
        return max(2, self.pairs)

    def score_lanes(self) -> int:
        """A score for each label."""
        return -(-max(2, self.labels) // 8) * 8

    def space(self) -> Any:
        """The pairs' lanes, and what makes scores of them."""
        lanes = LinearLanes(self.weights, self.bias, self.late, self.late_bias, self.state, self.lanes)
        duels, steps = aligned(self.lanes, self.dtype), aligned(self.lanes, self.dtype)
        return PairLanes(lanes, duels, steps, self.labels, int(self.scoring == "max-win"))

    def hypothesis(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """(weights (pairs, features), intercepts (pairs,)), averaged where that was asked for."""
        weights, intercepts = super().hypothesis()
        return weights[: self.pairs], intercepts[: self.pairs]
