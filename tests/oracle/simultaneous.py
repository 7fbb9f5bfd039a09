# SPDX-License-Identifier: BSD-3-Clause
"""Many constraints in one round, w.z_j >= r_j: [SP06] 4, with every focus, and its raw form.

SimPerc(C) = "mistaken" with Perceptron(C), ConProj(C) = "mistaken" with PA1(C), SimProj(C) = "violated" with PA1(C),
Max-SP(C) = "worst" with PA1(C). A constraint is violated if l_j = r_j - m_j > 0; it is mistaken if it is violated and
m_j <= 0 (a cost of 0 asks for r_j = 0, and a margin of 0 satisfies it). Zero rows count among both.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from oracle.exact import exact
from oracle.result import Pass
from oracle.steps import PA, PA1, PA2, Perceptron, Step

FOCUSES = ("worst", "predicted", "violated", "mistaken", "exact")


@dataclass
class Rounds(Pass):
    """``taus`` are the sums of the lambdas."""

    margins: list[np.ndarray] = field(default_factory=list)  # one for every constraint of the round
    lambdas: list[np.ndarray] = field(default_factory=list)
    imperfect: list[bool] = field(default_factory=list)  # some constraint was mistaken: what [SP06] counts
    costs: list[float] = field(default_factory=list)  # cost-sensitive: what the prediction cost

    def act(self, w: np.ndarray, step: Step, focus: str, z: Any, required: Any = 1.0, c: float = 1.0, *,
            named: int | None = None, nu: Any = None, margins: Any = None) -> np.ndarray:  # fmt: skip
        """One round is judged and written down; the next w. ``named``: the constraint against a wrong prediction.

        ``margins``: if they are known as differences of scores, so that labels of one history have a margin of 0 and no
        rounding error decides whether a constraint is mistaken.
        """
        z = np.asarray(z, float).reshape(-1, len(w))
        margins = z @ w if margins is None else np.asarray(margins, float)
        required = np.broadcast_to(np.asarray(required, float), margins.shape)
        lambdas = shares(step, focus, required - margins, margins, z @ z.T, c, named=named, nu=nu)
        move = lambdas @ z
        self.losses.append(max(0.0, (required - margins).max(initial=0)))
        self.imperfect.append(bool(((margins <= 0) & (margins < required)).any()))
        self.margins.append(margins)
        self.lambdas.append(lambdas)
        self.taus.append(lambdas.sum())
        self.dual += lambdas @ (required - margins) - 0.5 * move @ move - step.slack_price(lambdas.sum(), c)
        return w + move


def shares(step: Step, focus: str, losses: np.ndarray, margins: np.ndarray, gram: np.ndarray, c: float, *,
           named: int | None = None, nu: Any = None) -> np.ndarray:  # fmt: skip
    """lambda_j = mu_j tau_j. ``nu``: sum nu_j lambda_j <= C instead of sum lambda_j <= C ([SP06] 7)."""
    assert focus in FOCUSES
    nu = np.ones(len(losses)) if nu is None else np.asarray(nu, float)
    violated = losses > 0
    mistaken = violated & (margins <= 0)
    if focus == "exact":
        return _exact(step, losses, gram, c, nu)
    mu = np.zeros(len(losses))
    if focus == "worst" and violated.any():
        mu[np.argmax(losses)] = 1.0
    elif focus == "predicted" and named is not None and violated[named]:
        mu[named] = 1.0
    elif focus == "violated" and violated.any():
        mu[violated] = 1 / violated.sum()
    elif focus == "mistaken" and mistaken.any():
        mu[mistaken] = 1 / mistaken.sum()
    taus = [
        step.tau(losses[j], gram[j, j], c if nu[j] == 1 else _per(step, c, nu[j]), bool(mistaken[j])) if mu[j] else 0.0
        for j in range(len(losses))
    ]
    return mu * taus


def _per(step: Step, c: float, nu: float) -> float:
    """C c / nu caps one constraint alone: the weight that says so."""
    assert isinstance(step, (PA, PA1, Perceptron))  # PA2 has no cap
    return np.inf if nu == 0 and c > 0 else c / nu if nu > 0 else 0.0


def _exact(step: Step, losses: np.ndarray, gram: np.ndarray, c: float, nu: np.ndarray) -> np.ndarray:
    """PA1 caps the sum; PA leaves it free; PA2 prices (sum lambda)^2 / (4 C c), since the slack is one for all.

    A zero row's loss cannot be helped. Under PA1 and PA2 it is part of the problem all the same: the slack it needs is
    the others' too. PA has no slack and leaves zero rows out; and in a round of nothing else nothing acts.
    """
    assert not isinstance(step, Perceptron)
    assert (nu > 0).all()
    lambdas = np.zeros(len(losses))
    movable = np.diag(gram) > 0
    if c == 0 or not movable.any():
        return lambdas
    if isinstance(step, PA):
        lambdas[movable] = exact(losses[movable], gram[np.ix_(movable, movable)], np.inf)
        return lambdas
    if isinstance(step, PA2):
        assert (nu == 1).all()
        return exact(losses, gram + 1 / (2 * step.C * c), np.inf)
    return exact(losses / nu, gram / np.outer(nu, nu), step.C * c) / nu


def simultaneous(step: Step, rounds: Any, *, focus: str = "violated", weights: Any = None, nu: Any = None) -> Rounds:
    """Rounds (X_t, y_t): a matrix of instances and their labels, -1 or 1. Instance j asks y_j w.x_j >= 1.

    ``nu``: for every round its nu_j; or (caps, matrix): sum_j matrix_ij lambda_j <= caps_i for every i, in units of C.
    """
    importance = np.ones(len(rounds)) if weights is None else weights
    w = np.zeros(np.shape(rounds[0][0])[1])
    result = Rounds(w)
    for t, ((X, y), c) in enumerate(zip(rounds, importance, strict=True)):
        X, y = np.asarray(X, float), np.asarray(y, float)
        scores = X @ w
        result.scores.append(scores)
        result.predictions.append(np.where(scores > 0, 1, -1))
        w = result.act(w, step, focus, y[:, None] * X, 1.0, c, nu=None if nu is None else _strictest(nu[t]))
    result.weights = w
    return result


def _strictest(nu: Any) -> np.ndarray:
    """The least cap C_i / nu_ij of the constraints i is C over the largest nu_ij / C_i."""
    if not isinstance(nu, tuple):
        return np.asarray(nu, float)
    caps, matrix = nu
    return (np.asarray(matrix, float) / np.asarray(caps, float)[:, None]).max(axis=0)
