# SPDX-License-Identifier: BSD-3-Clause
"""Rounds of many binary constraints at once, in their raw form."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np

from hinge.certificate import Certificate
from hinge.engine import Record
from hinge.exact import Exact
from hinge.focus import Mistaken, Violated
from hinge.instances_engine import InstancesEngine, Matrices
from hinge.learners.base import certificate_of
from hinge.learners.estimator import Estimator, check_weights
from hinge.learners.linear import FOCUSES
from hinge.steps import PA1, PA2, Perceptron, check_step
from hinge.tasks.signs import Signs, SignTruths


class ConstraintLearner(Estimator):
    """Learn from rounds (X_t, y_t): a matrix of instances and their labels, -1 or 1 ([SP06]).

    Instance x_j asks y_j w . x_j >= 1. A round may pose any number of such constraints, and the focus says which of
    them act: `Violated` with `PA1` is SimProj, `Mistaken` with `PA1` ConProj, `Mistaken` with `Perceptron` SimPerc,
    `Worst` the max update, and `Exact` solves the round's own problem, which the others approximate.

    Parameters
    ----------
    step
        `PA1`, `PA2`, `PA`, `Perceptron` or your own.
    focus
        None: Violated, and with the Perceptron Mistaken, as in the paper.

    >>> import hinge
    >>> learner = hinge.ConstraintLearner(hinge.PA1(C=1.0))
    >>> learner.learn_one([[1.0, 0.0], [0.0, 1.0]], [1, 1]).coef_
    array([[0.5, 0.5]])
    """

    _kind = "constraints"
    _engine: InstancesEngine | None = None

    def __init__(self, step: Any = PA1(), focus: Any = None) -> None:  # noqa: B008  (a step is immutable)
        self.step = step
        self.focus = focus

    # ------------------------------------------------------------------------------- learning

    def fit(self, X: Any, y: Any, sample_weight: Any = None, nu: Any = None) -> Self:
        """Forget everything and learn from these rounds."""
        before = self.__dict__.pop("_engine", None)
        try:
            return self.partial_fit(X, y, sample_weight, nu)
        except BaseException:
            if before is not None:
                self._engine = before
            raise

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None, nu: Any = None) -> Self:
        """Go on learning: X is a list of matrices, y a list of vectors of labels, one for each round.

        ``nu``, if given, is a list of vectors too: sum_j nu_j lambda_j <= C in place of sum_j lambda_j <= C, so that
        constraint j alone is capped by C / nu_j ([SP06] 7).
        """
        self._fit_table(X, y, sample_weight, nu=nu)
        return self

    def learn_one(self, x: Any, y: Any, weight: float = 1.0, nu: Any = None) -> Self:
        """Learn from one round: a matrix, a row for each instance, and its labels."""
        return self.partial_fit([x], [y], None if weight == 1.0 else [weight], None if nu is None else [nu])

    def _fit_table(self, X: Any, y: Any, sample_weight: Any, record: bool = False, nu: Any = None) -> Record | None:
        matrices = self._matrices(X, y, nu)
        weights = check_weights(sample_weight, matrices.n)
        engine = self._engine
        if engine is None:
            check_step(self.step)
            focus = self._focus()
            if matrices.n == 0:
                return None
            engine = InstancesEngine(
                Signs(), self.step, focus, matrices.data.dtype, labels=2, width=matrices.width
            )
        kept = engine.new_record(matrices.n) if record else None
        engine.learn_rounds(matrices, weights, kept)
        self._engine = engine
        return kept

    def _focus(self) -> Any:
        focus = self.focus
        if focus is None:
            return Mistaken() if isinstance(self.step, Perceptron) else Violated()
        if not isinstance(focus, FOCUSES):
            known = ", ".join(f"hinge.{kind.__name__}()" for kind in FOCUSES)
            raise TypeError(f"focus must be None or one of {known}, got {focus!r}")
        if isinstance(focus, Exact) and not hasattr(self.step, "cap"):
            raise TypeError(f"focus hinge.Exact() asks for hinge.PA1, hinge.PA2 or hinge.PA; got {self.step!r}.")
        return focus

    def _matrices(self, X: Any, y: Any, nu: Any) -> Matrices:
        """Rounds checked and laid out one after another."""
        if len(X) != len(y):
            raise ValueError(f"X has {len(X)} rounds and y {len(y)}: one vector of labels a round was expected.")
        blocks = [_as_rows(block, t) for t, block in enumerate(X)]
        engine = self._engine
        width = engine.width if engine is not None else (blocks[0].shape[1] if blocks else 0)
        kinds = {block.dtype for block in blocks}
        begins_with = np.dtype(np.float32 if kinds == {np.dtype(np.float32)} else np.float64)
        dtype = begins_with if engine is None else engine.dtype
        signed = []
        for t, (block, labels) in enumerate(zip(blocks, y, strict=True)):
            if block.shape[1] != width:
                raise ValueError(f"round {t} has {block.shape[1]} features; {width} were expected.")
            signed.append(_as_signs(labels, block.shape[0], t))
        if nu is not None:
            if isinstance(self.step, PA2):
                raise ValueError("nu divides the cap of PA1 and the step of the Perceptron; PA2 has no cap.")
            blocks, signed = _scaled(blocks, signed, nu)
        lengths = [0, *(block.shape[0] for block in blocks)]
        ends = [block.indptr[1:].astype(np.int64) for block in blocks]
        offsets = np.cumsum([0, *(block.nnz for block in blocks)])
        ends = [part + offset for part, offset in zip(ends, offsets[:-1], strict=True)]
        indptr = np.concatenate([np.zeros(1, np.int64), *ends])
        starts = np.cumsum(lengths).astype(np.int64)
        truths = SignTruths(np.concatenate([np.zeros(0), *signed]), starts)
        data = np.concatenate([np.zeros(0, dtype), *(block.data.astype(dtype) for block in blocks)])
        indices = np.concatenate([np.zeros(0, np.int32), *(block.indices.astype(np.int32) for block in blocks)])
        return Matrices(data, indices, indptr, starts, width, truths)

    # ------------------------------------------------------------------------------- predicting

    def decision_function(self, X: Any) -> np.ndarray[Any, Any]:
        """w . x of every instance of one round."""
        self._require_fitted()
        rows = _as_rows(X, 0)
        scores: np.ndarray[Any, Any] = rows @ self.coef_[0]
        return scores

    def predict(self, X: Any) -> list[np.ndarray[Any, Any]]:
        """A sign for every instance of every round."""
        return [self.predict_one(block) for block in X]

    def predict_one(self, x: Any) -> Any:
        """A sign, 1 or -1, for every instance of one round; None while nothing has been learnt."""
        if self._engine is None:
            return None
        return np.where(self.decision_function(x) > 0, 1, -1)

    score_one = decision_function

    @property
    def coef_(self) -> np.ndarray[Any, Any]:
        """The weights, (1, features)."""
        self._require_fitted()
        assert self._engine is not None
        return self._engine.weights[None, : self._engine.width].copy()

    @property
    def certificate_(self) -> Certificate:
        """What is proved of every fixed hypothesis on the rounds so far; their loss is that of the worst constraint."""
        self._require_fitted()
        assert self._engine is not None
        return certificate_of(self._engine.steps[0], self._engine.totals[0])

    # ------------------------------------------------------------------------------- playing a stream

    @contextlib.contextmanager
    def _all_or_nothing(self, table: Any) -> Iterator[None]:
        """A batch of rounds is learnt whole or not at all already."""
        yield

    def _costs(self, y: Any, predictions: Any, weights: Any) -> Any:
        return np.ones(len(predictions)) if weights is None else weights

    def _report_predictions(self, values: Any) -> Any:
        raise AttributeError("a round's prediction is a sign for every instance; the report of matrices keeps none.")


def _as_rows(block: Any, t: int) -> Any:
    """A round's instances as CSR, columns in order and summed."""
    from scipy.sparse import csr_matrix

    if not hasattr(block, "tocsr"):
        block = np.asarray(block)
        if block.ndim != 2 or block.dtype.kind not in "fiub":
            raise ValueError(f"round {t}: a matrix of numbers, a row for each instance, was expected, got {block!r}")
    rows = csr_matrix(block, dtype=np.float32 if block.dtype == np.float32 else np.float64, copy=True)
    rows.sum_duplicates()
    if not np.isfinite(rows.data).all():
        place = int(np.flatnonzero(~np.isfinite(rows.data))[0])
        row = int(np.searchsorted(rows.indptr, place, side="right")) - 1
        shown = "NaN" if np.isnan(rows.data[place]) else "infinity"
        column = rows.indices[place]
        raise ValueError(f"round {t} has {shown} in row {row}, column {column}; every value must be finite.")
    return rows


