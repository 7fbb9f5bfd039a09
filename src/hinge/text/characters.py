# SPDX-License-Identifier: BSD-3-Clause
r"""What kind of character a code point is: part of a word (``\w``), white space (``\s``), or neither.

One byte a code point, taken from Python's own `re`, so that hinge splits exactly where a regular expression of this
Python would. ASCII is known at once; the rest of Unicode (some 30 ms) is filled in when first met.
"""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np

__all__ = ["SPACE", "WORD", "folding", "kinds", "know_all_of_unicode", "letters_of"]

WORD = 1
SPACE = 2
CODE_POINTS = 0x110000


@functools.cache
def kinds() -> np.ndarray[Any, Any]:
    """The table: kinds()[code point] is WORD, SPACE or 0. Beyond ASCII it is 0 until `know_all_of_unicode`.

    >>> [int(kinds()[ord(character)]) for character in "a_ ,"]
    [1, 1, 2, 0]
    """
    table = np.zeros(CODE_POINTS, dtype=np.uint8)
    _fill(table, "".join(map(chr, range(128))))
    return table


@functools.cache
def know_all_of_unicode() -> None:
    """Fill the table beyond ASCII, in place: those who hold it know more from now on."""
    everything = np.arange(CODE_POINTS, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    _fill(kinds(), everything)


def _fill(table: np.ndarray[Any, Any], characters: str) -> None:
    for kind, pattern in ((WORD, r"\w+"), (SPACE, r"\s+")):
        for run in re.finditer(pattern, characters):
            table[run.start() : run.end()] = kind


def folding(lowercase: bool) -> np.ndarray[Any, Any]:
    """What each byte is written as: A to Z as a to z if ``lowercase``, all others as they are."""
    every_byte = bytes(range(256))
    return np.frombuffer(every_byte.lower() if lowercase else every_byte, dtype=np.uint8).copy()


def letters_of(fold: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """What each byte is written as if it is ASCII and a letter of a word, else a space."""
    letter = kinds()[:256] == WORD
    letter[128:] = False
    return np.where(letter, fold, 32).astype(np.uint8)
