# SPDX-License-Identifier: BSD-3-Clause
"""Labels of any hashable kind, numbered as they are first seen."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from hinge.native import compiled, kernel


@compiled
def _encode(values: Any, known: Any, order: Any, codes: Any, start: int) -> int:
    """Number values from ``start`` on by binary search in the sorted known ones; the first unknown one, or the end."""
    last, last_code = values[0], np.int32(-1)
    for i in range(start, values.size):
        value = values[i]
        if value != last or last_code < 0:
            low, high = 0, known.size
            while low < high:
                middle = (low + high) // 2
                if known[middle] < value:
                    low = middle + 1
                else:
                    high = middle
            if low == known.size or known[low] != value:
                return i
            last, last_code = value, order[low]
        codes[i] = last_code
    return int(values.size)


class Labels:
    """A numbering of labels: code 0 for the first, and so on."""

    def __init__(self, known: Sequence[Any] = (), dtype: Any = None) -> None:
        self.list: list[Any] = list(known)
        self.codes: dict[Any, int] = {label: code for code, label in enumerate(self.list)}
        if len(self.codes) != len(self.list):
            raise ValueError(f"classes names a label twice: {list(known)!r}")
        self.dtype = dtype

    def __len__(self) -> int:
        return len(self.list)

    def copy(self) -> Labels:
        """Another numbering, the same so far."""
        return Labels(self.list, self.dtype)

    def add(self, label: Any) -> int:
        """Number a new label."""
        self.codes[label] = code = len(self.list)
        self.list.append(label)
        return code

    def forget(self, code: int) -> None:
        """Take back the newest label."""
        del self.codes[self.list.pop(code)]

    def array(self) -> np.ndarray[Any, Any]:
        """All labels, in order of their codes."""
        return label_array(self.list, self.dtype)

    def encode(self, y: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], list[int]]:
        """(the code of every label of a checked array, the places where a new one appears); new labels are added."""
        codes = np.empty(len(y), np.int32)
        firsts: list[int] = []
        if len(y) == 0:
            return codes, firsts
        numbers = self._numbers(y)
        if numbers is None:
            table = self.codes
            for place, label in enumerate(y.tolist()):
                code = table.get(label)
                if code is None:
                    code = self.add(label)
                    firsts.append(place)
                codes[place] = code
            return codes, firsts
        place = 0
        while True:
            known = np.array(self.list, numbers.dtype)
            order = np.argsort(known, kind="stable").astype(np.int32)
            columns = (numbers, known[order], order, codes)
            place = int(kernel(_encode, *columns, place)(*columns, place))
            if place == len(numbers):
                return codes, firsts
            self.add(y[place].item())
            firsts.append(place)

    def _numbers(self, y: np.ndarray[Any, Any]) -> np.ndarray[Any, Any] | None:
        """The labels as numbers that kernels read, if all of them, those known too, are numbers of one kind."""
        if y.dtype.kind not in "iubf" or not all(isinstance(label, (bool, int, float)) for label in self.list):
            return None
        if y.dtype.kind == "f" or any(isinstance(label, float) for label in self.list):
            return np.ascontiguousarray(y, np.float64)
        if y.dtype == np.uint64 or any(abs(label) > 2**62 for label in self.list):
            return None
        return np.ascontiguousarray(y, np.int64)


def label_array(labels: Sequence[Any], dtype: Any = None) -> np.ndarray[Any, Any]:
    """Labels as an array: of ``dtype`` where they all fit, of objects where NumPy would make something else of them."""
    if dtype is not None and dtype.kind != "O":
        with contextlib.suppress(TypeError, ValueError, OverflowError):  # a later label is of another kind
            array = np.array(labels, dtype if dtype.kind not in "US" else None)
            if array.ndim == 1 and array.tolist() == list(labels):
                return array
    kinds = {type(label) for label in labels}
    if len(kinds) == 1 and kinds <= {int, float, bool, str} and (dtype is None or dtype.kind != "O"):
        array = np.array(labels)
        if array.tolist() == list(labels):
            return array
    objects = np.empty(len(labels), object)
    objects[:] = labels if all(not isinstance(label, (tuple, list)) for label in labels) else [*labels]
    if len(labels) and isinstance(labels[0], tuple):
        for place, label in enumerate(labels):
            objects[place] = label
    return objects


def in_order(labels: Sequence[Any]) -> list[Any]:
    """Labels sorted; those of kinds that do not compare, by the kind's name first."""
    try:
        return sorted(labels)
    except TypeError:
        return sorted(labels, key=lambda label: (type(label).__name__, str(label)))


def as_labels(y: Any, n: int) -> np.ndarray[Any, Any]:
    """Targets checked: an array of n labels, none of them NaN."""
    if y is None:
        raise ValueError("This Classifier requires y to be passed, but the target y is None.")
    if hasattr(y, "to_numpy"):
        y = y.to_numpy()
    elif hasattr(y, "__array__"):
        y = np.asarray(y)
    else:
        y = label_array([_plain(label) for label in y])
    if y.ndim != 1:
        from sklearn.utils import column_or_1d

        y = column_or_1d(y, warn=True)
    if len(y) != n:
        raise ValueError(
            f"X has {n} rows and y {len(y)} labels: "
            f"Found input variables with inconsistent numbers of samples: {[n, len(y)]}"
        )
    if y.dtype.kind == "f":
        bad = np.flatnonzero(~np.isfinite(y))
        if len(bad):
            raise ValueError(
                f"Input y contains {'NaN' if np.isnan(y[bad[0]]) else 'infinity'} in row {bad[0]}; "
                "a label was expected."
            )
        if (y != np.floor(y)).any():
            raise ValueError(
                "Unknown label type: continuous. y holds numbers with fractions; hinge.Regressor learns numbers, "
                "or turn them into strings if they are names."
            )
    elif y.dtype.kind == "O":
        for row, label in enumerate(y.tolist()):
            if label is None or label != label or not isinstance(label, Hashable):
                raise ValueError(
                    f"Input y contains {'NaN' if label != label else repr(label)} in row {row}; a label was expected."
                )
    elif y.dtype.kind == "c":
        raise ValueError("Complex data not supported: y must hold labels.")
    return np.asarray(y)


def _plain(label: Any) -> Any:
    """NumPy's numbers as Python's own."""
    return label.item() if isinstance(label, np.generic) else label
