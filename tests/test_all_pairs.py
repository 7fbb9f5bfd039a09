# SPDX-License-Identifier: BSD-3-Clause
"""All pairs of labels: against the oracle, against one vector a label, and where they do not go."""

import copy
import itertools
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hinge
from hinge.native import INTERPRETED
from oracle.perceptrons import all_pair

NUMBERS = st.integers(-8, 8).map(lambda n: n / 4)  # dyadic: sums and products of few of them are exact


@st.composite
def streams(draw: st.DrawFn, k: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    n, d = draw(st.integers(1, 12)), draw(st.integers(1, 3))
    X = draw(st.lists(st.lists(NUMBERS, min_size=d, max_size=d), min_size=n, max_size=n))
    y = draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n))
    weights = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=n, max_size=n))
    return np.array(X), np.array(y), np.array(weights)


def lanes(k: int) -> list[tuple[int, int]]:
    return [(i, j) for j in range(k) for i in range(j)]


def begun(learner: Any, X: Any, y: Any, k: int) -> Any:
    return learner.partial_fit(X[:0], y[:0], classes=range(k))


@given(streams(), st.sampled_from(["linear", "max-win"]), st.sampled_from([0.0, 0.5]))
def test_all_pairs_are_what_the_oracle_says(stream: Any, scoring: str, b: float) -> None:
    X, y, weights = stream
    twin = all_pair(X, y, 4, scoring=scoring, weights=weights, b=b)
    learner = begun(hinge.Classifier(hinge.Perceptron(), space=hinge.AllPairs(scoring), intercept=b), X, y, 4)
    report = hinge.play(learner, X, y, weights)
    assert report.predictions.tolist() == twin.predictions
    np.testing.assert_array_equal(learner.coef_, np.array([twin.weights[pair] for pair in lanes(4)])[:, :-1])
    np.testing.assert_array_equal(learner.intercept_, [b * twin.weights[pair][-1] for pair in lanes(4)])
    np.testing.assert_array_equal(report.losses, twin.losses)


