# SPDX-License-Identifier: BSD-3-Clause
"""Rounds of many binary constraints in their raw form, against their slow twin and [SP06]'s small cases."""

import pickle
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import hinge
from hinge.native import INTERPRETED
from oracle import steps
from oracle.simultaneous import simultaneous

ROUNDS = 20 if INTERPRETED else 80
STEPS = {
    "PA1": (hinge.PA1(0.3), steps.PA1(0.3)), "PA2": (hinge.PA2(0.3), steps.PA2(0.3)),
    "Perceptron": (hinge.Perceptron(0.5), steps.Perceptron(0.5)),
}  # fmt: skip
FOCUSES = {"worst": hinge.Worst(), "violated": hinge.Violated(), "mistaken": hinge.Mistaken(), "exact": hinge.Exact()}


def stream(seed: int = 0) -> list[tuple[Any, Any]]:
    rng = np.random.default_rng(seed)
    rounds = []
    for _ in range(ROUNDS):
        k = int(rng.integers(1, 7))
        X = rng.normal(size=(k, 5)) * (rng.random((k, 5)) < 0.6)
        rounds.append((X, rng.choice([-1, 1], k)))
    return rounds


def halves(rounds: Any) -> tuple[list[Any], list[Any]]:
    return [X for X, _ in rounds], [y for _, y in rounds]


@pytest.mark.parametrize("focus", FOCUSES)
@pytest.mark.parametrize("step", STEPS)
def test_every_focus_is_what_its_twin_says(step: str, focus: str) -> None:
    fast, slow = STEPS[step]
    if focus == "exact" and step == "Perceptron":
        with pytest.raises(TypeError, match=r"hinge\.PA1"):
            hinge.ConstraintLearner(fast, FOCUSES[focus]).learn_one([[1.0]], [1])
        return
    rounds = stream()
    X, y = halves(rounds)
    weights = np.random.default_rng(1).choice([0.0, 0.5, 1.0, 2.0], ROUNDS)
    twin = simultaneous(slow, rounds, focus=focus, weights=weights)
    learner = hinge.ConstraintLearner(fast, FOCUSES[focus])
    report = hinge.play(learner, X, y, weights)
    close = {"rtol": 1e-6, "atol": 1e-8} if focus == "exact" else {"rtol": 1e-9, "atol": 1e-12}
    np.testing.assert_allclose(learner.coef_[0], twin.weights, **close)
    np.testing.assert_allclose(report.losses, twin.losses, **close)
    assert report.certificate.dual == pytest.approx(twin.dual, rel=1e-8)
    assert report.mistakes == sum(twin.imperfect)


@pytest.mark.parametrize("focus", ["worst", "violated", "mistaken"])
def test_prices_of_single_constraints(focus: str) -> None:
    rounds = stream(2)
    X, y = halves(rounds)
    nu = [np.random.default_rng(t).uniform(0.3, 3.0, len(labels)) for t, labels in enumerate(y)]
    twin = simultaneous(steps.PA1(0.3), rounds, focus=focus, nu=nu)
    learner = hinge.ConstraintLearner(hinge.PA1(0.3), FOCUSES[focus]).partial_fit(X, y, nu=nu)
    np.testing.assert_allclose(learner.coef_[0], twin.weights, rtol=1e-9, atol=1e-12)
    assert learner.certificate_.dual == pytest.approx(twin.dual, rel=1e-9)


@pytest.mark.parametrize(
    ("step", "focus", "expected"),
    [
        (hinge.PA1(1.0), hinge.Violated(), [0.75, 0.5]),
        (hinge.PA1(1.0), hinge.Mistaken(), [0.5, 1.0]),
        (hinge.Perceptron(1.0), hinge.Mistaken(), [0.5, 1.0]),
    ],
)
def test_small_case_of_the_sheet(step: Any, focus: Any, expected: list[float]) -> None:
    """w = (0.5, 0), rows I_2, y = 1, 1, C = 1."""
    learner = hinge.ConstraintLearner(hinge.PA1(0.5), hinge.Violated()).learn_one([[1.0, 0.0]], [1])
    assert learner.coef_.tolist() == [[0.5, 0.0]]
    other = hinge.ConstraintLearner(step, focus).learn_one(np.zeros((1, 2)), [1])
    other._engine.weights[:2] = [0.5, 0.0]
    assert other.learn_one(np.eye(2), [1, 1]).coef_.tolist() == [expected]


def test_a_zero_row_counts_among_the_violated() -> None:
    learner = hinge.ConstraintLearner(hinge.PA1(1.0), hinge.Violated())
    assert learner.learn_one([[0.0, 0.0], [1.0, 0.0]], [1, 1]).coef_.tolist() == [[0.5, 0.0]]


def test_one_round_at_a_time_is_a_batch_is_a_play_and_sparse_is_dense() -> None:
    X, y = halves(stream(3))
    batch = hinge.ConstraintLearner(hinge.PA1(0.3)).partial_fit(X, y)
    single, played = hinge.ConstraintLearner(hinge.PA1(0.3)), hinge.ConstraintLearner(hinge.PA1(0.3))
    for rows, labels in zip(X, y, strict=True):
        single.learn_one(sparse.csr_matrix(rows), labels)
    hinge.play(played, X, y)
    restored = pickle.loads(pickle.dumps(batch))
    for other in (single, played, restored):
        np.testing.assert_array_equal(other.coef_, batch.coef_)
    np.testing.assert_array_equal(restored.learn_one(X[0], y[0]).coef_, batch.learn_one(X[0], y[0]).coef_)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1.0, np.nan]], [1], "round 1 has NaN in row 0, column 1"),
        ([[1.0, 2.0]], [0], "labels are -1 and 1"),
        ([[1.0, 2.0]], [1, 1], "as many labels"),
        ([[1.0, 2.0, 3.0]], [1], "2 were expected"),
        ([1.0, 2.0], [1], "a matrix of numbers"),
        ([[1e200, 1.0]], [1], "round 1 holds"),
    ],
)
def test_a_bad_round_changes_nothing(X: Any, y: Any, message: str) -> None:
    learner = hinge.ConstraintLearner(hinge.PA1(0.3)).learn_one([[1.0, 2.0], [0.5, -1.0]], [1, -1])
    before = learner.coef_.copy()
    with pytest.raises(ValueError, match=message):
        learner.partial_fit([np.ones((1, 2)), X], [[1], y])
    np.testing.assert_array_equal(learner.coef_, before)
    assert learner._engine.totals[0, 0] == 1


def test_imperfect_rounds_stay_within_the_bound_of_the_paper() -> None:
    """[SP06] Theorem 1, for a hypothesis made with the stream in hand."""
    rng = np.random.default_rng(5)
    u = rng.normal(size=5)
    rounds = [(X, np.where(X @ u > 0, 1, -1)) for X in rng.normal(size=(ROUNDS, 3, 5)) / 5]
    R = max(np.linalg.norm(X, axis=1).max() for X, _ in rounds)
    C = 1.0 / R**2
    report = hinge.play(hinge.ConstraintLearner(hinge.PA1(C)), *halves(rounds))
    losses = [max(0.0, (1 - y * (X @ u)).max()) for X, y in rounds]
    bound = hinge.bounds.simultaneous_imperfect(report.mistakes, C=C, R=R, u=u, comparator_losses=losses)
    assert bound.holds
