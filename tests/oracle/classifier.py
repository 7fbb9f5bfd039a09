# SPDX-License-Identifier: BSD-3-Clause
"""A classifier whose labels nobody told: one weight vector while there are two, then one a label.

Two labels are the binary algorithm, with the first of them where the score is not above 0. When a third appears, they
become the prototypes -w/2 and +w/2, which score a difference of w.x as before, and the new one starts at 0.
"""

from typing import Any

import numpy as np

from oracle.binary import binary
from oracle.multiclass import Labels, multiclass
from oracle.result import Pass
from oracle.steps import Step


def classifier(
    step: Step, X: Any, y: Any, *, known: tuple[Any, ...] = (), weights: Any = None, b: float = 0.0
) -> Pass:
    """The dual value is that of the last form the learner had, in that form's own rounds."""
    X, y = np.asarray(X, float), list(y)
    weights = np.ones(len(X)) if weights is None else np.asarray(weights, float)
    order = list(dict.fromkeys([*known, *y]))
    if len(known) > 2 or len(order) < 2:
        return multiclass(step, X, y, labels=Labels(tuple(known)), weights=weights, b=b)

    # The round in which the second label, or the third, is first seen: it is played by the new form.
    second = 0 if len(known) == 2 else y.index(order[1])
    third = len(y) if len(order) == 2 else y.index(order[2])
    alone = multiclass(step, X[:second], y[:second], labels=Labels(tuple(known)), weights=weights[:second], b=b)
    rounds = slice(second, third)
    pair = binary(step, X[rounds], y[rounds], weights=weights[rounds], b=b, classes=(order[0], order[1]))
    pair.classes = order[:2]
    pair.novel = [len(known) < 2 and t == second for t in range(second, third)]
    if third == len(y):
        return _joined([alone, pair])

    constant = pair.intercept / b if b else 0.0
    w = np.append(pair.weights, constant)
    labels = Labels((order[0], order[1]), np.array([-w / 2, w / 2]))
    many = multiclass(step, X[third:], y[third:], labels=labels, weights=weights[third:], b=b)
    return _joined([alone, pair, many])


def _joined(parts: list[Pass]) -> Pass:
    last = parts[-1]
    for name in ("scores", "predictions", "losses", "taus", "novel"):
        setattr(last, name, [entry for part in parts for entry in getattr(part, name)])
    return last
