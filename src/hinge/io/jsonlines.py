# SPDX-License-Identifier: BSD-3-Clause
"""JSON lines: one flat object a line, ``{"age": 31, "city": "paris", "label": "spam"}``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from hinge.io.batch import Batch
from hinge.io.errors import BadLine, shown
from hinge.io.names import Names
from hinge.io.numbers import TOO_LARGE
from hinge.io.rows import Skips
from hinge.io.source import Lines


class JsonReader:
    """Reads a file of JSON lines: numbers and words by `hinge.io.names`, true and false are 1 and 0, null is absent.

    The first row decides if labels are numbers, words, or lists of them (several labels a row).
    """

    def __init__(self, lines: Lines, skips: Skips, bits: int, target: str | None) -> None:
        """Read with these options of `hinge.read`."""
        self.lines = lines
        self.skips = skips
        self.target = target
        self.hashed = Names(bits)
        self.label_kind: type | None = None

    def batches(self) -> Iterator[Batch]:
        """All lines, in batches."""
        line = 1
        while (part := self.lines.read()) is not None:
            values: list[float] = []
            columns: list[int] = []
            indptr = [0]
            labels: list[Any] = []
            first, error = line, None
            for text in bytes(part).split(b"\n")[:-1]:
                if text.strip():
                    try:
                        row, label = self._row(text, line)
                    except BadLine as found:
                        if not self.skips.skip_bad:
                            error = found
                            break
                        self.skips.count(found)
                    else:
                        first = first if len(indptr) > 1 else line
                        columns.extend(row)
                        values.extend(row.values())
                        indptr.append(len(values))
                        labels.append(label)
                        self.label_kind = self.label_kind or (None if label is None else type(label))
                line += 1
            if len(indptr) > 1:
                yield Batch(
                    np.array(values, np.float32), np.array(columns, np.int32), np.array(indptr, np.int64),
                    1 << self.hashed.bits, self._labels(labels), first_line=first, skipped=self.skips.taken(),
                    names=self.hashed.shown(),
                )  # fmt: skip
            if error is not None:
                raise error
            self.lines.line = line

    def _labels(self, labels: list[Any]) -> Any:
        if self.label_kind is None or self.label_kind is tuple:
            return None if self.label_kind is None else labels
        y = np.empty(len(labels), np.float64 if self.label_kind is float else object)
        y[:] = labels
        return y

    def _row(self, text: bytes, line: int) -> tuple[dict[int, float], Any]:
        """The features by column (names that share a column are summed) and the label of one line."""
        try:
            pairs = json.loads(text.decode("utf-8"), object_pairs_hook=_Pairs, parse_constant=_refuse_constant)
        except json.JSONDecodeError as error:
            raise self._bad(line, error.colno, f"JSON ({error.msg})", text[error.pos :]) from None
        except UnicodeDecodeError as error:
            raise self._bad(line, error.start + 1, "UTF-8", text[error.start : error.start + 1]) from None
        except RecursionError:
            raise self._bad(line, 1, "an object of names and values", text) from None
        except ValueError as error:
            raise self._bad(line, 1, "finite numbers", str(error).encode()) from None
        if not isinstance(pairs, _Pairs):
            raise self._bad(line, 1, "an object of names and values", text)
        row: dict[int, float] = {}
        label: Any = None
        names = set()
        for name, value in pairs:
            if name in names:
                raise self._bad(line, 1, f"the name {name!r} once", b"it twice")
            names.add(name)
            if name == self.target:
                label = self._label(value, line)
            elif isinstance(value, str):
                column = self.hashed.column(f"{name}={value}")
                row[column] = row.get(column, 0.0) + 1.0
            elif isinstance(value, (bool, int, float)):
                column = self.hashed.column(name)
                row[column] = row.get(column, 0.0) + self._finite(name, value, line)
            elif value is not None:
                raise self._bad(line, 1, f"a number or a word as the value of {name!r} (flat objects only)", value)
        if self.target is not None and label is None:
            raise self._bad(line, 1, f"a label under {self.target!r}", text)
        return row, label

    def _finite(self, name: str, value: float, line: int) -> float:
        if abs(value) >= TOO_LARGE:
            expected = f"a number that float32 can hold as the value of {name!r}"
            raise self._bad(line, 1, expected, b"%.6g" % value if isinstance(value, float) else b"a longer one")
        return float(value)

    def _label(self, value: Any, line: int) -> Any:
        kind: type
        if isinstance(value, str):
            kind = str
        elif isinstance(value, (bool, int, float)) and abs(value) < 1e308:
            kind, value = float, float(value)
        elif isinstance(value, list) and all(isinstance(one, (str, int, float)) for one in value):
            kind, value = tuple, tuple(value)
        else:
            raise self._bad(line, 1, "a number, a word, or a list of them as the label", value)
        if self.label_kind is not None and kind is not self.label_kind:
            said = {str: "a word", float: "a number", tuple: "a list"}[self.label_kind]
            raise self._bad(line, 1, f"{said} as the label, as in the first row", value)
        return value

    def _bad(self, line: int, column: int, expected: str, found: Any) -> BadLine:
        if not isinstance(found, bytes):
            found = json.dumps(found, default=str).encode()
        return BadLine(self.skips.path, line, column, expected, shown(found.strip()))


class _Pairs(list[tuple[str, Any]]):
    """A JSON object as it was written, so that a name given twice is seen."""


def _refuse_constant(word: str) -> float:
    raise ValueError(word)
