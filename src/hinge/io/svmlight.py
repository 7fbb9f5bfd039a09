# SPDX-License-Identifier: BSD-3-Clause
"""svmlight and LIBSVM text: ``label[,label...] [qid:group] column:value ... [# comment]``."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hinge.io.batch import Batch
from hinge.io.numbers import (
    COLON,
    COMMA,
    MINUS,
    NEWLINE,
    RETURN,
    TOO_LARGE,
    ZERO,
    among,
    leading_digits,
    more_digits,
    number,
    plain_pair,
)
from hinge.io.rows import (
    BYTE,
    COLON_MISSING,
    COLUMN,
    COLUMN_ZERO,
    EMPTY,
    ENTRIES,
    FEATURE,
    FIRST_LINE,
    GOOD,
    GROUP,
    ITS_LABEL,
    LABEL,
    LABELS,
    LARGE,
    NEGATIVE,
    NO,
    ONE_LABEL,
    ROWS,
    TOO_WIDE,
    UNDECIDED,
    VALUE,
    LineReader,
    Skips,
    TextRows,
    blank,
    leave,
    put,
    tuples,
    unsettled,
)
from hinge.io.source import Lines
from hinge.native import compiled, native

#: One more than the largest column: the number of columns must itself fit an int32.
WIDEST = 2**31 - 1


#: What ends a row: its line, or a comment. (A return that no newline follows is refused behind the row.)
ENDS = among(b"\n\r#")
#: What ends a word.
SEPARATES = among(b" \t\n\r#")


@native
class SvmlightLine(NamedTuple):
    """The format, and what is known of the file: where columns begin, and if rows have several labels."""

    first_column: int = 0
    several: int = UNDECIDED

    def line(
        self, text: Any, at: int, row: int, entries: int, labels: int, hard: int, out: Any
    ) -> tuple[int, int, int, int, int]:
        """Read one line: see `hinge.io.rows`."""
        at = blank(text, at)
        if ENDS[text[at]] == 0:
            # The labels. A word like 1:0.5 or qid:3 in their place means there are none.
            none = self.several != NO and is_pair(text, at)
            while not none:
                value, exact, after = number(text, at)
                if after == at:
                    return LABEL, at, 0, 0, 0
                if abs(value) == np.inf:
                    return LARGE, at, 0, 0, 0
                if not exact:
                    hard = leave(out, hard, ITS_LABEL, labels, at, after, 0, 0)
                out.labels[labels] = value
                labels += 1
                if text[after] != COMMA:
                    if SEPARATES[text[after]] == 0:
                        return LABEL, at, 0, 0, 0
                    at = after
                    break
                if self.several == NO:
                    return ONE_LABEL, at, 0, 0, 0
                at = after + 1
            at = blank(text, at)
            out.groups[row] = -1
            if text[at] == 113 and text[at + 1] == 105 and text[at + 2] == 100 and text[at + 3] == COLON:  # qid:
                at += 4
                group = 0
                first = at
                while 0 <= text[at] - ZERO <= 9 and at - first < 18:
                    group = group * 10 + (text[at] - ZERO)
                    at += 1
                if at == first or SEPARATES[text[at]] == 0:
                    return GROUP, first, 0, 0, 0
                out.groups[row] = group
                at = blank(text, at)
            while ENDS[text[at]] == 0:
                column, value, after = plain_pair(text, at)
                if after > at and column >= self.first_column:
                    put(out, entries, column - self.first_column, value)
                    entries += 1
                    at = blank(text, after)
                    continue
                word = at
                column, count = leading_digits(text, at)
                if count == 0:
                    negative = text[at] == MINUS and 0 <= text[at + 1] - ZERO <= 9
                    return NEGATIVE if negative else COLUMN, word, 0, 0, 0
                at += count
                if count == 8:
                    column, at, count = more_digits(text, at, column)
                if column >= WIDEST:
                    return TOO_WIDE, word, 0, 0, 0
                if text[at] != COLON:
                    return COLON_MISSING, at, 0, 0, 0
                if column < self.first_column:
                    return COLUMN_ZERO, word, 0, 0, 0
                at += 1
                value, exact, after = number(text, at)
                if after == at or SEPARATES[text[after]] == 0:
                    return VALUE, at, 0, 0, 0
                if abs(value) >= TOO_LARGE:
                    return LARGE, at, 0, 0, 0
                if unsettled(value, exact):
                    hard = leave(out, hard, FEATURE, entries, at, after, 0, 0)
                put(out, entries, column - self.first_column, value)
                entries += 1
                at = blank(text, after)
            found = GOOD
        else:
            found = EMPTY
        while text[at] != NEWLINE:  # a comment
            if text[at] == 0 or (text[at] == RETURN and text[at + 1] != NEWLINE):
                return BYTE, at, 0, 0, 0
            at += 1
        return found, at, entries, labels, hard

    def height(self, text: Any, begin: int, end: int) -> int:
        """One line."""
        return 1


@compiled
def is_pair(text: Any, at: int) -> bool:
    """Whether the word that begins here has a colon."""
    while SEPARATES[text[at]] == 0:
        if text[at] == COLON:
            return True
        at += 1
    return False


class SvmlightReader(LineReader):
    """Reads a file in svmlight's format."""

    def __init__(self, lines: Lines, skips: Skips, zero_based: bool | str, multilabel: bool | None) -> None:
        """Read with these options of `hinge.read`."""
        several = UNDECIDED if multilabel is None else int(multilabel)
        super().__init__(lines, skips, SvmlightLine(int(zero_based is False), several))
        self.guess = zero_based == "auto"
        self.width = 0

    @property
    def undecided(self) -> bool:
        """Whether the next lines decide where columns begin, or if rows have several labels."""
        return self.guess or bool(self.form.several == UNDECIDED)

    def batch(self, out: TextRows, state: np.ndarray, text: np.ndarray) -> Batch:
        """A batch of what was written."""
        rows, entries, labels = int(state[ROWS]), int(state[ENTRIES]), int(state[LABELS])
        indices = out.indices[:entries].copy()
        if self.guess and entries:
            self.guess = False
            self.form = self.form._replace(first_column=int(indices.min() > 0))
            indices -= self.form.first_column
        if entries:
            self.width = max(self.width, int(indices.max()) + 1)
        ends = out.label_ends[: rows + 1]
        if self.form.several == UNDECIDED:
            self.form = self.form._replace(several=int((np.diff(ends) != 1).any()))
        y = out.labels[:labels].copy()
        groups = out.groups[:rows]
        return Batch(
            out.data[:entries].copy(),
            indices,
            out.indptr[: rows + 1].copy(),
            self.width,
            tuples(y, ends) if self.form.several else y,
            qid=groups.copy() if (groups >= 0).any() else None,
            first_line=int(state[FIRST_LINE]),
            skipped=self.skips.taken(),
        )
