# SPDX-License-Identifier: BSD-3-Clause
"""The problem of a round of any constraints, solved to a relative duality gap of 1e-9.

With l_j = r_j - m_j (below 0 where a constraint holds with room to spare, which the move may use up) and the Gram
matrix G_ij = z_i . z_j, which may be singular, the dual of the round's problem ([SP06] 2, eq. 2) is

    max  lambda . l - 1/2 lambda' G lambda - give/2 (sum lambda)²    over  lambda >= 0,  sum lambda <= cap.

What is left of the cap is one more variable, of gradient 0. Two steps take turns:

- *a pair*: the variable of the highest gradient takes from the one where that gains most, all it may (the second-order
  working set of Fan, Chen and Lin 2005). This soon finds which constraints act, but not to many digits.
- *the face*: the best value on those that act, by a Cholesky factor; if a coefficient would fall below 0, up to there.

Each raises the dual value, and both stop when the gap says so. Rows of G are computed when a constraint first acts.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from hinge.focus import Share, add
from hinge.native import compiled, native

#: What is aimed at is less than what is promised, so that rounding leaves the promise true.
RELATIVE_GAP = 1e-10
#: So many turns, and one more a constraint, are taken at most: a round ends, whatever it poses. One or two is usual.
TURNS = 40
#: So many pairs move in a turn after the first: they bring in constraints that should act, too.
FEW = 16
#: What came of a step on a face: nothing, its best value, or a coefficient that became 0 on the way.
NOWHERE, SETTLED, BLOCKED = range(3)
#: The share of its diagonal that is added to G on a face, so that it can be factored where it is singular.
RIDGE = 1e-12
#: The price of slack for PA, which has none: so many times the move that any of the constraints would make alone. Where
#: no hypothesis meets all constraints of a round, the largest loss is then made the least there is.
DEAR = 1e7


@native
class Posed(NamedTuple):
    """The constraints of the round under way, and their inner products."""

    task: Any
    scores: Any
    first: int
    labels: int
    truth: Any
    metric: Any

    def constraint(self, j: int) -> Any:
        """The j-th."""
        return self.task.constraint(self.scores, self.first, self.labels, self.truth, j)

    def inner(self, i: int, j: int) -> float:
        """z_i . z_j."""
        return float(self.metric.inner(self.constraint(i), self.constraint(j)))


@native
class Memory(NamedTuple):
    """Room for the problem of a round: ``gram`` has the rows that ``known`` marks; ``gradient`` is l - G lambda."""

    gram: Any
    factor: Any
    losses: Any
    gradient: Any
    lambdas: Any
    direction: Any
    beside: Any
    active: Any
    known: Any


@native
class ExactAny(NamedTuple):
    """All constraints of a round act jointly, whatever they are.

    Without slack (PA), instances of zeros are left out: no move helps them. With PA1 the slack that they need is there
    for the others too: what is left of the cap is theirs.
    """

    margin: float
    memory: Memory

    def share(self, task: Any, step: Any, scores: Any, first: int, labels: int, truth: Any, prediction: Any, worst: Any,
              metric: Any, weight: float, coefficients: Any) -> Share:  # fmt: skip
        """Write the move's coefficients and tell what it was."""
        memory = self.memory
        posed = Posed(task, scores, first, labels, truth, metric)
        count = task.posed(labels, truth)
        cap, give = step.cap(weight), step.give(weight)
        most, movable, idle, dear = 0.0, 0, 0.0, 0.0
        for j in range(count):
            constraint = posed.constraint(j)
            loss = self.margin * constraint.required - constraint.margin
            norm = posed.inner(j, j)
            takes_part = norm > 0 or give > 0
            if norm > 0:
                movable += 1
                dear = max(dear, loss / norm)
            if takes_part:
                most = max(most, loss)
            elif math.isfinite(cap):
                idle = max(idle, loss)
            memory.gram[j, j] = norm + give
            memory.losses[j] = loss if takes_part else -math.inf
            memory.lambdas[j], memory.known[j] = 0.0, 0
        if movable == 0 or not max(most, idle) > 0:
            return Share(0.0, 0.0)
        for j in range(count):
            memory.losses[j] -= idle
            memory.gradient[j] = memory.losses[j]
        capped = math.isfinite(cap)
        total = solve(posed, memory, count, cap if capped or give > 0 else DEAR * dear, give, capped)
        gain = 0.5 * give * total * total
        for j in range(count):
            tau = memory.lambdas[j]
            if tau > 0:
                gain += 0.5 * tau * (memory.losses[j] + memory.gradient[j])
                add(coefficients, first, posed.constraint(j), tau)
        return Share(cap, gain + idle * cap) if idle > 0 else Share(total, gain)


