# SPDX-License-Identifier: BSD-3-Clause
"""Foci Violated and Mistaken where constraints are pairs of labels: one pass over them, row by row of their table."""

from __future__ import annotations

from typing import Any, NamedTuple

from hinge.focus import Share
from hinge.native import native


@native
class PairsEqually(NamedTuple):
    """Every violated pair acts with an equal share ([SP06] 4), or, with ``mistaken`` 1, every mistaken one.

    What `hinge.focus.move_equally` does, where all instances have one norm: how many pairs act is known at the end,
    and what all of them have summed up to is shared then.
    """

    mistaken: int

    def share(self, task: Any, step: Any, scores: Any, first: int, labels: int, truth: Any, prediction: Any, worst: Any,
              metric: Any, weight: float, coefficients: Any) -> Share:  # fmt: skip
        """Write the move's coefficients and tell what it was."""
        norm = metric.sq_norm(worst)
        if not (worst.required - worst.margin > 0 and norm > 0):
            return Share(0.0, 0.0)
        upper, lower, calibrated = task.upper, task.lower, task.calibrated
        relevant, others = truth.relevant + calibrated, truth.labels - truth.relevant + calibrated
        acting, lambdas, gain = 0, 0.0, 0.0
        for i in range(relevant):
            up = upper[i]
            score, total = float(scores[first + up]), 0.0
            for j in range(others - (calibrated if i == relevant - 1 else 0)):
                down = lower[j]
                margin = score - float(scores[first + down])
                loss = 1.0 - margin
                if loss > 0 and (self.mistaken == 0 or margin <= 0):
                    acting += 1
                    if step.acts(margin, loss):
                        tau = float(step.tau(loss, norm, weight))
                        total += tau
                        gain += tau * loss
                        coefficients[first + down] -= tau
            coefficients[first + up] += total
            lambdas += total
        if lambdas == 0:
            return Share(0.0, 0.0)
        share = 1.0 / acting
        for lane in range(first, first + task.lanes(labels)):
            coefficients[lane] *= share
        return Share(lambdas * share, gain * share - 0.5 * metric.sq_move(coefficients, first, task.lanes(labels)))
