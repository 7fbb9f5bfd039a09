# SPDX-License-Identifier: BSD-3-Clause
"""The certificate: how well any fixed hypothesis could have done on a stream, known without looking back.

Every move with coefficients lambda raises the dual of the hindsight problem min_u 1/2 ||u||² + C sum_t l_t(u) by
sum_j lambda_j (r_j - m_j) - 1/2 ||sum_j lambda_j z_j||² ([OL] 4, [SP06] 5). The sum of these, the dual value D, is a
lower bound on what any u achieves.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any


@dataclasses.dataclass(frozen=True)
class Certificate:
    """What the dual value of one pass proves.

    ``kind`` says of which problem: "hinge", 1/2 ||u||² + C sum l_t(u); "squared", 1/2 ||u||² + C sum l_t(u)²; or
    "separable", 1/2 ||u||² for every u without any loss (C is infinite). Losses are weighted by the importance of
    their rounds; ||u|| is measured from where the learner stood when the pass began (0, as a rule).

    >>> certificate = Certificate(dual=50.0, C=0.1, kind="hinge", rounds=1000.0, price=0.1)
    >>> certificate.floor(norm=5.0)
    0.375
    >>> certificate.best_margin
    0.1
    """

    dual: float
    C: float
    kind: str
    rounds: float
    price: float

    def floor(self, norm: float) -> float:
        """The least average loss that any u with ||u|| <= norm has on this stream (squared loss for "squared")."""
        at_price = self.price if math.isinf(self.C) else self.C
        if self.rounds <= 0 or at_price <= 0:
            return 0.0
        return max(0.0, (self.dual - 0.5 * norm**2) / (at_price * self.rounds))

    @property
    def best_margin(self) -> float:
        """No u of norm 1 separates this stream with a margin above this, 1 / sqrt(2 D)."""
        return 1.0 / math.sqrt(2.0 * self.dual) if self.dual > 0 else math.inf

    def to_dict(self) -> dict[str, Any]:
        """The figures, ready for JSON: an infinite C, or margin, is None."""
        finite = {name: value if math.isfinite(value) else None for name, value in
                  (("dual", self.dual), ("C", self.C), ("best_margin", self.best_margin))}  # fmt: skip
        return {**finite, "kind": self.kind, "rounds": self.rounds}

    def __str__(self) -> str:
        problem = {
            "hinge": f"½‖u‖² + {self.C:g} · (sum of losses)",
            "squared": f"½‖u‖² + {self.C:g} · (sum of squared losses)",
            "separable": "½‖u‖², for a u without any loss,",
        }[self.kind]
        return f"no fixed u brings {problem} below it"
