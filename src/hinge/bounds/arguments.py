# SPDX-License-Identifier: BSD-3-Clause
"""What a theorem is given: one number, one value a round, or a report; its errors say what is amiss."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float64]
Places: TypeAlias = NDArray[np.int64]
#: One value a round, or what the theorem makes of them: their sum, the sum of their squares, the largest.
Rounds: TypeAlias = ArrayLike


def figure(value: Any, name: str) -> Any:
    """The figure of that name in a report; anything else as it is."""
    return getattr(value, name) if hasattr(value, name) else value


def is_report(value: Any) -> bool:
    """A report of ``hinge.play``, or what has figures like one."""
    return hasattr(value, "mistakes") and hasattr(value, "n")


def numbers(value: Any, name: str) -> Floats:
    """One number or one a round, finite and not below 0."""
    try:
        given = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} must be a number, or numbers, one a round (or a report, where a report has it); "
            f"got {type(value).__name__}: {value!r:.80}"
        ) from None
    if given.ndim > 1:
        raise ValueError(f"{name} must be a number, or one a round in one dimension; its shape is {given.shape}")
    wrong = np.flatnonzero(~(np.isfinite(given) & (given >= 0)))
    if len(wrong):
        where = name if given.ndim == 0 else f"{name}[{wrong[0]}]"
        raise ValueError(f"{where} is {given.ravel()[wrong[0]]:g}; it must be finite and not below 0")
    return given


def number(value: Any, name: str, *, above: float | None = None) -> float:
    """One number, finite, not below 0, and above what is said."""
    given = numbers(value, name)
    if given.ndim:
        raise ValueError(f"{name} must be one number; got {len(given)} of them")
    if above is not None and not given > above:
        raise ValueError(f"{name} must be above {above:g}; got {float(given):g}")
    return float(given)


def total(value: Any, name: str) -> float:
    """The sum of what is given for each round, or the sum as given."""
    return float(numbers(value, name).sum())


def total_of_squares(value: Any, name: str) -> float:
    """The sum of the squares of what is given for each round, or that sum as given."""
    given = numbers(value, name)
    return float((given**2).sum()) if given.ndim else float(given)


def largest(value: Any, name: str) -> float:
    """The largest of what is given for each round, or the largest as given."""
    return float(numbers(value, name).max(initial=0.0))


def count(value: Any, name: str) -> float:
    """How many rounds are true, or their number as given."""
    given = numbers(value, name)
    if given.ndim and not np.isin(given, (0.0, 1.0)).all():
        t = int(np.flatnonzero(~np.isin(given, (0.0, 1.0)))[0])
        raise ValueError(
            f"{name}, given for each round, must be true or false; {name}[{t}] is {given[t]:g} "
            "(of losses, give losses >= 1)"
        )
    return float(given.sum())


def same_length(**given: Floats) -> int:
    """How many rounds there are, where all speak of the same ones."""
    lengths = {name: len(values) for name, values in given.items()}
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{n} {name}" for name, n in lengths.items())
        raise ValueError(f"one value a round is needed of each, got {found}")
    return next(iter(lengths.values()))
