# SPDX-License-Identifier: BSD-3-Clause
"""One row at a time: dicts, 1-D arrays and sparse rows, checked and brought to the kernels."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from hinge import round as rounds
from hinge.dicts import reader
from hinge.engine import Engine, overflow
from hinge.inputs import as_table, converted
from hinge.learners.estimator import Estimator

_ROOM = 128
#: For sparse rows, and for dense ones.
_LEARN = rounds.learn_sparse, rounds.learn_dense
_PREDICT = rounds.predict_sparse, rounds.predict_dense


class RowLearner(Estimator):
    """`learn_one` and `predict_one`: a short way for what is as before, a long one for everything else."""

    _engine: Engine | None = None
    #: Names of features and their columns, for learners that know their features by name.
    _columns: dict[Any, int] | None = None
    _reading: Any = None
    #: How texts become rows; None is what `hinge.Text()` does.
    text: Any = None
    _own_text: Any = None

    # ------------------------------------------------------------------------------- what a subclass says

    def _start(self, dtype: Any, width: int, names: Any) -> None:
        """Begin to learn rows of this kind of number and width; with names, features are known by them."""
        raise NotImplementedError

    def _truth(self, y: Any) -> Any:
        """One target as kernels take it; raises for what cannot be one."""
        raise NotImplementedError

    def _answer(self, prediction: Any) -> Any:
        """What a prediction of the kernels is to a user."""
        raise NotImplementedError

    # ------------------------------------------------------------------------------- the short way

    def learn_one(self, x: Any, y: Any = None, weight: float = 1.0) -> Self:
        """Learn from one row: a dict of named features, a 1-D array, a sparse matrix of one row, or a text.

        A failed call changes nothing.
        """
        engine = self._engine
        if engine is not None and type(weight) is float and 0.0 <= weight < math.inf:
            truth = self._known_truth(y)
            if truth is not None and self._quickly(engine, x, 0, _LEARN, truth, weight, 0) == rounds.DONE:
                return self
        self._learn_row(x, y, weight)
        return self

    def predict_one(self, x: Any) -> Any:
        """Predict for one row; names never learnt from count as absent. None while nothing has been learnt."""
        engine = self._engine
        if engine is None:
            return None
        answer = self._quickly(engine, x, 1, _PREDICT)
        if answer is not None and answer[0] == rounds.DONE:
            return self._answer(answer[1])
        return self._answer(self._predict_row(x))

    def _quickly(self, engine: Engine, x: Any, skip: int, kernels: tuple[Any, Any], *more: Any) -> Any:
        """Call the kernel for a row that is as rows have been so far; None for any other."""
        if type(x) is dict:
            reading = self._reading
            if reading is None:
                return None
            size = reading.read(x, self._columns, reading.data, reading.indices, skip)
            return None if size < 0 else engine.call(kernels[0], reading.data, reading.indices, size, 0, *more)
        if type(x) is str:
            if self._own_text is None or (self.text is not None and self.text is not self._own_text):
                return None
            indices, data = self._own_text.transform_one(x)
            return engine.call(kernels[0], data, indices, len(data), 0, *more)
        if type(x) is np.ndarray:
            if x.shape != (engine.width,) or x.dtype != engine.dtype or not x.flags.c_contiguous:
                return None
            return engine.call(kernels[1], x, *more)
        if getattr(x, "format", None) != "csr" or x.shape != (1, engine.width):
            return None
        data, indices, size = x.data, x.indices, len(x.data)
        if (
            data.dtype != engine.dtype or indices.dtype != np.int32 or len(indices) != size or x.indptr[1] != size
            or not (data.flags.c_contiguous and indices.flags.c_contiguous)
        ):  # fmt: skip
            return None
        return engine.call(kernels[0], data, indices, size, engine.width, *more)

    def _known_truth(self, y: Any) -> Any:
        """The target as kernels take it; None for what the slow path must look at."""
        try:
            return self._truth(y)
        except (TypeError, ValueError):
            return None

    # ------------------------------------------------------------------------------- the long way

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
        if isinstance(x, str):
            text = self._text()
            self._start(np.dtype(text.dtype), 1 << text.bits, None)
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
        if isinstance(x, str):
            return self._text_row(x)
        if hasattr(x, "tocsr"):
            return self._sparse_row(x)
        row = np.asarray(x)
        if row.ndim == 2 and len(row) == 1:
            row = row[0]
        if row.ndim != 1 or row.dtype.kind not in "fiub":
            raise TypeError(
                f"x must be one row: a dict, a 1-D array of numbers, a sparse row or a text, got {_shown(x)}"
            )
        if len(row) != engine.width:
            raise ValueError(
                f"x has {len(row)} features, but {type(self).__name__} is expecting {engine.width} features as input."
            )
        return converted(row, engine.dtype), None

    def _text(self) -> Any:
        """What turns texts into rows."""
        if self.text is not None and not (hasattr(self.text, "transform_one") and hasattr(self.text, "bits")):
            raise TypeError(f"text must be None or a hinge.Text, got {self.text!r}")
        if self.text is not None:
            return self.text
        from hinge.text import Text

        return Text()

    def _text_row(self, x: str) -> tuple[Any, Any]:
        engine, text = self._engine, self._own_text if self.text is None and self._own_text else self._text()
        assert engine is not None
        if self._columns is not None or engine.width != 1 << text.bits:
            raise ValueError(
                f"x is a text, which has {1 << text.bits} features, but this learner has learnt rows "
                + (f"of {engine.width} features" if self._columns is None else "with named features")
                + "; all its rows must be of one kind."
            )
        indices, data = text.transform_one(x)
        if data.dtype != engine.dtype:
            return data.astype(engine.dtype), indices
        self._own_text = text  # from now on the short way
        return data, indices

    def _sparse_row(self, x: Any) -> tuple[Any, Any]:
        engine = self._engine
        assert engine is not None
        if getattr(x, "format", "") != "csr" or len(x.shape) != 2:
            x = _as_matrix(x)
        if x.shape[0] != 1 or x.shape[1] != engine.width:
            raise ValueError(
                f"x has the shape {x.shape}, but {type(self).__name__} is expecting one row "
                f"of {engine.width} features as input."
            )
        data, indices = x.data, x.indices
        if not (len(data) == len(indices) == x.indptr[1]) or not _ascend(indices, engine.width):
            view = as_table(x).tidy(engine.dtype, 0, 1)
            data, indices = view.data, view.indices
        return converted(data, engine.dtype), np.ascontiguousarray(indices, np.int32)

    def _named_row(self, x: dict[Any, Any], learning: bool) -> tuple[Any, Any]:
        engine = self._engine
        assert engine is not None
        if self._columns is None:
            numbers = [name for name in x if isinstance(name, (int, np.integer)) and 0 <= name < engine.width]
            columns: dict[Any, int] = {name: int(name) for name in numbers}
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
            except OverflowError:
                number = math.inf
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
