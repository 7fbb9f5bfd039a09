# SPDX-License-Identifier: BSD-3-Clause
"""The engine against its slow twins: every task, step and focus, on random streams and on those hypothesis makes.

Hypotheses, predictions, losses and the dual value must agree. In float64 they do so to rounding; streams of small
whole numbers, where no rounding happens, must agree exactly.
"""

import dataclasses
import json
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse

import hinge
import oracle
from hinge.native import INTERPRETED

ROUNDS = 40 if INTERPRETED else 300
STEPS = {
    "Perceptron": (hinge.Perceptron(eta=0.7), oracle.Perceptron(0.7)),
    "PA": (hinge.PA(), oracle.PA()),
    "PA1": (hinge.PA1(C=0.3), oracle.PA1(0.3)),
    "PA2": (hinge.PA2(C=0.3), oracle.PA2(0.3)),
}
FOCUSES = {"worst": hinge.Worst(), "predicted": hinge.Predicted()}
CLOSE = {"rtol": 1e-8, "atol": 1e-9}


@dataclasses.dataclass(frozen=True)
class OnlyMistaken:
    """With one constraint a round, focus Predicted is any step that moves on mistaken constraints alone."""

    step: Any

    def tau(self, loss: float, sq_norm: float, weight: float, mistaken: bool) -> float:
        return self.step.tau(loss, sq_norm, weight, mistaken) if mistaken else 0.0

    def slack_price(self, tau: float, weight: float) -> float:
        return self.step.slack_price(tau, weight)


@dataclasses.dataclass(frozen=True)
class Stream:
    """Rows with labels of which some depend on the row, importance weights, some of them 0, some rows of zeros."""

    X: Any
    y: Any
    weights: Any


def stream(seed: int, labels: int, rounds: int = ROUNDS, width: int = 7) -> Stream:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rounds, width)) * (rng.random((rounds, width)) < 0.6)
    X[3::41] = 0
    scores = X @ rng.normal(size=(width, max(labels, 1))) + rng.normal(size=(rounds, max(labels, 1)))
    y = scores[:, 0] if labels == 0 else scores.argmax(1)
    if labels:
        y[:labels] = np.arange(labels)
    weights = rng.choice([0.0, 0.5, 1.0, 3.0], rounds)
    return Stream(X, y, weights)


def agree(report: Any, twin: oracle.Pass, step: Any, tolerance: dict[str, float] | None = None) -> None:
    close = tolerance or CLOSE
    np.testing.assert_allclose(report.losses, twin.losses, **close)
    np.testing.assert_allclose(report.loss, sum(twin.losses), **close)
    assert report.updates == twin.updates
    np.testing.assert_allclose(report.certificate.dual, twin.dual, **{**close, "atol": 100 * close["atol"]})


def as_rows(X: Any, kind: str) -> Any:
    return sparse.csr_matrix(X) if kind == "sparse" else X


def plays(learner: Any, rows: Stream, kind: str = "dense", dtype: Any = np.float64) -> Any:
    return hinge.play(learner, as_rows(rows.X.astype(dtype), kind), rows.y, rows.weights)


# ------------------------------------------------------------------------------- every task x step x focus


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("focus", FOCUSES)
@pytest.mark.parametrize("name", STEPS)
def test_binary(name: str, focus: str, kind: str) -> None:
    step, slow = STEPS[name]
    rows = stream(1, labels=2)
    twin = oracle.binary(
        slow if focus == "worst" else OnlyMistaken(slow), rows.X, rows.y, weights=rows.weights, b=0.8, classes=(0, 1)
    )
    learner = hinge.Classifier(step, FOCUSES[focus], intercept=0.8).partial_fit(rows.X[:0], rows.y[:0], classes=[0, 1])
    report = plays(learner, rows, kind)
    agree(report, twin, step)
    assert report.predictions.tolist() == twin.predictions
    assert report.mistakes == sum(p != y for p, y in zip(twin.predictions, rows.y, strict=True))
    np.testing.assert_allclose(learner.coef_[0], twin.weights, **CLOSE)
    np.testing.assert_allclose(learner.intercept_[0], twin.intercept, **CLOSE)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("focus", FOCUSES)
