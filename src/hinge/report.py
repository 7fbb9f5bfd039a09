# SPDX-License-Identifier: BSD-3-Clause
"""What one pass over a stream came to: a `Report` of one learner, a `Race` of several."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from hinge.certificate import Certificate


@dataclasses.dataclass(frozen=True, eq=False)
class Report:
    """How a learner did on a stream, each row predicted before it was learnt from.

    Attributes
    ----------
    n
        Rounds.
    mistakes
        Rounds whose prediction was not the truth (regression: off by more than epsilon; one class: outside the ball);
        the first sight of a label is not counted.
    novel
        First sights of labels; with sets of labels, rounds that had some.
    loss, squared_loss
        Sums of the task's loss, and of its square, over all rounds; NaN for learners that are not hinge's.
    cost
        What the mistakes cost: the sum of the importance weights of their rounds, each times the cost of the label
        predicted, for learners that were told costs.
    updates
        Rounds that moved the hypothesis; None where nobody counts them.
    absolute_error
        Regression: the sum of |y - prediction|; ranks: of how many ranks off a prediction was. Else None.
    ranking_loss, one_error, coverage, average_precision
        Sets of labels: means over all rounds of how the labels were ranked by their scores, else None. The share of
        pairs of a relevant and another label that were not in order; whether the top label was not relevant; how many
        labels one has to read from the top to have met all relevant ones; and the mean over relevant labels of the
        share of relevant ones among those that stand as high. A tie counts as an error.
    seconds
        The time that predicting and learning took.
    compile_seconds
        The time before that in which kernels were compiled, or loaded from the cache.
    certificate
        What the pass proves of every fixed hypothesis; None for learners that are not hinge's.
    """

    learner: str
    n: int
    mistakes: int
    novel: int
    loss: float
    squared_loss: float
    cost: float
    updates: int | None
    seconds: float
    compile_seconds: float
    certificate: Certificate | None
    absolute_error: float | None
    flags: np.ndarray[Any, Any] = dataclasses.field(repr=False)
    losses: np.ndarray[Any, Any] = dataclasses.field(repr=False)
    _predictions: Callable[[], np.ndarray[Any, Any]] = dataclasses.field(repr=False)
    ranking_loss: float | None = None
    one_error: float | None = None
    coverage: float | None = None
    average_precision: float | None = None

    @property
    def error_rate(self) -> float:
        """Mistakes as a share of all rounds."""
        return self.mistakes / self.n if self.n else 0.0

    @property
    def mistake_curve(self) -> np.ndarray[Any, Any]:
        """Mistakes made up to and including each round."""
        return np.cumsum(self.flags & 1, dtype=np.int64)

    @property
    def predictions(self) -> np.ndarray[Any, Any]:
        """What was predicted in every round; None where no label was known yet."""
        return self._predictions()

    def to_dict(self) -> dict[str, Any]:
        """All figures as plain numbers, ready for JSON; what is not known is None."""
        known = {
            name: getattr(self, name)
            for name in ("learner", "n", "mistakes", "error_rate", "novel", "loss", "squared_loss", "cost", "updates",
                         "absolute_error", "ranking_loss", "one_error", "coverage", "average_precision", "seconds",
                         "compile_seconds")
        }  # fmt: skip
        figures = {
            name: None if isinstance(value, float) and math.isnan(value) else value for name, value in known.items()
        }
        figures["certificate"] = None if self.certificate is None else self.certificate.to_dict()
        return figures

    def plot(self, ax: Any = None, label: str | None = None) -> Any:
        """Draw the share of mistakes so far over the rounds; returns matplotlib's axes."""
        axes = _axes(ax)
        _draw_curve(axes, self, label or self.learner)
        return _finished(axes)

    def __str__(self) -> str:
        n = max(1, self.n)
        name = self.learner if len(self.learner) <= _LONGEST else self.learner[: _LONGEST - 1] + "…"
        lines = [f"{name}: {self.n:,} rounds in {_seconds(self.seconds)}{_speed(self)}"]
        aside = f", first sights of {self.novel} label{'s' * (self.novel != 1)} aside" if self.novel else ""
        lines.append(f"  mistakes     {self.mistakes:>12,}   {self.error_rate:.2%} of the rounds{aside}")
        if self.cost != self.mistakes:
            lines.append(f"  cost         {self.cost:>12.6g}   what the mistakes cost")
        if not math.isnan(self.loss):
            lines.append(f"  loss         {self.loss:>12,.1f}   {self.loss / n:.4g} a round")
        if self.absolute_error is not None:
            lines.append(
                f"  error        {self.absolute_error:>12,.1f}   {self.absolute_error / n:.4g} a round, "
                "|y - prediction|"
            )
        if self.ranking_loss is not None:
            lines.append(
                f"  rankings     {self.ranking_loss:>12.4g}   ranking loss; one-error {self.one_error:.4g}, "
                f"coverage {self.coverage:.4g}, average precision {self.average_precision:.4g}"
            )
        if self.updates is not None:
            lines.append(f"  updates      {self.updates:>12,}   {self.updates / n:.2%} of the rounds")
        if self.certificate is not None:
            lines.append(f"  certificate  {self.certificate.dual:>12.6g}   {self.certificate}")
        return "\n".join(lines)