def memory_for(constraints: int) -> Memory:
    """Room for rounds of up to so many constraints."""
    square, line = (constraints, constraints), constraints
    return Memory(
        np.zeros(square), np.zeros(square), np.zeros(line), np.zeros(line), np.zeros(line), np.zeros(line),
        np.zeros(line), np.zeros(line, np.int64), np.zeros(line, np.uint8),
    )  # fmt: skip


@compiled
def solve(posed: Any, memory: Any, count: int, cap: float, give: float, capped: bool) -> float:
    """Raise the coefficients, all 0 and their gradients known, to the solution; their sum."""
    total, pairs = 0.0, 2 * count + 8
    for _ in range(TURNS + count):
        moved = False
        for pair in range(1, pairs + 1):
            after = _pair(posed, memory, count, cap, give, total)
            if after < 0:
                break
            moved, total = True, after
            if pair % 8 == 0 and relative_gap(memory, count, cap, give, total, capped) <= RELATIVE_GAP:
                break  # the face adds what digits are left
        pairs = FEW
        how = BLOCKED
        while how == BLOCKED:  # each time one constraint fewer acts
            how, total = _face(memory, count, cap, total)
            moved = moved or how != NOWHERE
        if relative_gap(memory, count, cap, give, total, capped) <= RELATIVE_GAP or not moved:
            return total
    return total


@compiled
def relative_gap(memory: Any, count: int, cap: float, give: float, total: float, capped: bool) -> float:
    """(primal value - dual value) / primal value, of the round's problem after the move that there is now.

    Where there is no cap, of the problem with a cap of twice the coefficients' sum, which has the same solution.
    """
    gradients, losses, top = 0.0, 0.0, -math.inf
    for j in range(count):
        top = max(top, memory.gradient[j])
        if memory.lambdas[j] > 0:
            gradients += memory.lambdas[j] * memory.gradient[j]
            losses += memory.lambdas[j] * memory.losses[j]
    if give > 0:
        top = max(top, -give * total)
        gap = top * total + 0.5 * top * top / give - gradients
    else:
        price = cap if capped or total > 0.5 * cap else 2.0 * total
        gap = price * max(0.0, top) - gradients
    primal = 0.5 * (losses + gradients) + gap
    return gap / primal if primal > 0 else 0.0 if top <= 0 else 1.0


@compiled
def _know(posed: Any, memory: Any, count: int, give: float, i: int) -> None:
    """Compute row i of the Gram matrix, unless it is known."""
    if memory.known[i] == 0:
        memory.known[i] = 1
        for j in range(count):
            if j != i:
                other = memory.known[j] != 0
                memory.gram[i, j] = memory.gram[j, i] if other else posed.inner(i, j) + give


@compiled
def _pair(posed: Any, memory: Any, count: int, cap: float, give: float, total: float) -> float:
    """Move along one pair of variables: the new sum of the coefficients, -1 where no pair gains anything."""
    gram, gradient, lambdas = memory.gram, memory.gradient, memory.lambdas
    up, high = -1, 0.0
    for j in range(count):
        if gradient[j] > high:
            up, high = j, gradient[j]
    down, best, step = -2, 0.0, 0.0
    bend = 0.0
    if up >= 0:
        _know(posed, memory, count, give, up)
        if total < cap:
            bend = gram[up, up]
            room = cap - total
            move = room if high >= bend * room else high / bend
            down, best, step = -1, move * (high - 0.5 * move * bend), move
    for i in range(count):
        if lambdas[i] > 0 and gradient[i] < high:
            slope = high - gradient[i]
            bend = gram[i, i] if up < 0 else gram[up, up] + gram[i, i] - 2.0 * gram[up, i]
            move = lambdas[i] if slope >= bend * lambdas[i] else slope / bend
            gain = move * (slope - 0.5 * move * bend)
            if gain > best:
                down, best, step = i, gain, move
    if not best > 0:
        return -1.0
    if up >= 0:
        lambdas[up] += step
        for j in range(count):
            gradient[j] -= step * gram[up, j]
    if down >= 0:
        lambdas[down] = max(0.0, lambdas[down] - step)
        for j in range(count):
            gradient[j] += step * gram[down, j]
    if down == -1:
        return min(cap, total + step)
    return max(0.0, total - step) if up < 0 else total


