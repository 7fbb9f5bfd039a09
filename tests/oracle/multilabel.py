# SPDX-License-Identifier: BSD-3-Clause
"""Multilabel, [PA06] 7, one weight vector a label: every relevant label r is to outrank every irrelevant s by 1.

Label sets: a calibration label joins the ranking, to be outranked by every relevant label and to outrank every
irrelevant one; it is the last of all in ties. The set predicted is what scores above it. Without it a round with no
relevant or no irrelevant label asks for nothing. Labels may appear at any time; a duplicate in a set is one label.

Focus "predicted": the constraint of "worst", if the ranking is wrong, where the first of equal scores stands higher.
With one relevant label that is the multiclass round.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from oracle.result import label_scores, with_constant
from oracle.simultaneous import Rounds
from oracle.steps import Step


@dataclass
class Rankings(Rounds):
    """``predictions``: the labels known, the best first; with a calibration label the list of those above it."""

    ranking_losses: list[float] = field(default_factory=list)
    one_errors: list[float] = field(default_factory=list)
    coverages: list[float] = field(default_factory=list)
    precisions: list[float] = field(default_factory=list)  # average precision
    calibration: Any = None  # its weights and intercept


def multilabel(step: Step, X: Any, truths: Sequence[Sequence[Any]], *, labels: Sequence[Any] = (), focus: str = "worst",
               calibrated: bool = False, weights: Any = None, b: float = 0.0) -> Rankings:  # fmt: skip
    rows = with_constant(X, b)
    importance = np.ones(len(rows)) if weights is None else weights
    n, classes = rows.shape[1], list(labels)
    w = np.zeros((len(classes) + 1) * n)  # the last block is the calibration label's
    result = Rankings(w)
    for x, truth, c in zip(rows, truths, importance, strict=True):
        result.predictions.append(_predicted(classes, label_scores(w.reshape(-1, n), x), calibrated))
        new = [label for label in dict.fromkeys(truth) if label not in classes]
        result.novel.append(bool(new))
        classes += new
        w = np.concatenate([w[:-n], np.zeros(n * len(new)), w[-n:]])
        k = len(classes)
        blocks = np.kron(np.eye(k + 1), x)
        scores = label_scores(w.reshape(-1, n), x)
        pairs = _pairs(relevant := {classes.index(label) for label in truth}, k, calibrated)
        z = np.array([blocks[r] - blocks[s] for r, s in pairs]).reshape(-1, len(w))
        margins = [scores[r] - scores[s] for r, s in pairs]
        wrong = any(scores[s] > scores[r] or (scores[s] == scores[r] and s < r) for r, s in pairs)
        result.scores.append(scores if calibrated else scores[:-1])
        for measure in ("ranking_losses", "one_errors", "coverages", "precisions"):
            getattr(result, measure).append(MEASURES[measure](scores[:-1], relevant))
        worst = int(np.argmax(1 - np.array(margins))) if wrong else None
        w = result.act(w, step, focus, z, 1.0, c, named=worst, margins=margins)
    table = w.reshape(-1, n)
    result.classes, result.weights, result.intercept = classes, table[:-1, :-1], table[:-1, -1] * b
    result.calibration = (table[-1, :-1], table[-1, -1] * b) if calibrated else None
    return result


def _pairs(relevant: set[int], k: int, calibrated: bool) -> list[tuple[int, int]]:
    """(higher, lower), in the order of the labels."""
    higher, lower = sorted(relevant), sorted(set(range(k)) - relevant)
    if calibrated:
        higher, lower = [*higher, k], [*lower, k]
    return [(r, s) for r in higher for s in lower if r != s]


def _predicted(classes: Sequence[Any], scores: np.ndarray, calibrated: bool) -> list[Any]:
    if calibrated:
        return [label for label, score in zip(classes, scores[:-1], strict=True) if score > scores[-1]]
    return [classes[r] for r in sorted(range(len(classes)), key=lambda r: (-scores[r], r))]


# Measures of a ranking (Schapire and Singer 2000). A tie is an error, as in every bound; a round without relevant
# labels, or without irrelevant ones, has no error to make.


def ranking_loss(scores: Sequence[float], relevant: set[int]) -> float:
    """The share of pairs (relevant, irrelevant) that are not in order."""
    pairs = _pairs(relevant, len(scores), False)
    return sum(scores[r] <= scores[s] for r, s in pairs) / len(pairs) if pairs else 0.0


def one_error(scores: Sequence[float], relevant: set[int]) -> float:
    """1 if the top label, the first of equals, is irrelevant."""
    return float(bool(relevant) and int(np.argmax(scores)) not in relevant)


def coverage(scores: Sequence[float], relevant: set[int]) -> float:
    """How many labels one has to read from the top to have met all relevant ones (Schapire and Singer: less 1)."""
    return float(max((sum(s >= scores[r] for s in scores) for r in relevant), default=0))


def average_precision(scores: Sequence[float], relevant: set[int]) -> float:
    """The mean over relevant labels of: the share of relevant ones among those that stand as high or higher."""
    if not relevant or len(relevant) == len(scores):
        return 1.0
    ranked = [[q for q in range(len(scores)) if scores[q] >= scores[r]] for r in relevant]
    return float(np.mean([sum(q in relevant for q in above) / len(above) for above in ranked]))


MEASURES = {
    "ranking_losses": ranking_loss,
    "one_errors": one_error,
    "coverages": coverage,
    "precisions": average_precision,
}
