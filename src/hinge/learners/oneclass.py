# SPDX-License-Identifier: BSD-3-Clause
"""One class: a ball around what is usual."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np

from hinge.engine import CentreEngine, Engine
from hinge.focus import Worst
from hinge.learners.base import Learner
from hinge.spaces.centre import AT_FIRST_ROW, AT_ZERO, EXTRA, RADIUS, SCALE, STARTED
from hinge.steps import PA1
from hinge.tasks.uniclass import Uniclass


class OneClass(Learner):
    """Keep a centre close to all rows; a row farther off than the radius is an outlier ([PA06] 6).

    The loss is [||w - x|| - radius]+, and the centre moves straight towards the row: tau = l (`PA`), min(C, l) (`PA1`),
    l / (1 + 1/(2C)) (`PA2`).

    Parameters
    ----------
    step
        `PA1`, `PA2`, `PA`, `Perceptron` or your own.
    radius
        A number, or None: it is learnt, from 0 on, and never shrinks.
    bound
        With ``radius=None``, what the radius can never exceed. None: twice the norm of the first non-zero row.
    start
        Where the centre starts: "first" row ([PA03]), or "zero" ([PA06]).
    text
        How texts become rows, a `hinge.Text`; None is what ``hinge.Text()`` does.

    >>> import hinge
    >>> model = hinge.OneClass(hinge.PA(), radius=1.0)
    >>> model.learn_one([0.0, 0.0]).learn_one([3.0, 0.0]).center_
    array([2., 0.])
    """

    _kind = "outlier_detector"

    def __init__(
        self,
        step: Any = PA1(),  # noqa: B008  (a step is immutable)
        *,
        radius: float | None = None,
        bound: float | None = None,
        start: str = "first",
        text: Any = None,
    ) -> None:
        self.step = step
        self.radius = radius
        self.bound = bound
        self.start = start
        self.text = text

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Forget everything and learn from these rows."""
        with self._anew():
            self._fit_table(self._all_rows(X), None, sample_weight)
        return self

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Go on learning."""
        self._fit_table(X, None, sample_weight)
        return self

    def decision_function(self, X: Any) -> np.ndarray[Any, Any]:
        """Radius - distance from the centre: positive inside the ball."""
        return self._scores(X, 2)[:, 1]

    def score_samples(self, X: Any) -> np.ndarray[Any, Any]:
        """The same as `decision_function`."""
        return self.decision_function(X)

    def predict(self, X: Any) -> np.ndarray[Any, Any]:
        """1 for a row inside the ball, -1 for an outlier."""
        return np.where(self.decision_function(X) >= 0, 1, -1)

    def fit_predict(self, X: Any, y: Any = None) -> np.ndarray[Any, Any]:
        """Learn from the rows, then judge them."""
        return self.fit(X).predict(X)

    def score_one(self, x: Any) -> float:
        """Radius - distance from the centre, of one row."""
        self._require_fitted()
        return float(self._predict_row(x))

    offset_ = 0.0

    def _new_engine(self, dtype: Any, width: int) -> Engine:
        if isinstance(self.step, list):
            raise TypeError("OneClass takes one step, not a list of steps to race.")
        self._kept = np.dtype(dtype)
        state = np.zeros(5)
        state[SCALE] = 1.0
        if self.start not in ("first", "zero"):
            raise ValueError(f'start must be "first" or "zero", got {self.start!r}')
        state[STARTED] = AT_FIRST_ROW if self.start == "first" else AT_ZERO
        if self.radius is not None:
            if self.bound is not None:
                raise ValueError("bound belongs to a radius that is learnt (radius=None); give one of the two.")
            state[RADIUS] = _length("radius", self.radius, zero=True)
        else:
            state[RADIUS] = math.nan if self.bound is None else _length("bound", self.bound)
            state[EXTRA] = 0.0 if self.bound is None else state[RADIUS]
        return CentreEngine(Uniclass(), self._steps[0], Worst(), width=width, state=state)

    def _truths(self, y: Any, n: int) -> Any:
        return np.broadcast_to(np.zeros(1), (n,)).copy()

    def _truth(self, y: Any) -> Any:
        return 0.0

    def _answer(self, prediction: Any) -> Any:
        return 1 if prediction >= 0 else -1

    def _report_predictions(self, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.where(values >= 0, 1, -1)

    @property
    def center_(self) -> np.ndarray[Any, Any]:
        """The centre."""
        self._require_fitted()
        engine = self._engine
        assert isinstance(engine, CentreEngine)
        return np.asarray(engine.weights[: engine.width] * engine.state[SCALE], self._kept)

    @property
    def radius_(self) -> float:
        """The radius, as given or as learnt so far."""
        self._require_fitted()
        assert isinstance(self._engine, CentreEngine)
        state = self._engine.state
        if math.isnan(state[RADIUS]):
            return 0.0
        return math.sqrt(max(0.0, state[RADIUS] ** 2 - state[EXTRA] ** 2))


def _length(name: str, value: Any, zero: bool = False) -> float:
    if not isinstance(value, (int, float, np.number)) or not 0 <= value < math.inf or (value == 0 and not zero):
        raise ValueError(f"{name} must be a finite number above 0, got {value!r}")
    return float(value)
