# SPDX-License-Identifier: BSD-3-Clause
"""What every learner on an engine does alike: features by column or by name, and batches that fail whole."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from hinge import round as rounds
from hinge.certificate import Certificate
from hinge.engine import Engine, Record
from hinge.inputs import Table, as_table
from hinge.learners.estimator import check_weights
from hinge.learners.rows import RowLearner
from hinge.steps import PA, PA1, PA2, Perceptron, check_step

#: What learning leaves in a learner; what else has an underscore there is another library's.
_LEARNT = ("_engine", "_columns", "_reading", "_labels", "_balanced", "_own_text", "_kept", "_as_matrix")


class Contender(NamedTuple):
    """One of the steps raced in a learner, and how it did on the rows so far, before it learnt from each."""

    step: Any
    rounds: int
    mistakes: int
    error_rate: float
    loss: float
    updates: int


class Learner(RowLearner):
    """A learner: everything but what a label means, which its subclasses say."""

    step: Any
    focus: Any
    intercept: Any
    #: What else is to be known of a model, such as how its files are read: JSON values, saved with it. Assign a dict.
    notes: Mapping[str, Any] = MappingProxyType({})
    _guarded = False

    # ------------------------------------------------------------------------------- what a subclass says

    def _new_engine(self, dtype: Any, width: int) -> Engine:
        raise NotImplementedError

    def _truths(self, y: Any, n: int) -> Any:
        """The targets as an array that kernels read; nothing is changed by it."""
        raise NotImplementedError

    def _costs(self, y: Any, predictions: Any, weights: Any) -> Any:
        """What predicting these, all of them mistakes, costs."""
        return np.ones(len(predictions)) if weights is None else weights

    def _distance(self, y: Any, record: Record) -> float:
        """How far off the predictions of these rounds were, in sum."""
        raise NotImplementedError

    def _new_record(self, n: int, truths: Any) -> Record:
        """Room for what n rounds with these truths leave behind."""
        assert self._engine is not None
        return self._engine.new_record(n)

    def _recorded(self, prediction: Any, room: Any) -> Any:
        """A prediction of the kernels as a record has it, in the room that is there for it."""
        return prediction

    def _report_predictions(self, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The predictions of a record as a user knows them."""
        raise NotImplementedError

    def _learn_table(self, table: Table, truths: Any, weights: Any, record: Record | None) -> None:
        """Learn from a checked table; may raise half way."""
        assert self._engine is not None
        self._engine.learn(table, truths, weights, 0, table.n, 0, record)

    def _state(self) -> dict[str, Any]:
        """What, beside the engine, a batch may change."""
        return {name: self.__dict__[name] for name in ("_columns",) if name in self.__dict__}

    # ------------------------------------------------------------------------------- files

    def save(self, path: Any) -> None:
        """Write the learner to a file, which `hinge.load` restores bit for bit, ready to go on learning.

        The file is complete or, if anything fails, not there; an older one of that name is then untouched.

        >>> import hinge, tempfile
        >>> clf = hinge.Classifier(intercept=False).learn_one({"free": 2.0}, "spam").learn_one({"meeting": 1.0}, "ham")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     clf.save(f"{folder}/mail.hinge")
        ...     hinge.load(f"{folder}/mail.hinge").predict_one({"free": 2.0})
        'spam'
        """
        from hinge.modelfile import save

        save(self, path)

    # ------------------------------------------------------------------------------- steps

    @property
    def _steps(self) -> list[Any]:
        steps = list(self.step) if isinstance(self.step, list) else [self.step]
        if not steps:
            raise ValueError("step is an empty list; give one step, or the steps to race, such as [hinge.PA1(C=0.1)].")
        for step in steps:
            check_step(step)
        return steps

    def _intercept_value(self) -> float:
        if isinstance(self.intercept, str) and self.intercept == "auto":
            return math.nan
        try:
            value = float(self.intercept)
        except (TypeError, ValueError):
            value = math.nan
        if not math.isfinite(value):
            raise ValueError(f'intercept must be "auto", True, False or a finite number, got {self.intercept!r}')
        return value

    @property
    def contenders_(self) -> list[Contender]:
        """Each step and how it did so far; the learner predicts with the one of the fewest mistakes."""
        self._require_fitted()
        assert self._engine is not None
        return [
            Contender(
                step, int(row[rounds.ROUNDS]), int(row[rounds.MISTAKES]),
                float(row[rounds.MISTAKES] / max(1.0, row[rounds.ROUNDS])), float(row[rounds.LOSS]),
                int(row[rounds.UPDATES]),
            )
            for step, row in zip(self._engine.steps, self._engine.totals, strict=True)
        ]  # fmt: skip

    @property
    def certificate_(self) -> Certificate:
        """What is proved of every fixed hypothesis on the rows so far."""
        self._require_fitted()
        assert self._engine is not None
        if not self._engine.proves:
            raise AttributeError("hinge.AllPairs('max-win') has no certificate: duels are counted, not their margins.")
        leader = int(rounds.leader.py_func(self._engine.totals))
        return certificate_of(self._engine.steps[leader], self._engine.totals[leader])

    # ------------------------------------------------------------------------------- batches

    @contextlib.contextmanager
    def _all_or_nothing(self, table: Table | None) -> Iterator[None]:
        """Whatever fails inside, the learner is afterwards as it was before. (Within another one, that sees to it.)"""
        if self._guarded:
            yield
            return
        engine, state = self._engine, self._state()
        copied = {name: value.copy() if hasattr(value, "copy") else value for name, value in state.items()}
        kept = None
        if engine is not None:
            kept = engine.protect(table) if table is not None else engine.copy()
        self._guarded = True
        try:
            yield
        except BaseException:
            self._engine = engine
            if engine is not None and kept is not None:
                engine.put_back(kept)
            for name in self._state():
                del self.__dict__[name]
            self.__dict__.update(copied)
            self._reading = None
            raise
        finally:
            del self._guarded

    @contextlib.contextmanager
    def _anew(self) -> Iterator[None]:
        """All that was learnt is forgotten; whatever fails inside, it is remembered."""
        learnt = {name: self.__dict__.pop(name) for name in _LEARNT if name in self.__dict__}
        try:
            yield
        except BaseException:
            for name in _LEARNT:
                self.__dict__.pop(name, None)
            self.__dict__.update(learnt)
            raise

    def _all_rows(self, X: Any) -> Any:
        """What `fit` was given, as a table or a list of dicts; at least one row."""
        if is_rows_of_dicts(X):
            return X
        table = self._as_table(X)
        if table.n == 0:
            raise ValueError(
                f"Found array with 0 sample(s) (shape={(0, table.width)}) while a minimum of 1 is required."
            )
        return table

    def _as_table(self, X: Any) -> Table:
        return as_table(self._text().transform(X) if is_texts(X) else X)

    def _table(self, X: Any) -> Table:
        """X checked, and checked against what the learner knows of its features."""
        table = self._as_table(X)
        names = table.names
        if names is not None and not all(isinstance(name, str) for name in names):
            names = None
        if self._engine is None:
            return table
        if self._columns is not None:
            known = list(self._columns)
            if names is None and table.width != self._engine.width:
                raise ValueError(
                    f"X has {table.width} features, but {type(self).__name__} is expecting {self._engine.width} "
                    "features as input (it knows them by name: pass dicts, or a data frame with its names)."
                )
            if names is not None and names != known[: len(names)]:
                raise ValueError(
                    "The feature names should match those that were passed during fit: "
                    f"expected {known[:5]}..., got {names[:5]}..."
                )
        elif table.width != self._engine.width:
            raise ValueError(
                f"X has {table.width} features, but {type(self).__name__} is expecting {self._engine.width} features "
                "as input."
            )
        return table

    def _widen(self, width: int) -> None:
        """Make room for columns up to ``width``, at 0: the same as if they had been known from the beginning."""
        if self._engine is not None and self._columns is None and width > self._engine.width:
            self._engine.grow_features(width)

    def _start(self, dtype: Any, width: int, names: Sequence[Any] | None) -> None:
        self._engine = self._new_engine(dtype, width)
        self._columns = None if names is None else {name: column for column, name in enumerate(names)}
        self._reading = None

    def _fit_table(self, X: Any, y: Any, sample_weight: Any, record: bool = False) -> Record | None:
        """The body of ``partial_fit``; on demand it keeps what was predicted in every round."""
        if is_rows_of_dicts(X):
            return self._fit_dicts(X, y, sample_weight, record)
        table = self._table(X)
        truths = self._truths(y, table.n)
        weights = check_weights(sample_weight, table.n)
        with self._all_or_nothing(table):
            if self._engine is None:
                if table.width == 0:
                    raise ValueError(
                        f"Found array with 0 feature(s) (shape={(table.n, 0)}) while a minimum of 1 is required."
                    )
                names = table.names
                by_name = names is not None and all(isinstance(name, str) for name in names)
                self._start(table.dtype, table.width, names if by_name else None)
            assert self._engine is not None
            kept = self._new_record(table.n, truths) if record else None
            self._learn_table(table, truths, weights, kept)
        return kept

    def _fit_dicts(self, rows: Sequence[Any], y: Any, sample_weight: Any, record: bool = False) -> Record | None:
        weights = check_weights(sample_weight, len(rows))
        if y is not None and len(y) != len(rows):
            raise ValueError(f"X has {len(rows)} rows and y {len(y)}: one target a row was expected.")
        targets = [None] * len(rows) if y is None else y
        kept = None
        with self._all_or_nothing(None):
            if self._engine is None and len(rows):
                self._begin_with(rows[0])
            if record and self._engine is not None:
                kept = self._new_record(len(rows), y)
            for t, (row, target) in enumerate(zip(rows, targets, strict=True)):
                try:
                    if kept is not None:
                        kept.predictions[t] = self._recorded(self._predict_row(row), kept.predictions[t])
                    self.learn_one(row, target, 1.0 if weights is None else float(weights[t]))
                except (TypeError, ValueError) as error:
                    raise type(error)(f"row {t}: {error}") from error
                if kept is not None:
                    kept.losses[t], kept.flags[t] = self._engine.last_round()  # type: ignore[union-attr]
        return kept

    def _scores(self, X: Any, columns: int) -> np.ndarray[Any, Any]:
        """The leader's scores for every row of a table or a list of dicts."""
        self._require_fitted()
        assert self._engine is not None
        if is_rows_of_dicts(X):
            found = np.zeros((len(X), columns), self._engine.dtype)
            for row, x in zip(found, X, strict=True):
                self._predict_row(x)
                first = self._first_lane()
                row[:] = self._engine.scores[first : first + columns]
            return found
        return self._engine.score(self._table(X), columns)

    def _first_lane(self) -> int:
        assert self._engine is not None
        return int(rounds.leader.py_func(self._engine.totals)) * self._engine.stride


