# SPDX-License-Identifier: BSD-3-Clause
"""Kernels and budgets: against linear hypotheses, against their slow twins, and against what is proved."""

import math
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

import hinge
import oracle
from hinge.kernel_engine import MANY
from hinge.native import INTERPRETED
from hinge.spaces.kernel import memory as slots
from hinge.spaces.kernel.budgets import ALLOWANCE
from oracle import budgets as slow
from oracle.kernels import kernel_binary, kernel_multilabel, kernel_regression, linear, polynomial, rbf, sigmoid

ROUNDS = 60 if INTERPRETED else 300
CLOSE = {"rtol": 1e-8, "atol": 1e-9}
STEPS = {
    "Perceptron": (hinge.Perceptron(0.7), oracle.Perceptron(0.7)),
    "PA": (hinge.PA(), oracle.PA()),
    "PA1": (hinge.PA1(0.3), oracle.PA1(0.3)),
    "PA2": (hinge.PA2(0.3), oracle.PA2(0.3)),
}
FOCUSES = {
    "worst": hinge.Worst(),
    "predicted": hinge.Predicted(),
    "violated": hinge.Violated(),
    "mistaken": hinge.Mistaken(),
    "exact": hinge.Exact(),
}
KERNELS = {
    "linear": (hinge.Kernel("linear"), linear),
    "poly": (hinge.Kernel("poly", gamma=0.5, degree=3, coef0=1.0), polynomial(0.5, 1.0, 3)),
    "even": (hinge.Kernel("poly", gamma=1.0, degree=6, coef0=0.0), polynomial(1.0, 0.0, 6)),
    "rbf": (hinge.Kernel("rbf", gamma=0.3), rbf(0.3)),
    "sigmoid": (hinge.Kernel("sigmoid", gamma=0.2, coef0=-0.3), sigmoid(0.2, -0.3)),
}


class Picks:
    """The support that RandomBudget drops, by its place in the order of arrival, where the fast one drops a slot."""

    def __init__(self, size: int, seed: int = 1) -> None:
        self.order, self.random = list(range(size)), seed

    def __call__(self, size: int) -> int:
        self.random = self.random * slots.MULTIPLIER % slots.MODULUS
        place = self.order.index(self.random * size // slots.MODULUS)
        self.order.append(self.order.pop(place))
        return place


BUDGETS = {
    "RandomBudget": (lambda size: hinge.RandomBudget(size), lambda size: slow.RandomBudget(size, Picks(size))),
    "Forgetron": (lambda size: hinge.Forgetron(size), lambda size: slow.Forgetron(size)),
    "Projectron": (lambda size: hinge.Projectron(size, eta=0.3), lambda size: slow.Projectron(0.3, size)),
    "ProjectronPlus": (lambda size: hinge.ProjectronPlus(size, eta=0.3), lambda size: slow.ProjectronPlus(0.3, size)),
    "BudgetPA": (lambda size: hinge.BudgetPA(size), lambda size: slow.BudgetPA(size)),
}


def rows_of(seed: int, rounds: int = ROUNDS, width: int = 7) -> tuple[np.ndarray, np.random.Generator]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rounds, width)) * (rng.random((rounds, width)) < 0.6)
    X[3::41] = 0
    return X, rng


