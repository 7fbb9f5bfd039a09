# SPDX-License-Identifier: BSD-3-Clause
"""Comma-separated text (RFC 4180): quoted fields, which may hold delimiters, doubled quotes and line ends.

What a column is, numbers or words, the first rows of the file say; see `hinge.io.names` for what becomes of it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from hinge.io.batch import Batch, dense_batch
from hinge.io.errors import BadFile, shown
from hinge.io.hashing import murmur3
from hinge.io.names import NUMBER, Names, check_names, place_of
from hinge.io.numbers import NEWLINE, QUOTE, RETURN, SPACE, TAB, TOO_LARGE, number
from hinge.io.rows import (
    AFTER_QUOTE,
    BYTE,
    EMPTY,
    ENTRIES,
    EXPECTED,
    FEATURE,
    FIELDS,
    FIRST_LINE,
    GOOD,
    INCOMPLETE,
    ITS_LABEL,
    LABELS,
    LARGE,
    ROWS,
    LineReader,
    Skips,
    TextRows,
    leave,
    put,
    unsettled,
)
from hinge.io.source import Lines
from hinge.native import INTERPRETED, native

#: What a column holds.
FEATURE_NUMBER, FEATURE_WORD, TARGET_NUMBER, TARGET_WORD = range(4)
#: So many rows decide what the columns hold.
DECIDING = 1000
#: "No number here" for column j is the problem CELL + j.
CELL = 1 << 20
#: How many new names are noted in one go.
FRESH = 4096


@native
class CsvLine(NamedTuple):
    """The format, and what is known of the file."""

    delimiter: int
    #: The columns' kinds; for numbers, the column of a feature; for words, what comes before them ("name=").
    kinds: Any
    columns: Any
    prefixes: Any
    prefix_ends: Any
    dense: int
    mask: int
    #: Where a word is put together to be hashed, and which columns have had a name.
    word: Any
    seen: Any
    #: New names: [0, 0] is how many; then feature column, table column, where the word begins and ends.
    fresh: Any
    #: Where the text ends: one number, which changes with every part.
    end: Any

    def line(
        self, text: Any, at: int, row: int, entries: int, labels: int, hard: int, out: Any
    ) -> tuple[int, int, int, int, int]:
        """Read one record: see `hinge.io.rows`."""
        if text[at] == NEWLINE:
            return EMPTY, at, entries, labels, hard
        if text[at] == RETURN and text[at + 1] == NEWLINE:
            return EMPTY, at + 1, entries, labels, hard
        count = len(self.kinds)
        for j in range(count):
            begin = at
            first = at
            quoted = text[at] == QUOTE
            kind = self.kinds[j]
            value, exact, after = 0.0, False, at
            plain = False
            if kind in (FEATURE_NUMBER, TARGET_NUMBER):
                value, exact, after = number(text, at)
                plain = after > at and (text[after] == self.delimiter or text[after] == NEWLINE)
            if plain:
                stop = after
                at = after
            elif quoted:
                at += 1
                begin = at
                while text[at] != QUOTE or text[at + 1] == QUOTE:
                    if text[at] == 0:
                        return BYTE, at, 0, 0, 0
                    at += 2 if text[at] == QUOTE else 1
                    if at >= self.end[0]:
                        return INCOMPLETE, begin - 1, 0, 0, 0
                stop = at
                at += 1
            else:
                while text[at] != self.delimiter and text[at] != NEWLINE and text[at] != RETURN:
                    if text[at] == 0:
                        return BYTE, at, 0, 0, 0
                    at += 1
                stop = at
            if text[at] == RETURN and text[at + 1] == NEWLINE:
                at += 1
            if text[at] != self.delimiter and text[at] != NEWLINE:
                return AFTER_QUOTE if quoted else BYTE, at, 0, 0, 0
            if (text[at] == NEWLINE) != (j == count - 1):
                return FIELDS, at, 0, 0, 0
            if kind in (FEATURE_NUMBER, TARGET_NUMBER):
                if not plain:
                    first = begin
                    while first < stop and (text[first] == SPACE or text[first] == TAB):
                        first += 1
                    value, exact, after = number(text, first)
                    last = after
                    while last < stop and (text[last] == SPACE or text[last] == TAB):
                        last += 1
                    if after == first or last != stop:
                        return CELL + j, begin, 0, 0, 0
                if kind == TARGET_NUMBER:
                    if abs(value) == np.inf:
                        return LARGE, begin, 0, 0, 0
                    if not exact:
                        hard = leave(out, hard, ITS_LABEL, labels, first, after, 0, 0)
                    out.labels[labels] = value
                    labels += 1
                else:
                    if abs(value) >= TOO_LARGE:
                        return LARGE, begin, 0, 0, 0
                    if unsettled(value, exact):
                        hard = leave(out, hard, FEATURE, entries, first, after, 0, 0)
                    if self.dense == 1 or value != 0.0:
                        put(out, entries, self.columns[j], value)
                        entries += 1
            elif kind == FEATURE_WORD:
                length = 0
                prefix = 0
                if j > 0:
                    prefix = self.prefix_ends[j - 1]
                for k in range(prefix, self.prefix_ends[j]):
                    self.word[length] = self.prefixes[k]
                    length += 1
                k = begin
                while k < stop:
                    self.word[length] = text[k]
                    length += 1
                    k += 2 if quoted and text[k] == QUOTE else 1
                column = murmur3(self.word, 0, length, 0) & self.mask
                put(out, entries, column, 1.0)
                entries += 1
                noted = self.fresh[0, 0]
                if self.seen[column] == 0 and noted + 1 < len(self.fresh):
                    self.seen[column] = 1
                    self.fresh[0, 0] = noted + 1
                    self.fresh[noted + 1, 0] = column
                    self.fresh[noted + 1, 1] = j
                    self.fresh[noted + 1, 2] = begin
                    self.fresh[noted + 1, 3] = stop
            else:
                out.tags[row, 0] = begin
                out.tags[row, 1] = stop
            at += 1
        return GOOD, at - 1, entries, labels, hard

    def height(self, text: Any, begin: int, end: int) -> int:
        """How many lines a record has."""
        lines = 1
        for at in range(begin, end):
            if text[at] == NEWLINE:
                lines += 1
        return lines


class CsvReader(LineReader):
    """Reads a CSV file; with its first part it finds out about the columns."""

    def __init__(
        self, lines: Lines, skips: Skips, bits: int, target: str | int | None, header: bool,
        delimiter: str, categorical: Sequence[str],
    ) -> None:  # fmt: skip
        """Read with these options of `hinge.read`."""
        super().__init__(lines, skips, None)
        self.target = target
        self.header = header
        self.delimiter = delimiter
        self.categorical = categorical
        self.names: list[str] = []
        self.hashed = Names(bits)

    @property
    def undecided(self) -> bool:
        """Whether the next lines decide what the columns hold."""
        return self.form is None

    def begin(self, text: np.ndarray) -> int:
        """The first part decides about the columns, and has the header."""
        start = 0
        if self.form is None:
            start = self._decide(text)
            if self.form is None:
                return -1
        room = len(self.lines.buffer) + len(self.form.prefixes)
        word = self.form.word
        if len(word) < room:
            word = bytearray(room) if INTERPRETED else np.empty(room, np.uint8)
            self.form = self.form._replace(word=word)
        self.form.end[0] = len(text)
        return start

    def _decide(self, text: np.ndarray) -> int:
        """Find out about the columns; says where the rows begin."""
        path = self.skips.path
        letters = io.StringIO(bytes(text).decode("utf-8", "replace"), newline="")
        try:
            records = [r for r in islice(csv.reader(letters, delimiter=self.delimiter), DECIDING + 1) if r]
        except csv.Error as error:
            raise BadFile(path, f"it is not comma-separated text ({error})") from error
        if len(records) > 1 and not self.lines.ended:
            records.pop()  # it may be a part of a record only
        if len(records) <= self.header and not self.lines.ended:
            return -1
        first = records[0] if records else []
        if self.header:
            records = records[1:]
        self.names = first if self.header else [str(place) for place in range(len(first))]
        check_names(self.names, self.categorical, path)
        place = None if self.target is None else place_of(self.target, self.names, path)
        kinds = []
        for j, name in enumerate(self.names):
            cells = [record[j] for record in records if len(record) == len(self.names)]
            words = name in self.categorical or not all(map(NUMBER.fullmatch, filter(None, cells)))
            words = words or bool(cells and not any(cells))
            kinds.append(TARGET_NUMBER * (j == place) + words)
        dense = FEATURE_WORD not in kinds
        features = [name for j, name in enumerate(self.names) if j != place]
        columns = [0] * len(kinds)
        for j, kind in enumerate(kinds):
            if kind == FEATURE_NUMBER:
                columns[j] = features.index(self.names[j]) if dense else self.hashed.column(self.names[j])
        prefixes = [f"{name}=".encode() for name in self.names]
        width = 1 << self.hashed.bits
        self.form = CsvLine(
            ord(self.delimiter), np.array(kinds, np.int64), np.array(columns, np.int64),
            np.frombuffer(b"".join(prefixes), np.uint8).copy(), np.cumsum([len(prefix) for prefix in prefixes]),
            int(dense), width - 1, np.empty(0, np.uint8), np.zeros(1 if dense else width, np.uint8),
            np.zeros((FRESH + 1, 4), np.int64), np.zeros(1, np.int64),
        )  # fmt: skip
        self.features = features
        start = 0
        while self.header and start < len(text):
            begin, start = start, self.after_bad(text, start)
            if bytes(text[begin:start]).strip(b"\r\n"):
                break
        return start

    def batch(self, out: TextRows, state: np.ndarray, text: np.ndarray) -> Batch:
        """A batch of what was written."""
        rows, entries = int(state[ROWS]), int(state[ENTRIES])
        y: Any = None
        if TARGET_NUMBER in self.form.kinds:
            y = out.labels[: state[LABELS]].copy()
        elif TARGET_WORD in self.form.kinds:
            y = np.empty(rows, object)
            y[:] = [self._cell(text, begin, stop) for begin, stop in out.tags[:rows].tolist()]
        more = {"y": y, "first_line": int(state[FIRST_LINE]), "skipped": self.skips.taken()}
        if self.form.dense:
            return dense_batch(out.data[:entries].reshape(rows, len(self.features)).copy(), names=self.features, **more)
        fresh = self.form.fresh
        for column, j, begin, stop in fresh[1 : fresh[0, 0] + 1].tolist():
            self.hashed.keep(column, f"{self.names[j]}={self._cell(text, begin, stop)}")
        fresh[0, 0] = 0
        return Batch(
            out.data[:entries].copy(), out.indices[:entries].copy(), out.indptr[: rows + 1].copy(), self.form.mask + 1,
            names=self.hashed.shown(), **more,
        )  # fmt: skip

    def _cell(self, text: np.ndarray, begin: int, stop: int) -> str:
        word = bytes(text[begin:stop]).decode("utf-8", "replace")
        return word.replace('""', '"') if begin and text[begin - 1] == QUOTE else word

    def say(self, problem: int, before: str, found: str, text: np.ndarray, begin: int) -> tuple[str, str]:
        """What was expected and what was found, in words."""
        end = self.after_bad(text, begin)
        cells = next(csv.reader(io.StringIO(bytes(text[begin:end]).decode("utf-8", "replace"), newline=""),
                                delimiter=self.delimiter))  # fmt: skip
        if problem >= CELL:
            j = problem - CELL
            return (
                f"a number in the column {self.names[j]!r} (if it holds words: categorical=[{self.names[j]!r}])",
                shown(cells[j].encode()) if cells[j] else "nothing",
            )
        if problem == FIELDS:
            return f"{len(self.names)} fields as there are columns", str(len(cells))
        if problem == INCOMPLETE:
            return EXPECTED[problem], "the end of the file"
        return EXPECTED[problem], found

    def after_bad(self, text: np.ndarray, at: int) -> int:
        """Behind the record, whose quoted fields may hold line ends; one that never ends counts as one line."""
        quoted = False
        for place in np.flatnonzero((text[at:] == QUOTE) | (text[at:] == NEWLINE)).tolist():
            if text[at + place] == QUOTE:
                quoted = not quoted
            elif not quoted:
                return at + int(place) + 1
        return super().after_bad(text, at)
