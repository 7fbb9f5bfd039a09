# SPDX-License-Identifier: BSD-3-Clause
"""Compiled: the keys of a row are sorted, those of one column summed, and the row is brought to its norm."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hinge.native import compiled

__all__ = ["COUNTS", "L1", "L2", "WIDE_DIGIT", "sort_keys", "write_row"]

COUNTS, L1, L2 = 0, 1, 2
#: Up to so many keys a row is sorted by rank; a longer one by digits, short ones or wide ones.
FEW, MANY = 48, 256
SHORT_DIGIT, WIDE_DIGIT = 6, 9


@compiled
def sort_keys(keys: Any, n_keys: Any, spare: Any, digits: Any, key_bits: Any) -> None:
    """Sort the first keys in place. ``spare`` has room for as many, ``digits`` for 2**9 numbers."""
    if n_keys <= FEW:
        sort_by_rank(keys, n_keys, spare)
    else:
        sort_by_digits(keys, n_keys, spare, digits, SHORT_DIGIT if n_keys < MANY else WIDE_DIGIT, key_bits)


@compiled
def sort_by_rank(keys: Any, n_keys: Any, spare: Any) -> None:
    """Count how many keys are smaller than each: n^2 comparisons, several at once, without a branch.

    Equal keys have equal ranks, so they land on one place; the gap behind it is filled with what stands before it.
    """
    for i in range(n_keys):
        spare[i] = keys[i]
        keys[i] = -1
    for i in range(n_keys):
        key = spare[i]
        rank = np.int32(0)
        for j in range(n_keys):
            rank += np.int32(spare[j] < key)
        keys[np.uint64(rank)] = key
    for i in range(1, n_keys):
        keys[i] = max(keys[i], keys[i - 1])


@compiled
def sort_by_digits(keys: Any, n_keys: Any, spare: Any, digits: Any, digit_bits: Any, key_bits: Any) -> None:
    """Radix sort by the column, the key without its lowest bit: keys of one column may stand in any order."""
    mask = (1 << digit_bits) - 1
    shift = 1
    passes = 0
    source, target = keys, spare
    while shift < key_bits:
        for digit in range(mask + 1):
            digits[digit] = 0
        for i in range(n_keys):
            digits[np.uint64(int(source[i]) >> shift & mask)] += 1
        before = 0
        for digit in range(mask + 1):
            count = digits[digit]
            digits[digit] = before
            before += count
        for i in range(n_keys):
            key = source[i]
            digit_of_key = np.uint64(int(key) >> shift & mask)
            place = digits[digit_of_key]
            target[np.uint64(place)] = key
            digits[digit_of_key] = place + 1
        source, target = target, source
        shift += digit_bits
        passes += 1
    if passes % 2:
        for i in range(n_keys):
            keys[i] = spare[i]


@compiled
def write_row(
    keys: Any, n_keys: Any, signed: Any, binary: Any, norm: Any, indices: Any, values: Any, filled: Any
) -> Any:
    """Append a row of sorted keys to the columns and values filled so far; returns how many are filled now.

    Counts are whole numbers, so their sums are exact in any order. A column whose signs cancel stays, with a 0.
    """
    begin = filled
    before = -1
    count = 0
    for i in range(n_keys):
        key = int(keys[i])
        column = key >> 1
        sign = 1 - 2 * (key & signed)
        is_new = column != before
        before = column
        filled += is_new
        count = sign if is_new else count + sign
        indices[np.uint64(filled - 1)] = column
        values[np.uint64(filled - 1)] = count
    if binary:
        for i in range(begin, filled):
            values[i] = 1.0
    if norm != COUNTS:
        size = 0.0
        for i in range(begin, filled):
            size += values[i] * values[i] if norm == L2 else abs(values[i])
        if norm == L2:
            size = math.sqrt(size)
        if size > 0.0:
            for i in range(begin, filled):
                values[i] /= size
    return filled
