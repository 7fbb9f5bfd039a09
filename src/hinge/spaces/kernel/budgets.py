# SPDX-License-Identifier: BSD-3-Clause
"""Budgets: what becomes of a move alpha K(x, .) where supports must stay few ([OL] 5).

A memory of B supports can compete only with hypotheses of ||u||² <= B. The theory of all but `BudgetPA` is that of the
Perceptron with eta = 1 and K(x, x) <= 1; they work with every step and task.

A budget has ``move(memory, row, coefficients)``; ``waits(memory)`` says that it cannot move before the engine has
computed kernel values among the supports, and ``nudge`` moves in rounds in which the step did not.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from hinge.native import native
from hinge.spaces.kernel.memory import (
    CHUNK_AT,
    CHUNK_STOP,
    COUNT,
    DAMAGE,
    GIVEN_UP,
    HEAD,
    LOST,
    MODULUS,
    MOVES,
    MULTIPLIER,
    RANDOM,
)

__all__ = ["BudgetPA", "Forgetron", "Projectron", "ProjectronPlus", "RandomBudget"]

#: The share of a Forgetron's moves that its damage may not exceed.
ALLOWANCE = 15 / 32


@native
class RandomBudget(NamedTuple):
    """Randomized Budget Perceptron ([OL] 5): where the memory is full, a support chosen at random makes room.

    ``seed`` begins the random numbers, 1 to 2^31 - 2.

    >>> import hinge
    >>> clf = hinge.Classifier(hinge.Perceptron(), space=hinge.Kernel("rbf", budget=hinge.RandomBudget(2)))
    >>> clf.partial_fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]).support_.shape
    (2, 1)
    """

    size: int
    seed: int = 1

    def move(self, memory: Any, row: int, coefficients: Any) -> None:
        """Another support, in place of one of those there are."""
        state = memory.state
        if state[COUNT] < self.size:
            memory.add(row, coefficients)
            return
        state[RANDOM] = int(state[RANDOM]) * MULTIPLIER % MODULUS
        memory.put(int(state[RANDOM]) * self.size // MODULUS, row, coefficients)
        state[GIVEN_UP] = 1.0

    def waits(self, memory: Any) -> bool:
        """Never."""
        return False

    def nudging(self) -> bool:
        """The step's moves are all there are."""
        return False

    def nudge(self, memory: Any, row: int, up: int, down: int, loss: float, weight: float) -> None:
        """Rounds without a move of the step's have none."""


@native
class Forgetron(NamedTuple):
    """The self-tuned Forgetron (Dekel, Shalev-Shwartz and Singer, SIAM J. Computing 37, 2008).

    A move adds its support. If there are more than ``size`` now, the oldest, r, is dropped after the hypothesis was
    shrunk by phi, which does the damage Psi(phi) = (phi lambda)² + 2 phi lambda - 2 phi² lambda mu, with lambda the
    size of r's coefficient and mu = y_r f(x_r). phi is the largest in (0, 1] that keeps the damage of all drops within
    15/32 of the moves so far. With several lanes lambda is the largest of r's coefficients in size, and lambda mu
    their product with the scores of x_r.
    """

    size: int

    def move(self, memory: Any, row: int, coefficients: Any) -> None:
        """Another support; the oldest is forgotten."""
        state, alphas = memory.state, memory.alphas
        state[MOVES] += 1
        if state[COUNT] < self.size:
            memory.add(row, coefficients)
            return
        head, at = int(state[HEAD]), int(state[CHUNK_AT])
        largest, product = 0.0, 0.0
        for lane in range(alphas.shape[1]):
            alpha = float(alphas[head, lane])
            if alpha != 0:
                largest = max(largest, abs(alpha))
                score = float(coefficients[lane]) * float(memory.values[row, head])
                for i in range(self.size):
                    score += float(alphas[i, lane]) * float(memory.oldest[at, i])
                product += alpha * score
        a, b = largest * largest - 2.0 * product, 2.0 * largest
        left = ALLOWANCE * state[MOVES] - state[DAMAGE]
        phi = 1.0
        if a + b > left:
            phi = 2.0 * left / (b + math.sqrt(max(0.0, b * b + 4.0 * a * left)))
        state[DAMAGE] += (a * phi + b) * phi
        shrink = alphas.dtype.type(phi)
        for lane in range(alphas.shape[1]):
            coefficients[lane] *= shrink
            for i in range(self.size):
                alphas[i, lane] *= shrink
        memory.put(head, row, coefficients)
        for later in range(at + 1, int(state[CHUNK_STOP])):
            memory.oldest[later, head] = memory.values[row, (head + later - at) % self.size]
        state[HEAD] = (head + 1) % self.size
        state[CHUNK_AT] = at + 1
        state[GIVEN_UP] = 1.0

    def waits(self, memory: Any) -> bool:
        """Full, and without the kernel values of the oldest."""
        return bool(memory.state[COUNT] >= self.size and memory.state[CHUNK_AT] >= memory.state[CHUNK_STOP])

    def nudging(self) -> bool:
        """The step's moves are all there are."""
        return False

    def nudge(self, memory: Any, row: int, up: int, down: int, loss: float, weight: float) -> None:
        """Rounds without a move of the step's have none."""


