# SPDX-License-Identifier: BSD-3-Clause
"""Label-dependent features Phi(x, r), [PA06] 7: one vector for all labels, z_{r,s} = Phi(x, r) - Phi(x, s).

``shared`` adds one vector a label (Fink et al. in [IW] 4): score v.Phi(x, r) + w_r.x, so the squared norms add. The
constant feature of value b belongs to x; among Phi it would cancel. Features may learn from the stream: each round's
are taken before its truth is shown.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from oracle.result import label_scores, with_constant
from oracle.simultaneous import Rounds
from oracle.steps import Step


class Features(Protocol):
    def features(self, x: np.ndarray, label: Any) -> np.ndarray: ...

    def learn(self, x: np.ndarray, truth: Sequence[Any]) -> None: ...


def joint(step: Step, X: Any, truths: Sequence[Sequence[Any]], features: Features, *, size: int,
          labels: Sequence[Any] = (), focus: str = "worst", shared: bool = False, weights: Any = None,
          b: float = 0.0) -> Rounds:  # fmt: skip
    """``size``: of Phi. The result's ``weights`` are v, its ``intercept`` the labels' own vectors, constant last."""
    X = np.asarray(X, float)
    rows = with_constant(X, b)
    importance = np.ones(len(rows)) if weights is None else weights
    classes = list(labels)
    v, table = np.zeros(size), np.zeros((len(classes), rows.shape[1]))
    result = Rounds(v)
    for plain, x, truth, c in zip(X, rows, truths, importance, strict=True):
        known = len(classes)
        classes += [label for label in dict.fromkeys(truth) if label not in classes]
        k = len(classes)
        result.novel.append(k > known)
        phi = np.array([features.features(plain, label) for label in classes], float).reshape(k, size)
        table = np.vstack([table, np.zeros((k - known, rows.shape[1]))])
        everything = np.hstack([phi, np.kron(np.eye(k), x)]) if shared else phi
        w = np.concatenate([v, table.ravel()]) if shared else v
        scores = label_scores(everything, w)
        result.scores.append(scores)
        result.predictions.append(classes[int(np.argmax(scores[:known]))] if known else None)
        relevant = [r for r in range(k) if classes[r] in truth]
        pairs = [(r, s) for r in relevant for s in range(k) if s not in relevant]
        z = np.array([everything[r] - everything[s] for r, s in pairs]).reshape(-1, len(w))
        wrong = any(scores[s] > scores[r] or (scores[s] == scores[r] and s < r) for r, s in pairs)
        margins = [scores[r] - scores[s] for r, s in pairs]
        worst = int(np.argmax(1 - np.array(margins))) if wrong else None
        w = result.act(w, step, focus, z, 1.0, c, named=worst, margins=margins)
        v, table = w[:size], (w[size:].reshape(table.shape) if shared else table)
        features.learn(plain, truth)
    result.classes, result.weights = classes, v
    result.intercept = table if shared else 0.0
    return result


class Gates:
    """Phi_j(x, r) = x_j g[j, r], with g a matrix."""

    def __init__(self, g: Any, labels: Sequence[Any]) -> None:
        self.column = {label: np.asarray(g, float)[:, r] for r, label in enumerate(labels)}

    def features(self, x: np.ndarray, label: Any) -> np.ndarray:
        return x * self.column[label]

    def learn(self, x: np.ndarray, truth: Sequence[Any]) -> None:
        pass


class Blocks:
    """x in the label's block: single-prototype that is multi-prototype."""

    def __init__(self, labels: Sequence[Any]) -> None:
        self.labels = list(labels)

    def features(self, x: np.ndarray, label: Any) -> np.ndarray:
        return np.kron(np.eye(len(self.labels))[self.labels.index(label)], x)

    def learn(self, x: np.ndarray, truth: Sequence[Any]) -> None:
        pass


class Mail:
    """[SP06] 6: 2 tf_j if word j was in at least a fifth of the messages filed in r so far, -tf_j if in fewer than 2%.

    Else 0, and 0 in an empty folder. In integers: 5 n >= N, 50 n < N.
    """

    def __init__(self) -> None:
        self.filed: list[tuple[np.ndarray, set[Any]]] = []

    def features(self, x: np.ndarray, label: Any) -> np.ndarray:
        folder = [message for message, truth in self.filed if label in truth]
        N = len(folder)
        n = np.array([sum(message[j] != 0 for message in folder) for j in range(len(x))])
        if N == 0:
            return np.zeros(len(x))
        return np.where(5 * n >= N, 2 * x, np.where(50 * n < N, -x, 0.0))

    def learn(self, x: np.ndarray, truth: Sequence[Any]) -> None:
        self.filed.append((x.copy(), set(truth)))


class TfIdf:
    """[PA06] 7: tf_j log(|S| / max(DF(j, r), 1)), S what was seen so far; before anything was seen, 0.

    DF is taken at the paper's word: the number of times the word appears in the documents of S not labelled r.
    """

    def __init__(self) -> None:
        self.seen: list[tuple[np.ndarray, set[Any]]] = []

    def features(self, x: np.ndarray, label: Any) -> np.ndarray:
        if not self.seen:
            return np.zeros(len(x))
        times = sum((document for document, truth in self.seen if label not in truth), start=np.zeros(len(x)))
        return x * np.log(len(self.seen) / np.maximum(times, 1))

    def learn(self, x: np.ndarray, truth: Sequence[Any]) -> None:
        self.seen.append((x.copy(), set(truth)))
