# SPDX-License-Identifier: BSD-3-Clause
"""Eight digits at once: what a compiled loop over single bytes cannot say. Loaded with the compiler.

Eight bytes are read as one word. A byte that is no digit shows in its top bit after one addition; the first such bit
says how many digits there are. Shifted so that the last digit is at the top, the digits are added up two, four and
eight at a time by three multiplications (D. Lemire, Number parsing at a gigabyte per second, 2021, section 9).
"""

from __future__ import annotations

import sys
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.extending import intrinsic

from hinge.jit import OPTIONS

ZEROS = np.uint64(0x3030303030303030)
NOT_A_DIGIT = np.uint64(0x7676767676767676)
TOP_BITS = np.uint64(0x8080808080808080)
FOUR_BYTES = np.uint64(0x000000FF000000FF)
HIGH_PAIRS = np.uint64(0x000F424000000064)
LOW_PAIRS = np.uint64(0x0000271000000001)
TEN, THREE, EIGHT, SIXTEEN, THIRTY_TWO, SIXTY_FOUR = (np.uint64(n) for n in (10, 3, 8, 16, 32, 64))


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


_eight_bytes: Any = intrinsic(_read_eight_bytes)
_zeros_below: Any = intrinsic(_count_zeros_below)


@numba.njit(**OPTIONS)  # type: ignore[call-overload, untyped-decorator]
def leading_digits(text: Any, at: int) -> tuple[np.int64, np.int64]:
    """The number that the digits from ``at`` make, eight at most, and how many they are."""
    word = _eight_bytes(text, at) ^ ZEROS
    digits = _zeros_below(((word + NOT_A_DIGIT) | word) & TOP_BITS) >> THREE
    if not digits:
        return np.int64(0), np.int64(0)
    word = word << (SIXTY_FOUR - (digits << THREE))
    word = word * TEN + (word >> EIGHT)
    word = ((word & FOUR_BYTES) * HIGH_PAIRS + ((word >> SIXTEEN) & FOUR_BYTES) * LOW_PAIRS) >> THIRTY_TWO
    return np.int64(word), np.int64(digits)
