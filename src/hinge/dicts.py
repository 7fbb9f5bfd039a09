# SPDX-License-Identifier: BSD-3-Clause
"""Rows as dicts {name: value}: read into the arrays of a sparse row, at the speed of Python's own C interface."""

from __future__ import annotations

import math
from typing import Any

from hinge.native import INTERPRETED, compiled

#: Answers of `read_dict` other than a length: a name without a column, or more names than the arrays have room for.
UNKNOWN, TOO_LONG = -1, -2


@compiled(replacement="hinge.jit_objects:next_item")
def next_item(mapping: Any, position: Any) -> Any:
    """(whether there is one, the next position, key, value) of a dict; positions begin at 0."""
    items = list(mapping.items())
    if position >= len(items):
        return False, position, None, None
    return True, position + 1, *items[position]


@compiled(replacement="hinge.jit_objects:column_of")
def column_of(columns: Any, key: Any) -> Any:
    """The column of a name; -1 if it has none."""
    return columns.get(key, -1)


@compiled(replacement="hinge.jit_objects:as_number")
def as_number(value: Any) -> float:
    """The value as a float; NaN for what is no number."""
    try:
        return float(value) if not isinstance(value, (str, bytes)) else math.nan
    except (TypeError, ValueError, OverflowError):
        return math.nan


@compiled(holds_gil=True)
def read_dict(row: Any, columns: Any, data: Any, indices: Any, skip: int) -> int:
    """Write values and columns of a dict; how many there are. With ``skip`` 1, names without a column are left out."""
    position, count = 0, 0
    while True:
        more, position, key, value = next_item(row, position)
        if not more:
            return count
        if count >= data.size:
            return TOO_LONG
        column = column_of(columns, key)
        if column < 0:
            if skip == 0:
                return UNKNOWN
            continue
        data[count] = as_number(value)
        indices[count] = column
        count += 1


def reader(data: Any, indices: Any) -> Any:
    """`read_dict` made ready for arrays of these kinds."""
    if INTERPRETED:
        return read_dict.py_func
    from hinge import jit
    from hinge.jit_objects import Object

    kinds = (Object(), Object(), jit.type_of(data), jit.type_of(indices), jit.type_of(0))
    return jit.entry(read_dict, *kinds)