def is_texts(X: Any) -> bool:
    """Whether X is a list, or a column, of texts."""
    if isinstance(X, (list, tuple)):
        return len(X) > 0 and isinstance(X[0], str)
    if getattr(X, "ndim", 0) != 1 or len(X) == 0 or not hasattr(X, "dtype"):
        return False
    return getattr(X.dtype, "kind", "O") in "OU" and isinstance(X.iloc[0] if hasattr(X, "iloc") else X[0], str)


def is_rows_of_dicts(X: Any) -> bool:
    """Whether X is a list of rows with named features."""
    return isinstance(X, (list, tuple)) and len(X) > 0 and isinstance(X[0], Mapping)


def certificate_of(step: Any, totals: Any) -> Certificate:
    """The certificate that one contender's account gives."""
    dual, price, total = float(totals[rounds.DUAL]), float(totals[rounds.PRICE]), float(totals[rounds.WEIGHT])
    if isinstance(step, PA):
        return Certificate(dual, math.inf, "separable", total, price)
    if isinstance(step, PA2):
        return Certificate(dual - float(totals[rounds.SQUARES]) / (4 * step.C), float(step.C), "squared", total, price)
    if isinstance(step, PA1):
        return Certificate(dual, float(step.C), "hinge", total, price)
    if isinstance(step, Perceptron):
        return Certificate(dual, float(step.eta), "hinge", total, price)
    return Certificate(dual, price, "hinge", total, price)
