# SPDX-License-Identifier: BSD-3-Clause
"""Rows that kernels are taken of: those of a block, and the supports, dense or sparse; and their products.

Supports lie in arrays that at least double when they are full. Dense ones are the rows of a matrix; of sparse ones
slot i has the non-zeros ``starts[i]`` to ``stops[i]`` of a common pool.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from hinge.native import compiled, kernel

Array = np.ndarray[Any, Any]
#: Room for so many supports at first.
FIRST = 64


@dataclasses.dataclass(frozen=True, slots=True)
class DenseRows:
    """A matrix, and the squared norms of its rows."""

    X: Array
    q: Array

    def __len__(self) -> int:
        return len(self.X)

    def part(self, rows: Any) -> DenseRows:
        """Some of the rows."""
        return DenseRows(self.X[rows], self.q[rows])

    def dense(self) -> Array:
        """As a matrix."""
        return self.X


@dataclasses.dataclass(frozen=True, slots=True)
class SparseRows:
    """Row i has the non-zeros ``starts[i]`` to ``stops[i]``; no index occurs twice in a row."""

    data: Array
    indices: Array
    starts: Array
    stops: Array
    q: Array
    width: int

    def __len__(self) -> int:
        return len(self.starts)

    def part(self, rows: Any) -> SparseRows:
        """Some of the rows."""
        return dataclasses.replace(self, starts=self.starts[rows], stops=self.stops[rows], q=self.q[rows])

    def dense(self) -> Array:
        """As a matrix."""
        X = np.zeros((len(self), self.width), self.data.dtype)
        for row, start, stop in zip(X, self.starts, self.stops, strict=True):
            row[self.indices[start:stop]] = self.data[start:stop]
        return X


Rows = DenseRows | SparseRows


def dense_rows(X: Array) -> DenseRows:
    """A matrix with its squared norms."""
    return DenseRows(X, np.einsum("ij,ij->i", X, X))


def sparse_rows(data: Array, indices: Array, starts: Array, stops: Array, width: int) -> SparseRows:
    """Sparse rows with their squared norms."""
    q = np.zeros(len(starts), data.dtype)
    arguments = (data, np.ascontiguousarray(starts, np.int64), np.ascontiguousarray(stops, np.int64), q)
    kernel(_norms, *arguments)(*arguments)
    return SparseRows(data, indices, arguments[1], arguments[2], q, width)


def as_sparse(rows: Rows, width: int) -> SparseRows:
    """The same rows, sparse."""
    if isinstance(rows, SparseRows):
        return dataclasses.replace(rows, width=width)
    where, indices = np.nonzero(rows.X)
    ends = np.searchsorted(where, np.arange(len(rows) + 1))
    return SparseRows(
        np.ascontiguousarray(rows.X[where, indices]), indices.astype(np.int32), ends[:-1], ends[1:], rows.q, width
    )


def as_dense(rows: Rows) -> DenseRows:
    """The same rows, dense."""
    return rows if isinstance(rows, DenseRows) else DenseRows(rows.dense(), rows.q)


@compiled
def _norms(data: Any, starts: Any, stops: Any, q: Any) -> int:
    for i in range(q.size):
        total = data.dtype.type(0)
        for at in range(starts[i], stops[i]):
            total += data[at] * data[at]
        q[i] = total
    return 0


@compiled
def _sparse_dots(data: Any, indices: Any, starts: Any, stops: Any, table: Any, where: Any, dots: Any) -> int:
    """dots[i, t] = x_i . x_t for a block's rows t, which lie in a table with a line for each feature that occurs in
    the block: feature j has line ``where[j] - 1``, or none.
    """
    for i in range(starts.size):
        for t in range(dots.shape[1]):
            dots[i, t] = 0
        for at in range(starts[i], stops[i]):
            line = where[indices[at]] - 1
            if line >= 0:
                value = data[at]
                for t in range(dots.shape[1]):
                    dots[i, t] += value * table[line, t]
    return 0


class SparseTable:
    """The rows of a block, laid out for products with many others."""

    def __init__(self, block: SparseRows, where: Array) -> None:
        self.n, self.where = len(block), where
        sizes = block.stops - block.starts
        taken = np.repeat(block.starts - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))
        indices = block.indices[taken]
        self.features, lines = np.unique(indices, return_inverse=True)
        self.table = np.zeros((len(self.features), self.n), block.data.dtype)
        self.table[lines, np.repeat(np.arange(self.n), sizes)] = block.data[taken]
        where[self.features] = np.arange(1, len(self.features) + 1)

    def dots(self, rows: SparseRows) -> Array:
        """The products of the block's rows with these: (block, rows)."""
        found = np.empty((len(rows), self.n), rows.data.dtype)
        arguments = (rows.data, rows.indices, rows.starts, rows.stops, self.table, self.where, found)
        kernel(_sparse_dots, *arguments)(*arguments)
        return found.T

    def close(self) -> None:
        """Leave the map of features as it was."""
        self.where[self.features] = 0


