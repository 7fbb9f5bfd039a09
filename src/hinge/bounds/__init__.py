# SPDX-License-Identifier: BSD-3-Clause
"""The theorems of the papers as functions: what is proved of a pass, against any fixed comparator u.

Each returns a `Bound`: the left side, which the theorem bounds, the right side, and whether the one is at most the
other. What a theorem sums may be given as an array with one value a round or as the sum itself; what it takes the
largest of, as an array or as the largest; a report of ``hinge.play`` stands for the figures in it. ``u`` is a vector,
its norm, or what `comparator` makes of a stream and a u, which knows u's losses and the norms of the rows too.

>>> import hinge
>>> import numpy as np
>>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]), np.array([1, 1, 0])
>>> u = hinge.bounds.comparator(X, y, [0.5, 1.0])
>>> print(u)
u of norm 1.11803: loss 1 over 3 rounds, R = 1
>>> print(hinge.bounds.pa1_mistakes(2, C=0.5, u=u))
mistakes 2 <= 4.5: holds

The papers: [PA06] Crammer et al., Online Passive-Aggressive Algorithms, JMLR 7 (2006); [PA03] its forerunner of NIPS
2003; [SP06] Amit et al., Simultaneous Projections, NIPS 2006; [IW] Supeesun and Fakcharoenphol on importance weighted
online learning; [OL] Cesa-Bianchi's tutorial On-Line Learning.
"""

from __future__ import annotations

from hinge.bounds.bound import ROUNDING, Bound, Pick
from hinge.bounds.comparators import Comparator, comparator
from hinge.bounds.many_constraints import cost_sensitive, simultaneous_imperfect
from hinge.bounds.passive_aggressive import (
    lemma1,
    pa1_mistakes,
    pa2_squared_loss,
    pa_separable,
    pa_unit_norm,
    relaxed_squared_loss,
)
from hinge.bounds.perceptron import perceptron_mistakes, weighted_perceptron
from hinge.bounds.risk import online_to_batch_average, online_to_batch_pick
from hinge.bounds.simplex import multiplicative

__all__ = [
    "ROUNDING",
    "Bound",
    "Comparator",
    "Pick",
    "comparator",
    "cost_sensitive",
    "lemma1",
    "multiplicative",
    "online_to_batch_average",
    "online_to_batch_pick",
    "pa1_mistakes",
    "pa2_squared_loss",
    "pa_separable",
    "pa_unit_norm",
    "perceptron_mistakes",
    "relaxed_squared_loss",
    "simultaneous_imperfect",
    "weighted_perceptron",
]