def stream(seed: int, labels: int, rounds: int = ROUNDS) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, some of zeros; labels of which some depend on the row, or targets; importance weights, some of them 0."""
    X, rng = rows_of(seed, rounds)
    scores = X @ rng.normal(size=(7, max(1, labels))) + rng.normal(size=(rounds, max(1, labels)))
    y = scores[:, 0] if labels == 0 else scores.argmax(1)
    if labels == 2:
        y = (scores[:, 0] > 0).astype(int)
    return X, y, rng.choice([0.0, 0.5, 1.0, 3.0], rounds)


def with_labels(learner: Any, X: Any, labels: int) -> Any:
    return learner.partial_fit(X[:0], np.zeros(0, int), classes=range(labels))


def agree(report: Any, twin: oracle.Pass, dual: bool = True, **tolerance: float) -> None:
    close = {**CLOSE, **tolerance}
    np.testing.assert_allclose(report.losses, twin.losses, **close)
    assert report.updates == twin.updates
    if dual:
        np.testing.assert_allclose(report.certificate.dual, twin.dual, rtol=1e-8, atol=1e-7)


def same_supports(learner: Any, twin: Any, **tolerance: float) -> None:
    rows = learner.support_.toarray() if sparse.issparse(learner.support_) else learner.support_
    np.testing.assert_allclose(rows.reshape(-1, 7), np.reshape(twin.supports.rows, (-1, 7)), rtol=1e-12)
    np.testing.assert_allclose(learner.dual_coef_.T, twin.weights, **{**CLOSE, **tolerance})


# ---------------------------------------------------------------------------- Kernel("linear") is linear, for all tasks


def multilabel_truths(X: np.ndarray) -> np.ndarray:
    return (X @ np.random.default_rng(5).normal(size=(7, 4)) > 0.3).astype(int)


TASKS = {
    "binary": (hinge.Classifier, {}, lambda X: stream(1, 2, len(X))[1]),
    "multiclass": (hinge.Classifier, {}, lambda X: stream(1, 5, len(X))[1]),
    "mean": (hinge.Classifier, {"average": True}, lambda X: stream(1, 5, len(X))[1]),
    "contenders": (hinge.Classifier, {"step": [hinge.PA1(0.3), hinge.PA2(0.1)]}, lambda X: stream(1, 5, len(X))[1]),
    "cost": (hinge.Classifier, {"cost": {(1, 2): 3.0}}, lambda X: stream(1, 3, len(X))[1]),
    "exact": (hinge.Classifier, {"focus": hinge.Exact()}, lambda X: stream(1, 5, len(X))[1]),
    "regression": (hinge.Regressor, {}, lambda X: stream(1, 0, len(X))[1]),
    "multilabel": (hinge.MultilabelClassifier, {}, multilabel_truths),
}


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("task", TASKS)
def test_the_linear_kernel_is_linear(task: str, kind: str) -> None:
    make, more, truths = TASKS[task]
    X, _, weights = stream(1, 2)
    y = truths(X)
    rows = sparse.csr_matrix(X) if kind == "sparse" else X
    arguments = {"step": hinge.PA1(0.3), **more}
    plain, kernel = make(**arguments, intercept=False), make(**arguments, space=hinge.Kernel("linear"))
    one, other = hinge.play(plain, rows, y, weights), hinge.play(kernel, rows, y, weights)
    np.testing.assert_allclose(other.losses, one.losses, **CLOSE)
    assert other.updates == one.updates
    assert other.mistakes == one.mistakes
    assert other.cost == pytest.approx(one.cost)
    assert other.certificate.dual == pytest.approx(one.certificate.dual)
    np.testing.assert_allclose(kernel.coef_, plain.coef_, **CLOSE)
    np.testing.assert_allclose(kernel.decision_function(rows), plain.decision_function(rows), **CLOSE)
    assert (kernel.intercept_ == 0).all()
    for x in X[:5]:
        assert kernel.predict_one(x) == pytest.approx(plain.predict_one(x))


# ------------------------------------------------------------------------------------------------------- the slow twins


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("kernel", KERNELS)
def test_two_labels(kernel: str, name: str) -> None:
    step, slow_step = STEPS[name]
    space, K = KERNELS[kernel]
    X, y, weights = stream(2, 2)
    twin = kernel_binary(slow_step, X, y, K, classes=(0, 1), weights=weights)
    for rows in (X, sparse.csr_matrix(X)):
        learner = with_labels(hinge.Classifier(step, hinge.Worst(), space=space), rows, 2)
        report = hinge.play(learner, rows, y, weights)
        agree(report, twin, atol=1e-7)
        assert report.predictions.tolist() == twin.predictions
        if kernel != "even":
            same_supports(learner, twin)


@pytest.mark.parametrize("focus", FOCUSES)
@pytest.mark.parametrize("name", ["Perceptron", "PA1"])
def test_many_labels(name: str, focus: str) -> None:
    if (name, focus) == ("Perceptron", "exact"):
        pytest.skip("the Perceptron has no problem that could be solved exactly")
    step, slow_step = STEPS[name]
    space, K = KERNELS["rbf"]
    X, y, weights = stream(3, 4)
    twin = kernel_multilabel(slow_step, X, [[label] for label in y], K, range(4), focus=focus, weights=weights)
    learner = with_labels(hinge.Classifier(step, FOCUSES[focus], space=space), X, 4)
    report = hinge.play(learner, X, y, weights)
    agree(report, twin, atol=1e-6)
    assert report.predictions.tolist() == twin.predictions
    same_supports(learner, twin, atol=1e-7)


@pytest.mark.parametrize("name", STEPS)
def test_numbers(name: str) -> None:
    step, slow_step = STEPS[name]
    space, K = KERNELS["poly"]
    X, y, weights = stream(4, 0)
    twin = kernel_regression(slow_step, X, y, K, epsilon=0.2, weights=weights)
    learner = hinge.Regressor(step, epsilon=0.2, space=space)
    report = hinge.play(learner, X, y, weights)
    agree(report, twin, rtol=1e-6, dual=False)
    np.testing.assert_allclose(report.predictions, twin.predictions, rtol=1e-6, atol=1e-8)


def test_sets_of_labels() -> None:
    X, rng = rows_of(6)
    truths = [tuple(np.flatnonzero(rng.random(4) < 0.4).tolist()) for _ in X]
    space, K = KERNELS["rbf"]
    twin = kernel_multilabel(oracle.PA1(0.3), X, truths, K, range(4))
    learner = hinge.MultilabelClassifier(hinge.PA1(0.3), calibrated=False, space=space)
    report = hinge.play(learner.partial_fit(X[:0], [], classes=range(4)), X, truths)
    agree(report, twin)
    same_supports(learner, twin)


# -------------------------------------------------------------------------------------------------------------- budgets


@pytest.mark.parametrize("size", [1, 3, 100])  # the last needs more room than there is at first
@pytest.mark.parametrize("name", BUDGETS)
def test_budgets_are_what_their_oracles_say(name: str, size: int) -> None:
    fast, twin_of = BUDGETS[name]
    X, y, weights = stream(7, 2)
    space = hinge.Kernel("rbf", gamma=0.3, budget=fast(size))
    for step in ("Perceptron", "PA1"):
        twin = kernel_binary(STEPS[step][1], X, y, rbf(0.3), classes=(0, 1), weights=weights, budget=twin_of(size))
        for rows in (X, sparse.csr_matrix(X)):
            learner = with_labels(hinge.Classifier(STEPS[step][0], hinge.Worst(), space=space), rows, 2)
            agree(hinge.play(learner, rows, y, weights), twin, dual=False)
            same_supports(learner, twin)
            assert len(learner.dual_coef_[0]) <= size
            one_by_one = with_labels(hinge.Classifier(STEPS[step][0], hinge.Worst(), space=space), rows, 2)
            for row, label, weight in zip(rows, y.tolist(), weights.tolist(), strict=True):
                one_by_one.learn_one(row, label, weight)
            same_supports(one_by_one, twin)


@pytest.mark.parametrize("name", BUDGETS)
def test_budgets_of_many_lanes(name: str) -> None:
    fast, twin_of = BUDGETS[name]
    space = hinge.Kernel("rbf", gamma=0.3, budget=fast(12))
    X, y, weights = stream(8, 4)
    truths = [[label] for label in y]
    twin = kernel_multilabel(oracle.PA1(0.3), X, truths, rbf(0.3), range(4), weights=weights, budget=twin_of(12))
    learner = with_labels(hinge.Classifier(hinge.PA1(0.3), space=space), X, 4)
    agree(hinge.play(learner, X, y, weights), twin, dual=False)
    same_supports(learner, twin)


@pytest.mark.parametrize("name", BUDGETS)
def test_budgets_of_numbers(name: str) -> None:
    fast, twin_of = BUDGETS[name]
    X, y, weights = stream(9, 0)
    twin = kernel_regression(oracle.PA1(0.3), X, y, rbf(0.3), epsilon=0.2, weights=weights, budget=twin_of(12))
    learner = hinge.Regressor(hinge.PA1(0.3), epsilon=0.2, space=hinge.Kernel("rbf", gamma=0.3, budget=fast(12)))
    agree(hinge.play(learner, X, y, weights), twin, dual=False)
    same_supports(learner, twin)


NUMBERS = st.integers(-12, 12).map(lambda n: n / 4)


@st.composite
def streams(draw: st.DrawFn, most: int = 25, width: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows no longer than 1 (some zero), labels, and a comparator."""
    n, d = draw(st.integers(1, most)), draw(st.integers(1, width))
    X = np.array(draw(st.lists(st.lists(NUMBERS, min_size=d, max_size=d), min_size=n, max_size=n)))
    y = np.array(draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n)))
    u = np.array(draw(st.lists(NUMBERS, min_size=d, max_size=d)))
    return X / np.maximum(1, np.linalg.norm(X, axis=1))[:, None], y, u


