# SPDX-License-Identifier: BSD-3-Clause
"""Every focus on rounds of many constraints, against its slow twin, and the equivalences of the papers."""

from typing import Any

import numpy as np
import pytest

import hinge
from hinge.native import INTERPRETED
from oracle import steps
from oracle.multilabel import multilabel
from oracle.perceptrons import crammer_singer, mira, multi_vector

ROUNDS, K = (30 if INTERPRETED else 120), 5
FOCUSES = {
    "worst": hinge.Worst(), "predicted": hinge.Predicted(), "violated": hinge.Violated(),
    "mistaken": hinge.Mistaken(), "exact": hinge.Exact(),
}  # fmt: skip
PRICED = {
    "PA1": (hinge.PA1(0.3), steps.PA1(0.3)), "PA2": (hinge.PA2(0.3), steps.PA2(0.3)), "PA": (hinge.PA(), steps.PA()),
}  # fmt: skip


def stream(seed: int = 0, k: int = K) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROUNDS, 4)) * (rng.random((ROUNDS, 4)) < 0.7)
    X[7::20] = 0
    y = (X @ rng.normal(size=(4, k)) + 0.5 * rng.normal(size=(ROUNDS, k))).argmax(1)
    return X, y, rng.choice([0.0, 0.5, 1.0, 2.0], ROUNDS)


def learner(step: Any, focus: Any, **more: Any) -> Any:
    return hinge.Classifier(step, focus, **{"intercept": False, **more})


def taught(clf: Any, X: Any, y: Any, weights: Any = None, k: int = K) -> Any:
    return clf.partial_fit(X, y, classes=range(k), sample_weight=weights)


@pytest.mark.parametrize("name", FOCUSES)
def test_every_focus_is_what_its_twin_says(name: str) -> None:
    X, y, weights = stream()
    given = [*PRICED.values()] if name == "exact" else [*PRICED.values(), (hinge.Perceptron(), steps.Perceptron())]
    # Side by side in one learner: each of them must be what it is alone.
    clf = taught(learner([fast for fast, _ in given], FOCUSES[name]), X, y, weights)
    lanes = clf._engine.weights.reshape(-1, clf._engine.lanes)[:4]
    for c, (_, slow) in enumerate(given):
        twin = multilabel(slow, X, [[label] for label in y], labels=range(K), focus=name, weights=weights)
        first = c * clf._engine.stride
        np.testing.assert_allclose(lanes[:, first : first + K].T, twin.weights, rtol=1e-9, atol=1e-12)
        alone = taught(learner(given[c][0], FOCUSES[name]), X, y, weights)
        np.testing.assert_array_equal(alone.coef_, lanes[:, first : first + K].T)
        assert alone.certificate_.dual == pytest.approx(twin.dual, rel=1e-9)


@pytest.mark.parametrize(("share", "name"), [("uniform", "uniform"), ("max", "max"), ("proportional", "proportional")])
def test_the_perceptrons_of_crammer_and_singer(share: str, name: str) -> None:
    X, y, weights = stream(1)
    twin = crammer_singer(X, y, K, share, weights=weights)
    clf = taught(hinge.named(f"{name} Perceptron", intercept=False), X, y, weights)
    np.testing.assert_allclose(clf.coef_, twin.weights[:, :-1], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "coefficients"),
    [("uniform", [-1 / 3, 1, -1 / 3, -1 / 3]), ("max", [-1, 1, 0, 0]), ("proportional", [-0.5, 1, -0.5, 0])],
)
def test_shares_of_the_blame_by_hand(name: str, coefficients: list[float]) -> None:
    """Scores (0.5, 0.2, 0.5, 0.2) and the truth 1."""
    clf = taught(hinge.named(f"{name} Perceptron", intercept=False), np.zeros((0, 2)), np.zeros(0, int), k=4)
    clf._engine.weights.reshape(-1, clf._engine.lanes)[0, :4] = [0.5, 0.2, 0.5, 0.2]
    before = clf.coef_.copy()
    clf.learn_one(np.array([1.0, 0.0]), 1)
    np.testing.assert_allclose((clf.coef_ - before)[:, 0], coefficients, atol=1e-15)


def test_multi_vector_is_the_perceptron_on_the_predicted_label() -> None:
    X, y, weights = stream(2)
    clf = taught(hinge.named("multi-vector Perceptron", intercept=False), X, y, weights)
    twin = multi_vector(X, y, K, weights=weights)
    np.testing.assert_allclose(clf.coef_, twin.weights[:, :-1], rtol=1e-9, atol=1e-12)


def test_mira_is_the_exact_projection_with_its_beta() -> None:
    X, y, weights = stream(3)
    clf = taught(hinge.named("MIRA", intercept=False), X, y, weights)
    twin = mira(X, y, K, beta=0.01, C=1.0, weights=weights)
    np.testing.assert_allclose(clf.coef_, twin.weights[:, :-1], rtol=1e-8, atol=1e-10)