@native
class BudgetPA(NamedTuple):
    """Budgeted Passive-Aggressive, BPA-S (Wang and Vucetic, AISTATS 2010): for the steps PA, PA1 and PA2.

    PA's problem with one constraint more, that a support r goes: w_t - alpha_r K(x_r, .) + beta K(x, .), solved by
    beta = tau y + alpha_r K(x_r, x) / K(x, x). Of all supports that one goes, the first of equals, of which least is
    lost, ||alpha_r||² (K(x_r, x_r) - K(x_r, x)² / K(x, x)).
    """

    size: int

    def move(self, memory: Any, row: int, coefficients: Any) -> None:
        """Another support, which takes on what it can of the one that goes."""
        state, alphas = memory.state, memory.alphas
        if state[COUNT] < self.size:
            memory.add(row, coefficients)
            return
        own = float(memory.diagonal[row])
        goes, least = 0, math.inf
        for i in range(self.size):
            shared = float(memory.values[row, i])
            loss = 0.0
            for lane in range(alphas.shape[1]):
                loss += float(alphas[i, lane]) * float(alphas[i, lane])
            loss *= float(memory.sq_norms[i]) - shared * shared / own
            if loss < least or (loss == least and memory.born[i] < memory.born[goes]):
                goes, least = i, loss
        share = alphas.dtype.type(float(memory.values[row, goes]) / own)
        for lane in range(alphas.shape[1]):
            coefficients[lane] += share * alphas[goes, lane]
        memory.put(goes, row, coefficients)
        state[GIVEN_UP] = 1.0

    def waits(self, memory: Any) -> bool:
        """Never."""
        return False

    def nudging(self) -> bool:
        """The step's moves are all there are."""
        return False

    def nudge(self, memory: Any, row: int, up: int, down: int, loss: float, weight: float) -> None:
        """Rounds without a move of the step's have none."""


class Projectron(NamedTuple):
    """Projectron (Orabona, Keshet and Caputo, JMLR 10, 2009): what supports can nearly express is left to them.

    d = G^-1 k, G the Gram matrix of the supports and k_i = K(x_i, x), gives the nearest they come to K(x, .), at a
    distance of ||delta||, ||delta||² = K(x, x) - k.d. If it is at most ``eta``, every alpha_i grows by d_i alpha;
    else x becomes a support. Once there are ``size`` supports every move is projected. Memory: supports² numbers more.
    """

    size: int | None = None
    eta: float = 0.1

    def ready(self, dtype: Any) -> Any:
        """What moves."""
        return Projecting(self.size or 0, float(self.eta), 0, rounding_of(dtype))


class ProjectronPlus(NamedTuple):
    """Projectron++ (Orabona, Keshet and Caputo, JMLR 10, 2009): rounds with a loss but no mistake move as well.

    As `Projectron`; and where the step does not move but there is a loss l > ||delta|| / eta, the supports take up
    tau d, tau = min(l / p, 2 (l - ||delta|| / eta) / p, 1) times the importance weight, p = K(x, x) - ||delta||².
    """

    size: int | None = None
    eta: float = 0.1

    def ready(self, dtype: Any) -> Any:
        """What moves."""
        return Projecting(self.size or 0, float(self.eta), 1, rounding_of(dtype))


def rounding_of(dtype: Any) -> float:
    """Rows of which no greater share of K(x, x) is left are spanned by the supports, but for rounding."""
    return 1e-9 if np.dtype(dtype) == np.float64 else 1e-5


