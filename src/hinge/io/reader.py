# SPDX-License-Identifier: BSD-3-Clause
"""`read`: a file of examples as batches of bounded size, parsed in a thread beside whoever learns from them."""

from __future__ import annotations

import os
import stat
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from hinge.io.background import Background
from hinge.io.batch import Batch
from hinge.io.columnar import ColumnarReader
from hinge.io.conll import ConllReader
from hinge.io.csv import CsvReader
from hinge.io.errors import BadLine
from hinge.io.jsonlines import JsonReader
from hinge.io.rows import Skips, no_rows
from hinge.io.source import PACKED, Lines, open_bytes, share_read
from hinge.io.svmlight import SvmlightReader
from hinge.io.vw import VowpalReader

__all__ = ["Reader", "read"]

#: The format of a file by the end of its name.
ENDINGS = {
    ".svm": "svmlight", ".svmlight": "svmlight", ".libsvm": "svmlight", ".vw": "vw", ".csv": "csv", ".tsv": "csv",
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".arrow": "arrow", ".feather": "arrow",
    ".conll": "conll",
}  # fmt: skip
#: What each format understands, besides what all do.
OPTIONS = {
    "svmlight": {"zero_based", "multilabel"},
    "vw": {"multilabel"},
    "csv": {"target", "header", "delimiter", "categorical"},
    "jsonl": {"target"},
    "parquet": {"target"},
    "arrow": {"target"},
    "conll": {"target"},
}
#: The columns of a CSV file are told from its first part, which is at least so long.
LEAST_CSV = 1 << 16


