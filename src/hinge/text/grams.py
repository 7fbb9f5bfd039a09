# SPDX-License-Identifier: BSD-3-Clause
"""Compiled: a text of UTF-8 bytes becomes units (words or characters), and runs of units become hashed keys.

The units of a row are written one after another into ``folded``, lower-cased, as scikit-learn would join them: words
with one space between, characters with nothing. So every n-gram is a stretch of bytes, from the start of its first
unit to the end of its last, and the n-grams that start at one unit are prefixes of each other: they are hashed in one
go, each going on where the shorter one was closed.

A key is the column and the sign in one number: ``2 * column + (hash < 0)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hinge.native import compiled
from hinge.text.characters import SPACE, WORD

__all__ = [
    "finish",
    "hash_units",
    "key_of",
    "mix",
    "split_ascii_words",
    "split_characters",
    "split_padded_word",
    "split_words",
    "word_at",
]

BITS_32 = 0xFFFFFFFF


@compiled
def code_point(text: Any, position: Any) -> Any:
    """The code point at a position of valid UTF-8, and how many bytes it takes."""
    lead = int(np.int64(text[position]))
    if lead < 0x80:
        return lead, 1
    if lead < 0xE0:
        return (lead & 0x1F) << 6 | int(np.int64(text[position + 1])) & 0x3F, 2
    second = int(np.int64(text[position + 1])) & 0x3F
    third = int(np.int64(text[position + 2])) & 0x3F
    if lead < 0xF0:
        return (lead & 0x0F) << 12 | second << 6 | third, 3
    return (lead & 0x07) << 18 | second << 12 | third << 6 | int(np.int64(text[position + 3])) & 0x3F, 4


@compiled
def split_words(text: Any, position: Any, end: Any, kinds: Any, letters: Any, folded: Any, at: Any, starts: Any) -> Any:
    r"""Write the words of a row, each of two or more characters (``\b\w\w+\b``) and followed by a space.

    Returns how many there are; ``starts[i]`` is where word i starts, and one more start marks the end. The byte at
    ``end`` is 0, so that no word runs over it.
    """
    n_words = 0
    starts[0] = at
    begin = at  # of the word that is being written
    n_characters = 0
    while position <= end:
        letter = letters[text[np.uint64(position)]]
        if letter != 32:
            folded[np.uint64(at)] = letter
            at += 1
            position += 1
            n_characters += 1
            continue
        character, width = code_point(text, position)
        if kinds[character] == WORD:
            for i in range(position, position + width):
                folded[at] = text[i]
                at += 1
            n_characters += 1
        else:
            if n_characters > 1:
                folded[at] = 32
                at += 1
                n_words += 1
                starts[n_words] = at
            else:
                at = begin
            begin = at
            n_characters = 0
        position += width
    return n_words


@compiled
def split_ascii_words(text: Any, position: Any, end: Any, letters: Any, folded: Any, at: Any, starts: Any) -> Any:
    """What `split_words` does, three times as fast; -1 if the row is not ASCII.

    There is no branch in the loop, for where a word ends cannot be foreseen and a wrong guess costs more than all of
    it; and what is written next depends on no more than this character and the two before it.
    """
    n_words = 0
    all_bits = 0
    one_before = two_before = 0  # 1: the character that many places before is a letter
    starts[0] = at
    for i in range(np.uint64(position), np.uint64(end + 1)):
        byte = text[i]
        letter = letters[byte]  # a space for all that is no letter
        all_bits |= byte
        inside = int(np.int64(letter != 32))
        outside = inside ^ 1
        word_before = one_before & two_before
        folded[np.uint64(at)] = letter
        # on by one with a letter, and with the space behind a word; back by one over a word of one letter
        at += (inside | word_before) - (outside & (one_before ^ word_before))
        n_words += outside & word_before
        starts[np.uint64(n_words + inside)] = at  # inside a word it is written over when the word ends
        two_before = one_before
        one_before = inside
    return n_words if all_bits < 128 else -1


@compiled
def split_characters(
    text: Any, position: Any, end: Any, kinds: Any, fold: Any, folded: Any, at: Any, starts: Any
) -> Any:
    """Write the characters of a row, two or more white spaces in a row as one space; as `split_words` otherwise."""
    n_characters = 0
    starts[0] = at
    spaces = 0
    while position < end:
        character, width = code_point(text, position)
        if kinds[character] == SPACE:
            spaces += 1
            if spaces > 1:
                position += width
                if spaces == 2:
                    at = starts[n_characters - 1]
                    folded[at] = 32
                    at += 1
                    starts[n_characters] = at
                continue
        else:
            spaces = 0
        for _ in range(width):
            folded[at] = fold[text[position]]
            at += 1
            position += 1
        n_characters += 1
        starts[n_characters] = at
    return n_characters


@compiled
def split_padded_word(
    text: Any, position: Any, end: Any, kinds: Any, fold: Any, folded: Any, at: Any, starts: Any
) -> Any:
    """Write the characters of the next run without white space, a space before and behind it.

    Returns how many characters were written (0: the row has no more) and the position behind the run.
    """
    n_characters = 1
    while position < end:
        character, width = code_point(text, position)
        if kinds[character] == SPACE:
            if n_characters > 1:
                break
            position += width
            continue
        if n_characters == 1:
            starts[0] = at
            folded[at] = 32
            at += 1
            starts[1] = at
        for _ in range(width):
            folded[at] = fold[text[position]]
            at += 1
            position += 1
        n_characters += 1
        starts[n_characters] = at
    if n_characters == 1:
        return 0, position
    folded[at] = 32
    starts[n_characters + 1] = at + 1
    return n_characters + 1, position


@compiled
def word_at(text: Any, position: Any) -> Any:
    """Four bytes as one number, least significant first. (Unsigned positions spare the check for negative ones.)"""
    return int(
        np.int64(text[np.uint64(position)])
        | np.int64(text[np.uint64(position + 1)]) << 8
        | np.int64(text[np.uint64(position + 2)]) << 16
        | np.int64(text[np.uint64(position + 3)]) << 24
    )


@compiled
def scramble(block: Any) -> Any:
    """MurmurHash3's way with a block before it enters the state."""
    block = (block * 0xCC9E2D51) & BITS_32
    block = (block << 15 | block >> 17) & BITS_32
    return (block * 0x1B873593) & BITS_32


