# SPDX-License-Identifier: BSD-3-Clause
"""What the compiled readers of text lines share: where they write, how a line is refused, how a batch is made.

A format is a native class. Its method ``line`` reads one line:

    line(text, at, row, entries, labels, hard, out) -> (problem, at, entries, labels, hard)

It writes behind ``entries``, ``labels`` and ``hard`` into ``out``, and says how far it wrote; nothing counts until
the line proves good. ``problem`` is `GOOD` (``at`` is then the newline), `EMPTY`, or what was wrong at ``at``. Its
method ``height(text, begin, end)`` says how many lines of text that was. What can wait for Python, and how batches
are made of what was written, is a `LineReader`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from copy import copy
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from hinge.io.batch import Batch
from hinge.io.errors import BadLine, shown
from hinge.io.numbers import NEWLINE, SPACE, TAB, settled
from hinge.io.source import Lines
from hinge.native import INTERPRETED, compiled, frame, kernel, unbind

EMPTY, GOOD = -1, 0
(LABEL, ONE_LABEL, GROUP, COLUMN, NEGATIVE, COLUMN_ZERO, TOO_WIDE, COLON_MISSING, VALUE, LARGE, BYTE, BAR_MISSING,
 NAMESPACE, WEIGHT, NEGATIVE_WEIGHT, BASE, COST, COST_LABEL, TAG, MIXED, INCOMPLETE, AFTER_QUOTE,
 FIELDS) = range(1, 24)  # fmt: skip

#: What was expected, by problem; {before} is what stands before it in the same word.
EXPECTED = {
    LABEL: "a finite number as the label",
    ONE_LABEL: "one label as in the lines before (if rows have several: multilabel=True)",
    GROUP: 'a whole number after "qid:"',
    COLUMN: "a column number",
    NEGATIVE: "a column number that is not negative",
    COLUMN_ZERO: "columns counted from 1 as in the lines before (if they count from 0: zero_based=True)",
    TOO_WIDE: "a column number below 2147483647",
    COLON_MISSING: 'a ":" and a number after "{before}"',
    VALUE: 'a number after "{before}"',
    LARGE: "a number that float32 can hold (below 3.4e38)",
    BYTE: "text or the end of the line",
    BAR_MISSING: 'a "|" before the features',
    NAMESPACE: 'a namespace\'s name, or a space, after "|"',
    WEIGHT: "a finite number as the importance",
    NEGATIVE_WEIGHT: "an importance that is not negative",
    BASE: "no third number before the features (hinge has no initial predictions)",
    COST: 'a finite number as the cost after "{before}"',
    COST_LABEL: "a whole number as the label before the cost",
    TAG: "a tag as the last word before the features",
    MIXED: "a label:cost like the one before",
    INCOMPLETE: "a closing quote",
    AFTER_QUOTE: "the end of the field after its closing quote",
}
#: A first batch decides what a file is; lines that say otherwise are an error even where bad lines are skipped.
CONTRADICTIONS = (ONE_LABEL, COLUMN_ZERO)

#: Whether rows have several labels.
NO, YES, UNDECIDED = 0, 1, 2

#: A batch never has more rows, and a row seldom more numbers that only float() can read.
MOST_ROWS, MOST_HARD = 65536, 4096
#: What a hard number is for.
FEATURE, ITS_LABEL, ITS_WEIGHT, ITS_COST = range(4)

AT, LINE, ROWS, ENTRIES, LABELS, HARD, FIRST_LINE, PROBLEM, PROBLEM_AT = range(9)


class TextRows(NamedTuple):
    """Where lines are written: CSR rows, labels (and costs) in the same manner, one weight, group and tag a row."""

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray
    labels: np.ndarray
    costs: np.ndarray
    label_ends: np.ndarray
    weights: np.ndarray
    groups: np.ndarray
    tags: np.ndarray
    #: Numbers left to float(): what for, where to, its text's begin and end, and those of the scale it is to have.
    hard: np.ndarray


def room_for(size: int, hard: int = MOST_HARD) -> TextRows:
    """Room for whatever ``size`` bytes can hold. (Memory that is never written is never taken.)"""
    most, rows = size + 2, min(size // 2 + 2, MOST_ROWS)
    return TextRows(
        np.empty(most, np.float32), np.empty(most, np.int32), np.zeros(rows + 1, np.int64),
        np.empty(most), np.empty(most), np.zeros(rows + 1, np.int64),
        np.empty(rows), np.empty(rows, np.int64), np.empty((rows, 2), np.int64), np.empty((hard, 6), np.int64),
    )  # fmt: skip


@compiled
def parse(bound: Any, end: int) -> None:
    """Read lines until the text or the room ends, or a line is bad: then ``state[PROBLEM]`` says how.

    What is bound is (form, text, out, state): laid out in memory, no array's references are counted for each line.
    """
    form, text, out, state = unbind(bound)
    at, line, rows, entries = int(state[AT]), int(state[LINE]), int(state[ROWS]), int(state[ENTRIES])
    labels, hard = int(state[LABELS]), int(state[HARD])
    state[PROBLEM] = GOOD
    while at < end and rows < len(out.indptr) - 1:
        found = form.line(text, at, rows, entries, labels, hard, out)
        if found[0] > GOOD:
            state[PROBLEM] = found[0]
            state[PROBLEM_AT] = found[1]
            break
        height = form.height(text, at, found[1])
        at = found[1] + 1
        if found[0] == GOOD:
            if rows == 0:
                state[FIRST_LINE] = line
            entries, labels, hard = found[2], found[3], found[4]
            rows += 1
            out.indptr[rows] = entries
            out.label_ends[rows] = labels
        line += height
    state[AT], state[LINE], state[ROWS], state[ENTRIES] = at, line, rows, entries
    state[LABELS], state[HARD] = labels, hard


@compiled(inline=True)
def blank(text: Any, at: int) -> int:
    """Where the next word begins, or the line ends."""
    while text[at] == SPACE or text[at] == TAB:
        at += 1
    return at


@compiled(inline=True)
def put(out: Any, entries: int, column: int, value: float) -> None:
    """Write one entry."""
    out.indices[entries] = column
    out.data[entries] = value


@compiled
def leave(out: Any, hard: int, kind: int, where: int, begin: int, end: int, scale: int, scale_end: int) -> int:
    """Leave a number to float(); returns how many are left. Where there is no room the count alone tells."""
    if hard < len(out.hard):
        out.hard[hard, 0] = kind
        out.hard[hard, 1] = where
        out.hard[hard, 2] = begin
        out.hard[hard, 3] = end
        out.hard[hard, 4] = scale
        out.hard[hard, 5] = scale_end
    return hard + 1


@compiled(inline=True)
def unsettled(value: float, exact: bool) -> bool:
    """Whether only float() can say what a value is as float32."""
    return not exact and not settled(value, exact)


def settle(text: Any, out: TextRows, hard: int) -> None:
    """Read the numbers that were left to float()."""
    for kind, where, begin, end, scale, scale_end in out.hard[:hard].tolist():
        value = float(bytes(text[begin:end])) if end > begin else 1.0
        if kind == FEATURE:
            product = float(np.float32(value))
            if scale_end > scale:
                product *= float(np.float32(float(bytes(text[scale:scale_end]))))
            out.data[where] = product
        else:
            (out.labels, out.weights, out.costs)[kind - 1][where] = value


class Skips:
    """Bad lines that were passed over: how many, and the first."""

    def __init__(self, path: str, skip_bad: bool) -> None:
        """Start counting for a file."""
        self.path = path
        self.skip_bad = skip_bad
        self.first: BadLine | None = None
        self.waiting = 0

    def count(self, error: BadLine) -> None:
        """Count a bad line."""
        self.first = self.first or error
        self.waiting += 1

    def meet(self, error: BadLine) -> None:
        """Count a bad line, or raise it."""
        if not self.skip_bad:
            raise error
        self.count(error)

    def taken(self) -> int:
        """How many were counted since this was last asked."""
        count, self.waiting = self.waiting, 0
        return count


class LineReader:
    """Reads the lines of one file: what is left to Python, and may be of one format only."""

    def __init__(self, lines: Lines, skips: Skips, form: Any) -> None:
        """Read lines of a form, a native class."""
        self.lines = lines
        self.skips = skips
        self.form = form
        #: What `parse` works on, laid out for it: that takes as long as reading many lines, so it is kept.
        self._memory: tuple[Any, ...] = (None,)
        self._frame: Any = None
        self._ready: Callable[..., None] = parse

    def batch(self, out: TextRows, state: np.ndarray, text: np.ndarray) -> Batch:
        """A batch of what was written; the first may settle what form the file has."""
        raise NotImplementedError

    @property
    def undecided(self) -> bool:
        """Whether the next lines decide what the file is."""
        return False

    def begin(self, text: np.ndarray) -> int:
        """Told of each new part of the text; says where its first line begins, or -1 to see more of it first."""
        return 0

    def after_bad(self, text: np.ndarray, at: int) -> int:
        """Where the line behind a bad one begins."""
        return at + int(np.argmax(text[at:] == NEWLINE)) + 1

    def complaint(self, text: np.ndarray, line: int, begin: int, at: int, problem: int) -> BadLine:
        """The error for a problem at ``at`` in the line that begins at ``begin``."""
        whole = bytes(text[begin : begin + int(np.argmax(text[begin:] == NEWLINE))]).rstrip(b"\r")
        place = min(at - begin, len(whole))
        before = whole[:place].replace(b"\t", b" ").split(b" ")[-1]
        after = whole[place:]
        found = shown(after[:1] if after[:1].isspace() else b"".join(after.split()[:1]))
        expected, found = self.say(problem, shown(before)[1:-1], found, text, begin)
        return BadLine(self.skips.path, line, len(whole[:place].decode("utf-8", "replace")) + 1, expected, found)

    def say(self, problem: int, before: str, found: str, text: np.ndarray, begin: int) -> tuple[str, str]:
        """What was expected and what was found, in words."""
        return EXPECTED[problem].replace("{before}", before), found

    def batches(self) -> Iterator[Batch]:
        """All lines, in batches."""
        state = np.zeros(9, np.int64)
        state[LINE] = 1
        out = room_for(0)
        unused = 0
        self.lines.patient = self.undecided
        while (part := self.lines.read(unused)) is not None:
            if len(out.data) < len(part) + 2:
                out = room_for(len(part))
            begin = self.begin(part)
            unused = len(part) if begin < 0 else 0
            state[AT] = max(begin, 0)
            state[LINE] += int(np.count_nonzero(part[: state[AT]] == NEWLINE))
            while not unused and state[AT] < len(part):
                state[ROWS:FIRST_LINE] = 0
                error = None
                while error is None:
                    out = self._parse(part, state, out)
                    problem = int(state[PROBLEM])
                    if problem == GOOD:
                        break
                    if problem == INCOMPLETE and not self.lines.ended:
                        unused = len(part) - int(state[AT])
                        break
                    error = self._refuse(part, state, problem)
                settle(part, out, int(state[HARD]))
                if state[ROWS]:
                    yield self.batch(out, state, part)
                if error is not None:
                    raise error
            self.lines.line = int(state[LINE])
            self.lines.patient = self.undecided

    def _parse(self, part: np.ndarray, state: np.ndarray, out: TextRows) -> TextRows:
        """`parse`, again with a longer list where too many numbers are hard."""
        before = state.copy()
        while True:
            memory = (self.form, bytes(part) if INTERPRETED else self.lines.buffer, out, state)
            if not all(map(operator.is_, self._memory, memory)):
                self._memory = memory
                self._frame = frame(memory)
                self._ready = kernel(parse, self._frame, 0)
            self._ready(self._frame.argument, len(part))
            if state[HARD] <= len(out.hard):
                return out
            longer = np.empty((2 * len(out.hard), out.hard.shape[1]), np.int64)
            longer[: before[HARD]] = out.hard[: before[HARD]]
            out = out._replace(hard=longer)
            state[:] = before

    def _refuse(self, part: np.ndarray, state: np.ndarray, problem: int) -> BadLine | None:
        """Pass over a bad line, or say what error it is."""
        begin, line = int(state[AT]), int(state[LINE])
        error = self.complaint(part, line, begin, int(state[PROBLEM_AT]), problem)
        if problem in CONTRADICTIONS or not self.skips.skip_bad:
            return error
        self.skips.count(error)
        state[AT] = self.after_bad(part, begin)
        state[LINE] += int(np.count_nonzero(part[begin : state[AT]] == NEWLINE))
        return None


def tuples(labels: np.ndarray, ends: np.ndarray) -> list[tuple[float, ...]]:
    """Labels by rows: row i has labels[ends[i]:ends[i + 1]].

    >>> tuples(np.array([1.0, 3.0, 2.0]), np.array([0, 2, 2, 3]))
    [(1.0, 3.0), (), (2.0,)]
    """
    flat, places = labels.tolist(), ends.tolist()
    return [tuple(flat[begin:end]) for begin, end in pairwise(places)]


def no_rows(before: Batch | None, skipped: int) -> Batch:
    """A batch without a row, of the kind of those before: it only tells of lines skipped at the end of a file."""
    line, no_data, no_indices = 1, np.empty(0, np.float32), np.empty(0, np.int32)
    width, dense, y, sequences, fields = 0, None, None, None, None
    if before is not None:
        line, width = before.first_line, before.width
        dense = None if before.dense is None else before.dense[:0].copy()
        y = None if before.y is None else copy(before.y[:0])
        if before.sequences is not None:
            sequences, fields = before.sequences[:1], before.fields and before.fields[:0]
    return Batch(
        no_data, no_indices, np.zeros(1, np.int64), width, y, first_line=line, skipped=skipped, dense=dense,
        sequences=sequences, fields=fields,
    )  # fmt: skip
