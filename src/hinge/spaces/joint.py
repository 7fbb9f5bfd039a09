# SPDX-License-Identifier: BSD-3-Clause
"""Label-dependent features: one vector v for all labels, score v . Phi(x, r) ([PA06] 7, single-prototype).

Here Phi_j(x, r) = x_j g(j, r): what a feature means for a label is a *gate* g, fixed or learnt from the stream. So
Phi is never written out, and a round costs the row's non-zeros times the labels. `SharedLanes` adds one vector a
label (Fink et al. in [IW] 4): score v . Phi(x, r) + w_r . x, and the squared norms add.

Label r has the lane r + shift: before the labels' lanes there may be that of a calibration label, whose Phi is 0.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from hinge.focus import Alike
from hinge.native import compiled, native
from hinge.spaces.linear import intercept_value


@native
class FixedGates(NamedTuple):
    """g is a table, all labels of a feature side by side; ``largest`` is the largest of its numbers, by size."""

    table: Any
    lanes: int
    largest: float

    def gate(self, j: int, r: int) -> float:
        """g(j, r)."""
        return float(self.table[j * self.lanes + r])

    def reach(self) -> float:
        """No gate is larger than this."""
        return self.largest

    def filed(self, row: Any, r: int) -> None:
        """A table does not change."""

    def ended(self, row: Any) -> None:
        """Nothing to count."""

    def prefetch(self, row: Any) -> None:
        """Ask for the gates of a row to come."""
        row.prefetch(self.table, self.lanes)


@native
class MailGates(NamedTuple):
    """2 for a word of at least a fifth of the messages filed in r so far, -1 below 2 %, else 0 ([SP06] 6).

    ``seen[j, r]`` counts the messages of r with word j, ``messages[r]`` all of r.
    """

    seen: Any
    messages: Any
    lanes: int

    def gate(self, j: int, r: int) -> float:
        """g(j, r); 0 in an empty folder."""
        n, N = int(self.seen[j * self.lanes + r]), int(self.messages[r])
        if N == 0:
            return 0.0
        if 5 * n >= N:
            return 2.0
        return -1.0 if 50 * n < N else 0.0

    def reach(self) -> float:
        """No gate is larger than this."""
        return 2.0

    def filed(self, row: Any, r: int) -> None:
        """The row belongs to label r."""
        self.messages[r] += 1
        for i in range(row.start, row.stop):
            if row.data[i] != 0:
                self.seen[int(row.indices[i]) * self.lanes + r] += 1

    def ended(self, row: Any) -> None:
        """Nothing more to count."""

    def prefetch(self, row: Any) -> None:
        """Ask for the counts of a row to come."""
        row.prefetch(self.seen, self.lanes)


@native
class RarityGates(NamedTuple):
    """log(|S| / DF(j, not r)): how rare a feature is among the rows S so far that are not of label r ([PA06] 7).

    DF counts occurrences, at the paper's word; at least 1. ``times[j, r]`` is the sum of x_j over the rows of r,
    ``total[j]`` over all rows, ``rows[0]`` is |S|.
    """

    times: Any
    total: Any
    rows: Any
    lanes: int

    def gate(self, j: int, r: int) -> float:
        """g(j, r); 0 before the first row."""
        if self.rows[0] == 0:
            return 0.0
        elsewhere = float(self.total[j]) - float(self.times[j * self.lanes + r])
        return math.log(float(self.rows[0]) / max(elsewhere, 1.0))

    def reach(self) -> float:
        """No gate is larger than this: the logarithms of all finite numbers are below."""
        return 1e3

    def filed(self, row: Any, r: int) -> None:
        """The row belongs to label r."""
        for i in range(row.start, row.stop):
            self.times[int(row.indices[i]) * self.lanes + r] += row.data[i]

    def ended(self, row: Any) -> None:
        """All labels of the row are filed."""
        self.rows[0] += 1
        for i in range(row.start, row.stop):
            self.total[int(row.indices[i])] += row.data[i]

    def prefetch(self, row: Any) -> None:
        """Ask for the sums of a row to come."""
        row.prefetch(self.times, self.lanes)


@compiled(inline=True)
def gated_sum(gates: Any, j: int, coefficients: Any, labels: int, shift: int) -> float:
    """sum_r coefficient_r g(j, r)."""
    total = 0.0
    for r in range(labels):
        if coefficients[shift + r] != 0:
            total += float(coefficients[shift + r]) * gates.gate(j, r)
    return total


@native
class BetweenGates(NamedTuple):
    """The metric of gated rows: z_j = x_j (g(j, up) - g(j, down))."""

    row: Any
    gates: Any
    labels: int
    shift: int

    def _part(self, j: int, constraint: Any) -> float:
        up, down, part = constraint.up - self.shift, constraint.down - self.shift, 0.0
        if up >= 0:
            part += self.gates.gate(j, up)
        if down >= 0:
            part -= self.gates.gate(j, down)
        return part

    def sq_norm(self, constraint: Any) -> float:
        """||z||²."""
        row, total = self.row, 0.0
        for i in range(row.start, row.stop):
            part = float(row.data[i]) * self._part(int(row.indices[i]), constraint)
            total += part * part
        return total

    def inner(self, one: Any, other: Any) -> float:
        """The inner product of two constraints' instances."""
        row, total = self.row, 0.0
        for i in range(row.start, row.stop):
            j, x = int(row.indices[i]), float(row.data[i])
            total += x * x * self._part(j, one) * self._part(j, other)
        return total

    def sq_move(self, coefficients: Any, first: int, lanes: int) -> float:
        """||sum_j lambda_j z_j||²."""
        row, total = self.row, 0.0
        for i in range(row.start, row.stop):
            gated = gated_sum(self.gates, int(row.indices[i]), coefficients, self.labels, self.shift)
            total += float(row.data[i]) * gated * float(row.data[i]) * gated
        return total


