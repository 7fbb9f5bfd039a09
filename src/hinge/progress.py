# SPDX-License-Identifier: BSD-3-Clause
"""How far a pass has come: one line on stderr, where that is a terminal."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

#: Called with (rows so far, mistakes so far).
Teller = Callable[[int, int], None]
#: Seconds between two writings of the line.
PAUSE = 0.1


@contextlib.contextmanager
def teller(progress: Any, length: int | None) -> Iterator[Teller | None]:
    """What to tell progress to: a function of the user's, a line on the terminal, or None."""
    if callable(progress):
        yield progress
    elif not progress or not sys.stderr.isatty():
        yield None
    else:
        line = _Line(length)
        try:
            yield line
        finally:
            line.end()


class _Line:
    """``  45%    1,234,000 rows    2,300,000 rows/s    2.34% mistakes``, written over itself."""

    def __init__(self, length: int | None) -> None:
        self.length = length
        self.started = self.written = time.perf_counter()
        self.last = (0, 0)

    def __call__(self, rows: int, mistakes: int) -> None:
        """Write the line, unless that was done a moment ago."""
        self.last = rows, mistakes
        if time.perf_counter() - self.written >= PAUSE:
            self._write()

    def _write(self) -> None:
        self.written = time.perf_counter()
        rows, mistakes = self.last
        done = f"{rows / self.length:4.0%}  " if self.length else ""
        speed = rows / max(1e-9, self.written - self.started)
        sys.stderr.write(
            f"\r{done}{rows:>13,} rows  {speed:>11,.0f} rows/s  {mistakes / max(1, rows):7.2%} mistakes\x1b[K"
        )
        sys.stderr.flush()

    def end(self) -> None:
        """Write how it ended, and leave the line."""
        self._write()
        sys.stderr.write("\n")
        sys.stderr.flush()
