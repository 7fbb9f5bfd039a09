# SPDX-License-Identifier: BSD-3-Clause
"""Many digits at once: what a compiled loop over single bytes cannot say. Loaded with the compiler.

Eight bytes are read as one word. A byte that is no digit shows in its top bit after one addition; the first such bit
says how many digits there are. Shifted so that the last digit is at the top, the digits are added up two, four and
eight at a time by three multiplications (D. Lemire, Number parsing at a gigabyte per second, 2021, section 9).

To look for the end of one number before the next can be looked for is what takes the time: each look waits for the
one before. So `plain_pair` compares 32 bytes at once and has all ends of a pair as bits of one word (G. Langdale and
D. Lemire, Parsing gigabytes of JSON per second, 2019, section 3.1).
"""

from __future__ import annotations

import sys
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.extending import intrinsic

from hinge.io.numbers import COLON, DOT, MINUS, NEWLINE, POWERS, RETURN, SPACE, TAB, WHOLE_POWERS
from hinge.jit import OPTIONS

ZEROS = np.uint64(0x3030303030303030)
NOT_A_DIGIT = np.uint64(0x7676767676767676)
TOP_BITS = np.uint64(0x8080808080808080)
FOUR_BYTES = np.uint64(0x000000FF000000FF)
HIGH_PAIRS = np.uint64(0x000F424000000064)
LOW_PAIRS = np.uint64(0x0000271000000001)
ONE, THREE, SEVEN, EIGHT, TEN, SIXTEEN, THIRTY_TWO, SIXTY_FOUR = (np.uint64(n) for n in (1, 3, 7, 8, 10, 16, 32, 64))
#: Bytes that `_non_digits` looks at, and the bit behind them: there every search ends.
SEEN = 32
NO_MORE = np.uint64(1 << SEEN)
LARGEST_EXACT = np.uint64(1 << 53)


def _read_eight_bytes(typingctx: Any, text: Any, at: Any) -> Any:
    """The 8 bytes from text[at] as one word, the first lowest. The buffer must reach that far."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        word = ir.IntType(64)
        first = builder.gep(array.data, [arguments[1]])
        found = builder.load(builder.bitcast(first, word.as_pointer()), align=1)
        return found if sys.byteorder == "little" else builder.bswap(found)

    return types.uint64(text, types.int64), codegen


def _count_zeros_below(typingctx: Any, word: Any) -> Any:
    """How many zero bits are below the lowest one bit; 64 if there is none."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), codegen


def _find_non_digits(typingctx: Any, text: Any, at: Any) -> Any:
    """Which of the 32 bytes from text[at] are no digits: bit k for byte k. The buffer must reach that far."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        vector = ir.VectorType(ir.IntType(8), SEEN)
        pointer = builder.bitcast(builder.gep(array.data, [arguments[1]]), vector.as_pointer())
        above_zero = builder.sub(builder.load(pointer, align=1), ir.Constant(vector, [48] * SEEN))
        beyond_nine = builder.icmp_unsigned(">", above_zero, ir.Constant(vector, [9] * SEEN))
        return builder.zext(builder.bitcast(beyond_nine, ir.IntType(SEEN)), ir.IntType(64))

    return types.uint64(text, types.int64), codegen


def _read_byte(typingctx: Any, text: Any, at: Any) -> Any:
    """text[at] for an ``at`` that is not negative (Numba's own index counts negative ones from the end)."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        return builder.zext(builder.load(builder.gep(array.data, [arguments[1]])), ir.IntType(64))

    return types.int64(text, types.int64), codegen


_non_digits: Any = intrinsic(_find_non_digits)
_byte: Any = intrinsic(_read_byte)
_eight_bytes: Any = intrinsic(_read_eight_bytes)
_zeros_below: Any = intrinsic(_count_zeros_below)


@numba.njit(**OPTIONS)  # type: ignore[call-overload, untyped-decorator]
def leading_digits(text: Any, at: int) -> tuple[np.int64, np.int64]:
    """The number that the digits from ``at`` make, eight at most, and how many they are."""
    word = _eight_bytes(text, at) ^ ZEROS
    digits = _zeros_below(((word + NOT_A_DIGIT) | word) & TOP_BITS) >> THREE
    if not digits:
        return np.int64(0), np.int64(0)
    return np.int64(_sum_of_digits(word, digits)), np.int64(digits)


@numba.njit(**OPTIONS, forceinline=True)  # type: ignore[call-overload, untyped-decorator]
def _sum_of_digits(word: np.uint64, digits: np.uint64) -> np.uint64:
    """The number that the lowest bytes of a word make, from 1 to 8 of them, each from 0 to 9."""
    word = word << (SIXTY_FOUR - (digits << THREE))
    word = word * TEN + (word >> EIGHT)
    return ((word & FOUR_BYTES) * HIGH_PAIRS + ((word >> SIXTEEN) & FOUR_BYTES) * LOW_PAIRS) >> THIRTY_TWO


@numba.njit(**OPTIONS, forceinline=True)  # type: ignore[call-overload, untyped-decorator]
def plain_pair(text: Any, at: int) -> tuple[np.int64, float, np.int64]:
    """`hinge.io.numbers.plain_pair`."""
    none = np.int64(0), 0.0, np.int64(at)
    ends = _non_digits(text, at) | NO_MORE
    colon = _zeros_below(ends)
    if colon - ONE > SEVEN or _byte(text, at + np.int64(colon)) != COLON:
        return none
    ends &= ends - ONE
    first = colon + ONE
    negative = _byte(text, at + np.int64(first)) == MINUS
    if negative:
        ends &= ends - ONE
        first += ONE
    end = _zeros_below(ends)
    if end - first - ONE > SEVEN:
        return none
    mantissa = _sum_of_digits(_eight_bytes(text, at + np.int64(first)) ^ ZEROS, end - first)
    last = _byte(text, at + np.int64(end))
    value = np.float64(mantissa)
    if last == DOT:
        ends &= ends - ONE
        first = end + ONE
        end = _zeros_below(ends)
        if end - first - ONE > SEVEN:
            return none
        places = np.int64(end - first)
        mantissa *= np.uint64(WHOLE_POWERS[places])
        mantissa += _sum_of_digits(_eight_bytes(text, at + np.int64(first)) ^ ZEROS, end - first)
        if mantissa > LARGEST_EXACT:
            return none
        value = np.float64(mantissa) / POWERS[places]
        last = _byte(text, at + np.int64(end))
    if last != SPACE and last != NEWLINE and last != TAB and last != RETURN:
        return none
    if negative:
        value = -value
    column = _sum_of_digits(_eight_bytes(text, at) ^ ZEROS, colon)
    return np.int64(column), value, at + np.int64(end)
