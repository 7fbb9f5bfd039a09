# SPDX-License-Identifier: BSD-3-Clause
"""Ordinal regression, [SP06] 3: a score w.x and thresholds b_1 .. b_{k-1}, learnt as one vector (w, b).

Instance j is (x, -e_j), to be positive for j below the rank and negative from the rank on; ||z_j||^2 = ||x||^2 + 1.
The predicted rank is the least i with w.x < b_i, or the last. Thresholds may cross: a wrong rank implies a mistaken
constraint, but a mistaken constraint no wrong rank. Focus "predicted": the threshold between the predicted rank and the
next one on the true rank's side. The thresholds do what an intercept would: there is none.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from oracle.simultaneous import Rounds
from oracle.steps import Step


def ordinal(
    step: Step, X: Any, y: Any, ranks: Sequence[Any], *, focus: str = "violated", weights: Any = None
) -> Rounds:
    """``ranks``: in their order. After the last round ``intercept`` holds the thresholds."""
    rows = np.asarray(X, float)
    importance = np.ones(len(rows)) if weights is None else weights
    ranks = list(ranks)
    k, d = len(ranks), rows.shape[1]
    w = np.zeros(d + k - 1)
    result = Rounds(w, classes=ranks)
    for x, rank, c in zip(rows, y, importance, strict=True):
        score, thresholds = w[:d] @ x, w[d:]
        predicted = next((i for i in range(k - 1) if score < thresholds[i]), k - 1)
        true = ranks.index(rank)
        signs = np.where(np.arange(k - 1) < true, 1.0, -1.0)
        z = signs[:, None] * np.hstack([np.tile(x, (k - 1, 1)), -np.eye(k - 1)])
        named = None if predicted == true else predicted if predicted < true else predicted - 1
        result.scores.append(score)
        result.predictions.append(ranks[predicted])
        w = result.act(w, step, focus, z, 1.0, c, named=named)
    result.weights, result.intercept = w[:d], w[d:]
    return result
