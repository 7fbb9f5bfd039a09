# SPDX-License-Identifier: BSD-3-Clause
"""A kernel bound to its memory: from then on a call costs what a call of a C function with a few numbers costs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from hinge.native import INTERPRETED, Compiled

__all__ = ["bind"]


def bind(kernel: Compiled, memory: tuple[Any, ...], n_numbers: int) -> Callable[..., int]:
    """The kernel with its first argument, the memory, laid out for `hinge.native.unbind`; whole numbers follow it."""
    if INTERPRETED:
        return functools.partial(kernel, memory)
    from numba.core import types

    from hinge import jit

    frame = jit.Frame(memory)
    entry = jit.entry(kernel, jit.Bound(frame.type), *(types.int64,) * n_numbers)
    call = functools.partial(entry, frame.address)
    call.frame = frame  # type: ignore[attr-defined]  # it lives as long as the call that points into it
    return call
