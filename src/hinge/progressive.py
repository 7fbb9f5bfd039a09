# SPDX-License-Identifier: BSD-3-Clause
"""Progressive validation: every row is predicted, then learnt from, in one pass; by one learner or by several."""

from __future__ import annotations

import dataclasses
import itertools
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from hinge import round as rounds
from hinge.engine import Record
from hinge.inputs import DenseTable, SparseTable, Table, as_table
from hinge.learners.base import Learner, certificate_of, is_rows_of_dicts, is_texts
from hinge.learners.constraints import ConstraintLearner
from hinge.learners.estimator import check_weights
from hinge.learners.labelsets import LabelSets
from hinge.native import waiting
from hinge.peers import play_peer
from hinge.progress import Teller, teller
from hinge.report import Race, Report
from hinge.tasks.multilabel import MEASURES, Multilabel

#: Rows of named features that are taken from a stream at a time.
GATHERED = 1024
#: While progress is told, a table is learnt from so many numbers at a time.
TOLD = 1 << 22


class Piece(NamedTuple):
    """Some rows of a stream: a table, or a list of dicts. A file's columns may grow from piece to piece."""

    X: Any
    y: Any
    weights: Any
    of_file: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Csr:
    """The arrays of a CSR matrix, for learners of hinge's: they need not wait until scipy is loaded."""

    data: np.ndarray[Any, Any]
    indices: np.ndarray[Any, Any]
    indptr: np.ndarray[Any, Any]
    shape: tuple[int, int]

    @property
    def dtype(self) -> Any:
        """The kind of number."""
        return self.data.dtype

    def __getitem__(self, rows: slice) -> Csr:
        """Rows start..stop, without a copy."""
        ends = self.indptr[rows.start : rows.stop + 1]
        part = slice(ends[0], ends[-1])
        return Csr(self.data[part], self.indices[part], ends - ends[0], (len(ends) - 1, self.shape[1]))


def play(learner: Any, X: Any, y: Any = None, sample_weight: Any = None, progress: Any = False) -> Report:
    """Let a learner predict every row, then learn from it, and report how it did.

    Parameters
    ----------
    learner
        Any of hinge's; any classifier or regressor of scikit-learn with ``partial_fit``, and any of river's with
        ``learn_one``, which are asked one row at a time.
    X, y
        An array, CSR matrix or data frame with its targets; rows as dicts; or a stream: an iterator of dicts, or
        what `hinge.read` returns (its batches bring their own targets).
    sample_weight
        The importance of each row.
    progress
        True: a line on stderr, where that is a terminal. Or a function, called with (rows so far, mistakes so far).

    A table that turns out bad leaves one of hinge's learners as it was; of a stream, what came before the bad batch is
    learnt from already.

    >>> import hinge
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]], ["a", "b", "a", "b"]
    >>> hinge.play(hinge.Classifier(), X, y).mistakes
    0
    """
    with teller(progress, _length(X)) as tell:
        if not isinstance(learner, (Learner, ConstraintLearner)):
            return play_peer(learner, _pieces(X, y, sample_weight), tell)
        player = Player(learner)
        if isinstance(learner, ConstraintLearner):
            player.play(Piece(X, y, check_weights(sample_weight, len(X))))
            return player.report()
        for piece in _pieces(X, y, sample_weight, light=True):
            player.play(piece, tell)
        return player.report()


def race(learners: Any, X: Any, y: Any = None, sample_weight: Any = None, progress: Any = False) -> Race:
    """Let several learners, a dict by name or a list, play the same stream: see `play`. Each learns from it.

    A table is played by one after the other; a stream, which can be gone through only once, by all of them side by
    side, and these must be hinge's.

    >>> import hinge
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]], ["a", "b", "a", "b"]
    >>> learners = {"PA": hinge.Classifier(hinge.PA()), "Perceptron": hinge.Classifier(hinge.Perceptron())}
    >>> race = hinge.race(learners, X, y)
    >>> race["PA"].mistakes, race["PA"].updates, race["Perceptron"].updates
    (0, 4, 2)
    """
    named = learners if isinstance(learners, Mapping) else _by_name(learners)
    if not named:
        raise ValueError("race was given no learner.")
    if isinstance(X, Iterator):
        return _race_stream(named, X, y, sample_weight, progress)
    reports = {}
    for name, learner in named.items():
        try:
            reports[name] = play(learner, X, y, sample_weight, progress)
        except Exception as error:
            error.add_note(f"(in the race, while {name!r} was playing)")
            raise
    return Race(reports)


