# SPDX-License-Identifier: BSD-3-Clause
"""``hinge race``: several learners on one stream."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer

from hinge.cli import options
from hinge.cli.reading import Reading
from hinge.cli.talk import Interrupted, print_json, print_table, say

if TYPE_CHECKING:
    from hinge.certificate import Certificate
    from hinge.report import Race

EXAMPLE = """\
hinge race mail.svm

hinge race mail.svm -a Perceptron -a PA-I -a "PA-II C=0.5" --C 0.01,0.1,1 --plot race.png"""


def race(
    files: options.Files,
    algorithm: Annotated[
        list[str] | None,
        typer.Option(
            "--algorithm", "-a", metavar="NAME", show_default=False,
            help='Who races: one of `hinge catalogue`, with its parameters ("PA-I C=0.1"); give it again for each. '
            "Usually the Perceptron, PA, PA-I and PA-II.",
        ),
    ] = None,
    C: Annotated[
        str | None,
        typer.Option("--C", "-C", metavar="C[,C...]", show_default=False,
                     help="The C of all who have one and name none; with several, each races with each."),
    ] = None,
    numbers: Annotated[bool, typer.Option("--numbers", help="Labels are numbers: race the regressions.")] = False,
    plot: Annotated[
        str | None,
        typer.Option(metavar="PICTURE", show_default=False, help="Draw the curves of mistakes (.png, .svg, .pdf)."),
    ] = None,
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
    """Let several learners go through the same files side by side, and compare.

    The table has the best first. The certificate says what no fixed hypothesis could have beaten on these rows,
    however it was chosen. Nothing is kept; memory grows by some 13 bytes a row and learner.
    """
    from hinge.cli.algorithms import contenders
    from hinge.cli.passage import Passage
    from hinge.report import Race

    if plot is not None:
        _check_plot(plot)
    reading = Reading.of(
        {}, format=format, target=target, text=text, ngrams=ngrams, analyzer=analyzer, bits=bits,
        delimiter=delimiter, header=header, quotes=quotes, categorical=categorical, columns_from=columns_from,
    )  # fmt: skip
    passage = Passage(contenders(algorithm, C, numbers), reading, skip_bad, keep=True, names=False)
    interrupted = passage.through(files, 1, quiet or json)
    outcome = Race({name: player.report() for name, player in passage.players.items()})
    rows = outcome[outcome.best].n
    if json:
        print_json({"ranking": outcome.ranking, "rows": rows, "skipped": passage.skipped,
                    "interrupted": interrupted, "learners": outcome.to_dict()})  # fmt: skip
    elif rows:
        _print(outcome)
    if plot is not None and rows:
        _draw(outcome, plot)
        say(f"the curves are in {plot}")
    passage.say_skipped()
    if interrupted:
        say(f"stopped by Ctrl-C after {rows:,} rows")
        raise Interrupted
    if not rows:
        raise ValueError(f"there was no row to learn from in {', '.join(files)}")


def _print(outcome: Race) -> None:
    table = []
    heads = ["learner", "mistakes", "error", "loss/row", "updates", "seconds", "rows/s"]
    if outcome.by_distance:
        heads[1:3] = ["|error|/row"]
    for name in outcome.ranking:
        report = outcome[name]
        n = max(1, report.n)
        merit = [f"{report.mistakes:,}", f"{report.error_rate:.2%}"]
        if outcome.by_distance and report.absolute_error is not None:
            merit = [f"{report.absolute_error / n:.4g}"]
        table.append([
            name, *merit, f"{report.loss / n:.4f}", f"{report.updates or 0:,}", f"{report.seconds:.3f}",
            f"{report.n / report.seconds:,.0f}" if report.seconds > 0 else "-",
        ])  # fmt: skip
    print_table(heads, table, best=0)
    typer.echo("")
    for words in proofs(outcome):
        typer.echo(words)


def proofs(outcome: Race) -> list[str]:
    """What the certificates of a race prove, a sentence each: the tightest for each kind of loss."""
    found = []
    certificates = [(name, report.certificate) for name, report in outcome.items() if report.certificate is not None]
    for kind in ("separable", "hinge", "squared"):
        own = [(certificate.dual, name, certificate) for name, certificate in certificates if certificate.kind == kind]
        if not own:
            continue
        dual, name, certificate = max(own, key=lambda one: one[0])
        if dual <= 0:
            continue
        if kind == "separable":
            found.append(
                f"Proved by {name}: no fixed hypothesis of norm 1 separates these rows with a margin above "
                f"{certificate.best_margin:.3g}."
            )
        else:
            norm = _telling_norm(certificate)
            losses = {"hinge": "loss", "squared": "squared loss"}[kind]
            found.append(
                f"Proved by {name}: on these rows any fixed hypothesis of norm up to {norm:.3g} has an average "
                f"{losses} of {certificate.floor(norm):.3g} or more."
            )
    return found


def _telling_norm(certificate: Certificate) -> float:
    """A norm at which the floor is three quarters of its highest: 1/2 norm² is a quarter of the dual value."""
    return math.sqrt(0.5 * certificate.dual)


def _check_plot(path: str) -> None:
    """Raise before the race for a picture that could not be drawn after it."""
    import importlib.util
    import os

    if os.path.splitext(path)[1].lower() not in (".png", ".svg", ".pdf"):
        raise typer.BadParameter(f"--plot draws .png, .svg or .pdf, not {path}")
    if importlib.util.find_spec("matplotlib") is None:
        raise ImportError("--plot draws with matplotlib, which is not installed: pip install 'hinge[plot]'")
    if not os.path.isdir(os.path.dirname(os.path.realpath(path))):
        raise FileNotFoundError(2, "there is no such folder for the picture", path)


def _draw(outcome: Race, path: str) -> None:
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    axes = outcome.plot()
    axes.figure.savefig(path, dpi=150)
    pyplot.close(axes.figure)


COMMAND = race
