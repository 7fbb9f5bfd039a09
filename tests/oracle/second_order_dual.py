# SPDX-License-Identifier: BSD-3-Clause
"""The second-order Perceptron in its dual form, [OL] 6 and Cesa-Bianchi, Conconi and Gentile (2005).

Primal: A = aI + sum over mistakes of x x', v = sum over mistakes of y x; the score is v' (A + x x')^-1 x. Dual: with
G the Gram matrix of the mistaken rows and, last, the current one, g its last column, and Y their labels and a last 0,
it is Y' (aI + G)^-1 g. Nothing but products of rows is needed. A mistake is a score that is not above 0, times y.
"""

from typing import Any

import numpy as np

from oracle.kernels import Kernel, KernelPass, Supports


def second_order_dual(X: Any, y: Any, K: Kernel, *, a: float = 1.0, weights: Any = None,
                      classes: tuple[Any, Any] = (-1, 1)) -> KernelPass:  # fmt: skip
    """A weight c takes a mistake into v as c y x; as for every step, a zero row or a weight of 0 changes nothing."""
    rows = np.asarray(X, float)
    importance = np.ones(len(rows)) if weights is None else weights
    supports = Supports(K)
    result = KernelPass(np.zeros((0, 1)), supports=supports)
    for x, label, c in zip(rows, y, importance, strict=True):
        sign = 1.0 if label == classes[1] else -1.0
        with_x = Supports(K, [*supports.rows, x], [*supports.alphas, np.zeros(1)])
        G, Y = with_x.gram(), with_x.table(1)[:, 0]
        score = Y @ np.linalg.solve(a * np.eye(len(G)) + G, G[:, -1])
        mistaken = sign * score <= 0
        moves = mistaken and c > 0 and K(x, x) > 0
        result.scores.append(score)
        result.predictions.append(classes[1] if score > 0 else classes[0])
        result.losses.append(max(0.0, 1 - sign * score))
        result.taus.append(c if moves else 0.0)
        if moves:
            supports.add(x, np.array([c * sign]))
        result.sizes.append(len(supports))
    result.weights = supports.table(1)
    return result