def perceptron_with(budget: Any, function: str = "linear") -> Any:
    return hinge.Classifier(hinge.Perceptron(), hinge.Worst(), space=hinge.Kernel(function, budget=budget))


@given(streams(), st.integers(1, 4), st.sampled_from(["linear", "rbf"]))
@settings(max_examples=40)
def test_the_forgetrons_damage_never_exceeds_its_allowance(drawn, size: int, function: str) -> None:
    X, y, _ = drawn
    learner = perceptron_with(hinge.Forgetron(size), function).partial_fit(X[:0], y[:0], classes=[-1, 1])
    for x, label in zip(X, y.tolist(), strict=True):
        learner.learn_one(x, label)
        state = learner._engine.state
        assert state[slots.DAMAGE] <= ALLOWANCE * state[slots.MOVES] + 1e-12
        assert len(learner.dual_coef_[0]) <= size
    assert learner._engine.state[slots.MOVES] == learner.contenders_[0].updates


def test_the_forgetron_by_hand() -> None:
    learner = perceptron_with(hinge.Forgetron(1)).partial_fit(np.eye(2)[:0], [], classes=[-1, 1])
    learner.partial_fit(np.eye(2), [1, 1])
    assert learner.dual_coef_.tolist() == [[0.75]]  # Psi = 2 phi - phi² <= 15/16 at 3/4
    assert learner.support_.tolist() == [[0, 1]]
    assert learner._engine.state[slots.DAMAGE] == pytest.approx(15 / 16)


