# SPDX-License-Identifier: BSD-3-Clause
"""``hinge explain``: which features of a row pushed its score where."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from hinge.cli import options
from hinge.cli.reading import Reading
from hinge.cli.talk import print_json, print_table

EXAMPLE = """\
hinge explain new.svm --row 3 --model spam.hinge

hinge explain --say "Free entry! Text WIN now" --model spam.hinge"""


def explain(
    model: options.Model,
    file: Annotated[
        str | None, typer.Argument(metavar="[FILE]", show_default=False, help="A file of rows; - is standard input.")
    ] = None,
    row: Annotated[int, typer.Option(metavar="N", min=1, help="Which row of the file, from 1.")] = 1,
    say: Annotated[
        str | None, typer.Option(metavar="TEXT", show_default=False, help="Explain this text, for models of texts.")
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="LABEL", show_default=False,
            help="Why not this label? Else the one that came next.",
        ),
    ] = None,
    top: Annotated[int, typer.Option(metavar="N", min=1, help="So many features.")] = 20,
    unlabelled: Annotated[
        bool, typer.Option("--unlabelled", help="The file has no labels: there is no --target column.")
    ] = False,
    format: options.Format = None,
    skip_bad: options.SkipBad = False,
    json: options.Json = False,
) -> None:  # fmt: skip
    """Explain one prediction: what each feature of the row adds to the score, the largest first.

    All that is added, with the intercept, is the score.
    """
    from hinge.cli import models

    learner = models.opened(model)
    if learner._engine is None:
        raise ValueError(f"{model} has learnt nothing yet")
    reading = Reading.of(learner.notes, model, format=format)
    names = models.names_of(learner)
    if (file is None) == (say is None):
        raise typer.BadParameter('name a file and its --row, or --say "a text"')
    if say is not None:
        columns, values, own = _text(reading, model, say)
    else:
        assert file is not None
        columns, values, own = _row(reading, file, row, skip_bad, not unlabelled, names)
    found = _explained(learner, {**names, **own}, columns, values, against)
    shown = found["features"][:top]
    if json:
        print_json({**found, "features": shown})
        return
    sys.stdout.write(found["words"] + "\n\n")
    table = [[one["feature"], f"{one['value']:.4g}", f"{one['weight']:+.4g}", f"{one['adds']:+.4g}"] for one in shown]
    rest = found["features"][top:]
    if rest:
        table.append([f"({len(rest)} more)", "", "", f"{sum(one['adds'] for one in rest):+.4g}"])
    table.append(["intercept", "", "", f"{found['intercept']:+.4g}"])
    table.append(["together", "", "", f"{found['score']:+.4g}"])
    print_table(["feature", "value", found["weighs"], "adds"], table)


def _text(reading: Reading, model: str, words: str) -> tuple[Any, Any, dict[int, str]]:
    """The row that a text is."""
    if reading.text is None:
        raise ValueError(f"{model} was not learnt from texts (hinge learn --text): name a file and its --row")
    from hinge.text import Text

    text = Text(reading.ngram_range(), reading.bits, analyzer=reading.analyzer, names=True)
    columns, values = text.transform_one(words)
    return columns, values, {column: " | ".join(ngrams) for column, ngrams in text.names_.items()}


def _row(
    reading: Reading, path: str, row: int, skip_bad: bool, labelled: bool, known: dict[int, str]
) -> tuple[Any, Any, dict[int, str]]:
    """(columns, values, names of columns) of a row of a file."""
    import numpy as np

    from hinge.cli.passage import check_columns

    before = 0
    with reading.open(path, skip_bad, labelled=labelled, names=True) as reader:
        for batch in reader:
            if row <= before + len(batch):
                check_columns(batch, known, path)
                part = slice(batch.indptr[row - before - 1], batch.indptr[row - before])
                columns, places = np.unique(batch.indices[part], return_inverse=True)
                values = np.zeros(len(columns))
                np.add.at(values, places, batch.data[part])
                names = getattr(reader, "text", None)
                if names is not None:
                    return columns, values, {c: " | ".join(n) for c, n in names.names_.items()}
                own = batch.names if batch.names is not None else {}
                return columns, values, dict(own if hasattr(own, "items") else enumerate(own))
            before += len(batch)
    raise ValueError(f"{path} has {before:,} row{'s' * (before != 1)}, so there is no row {row:,}")


def _explained(learner: Any, names: dict[int, str], columns: Any, values: Any, against: str | None) -> dict[str, Any]:
    """The features of a row with what each adds, in order of how much that is."""
    import numpy as np

    from hinge.cli.labels import as_json, as_text
    from hinge.cli.show import name_of, signs_of

    if hasattr(learner, "center_"):
        raise ValueError("a model of one class has a centre, not weights: see hinge show, or hinge predict --scores")
    weights, intercepts = learner.coef_, learner.intercept_
    inside = columns < weights.shape[1]
    columns, values = columns[inside], values[inside]
    scores = weights[:, columns].astype(float) @ values + intercepts
    found: dict[str, Any] = {"weighs": "weight"}
    if not hasattr(learner, "classes_"):
        if against is not None:
            raise ValueError("a model of numbers has no labels: leave --against out")
        lane, intercept = weights[0], intercepts[0]
        found |= {"prediction": float(scores[0]), "words": f"prediction {scores[0]:.6g}, the sum of what is added"}
    else:
        labels = learner.classes_.tolist()
        if len(labels) < 2:
            raise ValueError("the model knows one label only: there is nothing to explain")
        order = np.argsort(-scores, kind="stable") if len(labels) > 2 else None
        first, other = (int(scores[0] > 0), int(scores[0] <= 0)) if order is None else (int(order[0]), int(order[1]))
        if against is not None:
            known = {as_text(label): place for place, label in enumerate(labels)}
            if against not in known or known[against] == first:
                rest = ", ".join(name for name, place in known.items() if place != first)
                said = f"the prediction is {as_text(labels[first])}, the others are {rest}"
                raise ValueError(f"--against {against}: {said}")
            other = known[against]
        if order is None:
            sign = 1 if first == 1 else -1
            lane, intercept = sign * weights[0], sign * intercepts[0]
        else:
            lane, intercept = weights[first] - weights[other], intercepts[first] - intercepts[other]
        found |= {"prediction": as_json(labels[first]), "against": as_json(labels[other])}
        found["words"] = (
            f"prediction {as_text(labels[first])}: what is added is for it where positive, "
            f"for {as_text(labels[other])} where negative"
        )
    signs = signs_of(learner, {int(column): names[int(column)] for column in columns if int(column) in names})
    lane = lane[columns].astype(float)
    adds = lane * values
    features = []
    for place in np.lexsort((columns, -np.abs(adds))).tolist():
        column = int(columns[place])
        sign = signs.get(column, 1)  # a word that is counted as -1 is shown as if it were not
        features.append({
            "feature": name_of(learner, names, column), "column": column, "value": sign * float(values[place]),
            "weight": sign * float(lane[place]), "adds": float(adds[place]),
        })  # fmt: skip
    return {**found, "score": float(adds.sum() + intercept), "intercept": float(intercept), "features": features}


COMMAND = explain
