# SPDX-License-Identifier: BSD-3-Clause
"""Parquet and Arrow (Feather) files, by pyarrow, some rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from hinge.io.batch import Batch, dense_batch
from hinge.io.errors import BadFile, BadLine
from hinge.io.frames import Plan, as_table, found_at, read_cells
from hinge.io.rows import MOST_ROWS, Skips


class ColumnarReader:
    """Reads a table: numbers and words by `hinge.io.names`. A row with a cell that is missing or not finite is bad."""

    def __init__(
        self, path: str, kind: str, skips: Skips, bits: int, target: str | int | None, batch_bytes: int
    ) -> None:
        """Open a "parquet" or an "arrow" file."""
        try:
            import pyarrow
        except ImportError as error:
            raise ImportError(f"reading {kind} files needs pyarrow: pip install 'hinge[frames]'") from error
        self.skips = skips
        self.bits = bits
        self.target = target
        self.batch_bytes = batch_bytes
        self.kind = kind
        self.damaged = pyarrow.ArrowException
        self.file = pyarrow.OSFile(path)

    def close(self) -> None:
        """Close the file."""
        self.file.close()

    def batches(self) -> Iterator[Batch]:
        """All rows, in batches."""
        import pyarrow

        path, plan, first = self.skips.path, None, 1
        for part in self._parts():
            table = as_table(pyarrow.Table.from_batches([part]))
            plan = plan or Plan.of(table, self.target, self.bits, path)
            yield from self._batch(table, plan, first)
            first += len(table)

    def _parts(self) -> Iterator[Any]:
        """Record batches of bounded size."""
        try:
            if self.kind == "parquet":
                from pyarrow import parquet

                file = parquet.ParquetFile(self.file, page_checksum_verification=True)
                for part in file.iter_batches(self._rows(file.schema_arrow)):
                    part.validate(full=True)
                    yield part
                return
            from pyarrow import ipc

            if self.file.read(6) == b"ARROW1":
                arrow = ipc.open_file(self.file)
                parts = (arrow.get_batch(place) for place in range(arrow.num_record_batches))
            else:
                self.file.seek(0)
                arrow = ipc.open_stream(self.file)
                parts = iter(arrow)
            count = self._rows(arrow.schema)
            for part in parts:
                part.validate(full=True)  # the offsets of a damaged file lead anywhere
                yield from (part.slice(begin, count) for begin in range(0, part.num_rows, count))
        except (self.damaged, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise BadFile(self.skips.path, f"it is not a whole {self.kind} file ({error})") from error

    def _rows(self, schema: Any) -> int:
        return int(min(max(self.batch_bytes // (8 * max(len(schema), 1)), 1), MOST_ROWS))

    def _batch(self, table: Any, plan: Plan, first: int) -> Iterator[Batch]:
        cells = {}
        good = np.ones(len(table), bool)
        worst: tuple[int, str] | None = None
        for name in table.columns:
            cells[name], bad = read_cells(table, name, np.dtype(np.float64 if name == plan.target else np.float32))
            good &= ~bad
            if bad.any() and (worst is None or int(np.argmax(bad)) < worst[0]):
                worst = int(np.argmax(bad)), name
        stop = None
        if worst is not None:
            row, name = worst
            what = "a word" if cells[name].dtype == object else "a finite number (of float32)"
            stop = BadLine(self.skips.path, first + row, name, what, found_at(table, name, row))
            if self.skips.skip_bad:
                for _ in range(int((~good).sum())):
                    self.skips.count(stop)
            else:
                good[row:] = False
        if good.any():
            rows = plan.rows({name: values[good] for name, values in cells.items()}, int(good.sum()))
            more = {"y": rows.y, "first_line": first + int(np.argmax(good)), "skipped": self.skips.taken(),
                    "names": rows.names}  # fmt: skip
            if isinstance(rows.X, np.ndarray):
                yield dense_batch(rows.X, **more)
            else:
                X = rows.X
                yield Batch(X.data, X.indices, X.indptr.astype(np.int64), X.shape[1], **more)
        if stop is not None and not self.skips.skip_bad:
            raise stop