def _race_stream(named: Mapping[str, Any], X: Any, y: Any, sample_weight: Any, progress: Any) -> Race:
    for name, learner in named.items():
        if not isinstance(learner, Learner):
            raise TypeError(
                f"X can be gone through only once, and {name!r} is not one of hinge's learners, which can share it: "
                "give a table or a list of rows, or play the learners one by one, each with a stream of its own."
            )
    players = {name: Player(learner) for name, learner in named.items()}
    with teller(progress, None) as tell:
        for piece in _pieces(X, y, sample_weight, light=True):
            for name, player in players.items():
                try:
                    player.play(piece)
                except Exception as error:
                    error.add_note(f"(in the race, while {name!r} was playing)")
                    raise
            if tell is not None:
                tell(player.n, min(player.mistakes for player in players.values()))
    return Race({name: player.report() for name, player in players.items()})


def _by_name(learners: Iterable[Any]) -> dict[str, Any]:
    named: dict[str, Any] = {}
    for learner in learners:
        name = shown = " ".join(repr(learner).split())
        for count in itertools.count(2):
            if name not in named:
                break
            name = f"{shown} ({count})"
        named[name] = learner
    return named


def _length(X: Any) -> int | None:
    """How many rows there will be, if anyone knows."""
    shape = getattr(X, "shape", None)
    if shape is not None:
        return int(shape[0])
    return len(X) if hasattr(X, "__len__") else None


def _pieces(X: Any, y: Any, sample_weight: Any, light: bool = False) -> Iterator[Piece]:
    """The pieces of a stream; ``light``: not as matrices of scipy's where arrays will do."""
    if not isinstance(X, Iterator):
        if is_rows_of_dicts(X) or is_texts(X):
            whole = y is None or isinstance(y, (list, tuple, LabelSets)) or len(getattr(y, "shape", ())) == 2
            yield Piece(X, y if whole else list(y), check_weights(sample_weight, len(X)))
        else:
            table = as_table(X)
            yield Piece(table, y, check_weights(sample_weight, table.n))
        return
    targets = itertools.repeat(None) if y is None else iter(y)
    weights = None if sample_weight is None else iter(sample_weight)
    for first in X:
        if hasattr(first, "X") and hasattr(first, "y"):  # a batch of a file
            if len(first):
                yield piece_of(first) if light else _piece_for_peers(first)
            continue
        rows = [first, *itertools.islice(X, GATHERED - 1)]
        some = list(itertools.islice(targets, len(rows)))
        theirs = None if weights is None else list(itertools.islice(weights, len(rows)))
        yield Piece(rows, None if y is None else some, check_weights(theirs, len(rows)))


def piece_of(batch: Any) -> Piece:
    """A batch of a file, for learners of hinge's."""
    if batch.sequences is not None:
        raise TypeError("rows of this file belong together in sequences, which this learner does not learn from.")
    if batch.dense is not None:
        table: Table = DenseTable(batch.dense)
    else:
        table = SparseTable(Csr(batch.data, batch.indices, batch.indptr, (len(batch), batch.width)))
    return Piece(table, batch.y, check_weights(batch.weight, table.n), of_file=True)


def _piece_for_peers(batch: Any) -> Piece:
    return Piece(as_table(batch.X), batch.y, check_weights(batch.weight, len(batch)))


