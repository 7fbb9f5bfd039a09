# SPDX-License-Identifier: BSD-3-Clause
"""Sets of labels, one a row: as indicator matrices, dense or sparse, or as collections of any hashable labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from hinge.learners.labels import Labels
from hinge.tasks.multilabel import Sets


class Codes:
    """Label sets as kernels read them: a slice of rows is a `Sets`."""

    def __init__(self, codes: np.ndarray[Any, Any], ends: np.ndarray[Any, Any]) -> None:
        self.codes, self.ends = codes, ends

    def __getitem__(self, rows: slice) -> Sets:
        """Rows start..stop, without a copy."""
        return Sets(self.codes, self.ends[rows.start : rows.stop + 1])


class LabelSets:
    """Checked label sets: those of row t are ``flat[ends[t] : ends[t + 1]]``.

    They are labels; or, with ``columns``, the columns of an indicator matrix that has so many.
    """

    def __init__(self, flat: np.ndarray[Any, Any], ends: np.ndarray[Any, Any], columns: int | None = None) -> None:
        self.flat, self.ends, self.columns = flat, ends, columns

    def __len__(self) -> int:
        return len(self.ends) - 1

    def __getitem__(self, rows: Any) -> LabelSets:
        """Some rows: a slice, their numbers, or a mask."""
        chosen = np.arange(len(self))[rows]
        sizes = np.diff(self.ends)[chosen]
        ends = np.concatenate([[0], np.cumsum(sizes)])
        places = np.repeat(self.ends[chosen] - ends[:-1], sizes) + np.arange(ends[-1])
        return LabelSets(self.flat[places], ends, self.columns)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        flat = self.flat.tolist()
        for start, stop in zip(self.ends[:-1].tolist(), self.ends[1:].tolist(), strict=True):
            yield tuple(flat[start:stop])

    def distinct(self) -> list[Any]:
        """Every label there is, in the order of appearance."""
        return list(dict.fromkeys(self.flat.tolist()))

    def named(self, labels: Labels) -> LabelSets:
        """The same with labels in place of columns."""
        if self.columns is None:
            return self
        names = np.empty(len(labels), object)
        for code, label in enumerate(labels.list):
            names[code] = label
        return LabelSets(names[self.flat], self.ends)

    def encode(self, labels: Labels) -> tuple[Codes, list[tuple[int, int]]]:
        """(codes, the rows that name new labels and how many each names); new labels are added."""
        ends = np.ascontiguousarray(self.ends, np.int64)
        if self.columns is not None:
            return Codes(np.ascontiguousarray(self.flat, np.int32), ends), []
        codes = np.empty(len(self.flat), np.int32)
        news = []
        for place, label in enumerate(self.flat.tolist()):
            code = labels.codes.get(label)
            if code is None:
                code = labels.add(label)
                news.append(place)
            codes[place] = code
        rows, counts = np.unique(np.searchsorted(ends, news, side="right") - 1, return_counts=True)
        return Codes(codes, ends), list(zip(rows.tolist(), counts.tolist(), strict=True))


def as_label_sets(y: Any, n: int) -> LabelSets:
    """Targets checked: n sets of labels."""
    if y is None:
        raise ValueError("This MultilabelClassifier requires y to be passed, but the target y is None.")
    sets: LabelSets = y if isinstance(y, LabelSets) else _of_indicators(y) if _is_table(y) else _of_collections(y)
    if len(sets) != n:
        raise ValueError(
            f"X has {n} rows and y {len(sets)} sets of labels: "
            f"Found input variables with inconsistent numbers of samples: {[n, len(sets)]}"
        )
    return sets


def _is_table(y: Any) -> bool:
    return hasattr(y, "tocsr") or getattr(y, "ndim", 1) == 2 or (hasattr(y, "columns") and hasattr(y, "to_numpy"))


def _of_indicators(y: Any) -> LabelSets:
    """A matrix of 0 and 1: a row for each row, a column for each label."""
    if hasattr(y, "tocsr"):
        matrix = y.tocsr(copy=True)
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        values, ends, columns = np.asarray(matrix.data), np.asarray(matrix.indptr), np.asarray(matrix.indices)
        width = int(y.shape[1])
    else:
        table = np.asarray(y)
        if table.dtype.kind not in "biuf":
            raise ValueError(
                f"y is a table of {table.dtype}; an indicator matrix of 0 and 1 was expected, a column for each label, "
                "or a list with a collection of labels for each row."
            )
        rows, columns = np.nonzero(table)
        values, width = table[rows, columns], table.shape[1]
        ends = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(table)))])
    bad = np.flatnonzero(~(values == 1))
    if len(bad):
        row = int(np.searchsorted(ends, bad[0], side="right")) - 1
        raise ValueError(
            f"y has {values[bad[0]]} in row {row}, column {columns[bad[0]]}; an indicator matrix holds 0 and 1 only. "
            "(Labels themselves are given as a list with a collection of labels for each row.)"
        )
    return LabelSets(np.asarray(columns, np.int32), np.asarray(ends, np.int64), width)


def _of_collections(y: Any) -> LabelSets:
    """A list, or any other sequence, of collections of labels."""
    if isinstance(y, (str, bytes, Mapping)) or not isinstance(y, Iterable):
        raise TypeError(f"y must be an indicator matrix or a list of collections of labels, got {y!r}")
    flat: list[Any] = []
    ends = [0]
    for row, labels in enumerate(y):
        flat.extend(as_labels_of_row(labels, f"y has {labels!r} in row {row}"))
        ends.append(len(flat))
    sizes = set(map(int.__sub__, ends[1:], ends))
    if len(sizes) == 1 and max(sizes) > 1 and set(flat) <= {0, 1}:
        width = max(sizes)
        if any(len(set(flat[place : place + width])) < width for place in range(0, len(flat), width)):
            raise ValueError(
                f"y is a list of {width} numbers 0 or 1 a row, as an indicator matrix has them; make it one, "
                "numpy.array(y). (In a list the numbers are labels, and here labels are named twice in a row.)"
            )
    array = np.empty(len(flat), object)
    for place, label in enumerate(flat):
        array[place] = label
    return LabelSets(array, np.array(ends, np.int64))


def as_labels_of_row(labels: Any, what: str) -> Sequence[Any]:
    """The labels of one row, checked; ``what`` begins a message."""
    if isinstance(labels, (str, bytes, Mapping)) or not isinstance(labels, Iterable):
        raise TypeError(
            f"{what}; a collection of labels was expected, such as (), ('a',) or ('a', 'b'). "
            "Where every row has one label, hinge.Classifier learns it."
        )
    plain = [label.item() if isinstance(label, np.generic) else label for label in labels]
    for label in plain:
        try:
            hash(label)
        except TypeError:
            raise TypeError(f"{what}: {label!r} is not hashable; labels are numbers, strings, tuples, ...") from None
        if label is None or label != label:
            raise ValueError(f"{what}: {'NaN' if label is not None else None} is no label.")
    return plain
