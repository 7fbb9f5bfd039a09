# SPDX-License-Identifier: BSD-3-Clause
"""Vowpal Wabbit's text: ``[label [importance]] [tag]|namespace[:scale] feature[:value] ... |namespace ...``.

Columns are Vowpal Wabbit's own (`hinge.io.hashing`, its default ``--hash strings``), as are these customs: a feature
without a value is 1, a value of 0 leaves the feature out, ``name:word`` is the feature of both together, ``:value``
alone is numbered within its namespace, the last word is a tag if it touches the bar or begins with an apostrophe.
What it only warns of, or reads as something else than is written, is an error here.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from hinge.io.batch import Batch
from hinge.io.hashing import name_hash
from hinge.io.numbers import (
    APOSTROPHE,
    BAR,
    COLON,
    COMMA,
    DOT,
    MINUS,
    NEWLINE,
    PLUS,
    RETURN,
    SPACE,
    TAB,
    TOO_LARGE,
    ZERO,
    among,
    leading_digits,
    more_digits,
    number,
    plain_pair,
)
from hinge.io.rows import (
    BAR_MISSING,
    BASE,
    BYTE,
    COST,
    COST_LABEL,
    EMPTY,
    ENTRIES,
    FEATURE,
    FIRST_LINE,
    GOOD,
    ITS_COST,
    ITS_LABEL,
    ITS_WEIGHT,
    LABEL,
    LABELS,
    LARGE,
    MIXED,
    NAMESPACE,
    NEGATIVE_WEIGHT,
    NO,
    ONE_LABEL,
    ROWS,
    TAG,
    UNDECIDED,
    VALUE,
    WEIGHT,
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

#: What ends a name, and a value; a zero byte ends both, and is refused there, as is a return without a newline.
ENDS_NAME = among(b" \t\n\r:|\0")
ENDS_VALUE = among(b" \t\n\r|")
ENDS_NAMESPACE = among(b"\n\r|\0")


@compiled
def nearly_number(text: Any, begin: int, end: int) -> bool:
    """Whether a word is nan, inf or infinity, or begins as numbers do: then it is no name for a feature."""
    if text[begin] == PLUS or text[begin] == MINUS:
        begin += 1
    if 0 <= text[begin] - ZERO <= 9 or (text[begin] == DOT and 0 <= text[begin + 1] - ZERO <= 9):
        return True
    if end - begin < 3:
        return False
    first = text[begin] | 32
    second = text[begin + 1] | 32
    third = text[begin + 2] | 32
    if first == 110 and second == 97 and third == 110:
        return end - begin == 3
    return bool(first == 105 and second == 110 and third == 102) and (end - begin == 3 or end - begin == 8)


@native
class VowpalLine(NamedTuple):
    """The format, the columns' mask, and what is known of the file: if rows have several labels."""

    mask: int
    several: int = UNDECIDED

    def line(
        self, text: Any, at: int, row: int, entries: int, labels: int, hard: int, out: Any
    ) -> tuple[int, int, int, int, int]:
        """Read one line: see `hinge.io.rows`."""
        at = blank(text, at)
        if text[at] == NEWLINE or (text[at] == RETURN and text[at + 1] == NEWLINE):
            while text[at] != NEWLINE:
                at += 1
            return EMPTY, at, entries, labels, hard
        out.weights[row] = 1.0
        out.tags[row, 0] = 0
        out.tags[row, 1] = 0
        words = 0
        costs = 0
        while text[at] != BAR:
            end = at
            while text[end] != SPACE and text[end] != TAB and text[end] != BAR and text[end] != NEWLINE:
                if text[end] == 0 or (text[end] == RETURN and text[end + 1] != NEWLINE):
                    return BYTE, end, 0, 0, 0
                end += 1
            after_word = blank(text, end)
            if text[after_word] == NEWLINE or (text[after_word] == RETURN and text[after_word + 1] == NEWLINE):
                return BAR_MISSING, after_word, 0, 0, 0
            if text[end] == BAR or text[at] == APOSTROPHE:
                if text[after_word] != BAR:
                    return TAG, at, 0, 0, 0
                out.tags[row, 0] = at + 1 if text[at] == APOSTROPHE else at
                out.tags[row, 1] = end
                at = after_word
                break
            if words == 2:
                return BASE, at, 0, 0, 0
            value, exact, after = number(text, at)
            if words == 0 and after > at and text[after] == COLON:
                label, count = leading_digits(text, at)
                begin = at + count
                if count == 8:
                    label, begin, _ = more_digits(text, begin, label)
                if count == 0 or begin != after:
                    return COST_LABEL, at, 0, 0, 0
                begin += 1
                cost, exact, after = number(text, begin)
                if after != end or after == begin or abs(cost) == np.inf:
                    return COST, begin, 0, 0, 0
                if not exact:
                    hard = leave(out, hard, ITS_COST, labels, begin, after, 0, 0)
                out.labels[labels] = label
                out.costs[labels] = cost
                labels += 1
                costs += 1
            elif costs > 0:
                return MIXED, at, 0, 0, 0
            elif words == 0:
                while True:
                    if after == at or (after != end and text[after] != COMMA):
                        return LABEL, at, 0, 0, 0
                    if abs(value) == np.inf:
                        return LARGE, at, 0, 0, 0
                    if not exact:
                        hard = leave(out, hard, ITS_LABEL, labels, at, after, 0, 0)
                    out.labels[labels] = value
                    out.costs[labels] = np.nan
                    labels += 1
                    if after == end:
                        break
                    if self.several == NO:
                        return ONE_LABEL, at, 0, 0, 0
                    at = after + 1
                    value, exact, after = number(text, at)
                words = 1
            else:
                if after != end or abs(value) == np.inf:
                    return WEIGHT, at, 0, 0, 0
                if value < 0.0:
                    return NEGATIVE_WEIGHT, at, 0, 0, 0
                if not exact:
                    hard = leave(out, hard, ITS_WEIGHT, row, at, after, 0, 0)
                out.weights[row] = value
                words = 2
            at = after_word
        # Namespaces, each behind its bar.
        while text[at] == BAR:
            at += 1
            seed = 0
            scale = 1.0
            scale_begin = 0
            scale_end = 0
            scale_settled = True
            unnamed = 0
            if text[at] == COLON:
                return NAMESPACE, at, 0, 0, 0
            if ENDS_NAME[text[at]] == 0:
                begin = at
                while ENDS_NAME[text[at]] == 0:
                    at += 1
                seed = name_hash(text, begin, at, 0)
                if text[at] == COLON:
                    at += 1
                    scale, exact, after = number(text, at)
                    if after == at or ENDS_VALUE[text[after]] == 0:
                        return VALUE, at, 0, 0, 0
                    if abs(scale) >= TOO_LARGE:
                        return LARGE, at, 0, 0, 0
                    scale_settled = not unsettled(scale, exact)
                    scale_begin = at
                    scale_end = after
                    scale = float(np.float32(scale))
                    at = after
            at = blank(text, at)
            while ENDS_NAMESPACE[text[at]] == 0:
                column, value, after = plain_pair(text, at)
                if after > at and scale_end == 0:
                    if value != 0.0:
                        put(out, entries, (column + seed) & self.mask, value)
                        entries += 1
                    at = blank(text, after)
                    continue
                begin = at
                while ENDS_NAME[text[at]] == 0:
                    at += 1
                named = at > begin
                column = seed
                if named:
                    column = name_hash(text, begin, at, seed)
                value = 1.0
                exact = True
                value_begin = at
                if text[at] == COLON:
                    at += 1
                    value_begin = at
                    value, exact, after = number(text, at)
                    if after == at:  # no number: a word, as in city:paris
                        while ENDS_NAME[text[after]] == 0:
                            after += 1
                        if after == at or text[after] == COLON or nearly_number(text, at, after):
                            return VALUE, at, 0, 0, 0
                        column = name_hash(text, at, after, column)
                        named = True
                        value = 1.0
                        exact = True
                        value_begin = after
                    elif ENDS_VALUE[text[after]] == 0:
                        return VALUE, at, 0, 0, 0
                    at = after
                if not named:
                    column = seed + unnamed
                    unnamed += 1
                if abs(value) >= TOO_LARGE or abs(value * scale) >= TOO_LARGE:
                    return LARGE, value_begin, 0, 0, 0
                if unsettled(value, exact) or not scale_settled:
                    hard = leave(out, hard, FEATURE, entries, value_begin, at, scale_begin, scale_end)
                value = float(np.float32(value)) * scale  # exact in float64, so rounded once, as float32 would
                if value != 0.0:
                    put(out, entries, column & self.mask, value)
                    entries += 1
                at = blank(text, at)
        if text[at] == 0 or (text[at] == RETURN and text[at + 1] != NEWLINE):
            return BYTE, at, 0, 0, 0
        while text[at] != NEWLINE:
            at += 1
        return GOOD, at, entries, labels, hard

    def height(self, text: Any, begin: int, end: int) -> int:
        """One line."""
        return 1