def _as_signs(labels: Any, n: int, t: int) -> np.ndarray[Any, Any]:
    try:
        signs = np.asarray(labels, np.float64)
    except (TypeError, ValueError):
        signs = np.zeros(0)
    if signs.shape != (n,):
        raise ValueError(f"round {t} has {n} instances; as many labels, -1 or 1, were expected, got {labels!r}")
    bad = np.flatnonzero(np.abs(signs) != 1)
    if len(bad):
        raise ValueError(f"round {t} has the label {signs[bad[0]]:g} in row {bad[0]}; labels are -1 and 1.")
    return signs


def _scaled(blocks: Sequence[Any], signed: Sequence[Any], nu: Any) -> tuple[list[Any], list[Any]]:
    """w . z_j >= 1 at the price nu_j is w . (z_j / nu_j) >= 1 / nu_j at the price 1."""
    if len(nu) != len(blocks):
        raise ValueError(f"nu has {len(nu)} rounds; {len(blocks)} were expected.")
    new_blocks, new_signed = [], []
    for t, (block, signs, prices) in enumerate(zip(blocks, signed, nu, strict=True)):
        prices = np.asarray(prices, np.float64)
        if prices.shape != signs.shape or not (np.isfinite(prices) & (prices > 0)).all():
            raise ValueError(f"round {t}: nu must have {len(signs)} finite numbers above 0, got {prices!r}")
        block = block.astype(np.float64)
        block.data /= np.repeat(prices, np.diff(block.indptr))
        new_blocks.append(block)
        new_signed.append(signs / prices)
    return new_blocks, new_signed
