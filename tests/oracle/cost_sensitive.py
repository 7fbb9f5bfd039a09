# SPDX-License-Identifier: BSD-3-Clause
"""Cost-sensitive multiclass, [PA06] 8, one weight vector a label: w_y.x - w_r.x >= sqrt(rho(y, r)) for every r but y.

Focus "predicted" is the prediction-based update, "worst" the max-loss update. (The paper's eqs 44 and 51 mean w.)
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from oracle.result import label_scores, with_constant
from oracle.simultaneous import Rounds
from oracle.steps import Step


def cost_sensitive(step: Step, X: Any, y: Any, costs: Any, *, labels: Sequence[Any] | None = None,
                   focus: str = "worst", weights: Any = None, b: float = 0.0) -> Rounds:  # fmt: skip
    """``costs[i][j]``: of predicting the j-th label where the i-th is true. ``losses`` are those of max-loss."""
    costs = np.asarray(costs, float)
    assert (costs >= 0).all()
    assert not np.diag(costs).any()
    k = len(costs)
    labels = list(range(k)) if labels is None else list(labels)
    rows = with_constant(X, b)
    importance = np.ones(len(rows)) if weights is None else weights
    w = np.zeros(k * rows.shape[1])
    result = Rounds(w, classes=labels)
    for x, label, c in zip(rows, y, importance, strict=True):
        blocks = np.kron(np.eye(k), x)
        true = labels.index(label)
        scores = label_scores(w.reshape(k, -1), x)
        predicted = int(np.argmax(scores))
        rivals = [r for r in range(k) if r != true]
        result.scores.append(scores)
        result.predictions.append(labels[predicted])
        result.costs.append(costs[true, predicted])
        named = rivals.index(predicted) if predicted != true else None
        required = np.sqrt(costs[true, rivals])
        z, margins = blocks[true] - blocks[rivals], scores[true] - scores[rivals]
        w = result.act(w, step, focus, z, required, c, named=named, margins=margins)
    table = w.reshape(k, -1)
    result.weights, result.intercept = table[:, :-1], table[:, -1] * b
    return result


def costs_of_pairs(labels: Sequence[Any], pairs: Mapping[tuple[Any, Any], float]) -> np.ndarray:
    """(true, predicted) -> cost; pairs that are not named cost 1."""
    return np.array([[0.0 if r == s else pairs.get((r, s), 1.0) for s in labels] for r in labels])


def costs_of_tree(labels: Sequence[Any], parent: Mapping[Any, Any]) -> np.ndarray:
    """How many edges lie between two labels of a tree, each node but the root with its parent (Dekel et al. 2004)."""

    def ancestors(node: Any) -> list[Any]:
        path = [node]
        while path[-1] in parent:
            path.append(parent[path[-1]])
        return path

    def distance(r: Any, s: Any) -> int:
        up, down = ancestors(r), ancestors(s)
        meeting = next(node for node in up if node in down)
        return up.index(meeting) + down.index(meeting)

    return np.array([[float(distance(r, s)) for s in labels] for r in labels])
