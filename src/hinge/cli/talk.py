# SPDX-License-Identifier: BSD-3-Clause
"""How commands speak: data to stdout, talk to stderr, colours and moving lines only where a person looks on."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

#: Exit codes besides 0 (done) and 2 (wrong usage).
WRONG, PIPE_CLOSED = 1, 141

#: What errors of the library call by its Python name, as the options of commands call it.
_OPTIONS = [
    (r"\bzero_based=True\b", "--columns-from 0"),
    (r" as in the lines before \(if rows have several: multilabel=True\)", ""),
    (r"\bcategorical=\['([^']*)'\]", r"--categorical \1"),
    (r"\b(format|target|categorical|header|delimiter|bits)=(?=\W)", r"--\1 "),
    (r"hinge\.Regressor learns numbers", "--numbers learns numbers"),
]


class Interrupted(Exception):
    """A command ended by Ctrl-C, once it had put everything in order."""

    code = 130


def say(words: str) -> None:
    """Talk: to stderr."""
    sys.stderr.write(words + "\n")
    sys.stderr.flush()


def complain(words: str) -> None:
    """Say what is wrong."""
    say(f"hinge: {words}")


def in_words(error: BaseException) -> str:
    """An error's message in the words of the command line."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename is not None else error.strerror
    words = " ".join([str(error) or type(error).__name__, *getattr(error, "__notes__", [])])
    for python, option in _OPTIONS:
        words = re.sub(python, option, words)
    return words.replace("  ", " ")


def print_json(value: Any) -> None:
    """One JSON object on a line of its own."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n")


def harmless(text: str) -> str:
    """Text from a file, without what would move a terminal's cursor.

    >>> harmless("two\\nlines")
    'two\\\\nlines'
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def print_table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = (0,), best: int = -1
) -> None:
    """A table: with lines and colours on a terminal, else in plain columns. ``left`` columns are words."""
    rows = [[harmless(cell) for cell in row] for row in rows]
    heads = [harmless(head) for head in heads]
    if sys.stdout.isatty():
        from rich import box
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for place, head in enumerate(heads):
            table.add_column(head, justify="left" if place in left else "right", overflow="fold")
        for place, row in enumerate(rows):
            table.add_row(*(Text(cell) for cell in row), style="bold green" if place == best else None)
        Console().print(table)
        return
    widths = [max(len(row[place]) for row in [heads, *rows]) for place in range(len(heads))]
    for row in [heads, ["-" * width for width in widths], *rows]:
        cells = (
            cell.ljust(width) if place in left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        sys.stdout.write("  ".join(cells).rstrip() + "\n")


class Interrupt:
    """Ctrl-C, held back while a batch is learnt: a learner is never left half way.

    It comes through, as a KeyboardInterrupt, inside `coming_through`; elsewhere it is noted in ``wanted``.
    """

    def __init__(self) -> None:
        self.wanted = False
        self._open = False

    def __enter__(self) -> Interrupt:
        self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _note(self, *_: object) -> None:
        self.wanted = True
        if self._open:
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def coming_through(self) -> Iterator[None]:
        """Here it may interrupt, as while waiting for input."""
        self._open = True
        try:
            if self.wanted:
                raise KeyboardInterrupt
            yield
        finally:
            self._open = False


#: Told (rows so far, the merit so far in words, the share of the input that is read or None).
Tell = Callable[[int, str, "float | None"], None]


@contextlib.contextmanager
def progress(quiet: bool) -> Iterator[Tell]:
    """A bar on stderr, where that is a terminal; told nothing else, it only pulses."""
    if quiet or not sys.stderr.isatty():
        yield lambda rows, merit, share: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    fields = "{task.fields[rows]:>13,} rows  {task.fields[speed]:>11,.0f} rows/s  {task.fields[merit]}"
    started = time.perf_counter()
    with Progress(BarColumn(bar_width=24), TextColumn(fields), console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=None, rows=0, speed=0.0, merit="")

        def tell(rows: int, merit: str, share: float | None) -> None:
            speed = rows / max(1e-9, time.perf_counter() - started)
            if share is None:
                bar.update(task, rows=rows, speed=speed, merit=merit)
            else:
                bar.update(task, rows=rows, speed=speed, merit=merit, total=1.0, completed=share)

        yield tell
