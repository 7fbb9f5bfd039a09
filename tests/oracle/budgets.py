# SPDX-License-Identifier: BSD-3-Clause
"""Bounded memory: what becomes of a move alpha K(x, .) where supports are few. Binary, or any number of lanes.

The theory of each but the last is that of the kernel Perceptron with eta = 1 and K(x, x) <= 1. A row with
``pick(size)`` -> index decides what RandomBudget drops, so that a test may choose it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from oracle.kernels import Supports


@dataclass
class RandomBudget:
    """Randomized Budget Perceptron ([OL] 5): if the memory is full, one of its supports is dropped; then x is added."""

    size: int
    pick: Callable[[int], int]

    def move(self, supports: Supports, x: np.ndarray, alpha: np.ndarray) -> None:
        if len(supports) == self.size:
            supports.remove(self.pick(self.size))
        supports.add(x, alpha)


@dataclass
class Forgetron:
    """The self-tuned Forgetron of Dekel, Shalev-Shwartz and Singer (SIAM J. Computing 37, 2008).

    Q_0 = 0; M counts the moves, which are the mistakes, this one included. A move adds its support: f'. If there are
    now more than B, let r be the oldest, lambda the size of its coefficient and mu = y_r f'(x_r). Dropping r from a
    hypothesis shrunk by phi, f'' = phi f', does the damage

        Psi(phi) = (phi lambda)^2 + 2 phi lambda - 2 (phi lambda) (phi mu)

    phi is the largest in (0, 1] with Q + Psi(phi) <= 15/32 M; then f'' = phi f', Q += Psi(phi), and r is dropped.
    phi = 1 if that will do; else, as Psi(phi) = a phi^2 + b phi with a = lambda^2 - 2 lambda mu and b = 2 lambda, it is
    the smaller positive root of a phi^2 + b phi = 15/32 M - Q, which is above 0 since M has just grown.

    With several lanes lambda is the largest entry of r's coefficients, lambda mu their product with the scores f'(x_r).
    """

    size: int
    damage: float = 0.0  # Q
    moves: int = 0  # M
    damages: list[float] = field(default_factory=list)  # Q after every move
    shrinks: list[float] = field(default_factory=list)  # phi of every drop

    def move(self, supports: Supports, x: np.ndarray, alpha: np.ndarray) -> None:
        self.moves += 1
        supports.add(x, alpha)
        if len(supports) > self.size:
            oldest = supports.alphas[0]
            lambda_ = np.abs(oldest).max()
            a = lambda_**2 - 2 * oldest @ supports.score(supports.rows[0], len(alpha))
            b = 2 * lambda_
            left = 15 / 32 * self.moves - self.damage
            phi = 1.0 if a + b <= left else 2 * left / (b + np.sqrt(b * b + 4 * a * left))
            self.damage += a * phi**2 + b * phi
            self.shrinks.append(phi)
            supports.alphas[:] = [phi * alpha for alpha in supports.alphas]
            supports.remove(0)
        self.damages.append(self.damage)


@dataclass
class Projectron:
    """Orabona, Keshet and Caputo (JMLR 10, 2009): a move that the supports can nearly express is left to them.

    P K(x, .) = sum_i d_i K(x_i, .) with d = G^-1 k, G the supports' Gram matrix and k_i = K(x_i, x);
    delta = P K(x, .) - K(x, .), ||delta||^2 = K(x, x) - k.d. If ||delta|| <= eta every alpha_i grows by d_i alpha, else
    x is added. eta bounds the distance of a row, whatever the move's size and the number of its lanes. ``size``: once
    there are as many supports, every move is projected. A row that they span to rounding is projected at any eta.
    """

    eta: float = 0.1
    size: int | None = None
    lost: list[float] = field(default_factory=list)  # ||delta|| of every projection

    def move(self, supports: Supports, x: np.ndarray, alpha: np.ndarray) -> None:
        d, delta = self.project(supports, x)
        full = self.size is not None and len(supports) >= self.size
        if full or delta <= self.eta or delta**2 <= 1e-9 * supports.K(x, x):
            self.lost.append(delta)
            spread(supports, d, alpha)
        else:
            supports.add(x, alpha)

    def project(self, supports: Supports, x: np.ndarray) -> tuple[np.ndarray, float]:
        k = np.array([supports.K(row, x) for row in supports.rows])
        d = np.linalg.lstsq(supports.gram(), k, rcond=None)[0] if len(k) else k
        return d, float(np.sqrt(max(0.0, supports.K(x, x) - k @ d)))


@dataclass
class ProjectronPlus(Projectron):
    """Projectron++: rounds with a margin in (0, 1) move as well, within the span of the supports.

    If l > ||delta|| / eta:  alpha_i += tau y d_i  with  tau = min(l / p, 2 (l - ||delta|| / eta) / p, 1) and
    p = ||P K(x, .)||^2; else nothing moves. With several lanes p and ||delta|| are those of the worst constraint's z:
    times ||z||^2 and ||z||. An importance weight multiplies tau, as it does the Perceptron's.
    """

    nudges: list[float] = field(default_factory=list)  # every tau above 0

    def nudge(self, supports: Supports, x: np.ndarray, z: np.ndarray, loss: float, c: float) -> None:
        d, delta = self.project(supports, x)
        p = z @ z * (supports.K(x, x) - delta**2)
        room = loss - np.sqrt(z @ z) * delta / self.eta
        if room > 0 and p > 0 and c > 0:
            tau = min(loss / p, 2 * room / p, 1.0)
            self.nudges.append(tau)
            spread(supports, d, c * tau * z)


@dataclass
class BudgetPA:
    """BPA-S of Wang and Vucetic (AISTATS 2010), their simple variant: only the new row's coefficient makes good.

    PA's problem with the further constraint that a support r goes, w = w_t - alpha_r K(x_r, .) + beta K(x, .), has the
    solution beta = tau y + alpha_r k_rt / k_tt, with tau as without a budget: the step, and r's projection on x. Of the
    old supports that one goes, the first of equals, of which least is lost: alpha_r^2 (k_rr - k_rt^2 / k_tt). All this
    holds for PA, PA1 and PA2. Several lanes have a beta each and share r: alpha_r^2 is ||alpha_r||^2.
    """

    size: int

    def move(self, supports: Supports, x: np.ndarray, alpha: np.ndarray) -> None:
        if len(supports) == self.size:
            K, ktt = supports.K, supports.K(x, x)
            losses = [a @ a * (K(row, row) - K(row, x) ** 2 / ktt) for row, a in supports]
            r = int(np.argmin(losses))
            alpha = alpha + supports.alphas[r] * K(supports.rows[r], x) / ktt
            supports.remove(r)
        supports.add(x, alpha)


def spread(supports: Supports, d: np.ndarray, alpha: np.ndarray) -> None:
    """P alpha K(x, .), taken up by the supports."""
    supports.alphas[:] = [old + share * alpha for old, share in zip(supports.alphas, d, strict=True)]
