# SPDX-License-Identifier: BSD-3-Clause
"""Learners of other libraries, played one row at a time: what has ``learn_one`` and ``predict_one`` as river's have, or
``partial_fit`` and ``predict`` as scikit-learn's have.
"""

from __future__ import annotations

import inspect
import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from hinge.inputs import DenseTable, SparseTable, Table
from hinge.learners.labels import as_labels
from hinge.progress import Teller
from hinge.report import Report

#: Rows between two tellings of progress.
OFTEN = 64


def play_peer(learner: Any, pieces: Iterator[Any], tell: Teller | None) -> Report:
    """Ask the learner for every row, then show it the truth; only the time it takes for that is counted."""
    play_row = (
        _River(learner) if hasattr(learner, "learn_one") and hasattr(learner, "predict_one") else _Sklearn(learner)
    )
    predictions: list[Any] = []
    flags: list[int] = []
    seen: set[Any] = set()
    mistakes, cost, absolute_error, seconds = 0, 0.0, 0.0, 0.0
    regression: bool | None = None
    for piece in pieces:
        y = _targets(piece)
        if regression is None:
            regression = _is_regression(learner, y)
            epsilon = float(getattr(learner, "epsilon", 0.0)) if regression else 0.0
        play_row.take(piece, y, regression)
        for t, truth in enumerate(y):
            weight = None if piece.weights is None else float(piece.weights[t])
            row = play_row.row(piece.X, t)
            started = time.perf_counter()
            prediction = play_row(row, truth, weight)
            seconds += time.perf_counter() - started
            if regression:
                error = abs(truth - (0.0 if prediction is None else float(prediction)))
                absolute_error += error
                wrong, novel = error > epsilon, False
            else:
                novel = truth not in seen
                seen.add(truth)
                wrong = not novel and prediction != truth
            predictions.append(prediction)
            flags.append(int(wrong) + 2 * novel)
            mistakes += wrong
            cost += wrong * (1.0 if weight is None else weight)
            if tell is not None and len(flags) % OFTEN == 0:
                tell(len(flags), mistakes)
    if tell is not None:
        tell(len(flags), mistakes)
    return Report(
        learner=" ".join(repr(learner).split()), n=len(flags), mistakes=int(mistakes),
        novel=sum(flag >> 1 for flag in flags), loss=math.nan, squared_loss=math.nan, cost=cost, updates=None,
        seconds=seconds, compile_seconds=0.0, certificate=None,
        absolute_error=absolute_error if regression else None, flags=np.array(flags, np.uint8), losses=np.zeros(0),
        _predictions=lambda: _as_array(predictions),
    )  # fmt: skip


def _targets(piece: Any) -> list[Any]:
    if piece.y is None:
        raise ValueError(
            "y is None: this learner needs a target for every row "
            "(an iterator of rows comes with an iterator of targets)."
        )
    n = piece.X.n if isinstance(piece.X, Table) else len(piece.X)
    kind = getattr(getattr(piece.y, "dtype", None), "kind", None) or np.asarray(piece.y).dtype.kind
    if kind == "f":
        values = np.asarray(piece.y, np.float64)
        if len(values) != n:
            raise ValueError(f"X has {n} rows and y {len(values)} targets: one a row was expected.")
        if not (values == np.floor(values)).all():
            return list(values.tolist())
    return list(as_labels(piece.y, n).tolist())


def _is_regression(learner: Any, y: list[Any]) -> bool:
    if hasattr(learner, "__sklearn_tags__"):
        return bool(learner.__sklearn_tags__().estimator_type == "regressor")
    if hasattr(learner, "predict_proba_one"):
        return False
    return any(isinstance(target, float) for target in y)


def _as_array(predictions: list[Any]) -> np.ndarray[Any, Any]:
    if any(prediction is None for prediction in predictions):
        array = np.empty(len(predictions), object)
        array[:] = predictions
        return array
    return np.array(predictions)


class _River:
    """One row is a dict {name: value}; of a table, {column: value} of what is not 0."""

    def __init__(self, learner: Any) -> None:
        self.learner = learner
        self.weighs = "w" in inspect.signature(learner.learn_one).parameters

    def take(self, piece: Any, y: list[Any], regression: bool) -> None:
        """Get ready for some rows."""

    def row(self, X: Any, t: int) -> dict[Any, float]:
        """A row as a dict."""
        if isinstance(X, SparseTable):
            part = slice(X.X.indptr[t], X.X.indptr[t + 1])
            return dict(zip(X.X.indices[part].tolist(), X.X.data[part].tolist(), strict=True))
        if isinstance(X, DenseTable):
            names = X.names or range(X.width)
            return {name: value for name, value in zip(names, X.X[t].tolist(), strict=True) if value != 0}
        return X[t] if isinstance(X[t], str) else dict(X[t])

    def __call__(self, row: dict[Any, float], truth: Any, weight: float | None) -> Any:
        """Predict, then learn."""
        prediction = self.learner.predict_one(row)
        if weight is None:
            self.learner.learn_one(row, truth)
        elif self.weighs:
            self.learner.learn_one(row, truth, w=weight)
        else:
            raise TypeError(
                f"{type(self.learner).__name__}.learn_one takes no weight (w); play it without sample_weight."
            )
        return prediction


class _Sklearn:
    """One row is a table of one."""

    def __init__(self, learner: Any) -> None:
        if not (hasattr(learner, "partial_fit") and hasattr(learner, "predict")):
            raise TypeError(
                f"{type(learner).__name__} cannot be played: it has neither learn_one and predict_one, "
                "nor partial_fit and predict."
            )
        self.learner = learner
        self.begun = False
        self.arguments: dict[str, Any] = {}
        self.takes = inspect.signature(learner.partial_fit).parameters

    def take(self, piece: Any, y: list[Any], regression: bool) -> None:
        """scikit-learn wants to know all labels before the first row."""
        if not isinstance(piece.X, Table) and not isinstance(piece.X[0], str):
            raise TypeError(
                f"{type(self.learner).__name__} takes tables, not rows with named features: "
                "give X as an array, a CSR matrix or a data frame."
            )
        self.begun = self.begun or hasattr(self.learner, "classes_") or hasattr(self.learner, "coef_")
        if not self.begun and not regression and "classes" in self.takes:
            self.arguments = {"classes": np.unique(np.array(y))}

    def row(self, X: Any, t: int) -> Any:
        """A row as a table of one, or a list of one text."""
        return [X[t]] if not isinstance(X, Table) else X.X[t : t + 1]

    def __call__(self, row: Any, truth: Any, weight: float | None) -> Any:
        """Predict, unless nothing is learnt yet, then learn."""
        prediction = self.learner.predict(row)[0] if self.begun else None
        if weight is not None:
            self.arguments["sample_weight"] = [weight]
        self.learner.partial_fit(row, [truth], **self.arguments)
        self.begun = True
        self.arguments = {}
        return prediction.item() if isinstance(prediction, np.generic) else prediction