def test_mira_by_hand() -> None:
    """Scores (0.5, 0.2, 0.3), truth 1, ||x||² = 2, beta 0.01: (-0.0775, 0.0775, 0)."""
    clf = taught(hinge.named("MIRA", intercept=False), np.zeros((0, 2)), np.zeros(0, int), k=3)
    clf._engine.weights.reshape(-1, clf._engine.lanes)[0, :3] = [0.5, 0.2, 0.3]
    before = clf.coef_.copy()
    clf.learn_one(np.array([1.0, 1.0]), 1)
    np.testing.assert_allclose((clf.coef_ - before)[:, 0], [-0.0775, 0.0775, 0.0], atol=1e-12)


def test_the_predictions_of_simperc_do_not_depend_on_its_c() -> None:
    """[SP06] Corollary 1's remark: started at 0, a Perceptron's step only scales w. Powers of two scale exactly."""
    X, y, _ = stream(4)
    reports = [
        hinge.play(taught(learner(hinge.Perceptron(eta), hinge.Mistaken()), X[:0], y[:0]), X, y)
        for eta in (0.25, 1.0, 8.0)
    ]
    for report in reports[1:]:
        np.testing.assert_array_equal(report.predictions, reports[0].predictions)


def test_with_two_labels_all_focuses_of_one_constraint_agree() -> None:
    X, y, _ = stream(5, k=2)
    one = learner(hinge.PA1(0.3), hinge.Worst()).partial_fit(X, y, classes=[0, 1])
    for focus in (hinge.Violated(), hinge.Exact()):
        other = learner(hinge.PA1(0.3), focus).partial_fit(X, y, classes=[0, 1])
        np.testing.assert_allclose(other.coef_, one.coef_, rtol=1e-12)


def test_exact_is_worst_where_one_constraint_binds() -> None:
    """Two labels with costs are two lanes and one constraint."""
    X, y, weights = stream(6, k=2)
    cost = {(0, 1): 1.0}
    focuses = hinge.Worst(), hinge.Exact()
    one, other = (taught(learner(hinge.PA1(0.3), focus, cost=cost), X, y, weights, k=2) for focus in focuses)
    np.testing.assert_allclose(other.coef_, one.coef_, rtol=1e-9, atol=1e-12)


def test_exact_leaves_no_violated_constraint_that_it_could_satisfy() -> None:
    X, y, _ = stream(7)
    clf = taught(learner(hinge.PA(), hinge.Exact()), X[:0], y[:0])
    for x, label in zip(X, y, strict=True):
        clf.learn_one(x, label)
        if x.any():
            scores = clf.decision_function(x[None])[0]
            assert (scores[label] - np.delete(scores, label)).min() >= 1 - 1e-9


def test_exact_grows_the_dual_value_at_least_as_much_as_any_other_focus_in_the_first_round() -> None:
    X, y, _ = stream(8)
    first = slice(1, 2)
    learners = [taught(learner(hinge.PA1(0.05), focus), X[first], y[first]) for focus in FOCUSES.values()]
    duals = [clf.certificate_.dual for clf in learners]
    assert max(duals) == pytest.approx(duals[-1], rel=1e-12)
    assert min(duals) < duals[-1]


@pytest.mark.parametrize("step", [hinge.PA1(0.1), hinge.PA2(0.1)])
@pytest.mark.parametrize("name", FOCUSES)
def test_the_dual_value_is_a_floor_for_every_fixed_hypothesis(name: str, step: Any) -> None:
    X, y, _ = stream(9)
    dual = taught(learner(step, FOCUSES[name]), X, y).certificate_.dual
    rng = np.random.default_rng(9)
    for scale in (0.0, 0.3, 1.0, 3.0):
        U = scale * rng.normal(size=(K, 4))
        for candidate in (U, taught(learner(step, FOCUSES[name]), X, y).coef_ * scale):
            scores = X @ candidate.T
            own = scores[np.arange(len(y)), y]
            scores[np.arange(len(y)), y] = -np.inf
            losses = np.maximum(0, 1 - own + scores.max(1))
            power = 2 if isinstance(step, hinge.PA2) else 1
            assert dual <= 0.5 * (candidate**2).sum() + step.C * (losses**power).sum() + 1e-9


def test_what_does_not_go_together_is_refused() -> None:
    with pytest.raises(TypeError, match="price of slack"):
        learner(hinge.Perceptron(), hinge.Exact()).partial_fit([[1.0]], [0])
    with pytest.raises(TypeError, match=r"hinge\.Worst\(\)"):
        learner(hinge.PA1(), "worst").partial_fit([[1.0]], [0])
