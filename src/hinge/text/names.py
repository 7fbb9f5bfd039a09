# SPDX-License-Identifier: BSD-3-Clause
"""The table of names: which n-grams a column stands for, so that weights can be read.

Compiled code looks at every n-gram and keeps a 62-bit fingerprint of each one met (an open-addressing hash set, at
most half full); only those never met before reach Python, as stretches of bytes. Two n-grams of equal fingerprint
would be taken for one: among a million, that has a chance of 1 in 9 million.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hinge.native import compiled, unbind
from hinge.text.binding import bind
from hinge.text.grams import finish, key_of, mix, word_at

__all__ = ["NameTable", "note_units"]

SECOND_SEED = 0x9747B28C


@compiled
def enter(seen: Any, fingerprint: Any) -> Any:
    """Enter a fingerprint; False if it was there. A slot of 0 is free."""
    mask = seen.size - 1
    slot = fingerprint & mask
    while seen[slot] != 0:
        if seen[slot] == fingerprint:
            return False
        slot = (slot + 1) & mask
    seen[slot] = fingerprint
    return True


@compiled
def enter_all(bound: Any) -> Any:
    """Enter the fingerprints of one set into another; returns how many."""
    seen, grown = unbind(bound)
    entered = 0
    for i in range(seen.size):
        if seen[i] != 0:
            entered += enter(grown, int(seen[i]))
    return entered


@compiled
def note_units(
    folded: Any, starts: Any, n_units: Any, gap: Any, low: Any, high: Any, mask: Any, seen: Any, fresh: Any, filled: Any
) -> Any:
    """Append (column, first byte, last byte + 1) of each run of units never seen before; returns the new count.

    It goes over the runs as `hash_units` does.
    """
    for first in range(n_units - low + 1):
        position = begin = int(starts[first])
        state = 0
        second_state = SECOND_SEED
        for last in range(first + low, min(first + high, n_units) + 1):
            end = int(starts[last]) - gap
            while position + 4 <= end:
                block = word_at(folded, position)
                state = mix(state, block)
                second_state = mix(second_state, block)
                position += 4
            tail = word_at(folded, position) & ((1 << 8 * (end - position)) - 1)
            hashed = finish(state, tail, end - begin)
            # 63 bits, for the sign bit would turn the number negative, and never 0
            fingerprint = (hashed << 31) ^ finish(second_state, tail, end - begin) | 1
            if enter(seen, fingerprint):
                fresh[filled, 0] = key_of(hashed, mask) >> 1
                fresh[filled, 1] = begin
                fresh[filled, 2] = end
                filled += 1
    return filled


class NameTable:
    """Columns and the n-grams met in them, at most ``most`` of all together (None: no limit)."""

    def __init__(self, most: int | None = None) -> None:
        """An empty table."""
        self.most = most
        self.of_column: dict[int, tuple[str, ...]] = {}
        self.n_names = 0
        self.n_seen = 0
        self.seen: np.ndarray[Any, Any] = np.zeros(1024, dtype=np.int64)

    @property
    def full(self) -> bool:
        """True when no more names are taken in."""
        return self.most is not None and self.n_names >= self.most

    def make_room(self, n_more: int) -> None:
        """Grow the set for so many more n-grams."""
        size = self.seen.size
        while size < 2 * (self.n_seen + n_more):
            size *= 2
        if size > self.seen.size:
            grown = np.zeros(size, dtype=np.int64)
            bind(enter_all, (self.seen, grown), 0)()
            self.seen = grown

    def take_in(self, folded: Any, fresh: np.ndarray[Any, Any]) -> None:
        """Name the n-grams that `note_units` found: stretches of the bytes of ``folded``."""
        self.n_seen += len(fresh)
        for column, begin, end in fresh.tolist():
            if self.full:
                return
            name = bytes(folded[begin:end]).decode()
            self.of_column[column] = (*self.of_column.get(column, ()), name)
            self.n_names += 1