@pytest.mark.parametrize("name", STEPS)
def test_multiclass(name: str, focus: str, kind: str) -> None:
    step, slow = STEPS[name]
    rows = stream(2, labels=5)
    labels = oracle.Labels(tuple(range(5)))
    twin = oracle.multiclass(slow, rows.X, rows.y, focus=focus, labels=labels, weights=rows.weights, b=0.8)
    learner = hinge.Classifier(step, FOCUSES[focus], intercept=0.8)
    report = plays(learner.partial_fit(rows.X[:0], rows.y[:0], classes=range(5)), rows, kind)
    agree(report, twin, step)
    assert report.predictions.tolist() == twin.predictions
    np.testing.assert_allclose(learner.coef_, twin.weights, **CLOSE)
    np.testing.assert_allclose(learner.intercept_, twin.intercept, **CLOSE)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("name", STEPS)
def test_regression(name: str, kind: str) -> None:
    step, slow = STEPS[name]
    rows = stream(3, labels=0)
    twin = oracle.regression(slow, rows.X, rows.y, epsilon=0.2, weights=rows.weights, b=0.8)
    learner = hinge.Regressor(step, epsilon=0.2, intercept=0.8)
    report = plays(learner, rows, kind)
    agree(report, twin, step)
    np.testing.assert_allclose(report.predictions, twin.predictions, **CLOSE)
    np.testing.assert_allclose(learner.coef_[0], twin.weights, **CLOSE)
    np.testing.assert_allclose(learner.intercept_[0], twin.intercept, **CLOSE)


def test_regression_without_a_zone_and_with_the_other_focus() -> None:
    rows = stream(3, labels=0)
    twin = oracle.regression(oracle.PA1(0.3), rows.X, rows.y, epsilon=0.0, weights=rows.weights)
    learner = hinge.Regressor(hinge.PA1(C=0.3), hinge.Predicted(), epsilon=0, intercept=False)
    agree(plays(learner, rows), twin, learner.step)
    np.testing.assert_allclose(learner.coef_[0], twin.weights, **CLOSE)


