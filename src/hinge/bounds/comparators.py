# SPDX-License-Identifier: BSD-3-Clause
"""A fixed comparator u on a stream: its losses, its norm, and the norms of what a learner moves by."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from hinge.bounds import arguments
from hinge.bounds.arguments import Floats, Places


@dataclasses.dataclass(frozen=True, eq=False)
class Comparator:
    """What a theorem needs to know of a u, as ``u=`` of every function here. Made by `comparator`, or by hand.

    >>> u = Comparator(u=np.array([3.0, 4.0]), losses=np.array([0.0, 2.0]), sq_norms=np.array([1.0, 4.0]), norm=5.0)
    >>> u.R, u.loss, u.squared_loss
    (2.0, 2.0, 4.0)
    """

    u: Any
    #: l*_t, the loss of u on each round.
    losses: Floats
    #: q_t of each round: ||x_t||², or ||Phi_r - Phi_s||², or 1 for uniclass.
    sq_norms: Floats
    #: ||u - w_1||: the distance from where the learner starts, as a rule ||u||.
    norm: float
    #: "binary", "multiclass", "regression", "uniclass".
    task: str = "binary"
    #: Whether the learner started elsewhere than at 0.
    moved_start: bool = False

    @property
    def R(self) -> float:
        """The largest norm."""
        return math.sqrt(self.sq_norms.max(initial=0.0))

    @property
    def loss(self) -> float:
        """The sum of the losses."""
        return float(self.losses.sum())

    @property
    def squared_loss(self) -> float:
        """The sum of the squared losses."""
        return float((self.losses**2).sum())

    def __str__(self) -> str:
        """What it comes to."""
        return f"u of norm {self.norm:.6g}: loss {self.loss:.6g} over {len(self.losses)} rounds, R = {self.R:.6g}"


def comparator(
    X: Any,
    y: Any = None,
    u: Any = None,
    *,
    epsilon: float | None = None,
    radius: float | None = None,
    bound: float | None = None,
    classes: Any = None,
    cost: Any = None,
    intercept: float = 0.0,
    start: Any = None,
) -> Comparator:
    """How u does on the stream X, y.

    ``u`` is a vector (binary: u.x > 0 says the second label), a matrix with one row a class (multiclass, one prototype
    a class), or a fitted model with ``coef_`` and ``intercept_``. What it is judged by:

    - binary, two labels: [1 - y u.x]+, q = ||x||²;
    - multiclass: [1 - u_y.x + max_r u_r.x]+, q = 2 ||x||²; with ``cost``, a matrix of rho(y, r) in the order of
      ``classes``, the max-loss max_r (u_r.x - u_y.x + sqrt(rho(y, r))) of [PA06] 8;
    - regression, where ``epsilon`` is given: [|y - u.x| - epsilon]+, q = ||x||²;
    - uniclass, where ``radius`` is given: [||u - x|| - radius]+, q = 1; with ``bound`` the learner learns its radius,
      which adds radius² to ||u||².

    ``classes`` are the labels in order (else the sorted labels of y). ``intercept`` is b, the value of the learner's
    constant feature, counted in the norms (0: it has none); u may then have one more column, the weight of that
    feature. ``start`` is where the learner begins, if not at 0: of the shape of u, or "first" for the first row, as
    uniclass may.

    >>> X, y = [[1.0, 0.0], [0.0, 2.0]], ["no", "yes"]
    >>> comparator(X, y, [-1.0, 0.25]).losses
    array([0. , 0.5])
    >>> comparator(X, y, [-1.0, 0.25, 1.0], intercept=1.0).losses
    array([1., 0.])
    >>> comparator(X, [1.0, 3.0], [1.0, 1.0], epsilon=0.1).losses
    array([0. , 0.9])
    >>> print(comparator(X, u=[1.0, 1.0], radius=1.0))
    u of norm 1.41421: loss 0.414214 over 2 rounds, R = 1
    """
    rows, sq_norms = _rows(X)
    n = len(sq_norms)
    if u is None:
        raise TypeError("comparator(X, y, u): give u, a vector, a matrix with one row a class, or a fitted model")
    if epsilon is not None and radius is not None:
        raise ValueError("epsilon is for regression, radius for uniclass; give one of them")
    b = float(intercept)
    weights, classes = _weights(u, rows.shape[1], b, classes)
    kind = "uniclass" if radius is not None else "regression" if epsilon is not None else "binary"
    if kind == "binary" and weights.ndim == 2:
        kind = "multiclass"
    if weights.ndim == 2 and kind != "multiclass":
        raise ValueError(f"u must be one vector for {kind}; its shape is {weights.shape}")
    if bound is not None and (radius is None or not radius <= bound):
        raise ValueError(f"bound is the largest radius to learn, for uniclass; got bound {bound} with radius {radius}")
    if cost is not None and kind != "multiclass":
        raise ValueError("cost needs several classes: u must be a matrix with one row a class")
    if kind != "uniclass":
        if y is None or np.shape(y) != (n,):
            raise ValueError(f"y must have one label or target for each of the {n} rows; its shape is {np.shape(y)}")
        sq_norms = sq_norms + b * b
        scores = rows @ weights[..., : rows.shape[1]].T + b * weights[..., -1]
    first, moved = _start(start, rows, weights)
    norm = float(np.linalg.norm(weights - first))
    if kind == "uniclass":
        assert radius is not None
        losses, norm = _outside(rows, sq_norms, weights[:-1], norm, arguments.number(radius, "radius"), bound)
        sq_norms = np.ones(n)
    elif kind == "regression":
        targets = np.asarray(y, float)
        losses = np.maximum(0.0, np.abs(targets - scores) - arguments.number(epsilon, "epsilon"))
    elif kind == "binary":
        signs = np.where(_places(y, _two(y, classes)) == 1, 1.0, -1.0)
        losses = np.maximum(0.0, 1.0 - signs * scores)
    else:
        sq_norms = 2.0 * sq_norms
        losses = _behind(scores, _places(y, np.unique(y) if classes is None else classes), cost)
    arguments.numbers(losses, "the losses of u (from X, y and u)")
    vector = weights if b else weights[..., :-1]
    return Comparator(vector, losses, sq_norms, norm, kind, moved)


def norm_of(u: Any, *, at_zero: bool = False) -> float:
    """||u||, from a vector, a matrix, a number that is it, or a comparator (``at_zero``: of a learner begun at 0)."""
    if u is None:
        raise TypeError("give u=: a vector, its norm, or a hinge.bounds.comparator(X, y, u)")
    if isinstance(u, Comparator):
        if at_zero and u.moved_start:
            raise ValueError(
                "this theorem is proved for a learner that starts at 0; for another there is "
                "weighted_perceptron(..., w1=), with a comparator made without start"
            )
        return u.norm
    try:
        given = np.asarray(u, float)
    except (TypeError, ValueError):
        raise ValueError(f"u must be a vector, a norm or a comparator, got {type(u).__name__}") from None
    norm = float(np.linalg.norm(given))
    if not math.isfinite(norm) or (given.ndim == 0 and given < 0):
        raise ValueError(f"u must be finite, and its norm not below 0; got {u!r:.80}")
    return norm


def losses_of(u: Any, given: Any) -> Any:
    """The losses of u as given, else as its comparator knows them."""
    if given is None and not isinstance(u, Comparator):
        raise TypeError(
            "give comparator_losses=, the losses of u (one a round, or their sum as the theorem says), "
            "or u=hinge.bounds.comparator(X, y, u), which knows them"
        )
    return u.losses if given is None else given


def norms_of(u: Any, given: Any) -> Any:
    """R as given, or the norms of the rows from the comparator."""
    if given is None and not isinstance(u, Comparator):
        raise TypeError(
            "give R=, the largest norm of a row (or the norms of all), "
            "or u=hinge.bounds.comparator(X, y, u), which knows them"
        )
    return np.sqrt(u.sq_norms) if given is None else given


def _rows(X: Any) -> tuple[Any, Floats]:
    """The rows as float64, sparse ones with what is given twice added up, and their squared norms."""
    if hasattr(X, "tocsr"):
        rows = X.tocsr().astype(float)  # a copy
        rows.sum_duplicates()
        arguments.numbers(np.abs(rows.data), "the absolute value of an entry of X")
        return rows, np.asarray(rows.multiply(rows).sum(axis=1), float).ravel()
    dense = np.asarray(X, float)
    if dense.ndim != 2:
        raise ValueError(f"X must have two dimensions, rows and features; its shape is {dense.shape}")
    if not np.isfinite(dense).all():
        row, column = np.argwhere(~np.isfinite(dense))[0]
        raise ValueError(f"X has {dense[row, column]} in row {row}, column {column}; it must be finite")
    return dense, (dense**2).sum(axis=1)


def _weights(u: Any, features: int, b: float, classes: Any) -> tuple[Floats, Any]:
    """The weights, those of the constant feature last, and the classes if u is a model that knows them."""
    if hasattr(u, "coef_"):
        coef = np.asarray(u.coef_, float)
        added = np.broadcast_to(np.asarray(getattr(u, "intercept_", 0.0), float), coef.shape[:-1] or ())
        if b == 0 and added.any():
            raise ValueError(
                "u has an intercept, the learner's rows have no constant feature: give intercept=b, the value that the "
                "learner's constant feature has, or a u without"
            )
        weights = np.concatenate([coef, (added / b if b else np.zeros_like(added))[..., None]], axis=-1)
        if len(weights) == 1 and weights.ndim == 2:
            weights = weights[0]
        return weights, getattr(u, "classes_", None) if classes is None else classes
    given = np.asarray(u, float)
    allowed = (features, features + 1) if b else (features,)
    if given.ndim not in (1, 2) or given.shape[-1] not in allowed:
        wanted = " or ".join(map(str, allowed))
        raise ValueError(f"u must have {wanted} weights, one a feature of X; its shape is {given.shape}")
    if not np.isfinite(given).all():
        raise ValueError("u must be finite")
    if given.shape[-1] == features:
        given = np.concatenate([given, np.zeros((*given.shape[:-1], 1))], axis=-1)
    return given, classes


def _start(start: Any, rows: Any, weights: Floats) -> tuple[Floats, bool]:
    if start is None:
        return np.zeros_like(weights), False
    if isinstance(start, str):
        if start != "first" or rows.shape[0] == 0:
            raise ValueError(f'start must be "first" (with a row to start at) or of the shape of u; got {start!r}')
        start = rows[0].toarray().ravel() if hasattr(rows, "toarray") else rows[0]
    first = np.asarray(start, float)
    if first.shape == (*weights.shape[:-1], weights.shape[-1] - 1):
        first = np.concatenate([first, np.zeros((*first.shape[:-1], 1))], axis=-1)
    if first.shape != weights.shape:
        raise ValueError(f"start must have the shape of u; got {np.shape(start)}")
    return first, bool(first.any())


def _two(y: Any, classes: Any) -> Any:
    """The two labels in order."""
    known = np.unique(np.asarray(y)) if classes is None else classes
    for usual in ((-1, 1), (0, 1)):
        if len(known) < 2 and set(known) <= set(usual):
            return usual
    if len(known) != 2:
        raise ValueError(
            f"a vector u compares two labels, there are {len(known)}: {np.asarray(known).tolist()[:5]!r}. "
            "Give classes=(negative, positive), a matrix u with one row a class, epsilon= for regression, "
            "or radius= for uniclass"
        )
    return known


def _places(y: Any, classes: Any) -> Places:
    place = {label: index for index, label in enumerate(np.asarray(classes).tolist())}
    labels = np.asarray(y).tolist()
    for t, label in enumerate(labels):
        if label not in place:
            raise ValueError(f"y[{t}] is {label!r}, which is not among the classes {list(place)[:10]!r}")
    return np.array([place[label] for label in labels], int)


def _behind(scores: Floats, truth: Places, cost: Any) -> Floats:
    """By how much the true label's score misses what is required over each other's, at worst."""
    n, labels = scores.shape
    if len(truth) and truth.max() >= labels:
        raise ValueError(f"u has {labels} rows, and there are more classes; it must have one for each")
    required = 1.0 - np.eye(labels)
    if cost is not None:
        costs = np.asarray(cost, float)
        if costs.shape != (labels, labels) or not (costs >= 0).all() or costs.diagonal().any():
            raise ValueError(f"cost must be a {labels} x {labels} matrix, not below 0, with 0 on the diagonal")
        required = np.sqrt(costs)
    at = np.arange(n)
    worst: Floats = (scores - scores[at, truth][:, None] + required[truth]).max(axis=1, initial=0.0)
    return worst


def _outside(
    rows: Any, sq_norms: Floats, centre: Floats, norm: float, radius: float, bound: float | None
) -> tuple[Floats, float]:
    """By how much each row is outside the ball, and the norm with what a learnt radius adds."""
    if hasattr(rows, "tocsr"):
        squares = np.maximum(0.0, sq_norms - 2.0 * (rows @ centre) + centre @ centre)
    else:
        squares = ((rows - centre) ** 2).sum(axis=1)
    if bound is None:
        return np.maximum(0.0, np.sqrt(squares) - radius), norm
    return np.maximum(0.0, np.sqrt(squares + bound**2 - radius**2) - bound), math.hypot(norm, radius)