@given(streams(), st.sampled_from([0.05, 0.25, 0.5]))
@settings(max_examples=40)
def test_what_the_projectron_loses_is_bounded(drawn, eta: float) -> None:
    """||delta|| <= eta for each projection, ||f||² <= M, and M (1 - eta U) <= L + U sqrt(M)."""
    X, y, u = drawn
    learner = perceptron_with(hinge.Projectron(eta=eta)).partial_fit(X[:0], y[:0], classes=[-1, 1])
    learner.partial_fit(X, y)
    M = learner.contenders_[0].updates
    assert learner._engine.state[slots.LOST] <= eta
    assert np.sum(learner.coef_**2) <= M + 1e-7
    U, L = np.linalg.norm(u), np.maximum(0, 1 - y * (X @ u)).sum()
    assert M * (1 - eta * U) <= L + U * np.sqrt(M) + 1e-7
    assert len(learner.dual_coef_[0]) <= min(M, X.shape[1])


@given(streams(), st.sampled_from([0.25, 0.5]))
@settings(max_examples=40)
def test_projectron_plus_keeps_within_the_span(drawn, eta: float) -> None:
    X, y, _ = drawn
    plus = perceptron_with(hinge.ProjectronPlus(eta=eta)).partial_fit(X[:0], y[:0], classes=[-1, 1]).partial_fit(X, y)
    twin = kernel_binary(oracle.Perceptron(), X, y, linear, budget=slow.ProjectronPlus(eta))
    if all(abs(score) > 1e-9 or t == 0 for t, score in enumerate(twin.scores)):
        w = sum((a[0] * row for row, a in twin.supports), start=np.zeros(X.shape[1]))
        np.testing.assert_allclose(plus.coef_[0], w, atol=1e-6)
    assert plus._engine.state[slots.LOST] <= eta


def test_the_certificate_is_of_the_rounds_before_anything_was_given_up() -> None:
    X, y, _ = stream(10, 2)
    free = hinge.Classifier(hinge.PA1(0.3), space=hinge.Kernel("rbf", 0.3)).partial_fit(X[:0], y[:0], classes=[0, 1])
    bounded = hinge.Classifier(hinge.PA1(0.3), space=hinge.Kernel("rbf", 0.3, budget=hinge.BudgetPA(10)))
    bounded.partial_fit(X[:0], y[:0], classes=[0, 1])
    dual = 0.0
    for x, label in zip(X, y.tolist(), strict=True):
        free.learn_one(x, label)
        bounded.learn_one(x, label)
        if free.dual_coef_.shape[1] <= 11:  # with the eleventh the first is given up: its own round still counts
            dual = free.certificate_.dual
        assert bounded.certificate_.dual == pytest.approx(dual)
    assert free.certificate_.dual > dual > 0


# ------------------------------------------------------------------------------------------------ batches, rows, labels


@pytest.mark.parametrize("budget", [None, "Forgetron", "Projectron"])
def test_any_split_into_batches_decides_alike(budget: str | None, rng: np.random.Generator) -> None:
    X, y, weights = stream(11, 4)
    space = hinge.Kernel("poly", degree=2, coef0=1.0, budget=budget and BUDGETS[budget][0](25))
    whole = hinge.Classifier(hinge.PA1(0.3), space=space).partial_fit(X, y, sample_weight=weights)
    ends = np.sort(rng.choice(len(X), 9))
    parts, single = hinge.Classifier(hinge.PA1(0.3), space=space), hinge.Classifier(hinge.PA1(0.3), space=space)
    for rows in np.split(np.arange(len(X)), ends):
        parts.partial_fit(X[rows], y[rows], sample_weight=weights[rows])
    for x, label, weight in zip(X, y.tolist(), weights.tolist(), strict=True):
        single.learn_one(x, label, weight)
    for other in (parts, single):
        assert other.contenders_[0][1:4] == whole.contenders_[0][1:4]
        assert other.classes_.tolist() == whole.classes_.tolist()
        np.testing.assert_allclose(other.support_, whole.support_)
        np.testing.assert_allclose(other.dual_coef_, whole.dual_coef_, atol=1e-7)


