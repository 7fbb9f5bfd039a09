# SPDX-License-Identifier: BSD-3-Clause
"""A kernel bound to its memory: from then on a call costs what a call of a C function with a few numbers costs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from hinge.native import Compiled, frame, kernel

__all__ = ["bind"]


def bind(function: Compiled, memory: tuple[Any, ...], n_numbers: int) -> Callable[..., int]:
    """The function with its first argument, the memory, laid out for `hinge.native.unbind`; whole numbers follow it."""
    laid_out = frame(memory)
    call = functools.partial(kernel(function, laid_out, *(0,) * n_numbers), laid_out.argument)
    call.frame = laid_out  # type: ignore[attr-defined]  # it lives as long as the call that points into it
    return call
