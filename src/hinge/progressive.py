# SPDX-License-Identifier: BSD-3-Clause
"""Progressive validation: every row is predicted, then learnt from, in one pass; by one learner or by several."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from hinge import round as rounds
from hinge.engine import Record
from hinge.inputs import Table, as_table
from hinge.learners.base import Learner, certificate_of, is_rows_of_dicts
from hinge.learners.estimator import check_weights
from hinge.native import waiting
from hinge.peers import play_peer
from hinge.progress import Teller, teller
from hinge.report import Race, Report

#: Rows of named features that are taken from a stream at a time.
GATHERED = 1024
#: While progress is told, a table is learnt from so many numbers at a time.
TOLD = 1 << 22


class Piece(NamedTuple):
    """Some rows of a stream: a table, or a list of dicts."""

    X: Any
    y: Any
    weights: Any


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
        pieces = _pieces(X, y, sample_weight)
        if isinstance(learner, Learner):
            return _play_learner(learner, pieces, tell)
        return play_peer(learner, pieces, tell)


def race(learners: Any, X: Any, y: Any = None, sample_weight: Any = None, progress: Any = False) -> Race:
    """Let several learners, a dict by name or a list, play the same stream: see `play`. Each learns from it.

    >>> import hinge
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]], ["a", "b", "a", "b"]
    >>> hinge.race({"PA": hinge.Classifier(hinge.PA()), "Perceptron": hinge.Classifier(hinge.Perceptron())}, X, y).best
    'PA'
    """
    named = learners if isinstance(learners, Mapping) else _by_name(learners)
    if not named:
        raise ValueError("race was given no learner.")
    if isinstance(X, Iterator):
        raise TypeError(
            "X can be gone through only once, and each learner of a race needs all of it: give a table, "
            "a list of rows, or play the learners one by one, each with a stream of its own."
        )
    reports = {}
    for name, learner in named.items():
        try:
            reports[name] = play(learner, X, y, sample_weight, progress)
        except Exception as error:
            error.add_note(f"(in the race, while {name!r} was playing)")
            raise
    return Race(reports)


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


def _pieces(X: Any, y: Any, sample_weight: Any) -> Iterator[Piece]:
    if not isinstance(X, Iterator):
        if is_rows_of_dicts(X):
            yield Piece(
                X, y if y is None or isinstance(y, (list, tuple)) else list(y), check_weights(sample_weight, len(X))
            )
        else:
            table = as_table(X)
            yield Piece(table, y, check_weights(sample_weight, table.n))
        return
    targets = itertools.repeat(None) if y is None else iter(y)
    weights = itertools.repeat(1.0) if sample_weight is None else iter(sample_weight)
    for first in X:
        if hasattr(first, "X") and hasattr(first, "y"):  # a batch of a file
            if len(first):
                yield Piece(as_table(first.X), first.y, check_weights(first.weight, len(first)))
            continue
        rows = [first, *itertools.islice(X, GATHERED - 1)]
        some = list(itertools.islice(targets, len(rows)))
        yield Piece(
            rows, None if y is None else some, check_weights(list(itertools.islice(weights, len(rows))), len(rows))
        )


def _play_learner(learner: Learner, pieces: Iterator[Piece], tell: Teller | None) -> Report:
    account = _Account(learner)
    for piece in pieces:
        started, waited = time.perf_counter(), waiting.seconds
        with learner._all_or_nothing(piece.X if isinstance(piece.X, Table) else None):
            for part in _parts(learner, piece, tell):
                account.add(learner._fit_table(part.X, part.y, part.weights, record=True), part)
                if tell is not None:
                    tell(account.n, account.mistakes)
        account.waited += waiting.seconds - waited
        account.seconds += time.perf_counter() - started - (waiting.seconds - waited)
    return account.report()


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


class _Account:
    """What a learner of hinge's did since the pass began."""

    def __init__(self, learner: Learner) -> None:
        self.learner = learner
        self.records: list[Record] = []
        self.n = self.mistakes = 0
        self.cost = self.seconds = self.waited = self.absolute_error = 0.0
        engine = learner._engine
        self.before = 0.0 if engine is None else engine.totals.copy()

    def add(self, record: Record | None, piece: Piece) -> None:
        """Take in what one piece left behind."""
        if record is None:  # there was no row, and there is no learner yet
            return
        wrong = (record.flags & 1).astype(bool)
        self.records.append(record)
        self.n += len(wrong)
        self.mistakes += int(wrong.sum())
        self.cost += float(wrong.sum() if piece.weights is None else piece.weights[wrong].sum())
        if self.learner._kind == "regressor":
            self.absolute_error += float(np.abs(np.asarray(piece.y, np.float64) - record.predictions).sum())

    def report(self) -> Report:
        """All of it."""
        learner, engine = self.learner, self.learner._engine
        predictions, losses, flags = (
            (column[0] if len(column) == 1 else np.concatenate(column)) if self.records else np.zeros(0, kind)
            for column, kind in zip(zip(*self.records, strict=True) if self.records else [()] * 3,
                                    (np.int32, np.float64, np.uint8), strict=True)
        )  # fmt: skip
        updates, certificate = 0, None
        if engine is not None:
            leader = int(rounds.leader.py_func(engine.totals))
            passed = engine.totals - self.before
            passed[:, rounds.PRICE] = engine.totals[:, rounds.PRICE]  # the highest of all times serves as well
            updates, certificate = (
                int(passed[leader, rounds.UPDATES]),
                certificate_of(learner._steps[leader], passed[leader]),
            )
        return Report(
            learner=" ".join(repr(learner).split()), n=self.n, mistakes=self.mistakes, novel=int((flags >> 1).sum()),
            loss=float(losses.sum()), squared_loss=float((losses**2).sum()), cost=self.cost, updates=updates,
            seconds=self.seconds, compile_seconds=self.waited, certificate=certificate,
            absolute_error=self.absolute_error if learner._kind == "regressor" else None,
            flags=flags, losses=losses, _predictions=lambda: learner._report_predictions(predictions),
        )  # fmt: skip