@compiled
def mix(state: Any, block: Any) -> Any:
    """MurmurHash3_x86_32: the state after four more bytes."""
    state ^= scramble(block)
    state = (state << 13 | state >> 19) & BITS_32
    return (state * 5 + 0xE6546B64) & BITS_32


@compiled
def finish(state: Any, tail: Any, length: Any) -> Any:
    """MurmurHash3_x86_32: the hash, from the state, the last zero to three bytes and the length."""
    state ^= scramble(tail)
    state ^= length & BITS_32
    state ^= state >> 16
    state = (state * 0x85EBCA6B) & BITS_32
    state ^= state >> 13
    state = (state * 0xC2B2AE35) & BITS_32
    return state ^ state >> 16


@compiled
def key_of(hashed: Any, mask: Any) -> Any:
    """The key of an unsigned hash: its absolute value as a signed one, modulo a power of two, and its sign."""
    negative = hashed >> 31
    return ((hashed ^ -negative) + negative & mask) << 1 | negative


@compiled
def hash_units(
    folded: Any, starts: Any, n_units: Any, gap: Any, low: Any, high: Any, mask: Any, keys: Any, n_keys: Any
) -> Any:
    """Append the keys of all runs of low to high units; ``gap`` bytes lie between units. Returns the new count."""
    for first in range(n_units - low + 1):
        begin = int(starts[first])
        last = first + low
        stop = min(first + high, n_units)
        # Words of four bytes and more, and those of fewer, come in no order: the first block is mixed without a branch.
        whole = begin + 4 <= int(starts[last]) - gap
        mixed = mix(0, word_at(folded, begin))
        state = mixed if whole else 0
        position = begin + 4 if whole else begin
        while last <= stop:
            end = int(starts[np.uint64(last)]) - gap
            while position + 4 <= end:
                state = mix(state, word_at(folded, position))
                position += 4
            tail = word_at(folded, position) & ((1 << 8 * (end - position)) - 1)
            keys[np.uint64(n_keys)] = key_of(finish(state, tail, end - begin), mask)
            n_keys += 1
            last += 1
    return n_keys