def _parts(learner: Learner, piece: Piece, tell: Teller | None) -> Iterator[Piece]:
    """The piece itself, or, where somebody waits to be told, parts of it."""
    table = piece.X
    if tell is None or not isinstance(table, Table) or table.n == 0:
        yield piece
        return
    y = learner._truths(piece.y, table.n)
    step = max(1, TOLD * table.n // max(1, table.nbytes // 8))
    for start in range(0, table.n, step):
        part = slice(start, min(table.n, start + step))
        weights = None if piece.weights is None else piece.weights[part]
        yield Piece(table.part(part.start, part.stop), y[part], weights)


class Player:
    """A learner of hinge's under way through a stream, and what it did so far; ``keep``: in every round."""

    def __init__(self, learner: Any, keep: bool = True) -> None:
        self.learner = learner
        self.keep = keep
        self.records: list[Record] = []
        self.n = self.mistakes = self.novel = 0
        self.cost = self.seconds = self.waited = self.loss = self.squared_loss = self.absolute_error = 0.0
        engine = learner._engine
        self.before = 0.0 if engine is None else engine.totals.copy()
        self.measured = 0.0 if engine is None else engine.measures.copy()

    def play(self, piece: Piece, tell: Teller | None = None) -> None:
        """Predict and learn each row of a piece: all of them, or, if that fails, none."""
        started, waited = time.perf_counter(), waiting.seconds
        if piece.of_file:
            piece.X.offset = self.n  # rows are counted from the stream's first
        with self.learner._all_or_nothing(piece.X if isinstance(piece.X, Table) else None):
            if piece.of_file:
                piece = self._fitting(piece)
            for part in _parts(self.learner, piece, tell):
                self._add(self.learner._fit_table(part.X, part.y, part.weights, record=True), part)
                if tell is not None:
                    tell(self.n, self.mistakes)
        self.waited += waiting.seconds - waited
        self.seconds += time.perf_counter() - started - (waiting.seconds - waited)

    def _fitting(self, piece: Piece) -> Piece:
        """The piece, and the learner, as wide as the wider of the two."""
        table, learner = piece.X, self.learner
        if isinstance(table, SparseTable) and learner._engine is not None and learner._columns is None:
            learner._widen(table.width)
            table = SparseTable(dataclasses.replace(table.X, shape=(table.n, learner._engine.width)))
            table.offset = piece.X.offset
        return piece._replace(X=table)

    def _add(self, record: Record | None, piece: Piece) -> None:
        """Take in what one piece left behind."""
        if record is None:  # there was no row, and there is no learner yet
            return
        wrong = (record.flags & 1).astype(bool)
        if self.keep:
            self.records.append(record)
        self.n += len(wrong)
        self.mistakes += int(wrong.sum())
        self.novel += int((record.flags >> 1).sum())
        self.loss += float(record.losses.sum())
        self.squared_loss += float((record.losses**2).sum())
        self.cost += self._cost(record, piece, wrong)
        if self.learner._measures_distance:
            self.absolute_error += self.learner._distance(piece.y, record)

    def _cost(self, record: Record, piece: Piece, wrong: Any) -> float:
        y, some = piece.y, None
        if isinstance(y, (np.ndarray, LabelSets)):
            some = y[wrong]
        elif y is not None and len(getattr(y, "shape", ())) < 2:
            y = list(y)
            some = [y[t] for t in np.flatnonzero(wrong)]
        weights = None if piece.weights is None else piece.weights[wrong]
        return float(np.sum(self.learner._costs(some, record.predictions[wrong], weights)))

    def report(self) -> Report:
        """All of it."""
        learner, engine = self.learner, self.learner._engine
        predictions, losses, flags = (
            (column[0] if len(column) == 1 else np.concatenate(_alike(column))) if self.records else np.zeros(0, kind)
            for column, kind in zip(zip(*self.records, strict=True) if self.records else [()] * 3,
                                    (np.int32, np.float64, np.uint8), strict=True)
        )  # fmt: skip
        updates, certificate, measures = 0, None, dict[str, float]()
        if engine is not None:
            if self.n and isinstance(engine.task, Multilabel):
                means = (engine.measures - self.measured) / self.n
                measures = dict(zip(MEASURES, means.tolist(), strict=True))
            leader = int(rounds.leader.py_func(engine.totals))
            passed = engine.totals - self.before
            passed[:, rounds.PRICE] = engine.totals[:, rounds.PRICE]  # the highest of all times serves as well
            updates, certificate = (
                int(passed[leader, rounds.UPDATES]),
                certificate_of(engine.steps[leader], passed[leader]) if engine.proves else None,
            )
        return Report(
            learner=" ".join(repr(learner).split()), n=self.n, mistakes=self.mistakes, novel=self.novel,
            loss=float(losses.sum()) if self.keep else self.loss,
            squared_loss=float((losses**2).sum()) if self.keep else self.squared_loss, cost=self.cost, updates=updates,
            seconds=self.seconds, compile_seconds=self.waited, certificate=certificate,
            absolute_error=self.absolute_error if learner._measures_distance else None,
            flags=flags, losses=losses, _predictions=lambda: learner._report_predictions(predictions), **measures,
        )  # fmt: skip


def _alike(columns: Sequence[np.ndarray[Any, Any]]) -> Sequence[np.ndarray[Any, Any]]:
    """Sets of a time when fewer labels were known may take fewer words a row: as many as the others take."""
    if columns[0].ndim == 1:
        return columns
    most = max(column.shape[1] for column in columns)
    return [np.pad(column, ((0, 0), (0, most - column.shape[1]))) for column in columns]
