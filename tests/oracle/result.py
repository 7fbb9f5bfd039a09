# SPDX-License-Identifier: BSD-3-Clause
"""What one pass came to, and what all passes share."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from oracle.steps import Step


@dataclass
class Pass:
    """One pass over a stream; entry t of a list was known before round t moved anything (taus: the move itself)."""

    weights: np.ndarray  # after the last round; multiclass: one row a label
    intercept: Any = 0.0  # the weight of the constant feature times its value: what is added to a score
    scores: list[Any] = field(default_factory=list)
    predictions: list[Any] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    taus: list[float] = field(default_factory=list)
    novel: list[bool] = field(default_factory=list)  # multiclass: a first sight of the label
    classes: list[Any] = field(default_factory=list)  # multiclass: in their order
    centres: list[np.ndarray] = field(default_factory=list)  # uniclass
    radii: list[float] = field(default_factory=list)  # uniclass
    radius: float = 0.0  # uniclass: after the last round
    dual: float = 0.0

    @property
    def updates(self) -> int:
        return sum(tau != 0 for tau in self.taus)


def dual_growth(step: Step, tau: float, loss: float, sq_norm: float, weight: float) -> float:
    """D_t of one constraint: tau (r - m) - 1/2 tau^2 ||z||^2, and for PA2 less tau^2 / (4 C c)."""
    return tau * loss - 0.5 * tau**2 * sq_norm - step.slack_price(tau, weight)


def with_constant(rows: Any, b: float) -> np.ndarray:
    """The rows with a last feature of constant value b."""
    rows = np.asarray(rows, float)
    return np.hstack([rows, np.full((len(rows), 1), float(b))])


def dense(rows: Iterable[Iterable[tuple[int, float]]], n_features: int) -> np.ndarray:
    """Rows given as (feature, value) pairs; what is given of one feature is summed."""
    rows = list(rows)
    table = np.zeros((len(rows), n_features))
    for t, row in enumerate(rows):
        for feature, value in row:
            table[t, feature] += value
    return table


def label_scores(vectors: Any, x: np.ndarray) -> np.ndarray:
    """One product after the other: equal vectors score alike to the last bit, which no matrix product can promise."""
    return np.array([np.dot(vector, x) for vector in vectors])
