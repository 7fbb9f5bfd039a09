# SPDX-License-Identifier: BSD-3-Clause
"""What learners with linear hypotheses share: fitting anew, and their weights."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from hinge.engine import LinearEngine
from hinge.focus import Predicted, Worst
from hinge.inputs import as_table
from hinge.learners.base import Learner
from hinge.learners.estimator import check_weights
from hinge.spaces.linear import Linear


class LinearLearner(Learner):
    """A learner whose hypotheses are weights, one a feature and score."""

    space: Any
    passes: Any
    average: Any
    random_state: Any

    def _check_focus(self, focus: Any) -> None:
        if not isinstance(focus, (Worst, Predicted)):
            raise TypeError(f"focus must be None, hinge.Worst() or hinge.Predicted(), got {focus!r}")
        if self.space is not None and not isinstance(self.space, Linear):
            raise TypeError(f"space must be None or hinge.Linear(), got {self.space!r}")

    def _first_labels(self, y: Any, n: int) -> None:
        """Called by `fit` before the first row, where the labels of all rows matter."""

    def _weights(self, y: Any, n: int, sample_weight: Any) -> Any:
        return check_weights(sample_weight, n)

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        if not isinstance(self.passes, numbers.Integral) or self.passes < 1:
            raise ValueError(f"passes must be a whole number from 1 on, got {self.passes!r}")
        before = {name: self.__dict__.pop(name) for name in ("_engine", "_columns", "_labels", "_reading") if name in self.__dict__}
        try:
            if isinstance(X, (list, tuple)) and len(X) and isinstance(X[0], dict):
                self._first_labels(y, len(X))
                for _ in range(int(self.passes)):
                    self._fit_dicts(X, y, sample_weight)
                return
            table = as_table(X)
            if table.n == 0:
                raise ValueError(f"Found array with 0 sample(s) (shape={(table.n, table.width)}) while a minimum of 1 is required.")
            truths = self._truths(y, table.n)
            self._first_labels(y, table.n)
            weights = self._weights(truths, table.n, sample_weight)
            class_weight, self_weight = getattr(self, "class_weight", None), None
            del self_weight
            try:
                if class_weight is not None:
                    self.class_weight = None  # it is in the weights already
                self._passes(X, table.n, truths, weights)
            finally:
                if class_weight is not None:
                    self.class_weight = class_weight
        except BaseException:
            for name in ("_engine", "_columns", "_labels", "_reading"):
                self.__dict__.pop(name, None)
            self.__dict__.update(before)
            raise

    def _passes(self, X: Any, n: int, truths: Any, weights: Any) -> None:
        random = None if self.random_state is None else np.random.default_rng(self.random_state)
        for _ in range(int(self.passes)):
            if random is None:
                self._fit_table(X, truths, weights)
            else:
                order = random.permutation(n)
                rows = X.iloc[order] if hasattr(X, "iloc") else (X.tocsr() if hasattr(X, "tocsr") else np.asarray(X))[order]
                self._fit_table(rows, truths[order], None if weights is None else weights[order])

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
