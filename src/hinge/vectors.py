# SPDX-License-Identifier: BSD-3-Clause
"""Vectors of numbers that lie side by side in an array, for loops that must not depend on a compiler's mood.

A vector has 8, 16, 24 or 32 numbers. Each operation is the processor's own, one rounding a multiplication and one an
addition (never fused), sums in one fixed order: the same bits at any width of a register. What stands here is the
meaning in plain Python; compiled code uses `hinge.jit_vectors`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hinge.native import compiled


@compiled(replacement="hinge.jit_vectors:zeros")
def zeros(like: Any, width: int) -> Any:
    """A vector of ``width`` zeros of the array's kind; the width is written out where it is called."""
    return np.zeros(width, like.dtype)


@compiled(replacement="hinge.jit_vectors:load")
def load(array: Any, offset: int, like: Any) -> Any:
    """The numbers of ``array`` from ``offset`` on, as many as the vector ``like`` has."""
    return array[int(offset) : int(offset) + len(like)].copy()


@compiled(replacement="hinge.jit_vectors:load_first")
def load_first(array: Any, offset: int, count: int, like: Any) -> Any:
    """As `load`, but zeros after the first ``count`` numbers; what lies there is not touched."""
    numbers = np.zeros_like(like)
    numbers[: int(count)] = array[int(offset) : int(offset) + int(count)]
    return numbers


@compiled(replacement="hinge.jit_vectors:store")
def store(array: Any, offset: int, vector: Any) -> None:
    """Write the vector into ``array`` from ``offset`` on."""
    array[int(offset) : int(offset) + len(vector)] = vector


@compiled(replacement="hinge.jit_vectors:add_product")
def add_product(total: Any, vector: Any, factor: Any) -> Any:
    """total + vector * factor, number by number; the factor is a vector or one number."""
    return total + vector * factor


@compiled(replacement="hinge.jit_vectors:add")
def add(one: Any, other: Any) -> Any:
    """one + other, number by number."""
    return one + other


@compiled(replacement="hinge.jit_vectors:total")
def total(vector: Any) -> Any:
    """The sum of a vector, half onto half."""
    while len(vector) > 1:
        half = len(vector) // 2
        vector = vector[:half] + vector[half:]
    return vector[0]


@compiled(replacement="hinge.jit_vectors:prefetch")
def prefetch(array: Any, offset: int) -> None:
    """Ask the processor to bring this element's cache line near: it changes nothing but time."""
