# SPDX-License-Identifier: BSD-3-Clause
"""Multilabel, one weight vector a label: for relevant r and any other s, w_r.x - w_s.x >= 1 ([PA06] 7).

The truth of a round is a set of labels. With a calibration label, which every relevant label is to outrank and which is
to outrank every other, rankings become sets: what scores above it is predicted. It has the lane ``first`` of its own;
the labels have the lanes after it. In ties it stands last.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hinge.exact import ExactRanking
from hinge.focus import Constraint
from hinge.heaps import sort_descending
from hinge.native import native
from hinge.tasks.calibration import ExactCalibrated
from hinge.tasks.pairs import PairsEqually

#: What `Rankings.measure` sums up, in this order.
MEASURES = ("ranking_loss", "one_error", "coverage", "average_precision")


class Multilabel(NamedTuple):
    """The task as an engine and a model file know it; `ready` adds the memory that rounds need."""

    calibrated: int = 1

    def lanes(self, labels: int) -> int:
        """How many lanes one contender moves."""
        return labels + self.calibrated

    def ready(self, labels: int, measures: Any) -> Rankings:
        """The task for kernels, with room for so many labels."""
        room = labels + 1
        return Rankings(
            int(self.calibrated), np.zeros(room, np.int64), np.zeros(1, np.int64), np.zeros(room, np.int32),
            np.zeros(room, np.int32), np.zeros(room), np.zeros(room + 1, np.int64), measures,
        )  # fmt: skip


@native
class Sets(NamedTuple):
    """The label sets of many rows: those of row t are ``codes[ends[t]]`` to ``codes[ends[t + 1]]``."""

    codes: Any
    ends: Any


@native
class Sides(NamedTuple):
    """The truth of a round: so many labels, so many of them relevant; which, the task remembers (see `Rankings`)."""

    labels: int
    relevant: int


@native
class Above(NamedTuple):
    """A prediction that is read off when somebody asks: the labels that score above the line."""

    scores: Any
    first: int
    known: int
    line: float

    def has(self, label: int) -> bool:
        """Whether the label is predicted."""
        return float(self.scores[self.first + label]) > self.line


@native
class Rankings(NamedTuple):
    """The task in a kernel. ``seen[r]`` is the number of the last round in which label r was relevant.

    ``upper`` has the lanes that are to stand above in the round under way, ``lower`` those that are to stand below:
    labels in their order, then the calibration label, which is among both.
    """

    calibrated: int
    seen: Any
    number: Any
    upper: Any
    lower: Any
    keys: Any
    counts: Any
    measures: Any

    # -- truths and predictions (see `hinge.tasks.forms`)

    def begin(self, truths: Any, t: int, labels: int) -> Sides:
        """The label set of row t of a batch."""
        return self._sides(truths.codes, truths.ends[t], truths.ends[t + 1], labels)

    def alone(self, truth: Any, labels: int) -> Sides:
        """The label set of a row that comes alone: an array of codes."""
        return self._sides(truth, 0, truth.size, labels)

    def _sides(self, codes: Any, start: int, stop: int, labels: int) -> Sides:
        number = self.number[0] + 1
        self.number[0] = number
        for i in range(start, stop):
            self.seen[codes[i]] = number
        relevant, others = 0, 0
        for label in range(labels):
            if self.seen[label] == number:
                self.upper[relevant] = label + self.calibrated
                relevant += 1
            else:
                self.lower[others] = label + self.calibrated
                others += 1
        if self.calibrated:
            self.upper[relevant] = 0
            self.lower[others] = 0
        return Sides(labels, relevant)

    def told(self, prediction: Above) -> int:
        """How many labels are predicted; their codes are left in ``counts``."""
        found = 0
        for label in range(prediction.known):
            if prediction.has(label):
                self.counts[found] = label
                found += 1
        return found

    def keep(self, predictions: Any, t: int, prediction: Above) -> None:
        """One bit a label."""
        for word in range(predictions.shape[1]):
            predictions[t, word] = 0
        for label in range(prediction.known):
            if prediction.has(label):
                predictions[t, label >> 6] |= np.uint64(1) << np.uint64(label & 63)

    # -- predictions

    def predict(self, scores: Any, first: int, known: int) -> Above:
        """What scores above the calibration label; without one, above 0, which is then the mean of all scores."""
        line = float(scores[first]) if self.calibrated else 0.0
        return Above(scores, first + self.calibrated, known, line)

    def is_mistake(self, prediction: Above, truth: Sides, worst: Constraint) -> bool:
        """The sets differ."""
        for label in range(prediction.known):  # noqa: SIM110  (compiled code knows no any())
            if prediction.has(label) != self.is_relevant(truth, label):
                return True
        return False

    def cost(self, prediction: Above, truth: Sides) -> float:
        """What a mistake costs."""
        return 1.0

    # -- constraints

    def is_relevant(self, truth: Sides, label: int) -> bool:
        """Whether the label is to be ranked above the others."""
        return bool(self.seen[label] == self.number[0])

    def required(self, truth: Sides, label: int) -> float:
        """The margin by which any relevant label is to outrank this one."""
        return 1.0

    def lanes(self, labels: int) -> int:
        """One a label, and one for the calibration label."""
        return labels + self.calibrated

    def posed(self, labels: int, truth: Sides) -> int:
        """One constraint for each pair; the calibration label, the last on both sides, makes none with itself."""
        relevant, others = truth.relevant + self.calibrated, truth.labels - truth.relevant + self.calibrated
        return relevant * others - self.calibrated

    def constraint(self, scores: Any, first: int, labels: int, truth: Sides, j: int) -> Constraint:
        """The j-th pair, in the order of the labels."""
        others = truth.labels - truth.relevant + self.calibrated
        row = int((j + 0.5) * (1.0 / others))  # j // others: a processor takes its time to divide whole numbers
        return self._pair(scores, first, self.upper[row], self.lower[j - row * others])

    def _pair(self, scores: Any, first: int, up: int, down: int) -> Constraint:
        return Constraint(float(scores[first + up]) - float(scores[first + down]), 1.0, up, down)

    def worst(self, scores: Any, first: int, labels: int, truth: Sides, prediction: Above) -> Constraint:
        """The first pair of the least margin: the lowest relevant label, and the highest other."""
        relevant, others = truth.relevant, truth.labels - truth.relevant
        up, down, low, high = -1, -1, 0.0, 0.0
        line = float(scores[first]) if self.calibrated else 0.0
        check = line - line  # NaN, if any score is infinite or NaN
        for i in range(relevant):
            score = float(scores[first + self.upper[i]])
            check += score - score
            if i == 0 or score < low:
                low, up = score, self.upper[i]
        for i in range(others):
            score = float(scores[first + self.lower[i]])
            check += score - score
            if i == 0 or score > high:
                high, down = score, self.lower[i]
        found = Constraint(check, 0.0, -1, -1)
        if up >= 0 and down >= 0:
            found = Constraint(low - high + check, 1.0, up, down)
        if self.calibrated:
            if up >= 0 and (found.up < 0 or low - line < found.margin):
                found = Constraint(low - line + check, 1.0, up, 0)
            if down >= 0 and (found.up < 0 or line - high < found.margin):
                found = Constraint(line - high + check, 1.0, 0, down)
        return found

    def against(self, scores: Any, first: int, labels: int, truth: Sides, prediction: Above) -> Constraint:
        """The pair of the least margin: of what is ranked wrong, it is the farthest from right."""
        return self.worst(scores, first, labels, truth, prediction)

    def is_wrong(self, prediction: Above, truth: Sides, worst: Constraint) -> bool:
        """A pair is in the wrong order; of equal scores the first label stands higher, the calibration label last."""
        if worst.margin != 0 or worst.up < 0:
            return worst.margin < 0
        # All pairs of margin 0 are of labels that score as these two do.
        first = prediction.first - self.calibrated
        low, high = float(prediction.scores[first + worst.up]), float(prediction.scores[first + worst.down])
        last_low, first_high = 0, truth.labels + 1
        for i in range(truth.relevant + self.calibrated):
            if float(prediction.scores[first + self.upper[i]]) == low:
                last_low = self._place(truth, self.upper[i])
        for i in range(truth.labels - truth.relevant + self.calibrated - 1, -1, -1):
            if float(prediction.scores[first + self.lower[i]]) == high:
                first_high = self._place(truth, self.lower[i])
        return first_high < last_low

    def _place(self, truth: Sides, lane: int) -> int:
        """The place of a lane in the order of ties."""
        return lane if lane > 0 or not self.calibrated else truth.labels + 1

    def exact(self, margin: float) -> Any:
        """What solves a round's own problem, for focus Exact."""
        return ExactCalibrated(margin) if self.calibrated else ExactRanking(margin)

    def equally(self, mistaken: int) -> Any:
        """What lets all violated, or all mistaken, pairs act with equal shares."""
        return PairsEqually(mistaken)

    # -- measures of rankings (Schapire and Singer 2000)

    def measure(self, scores: Any, first: int, truth: Sides) -> None:
        """Add this round's to the sums; a tie counts as an error, as in every bound.

        The ranking loss is the share of pairs (relevant, other) not in order; one error, whether the top label is not
        relevant; the coverage, how many labels one reads from the top to have met all relevant ones; the average
        precision, the mean over relevant labels of the share of relevant ones among those that stand as high.
        """
        first += self.calibrated
        relevant, others, measures = truth.relevant, truth.labels - truth.relevant, self.measures
        if relevant == 0:
            measures[3] += 1.0
            return
        if others == 0:
            measures[2] += truth.labels
            measures[3] += 1.0
            return
        keys, counts = self.keys, self.counts
        for i in range(relevant):
            keys[i] = float(scores[first + self.upper[i] - self.calibrated])
            counts[i] = 0
        counts[relevant] = 0
        sort_descending(keys, relevant)
        top, top_label = keys[0], -1
        for i in range(others):  # counts[p] others score as high as the relevant labels from place p on, not before
            lane = self.lower[i]
            score = float(scores[first + lane - self.calibrated])
            if score > top:
                top, top_label = score, lane
            low, high = 0, relevant
            while low < high:
                middle = (low + high) // 2
                if keys[middle] > score:
                    low = middle + 1
                else:
                    high = middle
            counts[low] += 1
        above, start, errors, precision = 0, 0, 0, 0.0
        while start < relevant:
            stop = start
            while stop < relevant and keys[stop] == keys[start]:
                above += counts[stop]
                stop += 1
            errors += above * (stop - start)
            precision += (stop - start) * stop / (stop + above)
            start = stop
        measures[0] += errors / (relevant * others)
        measures[1] += self._tops(scores, first, truth, top, top_label)
        measures[2] += relevant + above
        measures[3] += precision / relevant

    def _tops(self, scores: Any, first: int, truth: Sides, top: float, lane: int) -> float:
        """1 if the top label, the first of equals, is not relevant."""
        if lane >= 0:  # one that scores more than all relevant labels
            return 1.0
        for label in range(truth.labels):
            if float(scores[first + label]) == top:
                return 0.0 if self.is_relevant(truth, label) else 1.0
        return 0.0
