# SPDX-License-Identifier: BSD-3-Clause
"""Regression from a stream, insensitive to small errors."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np

from hinge.engine import Engine, Record
from hinge.focus import Worst
from hinge.learners.linear import LinearLearner
from hinge.steps import PA1
from hinge.tasks.regression import Regression


class Regressor(LinearLearner):
    """Learn numbers from a stream: errors up to ``epsilon`` cost nothing ([PA06] 5).

    The loss is [|y - w.x| - epsilon]+. The other parameters are those of `Classifier`.

    >>> import hinge
    >>> model = hinge.Regressor(hinge.PA(), epsilon=0.5, intercept=False)
    >>> model.learn_one({"rooms": 2.0}, 5.0).predict_one({"rooms": 4.0})
    9.0
    """

    _kind = "regressor"
    _usual_focus = Worst(), Worst()
    _measures_distance = True

    def __init__(
        self,
        step: Any = PA1(),  # noqa: B008  (a step is immutable)
        focus: Any = None,
        space: Any = None,
        *,
        epsilon: float = 0.1,
        intercept: Any = "auto",
        passes: int = 1,
        average: bool = False,
        random_state: int | None = None,
        text: Any = None,
    ) -> None:
        self.step = step
        self.focus = focus
        self.space = space
        self.epsilon = epsilon
        self.intercept = intercept
        self.passes = passes
        self.average = average
        self.random_state = random_state
        self.text = text

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Forget everything and learn from these rows."""
        self._fit(X, y, sample_weight)
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Go on learning."""
        self._fit_table(X, y, sample_weight)
        return self

    def predict(self, X: Any) -> np.ndarray[Any, Any]:
        """w . x of every row."""
        return self._scores(X, 1)[:, 0]

    decision_function = predict

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The coefficient of determination, 1 - (y - p)² / (y - mean y)²."""
        from sklearn.metrics import r2_score

        return float(r2_score(y, self.predict(X), sample_weight=sample_weight))

    def score_one(self, x: Any) -> float:
        """The same as `predict_one`."""
        self._require_fitted()
        return float(self._predict_row(x))

    def _new_engine(self, dtype: Any, width: int) -> Engine:
        epsilon = self.epsilon
        if not isinstance(epsilon, (int, float, np.number)) or not 0 <= epsilon < math.inf:
            raise ValueError(f"epsilon must be a finite number, not negative, got {epsilon!r}")
        focus = self._chosen_focus()
        return self._engine_of(Regression(float(epsilon)), focus, dtype, labels=1, width=width)

    def _truths(self, y: Any, n: int) -> Any:
        return as_targets(y, n)

    def _truth(self, y: Any) -> Any:
        try:
            value = float(y)
        except (TypeError, ValueError):
            raise TypeError(f"y is {y!r}; a number was expected.") from None
        if not math.isfinite(value):
            raise ValueError(f"y is {y!r}; a finite number was expected (no NaN, no inf).")
        return value

    def _answer(self, prediction: Any) -> Any:
        return float(prediction)

    def _distance(self, y: Any, record: Record) -> float:
        return float(np.abs(np.asarray(y, np.float64) - record.predictions).sum())

    def _report_predictions(self, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return values


def as_targets(y: Any, n: int) -> np.ndarray[Any, Any]:
    """Numbers to predict, checked."""
    if y is None:
        raise ValueError("This Regressor requires y to be passed, but the target y is None.")
    array = np.asarray(y)
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: y must hold real numbers.")
    if array.ndim != 1:
        from sklearn.utils import column_or_1d

        array = column_or_1d(array, warn=True)
    try:
        targets = np.ascontiguousarray(array, np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"y must hold numbers, got {array.dtype} such as {array[:1].tolist()}") from None
    if len(targets) != n:
        raise ValueError(
            f"X has {n} rows and y {len(targets)} numbers: "
            f"Found input variables with inconsistent numbers of samples: {[n, len(targets)]}"
        )
    bad = np.flatnonzero(~np.isfinite(targets))
    if len(bad):
        shown = "NaN" if np.isnan(targets[bad[0]]) else "infinity"
        raise ValueError(f"Input y contains {shown} in row {bad[0]}; a finite number was expected (no NaN, no inf).")
    return targets
