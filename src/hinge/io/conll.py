# SPDX-License-Identifier: BSD-3-Clause
"""CoNLL columns: one element a line, its fields parted by blanks, an empty line behind each sequence."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from hinge.io.batch import Batch
from hinge.io.errors import BadLine
from hinge.io.names import Names
from hinge.io.rows import Skips
from hinge.io.source import Lines

Element = tuple[str, ...]
BLANK_LINE = re.compile(rb"\n[ \t\r]*\n")


class ConllReader:
    """Reads sequences. The last field is the label, or the one that ``target`` counts.

    The features of an element are its own fields and those of its neighbours, up to two away, by their place:
    ``0[-1]=the`` says that the first field of the element before is "the". Nothing is a comment: "#" is a word.
    """

    #: How far to either side an element sees.
    WINDOW = 2

    def __init__(self, lines: Lines, skips: Skips, bits: int, target: int) -> None:
        """Read with these options of `hinge.read`."""
        self.lines = lines
        self.skips = skips
        self.target = target
        self.fields = 0
        self.hashed = Names(bits)

    def batches(self) -> Iterator[Batch]:
        """All sequences, in batches."""
        line, unused, ended = 1, 0, False
        while (part := self.lines.read(unused)) is not None and not ended:
            ended = self.lines.ended
            text = bytes(part)
            # A sequence that goes on behind this part waits for the next.
            whole = len(text) if ended else _after_last_blank_line(text)
            unused = len(text) - whole
            sequences: list[list[Element]] = []
            first, error = line, None
            sequence: list[Element] = []
            begin, bad = line, 0
            for row in [*text[:whole].split(b"\n")[:-1], b""]:
                words = row.split()
                if words:
                    try:
                        sequence.append(self._element(row, words, line))
                    except BadLine as found:
                        error = error or found
                        if not self.skips.skip_bad:
                            break
                        self.skips.count(found)
                        bad += 1
                else:
                    if sequence and not bad:
                        first = first if sequences else begin
                        sequences.append(sequence)
                    sequence, begin, bad = [], line + 1, 0
                line += 1
            line -= 1  # the empty line at the end is not the file's
            if sequences:
                yield self._batch(sequences, first)
            if error is not None and not self.skips.skip_bad:
                raise error
            self.lines.line = line

    def _element(self, row: bytes, words: list[bytes], line: int) -> Element:
        if b"\0" in row:
            column = row.index(b"\0") + 1
            raise BadLine(self.skips.path, line, column, "text or the end of the line", '"\\x00"')
        if not self.fields:
            least = self.target + 1 if self.target >= 0 else max(2, -self.target)
            if len(words) < least:
                expected = f"{least} fields or more, one of them the label"
                raise BadLine(self.skips.path, line, 1, expected, str(len(words)))
            self.fields = len(words)
        if len(words) != self.fields:
            expected = f"{self.fields} fields as in the lines before"
            raise BadLine(self.skips.path, line, 1, expected, str(len(words)))
        return tuple(word.decode("utf-8", "replace") for word in words)

    def _batch(self, sequences: list[list[Element]], first: int) -> Batch:
        columns: list[int] = []
        indptr = [0]
        labels: list[np.ndarray] = []
        rests: list[list[Element]] = []
        place = self.target % self.fields
        for sequence in sequences:
            labels.append(np.array([element[place] for element in sequence], object))
            rest = [element[:place] + element[place + 1 :] for element in sequence]
            rests.append(rest)
            for at in range(len(rest)):
                for away in range(-self.WINDOW, self.WINDOW + 1):
                    if 0 <= at + away < len(rest):
                        columns.extend(
                            self.hashed.column(f"{j}[{away}]={word}") for j, word in enumerate(rest[at + away])
                        )
                indptr.append(len(columns))
        return Batch(
            np.ones(len(columns), np.float32), np.array(columns, np.int32), np.array(indptr, np.int64),
            1 << self.hashed.bits, labels, first_line=first, skipped=self.skips.taken(), names=self.hashed.shown(),
            sequences=np.cumsum([0, *map(len, sequences)]), fields=rests,
        )  # fmt: skip


def _after_last_blank_line(text: bytes) -> int:
    """Behind the last empty line, or 0.

    >>> _after_last_blank_line(b"a\\n \\nb\\n")
    4
    """
    end = 0
    for found in BLANK_LINE.finditer(text):
        end = found.end()
    return end