class Reader:
    """The batches of one file, in order, once.

    A context manager; closing it, or letting go of it, ends its thread and closes the file.
    """

    def __init__(
        self, path: str, format: str, skips: Skips, batches: Iterator[Batch], close: Callable[[], None],
        stream: Any = None,
    ) -> None:  # fmt: skip
        """Hand out these batches from a thread; ``close`` is called when it ends."""
        self._stream = stream
        self.path = path
        self.format = format
        #: How many bad lines were passed over before the end of the last batch handed out.
        self.skipped = 0
        self._skips = skips
        self._batches = Background(_with_last_skips(batches, skips), finish=close)
        self._finalizer = weakref.finalize(self, self._batches.stop, False)

    @property
    def share(self) -> float | None:
        """How much of the file was read, from 0 to 1; None where that is not known, as of a pipe."""
        return share_read(self._stream)

    @property
    def first_bad(self) -> BadLine | None:
        """The first bad line that was passed over, or None."""
        return self._skips.first if self.skipped else None

    def __iter__(self) -> Reader:
        """It is its own iterator."""
        return self

    def __next__(self) -> Batch:
        """The next batch, when it is parsed."""
        batch = next(self._batches)
        self.skipped += batch.skipped
        return batch

    def close(self) -> None:
        """End the thread and close the file; then there are no more batches."""
        self._finalizer.detach()
        self._batches.stop(wait=_will_end(self.path))

    def __enter__(self) -> Reader:
        """``with read(path) as batches``."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def __repr__(self) -> str:
        """What it reads."""
        return f"<reader of {self.path} ({self.format})>"


def _with_last_skips(batches: Iterator[Batch], skips: Skips) -> Iterator[Batch]:
    """All batches, and one without rows if bad lines were passed over behind the last."""
    before = None
    for batch in batches:
        before = no_rows(batch, 0)
        yield batch
        del batch  # it is the consumer's now
    if skips.waiting:
        yield no_rows(before, skips.taken())


def _will_end(path: str) -> bool:
    """Whether a read from it returns soon: what is no regular file may keep a thread waiting for ever."""
    try:
        return path != "-" and stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    target: str | int | None = None,
    bits: int = 18,
    batch_bytes: int = 1 << 20,
    skip_bad: bool = False,
    zero_based: bool | str = True,
    multilabel: bool | None = None,
    header: bool = True,
    delimiter: str | None = None,
    categorical: Sequence[str] = (),
) -> Reader:
    """Read a file of examples in batches.

    Parameters
    ----------
    path
        The file; "-" is standard input. Text may be packed with gzip or zstd.
    format
        "svmlight", "vw", "csv", "jsonl", "parquet", "arrow" or "conll"; by default what the name's end says.
    target
        The column of the labels: a name or a place (csv, parquet, arrow), a name (jsonl), a place (conll: the last).
    bits
        Names are hashed into 2**bits columns.
    batch_bytes
        How much text one batch is made of, about. Memory grows with it and with the longest line, with nothing else.
    skip_bad
        Pass over bad lines and count them (`Reader.skipped`, `Batch.skipped`); else the first is raised as `BadLine`,
        after the batch of the rows before it.
    zero_based
        svmlight: True, column = number as written: nothing is shifted, so that files always agree, and a file that
        counts from 1 has an unused column 0. False: column = number - 1. "auto": the first batch decides, False if it
        has no 0; a 0 later is an error.
    multilabel
        Whether rows have several labels (svmlight, vw); None: the first batch decides.
    header, delimiter, categorical
        csv: whether the first row has the names; what parts the fields ("," or, for .tsv, a tab); columns that hold
        words even where they look like numbers.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "two.svm"
    ...     _ = path.write_text("1 3:0.5 7:2  # first\\n-1 1:1\\n")
    ...     with read(path) as batches:
    ...         for batch in batches:
    ...             print(batch.y, batch.X.shape)
    [ 1. -1.] (2, 8)
    """
    path = os.fspath(path)
    format = _format_of(path, format)
    given = {
        "target": target is not None, "zero_based": zero_based is not True, "multilabel": multilabel is not None,
        "header": header is not True, "delimiter": delimiter is not None, "categorical": len(categorical) > 0,
    }  # fmt: skip
    for name, is_given in given.items():
        if is_given and name not in OPTIONS[format]:
            users = ", ".join(known for known, names in OPTIONS.items() if name in names)
            raise ValueError(f"{name}= is for {users}; {path} is {format}")
    if not 1 <= bits <= 30:
        raise ValueError(f"bits must be from 1 to 30, not {bits}")
    if batch_bytes < 1:
        raise ValueError(f"batch_bytes must be at least 1, not {batch_bytes}")
    if zero_based not in (True, False, "auto"):
        raise ValueError(f'zero_based must be True, False or "auto", not {zero_based!r}')
    if isinstance(categorical, str):
        raise ValueError(f"categorical must be a list of names, as in [{categorical!r}]")
    if format == "conll" and isinstance(target, str):
        raise ValueError(f"conll columns have no names: target must be a place such as -1, not {target!r}")
    if format == "jsonl" and isinstance(target, int):
        raise ValueError(f"JSON objects have no order: target must be a name, not {target!r}")
    if delimiter is None:
        delimiter = "\t" if os.path.splitext(_unpacked(path))[1].lower() == ".tsv" else ","
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0+-.0123456789eE':
        raise ValueError(
            f"delimiter must be one ASCII character that no number has, not a quote or a line's end; not {delimiter!r}"
        )

    skips = Skips(path, skip_bad)
    source: Any
    if format in ("parquet", "arrow"):
        if path == "-":
            raise ValueError(f"{format} is read from a file, not from standard input: its end says where its parts are")
        os.stat(path)  # a file that is not there is said in Python's own words
        source = ColumnarReader(path, format, skips, bits, target, batch_bytes)
        return Reader(path, format, skips, source.batches(), source.close)
    stream = open_bytes(path)
    lines = Lines(stream, path, max(batch_bytes, LEAST_CSV) if format == "csv" else batch_bytes)
    if format == "svmlight":
        source = SvmlightReader(lines, skips, zero_based, multilabel)
    elif format == "vw":
        source = VowpalReader(lines, skips, bits, multilabel)
    elif format == "csv":
        source = CsvReader(lines, skips, bits, target, header, delimiter, categorical)
    elif format == "jsonl":
        source = JsonReader(lines, skips, bits, None if target is None else str(target))
    else:
        source = ConllReader(lines, skips, bits, -1 if target is None else int(target))
    return Reader(path, format, skips, source.batches(), stream.close, stream)


def _format_of(path: str, format: str | None) -> str:
    """The format, as given or by the name's end."""
    if format is None:
        if path == "-":
            raise ValueError(f"standard input has no name to tell its format by: format= one of {', '.join(OPTIONS)}")
        ending = os.path.splitext(_unpacked(path))[1].lower()
        if ending not in ENDINGS:
            raise ValueError(
                f"{path}: its name does not say its format; name it format= one of {', '.join(OPTIONS)} "
                f"(known endings: {' '.join(ENDINGS)}, for text also with .gz or .zst)"
            )
        format = ENDINGS[ending]
        if format in ("parquet", "arrow") and _unpacked(path) != path:
            raise ValueError(f"{path}: {format} files are compressed inside; unpack this one first")
    if format not in OPTIONS:
        raise ValueError(f"format must be one of {', '.join(OPTIONS)}, not {format!r}")
    return format


def _unpacked(path: str) -> str:
    """The name without .gz or .zst."""
    stem, ending = os.path.splitext(path)
    return stem if ending.lower() in PACKED else path
