# SPDX-License-Identifier: BSD-3-Clause
"""Slow, obvious twins of the algorithms, written from the papers: what the fast ones must agree with.

Rows are dense float64. The intercept is a constant feature of value ``b``, appended to every row and counted in its
norm (b = 0: none). Nothing here is shared with hinge itself, so that no mistake can be.
"""

from oracle.binary import binary
from oracle.classifier import classifier
from oracle.multiclass import Labels, multiclass
from oracle.ranking import mira_coefficients, perceptron_coefficients, ranking
from oracle.regression import regression
from oracle.result import Pass, dense, dual_growth, with_constant
from oracle.simultaneous import Rounds, shares, simultaneous
from oracle.steps import PA, PA1, PA2, Perceptron, Step
from oracle.uniclass import uniclass

__all__ = [
    "PA",
    "PA1",
    "PA2",
    "Labels",
    "Pass",
    "Perceptron",
    "Rounds",
    "Step",
    "binary",
    "classifier",
    "dense",
    "dual_growth",
    "mira_coefficients",
    "multiclass",
    "perceptron_coefficients",
    "ranking",
    "regression",
    "shares",
    "simultaneous",
    "uniclass",
    "with_constant",
]
