# SPDX-License-Identifier: BSD-3-Clause
"""Data frames to rows: pandas, polars, pyarrow, and whatever exports Arrow (``__arrow_c_stream__``) or narwhals knows.

A frame of numbers (and true / false) becomes a dense array. Once it has a column of words (strings, categories), rows
are sparse and every feature is hashed by its name, words as ``name=word``: see `hinge.io.names`, whose rule files
follow too. Other columns (dates, lists, ...) are an error: what they mean as numbers is not for a reader to guess.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hinge.io.names import Names, check_names, place_of

__all__ = ["FrameRows", "as_rows"]

#: Numbers of these types are exact as float32.
SMALL = {"Float32", "Int8", "Int16", "UInt8", "UInt16", "Boolean"}
WORDS = {"String", "Categorical", "Enum"}


class FrameRows(NamedTuple):
    """What a frame becomes."""

    #: A dense array, or a csr_matrix if the frame has words.
    X: Any
    #: The labels: float64, or an object array of words; None without a target.
    y: np.ndarray | None
    #: The columns' names in order, or {column: name} for a csr_matrix.
    names: Any


def as_rows(frame: Any, target: str | int | None = None, *, bits: int = 18) -> FrameRows:
    """The rows of a data frame as learners take them; ``target`` is the column of the labels.

    float32 if that holds every number exactly, else float64.

    >>> import polars
    >>> as_rows(polars.DataFrame({"age": [31, 54], "spam": ["no", "yes"]}), "spam")
    FrameRows(X=array([[31.],
           [54.]]), y=array(['no', 'yes'], dtype=object), names=['age'])
    """
    table = as_table(frame)
    plan = Plan.of(table, target, bits, "the frame")
    dtype = np.dtype(np.float32 if plan.small else np.float64)
    exact = np.dtype(np.float64)
    cells = [read_cells(table, name, exact if name == plan.target else dtype) for name in table.columns]
    for name, (values, bad) in zip(table.columns, cells, strict=True):
        if bad.any():
            row = int(np.argmax(bad))
            what = "a word" if values.dtype == object else "a finite number"
            found = found_at(table, name, row)
            raise ValueError(f"row {row} (from 0), column {name!r}: expected {what}, found {found}")
    return plan.rows(dict(zip(table.columns, (values for values, _ in cells), strict=True)), len(table))


class Plan(NamedTuple):
    """What the columns of a table are and become."""

    #: The features, and which of them are words.
    features: list[str]
    words: list[bool]
    target: str | None
    small: bool
    hashed: Names

    @classmethod
    def of(cls, table: Any, target: str | int | None, bits: int, what: str) -> Plan:
        """The plan for a table and others of the same columns."""
        names = list(table.columns)
        check_names(names, (), what)
        target_name = None if target is None else names[place_of(target, names, what)]
        kinds = {name: kind_of(table, name, what) for name in names}
        features = [name for name in names if name != target_name]
        small = all(kinds[name] in SMALL for name in features)
        return cls(features, [kinds[name] in WORDS for name in features], target_name, small, Names(bits))

    def rows(self, cells: dict[str, np.ndarray], count: int) -> FrameRows:
        """Put columns side by side."""
        y = None if self.target is None else cells[self.target]
        if not any(self.words):
            columns = [cells[name] for name in self.features]
            dense = np.column_stack(columns) if columns else np.empty((count, 0), np.float32)
            return FrameRows(np.ascontiguousarray(dense), y, self.features)
        from scipy.sparse import csr_matrix

        numbers = [cells[name] for name, words in zip(self.features, self.words, strict=True) if not words]
        values = np.ones((count, len(self.features)), np.result_type(*numbers) if numbers else np.float32)
        places = np.empty((count, len(self.features)), np.int32)
        for j, (name, words) in enumerate(zip(self.features, self.words, strict=True)):
            if words:
                places[:, j] = [self.hashed.column(f"{name}={word}") for word in cells[name]]
            else:
                places[:, j] = self.hashed.column(name)
                values[:, j] = cells[name]
        some = values != 0
        indptr = np.concatenate([[0], np.cumsum(some.sum(axis=1))])
        X = csr_matrix((values[some], places[some], indptr), shape=(count, 1 << self.hashed.bits))
        return FrameRows(X, y, self.hashed.shown())


def as_table(frame: Any) -> Any:
    """Any data frame as narwhals' own."""
    try:
        import narwhals
    except ImportError as error:
        raise ImportError("reading data frames needs the package narwhals: pip install 'hinge[frames]'") from error
    if isinstance(frame, narwhals.DataFrame):
        return frame
    found = narwhals.from_native(frame, pass_through=True)
    if isinstance(found, narwhals.LazyFrame):
        raise TypeError(f"{type(frame).__name__} is lazy: collect() it, or hand over its parts one by one")
    if isinstance(found, narwhals.DataFrame):
        return found
    if hasattr(frame, "__arrow_c_stream__"):
        import pyarrow

        return narwhals.from_native(pyarrow.table(frame))
    raise TypeError(f"expected a data frame (pandas, polars, pyarrow, or any that exports Arrow), not {frame!r:.80}")


def kind_of(table: Any, name: str, what: str) -> str:
    """The type of a column by name, if it can be features or labels."""
    if not isinstance(name, str):
        raise ValueError(f"{what}: columns need names that are strings, not {name!r}")
    kind = table[name].dtype
    shown = type(kind).__name__ if not isinstance(kind, type) else kind.__name__
    if shown == "Object" and all(isinstance(cell, str) or cell is None for cell in table[name].to_list()):
        return "String"
    if kind.is_numeric() or shown == "Boolean" or shown in WORDS:
        return shown
    raise ValueError(
        f"{what}: the column {name!r} holds {kind}; expected numbers, true / false or words: convert or drop it"
    )


def read_cells(table: Any, name: str, dtype: np.dtype[Any]) -> tuple[np.ndarray, np.ndarray]:
    """A column's cells (numbers, or objects for words), and which of them are missing or not finite."""
    import narwhals

    series = table[name]
    missing = series.is_null().to_numpy().astype(bool)
    if kind_of(table, name, "the table") in WORDS:
        values = np.empty(len(series), object)
        values[:] = series.cast(narwhals.String).to_list() if series.dtype != narwhals.Object else series.to_list()
        return values, missing
    if missing.any():
        series = series.fill_null(0)
    exact = series.to_numpy().astype(np.float64)  # whole numbers above 2^53 to the nearest double
    with np.errstate(over="ignore"):
        numbers = exact.astype(dtype)
    return numbers, missing | ~np.isfinite(numbers)


def found_at(table: Any, name: str, row: int) -> str:
    """One cell, for a message."""
    if bool(table[name].is_null()[row]):
        return "nothing"
    return f"{table[name][row]!r:.40}"