@native
class Projecting(NamedTuple):
    """Both Projectrons, compiled. G = L L' is kept as L: v = L^-1 k, d = L'^-1 v, ||delta||² = K(x, x) - v.v."""

    size: int
    eta: float
    nudges: int
    rounding: float

    def move(self, memory: Any, row: int, coefficients: Any) -> None:
        """Another support, or a move of those there are."""
        state = memory.state
        state[MOVES] += 1
        n = int(state[COUNT])
        squared = self.project(memory, row)
        delta = math.sqrt(squared)
        full = self.size > 0 and n >= self.size
        if not (full or delta <= self.eta or squared <= self.rounding * float(memory.diagonal[row])):
            for i in range(n):
                memory.factor[n, i] = memory.solved[0, i]
            memory.factor[n, n] = delta
            memory.add(row, coefficients)
            return
        if squared > self.rounding * float(memory.diagonal[row]):
            state[GIVEN_UP] = 1.0
        state[LOST] = max(state[LOST], delta)
        self.solve(memory)
        alphas = memory.alphas
        for i in range(n):
            share = alphas.dtype.type(memory.solved[1, i])
            for lane in range(alphas.shape[1]):
                alphas[i, lane] += share * coefficients[lane]

    def project(self, memory: Any, row: int) -> float:
        """||delta||²; v is left in ``solved[0]``."""
        v, factor = memory.solved, memory.factor
        left = float(memory.diagonal[row])
        for i in range(int(memory.state[COUNT])):
            value = float(memory.values[row, i])
            for j in range(i):
                value -= factor[i, j] * v[0, j]
            v[0, i] = value / factor[i, i]
            left -= v[0, i] * v[0, i]
        return max(0.0, left)

    def solve(self, memory: Any) -> None:
        """Make d of v, in ``solved[1]``."""
        d, factor = memory.solved, memory.factor
        n = int(memory.state[COUNT])
        for i in range(n):
            d[1, i] = d[0, i]
        for i in range(n - 1, -1, -1):
            d[1, i] /= factor[i, i]
            for j in range(i):
                d[1, j] -= d[1, i] * factor[i, j]

    def waits(self, memory: Any) -> bool:
        """Never."""
        return False

    def nudging(self) -> bool:
        """Whether there are moves in rounds in which the step has none."""
        return self.nudges > 0

    def nudge(self, memory: Any, row: int, up: int, down: int, loss: float, weight: float) -> None:
        """Projectron++ in a round with a loss and no move; ``up`` and ``down`` are lanes, or -1."""
        if memory.state[COUNT] == 0:
            return
        squared = self.project(memory, row)
        lanes = float(int(up >= 0) + int(down >= 0))
        p = lanes * (float(memory.diagonal[row]) - squared)
        room = loss - math.sqrt(lanes * squared) / self.eta
        if not (room > 0 and p > 0):
            return
        tau = weight * min(loss / p, 2.0 * room / p, 1.0)
        self.solve(memory)
        memory.state[GIVEN_UP] = 1.0
        alphas = memory.alphas
        for i in range(int(memory.state[COUNT])):
            share = alphas.dtype.type(tau * memory.solved[1, i])
            if up >= 0:
                alphas[i, up] += share
            if down >= 0:
                alphas[i, down] -= share


BUDGETS = (RandomBudget, Forgetron, Projectron, ProjectronPlus, BudgetPA)


def check_budget(budget: Any) -> None:
    """Raise a clear error unless ``budget`` is None or a budget of fitting numbers."""
    if budget is None:
        return
    if isinstance(budget, type) and budget in BUDGETS:
        raise TypeError(f"budget is the class {budget.__name__}; an instance was expected: {budget.__name__}(size=...)")
    if not isinstance(budget, BUDGETS):
        known = ", ".join(f"hinge.{kind.__name__}" for kind in BUDGETS)
        raise TypeError(f"budget must be None or one of {known}, got {budget!r}")
    sizes_optional = isinstance(budget, (Projectron, ProjectronPlus))
    size = budget.size
    if not (size is None and sizes_optional):
        if isinstance(size, bool) or not isinstance(size, (int, np.integer)):
            raise TypeError(f"{budget!r}: size must be a whole number from 1 on, got {size!r}")
        if size < 1:
            raise ValueError(f"{budget!r}: size must be a whole number from 1 on, got {size!r}")
    if isinstance(budget, (Projectron, ProjectronPlus)):
        eta = budget.eta
        if isinstance(eta, bool) or not isinstance(eta, (int, float, np.number)):
            raise TypeError(f"{budget!r}: eta must be a number, got {eta!r}")
        if not 0 <= eta < math.inf or (eta == 0 and isinstance(budget, ProjectronPlus)):
            least = "above 0" if isinstance(budget, ProjectronPlus) else "not negative"
            raise ValueError(f"{budget!r}: eta must be finite and {least}, got {eta!r}")
    if isinstance(budget, RandomBudget):
        seed = budget.seed
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
            raise TypeError(f"{budget!r}: seed must be a whole number, got {seed!r}")
        if not 1 <= seed < MODULUS:
            raise ValueError(f"{budget!r}: seed must be from 1 to {MODULUS - 1}, got {seed!r}")
