# SPDX-License-Identifier: BSD-3-Clause
"""What the parameters of Text may be, and what is said of others."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np

__all__ = ["CHECKS"]


def _is_whole(value: Any, low: int, high: int) -> bool:
    return not isinstance(value, bool) and isinstance(value, Integral) and low <= int(value) <= high


def _check_ngrams(value: Any) -> None:
    if not (
        isinstance(value, (tuple, list))
        and len(value) == 2
        and all(_is_whole(n, 1, 2**31 - 1) for n in value)
        and value[0] <= value[1]
    ):
        raise ValueError(
            f"ngrams={value!r}: expected the shortest and the longest n-gram, (low, high) with 1 <= low <= high; "
            "(1, 2) means single words and pairs"
        )


def _check_bits(value: Any) -> None:
    if not _is_whole(value, 1, 30):
        raise ValueError(f"bits={value!r}: expected a whole number from 1 to 30; there are 2**bits columns")


def _one_of(name: str, choices: tuple[Any, ...]) -> Callable[[Any], None]:
    def check(value: Any) -> None:
        if not (value is None or isinstance(value, str)) or value not in choices:
            raise ValueError(f"{name}={value!r}: expected one of {', '.join(map(repr, choices))}")

    return check


def _flag(name: str) -> Callable[[Any], None]:
    def check(value: Any) -> None:
        if not isinstance(value, (bool, np.bool_)):
            raise ValueError(f"{name}={value!r}: expected True or False")

    return check


def _check_names(value: Any) -> None:
    if not (isinstance(value, (bool, np.bool_)) or _is_whole(value, 1, 2**62)):
        raise ValueError(f"names={value!r}: expected True, False, or how many names to keep at most")


def _check_dtype(value: Any) -> None:
    try:
        known = np.dtype(value) in (np.dtype(np.float32), np.dtype(np.float64))
    except TypeError:
        known = False
    if value is None or not known:
        raise ValueError(f"dtype={value!r}: expected np.float32 or np.float64")


ANALYZERS = ("word", "char", "char_wb")
NORMS = ("l2", "l1", None)

#: The parameters in the order of the constructor; each check says nothing, or raises a ValueError.
CHECKS: dict[str, Callable[[Any], None]] = {
    "ngrams": _check_ngrams,
    "bits": _check_bits,
    "analyzer": _one_of("analyzer", ANALYZERS),
    "lowercase": _flag("lowercase"),
    "signed": _flag("signed"),
    "norm": _one_of("norm", NORMS),
    "binary": _flag("binary"),
    "names": _check_names,
    "dtype": _check_dtype,
}
