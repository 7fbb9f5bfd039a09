# SPDX-License-Identifier: BSD-3-Clause
"""Rounds that are matrices: several sparse rows at once, each an instance of one hypothesis ([SP06] 2)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hinge.native import native
from hinge.rows import SparseRow


@native
class Block(NamedTuple):
    """The instances of one round: rows ``first`` to ``first + instances`` of a CSR matrix."""

    data: Any
    indices: Any
    indptr: Any
    first: int
    instances: int

    def instance(self, j: int) -> SparseRow:
        """The j-th of them."""
        place = self.first + j
        return SparseRow(self.data, self.indices, int(self.indptr[place]), int(self.indptr[place + 1]))

    def sq_norm(self) -> float:
        """The largest squared norm among them; not finite if any is not."""
        largest = 0.0
        for j in range(self.instances):
            q = float(self.instance(j).sq_norm())
            if not q <= largest:
                largest = q
        return largest

    def inner(self, i: int, j: int) -> float:
        """The inner product of two instances."""
        data, indices = self.data, self.indices
        a, b = int(self.indptr[self.first + i]), int(self.indptr[self.first + j])
        last_a, last_b = int(self.indptr[self.first + i + 1]), int(self.indptr[self.first + j + 1])
        total = 0.0
        while a < last_a and b < last_b:
            if indices[a] == indices[b]:
                total += float(data[a]) * float(data[b])
                a += 1
                b += 1
            elif indices[a] < indices[b]:
                a += 1
            else:
                b += 1
        return total


@native
class Blocks(NamedTuple):
    """Round t has the rows ``rounds[t]`` to ``rounds[t + 1]`` of a CSR matrix."""

    data: Any
    indices: Any
    indptr: Any
    rounds: Any
    width: int

    def row(self, t: int) -> Block:
        """The instances of round t."""
        first = int(self.rounds[t])
        return Block(self.data, self.indices, self.indptr, first, int(self.rounds[t + 1]) - first)

    def first_irregular(self, start: int, stop: int) -> int:
        """The first round with a row whose indices do not ascend within the width; ``stop`` if there is none."""
        for t in range(start, stop):
            block = self.row(t)
            for j in range(block.instances):
                if not block.instance(j).regular(self.width):
                    return t
        return stop


@native
class Between(NamedTuple):
    """The metric of instances: z is that of lane ``up`` less that of lane ``down``."""

    block: Any
    norms: Any
    scratch: Any

    def sq_norm(self, constraint: Any) -> float:
        """||z||²."""
        up, down = constraint.up, constraint.down
        if up < 0:
            return float(self.norms[down]) if down >= 0 else 0.0
        if down < 0:
            return float(self.norms[up])
        return max(0.0, float(self.norms[up]) + float(self.norms[down]) - 2.0 * self.block.inner(up, down))

    def inner(self, one: Any, other: Any) -> float:
        """The inner product of two constraints' instances."""
        total = 0.0
        if one.up >= 0:
            total += self._against(one.up, other)
        if one.down >= 0:
            total -= self._against(one.down, other)
        return total

    def _against(self, j: int, other: Any) -> float:
        total = 0.0
        if other.up >= 0:
            total += self.block.inner(j, other.up)
        if other.down >= 0:
            total -= self.block.inner(j, other.down)
        return total

    def sq_move(self, coefficients: Any, first: int, lanes: int) -> float:
        """||sum_j lambda_j z_j||²: the move is written down beside the weights, measured, and wiped out."""
        block, scratch = self.block, self.scratch
        for j in range(block.instances):
            if coefficients[first + j] != 0:
                block.instance(j).add_to(scratch, float(coefficients[first + j]))
        total = 0.0
        for i in range(block.indptr[block.first], block.indptr[block.first + block.instances]):
            value = float(scratch[np.uint64(block.indices[i])])
            total += value * value
            scratch[np.uint64(block.indices[i])] = 0
        return total


@native
class Instances(NamedTuple):
    """The space of one hypothesis w that scores every instance of a round: s_j = w . x_j."""

    weights: Any
    norms: Any
    scratch: Any

    def begin(self, row: Any) -> None:
        """Nothing waits for a first row."""

    def begun(self) -> float:
        """What `begin_not` is told."""
        return 0.0

    def begin_not(self, row: Any, before: float) -> None:
        """Nothing has begun."""

    def score(self, row: Any, scores: Any) -> float:
        """w . x_j into the scores; the largest squared norm."""
        largest = 0.0
        for j in range(row.instances):
            score, q = row.instance(j).dot(self.weights)
            scores[j] = score
            self.norms[j] = q
            if not float(q) <= largest:
                largest = float(q)
        return largest

    def score_mean(self, row: Any, scores: Any, scratch: Any, number: float) -> float:
        """Hypotheses of matrices are not averaged."""
        return self.score(row, scores)

    def move(self, row: Any, coefficients: Any, number: float) -> None:
        """w += sum_j coefficient_j x_j."""
        for j in range(row.instances):
            if coefficients[j] != 0:
                row.instance(j).add_to(self.weights, float(coefficients[j]))

    def metric(self, row: Any, q: float) -> Between:
        """Every instance is itself."""
        return Between(row, self.norms, self.scratch)

    def after(self, row: Any, task: Any, truth: Any, labels: int) -> None:
        """The round is over; there is nothing to count."""

    def prefetch(self, row: Any) -> None:
        """A round is many rows: there is enough to wait for."""
