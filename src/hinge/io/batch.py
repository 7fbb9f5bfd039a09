# SPDX-License-Identifier: BSD-3-Clause
"""What a reader hands out: some rows of a file, with their labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Batch"]


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Consecutive rows of a file.

    Sparse rows are the arrays of a CSR matrix; numeric tables are one dense array. `X` is either.

    >>> import numpy as np
    >>> batch = Batch(np.ones(2, np.float32), np.array([0, 3], np.int32), np.array([0, 1, 2]), 4, np.array([1.0, -1.0]))
    >>> len(batch), batch.X.shape
    (2, (2, 4))
    """

    #: The values of the non-zeros, float32.
    data: np.ndarray
    #: Their columns, int32.
    indices: np.ndarray
    #: Where each row begins in them, int64, one longer than the rows.
    indptr: np.ndarray
    #: The number of columns known so far: it can grow from batch to batch, and never shrinks.
    width: int
    #: One label a row: an array of float64 or of strings, or a list of tuples (several labels a row), or of arrays (one
    #: a sequence); None if there are no labels. A row without a label has NaN.
    y: Any = None
    #: One importance a row, float64; None if no row names one.
    weight: np.ndarray | None = None
    #: One name a row, a list of strings; None if no row has one.
    tags: list[str] | None = None
    #: The group of each row (svmlight's ``qid``), int64, -1 where there is none; None if no row has one.
    qid: np.ndarray | None = None
    #: Cost-sensitive rows: a list of {label: cost}, empty for a row without; None if no row has costs.
    costs: list[dict[int, float]] | None = None
    #: The line of the file on which the first row begins, from 1 (a table: the number of its first row).
    first_line: int = 1
    #: How many bad lines were passed over since the batch before.
    skipped: int = 0
    #: The names of the columns: a list in order, or {column: name} where names are hashed; None if they have none.
    names: Any = None
    #: The rows of a numeric table, dense float32; None if rows are sparse.
    dense: np.ndarray | None = None
    #: For files of sequences: where each sequence begins in the rows, int64, one longer than the sequences.
    sequences: np.ndarray | None = None
    #: For files of sequences: the fields of every element as they were written, a list of tuples for each sequence.
    fields: list[list[tuple[str, ...]]] | None = None

    def __len__(self) -> int:
        """How many rows (or sequences) it has."""
        return len(self.indptr) - 1 if self.sequences is None else len(self.sequences) - 1

    @property
    def X(self) -> Any:
        """The rows as learners take them: a csr_matrix, a dense array, or a list of csr_matrix, one a sequence."""
        if self.dense is not None:
            return self.dense
        from scipy.sparse import csr_matrix

        rows = csr_matrix((self.data, self.indices, self.indptr), shape=(len(self.indptr) - 1, self.width))
        if self.sequences is None:
            return rows
        return [rows[begin:end] for begin, end in zip(self.sequences[:-1], self.sequences[1:], strict=True)]


def dense_batch(rows: np.ndarray, **more: Any) -> Batch:
    """A batch of a numeric table; its sparse arrays are the same cells, zeros and all.

    >>> dense_batch(np.array([[0, 2]], np.float32)).indices.tolist()
    [0, 1]
    """
    count, width = rows.shape
    indices = np.tile(np.arange(width, dtype=np.int32), count)
    return Batch(rows.reshape(-1), indices, np.arange(count + 1) * width, width, dense=rows, **more)
