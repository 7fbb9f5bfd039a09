# SPDX-License-Identifier: BSD-3-Clause
"""``hinge predict``: a prediction for every row."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from hinge.cli import options
from hinge.cli.reading import Reading
from hinge.cli.talk import complain, print_json, say

EXAMPLE = """\
hinge predict new.svm --model spam.hinge > labels.txt

hinge predict new.svm --model spam.hinge --scores --json | jq .prediction"""


def predict(
    files: options.Files,
    model: options.Model,
    scores: Annotated[bool, typer.Option("--scores", help="Also the scores that it comes from.")] = False,
    unlabelled: Annotated[
        bool, typer.Option("--unlabelled", help="The files have no labels: there is no --target column.")
    ] = False,
    format: options.Format = None,
    target: options.Target = None,
    delimiter: options.Delimiter = None,
    header: options.Header = None,
    skip_bad: options.SkipBad = False,
    json: options.Json = False,
) -> None:
    """Predict every row of files: one line a row, in order.

    Files are read as those that the model has learnt from. Where rows have labels, how many predictions were wrong is
    said at the end, on stderr.
    """
    from hinge.cli import models
    from hinge.cli.passage import check_columns

    learner = models.opened(model)
    reading = Reading.of(learner.notes, model, format=format, target=target, delimiter=delimiter, header=header)
    names = models.names_of(learner)
    verdict = _Verdict(learner._kind)
    skipped, first_bad = 0, None
    for path in files:
        with reading.open(path, skip_bad, labelled=not unlabelled) as reader:
            try:
                for batch in reader:
                    if not len(batch):
                        continue
                    if batch.sequences is not None:
                        raise ValueError(f"{path} holds sequences, which are no rows to predict")
                    check_columns(batch, names, path)
                    found, values = _predicted(learner, batch, scores)
                    _print(learner, found, values, json)
                    verdict.hear(batch.y, found)
            finally:
                skipped, first_bad = skipped + reader.skipped, first_bad or reader.first_bad
    sys.stdout.flush()
    if skipped:
        complain(f"{skipped:,} bad row{'s' * (skipped != 1)} passed over, which have no line; the first: {first_bad}")
    verdict.say()


def table_of(learner: Any, batch: Any) -> Any:
    """The rows of a batch as wide as the model; columns that it never met weigh nothing in it."""
    import dataclasses

    from hinge.inputs import SparseTable
    from hinge.progressive import piece_of

    table = piece_of(batch).X
    if isinstance(table, SparseTable) and learner._engine is not None:
        learner._widen(table.width)
        table = SparseTable(dataclasses.replace(table.X, shape=(table.n, learner._engine.width)))
    return table


def _predicted(learner: Any, batch: Any, scores: bool) -> tuple[Any, Any]:
    table = table_of(learner, batch)
    found = learner.predict(table)
    return found, learner.decision_function(table) if scores else None


def _print(learner: Any, found: Any, values: Any, json: bool) -> None:
    from hinge.cli.labels import as_json, as_text

    if values is None and not json:
        lines: Iterator[str] = map(as_text, found.tolist())
        sys.stdout.write("\n".join(lines) + "\n")
        return
    labels = learner.classes_.tolist() if hasattr(learner, "classes_") else []
    for place, prediction in enumerate(found.tolist()):
        own = None if values is None else values[place].tolist()
        if own is not None and labels:
            own = own if isinstance(own, list) else ([-own, own] if len(labels) == 2 else [own])
        if not json:
            columns = own if isinstance(own, list) else [own]
            sys.stdout.write("\t".join([as_text(prediction), *(f"{score:.6g}" for score in columns)]) + "\n")
        elif own is None:
            print_json({"prediction": as_json(prediction)})
        else:
            named = {as_text(label): score for label, score in zip(labels, own, strict=True)} if labels else own
            print_json({"prediction": as_json(prediction), "scores": named})


class _Verdict:
    """How many of the predictions were wrong, as far as rows have labels."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.rows = self.wrong = 0
        self.error = 0.0

    def hear(self, y: Any, found: Any) -> None:
        """Compare with labels."""
        import numpy as np

        if y is None or isinstance(y, list) or self.kind == "outlier_detector":
            return
        if self.kind == "regressor":
            truths = y.astype(np.float64)
            known = ~np.isnan(truths)
            self.error += float(np.abs(truths - found)[known].sum())
        else:
            known = ~np.isnan(y) if y.dtype.kind == "f" else np.ones(len(y), bool)
            self.wrong += int((np.asarray(y)[known] != found[known]).sum())
        self.rows += int(known.sum())

    def say(self) -> None:
        """To stderr."""
        if self.rows and self.kind == "regressor":
            say(f"{self.rows:,} rows with a number: off by {self.error / self.rows:.4g} on average")
        elif self.rows:
            say(f"{self.rows:,} rows with a label: {self.wrong:,} predicted wrong, {self.wrong / self.rows:.2%}")


COMMAND = predict
