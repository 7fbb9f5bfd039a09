# SPDX-License-Identifier: BSD-3-Clause
"""Label-dependent features: against their oracles, against one vector a label, and all that can go wrong."""

import copy
import doctest
import itertools
import pathlib
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

import hinge
import oracle
from hinge.native import INTERPRETED
from oracle.joint import Blocks, Gates, Mail, TfIdf, joint
from oracle.perceptrons import single_vector

N, D, K = 40, 6, 4
STEPS = {
    "Perceptron": (oracle.Perceptron(0.5), hinge.Perceptron(0.5)),
    "PA": (oracle.PA(), hinge.PA()),
    "PA1": (oracle.PA1(0.7), hinge.PA1(0.7)),
    "PA2": (oracle.PA2(0.5), hinge.PA2(0.5)),
}
FOCUSES = {
    "worst": hinge.Worst(), "predicted": hinge.Predicted(), "violated": hinge.Violated(),
    "mistaken": hinge.Mistaken(), "exact": hinge.Exact(),
}  # fmt: skip
G = np.random.default_rng(4).normal(size=(D, K))
FEATURES: dict[str, Any] = {
    "gates": (lambda: Gates(G, range(K)), hinge.Gates(G)),
    "mail": (Mail, hinge.MailFeatures()),
    "tf-idf": (TfIdf, hinge.LabelTfIdf()),
}
#: Every combination interpreted; compiled, where each takes seconds to compile, those that meet each part once.
COMBINATIONS = [
    combination
    for combination in itertools.product(STEPS, FOCUSES, FEATURES, (False, True))
    if combination[:2] not in {("Perceptron", "exact"), ("PA", "exact")}  # PA: not every round has a solution
]
if not INTERPRETED:
    COMBINATIONS = [
        ("PA1", "violated", "gates", False), ("PA1", "exact", "tf-idf", True),
        ("Perceptron", "predicted", "mail", False),
    ]  # fmt: skip


#: For tests whose parts others test compiled, too.
interpreted = pytest.mark.skipif(not INTERPRETED, reason="each combination of parts takes seconds to compile")


def counts(rng: np.random.Generator, n: int = N) -> np.ndarray:
    return np.abs(rng.normal(size=(n, D))) * (rng.random((n, D)) < 0.6)


def space(features: Any, shared: bool) -> Any:
    return hinge.Shared(features) if shared else hinge.Joint(features)


class Own:
    """The gates again, as an object of a user's, who may return any form of a row."""

    def __init__(self, form: str) -> None:
        self.form = form

    def features(self, x: Any, label: int) -> Any:
        if isinstance(x, dict):
            x = np.array([x.get(f"w{j}", 0.0) for j in range(D)])
        phi = (x.toarray()[0] if hasattr(x, "toarray") else x) * G[:, label]
        if self.form == "dict":
            return {f"f{j}": value for j, value in enumerate(phi) if value != 0}
        return sparse.csr_array(phi[None]) if self.form == "sparse" else phi


@pytest.mark.parametrize(("step", "focus", "features", "shared"), COMBINATIONS)
def test_classifiers_are_what_the_oracle_says(
    rng: np.random.Generator, step: str, focus: str, features: str, shared: bool
) -> None:
    X, y = counts(rng), rng.integers(0, K, N)
    weights = rng.choice([0.5, 1.0, 2.5], N)
    twin = joint(
        STEPS[step][0], X, [[label] for label in y], FEATURES[features][0](), size=D, labels=range(K), focus=focus,
        shared=shared, weights=weights, b=0.5 * shared,
    )  # fmt: skip
    learner = hinge.Classifier(
        STEPS[step][1], FOCUSES[focus], space(FEATURES[features][1], shared), intercept=0.5 * shared
    )
    report = hinge.play(learner.partial_fit(X[:0], y[:0], classes=range(K)), X, y, weights)
    # A duality gap of 1e-9 leaves a move its root to be off by; and between labels of equal gates, rounding decides.
    near = {"rtol": 1e-4, "atol": 1e-4} if focus == "exact" else {"rtol": 1e-8, "atol": 1e-10}
    np.testing.assert_allclose(learner.joint_coef_, twin.weights, **near)
    np.testing.assert_allclose(report.losses, twin.losses, **near)
    if focus != "exact":
        assert report.predictions.tolist() == twin.predictions
    if shared:
        np.testing.assert_allclose(learner.coef_, twin.intercept[:, :-1], **near)
        np.testing.assert_allclose(learner.intercept_, 0.5 * twin.intercept[:, -1], **near)
    else:
        assert learner.coef_.shape == (1, D)
        np.testing.assert_array_equal(learner.coef_[0], learner.joint_coef_)
        np.testing.assert_array_equal(learner.intercept_, [0.0])
    assert learner.certificate_.dual == pytest.approx(twin.dual, rel=1e-6 if focus == "exact" else 1e-8)


