# SPDX-License-Identifier: BSD-3-Clause
"""``hinge learn``: train a model file, or go on training it."""

from __future__ import annotations

import dataclasses
import os
from typing import Annotated, Any

import typer

from hinge.cli import options
from hinge.cli.reading import Reading
from hinge.cli.talk import Interrupted, print_json, say

EXAMPLE = """\
hinge learn mail.svm --model spam.hinge --step PA1 --C 0.1

hinge learn sms.tsv --no-header --target 0 --text 1 --model spam.hinge

zcat log.vw.gz | hinge learn - --format vw --algorithm "PA-II C=0.5" --json"""

_ALGORITHM = "The algorithm"


def learn(
    files: options.Files,
    model: options.ModelToKeep = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Start anew, even if the model file is there.")] = False,
    passes: Annotated[int, typer.Option(metavar="N", min=1, help="Go through the files so often.")] = 1,
    algorithm: Annotated[
        str | None,
        typer.Option(
            "--algorithm", "-a", metavar="NAME", rich_help_panel=_ALGORITHM, show_default=False,
            help='One of `hinge catalogue`, with its parameters: "PA-I C=0.1".',
        ),
    ] = None,
    step: Annotated[
        str | None,
        typer.Option(
            metavar="STEP", rich_help_panel=_ALGORITHM, show_default=False,
            help="PA, PA1 (usual), PA2 or Perceptron.",
        ),
    ] = None,
    C: options.C = None,
    numbers: options.Numbers = False,
    one_class: Annotated[
        bool,
        typer.Option("--one-class", rich_help_panel=_ALGORITHM, help="Learn what is usual; labels are not looked at."),
    ] = False,
    average: Annotated[
        bool,
        typer.Option("--average", rich_help_panel=_ALGORITHM, help="Predict with the mean of all hypotheses."),
    ] = False,
    target: options.Target = None,
    format: options.Format = None,
    bits: options.Bits = None,
    columns_from: options.ColumnsFrom = None,
    delimiter: options.Delimiter = None,
    header: options.Header = None,
    categorical: options.Categorical = None,
    skip_bad: options.SkipBad = False,
    text: options.Text = None,
    ngrams: options.Ngrams = None,
    analyzer: options.Analyzer = None,
    quotes: options.Quotes = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:  # fmt: skip
    """Train a model file, or go on training it.

    Every row is predicted before it is learnt from, so that the mistakes counted are honest. Ctrl-C keeps what was
    learnt so far.
    """
    from hinge.cli import models
    from hinge.cli.passage import Passage

    if passes > 1 and "-" in files:
        raise typer.BadParameter("standard input can be gone through only once: --passes is for files")
    described = {"--algorithm": algorithm, "--step": step, "--C": C, "--numbers": numbers,
                 "--one-class": one_class, "--average": average}  # fmt: skip
    going_on = model is not None and os.path.lexists(model)
    learner: Any = None
    if model is not None:
        models.check_place(model)
        if going_on:
            learner = models.opened(model)
    if going_on and not fresh:
        given = [option for option, value in described.items() if value]
        if given:
            raise typer.BadParameter(
                f"{model} goes on as it began, {learner!r}: leave {', '.join(given)} out, or start anew with --fresh"
            )
    else:
        learner, going_on = _new(algorithm, step, C, numbers, one_class, average), False
    reading = Reading.of(
        learner.notes, model, format=format, target=target, text=text, ngrams=ngrams, analyzer=analyzer, bits=bits,
        delimiter=delimiter, header=header, quotes=quotes, categorical=categorical, columns_from=columns_from,
    )  # fmt: skip
    passage = Passage({"": learner}, reading, skip_bad, keep=False, names=model is not None)
    interrupted = passage.through(files, passes, quiet or json)
    learnt = passage.players[""].n > 0
    if model is not None and learnt:
        models.keep(learner, model, reading.remembered(passage.last_format), passage.names)
    # Of rows learnt by a hypothesis that had learnt before, only the certificate of all rows is about any u.
    report = dataclasses.replace(passage.players[""].report(), certificate=None)
    if (learnt and json) or not going_on:
        report = dataclasses.replace(report, certificate=learner.certificate_ if learnt else None)
    if json:
        print_json({
            "model": model if learnt else None, "went_on": going_on, "interrupted": interrupted,
            "skipped": passage.skipped, "features": int(getattr(learner, "n_features_in_", 0)) if learnt else 0,
            "labels": _labels(learner), **report.to_dict(),
        })  # fmt: skip
    elif learnt:
        print(report)  # noqa: T201  (data, to stdout)
    passage.say_skipped()
    if interrupted:
        kept = f"what was learnt is in {model}" if model is not None and learnt else "nothing is kept"
        say(f"stopped by Ctrl-C after {report.n:,} rows: {kept}")
        raise Interrupted
    if not learnt:
        raise ValueError(f"there was no row to learn from in {', '.join(files)}")
    if model is not None:
        say(f"{'went on with' if going_on else 'kept in'} {model}")
    elif not json:
        say("nothing is kept: name a file, --model MODEL")


def _new(
    algorithm: str | None, step: str | None, C: str | None, numbers: bool, one_class: bool, average: bool
) -> Any:
    from hinge.cli.algorithms import learner_of

    return learner_of(algorithm, step, C, numbers, one_class, average)


def _labels(learner: Any) -> list[Any] | None:
    """The labels, where there are any."""
    from hinge.cli.labels import as_json

    return [as_json(label) for label in learner.classes_.tolist()] if hasattr(learner, "classes_") else None


COMMAND = learn