class VowpalReader(LineReader):
    """Reads a file in Vowpal Wabbit's format."""

    def __init__(self, lines: Lines, skips: Skips, bits: int, multilabel: bool | None) -> None:
        """Read with these options of `hinge.read`."""
        several = UNDECIDED if multilabel is None else int(multilabel)
        super().__init__(lines, skips, VowpalLine((1 << bits) - 1, several))

    @property
    def undecided(self) -> bool:
        """Whether the next lines decide if rows have several labels."""
        return bool(self.form.several == UNDECIDED)

    def batch(self, out: TextRows, state: np.ndarray, text: np.ndarray) -> Batch:
        """A batch of what was written."""
        rows, entries, labels = int(state[ROWS]), int(state[ENTRIES]), int(state[LABELS])
        flat, ends = out.labels[:labels], out.label_ends[: rows + 1]
        any_costs = bool((~np.isnan(out.costs[:labels])).any())
        if self.form.several == UNDECIDED:
            self.form = self.form._replace(several=int((np.diff(ends) > 1).any() and not any_costs))
        costs = _costs(out, ends) if any_costs else None
        weight, tags = out.weights[:rows], out.tags[:rows]
        return Batch(
            out.data[:entries].copy(),
            out.indices[:entries].copy(),
            out.indptr[: rows + 1].copy(),
            self.form.mask + 1,
            tuples(flat, ends) if self.form.several else _one_label(flat, ends, costs),
            weight.copy() if (weight != 1.0).any() else None,
            [bytes(text[begin:end]).decode("utf-8", "replace") for begin, end in tags.tolist()] if tags.any() else None,
            costs=costs,
            first_line=int(state[FIRST_LINE]),
            skipped=self.skips.taken(),
        )


def _costs(out: TextRows, ends: np.ndarray) -> list[dict[int, float]]:
    """The costs of each row by label."""
    found = []
    for begin, end in pairwise(ends.tolist()):
        costs = zip(out.labels[begin:end].tolist(), out.costs[begin:end].tolist(), strict=True)
        found.append({int(label): cost for label, cost in costs if cost == cost})
    return found


def _one_label(flat: np.ndarray, ends: np.ndarray, costs: list[dict[int, float]] | None) -> np.ndarray:
    """One label a row: what is written, else the label of the least cost (the first wins), else NaN."""
    labels = np.full(len(ends) - 1, np.nan)
    some = np.diff(ends) > 0
    labels[some] = flat[ends[:-1][some]]
    for row, cost in enumerate(costs or ()):
        if cost:
            labels[row] = min(cost, key=cost.__getitem__)
    return labels
