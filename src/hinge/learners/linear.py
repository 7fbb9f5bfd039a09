# SPDX-License-Identifier: BSD-3-Clause
"""What learners with linear hypotheses share: fitting anew, and their weights."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from hinge.engine import LinearEngine
from hinge.exact import Exact
from hinge.focus import Mistaken, Predicted, Proportional, Violated, Worst
from hinge.inputs import Table
from hinge.learners.base import Learner
from hinge.learners.estimator import check_weights
from hinge.spaces.linear import Linear

FOCUSES = Worst, Predicted, Violated, Mistaken, Proportional, Exact


class LinearLearner(Learner):
    """A learner whose hypotheses are weights, one a feature and score."""

    space: Any
    passes: Any
    average: Any
    random_state: Any

    def _check_focus(self, focus: Any) -> None:
        if not isinstance(focus, FOCUSES):
            known = ", ".join(f"hinge.{kind.__name__}()" for kind in FOCUSES)
            raise TypeError(f"focus must be None or one of {known}, got {focus!r}")
        if isinstance(focus, Exact) and not all(hasattr(step, "cap") for step in self._steps):
            raise TypeError(
                "focus hinge.Exact() solves the problem of steps with a price of slack: hinge.PA1, hinge.PA2, "
                f"hinge.PA, or a step of your own with cap(weight) and give(weight); got {self.step!r}."
            )
        if self.space is not None and not isinstance(self.space, Linear):
            raise TypeError(f"space must be None or hinge.Linear(), got {self.space!r}")

    def _first_labels(self, y: Any, n: int) -> None:
        """Called by `fit` before the first row, where the labels of all rows matter."""

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        if not isinstance(self.passes, numbers.Integral) or self.passes < 1:
            raise ValueError(f"passes must be a whole number from 1 on, got {self.passes!r}")
        with self._anew():
            rows = self._all_rows(X)
            n = rows.n if isinstance(rows, Table) else len(rows)
            truths = self._truths(y, n)
            self._first_labels(truths, n)
            self._passes(rows, n, truths, check_weights(sample_weight, n))

    def _passes(self, rows: Any, n: int, truths: Any, weights: Any) -> None:
        random = None if self.random_state is None else np.random.default_rng(self.random_state)
        for _ in range(int(self.passes)):
            if random is None:
                self._fit_table(rows, truths, weights)
            else:
                order = random.permutation(n)
                shuffled = rows.taken(order) if isinstance(rows, Table) else [rows[t] for t in order]
                self._fit_table(shuffled, truths[order], None if weights is None else weights[order])

    @property
    def coef_(self) -> np.ndarray[Any, Any]:
        """The weights: (scores, features). With two labels there is one score."""
        self._require_fitted()
        assert isinstance(self._engine, LinearEngine)
        return self._engine.hypothesis()[0]

    @property
    def intercept_(self) -> np.ndarray[Any, Any]:
        """What every row's score has added to it, one number a score."""
        self._require_fitted()
        assert isinstance(self._engine, LinearEngine)
        return self._engine.hypothesis()[1]

    @property
    def n_features_in_(self) -> int:
        """How many features there are so far."""
        if self._engine is None:
            raise AttributeError("n_features_in_ is there once something has been learnt")
        return self._engine.width

    @property
    def feature_names_in_(self) -> np.ndarray[Any, Any]:
        """The features' names, in order of their columns, for learners that know them by name."""
        if self._engine is None or self._columns is None:
            raise AttributeError("feature_names_in_ is there once rows with named features have been learnt from")
        names = np.empty(len(self._columns), object)
        names[:] = list(self._columns)
        return names
