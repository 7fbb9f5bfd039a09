# SPDX-License-Identifier: BSD-3-Clause
"""A heap in an array: the least of many numbers first, without sorting those that nobody asks for."""

from __future__ import annotations

from typing import Any

from hinge.native import compiled


@compiled
def sink(keys: Any, start: int, place: int, size: int) -> None:
    """Let the number at a place of the heap ``keys[start : start + size]`` sink to where it belongs."""
    key = keys[start + place]
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and keys[start + child + 1] < keys[start + child]:
            child += 1
        if not keys[start + child] < key:
            break
        keys[start + place] = keys[start + child]
        place = child
    keys[start + place] = key


@compiled
def heapify(keys: Any, start: int, size: int) -> None:
    """Make a heap of ``keys[start : start + size]``: the least number is then the first."""
    for place in range(size // 2 - 1, -1, -1):
        sink(keys, start, place, size)


@compiled
def pop(keys: Any, start: int, size: int) -> None:
    """Take the least number out of the heap, which then has one less."""
    keys[start] = keys[start + size - 1]
    sink(keys, start, 0, size - 1)


@compiled
def sort_descending(keys: Any, size: int) -> None:
    """Sort the first ``size`` numbers, the greatest first."""
    heapify(keys, 0, size)
    for left in range(size - 1, 0, -1):
        keys[0], keys[left] = keys[left], keys[0]
        sink(keys, 0, 0, left)