@given(streams())
def test_all_pairs_are_multi_vector(stream: Any) -> None:
    X, y, weights = stream
    pairs = begun(hinge.Classifier(hinge.Perceptron(), space=hinge.AllPairs()), X, y, 4)
    many = begun(hinge.Classifier(hinge.Perceptron()), X, y, 4)
    one, other = hinge.play(pairs, X, y, weights), hinge.play(many, X, y, weights)
    assert one.predictions.tolist() == other.predictions.tolist()
    np.testing.assert_array_equal(pairs.coef_, np.array([many.coef_[i] - many.coef_[j] for i, j in lanes(4)]))
    np.testing.assert_allclose(pairs.decision_function(X), 4 * many.decision_function(X), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("focus", [hinge.Worst(), hinge.Violated(), hinge.Exact()] if INTERPRETED else [hinge.Exact()])
def test_the_metric_is_that_of_one_vector_a_label_with_k_times_the_norm(rng: np.random.Generator, focus: Any) -> None:
    """To every focus the space is one vector a label, with k ||x||² for ||x||²: rows stretched by the root of k."""
    X, y, k = rng.normal(size=(40, 3)), rng.integers(0, 4, 40), 4
    pairs = begun(hinge.Classifier(hinge.PA1(0.1), focus, hinge.AllPairs(), intercept=False), X, y, k)
    many = begun(hinge.Classifier(hinge.PA1(0.1), focus, intercept=False), X, y, k)
    one, other = hinge.play(pairs, X, y), hinge.play(many, np.sqrt(k) * X, y)
    stretched = many.decision_function(np.sqrt(k) * X)
    np.testing.assert_allclose(pairs.decision_function(X), stretched, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(one.losses, other.losses, rtol=1e-9, atol=1e-12)
    assert pairs.certificate_.dual == pytest.approx(many.certificate_.dual)


@given(streams(), st.sampled_from(["linear", "max-win"]))
def test_labels_may_come_late(stream: Any, scoring: str) -> None:
    """A pair begins at 0 when the later of its labels comes."""
    X, y, weights = stream
    learner = hinge.Classifier(hinge.Perceptron(), space=hinge.AllPairs(scoring), intercept=False)
    report = hinge.play(learner, X, y, weights)
    known: list[int] = []
    w: dict[tuple[int, int], np.ndarray] = {}

    def score(x: np.ndarray, i: int) -> float:
        duels = [w[i, j] @ x for j in known if j != i]
        return float(sum(duels) if scoring == "linear" else sum(duel > 0 for duel in duels))

    for x, label, c, prediction in zip(X, y.tolist(), weights, list(report.predictions), strict=True):
        predicted = max(known, key=lambda i, x=x: (score(x, i), -known.index(i))) if known else None
        assert prediction == predicted
        if label not in known:
            for other in known:
                w[label, other], w[other, label] = np.zeros(len(x)), np.zeros(len(x))
            known.append(label)
        if predicted is not None and predicted != label:
            for winner, sign in ((label, c), (predicted, -c)):
                for other in known:
                    if other != winner:
                        w[winner, other] = w[winner, other] + sign * x
                        w[other, winner] = w[other, winner] - sign * x
    assert learner.classes_.tolist() == known
    found = [w[known[i], known[j]] for i, j in lanes(len(known))]
    np.testing.assert_array_equal(learner.coef_, np.array(found).reshape(-1, X.shape[1]))


def test_one_row_is_a_batch_is_a_play(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(40, 3)), np.array(["a", "b", "c"])[rng.integers(0, 3, 40)]
    for average in (False, True):
        whole = hinge.Classifier(hinge.PA1(0.3), space=hinge.AllPairs(), average=average).partial_fit(X, y)
        rows = hinge.Classifier(hinge.PA1(0.3), space=hinge.AllPairs(), average=average)
        for x, label in zip(X, y, strict=True):
            rows.learn_one(x, label)
        for other in (rows, pickle.loads(pickle.dumps(whole)), copy.deepcopy(whole)):
            np.testing.assert_array_equal(other.coef_, whole.coef_)
            np.testing.assert_array_equal(other.decision_function(X), whole.decision_function(X))
            assert other.predict_one(X[0]) == whole.predict(X[:1])[0]
        h = np.zeros((len(X), 3))
        for pair, (i, j) in enumerate(lanes(3)):
            duel = X @ whole.coef_[pair] + whole.intercept_[pair]
            h[:, i] += duel
            h[:, j] -= duel
        np.testing.assert_allclose(whole.decision_function(X), h, rtol=1e-9, atol=1e-12)


def test_two_labels_have_one_vector() -> None:
    learner = hinge.Classifier(hinge.Perceptron(), space=hinge.AllPairs())
    learner.partial_fit([[1.0], [-1.0], [1.0]], ["a", "b", "a"])
    assert learner.coef_.shape == (1, 1)
    assert learner.decision_function([[2.0]]).shape == (1,)
    assert learner.predict([[2.0], [-2.0]]).tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"space": hinge.AllPairs("max")}, "linear"),
        ({"space": hinge.AllPairs("max-win")}, "Perceptron"),
        ({"step": hinge.Perceptron(), "focus": hinge.Worst(), "space": hinge.AllPairs("max-win")}, "Predicted"),
        ({"step": [hinge.PA1(), hinge.PA()], "space": hinge.AllPairs()}, "one step"),
    ],
)
def test_bad_parameters(parameters: dict[str, Any], message: str) -> None:
    learner = hinge.Classifier(**parameters)
    with pytest.raises(ValueError, match=message):
        learner.partial_fit(np.eye(3), ["a", "b", "a"])
    assert not hasattr(learner, "classes_")


def test_where_all_pairs_do_not_go(tmp_path: Any) -> None:
    with pytest.raises(TypeError, match="space must be"):
        hinge.MultilabelClassifier(space=hinge.AllPairs()).fit([[1.0], [2.0]], [["a"], ["b"]])
    learner = hinge.Classifier(hinge.Perceptron(), space=hinge.AllPairs("max-win")).fit(np.eye(3), ["a", "b", "c"])
    with pytest.raises(AttributeError, match="no certificate"):
        _ = learner.certificate_
    assert hinge.play(learner, np.eye(3), ["a", "b", "c"]).certificate is None
    with pytest.raises(TypeError, match="pickle the learner"):
        learner.save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_every_pair_has_its_lane() -> None:
    assert [j * (j - 1) // 2 + i for i, j in lanes(5)] == list(range(10))
    assert sorted(lanes(5)) == list(itertools.combinations(range(5), 2))
