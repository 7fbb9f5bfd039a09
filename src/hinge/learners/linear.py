# SPDX-License-Identifier: BSD-3-Clause
"""What learners with linear hypotheses share: fitting anew, and their weights."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np

from hinge.engine import Engine, LinearEngine
from hinge.exact import Exact
from hinge.focus import Mistaken, Predicted, Proportional, Violated, Worst
from hinge.inputs import Table
from hinge.joint_engine import JointEngine
from hinge.kernel_engine import KernelEngine
from hinge.learners.base import Learner
from hinge.learners.estimator import check_weights
from hinge.pairs_engine import PairsEngine
from hinge.phi_engine import PhiEngine
from hinge.spaces.all_pairs import AllPairs
from hinge.spaces.features import BUILT_IN, Joint, Shared, check_features
from hinge.spaces.kernel.function import Kernel, check_kernel
from hinge.spaces.linear import Linear
from hinge.steps import Perceptron

FOCUSES = Worst, Predicted, Violated, Mistaken, Proportional, Exact


class LinearLearner(Learner):
    """A learner whose hypotheses are weights, one a feature and score."""

    space: Any
    passes: Any
    average: Any
    random_state: Any
    #: The spaces there are beside `Linear` and `Kernel`: those of label-dependent scores.
    _spaces: tuple[type, ...] = ()
    #: What focus None means: if all steps are Perceptrons, and else.
    _usual_focus: tuple[Any, Any] = (Predicted(), Worst())
    _labels: Any

    def _chosen_focus(self) -> Any:
        """The focus, checked."""
        perceptrons, others = self._usual_focus
        focus = self.focus
        if focus is None:
            focus = perceptrons if all(isinstance(step, Perceptron) for step in self._steps) else others
        self._check_focus(focus)
        return focus

    def _check_focus(self, focus: Any) -> None:
        if not isinstance(focus, FOCUSES):
            known = ", ".join(f"hinge.{kind.__name__}()" for kind in FOCUSES)
            raise TypeError(f"focus must be None or one of {known}, got {focus!r}")
        if isinstance(focus, Exact) and not all(hasattr(step, "cap") for step in self._steps):
            raise TypeError(
                "focus hinge.Exact() solves the problem of steps with a price of slack: hinge.PA1, hinge.PA2, "
                f"hinge.PA, or a step of your own with cap(weight) and give(weight); got {self.step!r}."
            )
        if isinstance(self.space, Kernel):
            check_kernel(self.space)
            self._check_together(self.space)
        elif isinstance(self.space, self._spaces):
            self._check_labelwise(focus)
        elif self.space is not None and not isinstance(self.space, Linear):
            more = "".join(f", hinge.{kind.__name__}" for kind in self._spaces)
            raise TypeError(f"space must be None, hinge.Linear(), a hinge.Kernel{more}; got {self.space!r}")

    def _check_labelwise(self, focus: Any) -> None:
        """Raise for parameters that do not go with scores that are made label by label."""
        space, name = self.space, f"hinge.{type(self.space).__name__}"
        if len(self._steps) > 1:
            raise ValueError(f"{name} learns with one step; race learners of one step each with hinge.race.")
        if isinstance(space, AllPairs):
            if space.scoring not in ("linear", "max-win"):
                raise ValueError(f'the scoring of hinge.AllPairs is "linear" or "max-win", got {space.scoring!r}')
            if space.scoring == "max-win" and not (isinstance(self.step, Perceptron) and isinstance(focus, Predicted)):
                raise ValueError(
                    "numbers of duels won have no margins, so hinge.AllPairs('max-win') learns with hinge.Perceptron() "
                    f"and focus hinge.Predicted() only, got {self.step!r} and {focus!r}; scoring='linear' takes any."
                )
            return
        check_features(space)
        if self.average:
            raise ValueError(f"average=True is for vectors that each have lanes of their own; {name} has no averages.")
        auto = isinstance(self.intercept, str) and self.intercept == "auto"
        if isinstance(space, Joint) and not auto and self._intercept_value() != 0:
            raise ValueError(
                f"in hinge.Joint all labels share one vector, and an intercept ({self.intercept!r}) would cancel: "
                "leave it out, or give labels vectors of their own with hinge.Shared."
            )

    @property
    def _labelwise(self) -> bool:
        """Whether two labels have a score each already; what was begun so stays so."""
        if self._engine is None:
            return isinstance(self.space, (Joint, Shared, AllPairs))
        return isinstance(self._engine, (JointEngine, PairsEngine, PhiEngine))

    def _grow_labels(self, known: int, task: Any) -> None:
        """Make room for the first ``known`` labels, of which the engine is told where it asks for them by name."""
        engine = self._engine
        assert engine is not None
        if hasattr(engine, "names"):
            engine.names = self._labels.list[:known]
        engine.grow_labels(known, task)

    def _check_together(self, space: Kernel) -> None:
        """Raise for parameters that do not go with a kernel."""
        if not (isinstance(self.intercept, str) and self.intercept == "auto") and self._intercept_value() != 0:
            raise ValueError(
                f"a kernel has no intercept, but intercept={self.intercept!r}; leave it out, or give the kernel a "
                'constant: hinge.Kernel("poly", degree=1, coef0=1.0).'
            )
        if space.budget is not None and len(self._steps) > 1:
            raise ValueError(
                "steps raced in one learner share its supports, so a budget would not leave each what it has alone; "
                "give one step, or race learners of one step each with hinge.race."
            )
        if space.budget is not None and self.average:
            raise ValueError("average=True needs every support there ever was, but the kernel has a budget.")
        if space.function == "precomputed" and getattr(self, "random_state", None) is not None:
            raise ValueError(
                "with a precomputed kernel, row t of the stream is column t: rows cannot be taken in a random order; "
                "leave random_state out, and shuffle rows and columns together beforehand."
            )

    def _engine_of(self, task: Any, focus: Any, dtype: Any, *, labels: int, width: int) -> Engine:
        """The engine of the learner's space."""
        if isinstance(self.space, Kernel):
            return KernelEngine(
                task, self._steps, focus, dtype, space=self.space, labels=labels, width=width,
                average=bool(self.average),
            )  # fmt: skip
        space, intercept = self.space, self._intercept_value()
        if isinstance(space, AllPairs):
            return PairsEngine(
                task, self.step, focus, dtype, scoring=space.scoring, labels=labels, width=width, intercept=intercept,
                average=bool(self.average),
            )  # fmt: skip
        if isinstance(space, (Joint, Shared)):
            kind = JointEngine if isinstance(space.features, BUILT_IN) else PhiEngine
            return kind(
                task, self._steps[0], focus, dtype, features=space.features, shared=isinstance(space, Shared),
                names=self._labels.list[:labels], labels=labels, width=width, intercept=intercept,
            )  # fmt: skip
        return LinearEngine(
            task, self._steps, focus, dtype, labels=labels, width=width, intercept=self._intercept_value(),
            average=bool(self.average),
        )  # fmt: skip

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
        """The weights: (scores, features). With two labels there is one score. Of kernels, only the linear has them."""
        self._require_fitted()
        engine = self._engine
        if isinstance(engine, KernelEngine):
            if engine.kernel.function != "linear":
                raise AttributeError("coef_ is of linear hypotheses; those of a kernel are support_ and dual_coef_")
            supports, coefficients = engine.hypothesis()
            return np.asarray(coefficients @ supports)
        assert isinstance(engine, (LinearEngine, PhiEngine))
        return engine.hypothesis()[0]

    @property
    def joint_coef_(self) -> np.ndarray[Any, Any]:
        """In the spaces Joint and Shared, the vector that labels share; see ``joint_names_``."""
        self._require_fitted()
        if not isinstance(self._engine, (JointEngine, PhiEngine)):
            raise AttributeError("joint_coef_ is of hypotheses in hinge.Joint and hinge.Shared")
        return self._engine.joint_hypothesis()

    @property
    def joint_names_(self) -> list[Any]:
        """The names of label-dependent features that come as dicts, in the order of ``joint_coef_``."""
        if not (isinstance(self._engine, PhiEngine) and isinstance(self._engine.columns, dict)):
            raise AttributeError("joint_names_ is there once dicts of label-dependent features have been learnt from")
        return list(self._engine.columns)

    def save(self, path: Any) -> None:
        """Write the learner to a file, which `hinge.load` restores: see `Learner.save`."""
        if self._labelwise:
            raise TypeError(
                "a model file does not hold hypotheses in hinge.Joint, hinge.Shared or hinge.AllPairs so far; "
                "pickle the learner instead."
            )
        super().save(path)

    # ------------------------------------------------------------------------------- rows as a user knows them

    def _row(self, x: Any, learning: bool) -> tuple[Any, Any]:
        data, indices = super()._row(x, learning)
        if isinstance(self._engine, PhiEngine):
            known = self._columns is not None and isinstance(x, Mapping)
            self._engine.given = x if known else self._engine.as_given(data, indices)
        return data, indices

    @property
    def intercept_(self) -> np.ndarray[Any, Any]:
        """What every row's score has added to it, one number a score: with a kernel 0."""
        self._require_fitted()
        engine = self._engine
        if isinstance(engine, KernelEngine):
            return np.zeros(engine.scores_each(), engine.dtype)
        assert isinstance(engine, (LinearEngine, PhiEngine))
        return engine.hypothesis()[1]

    @property
    def support_(self) -> Any:
        """With a kernel, the rows that are supports, in order of arrival: an array, or CSR where rows came sparse.

        With a precomputed kernel, the numbers of these rows.
        """
        return self._kernel_engine("support_").hypothesis()[0]

    @property
    def dual_coef_(self) -> np.ndarray[Any, Any]:
        """With a kernel, the coefficients of the supports: (scores, supports). With two labels there is one score."""
        return self._kernel_engine("dual_coef_").hypothesis()[1]

    def _kernel_engine(self, name: str) -> KernelEngine:
        if self._engine is None:
            raise AttributeError(f"{name} is there once something has been learnt")
        if not isinstance(self._engine, KernelEngine):
            raise AttributeError(f"{name} is of hypotheses in a hinge.Kernel; those of this learner are coef_")
        return self._engine

    @property
    def feature_names_in_(self) -> np.ndarray[Any, Any]:
        """The features' names, in order of their columns, for learners that know them by name."""
        if self._engine is None or self._columns is None:
            raise AttributeError("feature_names_in_ is there once rows with named features have been learnt from")
        names = np.empty(len(self._columns), object)
        names[:] = list(self._columns)
        return names