BALLS = {
    "fixed radius": ({"radius": 1.5}, {"radius": 1.5}),
    "no radius": ({"radius": 0.0}, {"radius": 0.0}),
    "learnt radius": ({"bound": 6.0}, {"bound": 6.0}),
}


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("start", ["first", "zero"])
@pytest.mark.parametrize("ball", BALLS)
@pytest.mark.parametrize("name", STEPS)
def test_uniclass(name: str, ball: str, start: str, kind: str) -> None:
    step, slow = STEPS[name]
    rows = stream(4, labels=0)
    rows.weights[0] = 1.0  # the centre starts at the first row that is learnt from
    fast, twin_has = BALLS[ball]
    twin = oracle.uniclass(slow, rows.X, weights=rows.weights, start=0 if start == "zero" else "first", **twin_has)
    learner = hinge.OneClass(step, start=start, **fast)
    report = hinge.play(learner, as_rows(rows.X, kind), sample_weight=rows.weights)
    agree(report, twin, step, {"rtol": 1e-7, "atol": 1e-7})
    inside = np.abs(twin.scores) > 1e-7  # on the sphere itself, rounding decides
    assert inside.mean() > 0.8
    np.testing.assert_array_equal(report.predictions[inside] > 0, np.array(twin.predictions)[inside])
    np.testing.assert_allclose(learner.center_, twin.weights, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(learner.radius_, twin.radius, rtol=1e-7, atol=1e-9)


def test_an_open_bound_is_twice_the_first_rows_norm() -> None:
    rows = stream(4, labels=0)
    rows.X[0] = 0
    twin = oracle.uniclass(oracle.PA1(0.3), rows.X, bound=2 * np.linalg.norm(rows.X[1]))
    learner = hinge.OneClass(hinge.PA1(C=0.3), start="zero").partial_fit(rows.X)
    np.testing.assert_allclose(learner.center_, twin.weights, rtol=1e-9)
    np.testing.assert_allclose(learner.radius_, twin.radius, rtol=1e-9)


# ------------------------------------------------------------------------------- kinds of numbers, intercepts


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_float32(task: str, kind: str) -> None:
    """With half the digits, sums differ in the seventh; a round that this decides otherwise would show."""
    labels = {"binary": 2, "multiclass": 5, "regression": 0}[task]
    rows = stream(5, labels, rounds=min(ROUNDS, 100))
    rows = Stream(rows.X.astype(np.float32).astype(np.float64), rows.y, rows.weights)
    slow = oracle.PA1(0.3)
    if task == "regression":
        learner: Any = hinge.Regressor(hinge.PA1(C=0.3), intercept=0.5)
        twin = oracle.regression(slow, rows.X, rows.y, weights=rows.weights, b=0.5)
    else:
        learner = hinge.Classifier(hinge.PA1(C=0.3), intercept=0.5)
        twin = oracle.classifier(slow, rows.X, rows.y, weights=rows.weights, b=0.5)
    report = plays(learner, rows, kind, np.float32)
    assert learner.coef_.dtype == learner.intercept_.dtype == np.float32
    np.testing.assert_allclose(report.losses, twin.losses, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(learner.coef_, np.reshape(twin.weights, learner.coef_.shape), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("given_as", [False, 0, 0.0, True, 2.5, "auto"])
def test_the_intercept_is_one_more_feature(given_as: Any) -> None:
    rows = stream(6, labels=2)
    rows.X[0] = 0  # says nothing about scale
    first = rows.X[1][rows.X[1] != 0]
    b = float(np.sqrt(np.mean(first**2))) if given_as == "auto" else float(given_as)
    learner = hinge.Classifier(hinge.PA2(C=0.3), intercept=given_as)
    learner.partial_fit(rows.X[:0], rows.y[:0], classes=[0, 1]).partial_fit(rows.X, rows.y)
    after_zero_row = 0.0 if given_as == "auto" else b  # nothing was settled when the first row came
    twin = oracle.binary(oracle.PA2(0.3), rows.X[1:], rows.y[1:], b=b, classes=(0, 1))
    if after_zero_row:
        twin = oracle.binary(oracle.PA2(0.3), rows.X, rows.y, b=b, classes=(0, 1))
    np.testing.assert_allclose(learner.coef_[0], twin.weights, **CLOSE)
    np.testing.assert_allclose(learner.intercept_[0], twin.intercept, **CLOSE)


def test_rows_of_weight_0_settle_nothing() -> None:
    rows = stream(6, labels=2)
    alone = hinge.Classifier().partial_fit(rows.X[2:], rows.y[2:], classes=[0, 1])
    after = hinge.Classifier().partial_fit(rows.X[:2] * 1000, rows.y[:2], classes=[0, 1], sample_weight=[0, 0])
    np.testing.assert_array_equal(after.partial_fit(rows.X[2:], rows.y[2:]).coef_, alone.coef_)
    np.testing.assert_array_equal(after.intercept_, alone.intercept_)


# ------------------------------------------------------------------------------- labels that come late


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("name", STEPS)
def test_labels_that_nobody_told(name: str, kind: str) -> None:
    """One label, then two, then many: the binary algorithm becomes one weight vector a label on the way."""
    step, slow = STEPS[name]
    rows = stream(7, labels=12, rounds=60 if INTERPRETED else 400)
    n = len(rows.y)
    y = np.minimum(rows.y, np.linspace(0, 11.99, n).astype(int))  # label k cannot come before its time
    rows = Stream(rows.X, y, rows.weights)
    twin = oracle.classifier(slow, rows.X, y, weights=rows.weights, b=0.8)
    learner = hinge.Classifier(step, hinge.Worst(), intercept=0.8)
    report = plays(learner, rows, kind)
    assert learner.classes_.tolist() == twin.classes
    assert report.predictions.tolist() == twin.predictions
    np.testing.assert_array_equal(report.flags >> 1, twin.novel)
    np.testing.assert_allclose(report.losses, twin.losses, **CLOSE)
    np.testing.assert_allclose(learner.coef_, twin.weights, **CLOSE)
    np.testing.assert_allclose(learner.intercept_, twin.intercept, **CLOSE)
    wrong = sum(p != t and not new for p, t, new in zip(twin.predictions, y, twin.novel, strict=True))
    assert report.mistakes == wrong
    assert report.novel == len(twin.classes) > 8


def test_a_third_label_changes_no_prediction() -> None:
    rows = stream(8, labels=2)
    learner = hinge.Classifier(hinge.PA1(C=0.3)).partial_fit(rows.X, rows.y)
    before, scores = learner.predict(rows.X), learner.decision_function(rows.X)
    learner.partial_fit(rows.X[:1], [2], sample_weight=[0])
    after = learner.decision_function(rows.X)
    assert after.shape == (len(rows.X), 3)
    np.testing.assert_allclose(after[:, 1] - after[:, 0], scores, rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(after[:, :2].argmax(1), before)


# ------------------------------------------------------------------------------- contenders, averages


@pytest.mark.parametrize("labels", [2, 4])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_contenders_learn_as_each_would_alone(kind: str, labels: int) -> None:
    """Eleven steps of three classes: more lanes than one vector, and rows that every lane shares."""
    steps = [*(hinge.PA1(C=10.0**-e) for e in range(5)), *(hinge.PA2(C=10.0**-e) for e in range(5)), hinge.PA()]
    rows = stream(9, labels)
    known = list(range(labels))
    together = hinge.Classifier(steps, intercept=0.5).partial_fit(rows.X[:0], rows.y[:0], classes=known)
    report = plays(together, rows, kind)
    assert [contender.step for contender in together.contenders_] == steps
    lone, duals = [], []
    for contender in together.contenders_:
        alone = hinge.Classifier(contender.step, intercept=0.5).partial_fit(rows.X[:0], rows.y[:0], classes=known)
        told = plays(alone, rows, kind)
        assert (contender.rounds, contender.mistakes, contender.updates) == (told.n, told.mistakes, told.updates)
        np.testing.assert_allclose(contender.loss, told.loss, rtol=1e-9)
        lone.append((told.cost, (told.losses * rows.weights).sum(), alone))
        duals.append(told.certificate.dual)
    best = min(range(len(steps)), key=lambda c: lone[c][:2])
    np.testing.assert_allclose(together.coef_, lone[best][2].coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(together.predict(rows.X), lone[best][2].predict(rows.X))
    np.testing.assert_allclose(together.certificate_.dual, duals[best], rtol=1e-9)
    assert report.n == len(rows.X)


def test_contenders_predict_with_the_leader_so_far() -> None:
    rows = stream(10, labels=2, rounds=60)
    steps = [hinge.PA1(C=10.0**-e) for e in range(5)]
    together = hinge.Classifier(steps, intercept=0.5).partial_fit(rows.X[:0], rows.y[:0], classes=[0, 1])
    report = plays(together, rows)
    weighted = np.zeros((5, 2))  # mistakes, loss
    twins = [oracle.binary(oracle.PA1(s.C), rows.X, rows.y, weights=rows.weights, b=0.5, classes=(0, 1)) for s in steps]
    leaders = []
    for t, (truth, weight) in enumerate(zip(rows.y, rows.weights, strict=True)):
        leaders.append(min(range(5), key=lambda c: tuple(weighted[c])))
        assert report.predictions[t] == twins[leaders[t]].predictions[t]
        np.testing.assert_allclose(report.losses[t], twins[leaders[t]].losses[t], **CLOSE)
        for c, twin in enumerate(twins):
            weighted[c] += weight * (twin.predictions[t] != truth), weight * twin.losses[t]
    assert len(set(leaders)) > 1


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("labels", [0, 2, 4])
def test_the_average_hypothesis_predicts(labels: int, kind: str) -> None:
    rows = stream(11, labels, rounds=40)

    def twin(rounds: int) -> oracle.Pass:
        part = {"weights": rows.weights[:rounds], "b": 0.5}
        if labels == 0:
            return oracle.regression(oracle.PA1(0.3), rows.X[:rounds], rows.y[:rounds], **part)
        if labels == 2:
            return oracle.binary(oracle.PA1(0.3), rows.X[:rounds], rows.y[:rounds], classes=(0, 1), **part)
        known = oracle.Labels(tuple(range(labels)))
        return oracle.multiclass(oracle.PA1(0.3), rows.X[:rounds], rows.y[:rounds], labels=known, **part)

    def learner(average: bool) -> Any:
        if labels == 0:
            return hinge.Regressor(hinge.PA1(C=0.3), intercept=0.5, average=average)
        new = hinge.Classifier(hinge.PA1(C=0.3), intercept=0.5, average=average)
        return new.partial_fit(rows.X[:0], rows.y[:0], classes=range(labels))

    averaged, plain = learner(True), learner(False)
    report, told = plays(averaged, rows, kind), plays(plain, rows, kind)
    np.testing.assert_allclose(report.losses, told.losses, **CLOSE)  # of the hypothesis that learns
    hypotheses = [np.hstack([np.atleast_2d(p.weights), np.reshape(p.intercept, (-1, 1))]) for p in map(twin, range(40))]
    mean = np.mean(hypotheses, axis=0)
    np.testing.assert_allclose(averaged.coef_, mean[:, :-1], **CLOSE)
    np.testing.assert_allclose(averaged.intercept_, mean[:, -1], **CLOSE)
    padded = np.hstack([rows.X, np.ones((40, 1))])
    for t in range(1, 40):
        scores = np.mean(hypotheses[:t], axis=0) @ padded[t]
        if labels == 0:
            np.testing.assert_allclose(report.predictions[t], scores[0], **CLOSE)
        else:
            assert report.predictions[t] == (scores[0] > 0 if labels == 2 else scores.argmax())


# ------------------------------------------------------------------------------- streams that hypothesis makes

WHOLE = st.integers(-3, 3).map(float)
BROKEN = st.sampled_from([-1.7, -0.6, 0.0, 0.3, 1.1, 2.9])
WEIGHTS = st.sampled_from([0.0, 0.5, 1.0, 2.0])


@st.composite
def streams(draw: Any, labels: int, cells: Any = WHOLE) -> Stream:
    """Short and nasty: zero rows, repeated rows, contradictions, ties, one label only, weights of 0."""
    width, rounds = 3, draw(st.integers(1, 12))
    X = draw(st.lists(st.lists(cells, min_size=width, max_size=width), min_size=rounds, max_size=rounds))
    truth = st.integers(0, labels - 1) if labels else WHOLE
    y = draw(st.lists(truth, min_size=rounds, max_size=rounds))
    return Stream(np.array(X), np.array(y), np.array(draw(st.lists(WEIGHTS, min_size=rounds, max_size=rounds))))


@given(streams(labels=2), st.sampled_from([0.0, 1.0]))
def test_the_perceptron_is_exact_on_whole_numbers(rows: Stream, b: float) -> None:
    twin = oracle.binary(oracle.Perceptron(), rows.X, rows.y, weights=rows.weights, b=b, classes=(0, 1))
    learner = hinge.Classifier(hinge.Perceptron(), hinge.Worst(), intercept=b)
    report = plays(learner.partial_fit(rows.X[:0], rows.y[:0], classes=[0, 1]), rows)
    assert report.predictions.tolist() == twin.predictions
    assert report.losses.tolist() == twin.losses
    assert learner.coef_[0].tolist() == twin.weights.tolist()
    assert learner.intercept_[0] == twin.intercept
    assert report.certificate.dual == twin.dual


@given(streams(labels=4), st.sampled_from(["worst", "predicted"]))
def test_the_perceptron_of_many_labels_is_exact_on_whole_numbers(rows: Stream, focus: str) -> None:
    labels = oracle.Labels(tuple(range(4)))
    twin = oracle.multiclass(oracle.Perceptron(), rows.X, rows.y, focus=focus, labels=labels, weights=rows.weights, b=1)
    learner = hinge.Classifier(hinge.Perceptron(), FOCUSES[focus], intercept=1)
    report = plays(learner.partial_fit(rows.X[:0], rows.y[:0], classes=range(4)), rows)
    assert report.predictions.tolist() == twin.predictions
    assert report.losses.tolist() == twin.losses
    assert learner.coef_.tolist() == twin.weights.tolist()
    assert report.certificate.dual == twin.dual


@given(streams(labels=4))
def test_late_labels_are_exact_on_whole_numbers(rows: Stream) -> None:
    twin = oracle.classifier(oracle.Perceptron(), rows.X, rows.y, weights=rows.weights, b=1)
    learner = hinge.Classifier(hinge.Perceptron(), hinge.Worst(), intercept=1)
    report = plays(learner, rows)
    assert list(report.predictions) == twin.predictions
    assert report.losses.tolist() == twin.losses
    assert learner.coef_.tolist() == np.atleast_2d(twin.weights).tolist()
    assert learner.intercept_.tolist() == np.ravel(twin.intercept).tolist()


@given(streams(labels=0))
def test_the_perceptron_of_regression_is_exact_on_whole_numbers(rows: Stream) -> None:
    twin = oracle.regression(oracle.Perceptron(), rows.X, rows.y, epsilon=0.5, weights=rows.weights, b=1)
    learner = hinge.Regressor(hinge.Perceptron(), epsilon=0.5, intercept=1)
    report = plays(learner, rows)
    assert report.predictions.tolist() == twin.predictions
    assert report.losses.tolist() == twin.losses
    assert learner.coef_[0].tolist() == twin.weights.tolist()


@given(streams(labels=0), st.sampled_from(["PA", "PA1", "PA2"]))
def test_regression_on_nasty_streams(rows: Stream, name: str) -> None:
    """What it does is continuous in what it is given: rounding cannot decide anything."""
    step, slow = STEPS[name]
    twin = oracle.regression(slow, rows.X, rows.y, epsilon=0.0, weights=rows.weights, b=1)
    learner = hinge.Regressor(step, epsilon=0.0, intercept=1)
    report = plays(learner, rows)
    np.testing.assert_allclose(report.predictions, twin.predictions, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(learner.coef_[0], twin.weights, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(report.certificate.dual, twin.dual, rtol=1e-6, atol=1e-6)


@given(streams(labels=2), st.sampled_from(["PA", "PA1", "PA2"]))
def test_binary_on_nasty_streams(rows: Stream, name: str) -> None:
    step, slow = STEPS[name]
    twin = oracle.binary(slow, rows.X, rows.y, weights=rows.weights, b=1, classes=(0, 1))
    learner = hinge.Classifier(step, intercept=1)
    report = plays(learner.partial_fit(rows.X[:0], rows.y[:0], classes=[0, 1]), rows)
    np.testing.assert_allclose(report.losses, twin.losses, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(learner.coef_[0], twin.weights, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(report.certificate.dual, twin.dual, rtol=1e-6, atol=1e-6)


@given(streams(labels=4, cells=BROKEN), st.sampled_from(["PA", "PA1", "PA2"]))
def test_many_labels_on_nasty_streams(rows: Stream, name: str) -> None:
    step, slow = STEPS[name]
    labels = oracle.Labels(tuple(range(4)))
    twin = oracle.multiclass(slow, rows.X, rows.y, labels=labels, weights=rows.weights, b=1)
    for scores in twin.scores:  # equal scores are the first label's; nearly equal ones are for rounding to decide
        gaps = np.diff(np.sort(scores))
        assume(not ((gaps > 0) & (gaps < 1e-9)).any())
    learner = hinge.Classifier(step, intercept=1)
    report = plays(learner.partial_fit(rows.X[:0], rows.y[:0], classes=range(4)), rows)
    np.testing.assert_allclose(report.losses, twin.losses, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(learner.coef_, twin.weights, rtol=1e-6, atol=1e-6)


@settings(max_examples=20)
@given(streams(labels=0, cells=BROKEN), st.sampled_from(list(BALLS)))
def test_uniclass_on_nasty_streams(rows: Stream, ball: str) -> None:
    fast, twin_has = BALLS[ball]
    twin = oracle.uniclass(oracle.PA1(0.3), rows.X, weights=rows.weights, start=0, **twin_has)
    learner = hinge.OneClass(hinge.PA1(C=0.3), start="zero", **fast)
    report = hinge.play(learner, rows.X, sample_weight=rows.weights)
    np.testing.assert_allclose(report.losses, twin.losses, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(learner.center_, twin.weights, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(learner.radius_, twin.radius, rtol=1e-5, atol=1e-3)


# ------------------------------------------------------------------------------- a user's own step


@hinge.native
class Halfway(hinge.PA1):
    """Half of what PA1 would do; a step of a user's own, by inheritance."""

    def tau(self, loss: float, sq_norm: float, weight: float) -> float:
        return 0.5 * min(self.C * weight, loss / sq_norm)


def test_a_step_of_ones_own() -> None:
    @dataclasses.dataclass(frozen=True)
    class Twin(oracle.PA1):
        def tau(self, loss: float, sq_norm: float, weight: float, mistaken: bool) -> float:
            return 0.5 * super().tau(loss, sq_norm, weight, mistaken)

    rows = stream(12, labels=2)
    twin = oracle.binary(Twin(0.3), rows.X, rows.y, weights=rows.weights, b=0.5, classes=(0, 1))
    learner = hinge.Classifier(Halfway(0.3), intercept=0.5).partial_fit(rows.X[:0], rows.y[:0], classes=[0, 1])
    agree(plays(learner, rows), twin, learner.step)
    np.testing.assert_allclose(learner.coef_[0], twin.weights, **CLOSE)


# ------------------------------------------------------------------------------- widths, and running without a compiler


@pytest.mark.parametrize("width", [1, 3, 15, 16, 17, 33])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_every_width(kind: str, width: int) -> None:
    """Rows are taken sixteen numbers, or four, at a time, and what is left over by itself."""
    for labels, slow_form in [(2, oracle.binary), (4, oracle.multiclass)]:
        rows = stream(13, labels, rounds=30, width=width)
        known = {"classes": (0, 1)} if labels == 2 else {"labels": oracle.Labels((0, 1, 2, 3))}
        twin = slow_form(oracle.PA1(0.3), rows.X, rows.y, weights=rows.weights, b=0.5, **known)
        learner = hinge.Classifier(hinge.PA1(C=0.3), intercept=0.5)
        report = plays(learner.partial_fit(rows.X[:0], rows.y[:0], classes=range(labels)), rows, kind)
        np.testing.assert_allclose(report.losses, twin.losses, **CLOSE)
        np.testing.assert_allclose(learner.coef_, np.atleast_2d(twin.weights), **CLOSE)


@pytest.mark.parametrize("labels", [9, 17, 25, 33, 41])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_every_number_of_lanes(kind: str, labels: int) -> None:
    """Lanes are taken in panels of 32, 24, 16 and 8."""
    rows = stream(14, labels, rounds=80)
    known = oracle.Labels(tuple(range(labels)))
    twin = oracle.multiclass(oracle.PA1(0.3), rows.X, rows.y, labels=known, weights=rows.weights, b=0.5)
    learner = hinge.Classifier(hinge.PA1(C=0.3), intercept=0.5)
    report = plays(learner.partial_fit(rows.X[:0], rows.y[:0], classes=range(labels)), rows, kind)
    np.testing.assert_allclose(report.losses, twin.losses, **CLOSE)
    np.testing.assert_allclose(learner.coef_, twin.weights, **CLOSE)


def run_of_everything() -> dict[str, list[float]]:
    """Hypotheses and losses after a few rounds of every task."""
    found: dict[str, list[float]] = {}
    for kind in ("dense", "sparse"):
        for labels in (0, 2, 4):
            rows = stream(15, labels, rounds=30, width=19)
            X = as_rows(rows.X, kind)
            if labels == 0:
                learner: Any = hinge.Regressor(hinge.PA2(C=0.3), average=True)
                ball = hinge.OneClass(hinge.PA1(C=0.3))
                found[f"{kind} ball"] = [*hinge.play(ball, X).losses, *ball.center_, ball.radius_]
            else:
                learner = hinge.Classifier([hinge.PA1(C=0.3), hinge.PA2(C=0.3)])
            report = hinge.play(learner, X, rows.y, rows.weights)
            found[f"{kind} {labels}"] = [
                *map(float, report.losses), *map(float, learner.coef_.ravel()), *map(float, learner.intercept_),
                report.mistakes, report.certificate.dual,
            ]  # fmt: skip
    return {name: [float(number) for number in numbers] for name, numbers in found.items()}


@pytest.mark.compiled
def test_interpreted_is_compiled_to_rounding() -> None:
    program = "import json, test_engine; print(json.dumps(test_engine.run_of_everything()))"
    place = os.path.dirname(__file__)
    plain = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join([place, *sys.path])}
    ran = subprocess.run([sys.executable, "-c", program], env=plain, capture_output=True, text=True, check=True)
    interpreted, compiled = json.loads(ran.stdout), run_of_everything()
    assert interpreted.keys() == compiled.keys()
    for name, numbers in compiled.items():
        np.testing.assert_allclose(numbers, interpreted[name], rtol=1e-9, atol=1e-9, err_msg=name)