@pytest.mark.parametrize("name", [None, *BUDGETS])
def test_labels_may_come_late(name: str | None) -> None:
    X, y, _ = stream(12, 5)
    y = np.sort(y)
    y[::7] = y[::-7]
    budget = name and BUDGETS[name][0](200)
    late = hinge.Classifier(hinge.PA1(0.3), space=hinge.Kernel("linear", budget=budget))
    plain = hinge.Classifier(hinge.PA1(0.3), intercept=False)
    size = min(len(X), 120)
    late.partial_fit(X[:size], y[:size])
    plain.partial_fit(X[:size], y[:size])
    assert late.classes_.tolist() == plain.classes_.tolist()
    if name in (None, "RandomBudget", "Forgetron", "BudgetPA"):  # not full yet: nothing was lost
        np.testing.assert_allclose(late.coef_, plain.coef_, **CLOSE)
    for label in ("new", ("a", "tuple")):
        late.learn_one(X[0], label)
        plain.learn_one(X[0], label)
    assert late.dual_coef_.shape[0] == len(plain.classes_)


def test_a_learner_takes_rows_of_every_kind() -> None:
    X, y, _ = stream(13, 3)
    space = hinge.Kernel("rbf", gamma=0.3)
    dense = hinge.Classifier(hinge.PA1(0.3), space=space).partial_fit(X, y)
    for first in (X, sparse.csr_matrix(X)):
        mixed = hinge.Classifier(hinge.PA1(0.3), space=space)
        half = len(X) // 2
        mixed.partial_fit(first[:half], y[:half])
        mixed.partial_fit(sparse.csr_matrix(X[half:-10]), y[half:-10]).partial_fit(X[-10:-5], y[-10:-5])
        for x, label in zip(X[-5:], y[-5:].tolist(), strict=True):
            mixed.learn_one({j: value for j, value in enumerate(x) if value}, label)
        assert sparse.issparse(mixed.support_) == sparse.issparse(first)
        np.testing.assert_allclose(mixed.dual_coef_, dense.dual_coef_, **CLOSE)
    named = hinge.Classifier(hinge.PA1(0.3), space=space)
    names = [{f"feature {j}": value for j, value in enumerate(x) if value} for x in X]
    named.partial_fit(names, y)
    np.testing.assert_allclose(named.dual_coef_, dense.dual_coef_, **CLOSE)
    assert named.support_.shape == (dense.support_.shape[0], len(named.feature_names_in_))
    np.testing.assert_allclose(named.decision_function(names), dense.decision_function(X), **CLOSE)


def test_rows_out_of_order_and_with_features_twice() -> None:
    data, indices, indptr = [1.0, 2.0, 3.0, 1.0], [2, 0, 1, 1], [0, 2, 4]
    messy = sparse.csr_matrix((data, indices, indptr), shape=(2, 3))
    tidy = np.array([[2.0, 0.0, 1.0], [0.0, 4.0, 0.0]])
    space = hinge.Kernel("poly", degree=2)
    one, other = hinge.Classifier(hinge.PA(), space=space), hinge.Classifier(hinge.PA(), space=space)
    one.partial_fit(messy, ["a", "b"])
    other.partial_fit(tidy, ["a", "b"])
    np.testing.assert_allclose(one.support_.toarray(), other.support_)
    np.testing.assert_allclose(one.dual_coef_, other.dual_coef_)
    np.testing.assert_allclose(one.learn_one(messy[1], "c").decision_function(messy), other.learn_one(tidy[1], "c")
                               .decision_function(tidy))  # fmt: skip


def test_texts() -> None:
    clf = hinge.Classifier(hinge.PA(), space=hinge.Kernel("poly", degree=2, coef0=1.0))
    clf.partial_fit(["free prize inside", "see you at home", "win a prize"], ["spam", "ham", "spam"])
    assert clf.predict_one("a free prize") == "spam"
    assert clf.support_.dtype == clf.dual_coef_.dtype == np.float32
    assert clf.learn_one("home at last", "ham").predict(["at home"]).tolist() == ["ham"]


def test_float32_stays_float32() -> None:
    X, y, _ = stream(14, 3)
    wide = hinge.Classifier(hinge.PA1(0.3), space=hinge.Kernel("rbf", 0.3)).partial_fit(X, y)
    for rows in (X.astype(np.float32), sparse.csr_matrix(X.astype(np.float32))):
        narrow = hinge.Classifier(hinge.PA1(0.3), space=hinge.Kernel("rbf", 0.3)).partial_fit(rows, y)
        assert narrow.dual_coef_.dtype == narrow.support_.dtype == narrow.decision_function(rows).dtype == np.float32
        np.testing.assert_allclose(narrow.decision_function(rows), wide.decision_function(X), atol=1e-3)