class DenseSupports:
    """Supports as the rows of a matrix."""

    def __init__(self, width: int, dtype: Any) -> None:
        self.X, self.q = np.zeros((FIRST, width), dtype), np.zeros(FIRST, dtype)

    def fitting(self, block: Rows, width: int) -> Rows:
        """The block's rows as these are."""
        if width > self.X.shape[1]:
            wider = np.zeros((len(self.X), width), self.X.dtype)
            wider[:, : self.X.shape[1]] = self.X
            self.X = wider
        return as_dense(block)

    def view(self, start: int, stop: int) -> DenseRows:
        """Some of them in a row."""
        return DenseRows(self.X[start:stop], self.q[start:stop])

    def put(self, slots: Array, rows: Any) -> None:
        """Rows into slots; slots beyond the last are new ones."""
        need = int(slots.max(initial=-1)) + 1
        if need > len(self.X):
            room = max(need, 2 * len(self.X))
            X, q = np.zeros((room, self.X.shape[1]), self.X.dtype), np.zeros(room, self.q.dtype)
            X[: len(self.X)], q[: len(self.q)] = self.X, self.q
            self.X, self.q = X, q
        self.X[slots], self.q[slots] = rows.X, rows.q

    def copy(self, whole: bool) -> DenseSupports:
        """To be put back; not ``whole``: what is appended later does not disturb it."""
        made = object.__new__(DenseSupports)
        made.X, made.q = (self.X.copy(), self.q.copy()) if whole else (self.X, self.q)
        return made

    def rows(self, slots: Array, width: int) -> Any:
        """Those of some slots, as a matrix."""
        return self.X[slots][:, :width]

    @property
    def nbytes(self) -> int:
        """Their memory."""
        return self.X.nbytes + self.q.nbytes


class SparseSupports:
    """Supports in a pool of non-zeros."""

    def __init__(self, dtype: Any) -> None:
        self.data, self.indices = np.zeros(FIRST, dtype), np.zeros(FIRST, np.int32)
        self.starts, self.stops, self.q = np.zeros(FIRST, np.int64), np.zeros(FIRST, np.int64), np.zeros(FIRST, dtype)
        self.end = 0

    def fitting(self, block: Rows, width: int) -> Rows:
        """The block's rows as these are."""
        return as_sparse(block, width)

    def view(self, start: int, stop: int) -> SparseRows:
        """Some of them in a row; their width is not told."""
        part = slice(start, stop)
        return SparseRows(self.data, self.indices, self.starts[part], self.stops[part], self.q[part], 0)

    def put(self, slots: Array, rows: Any) -> None:
        """Rows into slots; slots beyond the last are new ones."""
        need = int(slots.max(initial=-1)) + 1
        if need > len(self.q):
            room = max(need, 2 * len(self.q))
            self.starts, self.stops = _longer(self.starts, room), _longer(self.stops, room)
            self.q = _longer(self.q, room)
        sizes = rows.stops - rows.starts
        self.starts[slots] = self.stops[slots] = self.end  # what was there is gone, should the pool be tidied
        self._make_room(int(sizes.sum()))
        for slot, start, stop in zip(slots.tolist(), rows.starts.tolist(), rows.stops.tolist(), strict=True):
            end = self.end + stop - start
            self.data[self.end : end], self.indices[self.end : end] = rows.data[start:stop], rows.indices[start:stop]
            self.starts[slot], self.stops[slot] = self.end, end
            self.end = end
        self.q[slots] = rows.q

    def _make_room(self, more: int) -> None:
        """For so many non-zeros more: by leaving out what is of no slot any more, or in a larger pool."""
        if self.end + more <= len(self.data):
            return
        sizes = self.stops - self.starts
        kept = int(sizes.sum())
        room = len(self.data) if 2 * (kept + more) <= len(self.data) else max(2 * len(self.data), kept + more)
        data, indices = np.zeros(room, self.data.dtype), np.zeros(room, np.int32)
        taken = np.repeat(self.starts - np.cumsum(sizes) + sizes, sizes) + np.arange(kept)
        data[:kept], indices[:kept] = self.data[taken], self.indices[taken]
        self.stops = np.cumsum(sizes)
        self.starts = self.stops - sizes
        self.data, self.indices, self.end = data, indices, kept

    def copy(self, whole: bool) -> SparseSupports:
        """To be put back. The pool itself is only appended to, or left for another."""
        made = object.__new__(SparseSupports)
        made.data, made.indices, made.end = self.data, self.indices, self.end
        made.starts, made.stops, made.q = self.starts.copy(), self.stops.copy(), self.q.copy()
        return made

    def rows(self, slots: Array, width: int) -> Any:
        """Those of some slots, as a CSR matrix."""
        from scipy.sparse import csr_matrix

        sizes = (self.stops - self.starts)[slots]
        ends = np.concatenate([[0], np.cumsum(sizes)])
        taken = np.repeat(self.starts[slots] - ends[:-1], sizes) + np.arange(ends[-1])
        matrix = csr_matrix((self.data[taken], self.indices[taken], ends), shape=(len(slots), width))
        matrix.sort_indices()
        return matrix

    @property
    def nbytes(self) -> int:
        """Their memory."""
        return sum(array.nbytes for array in (self.data, self.indices, self.starts, self.stops, self.q))


def _longer(array: Array, room: int) -> Array:
    longer = np.zeros(room, array.dtype)
    longer[: len(array)] = array
    return longer
