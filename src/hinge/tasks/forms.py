# SPDX-License-Identifier: BSD-3-Clause
"""What the truth of a round looks like, and how a prediction is kept: one number each, for most tasks."""

from __future__ import annotations

from typing import Any, NamedTuple

from hinge.native import native


@native
class Plain(NamedTuple):
    """A truth is a number, and so is a prediction: a label's code, or a target."""

    def begin(self, truths: Any, t: int, labels: int) -> Any:
        """The truth of row t of a batch; called once a round, before anything else is asked about it."""
        return truths[t]

    def alone(self, truth: Any, labels: int) -> Any:
        """The truth of a row that comes alone; called once a round."""
        return truth

    def told(self, prediction: Any) -> Any:
        """The prediction for a row that came alone, as it leaves the kernel."""
        return prediction

    def keep(self, predictions: Any, t: int, prediction: Any) -> None:
        """Write the prediction into the record of a batch."""
        predictions[t] = prediction

    def measure(self, scores: Any, first: int, truth: Any) -> None:
        """Judge the scores, before the truth is learnt from, by more than mistakes and loss."""