def test_rows_without_length_and_empty_batches() -> None:
    for space, moves in ((hinge.Kernel("linear"), 0), (hinge.Kernel("rbf"), 1)):
        learner = hinge.Classifier(hinge.PA(), space=space).partial_fit(np.zeros((0, 2)), [], classes=[0, 1])
        learner.partial_fit(np.zeros((0, 2)), []).partial_fit([[0.0, 0.0]], [1])
        assert learner.contenders_[0].updates == moves
        assert learner.support_.shape == (moves, 2)
        assert learner.predict(np.zeros((0, 2))).shape == (0,)
    negative = hinge.Classifier(hinge.PA(), space=hinge.Kernel("sigmoid", coef0=-3.0))
    assert negative.partial_fit([[1.0]], ["a"]).contenders_[0].updates == 0


# ------------------------------------------------------------------------------------------------- kernels of one's own


@hinge.compiled
def gaussian(dot: float, q: float, r: float) -> float:
    return math.exp(-0.3 * (q + r - 2.0 * dot))


@hinge.compiled
def gaussian_of_rows(x: Any, z: Any) -> float:
    total = 0.0
    for j in range(x.size):
        total += (x[j] - z[j]) ** 2
    return math.exp(-0.3 * total)


def plain_gaussian(x: np.ndarray, z: np.ndarray) -> float:
    return float(np.exp(-0.3 * (x - z) @ (x - z)))


@pytest.mark.parametrize("function", [gaussian, gaussian_of_rows, plain_gaussian])
@pytest.mark.parametrize("budget", [None, "Forgetron"])
def test_kernels_of_ones_own(function: Any, budget: str | None) -> None:
    X, y, _ = stream(15, 3, rounds=80)
    kept = budget and BUDGETS[budget][0](20)
    built_in = hinge.Classifier(hinge.PA1(0.3), space=hinge.Kernel("rbf", 0.3, budget=kept)).partial_fit(X, y)
    for rows in (X, sparse.csr_matrix(X)):
        own = hinge.Classifier(hinge.PA1(0.3), space=hinge.Kernel(function, budget=kept)).partial_fit(rows, y)
        np.testing.assert_allclose(own.dual_coef_, built_in.dual_coef_, **CLOSE)
        np.testing.assert_allclose(own.decision_function(rows), built_in.decision_function(X), **CLOSE)
        assert own.predict_one(X[0]) == built_in.predict_one(X[0])
        again = pickle.loads(pickle.dumps(own)).partial_fit(rows[:10], y[:10])
        np.testing.assert_array_equal(again.dual_coef_, own.partial_fit(rows[:10], y[:10]).dual_coef_)


@pytest.mark.parametrize("budget", [None, *BUDGETS])
def test_a_precomputed_gram_matrix(budget: str | None) -> None:
    X, y, _ = stream(16, 3, rounds=80)
    gram = np.exp(-0.3 * ((X[:, None] - X[None]) ** 2).sum(-1))
    kept = budget and BUDGETS[budget][0](20)
    built_in = hinge.Classifier(hinge.PA1(0.3), space=hinge.Kernel("rbf", 0.3, budget=kept), passes=2).fit(X, y)
    looked_up = hinge.Classifier(hinge.PA1(0.3), space=hinge.Kernel("precomputed", budget=kept), passes=2).fit(gram, y)
    np.testing.assert_allclose(looked_up.dual_coef_, built_in.dual_coef_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(X[looked_up.support_], built_in.support_)
    np.testing.assert_allclose(looked_up.decision_function(gram), built_in.decision_function(X), rtol=1e-6, atol=1e-8)


# ------------------------------------------------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    ("parameters", "kind", "says"),
    [
        ({"space": hinge.Kernel("rfb")}, ValueError, "Did you mean 'rbf'"),
        ({"space": hinge.Kernel(3)}, TypeError, "a function"),
        ({"space": hinge.Kernel("rbf", gamma=0.0)}, ValueError, "above 0"),
        ({"space": hinge.Kernel("rbf", gamma="auto")}, TypeError, "gamma of a kernel must be a number"),
        ({"space": hinge.Kernel("poly", degree=2.5)}, ValueError, "whole number"),
        ({"space": hinge.Kernel("poly", coef0=math.nan)}, ValueError, "finite"),
        ({"space": hinge.Kernel(hinge.compiled(lambda x: 1.0))}, TypeError, "takes 1 arguments"),
        ({"space": hinge.Kernel("rbf", budget=100)}, TypeError, "budget must be None or one of"),
        ({"space": hinge.Kernel("rbf", budget=hinge.Forgetron)}, TypeError, "an instance was expected"),
        ({"space": hinge.Kernel("rbf", budget=hinge.Forgetron(0))}, ValueError, "from 1 on"),
        ({"space": hinge.Kernel("rbf", budget=hinge.Forgetron(2.0))}, TypeError, "whole number"),
        ({"space": hinge.Kernel("rbf", budget=hinge.Projectron(eta=-1.0))}, ValueError, "not negative"),
        ({"space": hinge.Kernel("rbf", budget=hinge.ProjectronPlus(eta=0.0))}, ValueError, "above 0"),
        ({"space": hinge.Kernel("rbf", budget=hinge.RandomBudget(2, seed=0))}, ValueError, "seed must be from 1"),
        ({"space": hinge.Kernel(), "intercept": True}, ValueError, "no intercept"),
        ({"space": hinge.Kernel(budget=hinge.Forgetron(2)), "average": True}, ValueError, "every support"),
        ({"space": hinge.Kernel(budget=hinge.Forgetron(2)), "step": [hinge.PA(), hinge.PA1()]}, ValueError, "share"),
        ({"space": hinge.Kernel("precomputed"), "random_state": 1}, ValueError, "random order"),
    ],
)
def test_what_does_not_go_is_said(parameters: dict[str, Any], kind: Any, says: str) -> None:
    learner = hinge.Classifier(**parameters)
    with pytest.raises(kind, match=says):
        learner.fit([[1.0]], [0])
    assert not learner.__sklearn_is_fitted__()


