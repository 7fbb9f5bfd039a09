# SPDX-License-Identifier: BSD-3-Clause
"""Decimal numbers read from bytes, compiled, rounded exactly as Python's ``float()`` rounds them.

A number is m * 10^e. Where m <= 2^53 and |e| <= 22, both are floating point numbers without an error, and one
multiplication or division rounds once, which is correct rounding (W. D. Clinger, How to read floating point numbers
accurately, PLDI 1990). Every other number is computed to within `DOUBT` of its value, and said to be *unsure*. What
is stored as float32 needs no more in all but one of some hundred million cases: both ends of the doubt round to one
float32. What is left is put on a list and read by ``float()`` itself (`hinge.io.rows`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hinge.native import compiled

TAB, NEWLINE, RETURN, SPACE, QUOTE, HASH = 9, 10, 13, 32, 34, 35
APOSTROPHE, PLUS, COMMA, MINUS, DOT, ZERO, COLON, BAR = 39, 43, 44, 45, 46, 48, 58, 124
UPPER_E, LOWER_E = 69, 101



def among(characters: bytes) -> np.ndarray:
    """A table of the 256 bytes: 1 for each of these. (One look-up is faster than two comparisons.)

    >>> among(b"ab")[97:101].tolist()
    [1, 1, 0, 0]
    """
    table = np.zeros(256, np.uint8)
    table[list(characters)] = 1
    return table


#: 10^0 .. 10^308, each the nearest double; the first 23 are exact.
POWERS = np.array([float(f"1e{e}") for e in range(309)])
WHOLE_POWERS = np.array([10**e for e in range(9)])
#: How many bytes a buffer has behind its text: up to 32 are looked at together (`hinge.io.machine`).
SPARE = 64
#: The mantissa holds 18 digits; what is beyond moves the number by less than this, as do three roundings.
DOUBT = 8.0 / 2**53
#: Numbers at or above round to infinity as float32; a little below, so that no doubt reaches it.
TOO_LARGE = 3.4028235677973e38
#: Beyond this the decimal exponent no longer counts: any number is zero or infinite.
FAR = 100_000


@compiled(replacement="hinge.io.machine:leading_digits")
def leading_digits(text: Any, at: int) -> tuple[int, int]:
    """The number that the digits from ``at`` make, eight at most, and how many they are."""
    total = 0
    for count in range(8):
        digit = text[at + count] - ZERO
        if not 0 <= digit <= 9:
            return total, count
        total = total * 10 + digit
    return total, 8


@compiled(replacement="hinge.io.machine:plain_pair")
def plain_pair(text: Any, at: int) -> tuple[int, float, int]:
    """A pair as most are written, ``number:decimal`` and a blank: (number, exact value, where it ends), else at ``at``.

    No exponent, eight digits at most on either side of the dot, together at most 2^53: then one division is exact.

    >>> plain_pair(b"12:-0.25 ", 0), plain_pair(b"12:1e3 ", 0)
    ((12, -0.25, 8), (0, 0.0, 0))
    """
    none = 0, 0.0, at
    column, count = leading_digits(text, at)
    first = at + count + 1
    if count == 0 or text[first - 1] != COLON:
        return none
    negative = text[first] == MINUS
    if negative:
        first += 1
    mantissa, count = leading_digits(text, first)
    end = first + count
    if count == 0:
        return none
    value = float(mantissa)
    if text[end] == DOT:
        places, count = leading_digits(text, end + 1)
        mantissa = mantissa * WHOLE_POWERS[count] + places
        if count == 0 or mantissa > 1 << 53:
            return none
        value = float(mantissa) / float(POWERS[count])
        end += 1 + count
    if text[end] != SPACE and text[end] != NEWLINE and text[end] != TAB and text[end] != RETURN:
        return none
    if negative:
        value = -value
    return column, value, end


@compiled
def number(text: Any, at: int) -> tuple[float, bool, int]:
    """The number that begins at ``at``: (value, is it exact?, where it ends); it ends at ``at`` if there is none.

    ``text`` is an array of bytes (in plain Python: bytes) with something that belongs to no number behind every
    number, such as a newline at its end; its buffer goes on for `SPARE` bytes more.
    """
    start = at
    negative = text[at] == MINUS
    if negative or text[at] == PLUS:
        at += 1
    exponent = 0
    exact = True
    first = at
    mantissa, count = leading_digits(text, at)
    at += count
    if count == 8:
        mantissa, at, dropped = more_digits(text, at, mantissa)
        if dropped > 0:
            exponent = dropped
            exact = False
    digits = at - first
    if text[at] == DOT:
        at += 1
        first = at
        kept = at
        while mantissa < 10_000_000_000:
            value, count = leading_digits(text, at)
            mantissa = mantissa * WHOLE_POWERS[count] + value
            at += count
            kept = at
            if count < 8:
                break
        if 0 <= text[at] - ZERO <= 9:
            mantissa, at, dropped = more_digits(text, at, mantissa)
            kept = at - dropped
            exact = exact and dropped == 0
        exponent -= kept - first
        digits += at - first
    if digits == 0:
        return 0.0, False, start
    if text[at] == LOWER_E or text[at] == UPPER_E:
        at += 1
        below = text[at] == MINUS
        if below or text[at] == PLUS:
            at += 1
        first = at
        written = 0
        digit = text[at] - ZERO
        while 0 <= digit <= 9:
            if written < FAR:
                written = written * 10 + digit
            at += 1
            digit = text[at] - ZERO
        if at == first:
            return 0.0, False, start
        exponent += -written if below else written
    result = float(mantissa)
    if mantissa == 0:
        exact = True
    elif exponent != 0 or mantissa > 9_007_199_254_740_992:
        exact = exact and mantissa <= 9_007_199_254_740_992 and -22 <= exponent <= 22
        result = scaled(result, exponent)
    if negative:
        result = -result
    return result, exact, at


@compiled
def more_digits(text: Any, at: int, mantissa: int) -> tuple[int, int, int]:
    """Digits one by one behind a mantissa: (the mantissa, where they end, how many it had no room for)."""
    dropped = 0
    digit = text[at] - ZERO
    while 0 <= digit <= 9:
        if mantissa < 100_000_000_000_000_000:
            mantissa = mantissa * 10 + digit
        else:
            dropped += 1
        at += 1
        digit = text[at] - ZERO
    return mantissa, at, dropped


@compiled
def scaled(value: float, exponent: int) -> float:
    """value * 10^exponent for 1 <= value < 10^18: three roundings at most, infinite where a double may be.

    >>> scaled(5.0, -1), scaled(1.0, 400)
    (0.5, inf)
    """
    if exponent >= 0:
        if exponent > 308 or value > 1e308 / float(POWERS[exponent]):
            return np.inf
        return value * float(POWERS[exponent])
    if exponent >= -308:
        return value / float(POWERS[-exponent])
    if exponent >= -330:
        return value / 1e308 / float(POWERS[-exponent - 308])
    return 0.0


@compiled(inline=True)
def settled(value: float, exact: bool) -> bool:
    """Whether a value's float32 is certain: it is exact, or both ends of the doubt round alike.

    >>> settled(0.1, False), settled(1.0 + 2.0**-24, False)
    (True, False)
    """
    return exact or bool(np.float32(value * (1.0 - DOUBT)) == np.float32(value * (1.0 + DOUBT)))
