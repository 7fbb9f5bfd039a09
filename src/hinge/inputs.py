# SPDX-License-Identifier: BSD-3-Clause
"""Tables of rows as people have them (arrays, CSR, data frames), seen as what kernels read (`hinge.rows`).

Nothing is copied where the numbers already lie as kernels want them; else a piece at a time is, so that a pass over
any table needs the memory of one piece. X is never changed and never kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from hinge.rows import Dense, Sparse

#: What is converted at a time where a table has to be: about so many numbers.
PIECE = 1 << 19

FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


class Table:
    """A checked table: ``n`` rows, ``width`` columns, the kind of its numbers, and the columns' names if it has any."""

    n: int
    width: int
    dtype: np.dtype[Any]
    names: list[Any] | None = None
    #: The rows as they came.
    X: Any
    #: The number that messages give to row 0: a part of a table counts as the whole does.
    offset: int = 0

    def part(self, start: int, stop: int) -> Table:
        """Rows start..stop as a table."""
        raise NotImplementedError

    def taken(self, order: Any) -> Table:
        """A table of these rows, in this order."""
        raise NotImplementedError

    def pieces(self, dtype: Any, start: int, stop: int) -> Iterator[tuple[int, int, Any]]:
        """Rows start..stop as (start, stop, view) in order; row 0 of a view is the piece's first."""
        raise NotImplementedError

    def tidy(self, dtype: Any, start: int, stop: int) -> Any:
        """A view of a copy of these rows with indices in order and repeated ones summed."""
        raise NotImplementedError

    def columns(self) -> Any:
        """The columns that have values, some more than once; None for all."""
        return None

    def fault(self, row: int) -> str:
        """What is wrong with a row that has no finite norm, or with its indices."""
        raise NotImplementedError

    @property
    def nbytes(self) -> int:
        """The memory of the table itself."""
        raise NotImplementedError


def converted(array: Any, dtype: Any) -> np.ndarray[Any, Any]:
    """The array in one piece, of another kind of number; what is too large for that is infinite, and refused later."""
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(array, dtype)


def _part_of(whole: Table, part: Table, start: int) -> Table:
    part.names, part.offset = whole.names, whole.offset + start
    return part


def _not_finite(value: float, row: int, column: int) -> str:
    shown = "NaN" if np.isnan(value) else "infinity"
    return f"X has {shown} in row {row}, column {column}; every value must be a finite number (no NaN, no inf)."


