# SPDX-License-Identifier: BSD-3-Clause
"""Measuring side by side: the contestants take turns in one run, on one thread, and the median of each counts."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence

TURNS = 5


def side_by_side(*contestants: Callable[[], object], turns: int = TURNS) -> list[float]:
    """The median seconds of each, after one turn of all to warm up."""
    times: list[list[float]] = [[] for _ in contestants]
    for turn in range(turns + 1):
        for contestant, seconds in zip(contestants, times, strict=True):
            started = time.perf_counter()
            contestant()
            if turn:
                seconds.append(time.perf_counter() - started)
    return [statistics.median(seconds) for seconds in times]


def show(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table."""
    widths = [max(len(str(cell)) for cell in column) for column in zip(heads, *rows, strict=True)]
    print(f"\n{title}")
    for row in [heads, ["-" * width for width in widths], *rows]:
        first, *rest = (
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        print("  ".join([first, *rest]), flush=True)


def seconds(value: float) -> str:
    """Seconds in the unit that suits them."""
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if value * scale >= 1:
            return f"{value * scale:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"


def ratio(peer: float, own: float, least: float, aim: float) -> list[str]:
    """How often the peer's time holds one's own, and what was asked."""
    times = peer / own
    verdict = "aim met" if times >= aim else "met" if times >= least else "MISSED"
    return [f"{times:.2f} x", f"{least:g} x", f"{aim:g} x", verdict]
