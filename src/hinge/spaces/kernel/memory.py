# SPDX-License-Identifier: BSD-3-Clause
"""The kernel space, compiled: rounds of one block of rows, whose kernel values were computed beforehand.

A row is its number in the block. `Growing` keeps every support: the scores of the block's rows by the supports from
before are known, and what the block itself adds is patched in. `Bounded` has a budget, which may change any coefficient
in any round: it keeps the block's kernel values with all supports, a *slot* each, and scores anew.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hinge.focus import Alike
from hinge.native import native

# What the state of a bounded memory holds.
(COUNT, MOVES, DAMAGE, LOST, HEAD, CHUNK_AT, CHUNK_STOP, ARRIVALS, GIVEN_UP, RANDOM) = range(10)
STATE = 10
#: The random numbers of Park and Miller ("minimal standard"): exact in 64 bits, the same in plain Python.
MULTIPLIER, MODULUS = 48271, 2**31 - 1


@native
class Growing(NamedTuple):
    """Every move is a support. Where the mean hypothesis is wanted there are as many lanes again, for every
    coefficient times the number of its round.
    """

    base: Any  # the scores of the block's rows by the supports from before
    gram: Any  # K(x, x') of the block's rows
    diagonal: Any  # K(x, x)
    fresh: Any  # the coefficients of the supports from this block
    places: Any  # which of its rows they are
    state: Any  # how many

    def begin(self, row: int) -> None:
        """Nothing is settled by a first row."""

    def begun(self) -> float:
        """What `begin_not` is told."""
        return 0.0

    def begin_not(self, row: int, before: float) -> None:
        """Nothing has begun."""

    def score(self, row: int, scores: Any) -> float:
        """f(x) for all lanes; K(x, x)."""
        self._lanes(row, scores, 0)
        return float(self.diagonal[row])

    def score_mean(self, row: int, scores: Any, scratch: Any, number: float) -> float:
        """As `score`, for the mean of the hypotheses of the ``number`` rounds so far."""
        self._lanes(row, scratch, scores.size)
        q = self.score(row, scores)
        for lane in range(scores.size):
            scores[lane] -= scratch[lane] / scores.dtype.type(number)
            scratch[lane] = 0
        return q

    def _lanes(self, row: int, scores: Any, first: int) -> None:
        for lane in range(scores.size):
            scores[lane] = self.base[row, first + lane]
        for s in range(self.state[0]):
            value = self.gram[row, self.places[s]]
            for lane in range(scores.size):
                scores[lane] += value * self.fresh[s, first + lane]

    def move(self, row: int, coefficients: Any, number: float) -> None:
        """Another support."""
        s = self.state[0]
        lanes = coefficients.size
        self.places[s] = row
        for lane in range(lanes):
            self.fresh[s, lane] = coefficients[lane]
        if self.fresh.shape[1] > lanes:
            for lane in range(lanes):
                self.fresh[s, lanes + lane] = coefficients[lane] * coefficients.dtype.type(number)
        self.state[0] = s + 1

    def metric(self, row: Any, q: float) -> Alike:
        """Every constraint's instance is K(x, .)."""
        return Alike(q)

    def after(self, row: int, task: Any, truth: Any, labels: int) -> None:
        """A round leaves nothing else behind."""

    def prefetch(self, row: int) -> None:
        """What a row needs lies near already."""

    def waits(self) -> bool:
        """Never."""
        return False

    def gave_up(self) -> bool:
        """Nothing is ever given up."""
        return False

    def nudging(self) -> bool:
        """Whether there are moves in rounds in which the step has none."""
        return False

    def nudge(self, row: int, up: int, down: int, loss: float, weight: float) -> None:
        """Only a budget has more moves than the step."""


@native
class Memory(NamedTuple):
    """Supports in slots, and what the block's rows have to do with them."""

    values: Any  # K(x, x_i) of the block's rows and the slots
    gram: Any  # K(x, x') of the block's rows
    diagonal: Any  # K(x, x)
    alphas: Any  # the coefficients, a row a slot
    sq_norms: Any  # K(x_i, x_i)
    born: Any  # which arrival it was
    owner: Any  # the row of the block that came into the slot, or -1
    oldest: Any  # Forgetron: K(x_r, x_i), r the next ones to go
    factor: Any  # Projectron: the Cholesky factor of the supports' Gram matrix
    solved: Any
    state: Any
    rows: Any  # how many rows the block has

    def add(self, row: int, coefficients: Any) -> None:
        """A support in a slot of its own."""
        slot = int(self.state[COUNT])
        self.state[COUNT] += 1
        self.put(slot, row, coefficients)

    def put(self, slot: int, row: int, coefficients: Any) -> None:
        """A support in place of what was in a slot."""
        for lane in range(coefficients.size):
            self.alphas[slot, lane] = coefficients[lane]
        self.sq_norms[slot] = self.diagonal[row]
        self.born[slot] = self.state[ARRIVALS]
        self.state[ARRIVALS] += 1
        self.owner[slot] = row
        self.values[row, slot] = self.diagonal[row]
        for later in range(row + 1, self.rows[0]):
            self.values[later, slot] = self.gram[later, row]


@native
class Bounded(NamedTuple):
    """A budget decides what becomes of a move."""

    memory: Any
    budget: Any

    def begin(self, row: int) -> None:
        """Nothing is settled by a first row."""

    def begun(self) -> float:
        """What `begin_not` is told."""
        return 0.0

    def begin_not(self, row: int, before: float) -> None:
        """Nothing has begun."""

    def score(self, row: int, scores: Any) -> float:
        """f(x) for all lanes; K(x, x)."""
        memory = self.memory
        for lane in range(scores.size):
            scores[lane] = 0
        for i in range(int(memory.state[COUNT])):
            value = memory.values[row, i]
            for lane in range(scores.size):
                scores[lane] += value * memory.alphas[i, lane]
        return float(memory.diagonal[row])

    def score_mean(self, row: int, scores: Any, scratch: Any, number: float) -> float:
        """The mean of all hypotheses would need every support there ever was: learners refuse it."""
        return self.score(row, scores)

    def move(self, row: int, coefficients: Any, number: float) -> None:
        """As the budget says."""
        self.budget.move(self.memory, row, coefficients)

    def metric(self, row: Any, q: float) -> Alike:
        """Every constraint's instance is K(x, .)."""
        return Alike(q)

    def after(self, row: int, task: Any, truth: Any, labels: int) -> None:
        """A round leaves nothing else behind."""

    def prefetch(self, row: int) -> None:
        """What a row needs lies near already."""

    def waits(self) -> bool:
        """Whether kernel values among the supports are needed first."""
        return self.budget.waits(self.memory)

    def gave_up(self) -> bool:
        """Whether the hypothesis is no longer the sum of all moves: then the dual value no longer grows."""
        return self.memory.state[GIVEN_UP] > 0

    def nudging(self) -> bool:
        """Whether there are moves in rounds in which the step has none."""
        return self.budget.nudging()

    def nudge(self, row: int, up: int, down: int, loss: float, weight: float) -> None:
        """A round with a loss in which the step did not move."""
        self.budget.nudge(self.memory, row, up, down, loss, weight)
