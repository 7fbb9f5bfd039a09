# SPDX-License-Identifier: BSD-3-Clause
"""What every learner on an engine does alike: features by column or by name, rows one at a time, batches that fail whole."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from hinge import round as rounds
from hinge.certificate import Certificate
from hinge.dicts import reader
from hinge.engine import Engine, Record, overflow
from hinge.inputs import Table, as_table
from hinge.learners.estimator import Estimator, check_weights
from hinge.steps import PA, PA1, PA2, Perceptron, check_step

_ROOM = 128


class Contender(NamedTuple):
    """One of the steps raced in a learner, and how it did on the rows so far, before it learnt from each."""

    step: Any
    rounds: int
    mistakes: int
    error_rate: float
    loss: float
    updates: int


class Learner(Estimator):
    """A learner: everything but what a label means, which its subclasses say."""

    step: Any
    focus: Any
    intercept: Any
    _engine: Engine | None = None
    #: Names of features and their columns, for learners that know their features by name.
    _columns: dict[Any, int] | None = None
    _reading: Any = None

    # ------------------------------------------------------------------------------- what a subclass says

    def _new_engine(self, dtype: Any, width: int) -> Engine:
        raise NotImplementedError

    def _truths(self, y: Any, n: int) -> Any:
        """The targets as an array that kernels read; nothing is changed by it."""
        raise NotImplementedError

    def _truth(self, y: Any) -> Any:
        """One target as kernels take it; raises for what cannot be one."""
        raise NotImplementedError

    def _answer(self, prediction: Any) -> Any:
        """What a prediction of the kernels is to a user."""
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
            for step, row in zip(self._steps, self._engine.totals, strict=True)
        ]  # fmt: skip

    @property
    def certificate_(self) -> Certificate:
        """What is proved of every fixed hypothesis on the rows so far."""
        self._require_fitted()
        assert self._engine is not None
        leader = int(rounds.leader.py_func(self._engine.totals))
        return certificate_of(self._steps[leader], self._engine.totals[leader])

    # ------------------------------------------------------------------------------- batches

    @contextlib.contextmanager
    def _all_or_nothing(self, table: Table | None) -> Iterator[None]:
        """Whatever fails inside, the learner is afterwards as it was before."""
        engine, state = self._engine, self._state()
        copied = {name: value.copy() if hasattr(value, "copy") else value for name, value in state.items()}
        kept = None
        if engine is not None:
            kept = engine.protect(table) if table is not None else engine.copy()
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

    def _table(self, X: Any) -> Table:
        """X checked, and checked against what the learner knows of its features."""
        table = as_table(X)
        names = table.names
        if names is not None and not all(isinstance(name, str) for name in names):
            names = None
        if self._engine is None:
            return table
        if self._columns is not None:
            known = list(self._columns)
            if names is None and table.width != self._engine.width:
                raise ValueError(
                    f"X has {table.width} features, but {type(self).__name__} is expecting {self._engine.width} features "
                    "as input (it knows them by name: pass dicts, or a data frame with its names)."
                )
            if names is not None and names != known[: len(names)]:
                raise ValueError(
                    "The feature names should match those that were passed during fit: "
                    f"expected {known[:5]}..., got {names[:5]}..."
                )
        elif table.width != self._engine.width:
            raise ValueError(
                f"X has {table.width} features, but {type(self).__name__} is expecting {self._engine.width} features as input."
            )
        return table

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
                    raise ValueError("Found array with 0 feature(s) (shape={}) while a minimum of 1 is required.".format(
                        (table.n, 0)))  # fmt: skip
                names = table.names
                by_name = names is not None and all(isinstance(name, str) for name in names)
                self._start(table.dtype, table.width, names if by_name else None)
            assert self._engine is not None
            kept = self._engine.new_record(table.n) if record else None
            self._learn_table(table, truths, weights, kept)
        return kept

    def _fit_dicts(self, rows: Sequence[Any], y: Any, sample_weight: Any, record: bool) -> Record | None:
        weights = check_weights(sample_weight, len(rows))
        if y is not None and len(y) != len(rows):
            raise ValueError(f"X has {len(rows)} rows and y {len(y)}: one target a row was expected.")
        targets = [None] * len(rows) if y is None else y
        kept = None
        with self._all_or_nothing(None):
            if self._engine is None and len(rows):
                self._begin_with(rows[0])
            if record and self._engine is not None:
                kept = self._engine.new_record(len(rows))
            for t, (row, target) in enumerate(zip(rows, targets, strict=True)):
                try:
                    if kept is not None:
                        kept.predictions[t] = self._predict_row(row)
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

    # ------------------------------------------------------------------------------- one row

    def learn_one(self, x: Any, y: Any = None, weight: float = 1.0) -> Self:
        """Learn from one row: a dict of named features, a 1-D array, or a sparse matrix of one row.

        A failed call changes nothing.
        """
        reading = self._reading
        if reading is not None and type(x) is dict and 0.0 <= weight < math.inf:
            engine = self._engine
            size = reading.read(x, self._columns, reading.data, reading.indices, 0)
            if size >= 0:
                truth = self._known_truth(y)
                if truth is not None and (
                    engine.call(  # type: ignore[union-attr]
                        rounds.learn_sparse, reading.data, reading.indices, size, 0, truth, float(weight), 0
                    )
                    == rounds.DONE
                ):
                    return self
        self._learn_row(x, y, weight)
        return self

    def predict_one(self, x: Any) -> Any:
        """Predict for one row; names never learnt from count as absent. None while nothing has been learnt."""
        engine, reading = self._engine, self._reading
        if reading is not None and type(x) is dict:
            size = reading.read(x, self._columns, reading.data, reading.indices, 1)
            if size >= 0:
                why, prediction = engine.call(  # type: ignore[union-attr]
                    rounds.predict_sparse, reading.data, reading.indices, size, 0
                )
                if why == rounds.DONE:
                    return self._answer(prediction)
        return None if engine is None else self._answer(self._predict_row(x))

    def _known_truth(self, y: Any) -> Any:
        """The target as kernels take it; None for what the slow path must look at."""
        try:
            return self._truth(y)
        except (TypeError, ValueError):
            return None

    def _learn_row(self, x: Any, y: Any, weight: float) -> None:
        """The path that knows what to do with anything unusual: a new name, a new label, a bad value."""
        try:
            weight = float(weight)
        except (TypeError, ValueError):
            raise TypeError(f"weight must be a number, got {weight!r}") from None
        if not 0.0 <= weight < math.inf:
            raise ValueError(f"weight is {weight}; it must be finite and not negative.")
        begun = self._engine is None
        names = None if self._columns is None else len(self._columns)
        try:
            if begun:
                self._begin_with(x)
            self._learn_one_of(x, y, weight)
        except BaseException:
            if begun:
                self._engine, self._columns, self._reading = None, None, None
            elif names is not None and self._columns is not None and len(self._columns) > names:
                for name in list(self._columns)[names:]:
                    del self._columns[name]
                assert self._engine is not None
                self._engine.width = names
            raise

    def _learn_one_of(self, x: Any, y: Any, weight: float) -> None:
        self._learn_checked(x, self._truth(y), weight)

    def _learn_checked(self, x: Any, truth: Any, weight: float, novel: int = 0) -> None:
        engine = self._engine
        assert engine is not None
        data, indices = self._row(x, learning=True)
        if indices is None:
            why = engine.call(rounds.learn_dense, data, truth, weight, novel)
        else:
            why = engine.call(rounds.learn_sparse, data, indices, len(data), 0, truth, weight, novel)
        if why != rounds.DONE:
            self._refuse(x, data, indices, why)

    def _predict_row(self, x: Any) -> Any:
        """The kernels' prediction for one row; the scores are left in the engine."""
        engine = self._engine
        assert engine is not None
        data, indices = self._row(x, learning=False)
        if indices is None:
            why, prediction = engine.call(rounds.predict_dense, data)
        else:
            why, prediction = engine.call(rounds.predict_sparse, data, indices, len(data), 0)
        if why != rounds.DONE:
            self._refuse(x, data, indices, why)
        return prediction

    def _begin_with(self, x: Any) -> None:
        """Start with a first row, which says whether features have names and what kind of number they are."""
        if isinstance(x, Mapping):
            self._start(np.float64, 0, [])
            return
        if hasattr(x, "tocsr"):
            x = _as_matrix(x)
            dtype, width = x.dtype, x.shape[1]
        else:
            x = np.asarray(x)
            dtype, width = x.dtype, x.shape[-1] if x.ndim else 0
        if width == 0:
            raise ValueError("x has no features; a row of at least one was expected.")
        self._start(dtype if dtype == np.float32 else np.float64, width, None)

    def _row(self, x: Any, learning: bool) -> tuple[Any, Any]:
        """(values, columns) of one row, (values, None) of a dense one: checked, of the engine's kind of number."""
        engine = self._engine
        assert engine is not None
        if isinstance(x, Mapping):
            return self._named_row(x if type(x) is dict else dict(x), learning)
        if hasattr(x, "tocsr"):
            return self._sparse_row(x)
        row = np.asarray(x)
        if row.ndim == 2 and len(row) == 1:
            row = row[0]
        if row.ndim != 1 or row.dtype.kind not in "fiub":
            raise TypeError(f"x must be one row: a dict, a 1-D array of numbers or a sparse row, got {_shown(x)}")
        if len(row) != engine.width:
            raise ValueError(
                f"x has {len(row)} features, but {type(self).__name__} is expecting {engine.width} features as input."
            )
        return np.ascontiguousarray(row, engine.dtype), None

    def _sparse_row(self, x: Any) -> tuple[Any, Any]:
        engine = self._engine
        assert engine is not None
        if getattr(x, "format", "") != "csr" or len(x.shape) != 2:
            x = _as_matrix(x)
        if x.shape[0] != 1 or x.shape[1] != engine.width:
            raise ValueError(
                f"x has the shape {x.shape}, but {type(self).__name__} is expecting one row of {engine.width} features as input."
            )
        data, indices = x.data, x.indices
        if data.dtype != engine.dtype:
            data = data.astype(engine.dtype)
        if not (len(data) == len(indices) == x.indptr[1]) or not _ascend(indices, engine.width):
            view = as_table(x).tidy(engine.dtype, 0, 1)
            return view.data, view.indices
        return data, indices

    def _named_row(self, x: dict[Any, Any], learning: bool) -> tuple[Any, Any]:
        engine = self._engine
        assert engine is not None
        if self._columns is None:
            columns = {column: column for column in x if isinstance(column, (int, np.integer)) and 0 <= column < engine.width}
            strangers = [name for name in x if name not in columns]
            if strangers and learning:
                raise ValueError(
                    f"x names the feature {strangers[0]!r}, but this learner was begun with arrays of {engine.width} "
                    f"columns without names; its features are 0..{engine.width - 1}."
                )
        else:
            columns = self._columns
            if learning and not columns.keys() >= x.keys():
                self._check_values(x)
                for name in x:
                    columns.setdefault(name, len(columns))
                engine.grow_features(len(columns))
        if self._reading is None or len(self._reading.data) < len(x) or self._reading.data.dtype != engine.dtype:
            self._reading = _Reading(engine.dtype, max(_ROOM, 2 * len(x)))
        reading = self._reading
        size = reading.read(x, columns, reading.data, reading.indices, 1)
        if self._columns is None:
            self._reading = None
        return reading.data[:size], reading.indices[:size]

    def _check_values(self, x: dict[Any, Any]) -> None:
        """Raise for a value that is no finite number."""
        for name, value in x.items():
            try:
                number = float(value) if not isinstance(value, (str, bytes)) else None
            except (TypeError, ValueError):
                number = None
            if number is None:
                raise TypeError(f"x has {value!r} for {name!r}; a number was expected.")
            if not math.isfinite(number):
                shown = "NaN" if math.isnan(number) else "infinity"
                raise ValueError(f"x has {shown} for {name!r}; every value must be a finite number (no NaN, no inf).")

    def _refuse(self, x: Any, data: Any, indices: Any, why: int) -> None:
        """Say what is wrong with a row."""
        assert self._engine is not None
        if isinstance(x, Mapping):
            self._check_values(dict(x))
        if why == rounds.NOT_FINITE:
            for place, value in enumerate(data):
                if not math.isfinite(value):
                    shown = "NaN" if math.isnan(value) else "infinity"
                    column = place if indices is None else indices[place]
                    raise ValueError(
                        f"x has {shown} in column {column}; every value must be a finite number (no NaN, no inf)."
                    )
        raise ValueError(overflow("x", self._engine.dtype))


class _Reading:
    """Arrays that dicts are read into, and the kernel that does it."""

    def __init__(self, dtype: Any, room: int) -> None:
        self.data, self.indices = np.zeros(room, dtype), np.zeros(room, np.int32)
        self.read = reader(self.data, self.indices)

    def __reduce__(self) -> Any:
        return _Reading, (self.data.dtype, len(self.data))


def is_rows_of_dicts(X: Any) -> bool:
    """Whether X is a list of rows with named features."""
    return isinstance(X, (list, tuple)) and len(X) > 0 and isinstance(X[0], Mapping)


def _ascend(indices: Any, width: int) -> bool:
    """Whether the indices ascend from 0 to below the width."""
    size = len(indices)
    return size == 0 or (indices[0] >= 0 and indices[-1] < width and bool((indices[1:] > indices[:-1]).all()))


def _as_matrix(x: Any) -> Any:
    """A sparse row of any format as CSR with two dimensions."""
    from scipy.sparse import csr_matrix

    return csr_matrix(x.reshape(1, -1) if len(x.shape) == 1 else x)


def _shown(x: Any) -> str:
    text = repr(x)
    return f"{type(x).__name__} {text[:60]}{'...' if len(text) > 60 else ''}"


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
