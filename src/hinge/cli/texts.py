# SPDX-License-Identifier: BSD-3-Clause
"""Files with a column of texts (CSV, TSV, JSON lines), as the rows that `hinge.Text` makes of them."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from hinge.cli.reading import Reading
from hinge.io import BadFile, BadLine, Batch
from hinge.io.background import Background
from hinge.io.errors import shown
from hinge.io.rows import Skips
from hinge.io.source import Lines, open_bytes, share_read

#: So many texts make a batch, and so many bytes of the file are looked at together.
MOST_TEXTS, PART = 4096, 1 << 20
#: Names of so many words are kept.
MOST_NAMES = 1 << 18
#: No text is longer.
LONGEST = 1 << 24

#: One record: (line, label, text).
Record = tuple[int, Any, str]


class Texts:
    """The batches of one file, in order, once: like `hinge.io.Reader`."""

    def __init__(self, reading: Reading, path: str, format: str, skip_bad: bool, target: Any, names: bool) -> None:
        from hinge.text import Text

        if format not in ("csv", "tsv", "jsonl"):
            raise ValueError(f"--text is for CSV, TSV and JSON lines; {path} is {format}")
        assert reading.text is not None
        self.path = path
        self.reading = reading
        self.column = reading.text
        self.target = target
        self.delimiter = reading.delimiter or ("\t" if format == "tsv" else ",")
        self.text = Text(
            reading.ngram_range(), reading.bits, analyzer=reading.analyzer, names=MOST_NAMES if names else False
        )
        self.skipped = 0
        self._skips = Skips(path, skip_bad)
        csv.field_size_limit(LONGEST)
        self._stream = open_bytes(path)
        self._lines = Lines(self._stream, path, PART)
        records = self._objects() if format == "jsonl" else self._fields()
        self._batches = Background(self._made_of(records), finish=self._stream.close)

    @property
    def share(self) -> float | None:
        """How much of the file was read."""
        return share_read(self._stream)

    @property
    def first_bad(self) -> BadLine | None:
        """The first bad row that was passed over."""
        return self._skips.first

    def __iter__(self) -> Texts:
        return self

    def __next__(self) -> Batch:
        batch = next(self._batches)
        self.skipped += batch.skipped
        return batch

    def __enter__(self) -> Texts:
        return self

    def __exit__(self, *_: object) -> None:
        self._batches.stop(wait=self.path != "-")

    def _made_of(self, records: Iterator[Record]) -> Iterator[Batch]:
        """Records gathered into batches; a bad record raises after the batch of those before it."""
        gathered: list[Record] = []
        stop: Exception | None = None
        while stop is None:
            try:
                record = next(records, None)
            except BadFile as error:
                stop, record = error, None
            if record is not None:
                gathered.append(record)
            if gathered and (record is None or len(gathered) >= MOST_TEXTS):
                yield self._batch(gathered)
                gathered = []
            if record is None:
                break
        if stop is not None:
            raise stop
        if self._skips.waiting:
            nothing = np.empty(0, np.float32), np.empty(0, np.int32), np.zeros(1, np.int64)
            yield Batch(*nothing, 1 << self.text.bits, skipped=self._skips.taken())

    def _batch(self, records: list[Record]) -> Batch:
        rows = self.text.transform([text for _, _, text in records])
        y = None
        if self.target is not None:
            y = np.empty(len(records), object)
            y[:] = [label for _, label, _ in records]
        return Batch(
            rows.data, rows.indices, rows.indptr.astype(np.int64), rows.shape[1], y,
            first_line=records[0][0], skipped=self._skips.taken(),
        )  # fmt: skip

    def _text_lines(self) -> Iterator[bytes]:
        while (part := self._lines.read()) is not None:
            # At newlines only: a return may stand within a quoted text.
            yield from (line + b"\n" for line in bytes(part).split(b"\n")[:-1])

    # ------------------------------------------------------------------------------- CSV

    def _fields(self) -> Iterator[Record]:
        lines = (line.decode("utf-8", "surrogateescape") for line in self._text_lines())
        records = csv.reader(
            lines, delimiter=self.delimiter, strict=True,
            quoting=csv.QUOTE_MINIMAL if self.reading.quotes else csv.QUOTE_NONE,
        )  # fmt: skip
        places: tuple[int, int | None] | None = None
        width = 0
        while True:
            line = records.line_num + 1
            try:
                fields = next(records, None)
            except csv.Error as error:
                self._skips.meet(BadLine(self.path, line, 1, "comma-separated text", str(error)))
                continue
            if fields is None:
                return
            if not fields:
                continue
            if places is None:
                width = len(fields)
                places = self._places(fields)
                if self.reading.header:
                    continue
            if len(fields) != width:
                self._skips.meet(BadLine(self.path, line, 1, f"{width} fields as in the first row", str(len(fields))))
                continue
            text, place = fields[places[0]], places[1]
            label = None if place is None else fields[place]
            record = self._checked(line, label, text)
            if record is not None:
                yield record

    def _places(self, first: list[str]) -> tuple[int, int | None]:
        """Where the text and the label are."""
        return self._place(self.column, "--text", first), (
            None if self.target is None else self._place(self.target, "--target", first)
        )

    def _place(self, column: str, option: str, first: list[str]) -> int:
        if self.reading.header:
            if column in first:
                return first.index(column)
            names = ", ".join(first[:20])
            raise BadFile(self.path, f"there is no column {column!r} for {option}; its columns are {names}")
        try:
            place = int(column)
        except ValueError:
            place = len(first)
        if not -len(first) <= place < len(first):
            raise BadFile(self.path, f"{option} {column}: without a header it is a place from 0 to {len(first) - 1}")
        return place

    # ------------------------------------------------------------------------------- JSON lines

    def _objects(self) -> Iterator[Record]:
        for line, raw in enumerate(self._text_lines(), 1):
            if not raw.strip():
                continue
            try:
                found = json.loads(raw.decode("utf-8", "surrogateescape"))
            except (ValueError, RecursionError) as error:
                self._skips.meet(BadLine(self.path, line, getattr(error, "colno", 1), "JSON", shown(raw.strip())))
                continue
            if not isinstance(found, dict) or not isinstance(found.get(self.column), str):
                expected = f"an object with a text under {self.column!r}"
                self._skips.meet(BadLine(self.path, line, 1, expected, shown(raw.strip())))
                continue
            label = None if self.target is None else found.get(self.target)
            if self.target is not None and not isinstance(label, (str, int, float)):
                expected = f"a word or a number under {self.target!r}"
                self._skips.meet(BadLine(self.path, line, 1, expected, shown(json.dumps(label).encode())))
                continue
            record = self._checked(line, label, found[self.column])
            if record is not None:
                yield record

    def _checked(self, line: int, label: Any, text: str) -> Record | None:
        """The record, unless it holds what is no text."""
        for content in (text, label):
            if isinstance(content, str) and not content.isascii():
                try:
                    content.encode()
                except UnicodeEncodeError as error:
                    found = shown(content[error.start : error.start + 1].encode("utf-8", "surrogateescape"))
                    self._skips.meet(BadLine(self.path, line, error.start + 1, "UTF-8", found))
                    return None
        if self.target is not None and label == "":
            self._skips.meet(BadLine(self.path, line, 1, "a label", "nothing"))
            return None
        return line, label, text