class DenseTable(Table):
    """A two-dimensional array."""

    def __init__(self, X: np.ndarray[Any, Any]) -> None:
        self.X = X
        self.n, self.width = X.shape
        self.dtype = X.dtype if X.dtype in FLOATS else FLOATS[1]

    def part(self, start: int, stop: int) -> Table:
        """Rows start..stop, without a copy."""
        return _part_of(self, DenseTable(self.X[start:stop]), start)

    def taken(self, order: Any) -> Table:
        """A copy."""
        return _part_of(self, DenseTable(self.X[order]), 0)

    @property
    def nbytes(self) -> int:
        """The memory of the array."""
        return int(self.X.nbytes)

    def pieces(self, dtype: Any, start: int, stop: int) -> Iterator[tuple[int, int, Any]]:
        """The array itself, or converted piece by piece."""
        X = self.X
        if X.dtype == dtype and X.flags.c_contiguous:
            yield start, stop, Dense(X[start:stop].reshape(-1), self.width)
            return
        step = max(1, PIECE // max(1, self.width))
        for first in range(start, stop, step):
            last = min(stop, first + step)
            yield first, last, Dense(converted(X[first:last], dtype).reshape(-1), self.width)

    def fault(self, row: int) -> str:
        """The first value that is no number, or else that they are too large together."""
        values = np.asarray(self.X[row], np.float64)
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            return _not_finite(values[bad[0]], row + self.offset, int(bad[0]))
        return _too_large(values, np.arange(self.width), row + self.offset)


def _too_large(values: Any, columns: Any, row: int) -> str:
    largest = int(np.argmax(np.abs(values)))
    return (
        f"X has {values[largest]:g} in row {row}, column {columns[largest]}: its square is too large to count with "
        "(float32 rows: above about 1e19, which is inf). Scale the features, or pass float64."
    )


class SparseTable(Table):
    """A CSR matrix."""

    def __init__(self, X: Any) -> None:
        self.X = X
        self.n, self.width = X.shape
        self.dtype = X.dtype if X.dtype in FLOATS else FLOATS[1]
        indptr = np.asarray(X.indptr)
        stored = min(len(X.indices), len(X.data))
        if len(indptr) != self.n + 1 or indptr[0] != 0 or indptr[-1] > stored or (np.diff(indptr) < 0).any():
            raise ValueError(
                f"X is a broken CSR matrix: indptr must ascend from 0 to at most the {stored} stored values, "
                f"with one entry more than the {self.n} rows."
            )

    def part(self, start: int, stop: int) -> Table:
        """Rows start..stop, as a copy."""
        return _part_of(self, SparseTable(self.X[start:stop]), start)

    def taken(self, order: Any) -> Table:
        """A copy."""
        return _part_of(self, SparseTable(self.X[order]), 0)

    @property
    def nbytes(self) -> int:
        """The memory of the matrix."""
        return int(self.X.data.nbytes + self.X.indices.nbytes + self.X.indptr.nbytes)

    def pieces(self, dtype: Any, start: int, stop: int) -> Iterator[tuple[int, int, Any]]:
        """The matrix itself, or converted piece by piece."""
        X = self.X
        indptr = np.asarray(X.indptr, np.int64)
        if X.data.dtype == dtype and X.data.flags.c_contiguous and X.indices.flags.c_contiguous:
            yield start, stop, Sparse(X.data, X.indices, indptr[start:] if start else indptr, self.width)
            return
        first = start
        while first < stop:
            last = int(np.searchsorted(indptr, indptr[first] + PIECE, side="right")) - 1
            last = min(stop, max(first + 1, last))
            part = slice(indptr[first], indptr[last])
            data, indices = converted(X.data[part], dtype), np.ascontiguousarray(X.indices[part])
            yield first, last, Sparse(data, indices, indptr[first : last + 1] - indptr[first], self.width)
            first = last

    def columns(self) -> Any:
        """The stored values' columns."""
        return self.X.indices[: self.X.indptr[-1]]

    def tidy(self, dtype: Any, start: int, stop: int) -> Any:
        """Repeated features are summed before anything else is made of a row."""
        from scipy.sparse import csr_matrix

        part = slice(self.X.indptr[start], self.X.indptr[stop])
        indices = np.array(self.X.indices[part])
        outside = np.flatnonzero((indices < 0) | (indices >= self.width))
        if len(outside):
            row = int(np.searchsorted(self.X.indptr, part.start + outside[0], side="right")) - 1 + self.offset
            raise ValueError(
                f"X has the column index {indices[outside[0]]} in row {row}; indices must lie in 0..{self.width - 1}."
            )
        data = converted(self.X.data[part], dtype).copy()
        copy = csr_matrix(
            (data, indices, self.X.indptr[start : stop + 1] - part.start), shape=(stop - start, self.width)
        )
        copy.sum_duplicates()
        return Sparse(copy.data, copy.indices, np.asarray(copy.indptr, np.int64), self.width)

    def fault(self, row: int) -> str:
        """The first value that is no number, or else that they are too large together."""
        part = slice(self.X.indptr[row], self.X.indptr[row + 1])
        values, columns = np.asarray(self.X.data[part], np.float64), self.X.indices[part]
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            return _not_finite(values[bad[0]], row + self.offset, int(columns[bad[0]]))
        return _too_large(values, columns, row + self.offset)


def as_table(X: Any) -> Table:
    """See a table of rows; a clear ValueError or TypeError for what cannot be one."""
    if isinstance(X, Table):
        return X
    if type(X) is np.ndarray and X.ndim == 2 and X.dtype in FLOATS:
        return DenseTable(X)
    if hasattr(X, "tocsr"):
        if X.dtype.kind not in "fiub":
            raise ValueError(f"X must hold real numbers, got dtype {X.dtype}. Complex data not supported.")
        if len(X.shape) == 2:
            return SparseTable(X if X.format == "csr" else X.tocsr())
    from sklearn.utils import check_array

    names = list(X.columns) if hasattr(X, "columns") else None
    array = check_array(X, dtype="numeric", ensure_all_finite=False, ensure_min_samples=0, ensure_min_features=0,
                        accept_sparse="csr", input_name="X")  # fmt: skip
    table = DenseTable(array)
    table.names = names
    return table
