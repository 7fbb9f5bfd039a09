# SPDX-License-Identifier: BSD-3-Clause
"""Costs of mistakes: as given, and in the learner, against its slow twin."""

from typing import Any

import numpy as np
import pytest

import hinge
from hinge.costs import cost_matrix
from hinge.native import INTERPRETED
from oracle import steps
from oracle.cost_sensitive import cost_sensitive, costs_of_pairs, costs_of_tree

ROUNDS, K = (30 if INTERPRETED else 120), 4
TREE = {"cat": "animal", "dog": "animal", "animal": "thing", "car": "vehicle", "vehicle": "thing"}


def stream(seed: int = 0) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROUNDS, 3))
    X[5::15] = 0
    costs = rng.integers(0, 5, (K, K)).astype(float)
    np.fill_diagonal(costs, 0)
    return X, (X @ rng.normal(size=(3, K))).argmax(1), costs


@pytest.mark.parametrize(
    ("focus", "name"), [(hinge.Predicted(), "predicted"), (hinge.Worst(), "worst"), (hinge.Exact(), "exact")]
)
def test_cost_sensitive_is_what_its_twin_says(focus: Any, name: str) -> None:
    X, y, costs = stream()
    weights = np.random.default_rng(1).choice([0.0, 1.0, 2.0], ROUNDS)
    twin = cost_sensitive(steps.PA1(0.3), X, y, costs, focus=name, weights=weights)
    clf = hinge.Classifier(hinge.PA1(0.3), focus, cost=costs, intercept=False)
    report = hinge.play(clf.partial_fit(X[:0], y[:0], classes=range(K)), X, y, weights)
    np.testing.assert_allclose(clf.coef_, twin.weights, rtol=1e-9, atol=1e-12)
    assert report.predictions.tolist() == twin.predictions
    assert report.cost == pytest.approx(float(weights @ twin.costs))
    assert report.certificate.dual == pytest.approx(twin.dual, rel=1e-9)
    if name == "worst":
        np.testing.assert_allclose(report.losses, twin.losses, rtol=1e-9, atol=1e-12)


def test_costs_of_1_are_no_costs() -> None:
    X, y, _ = stream(2)
    plain = hinge.Classifier(intercept=False).partial_fit(X, y, classes=range(K))
    priced = hinge.Classifier(intercept=False, cost={(0, 1): 1.0}).partial_fit(X, y, classes=range(K))
    np.testing.assert_array_equal(plain.coef_, priced.coef_)
    assert hinge.play(priced, X, y).cost == pytest.approx(float(hinge.play(plain, X, y).mistakes))


def test_mistakes_that_cost_nothing_move_nothing_from_a_tie() -> None:
    free = hinge.Classifier(cost=np.zeros((2, 2)), intercept=False)
    free.partial_fit([[1.0], [1.0]], [0, 1], classes=[0, 1])
    assert not free.coef_.any()


def test_labels_that_come_late_and_one_row_at_a_time() -> None:
    X, y, _ = stream(3)
    names = np.array(["cat", "dog", "car", "new"])[y]
    batch = hinge.Classifier(cost=TREE).partial_fit(X, names)
    single = hinge.Classifier(cost=TREE)
    for x, label in zip(X, names, strict=True):
        single.learn_one(x, label)
    np.testing.assert_array_equal(batch.coef_, single.coef_)
    assert batch.contenders_ == single.contenders_


def test_the_leader_is_the_one_whose_mistakes_cost_least() -> None:
    X, y, costs = stream(4)
    learners = [hinge.Classifier([hinge.PA1(c)], cost=costs) for c in (0.01, 1.0)]
    spent = [hinge.play(clf.partial_fit(X[:0], y[:0], classes=range(K)), X, y).cost for clf in learners]
    both = hinge.Classifier([hinge.PA1(0.01), hinge.PA1(1.0)], cost=costs).partial_fit(X, y, classes=range(K))
    np.testing.assert_array_equal(both.coef_, learners[int(np.argmin(spent))].coef_)


# ------------------------------------------------------------------------------- forms of costs


def test_a_tree_in_either_form() -> None:
    labels = ["cat", "dog", "car"]
    expected = costs_of_tree(labels, TREE)
    np.testing.assert_array_equal(cost_matrix(TREE, labels), expected)
    nested = {"animal": ["cat", "dog"], "vehicle": ["car"]}
    np.testing.assert_array_equal(cost_matrix(nested, labels), expected)
    deeper = {"animal": {"pet": ["cat"], "wild": {"wolf": []}}, "car": ()}
    np.testing.assert_array_equal(cost_matrix(deeper, ["cat", "wolf", "car"]), [[0, 4, 4], [4, 0, 4], [4, 4, 0]])


def test_a_label_that_a_tree_does_not_name_hangs_from_its_root() -> None:
    expected = costs_of_tree(["cat", "car", "new"], {**TREE, "new": "thing"})
    np.testing.assert_array_equal(cost_matrix(TREE, ["cat", "car", "new"]), expected)


def test_pairs_and_matrices() -> None:
    pairs = {("a", "b"): 3.0, ("b", "a"): 0.0}
    np.testing.assert_array_equal(cost_matrix(pairs, ["a", "b", "c"]), costs_of_pairs(["a", "b", "c"], pairs))
    np.testing.assert_array_equal(cost_matrix([[0, 2], [5, 0]], [0, 1, 2]), [[0, 2, 1], [5, 0, 1], [1, 1, 0]])


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        ([[0, 1]], "square matrix"),
        ("high", "square matrix"),
        ([[0, -1], [1, 0]], "row 0, column 1"),
        ([[0, np.nan], [1, 0]], "row 0, column 1"),
        ([[1, 1], [1, 0]], "what is right costs 0"),
        ({("a", "b"): -2.0}, "not negative"),
        ({("a", "a"): 2.0}, "what is right costs 0"),
        ({"a": ["b"], "b": ["a"]}, "two places"),
        ({"a": "b", "b": "a"}, "circle"),
    ],
)
def test_costs_that_are_none(cost: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cost_matrix(cost, ["a", "b"])


def test_a_matrix_asks_for_an_order_of_the_labels() -> None:
    clf = hinge.Classifier(cost=[[0, 1], [2, 0]])
    with pytest.raises(ValueError, match="order of the labels"):
        clf.partial_fit([[1.0]], ["x"])
    with pytest.raises(ValueError, match="order of the labels"):
        clf.learn_one({"a": 1.0}, "x")
    assert clf.predict_one({"a": 1.0}) is None
    assert clf.fit([[1.0], [2.0]], ["x", "y"]).classes_.tolist() == ["x", "y"]
