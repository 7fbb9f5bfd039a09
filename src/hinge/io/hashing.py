# SPDX-License-Identifier: BSD-3-Clause
"""Names to columns, by Vowpal Wabbit's rule, so that its files and hinge's mean the same columns.

A name is hashed by MurmurHash3 (32 bits, Austin Appleby) with its namespace's hash for a seed, except that a name of
digits alone *is* a number: it is added to the seed. The column is the last ``bits`` bits.
"""

from __future__ import annotations

from typing import Any

from hinge.native import compiled

WORD = 0xFFFFFFFF


@compiled
def murmur3(text: Any, begin: int, end: int, seed: int) -> int:
    """MurmurHash3_x86_32 of text[begin:end].

    >>> hex(murmur3(b"hinge", 0, 5, 0))
    '0x1929e62e'
    """
    h: int = seed & WORD
    at = begin
    while at + 4 <= end:
        k = text[at + 3] * 16777216 + text[at + 2] * 65536 + text[at + 1] * 256 + text[at] * 1
        k = (k * 0xCC9E2D51) & WORD
        k = ((k << 15) | (k >> 17)) & WORD
        k = (k * 0x1B873593) & WORD
        h ^= k
        h = ((h << 13) | (h >> 19)) & WORD
        h = (h * 5 + 0xE6546B64) & WORD
        at += 4
    k = 0
    for back in range(end - 1, at - 1, -1):
        k = k * 256 + text[back]
    k = (k * 0xCC9E2D51) & WORD
    k = ((k << 15) | (k >> 17)) & WORD
    h ^= (k * 0x1B873593) & WORD
    h ^= end - begin
    h ^= h >> 16
    h = (h * 0x85EBCA6B) & WORD
    h ^= h >> 13
    h = (h * 0xC2B2AE35) & WORD
    h ^= h >> 16
    return h


@compiled
def name_hash(text: Any, begin: int, end: int, seed: int) -> int:
    """The hash of a name: murmur3, or for digits alone their number plus the seed.

    >>> name_hash(b"2006", 0, 4, 7)
    2013
    """
    while begin < end and text[begin] <= 32:
        begin += 1
    while begin < end and text[end - 1] <= 32:
        end -= 1
    total = 0
    for at in range(begin, end):
        digit = text[at] - 48
        if not 0 <= digit <= 9:
            return int(murmur3(text, begin, end, seed))
        total = (total * 10 + digit) & WORD
    return (total + seed) & WORD


def column_of(name: str, bits: int) -> int:
    """The column of a feature without a namespace. (Blanks at a name's ends count; in Vowpal Wabbit it has none.)

    >>> column_of("12", 18), column_of("city=paris", 18)
    (12, 228422)
    """
    text = name.encode("utf-8", "surrogatepass")
    rule = name_hash if text.isdigit() else murmur3
    return int(rule(text, 0, len(text), 0)) & ((1 << bits) - 1)