@native
class JointVector(NamedTuple):
    """One vector v; the rows are sparse."""

    vector: Any
    gates: Any
    labels: int
    shift: int

    def begin(self, row: Any) -> None:
        """Nothing waits for a first row."""

    def begun(self) -> float:
        """What `begin_not` is told."""
        return 0.0

    def begin_not(self, row: Any, before: float) -> None:
        """Nothing has begun."""

    def score(self, row: Any, scores: Any) -> float:
        """v . Phi(x, r) into the scores; a bound of all ||Phi(x, r)||²."""
        for lane in range(self.labels + self.shift):
            scores[lane] = 0
        self.add_scores(row, scores)
        return self.bound(row)

    def bound(self, row: Any) -> float:
        """No ||Phi(x, r)||² is above it: what it is for is to be finite where they are."""
        reach = max(1.0, self.gates.reach())
        return float(row.sq_norm()) * reach * reach

    def add_scores(self, row: Any, scores: Any) -> None:
        """v . Phi(x, r), added to the scores."""
        for i in range(row.start, row.stop):
            j = int(row.indices[i])
            product = float(self.vector[j]) * float(row.data[i])
            if product != 0:
                for r in range(self.labels):
                    scores[self.shift + r] += product * self.gates.gate(j, r)

    def score_mean(self, row: Any, scores: Any, scratch: Any, number: float) -> float:
        """A joint vector is not averaged."""
        return self.score(row, scores)

    def move(self, row: Any, coefficients: Any, number: float) -> None:
        """v_j += x_j sum_r coefficient_r g(j, r)."""
        for i in range(row.start, row.stop):
            j = int(row.indices[i])
            self.vector[j] += float(row.data[i]) * gated_sum(self.gates, j, coefficients, self.labels, self.shift)

    def after(self, row: Any, task: Any, truth: Any, labels: int) -> None:
        """The round is over: gates that are learnt take in the row and its labels."""
        for r in range(labels):
            if task.is_relevant(truth, r):
                self.gates.filed(row, r)
        self.gates.ended(row)

    def metric(self, row: Any, q: float) -> BetweenGates:
        """Every label has an instance of its own."""
        return BetweenGates(row, self.gates, self.labels, self.shift)

    def prefetch(self, row: Any) -> None:
        """Ask for the weights of a row to come, and for its gates."""
        row.prefetch(self.vector, 1)
        self.gates.prefetch(row)


@native
class Both(NamedTuple):
    """The metric of two spaces together: norms add."""

    one: Any
    other: Any

    def sq_norm(self, constraint: Any) -> float:
        """||z||²."""
        return float(self.one.sq_norm(constraint)) + float(self.other.sq_norm(constraint))

    def inner(self, a: Any, b: Any) -> float:
        """The inner product of two constraints' instances."""
        return float(self.one.inner(a, b)) + float(self.other.inner(a, b))

    def sq_move(self, coefficients: Any, first: int, lanes: int) -> float:
        """||sum_j lambda_j z_j||²."""
        return float(self.one.sq_move(coefficients, first, lanes)) + float(
            self.other.sq_move(coefficients, first, lanes)
        )


@native
class SharedLanes(NamedTuple):
    """v . Phi(x, r) + w_r . x: what labels share, and what each has for itself."""

    prototypes: Any
    joint: Any

    def begin(self, row: Any) -> None:
        """Settle the intercept, which belongs to the labels' own vectors: among Phi it would cancel."""
        self.prototypes.begin(row)

    def begun(self) -> float:
        """What `begin_not` is told."""
        return float(self.prototypes.begun())

    def begin_not(self, row: Any, before: float) -> None:
        """Be again as before the row that turned out bad."""
        self.prototypes.begin_not(row, before)

    def score(self, row: Any, scores: Any) -> float:
        """Both scores, added; a bound of all squared norms."""
        q = self.prototypes.score(row, scores)
        self.joint.add_scores(row, scores)
        return max(float(q), self.joint.bound(row))

    def score_mean(self, row: Any, scores: Any, scratch: Any, number: float) -> float:
        """A joint vector is not averaged."""
        return self.score(row, scores)

    def move(self, row: Any, coefficients: Any, number: float) -> None:
        """Both move."""
        self.joint.move(row, coefficients, number)
        self.prototypes.move(row, coefficients, number)

    def after(self, row: Any, task: Any, truth: Any, labels: int) -> None:
        """The round is over."""
        self.joint.after(row, task, truth, labels)

    def metric(self, row: Any, q: float) -> Both:
        """Norms add: ||x||² + b² in each of two lanes, and that of Phi."""
        b = intercept_value(self.prototypes.state)
        return Both(Alike(float(row.sq_norm()) + b * b), self.joint.metric(row, q))

    def prefetch(self, row: Any) -> None:
        """Ask for the weights of a row to come."""
        self.prototypes.prefetch(row)
        self.joint.prefetch(row)
