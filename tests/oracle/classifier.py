# SPDX-License-Identifier: BSD-3-Clause
"""A classifier whose labels nobody told: one weight vector while there are two, then one a label.

Two labels, or one whose other has not come yet, are the binary algorithm, with the first of them where the score is
not above 0. When a third appears, they become the prototypes -w/2 and +w/2, which score a difference of w.x as before,
and the new one starts at 0.
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
    if len(known) > 2:
        return multiclass(step, X, y, labels=Labels(tuple(known)), weights=weights, b=b)

    # The round in which the third label is first seen is played by the new form; before, all is the binary algorithm.
    third = len(y) if len(order) <= 2 else y.index(order[2])
    names = (order[0], order[1] if len(order) > 1 else object())
    pair = binary(step, X[:third], y[:third], weights=weights[:third], b=b, classes=names)
    pair.classes = order[:2]
    pair.novel = [label not in known and label not in y[:t] for t, label in enumerate(y[:third])]
    for t in range(third):  # a label that nobody has seen is predicted by nobody
        seen = list(dict.fromkeys([*known, *y[:t]]))
        if len(seen) < 2:
            pair.predictions[t] = seen[0] if seen else None
    if third == len(y):
        return pair

    constant = pair.intercept / b if b else 0.0
    w = np.append(pair.weights, constant)
    labels = Labels((order[0], order[1]), np.array([-w / 2, w / 2]))
    many = multiclass(step, X[third:], y[third:], labels=labels, weights=weights[third:], b=b)
    return _joined([pair, many])


def _joined(parts: list[Pass]) -> Pass:
    last = parts[-1]
    for name in ("scores", "predictions", "losses", "taus", "novel"):
        setattr(last, name, [entry for part in parts for entry in getattr(part, name)])
    return last
