# SPDX-License-Identifier: BSD-3-Clause
"""Steps: tau of one violated constraint, w + tau z. The importance weight c multiplies eta or C.

``mistaken`` is margin <= 0 for a constraint w.z >= 1. Regression and uniclass have no margin to be mistaken about:
there every loss is a mistake.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Perceptron:
    """[OL] 2; weighted: [IW] 2.3."""

    eta: float = 1.0

    def tau(self, loss: float, sq_norm: float, weight: float, mistaken: bool) -> float:
        if sq_norm == 0 or not mistaken:
            return 0.0
        return self.eta * weight

    def slack_price(self, tau: float, weight: float) -> float:
        return 0.0


@dataclass(frozen=True)
class PA:
    """[PA06] 3. There is no slack: a weight above 0 changes nothing, a weight of 0 skips the round."""

    def tau(self, loss: float, sq_norm: float, weight: float, mistaken: bool) -> float:
        if sq_norm == 0 or weight == 0:
            return 0.0
        return loss / sq_norm

    def slack_price(self, tau: float, weight: float) -> float:
        return 0.0


@dataclass(frozen=True)
class PA1:
    """[PA06] 3, eq. 6: slack costs C."""

    C: float = 1.0

    def tau(self, loss: float, sq_norm: float, weight: float, mistaken: bool) -> float:
        if sq_norm == 0 or weight == 0:
            return 0.0
        return min(self.C * weight, loss / sq_norm)

    def slack_price(self, tau: float, weight: float) -> float:
        return 0.0


@dataclass(frozen=True)
class PA2:
    """[PA06] 3, eq. 7: squared slack costs C."""

    C: float = 1.0

    def tau(self, loss: float, sq_norm: float, weight: float, mistaken: bool) -> float:
        if sq_norm == 0 or weight == 0:
            return 0.0
        return loss / (sq_norm + 1 / (2 * self.C * weight))

    def slack_price(self, tau: float, weight: float) -> float:
        """What the squared slack takes from the dual value."""
        return 0.0 if tau == 0 else tau**2 / (4 * self.C * weight)


Step = Perceptron | PA | PA1 | PA2