#: Longer names of learners are cut where they are printed.
_LONGEST = 80


class Race(Mapping[str, Report]):
    """The reports of several learners on one stream, by name; the best first where it is printed."""

    def __init__(self, reports: Mapping[str, Report]) -> None:
        self.reports = dict(reports)

    def __getitem__(self, name: str) -> Report:
        return self.reports[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.reports)

    def __len__(self) -> int:
        return len(self.reports)

    @property
    def ranking(self) -> list[str]:
        """The names, the least error first where all have one (`by_distance`), else the fewest mistakes.

        Of equals the least loss, then the order they were given in.
        """
        return sorted(self.reports, key=lambda name: _merit(self.reports[name], self.by_distance))

    @property
    def by_distance(self) -> bool:
        """Whether all predictions have a distance from the truth, as numbers and ranks have, to go by."""
        return all(report.absolute_error is not None for report in self.reports.values())

    @property
    def best(self) -> str:
        """The name of the first of the ranking."""
        return self.ranking[0]

    def to_dict(self) -> dict[str, Any]:
        """All figures of all reports, ready for JSON."""
        return {name: report.to_dict() for name, report in self.reports.items()}

    def plot(self, ax: Any = None) -> Any:
        """Draw the share of mistakes so far of all learners; returns matplotlib's axes."""
        axes = _axes(ax)
        for name in self.ranking:
            _draw_curve(axes, self.reports[name], name)
        return _finished(axes)

    def __str__(self) -> str:
        by_distance = self.by_distance
        merit = ["|error|/round"] if by_distance else ["mistakes", "error"]
        heads = ["learner", *merit, "loss/round", "updates", "seconds", "rounds/s"]
        rows = []
        for name in self.ranking:
            report = self.reports[name]
            n = max(1, report.n)
            error = "-" if report.absolute_error is None else f"{report.absolute_error / n:.4g}"
            rows.append([
                name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…",
                *([error] if by_distance else [f"{report.mistakes:,}", f"{report.error_rate:.2%}"]),
                "-" if math.isnan(report.loss) else f"{report.loss / n:.4f}",
                "-" if report.updates is None else f"{report.updates:,}",
                f"{report.seconds:.3f}", f"{report.n / report.seconds:,.0f}" if report.seconds > 0 else "-",
            ])  # fmt: skip
        widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
        rule = ["-" * width for width in widths]
        return "\n".join(
            "  ".join(cell.ljust(width) if place == 0 else cell.rjust(width)
                      for place, (cell, width) in enumerate(zip(row, widths, strict=True)))
            for row in [heads, rule, *rows]
        )  # fmt: skip


def _merit(report: Report, by_distance: bool) -> tuple[float, float, float]:
    """What the ranking sorts by: the error, where all have one, then mistakes."""
    error = report.absolute_error if by_distance and report.absolute_error is not None else 0.0
    return error, report.mistakes, math.inf if math.isnan(report.loss) else report.loss


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 0.1 else f"{seconds * 1e3:.2f} ms"


def _speed(report: Report) -> str:
    return f" ({report.n / report.seconds:,.0f} a second)" if report.seconds > 0 and report.n else ""


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plot() draws with matplotlib, which is not installed: pip install 'hinge[plot]'") from None
    return pyplot.subplots(figsize=(8, 5), layout="constrained")[1]


#: So many points of a curve are drawn: more than a screen has.
_POINTS = 2000


def _draw_curve(axes: Any, report: Report, label: str) -> None:
    if report.n == 0:
        return
    rounds = np.unique(np.geomspace(1, report.n, min(report.n, _POINTS)).round().astype(np.int64))
    share = report.mistake_curve[rounds - 1] / rounds
    (line,) = axes.plot(rounds, share, label=f"{label}  {report.error_rate:.2%}", linewidth=1.6)
    axes.plot(rounds[-1:], share[-1:], "o", color=line.get_color(), markersize=4)


def _finished(axes: Any) -> Any:
    from matplotlib.ticker import PercentFormatter

    axes.set_xscale("log")
    axes.set_xlabel("rounds")
    axes.set_ylabel("mistakes so far")
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(PercentFormatter(xmax=1.0))
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    return axes