@compiled
def _face(memory: Any, count: int, cap: float, total: float) -> Any:
    """Move to the best value on the constraints that act, as far as that goes: (what came of it, the new sum)."""
    gram, gradient, lambdas = memory.gram, memory.gradient, memory.lambdas
    direction, beside, active = memory.direction, memory.beside, memory.active
    size = 0
    for j in range(count):
        if lambdas[j] > 0:
            active[size] = j
            size += 1
    if size == 0:
        return NOWHERE, total
    across, level = 0.0, 0.0
    at_cap = total >= cap * (1.0 - 1e-12)
    if at_cap:  # and there it stays, unless the best value there says that less would be better
        lift = 0.0
        for a in range(size):
            lift = max(lift, gram[active[a], active[a]])
        _factor(memory, size, lift)
        whole = 0.0
        for a in range(size):
            direction[a], beside[a] = gradient[active[a]], 1.0
        _solve_with_factor(memory.factor, direction, size)
        _solve_with_factor(memory.factor, beside, size)
        for a in range(size):
            across += direction[a]
            whole += beside[a]
        level, across = across / whole, 0.0
        at_cap = level >= 0
        for a in range(size):
            direction[a] -= level * beside[a]
    if not at_cap:
        level = 0.0
        _factor(memory, size, 0.0)
        for a in range(size):
            direction[a] = gradient[active[a]]
        _solve_with_factor(memory.factor, direction, size)
        for a in range(size):
            across += direction[a]
    slope, bend, rounding = 0.0, 0.0, 0.0
    for a in range(size):
        rest = gradient[active[a]] - level
        slope += direction[a] * rest
        product, terms = 0.0, abs(memory.losses[active[a]])
        for b in range(size):
            product += gram[active[a], active[b]] * direction[b]
            terms += abs(gram[active[a], active[b]]) * lambdas[active[b]]
        bend += direction[a] * product
        rounding = max(rounding, abs(rest) / terms)
    if not (slope > 0 and rounding > 1e-15):  # what is less than rounding says nothing
        return NOWHERE, total
    how = SETTLED
    step = slope / bend if bend > 0 else math.inf
    if across * step > cap - total:
        step = (cap - total) / across
    for a in range(size):
        if lambdas[active[a]] + step * direction[a] < 0:
            how, step = BLOCKED, -lambdas[active[a]] / direction[a]
    if not (step > 0 and math.isfinite(step)):
        return NOWHERE, total
    total = 0.0
    for a in range(size):
        after = lambdas[active[a]] + step * direction[a]
        lambdas[active[a]] = after if after > 1e-15 * lambdas[active[a]] else 0.0
        total += lambdas[active[a]]
    for j in range(count):
        gradient[j] = memory.losses[j]
    for a in range(size):
        for j in range(count):
            gradient[j] -= lambdas[active[a]] * gram[active[a], j]
    if total > cap:  # by rounding
        share = cap / total
        for j in range(count):
            lambdas[j] *= share
            gradient[j] = share * gradient[j] + (1.0 - share) * memory.losses[j]
        total = cap
    return how, total


@compiled
def _factor(memory: Any, size: int, lift: float) -> None:
    """The Cholesky factor of G on the constraints that act, with a little added to its diagonal.

    With ``lift`` added to all of it, which says nothing to moves that keep the sum: G itself may be singular where the
    problem with the sum given is not.
    """
    gram, factor, active = memory.gram, memory.factor, memory.active
    for a in range(size):
        for b in range(a + 1):
            rest = gram[active[a], active[b]] + lift - _product(factor, a, b, b)
            if b < a:
                factor[a, b] = rest / factor[b, b]
            else:
                ridge = RIDGE * (gram[active[a], active[a]] + lift)
                factor[a, a] = math.sqrt(max(rest + ridge, ridge))


@compiled(inline=True)
def _product(rows: Any, a: int, b: int, size: int) -> float:
    """The product of the beginnings of two rows: four sums in turn, so that none waits for the one before."""
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    whole = size // 4 * 4
    for c in range(0, whole, 4):
        s0 += rows[a, c] * rows[b, c]
        s1 += rows[a, c + 1] * rows[b, c + 1]
        s2 += rows[a, c + 2] * rows[b, c + 2]
        s3 += rows[a, c + 3] * rows[b, c + 3]
    for c in range(whole, size):
        s0 += rows[a, c] * rows[b, c]
    return (s0 + s1) + (s2 + s3)


@compiled
def _solve_with_factor(factor: Any, right: Any, size: int) -> None:
    """Solve L L' x = right, in place."""
    for a in range(size):
        for c in range(a):
            right[a] -= factor[a, c] * right[c]
        right[a] /= factor[a, a]
    for a in range(size - 1, -1, -1):
        for c in range(a + 1, size):
            right[a] -= factor[c, a] * right[c]
        right[a] /= factor[a, a]
