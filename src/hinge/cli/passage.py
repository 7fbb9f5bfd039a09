# SPDX-License-Identifier: BSD-3-Clause
"""A passage of learners through files: batches are read beside them, Ctrl-C comes between two, progress is told."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hinge.cli.models import names_of
from hinge.cli.reading import Reading
from hinge.cli.talk import Interrupt, Tell, progress, say
from hinge.progressive import Player, piece_of


class Passage:
    """Learners on their way; ``keep``: what they did in every round, ``names``: what columns are called."""

    def __init__(
        self, learners: Mapping[str, Any], reading: Reading, skip_bad: bool, keep: bool, names: bool
    ) -> None:
        self.players = {name: Player(learner, keep) for name, learner in learners.items()}
        self.reading = reading
        self.skip_bad = skip_bad
        self.skipped = 0
        self.last_format: str | None = None
        self._first_bad: Any = None
        self._names = names
        first = next(iter(learners.values()))
        self._kind: str = first._kind
        self.names = names_of(first)

    def through(self, files: Sequence[str], passes: int, quiet: bool) -> bool:
        """Learn from all rows of all files; True if Ctrl-C came before the end."""
        with Interrupt() as interrupt, progress(quiet) as tell:
            try:
                for _ in range(passes):
                    for path in files:
                        self._learn(path, interrupt, tell)
            except KeyboardInterrupt:
                return True
        return False

    def _learn(self, path: str, interrupt: Interrupt, tell: Tell) -> None:
        rows = 0
        with interrupt.coming_through():
            opened = self.reading.open(path, self.skip_bad, names=self._names)
        with opened as reader:
            self.last_format, names = self.reading.format_of(path), None
            try:
                while True:
                    with interrupt.coming_through():
                        batch = next(reader, None)
                    if batch is None:
                        break
                    check_columns(batch, self.names, path)
                    usable, names = self._with_labels(batch, path, rows), batch.names
                    rows += len(batch)
                    for player in self.players.values():
                        if len(usable):
                            player.play(piece_of(usable))
                    tell(*self._merit(), reader.share)
            finally:
                self.skipped += reader.skipped
                self._first_bad = self._first_bad or reader.first_bad
                if self._names:
                    self._take_names(reader, names)

    def _merit(self) -> tuple[int, str]:
        """How far, and how well, the best of them came."""
        player = min(self.players.values(), key=lambda player: (player.absolute_error, player.mistakes))
        n = max(1, player.n)
        if self._kind == "regressor":
            return player.n, f"off by {player.absolute_error / n:.4g}"
        return player.n, f"{player.mistakes / n:7.2%} {'outside' if self._kind == 'outlier_detector' else 'mistakes'}"

    def _with_labels(self, batch: Any, path: str, before: int) -> Any:
        """The rows of a batch that have a label, if labels are learnt."""
        if batch.sequences is not None:
            raise ValueError(f"{path} holds sequences, which cannot be learnt from the command line")
        if self._kind == "outlier_detector" or not len(batch):
            return batch
        if batch.costs is not None:
            raise ValueError(f"{path} has costs for labels; hinge learn wants one label a row")
        if batch.y is None:
            raise ValueError(f"{path}: which column holds the labels? Name it: --target COLUMN")
        if isinstance(batch.y, list):
            raise ValueError(f"{path} has several labels in a row; hinge learn wants one label a row")
        if batch.y.dtype.kind != "f" or not np.isnan(batch.y).any():
            return batch
        without = np.isnan(batch.y)
        if not self.skip_bad:
            row = before + int(np.argmax(without)) + 1
            raise ValueError(f"{path}: row {row:,} has no label (--skip-bad passes over such rows)")
        self.skipped += int(without.sum())
        return only(batch, ~without)

    def _take_names(self, reader: Any, names: Any) -> None:
        """What columns are called, as far as the file says."""
        text = getattr(reader, "text", None)
        if text is not None:
            self.names.update((column, " | ".join(ngrams)) for column, ngrams in text.names_.items())
        elif names is not None:
            self.names.update(names if isinstance(names, Mapping) else enumerate(names))

    def say_skipped(self) -> None:
        """How many bad rows were passed over, and what the first was."""
        if self.skipped:
            first = f"; the first: {self._first_bad}" if self._first_bad is not None else ""
            say(f"{self.skipped:,} bad row{'s' * (self.skipped != 1)} passed over{first}")


def check_columns(batch: Any, known: Mapping[int, str], path: str) -> None:
    """Raise for a table whose columns are called otherwise than those that were learnt."""
    if batch.names is None or isinstance(batch.names, Mapping):
        return
    for column, name in enumerate(batch.names):
        if known.get(column, name) != name:
            raise ValueError(
                f"{path}: the feature in place {column} is {name!r}, where the model has {known[column]!r}: "
                "a table needs the columns that were learnt, in the same order"
            )


def only(batch: Any, chosen: np.ndarray[Any, Any]) -> Any:
    """A batch of some rows of another.

    >>> from hinge.io import Batch
    >>> two = Batch(np.ones(3, np.float32), np.array([0, 3, 1]), np.array([0, 2, 3]), 4, np.array([1.0, np.nan]))
    >>> one = only(two, np.array([True, False]))
    >>> len(one), one.indices.tolist()
    (1, [0, 3])
    """
    lengths = np.diff(batch.indptr)
    entries = np.repeat(chosen, lengths)
    return dataclasses.replace(
        batch, data=batch.data[entries], indices=batch.indices[entries], y=batch.y[chosen],
        indptr=np.concatenate([[0], np.cumsum(lengths[chosen])]),
        weight=None if batch.weight is None else batch.weight[chosen],
        dense=None if batch.dense is None else batch.dense[chosen],
        tags=None if batch.tags is None else [tag for tag, wanted in zip(batch.tags, chosen, strict=True) if wanted],
        qid=None if batch.qid is None else batch.qid[chosen],
    )  # fmt: skip