def figures(learner: Any) -> Any:
    """All that a learner knows, comparable."""
    supports = learner.support_
    rows = supports.toarray() if sparse.issparse(supports) else supports
    engine = learner._engine
    return rows.tolist(), learner.dual_coef_.tolist(), engine.totals.tolist(), engine.state.tolist(), engine.width


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("name", [None, *BUDGETS])
def test_a_failed_call_changes_nothing(name: str | None, kind: str) -> None:
    X, y, _ = stream(17, 4, rounds=90)
    space = hinge.Kernel("poly", degree=3, budget=name and BUDGETS[name][0](9))
    as_kind = sparse.csr_matrix if kind == "sparse" else np.asarray
    learner = hinge.Classifier(hinge.PA1(0.3), space=space).partial_fit(as_kind(X), y)
    before = figures(learner)
    for value, says in ((math.nan, "NaN in row 70, column 3"), (1e160, "row 70, column 3"), (1e70, "too large")):
        bad = X.copy()
        bad[70, 3] = value
        with pytest.raises(ValueError, match=says):
            learner.partial_fit(as_kind(bad), [*y[:60], *["novel"] * 30])
        assert figures(learner) == before
        with pytest.raises(ValueError, match=says.split(" in ")[0] if value != 1e160 else "large"):
            learner.learn_one(as_kind(bad[70:71]) if kind == "sparse" else bad[70], "novel")
        assert figures(learner) == before
        assert learner.classes_.tolist() == list(dict.fromkeys(y.tolist()))
    with pytest.raises(ValueError, match="6 features"):
        learner.partial_fit(as_kind(X[:, :6]), y)
    with pytest.raises(ValueError, match="weight"):
        learner.learn_one(X[0], 1, weight=-1.0)
    assert figures(learner) == before
    fresh = hinge.Classifier(hinge.PA1(0.3), space=space).partial_fit(as_kind(X), y)
    assert figures(fresh.partial_fit(as_kind(X), y)) == figures(learner.partial_fit(as_kind(X), y))


def test_a_kernel_that_fails_changes_nothing() -> None:
    def picky(x: np.ndarray, z: np.ndarray) -> Any:
        if x[0] == 13:
            raise RuntimeError("unlucky")
        return "much" if x[0] == 14 else float(x @ z)

    X = np.arange(1.0, 9.0)[:, None]
    learner = hinge.Classifier(hinge.PA(), space=hinge.Kernel(picky)).partial_fit(X, [0, 1] * 4)
    before = figures(learner)
    for number, kind, says in ((13.0, RuntimeError, "unlucky"), (14.0, TypeError, "must answer with a number")):
        with pytest.raises(kind, match=says):
            learner.partial_fit([[3.0], [number]], [0, 1])
        with pytest.raises(kind, match=says):
            learner.learn_one([number], 0)
        assert figures(learner) == before


# ------------------------------------------------------------------------------------------------------- growth, memory