@pytest.mark.parametrize("focus", FOCUSES if INTERPRETED else ["worst"])
@pytest.mark.parametrize("shared", [False, True] if INTERPRETED else [True])
def test_label_sets_are_what_the_oracle_says(rng: np.random.Generator, focus: str, shared: bool) -> None:
    X = counts(rng)
    sets = [sorted(set(rng.integers(0, K, 3).tolist()) if rng.random() < 0.9 else []) for _ in X]
    twin = joint(
        oracle.PA1(0.7), X, sets, TfIdf(), size=D, labels=range(K), focus=focus, shared=shared, b=0.5 * shared
    )  # fmt: skip
    learner = hinge.MultilabelClassifier(
        hinge.PA1(0.7), FOCUSES[focus], space(hinge.LabelTfIdf(), shared), calibrated=False, intercept=0.5 * shared
    )
    report = hinge.play(learner.partial_fit(X[:0], [], classes=range(K)), X, sets)
    near = 1e-4 if focus == "exact" else 1e-9
    np.testing.assert_allclose(learner.joint_coef_, twin.weights, rtol=near, atol=near)
    np.testing.assert_allclose(report.losses, twin.losses, rtol=near, atol=near)


@pytest.mark.parametrize("features", FEATURES if INTERPRETED else ["mail"])
def test_labels_may_come_late(rng: np.random.Generator, features: str) -> None:
    X, y = counts(rng), np.minimum(rng.integers(0, K, N), np.arange(N) // 8)
    order = list(dict.fromkeys(y.tolist()))
    table = hinge.Gates({label: G[:, label] for label in range(K)})
    asked = table if features == "gates" else FEATURES[features][1]
    step, focus = ("Perceptron", "predicted") if features == "mail" else ("PA1", "violated")
    twin = joint(STEPS[step][0], X, [[label] for label in y], FEATURES[features][0](), size=D, focus=focus)
    learner = hinge.Classifier(STEPS[step][1], FOCUSES[focus], hinge.Joint(asked))
    report = hinge.play(learner, X, y)
    assert learner.classes_.tolist() == order
    assert report.novel == K
    np.testing.assert_allclose(learner.joint_coef_, twin.weights, rtol=1e-8, atol=1e-10)
    assert list(report.predictions) == twin.predictions


@interpreted
def test_a_calibration_label_has_no_features_of_its_own(rng: np.random.Generator) -> None:
    X = counts(rng)
    sets = [sorted(set(rng.integers(0, K, 2).tolist())) for _ in X]
    learner = hinge.MultilabelClassifier(hinge.PA1(0.7), space=hinge.Joint(hinge.Gates(G)))
    learner.partial_fit(X, sets, classes=range(K))
    v = np.zeros(D)
    for x, truth in zip(X, sets, strict=True):
        phi = np.vstack([(G * x[:, None]).T, np.zeros(D)])  # the last is the calibration label
        pairs = [(r, s) for r in [*truth, K] for s in [*(s for s in range(K) if s not in truth), K] if r != s]
        z = np.array([phi[r] - phi[s] for r, s in pairs])
        worst = z[np.argmin(z @ v)]
        loss = max(0.0, 1 - worst @ v)
        v += (min(0.7, loss / (worst @ worst)) if loss > 0 else 0.0) * worst
    np.testing.assert_allclose(learner.joint_coef_, v, rtol=1e-9)
    np.testing.assert_allclose(learner.decision_function(X), (X * v) @ G, rtol=1e-9, atol=1e-12)


NUMBERS = st.integers(-8, 8).map(lambda n: n / 4)


@settings(max_examples=20)
@given(st.lists(st.tuples(st.lists(NUMBERS, min_size=3, max_size=3), st.integers(0, K - 1)), min_size=1, max_size=12))
def test_single_prototype_over_blocks_is_multi_prototype(rounds: list[tuple[list[float], int]]) -> None:
    X, y = np.array([x for x, _ in rounds]), [label for _, label in rounds]
    blocks = hinge.Gates(np.kron(np.eye(K), np.ones((3, 1))))
    step = hinge.Perceptron(0.5)  # its moves are exact, so that ties are ties in both
    single = hinge.Classifier(step, hinge.Predicted(), hinge.Joint(blocks))
    single.partial_fit(np.tile(X, K), y, classes=range(K))
    multi = hinge.Classifier(step, hinge.Predicted(), intercept=False).partial_fit(X, y, classes=range(K))
    np.testing.assert_array_equal(single.joint_coef_.reshape(K, 3), multi.coef_)


def test_the_single_vector_perceptron_is_what_the_oracle_says(rng: np.random.Generator) -> None:
    X, y, weights = counts(rng), rng.integers(0, K, N), rng.choice([0.0, 1.0, 2.0], N)
    twin = single_vector([(G * x[:, None]).T for x in X], y, weights=weights)
    learner = hinge.Classifier(hinge.Perceptron(), hinge.Predicted(), hinge.Joint(hinge.Gates(G)))
    report = hinge.play(learner.partial_fit(X[:0], y[:0], classes=range(K)), X, y, weights)
    np.testing.assert_allclose(learner.joint_coef_, twin.weights, rtol=1e-9, atol=1e-12)
    assert report.predictions.tolist() == twin.predictions


@interpreted
def test_shared_without_a_gate_open_is_one_vector_a_label(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(N, D)), rng.integers(0, K, N)
    shut = hinge.Classifier(space=hinge.Shared(hinge.Gates(np.zeros((D, K))))).fit(X, y)
    plain = hinge.Classifier().fit(X, y)
    np.testing.assert_allclose(shut.coef_, plain.coef_, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(shut.intercept_, plain.intercept_, rtol=1e-12, atol=1e-14)


# ---------------------------------------------------------------------------------------------- an object of one's own


@pytest.mark.parametrize("shared", [False, True] if INTERPRETED else [True])
@pytest.mark.parametrize("form", ["array", "dict", "sparse"])
def test_features_of_ones_own(rng: np.random.Generator, form: str, shared: bool) -> None:
    X, y = counts(rng), rng.integers(0, K, N)
    built_in = hinge.Classifier(hinge.PA1(0.7), hinge.Violated(), space(hinge.Gates(G), shared)).fit(X, y)
    own = hinge.Classifier(hinge.PA1(0.7), hinge.Violated(), space(Own(form), shared))
    names = [{f"w{j}": value for j, value in enumerate(x)} for x in X]
    for rows in (X, sparse.csr_matrix(X), names):
        own.fit(rows, y)
        found = own.joint_coef_
        if form == "dict":
            assert sorted(own.joint_names_) == [f"f{j}" for j in range(D)]
            found = found[np.argsort(own.joint_names_)]
        np.testing.assert_allclose(found, built_in.joint_coef_, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(own.coef_[0, :D] if shared else found, built_in.coef_[0], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(own.decision_function(rows), built_in.decision_function(X), rtol=1e-9, atol=1e-12)
    one_by_one = hinge.Classifier(hinge.PA1(0.7), hinge.Violated(), space(Own(form), shared))
    batch = hinge.Classifier(hinge.PA1(0.7), hinge.Violated(), space(Own(form), shared)).partial_fit(X, y)
    foretold = []
    for x, label in zip(X, y, strict=True):
        foretold.append(one_by_one.predict_one(x))
        one_by_one.learn_one(x, int(label))
    np.testing.assert_array_equal(one_by_one.joint_coef_, batch.joint_coef_)
    played = hinge.Classifier(hinge.PA1(0.7), hinge.Violated(), space(Own(form), shared))
    assert list(hinge.play(played, X, y).predictions)[1:] == foretold[1:]
    again = pickle.loads(pickle.dumps(batch))
    np.testing.assert_array_equal(again.decision_function(X), batch.decision_function(X))


class Fickle:
    """Features that are well at first."""

    def __init__(self, bad: Any) -> None:
        self.bad = bad

    def features(self, x: Any, label: Any) -> Any:
        return self.bad if x[0] == 13 else {"a": x[0] if label == "up" else -x[0]}


@interpreted
@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        ({"a": float("nan")}, ValueError, r"features\(x, 'up'\) of .* has nan"),
        ({"b": "word"}, TypeError, "numbers were expected"),
        ([1.0], ValueError, "named features came before"),
        (np.ones(3), ValueError, "named features came before"),
        (np.ones((2, 3)), TypeError, "1-D array"),
        ("word", TypeError, "1-D array"),
        ({"a": 1e200}, ValueError, "too large"),
    ],
)
def test_bad_features_of_ones_own_change_nothing(bad: Any, error: type[Exception], message: str) -> None:
    learner = hinge.Classifier(space=hinge.Joint(Fickle(bad)))
    learner.partial_fit([[1.0], [2.0]], ["up", "down"])
    before = copy.deepcopy(learner)
    with pytest.raises(error, match=message):
        learner.partial_fit([[3.0], [13.0]], ["up", "down"])
    with pytest.raises(error, match=message):
        learner.learn_one(np.array([13.0]), "new")
    assert learner.classes_.tolist() == ["up", "down"]
    for each in (learner, before):
        each.learn_one(np.array([-2.0]), "up")
    np.testing.assert_array_equal(learner.joint_coef_, before.joint_coef_)
    assert learner.joint_names_ == before.joint_names_


# ---------------------------------------------------------------------------------------------- the house's promises


SPACES = [hinge.Shared(hinge.LabelTfIdf()), hinge.Joint(hinge.MailFeatures())][: 1 + INTERPRETED]


@pytest.mark.parametrize("asked", SPACES)
def test_one_row_is_a_batch_is_a_play(rng: np.random.Generator, asked: Any) -> None:
    X, y = counts(rng), np.array(["a", "b", "c"])[rng.integers(0, 3, N)]
    whole = hinge.Classifier(space=asked).partial_fit(X, y)
    played = hinge.Classifier(space=asked)
    hinge.play(played, X, y)
    csr = hinge.Classifier(space=asked).partial_fit(sparse.csr_matrix(X), y)
    rows, named, split = (hinge.Classifier(space=asked) for _ in range(3))
    for x, label in zip(X, y, strict=True):
        rows.learn_one(x, label)
        named.learn_one({f"w{j}": value for j, value in enumerate(x)}, label)
    for start in range(0, N, 7):
        split.partial_fit(X[start : start + 7], y[start : start + 7])
    for other in (played, csr, rows, split, pickle.loads(pickle.dumps(whole)), copy.deepcopy(whole)):
        np.testing.assert_array_equal(other.joint_coef_, whole.joint_coef_)
        np.testing.assert_array_equal(other.decision_function(X), whole.decision_function(X))
        other.learn_one(X[0], "a")  # what was copied goes on by itself
    np.testing.assert_allclose(named.joint_coef_, whole.joint_coef_, rtol=1e-9)
    assert clone(whole).space is not None
    assert not hasattr(clone(whole), "classes_")


@interpreted
def test_texts_and_two_labels() -> None:
    learner = hinge.Classifier(space=hinge.Shared(hinge.LabelTfIdf()))
    learner.partial_fit(["free prize", "meeting at noon", "free money"], ["spam", "ham", "spam"])
    assert learner.predict_one("free") == "spam"
    scores = learner.decision_function(["free", "meeting"])
    assert scores.shape == (2,)
    assert (
        learner.predict(["free", "meeting"]).tolist()
        == ["spam", "ham"]
        == [learner.classes_[int(score > 0)] for score in scores]
    )
    assert set(learner.score_one("free")) == {"spam", "ham"}
    one_label = hinge.Classifier(space=hinge.Joint(hinge.MailFeatures())).learn_one({"a": 1.0}, "only")
    assert one_label.predict_one({"a": 1.0}) == "only"


@interpreted
def test_weights_of_0_are_not_counted(rng: np.random.Generator) -> None:
    X, y = counts(rng), rng.integers(0, K, N)
    learner = hinge.Classifier(space=hinge.Joint(hinge.LabelTfIdf())).partial_fit(X, y)
    before = copy.deepcopy(learner)
    learner.partial_fit(X, y, sample_weight=np.zeros(N))
    for each in (learner, before):
        each.partial_fit(X, y)
    np.testing.assert_array_equal(learner.joint_coef_, before.joint_coef_)


@pytest.mark.parametrize("asked", SPACES)
def test_a_bad_batch_changes_nothing(rng: np.random.Generator, asked: Any) -> None:
    X, y = counts(rng), rng.integers(0, K, N)
    learner = hinge.Classifier(space=asked).partial_fit(X, y)
    before = copy.deepcopy(learner)
    bad = X.copy()
    bad[-1, 2] = np.nan
    for rows in (bad, sparse.csr_matrix(bad)):
        with pytest.raises(ValueError, match=f"NaN in row {N - 1}, column 2"):
            learner.partial_fit(rows, [*y[:-1], 99])
    with pytest.raises(ValueError, match="NaN"):
        learner.learn_one(bad[-1], 99)
    assert learner.classes_.tolist() == before.classes_.tolist()
    for each in (learner, before):
        each.partial_fit(X, (y + 1) % K)
    np.testing.assert_array_equal(learner.joint_coef_, before.joint_coef_)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"space": hinge.Joint(3)}, "hinge.Joint takes"),
        ({"space": hinge.Joint(hinge.MailFeatures)}, "an instance was expected"),
        ({"space": hinge.Joint(hinge.MailFeatures()), "average": True}, "no averages"),
        ({"space": hinge.Joint(hinge.MailFeatures()), "intercept": 1.0}, "would cancel"),
        ({"space": hinge.Joint(hinge.MailFeatures()), "step": [hinge.PA1(), hinge.PA()]}, "one step"),
        ({"space": hinge.Joint(hinge.Gates([[1.0, np.nan]]))}, "nan in row 0, column 1"),
        ({"space": hinge.Joint(hinge.Gates([1.0, 2.0]))}, "takes a matrix"),
        ({"space": hinge.Joint(hinge.Gates({"a": [1.0], "b": [1.0, 2.0]}))}, "vectors of one length"),
        ({"space": hinge.Joint(hinge.Gates(np.ones((2, 2))))}, "3 features"),
        ({"space": hinge.Joint(hinge.Gates(np.ones((3, 1))))}, "'b' has no gates"),
        ({"space": hinge.Joint(hinge.Gates({"a": np.ones(3), "c": np.ones(3)}))}, "'b' has no gates"),
    ],
)
def test_bad_parameters(parameters: dict[str, Any], message: str) -> None:
    learner = hinge.Classifier(**parameters)
    with pytest.raises((TypeError, ValueError), match=message):
        learner.partial_fit(np.eye(3), ["a", "b", "a"])
    assert not hasattr(learner, "classes_")


