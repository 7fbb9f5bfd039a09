# SPDX-License-Identifier: BSD-3-Clause
"""Compiled: a block of texts becomes sparse rows; and the memory that this takes, laid out once and used again."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hinge.native import compiled, unbind
from hinge.text.binding import bind
from hinge.text.characters import folding, kinds, letters_of
from hinge.text.counts import WIDE_DIGIT, sort_keys, write_row
from hinge.text.grams import hash_units, split_ascii_words, split_characters, split_padded_word, split_words
from hinge.text.names import note_units

__all__ = ["ANALYZERS", "NORMS", "ROWS", "Memory", "Settings", "Work"]

#: Their places are the numbers that the kernel knows them by.
ANALYZERS = ("word", "char", "char_wb")
NORMS = (None, "l1", "l2")
WORDS, CHARACTERS = 0, 1
#: A block has at most so many rows.
ROWS = 4096


class Settings(NamedTuple):
    """What the kernel has to know of a Text."""

    low: int
    high: int
    bits: int
    analyzer: int
    lowercase: int
    signed: int
    norm: int
    binary: int
    naming: int


class Memory(NamedTuple):
    """Input, scratch and output of the kernel."""

    settings: Settings
    text: np.ndarray[Any, Any]  # the bytes of all rows
    bounds: np.ndarray[Any, Any]  # row i is text[bounds[i] : bounds[i + 1] - 1], and a 0 follows
    kinds: np.ndarray[Any, Any]
    fold: np.ndarray[Any, Any]
    letters: np.ndarray[Any, Any]
    folded: np.ndarray[Any, Any]  # the units of all rows, see grams.py
    starts: np.ndarray[Any, Any]
    keys: np.ndarray[Any, Any]
    spare: np.ndarray[Any, Any]
    digits: np.ndarray[Any, Any]
    seen: np.ndarray[Any, Any]
    fresh: np.ndarray[Any, Any]  # see names.py
    counters: np.ndarray[Any, Any]  # how many rows of `fresh` are filled
    indptr: np.ndarray[Any, Any]
    indices: np.ndarray[Any, Any]
    values: np.ndarray[Any, Any]


@compiled
def hash_rows(bound: Any, n_rows: Any, naming: Any) -> Any:
    """Turn the first rows of the text into sorted columns and values; returns the number of non-zeros."""
    memory = unbind(bound)
    settings = memory.settings
    text, kinds, fold, folded, starts = memory.text, memory.kinds, memory.fold, memory.folded, memory.starts
    keys, seen, fresh = memory.keys, memory.seen, memory.fresh
    low, high, mask = settings.low, settings.high, (1 << settings.bits) - 1
    at = 0
    filled = 0
    n_fresh = 0
    memory.indptr[0] = 0
    for row in range(n_rows):
        position, end = int(memory.bounds[row]), int(memory.bounds[row + 1]) - 1
        n_keys = 0
        while True:
            lowest = low
            gap = 0
            if settings.analyzer == WORDS:
                n_units = split_ascii_words(text, position, end, memory.letters, folded, at, starts)
                if n_units < 0:
                    n_units = split_words(text, position, end, kinds, memory.letters, folded, at, starts)
                gap = 1
                position = end
            elif settings.analyzer == CHARACTERS:
                n_units = split_characters(text, position, end, kinds, fold, folded, at, starts)
                position = end
            else:
                n_units, position = split_padded_word(text, position, end, kinds, fold, folded, at, starts)
                lowest = min(low, n_units)  # a word shorter than the shortest n-gram counts once, whole
            if n_units > 0:
                n_keys = hash_units(folded, starts, n_units, gap, lowest, high, mask, keys, n_keys)
                if naming:
                    n_fresh = note_units(folded, starts, n_units, gap, lowest, high, mask, seen, fresh, n_fresh)
                at = int(starts[n_units])
            if position >= end:
                break
        sort_keys(keys, n_keys, memory.spare, memory.digits, settings.bits + 1)
        filled = write_row(
            keys, n_keys, settings.signed, settings.binary, settings.norm, memory.indices, memory.values, filled
        )
        memory.indptr[row + 1] = filled
    memory.counters[0] = n_fresh
    return filled


class Work:
    """Memory for blocks of up to so many bytes, and the kernel bound to it.

    Pages that are never written are never taken from the system, so the arrays are as large as the worst case asks.
    """

    def __init__(self, settings: Settings, n_bytes: int, seen: np.ndarray[Any, Any]) -> None:
        """Lay it out for texts that take up to ``n_bytes`` bytes together."""
        self.n_bytes = n_bytes
        fold = folding(bool(settings.lowercase))
        n_units = (2 if ANALYZERS[settings.analyzer] == "char_wb" else 1) * n_bytes + 2
        #: No block of this size has more n-grams.
        self.n_grams = n_units * min(settings.high - settings.low + 1, n_units)
        n_folded = n_units + ROWS + 8  # a space behind each row's last word, and the reach of four bytes read at once
        self.memory = Memory(
            settings=settings,
            text=np.empty(n_bytes + 8, dtype=np.uint8),
            bounds=np.zeros(ROWS + 1, dtype=np.int64),
            kinds=kinds(),
            fold=fold,
            letters=letters_of(fold),
            folded=np.zeros(n_folded, dtype=np.uint8),
            starts=np.empty(n_units + 2, dtype=np.int64),
            keys=np.empty(self.n_grams, dtype=np.int32),
            spare=np.empty(self.n_grams, dtype=np.int32),
            digits=np.empty(1 << WIDE_DIGIT, dtype=np.int64),
            seen=seen,
            fresh=np.empty((self.n_grams if settings.naming else 0, 3), dtype=np.int64),
            counters=np.zeros(1, dtype=np.int64),
            indptr=np.empty(ROWS + 1, dtype=np.int64),
            indices=np.empty(self.n_grams, dtype=np.int32),
            values=np.empty(self.n_grams, dtype=np.float64),
        )
        self.text = memoryview(self.memory.text)  # type: ignore[arg-type]
        self.bounds = memoryview(self.memory.bounds)  # type: ignore[arg-type]
        self.indices, self.values = self.memory.indices, self.memory.values
        self._call = bind(hash_rows, self.memory, 2)

    def see(self, seen: np.ndarray[Any, Any]) -> None:
        """Use this set of fingerprints from now on."""
        if self.memory.seen is not seen:
            self.memory = self.memory._replace(seen=seen)
            self._call = bind(hash_rows, self.memory, 2)

    def n_grams_at_most(self, n_rows: int) -> int:
        """How many n-grams the rows written into `text` can have."""
        return self.n_grams * (int(self.memory.bounds[n_rows]) + 1) // self.n_bytes + 1

    def run(self, n_rows: int, naming: int) -> int:
        """Turn the rows that were written into `text` and `bounds` into sparse rows; returns the non-zeros."""
        return self._call(n_rows, naming)
