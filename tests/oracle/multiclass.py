# SPDX-License-Identifier: BSD-3-Clause
"""Multiclass with one weight vector a label, [PA06] 7, over a set of labels that may grow at any round.

Constraints: w_r.x - w_s.x >= 1 for the true label r and every other s; z is x in block r and -x in block s, so its
squared norm is 2 ||x||^2. Focus "worst": the s of the highest score. Focus "predicted": the predicted label, if it is
another; [IW]'s multi-vector algorithm is that with the Perceptron's step. The first of tied labels wins.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from oracle.result import Pass, dual_growth, with_constant
from oracle.steps import Step


@dataclass(frozen=True)
class Labels:
    """Labels known from the start, in their order, and their weights if they have any: (n_labels, n_features + 1)."""

    known: tuple[Any, ...] = ()
    weights: Any = None  # the last column belongs to the constant feature


def multiclass(
    step: Step,
    X: Any,
    y: Any,
    *,
    focus: str = "worst",
    labels: Labels | None = None,
    weights: Any = None,
    b: float = 0.0,
) -> Pass:
    assert focus in ("worst", "predicted")
    labels = labels or Labels()
    rows = with_constant(X, b)
    importance = np.ones(len(rows)) if weights is None else weights
    classes = list(labels.known)
    start = np.zeros((len(classes), rows.shape[1])) if labels.weights is None else np.asarray(labels.weights, float)
    w = [vector.copy() for vector in start]
    result = Pass(start)
    seen = set(classes)
    for x, label, c in zip(rows, y, importance, strict=True):
        predicted = _highest([v @ x for v in w], without=None)
        result.predictions.append(None if predicted is None else classes[predicted])
        result.novel.append(label not in seen)
        if label not in seen:
            seen.add(label)
            classes.append(label)
            w.append(np.zeros(rows.shape[1]))
        scores = [v @ x for v in w]
        result.scores.append(np.array(scores))
        r = classes.index(label)
        rival = _highest(scores, without=r)
        if rival is None:  # one label alone poses no constraint
            result.losses.append(0.0)
            result.taus.append(0.0)
            continue
        result.losses.append(max(0.0, 1 - (scores[r] - scores[rival])))
        if focus == "predicted":
            rival = predicted
        margin = scores[r] - scores[rival]
        loss = max(0.0, 1 - margin)
        q = 2 * (x @ x)
        acts = loss > 0 and rival != r
        tau = step.tau(loss, q, c, margin <= 0) if acts else 0.0
        w[r] += tau * x
        w[rival] -= tau * x
        result.taus.append(tau)
        result.dual += dual_growth(step, tau, loss, q, c)
    table = np.array(w).reshape(len(classes), rows.shape[1])
    result.classes, result.weights, result.intercept = classes, table[:, :-1], table[:, -1] * b
    return result


def _highest(scores: list[float], without: int | None) -> int | None:
    """The first index of the highest score, leaving one out."""
    best = None
    for index, score in enumerate(scores):
        if index != without and (best is None or score > scores[best]):
            best = index
    return best