@interpreted
def test_where_label_dependent_features_do_not_go(tmp_path: Any) -> None:
    with pytest.raises(TypeError, match="space must be"):
        hinge.Regressor(space=hinge.Joint(hinge.MailFeatures())).fit([[1.0], [2.0]], [1.0, 2.0])
    learner = hinge.Classifier(space=hinge.Joint(hinge.MailFeatures())).learn_one({"a": 1.0}, "x")
    with pytest.raises(TypeError, match="pickle the learner"):
        learner.save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(AttributeError, match=r"hinge\.Joint"):
        _ = hinge.Classifier().fit([[1.0], [2.0]], [1, 2]).joint_coef_
    many = hinge.MultilabelClassifier(focus=hinge.Exact(), space=hinge.Joint(hinge.MailFeatures()))
    with pytest.raises(ValueError, match="up to 2000"):
        many.partial_fit(np.eye(2), [[1], [2]], classes=range(200))


@interpreted
def test_the_page_tells_the_truth() -> None:
    page = pathlib.Path(__file__).parents[1] / "docs" / "joint.md"
    found = doctest.testfile(str(page), module_relative=False)
    assert found.attempted > 8
    assert found.failed == 0


@interpreted
def test_blocks_of_the_oracle_are_gates_too(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(12, 2)), rng.integers(0, 3, 12)
    twin = joint(oracle.PA1(0.7), X, [[label] for label in y], Blocks(range(3)), size=6, labels=range(3))
    blocks = hinge.Gates(np.kron(np.eye(3), np.ones((2, 1))))
    learner = hinge.Classifier(hinge.PA1(0.7), space=hinge.Joint(blocks))
    learner.partial_fit(np.tile(X, 3), y, classes=range(3))
    np.testing.assert_allclose(learner.joint_coef_, twin.weights, rtol=1e-9)
