# SPDX-License-Identifier: BSD-3-Clause
"""What it costs to predict one label where another is true: given as a matrix, as pairs, or as a tree of labels."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["cost_matrix", "needs_an_order"]

#: The cost of a pair that nobody has named.
USUAL = 1.0


def needs_an_order(cost: Any) -> bool:
    """Whether the costs are those of labels in an order, which somebody must have given."""
    return cost is not None and not isinstance(cost, Mapping)


def cost_matrix(cost: Any, labels: Sequence[Any]) -> np.ndarray[Any, Any]:
    """rho(y, y'), a row for each true label and a column for each predicted one ([PA06] 8).

    ``cost`` is a matrix for the labels in their order; or pairs, {(true, predicted): cost}; or a tree, {label: its
    parent} or nested, {"animal": ["cat", "dog"]}, where the cost is the length of the path between two labels. Pairs
    not named cost 1; a label that the tree does not name hangs from its root.

    >>> cost_matrix({"animal": ["cat", "dog"], "car": []}, ["cat", "dog", "car"]).tolist()
    [[0.0, 2.0, 3.0], [2.0, 0.0, 3.0], [3.0, 3.0, 0.0]]
    """
    matrix = USUAL - np.eye(len(labels))
    if not isinstance(cost, Mapping):
        given = _as_matrix(cost)
        known = min(len(given), len(labels))
        matrix[:known, :known] = given[:known, :known]
    elif _is_pairs(cost):
        place = {label: i for i, label in enumerate(labels)}
        for (true, predicted), value in cost.items():
            _check(value, f"cost of predicting {predicted!r} for {true!r}")
            if true == predicted and value != 0:
                raise ValueError(f"cost of predicting {true!r} for {true!r} is {value!r}; what is right costs 0.")
            if true in place and predicted in place:
                matrix[place[true], place[predicted]] = value
    else:
        parents, root = _parents(cost)
        paths = [_path(label, parents, root) for label in labels]
        place = {node: i for i, node in enumerate(dict.fromkeys(node for path in paths for node in path))}
        on_path = np.zeros((len(labels), len(place)))
        for row, path in zip(on_path, paths, strict=True):
            row[[place[node] for node in path]] = 1.0
        length = on_path.sum(axis=1)
        matrix = length[:, None] + length - 2 * (on_path @ on_path.T)
    return matrix


def _check(value: Any, what: str) -> None:
    if not isinstance(value, numbers.Real) or not 0 <= float(value) < np.inf:
        raise ValueError(f"the {what} is {value!r}; a finite number, not negative, was expected.")


def _as_matrix(cost: Any) -> np.ndarray[Any, Any]:
    try:
        matrix = np.asarray(cost, np.float64)
    except (TypeError, ValueError):
        matrix = np.zeros(0)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            "cost must be a square matrix, a dict {(true, predicted): cost}, or a tree {label: parent}, "
            f"got {cost!r}"
        )
    bad = np.argwhere(~(np.isfinite(matrix) & (matrix >= 0)))
    if len(bad):
        row, column = bad[0]
        raise ValueError(
            f"cost has {matrix[row, column]} in row {row}, column {column}; costs are finite, not negative."
        )
    if np.diag(matrix).any():
        row = int(np.flatnonzero(np.diag(matrix))[0])
        raise ValueError(f"cost has {matrix[row, row]} in row {row}, column {row}; what is right costs 0.")
    return matrix


def _is_pairs(cost: Mapping[Any, Any]) -> bool:
    return all(isinstance(key, tuple) and len(key) == 2 for key in cost) and all(
        isinstance(value, numbers.Real) for value in cost.values()
    )


_ROOT = object()


def _parents(tree: Mapping[Any, Any]) -> tuple[dict[Any, Any], Any]:
    """Each node's parent, of either form of tree, and the root: one that the tree names, or one above all it names."""
    if not any(isinstance(below, (Mapping, list, tuple, set, frozenset)) for below in tree.values()):
        tops = set(tree.values()) - tree.keys()
        return dict(tree), tops.pop() if len(tops) == 1 else _ROOT
    parents: dict[Any, Any] = {}

    def take(node: Any, parent: Any) -> None:
        if node in parents:
            raise ValueError(f"cost: the tree has {node!r} in two places.")
        parents[node] = parent

    def descend(below: Any, parent: Any) -> None:
        for node in below:
            take(node, parent)
            if isinstance(below, Mapping) and isinstance(below[node], Iterable) and not isinstance(below[node], str):
                descend(below[node], node)

    descend(tree, _ROOT)
    return parents, _ROOT


def _path(label: Any, parents: Mapping[Any, Any], root: Any) -> list[Any]:
    """The label and its ancestors, without the root that all have in common."""
    path: list[Any] = []
    node = label
    while node != root and node is not _ROOT:
        if node in path:
            raise ValueError(f"cost: the tree goes round in a circle at {node!r}.")
        path.append(node)
        node = parents.get(node, root)
    return path
