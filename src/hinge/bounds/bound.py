# SPDX-License-Identifier: BSD-3-Clause
"""The two sides of a theorem, and the one place that says what rounding may excuse."""

from __future__ import annotations

import math
from typing import NamedTuple, Self

#: Sums of floating-point numbers are exact to about this, relative to the larger side, or the size of what is summed.
ROUNDING = 1e-9


class _Sides(NamedTuple):
    left: float
    right: float
    holds: bool


class Bound(_Sides):
    """left <= right, and whether it ``holds``. It unpacks like a tuple, and is true where it holds.

    >>> bound = Bound.of("mistakes", 12, 34.5)
    >>> print(bound)
    mistakes 12 <= 34.5: holds
    >>> left, right, holds = bound
    >>> holds, bool(bound)
    (True, True)
    >>> print(Bound.of("mistakes", 40, 34.5))
    mistakes 40 <= 34.5: does NOT hold
    """

    #: What the left side is.
    what: str = "left side"

    @classmethod
    def of(cls, what: str, left: float, right: float, size: float = 0.0) -> Self:
        """Compare the sides; ``size`` is the size of what was summed, where terms of both signs nearly cancel."""
        left, right = float(left), float(right)
        # Where a sum is too large for a float, no excuse is made for it: infinity <= 1 does not hold.
        excuse = ROUNDING * max(abs(left), abs(right), size)
        bound = cls(left, right, bool(left <= right + (excuse if math.isfinite(excuse) else 0.0)))
        bound.what = what
        return bound

    def __bool__(self) -> bool:
        """Whether it holds."""
        return self.holds

    def __str__(self) -> str:
        """Both sides, and whether it holds."""
        return f"{self.what} {_shown(self.left)} <= {_shown(self.right)}: {'holds' if self.holds else 'does NOT hold'}"


class Pick(Bound):
    """The bound on the risk of a picked hypothesis, and ``hypothesis``, which one: t for H_t."""

    hypothesis: int | None = None


def _shown(value: float) -> str:
    return f"{value:.0f}" if abs(value) < 1e15 and value == int(value) else f"{value:.6g}"