def test_growth_is_announced_once() -> None:
    X = np.eye(MANY + 300, dtype=np.float32)
    y = np.zeros(len(X), int)
    learner = hinge.Classifier(hinge.PA(), space=hinge.Kernel("linear")).partial_fit(X[:0], y[:0], classes=[0, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learner.partial_fit(X[:MANY], y[:MANY])
    with pytest.warns(hinge.GrowthWarning, match="budget=hinge.Projectron"):
        learner.partial_fit(X[MANY:-1], y[MANY:-1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learner.learn_one(X[-1], 0)
        pickle.loads(pickle.dumps(learner)).partial_fit(X[:5], y[:5])
    bounded = hinge.Classifier(hinge.PA(), space=hinge.Kernel("linear", budget=hinge.RandomBudget(MANY + 100)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bounded.partial_fit(X[: MANY + 200], y[: MANY + 200])


def test_memory_is_supports_times_row_and_lanes(rng: np.random.Generator) -> None:
    n, d, k = 600, 50, 8
    X, y = rng.normal(size=(n, d)), rng.integers(0, k, n)
    for rows, of_row in ((X, 8 * d), (sparse.csr_matrix(X), 12 * d)):
        learner = hinge.Classifier(hinge.PA1(), space=hinge.Kernel("rbf")).partial_fit(rows, y)
        supports = learner.support_.shape[0]
        assert supports > 500
        each = of_row + 8 * k + 64
        assert learner._engine.nbytes <= 2 * each * supports + 4096
        assert len(pickle.dumps(learner)) <= 2 * each * supports + 65536
    for budget in (hinge.RandomBudget(100), hinge.Forgetron(100), hinge.BudgetPA(100)):
        learner = hinge.Classifier(hinge.PA1(), space=hinge.Kernel("rbf", budget=budget)).partial_fit(X, y)
        assert learner._engine.nbytes <= 2 * (8 * d + 8 * k + 64) * 100 + 32 * 8 * 128 + 4096


# ----------------------------------------------------------------------------------------------- files, copies, sklearn


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("name", [None, *BUDGETS])
def test_saved_and_restored_to_the_last_bit(name: str | None, kind: str, tmp_path: Any) -> None:
    X, y, _ = stream(18, 4, rounds=90)
    rows = sparse.csr_matrix(X) if kind == "sparse" else X
    space = hinge.Kernel("rbf", gamma=0.3, budget=name and BUDGETS[name][0](20))
    learner = hinge.Classifier(hinge.PA1(0.3), space=space).partial_fit(rows, y)
    learner.save(tmp_path / "model.hinge")
    copies = [hinge.load(tmp_path / "model.hinge"), pickle.loads(pickle.dumps(learner))]
    for copy in copies:
        assert figures(copy) == figures(learner)
        assert copy.get_params() == learner.get_params()
        np.testing.assert_array_equal(copy.decision_function(rows), learner.decision_function(rows))
    learner.partial_fit(rows, np.roll(y, 1)).learn_one(X[3], "new")
    for copy in copies:
        assert figures(copy.partial_fit(rows, np.roll(y, 1)).learn_one(X[3], "new")) == figures(learner)


def test_other_kernels_in_files(tmp_path: Any) -> None:
    X, y, _ = stream(18, 2, rounds=60)
    gram = X @ X.T
    learners = [
        hinge.Classifier(space=hinge.Kernel("precomputed", budget=hinge.Forgetron(9))).fit(gram, y),
        hinge.Classifier([hinge.PA1(), hinge.PA2()], space=hinge.Kernel("poly"), average=True).fit(X, y),
        hinge.Regressor(space=hinge.Kernel("sigmoid", gamma=0.1)).fit(X, y),
        hinge.Classifier(space=hinge.Kernel("linear")).partial_fit(X[:0], y[:0], classes=[0, 1]),
        hinge.Classifier(space=hinge.Kernel("linear")),
    ]
    for learner, rows in zip(learners, [gram, X, X, X, X], strict=True):
        learner.save(tmp_path / "model.hinge")
        copy = hinge.load(tmp_path / "model.hinge")
        for known in (learner, copy):
            known.partial_fit(rows, y)
        np.testing.assert_array_equal(copy.dual_coef_, learner.dual_coef_)
    own = hinge.Classifier(space=hinge.Kernel(plain_gaussian)).fit(X, y)
    with pytest.raises(TypeError, match="a function is code"):
        own.save(tmp_path / "own.hinge")
    assert not (tmp_path / "own.hinge").exists()


def test_scikit_learns_tools() -> None:
    from sklearn.model_selection import GridSearchCV

    X, y, _ = stream(19, 2, rounds=60)
    learner = hinge.Classifier(hinge.PA1(0.3), space=hinge.Kernel("rbf", budget=hinge.Projectron(20)))
    assert clone(learner).get_params() == learner.get_params()
    search = GridSearchCV(learner, {"space": [hinge.Kernel("linear"), hinge.Kernel("poly", degree=2)]}, cv=2)
    assert search.fit(X, y).best_params_["space"].function in ("linear", "poly")


def test_attributes_of_the_other_space_say_where_to_look() -> None:
    plain, kernel = hinge.Classifier().fit([[1.0]], [0]), hinge.Classifier(space=hinge.Kernel()).fit([[1.0]], [0])
    with pytest.raises(AttributeError, match="coef_"):
        plain.dual_coef_
    with pytest.raises(AttributeError, match="dual_coef_"):
        kernel.coef_
    with pytest.raises(AttributeError, match="once something"):
        hinge.Classifier(space=hinge.Kernel()).support_
