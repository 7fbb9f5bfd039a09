# SPDX-License-Identifier: BSD-3-Clause
"""Ranks: the engine against its slow twin, ranks that appear late, and the promises that every learner makes."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import hinge
import oracle
from hinge.native import INTERPRETED
from oracle.ordinal import ordinal as slow_ordinal

ROUNDS = 40 if INTERPRETED else 250
STEPS = {
    "Perceptron": (hinge.Perceptron(eta=0.7), oracle.Perceptron(0.7)),
    "PA": (hinge.PA(), oracle.PA()),
    "PA1": (hinge.PA1(C=0.3), oracle.PA1(0.3)),
    "PA2": (hinge.PA2(C=0.3), oracle.PA2(0.3)),
}
FOCUSES = {
    "worst": hinge.Worst(), "predicted": hinge.Predicted(), "violated": hinge.Violated(), "mistaken": hinge.Mistaken(),
    "exact": hinge.Exact(),
}  # fmt: skip
CLOSE = {"rtol": 1e-8, "atol": 1e-9}


def stream(seed: int, rounds: int = ROUNDS, k: int = 5, width: int = 7) -> tuple[Any, Any, Any]:
    """Rows, some of them zero, ranks that depend on them but for noise, and weights of which some are 0."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rounds, width)) * (rng.random((rounds, width)) < 0.7)
    X[3::41] = 0
    scores = X @ rng.normal(size=width) + 0.3 * rng.normal(size=rounds)
    y = np.digitize(scores, np.linspace(-2, 2, k - 1))
    return X, y, rng.choice([0.0, 0.5, 1.0, 3.0], rounds)


def begun(learner: Any, X: Any, ranks: Any) -> Any:
    """The learner, once it knows the ranks."""
    return learner.partial_fit(X[:0], np.array(list(ranks))[:0], classes=list(ranks))


# ------------------------------------------------------------------------------- the slow twin


#: For what would take a kernel of its own to compile, and that plain Python shows as well.
plain = pytest.mark.skipif(not INTERPRETED, reason="compiled in other tests; plain Python runs them all")
ALL = [(name, focus) for name in STEPS for focus in FOCUSES if (name, focus) != ("Perceptron", "exact")]


@pytest.mark.parametrize(("name", "focus"), ALL if INTERPRETED else [("PA1", "violated")])
def test_every_step_and_focus(name: str, focus: str) -> None:
    step, slow = STEPS[name]
    X, y, weights = stream(1)
    twin = slow_ordinal(slow, X, y, range(5), focus=focus, weights=weights)
    learner = begun(hinge.OrdinalClassifier(step, FOCUSES[focus]), X, range(5))
    report = hinge.play(learner, X, y, weights)
    np.testing.assert_allclose(learner.coef_, [twin.weights], **CLOSE)
    np.testing.assert_allclose(learner.thresholds_, twin.intercept, **CLOSE)
    np.testing.assert_allclose(report.losses, twin.losses, **CLOSE)
    np.testing.assert_allclose(report.certificate.dual, twin.dual, rtol=1e-8, atol=1e-7)
    assert report.predictions.tolist() == twin.predictions
    assert report.mistakes == sum(p != t for p, t in zip(twin.predictions, y, strict=True))
    assert report.absolute_error == sum(abs(p - t) for p, t in zip(twin.predictions, y, strict=True))
    assert report.updates == twin.updates
    if focus != "exact":
        clear = np.abs(np.array(report.losses) - 1) > 1e-9
        assert ((report.losses >= 1) == np.array(twin.imperfect))[clear].all()


@pytest.mark.parametrize("focus", FOCUSES if INTERPRETED else ["violated", "exact"])
def test_steps_raced(focus: str) -> None:
    """All steps in one kernel, side by side, each as its slow twin."""
    X, y, weights = stream(1)
    names = [name for name, at in ALL if at == focus and (INTERPRETED or name in ("PA1", "PA2"))]
    learner = begun(hinge.OrdinalClassifier([STEPS[name][0] for name in names], FOCUSES[focus]), X, range(5))
    learner.partial_fit(X, y, sample_weight=weights)
    engine = learner._engine
    for c, (name, contender) in enumerate(zip(names, learner.contenders_, strict=True)):
        twin = slow_ordinal(STEPS[name][1], X, y, range(5), focus=focus, weights=weights)
        np.testing.assert_allclose(engine.weights.reshape(-1, engine.lanes)[:7, c], twin.weights, **CLOSE)
        np.testing.assert_allclose(engine.all_thresholds()[c], twin.intercept, **CLOSE)
        np.testing.assert_allclose(contender.loss, sum(twin.losses), **CLOSE)
        assert contender.mistakes == sum(p != t for p, t in zip(twin.predictions, y, strict=True))
        assert contender.updates == twin.updates
    best = min(learner.contenders_, key=lambda contender: contender.mistakes)
    assert best.mistakes < 0.7 * len(y)


@pytest.mark.parametrize("k", [1, 2, 3, 12])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_any_number_of_ranks(k: int, dtype: Any) -> None:
    X, y, weights = stream(2, k=max(2, k), rounds=min(ROUNDS, 60))
    X, y = X.astype(dtype).astype(np.float64), np.minimum(y, k - 1)
    twin = slow_ordinal(oracle.PA1(0.3), X, y, range(k), weights=weights)
    learner = begun(hinge.OrdinalClassifier(hinge.PA1(C=0.3)), X.astype(dtype), range(k))
    report = hinge.play(learner, X.astype(dtype), y, weights)
    close = CLOSE if dtype == np.float64 else {"rtol": 1e-3, "atol": 1e-4}
    assert learner.coef_.dtype == learner.thresholds_.dtype == dtype
    assert learner.coef_.shape == (1, 7)
    assert learner.thresholds_.shape == (k - 1,)
    np.testing.assert_allclose(learner.coef_[0], twin.weights, **close)
    np.testing.assert_allclose(learner.thresholds_, twin.intercept, **close)
    np.testing.assert_allclose(report.losses, twin.losses, **close)


def test_two_ranks_are_the_binary_algorithm_with_a_constant_of_minus_1() -> None:
    X, y, weights = stream(3, k=2)
    ranks = begun(hinge.OrdinalClassifier(hinge.PA1(C=0.3)), X, [0, 1])
    plain = begun(hinge.Classifier(hinge.PA1(C=0.3), intercept=-1.0), X, [0, 1])
    ranks.partial_fit(X, y, sample_weight=weights)
    plain.partial_fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(ranks.coef_, plain.coef_, rtol=1e-9)
    np.testing.assert_allclose(-ranks.thresholds_, plain.intercept_, rtol=1e-9)


def test_by_hand() -> None:
    step = hinge.PA1(C=10.0)
    learner = hinge.OrdinalClassifier(step, ranks=[0, 1, 2]).learn_one([1.0], 0)
    np.testing.assert_allclose(learner.coef_, [[-0.5]])
    np.testing.assert_allclose(learner.thresholds_, [0.25, 0.25])
    zero = hinge.OrdinalClassifier(step, ranks=[0, 1, 2]).learn_one([0.0], 1)
    np.testing.assert_allclose(zero.thresholds_, [-0.5, 0.5])  # the thresholds learn from a zero row too


@plain
def test_by_hand_exactly() -> None:
    middle = hinge.OrdinalClassifier(hinge.PA(), hinge.Exact(), ranks=[0, 1, 2]).learn_one([1.0], 1)
    np.testing.assert_allclose(middle.coef_, [[0.0]], atol=1e-12)
    np.testing.assert_allclose(middle.thresholds_, [-1, 1])


@plain
@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.integers(0, 3)), min_size=1, max_size=12))
@settings(max_examples=25)
def test_small_whole_numbers_agree_exactly(rounds: list[tuple[int, int, int]]) -> None:
    """The Perceptron makes no rounding error here, so that even ties are the same."""
    X, y = np.array(rounds, float)[:, :2], [rank for _, _, rank in rounds]
    twin = slow_ordinal(oracle.Perceptron(1.0), X, y, range(4), focus="worst")
    learner = begun(hinge.OrdinalClassifier(hinge.Perceptron(), hinge.Worst()), X, range(4))
    assert hinge.play(learner, X, y).predictions.tolist() == twin.predictions
    assert learner.coef_[0].tolist() == twin.weights.tolist()
    assert learner.thresholds_.tolist() == twin.intercept.tolist()


@plain
def test_the_paper_s_focus_is_the_default() -> None:
    X, y, _ = stream(4)
    for step, focus in ((hinge.PA1(C=0.3), hinge.Violated()), (hinge.Perceptron(), hinge.Mistaken())):
        default, named = hinge.OrdinalClassifier(step), hinge.OrdinalClassifier(step, focus)
        assert default.fit(X, y).coef_.tolist() == named.fit(X, y).coef_.tolist()


@plain
def test_contenders_learn_as_each_would_alone() -> None:
    steps = [*(hinge.PA1(C=10.0**-e) for e in range(5)), *(hinge.PA2(C=10.0**-e) for e in range(4))]
    X, y, weights = stream(5)
    y = np.minimum(y, np.linspace(0, 4.99, len(y)).astype(int))  # ranks come late, too
    together = hinge.OrdinalClassifier(steps)
    hinge.play(together, X, y, weights)
    alone = []
    for contender in together.contenders_:
        learner = hinge.OrdinalClassifier(contender.step)
        report = hinge.play(learner, X, y, weights)
        alone.append((report.cost, (report.losses * weights).sum(), learner))
        assert (contender.mistakes, contender.updates) == (report.mistakes, report.updates)
    best = min(range(len(steps)), key=lambda c: alone[c][:2])
    np.testing.assert_allclose(together.coef_, alone[best][2].coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(together.thresholds_, alone[best][2].thresholds_, rtol=1e-9, atol=1e-12)


# ------------------------------------------------------------------------------- ranks that appear late


@pytest.mark.parametrize("new", [-1, 0.5, 1.5, 2.5, 9])
@pytest.mark.parametrize("seen", [[0, 1, 2, 3], [2, 0, 3, 1], [5]])
def test_a_late_rank_changes_no_prediction(seen: list[float], new: float) -> None:
    X, y, _ = stream(6, k=4)
    labels = {rank: f"{rank + 1:04.1f}" for rank in [*range(6), new]}  # ranks are anything that can be sorted
    y = np.array([labels[seen[rank % len(seen)]] for rank in y])
    learner = hinge.OrdinalClassifier(hinge.PA1(C=0.3)).partial_fit(X, y)
    before, scores, known = learner.predict(X), learner.decision_function(X), learner.classes_.tolist()
    far = 1e9 * np.eye(7)
    before_far = learner.predict(np.vstack([far, -far]))
    learner.partial_fit(X[:1], [labels[new]], sample_weight=[0.0])
    assert learner.classes_.tolist() == sorted([*known, labels[new]])
    np.testing.assert_array_equal(learner.predict(X), before)
    np.testing.assert_array_equal(learner.predict(np.vstack([far, -far])), before_far)
    np.testing.assert_array_equal(learner.decision_function(X), scores)
    assert [learner.predict_one(x) for x in X] == before.tolist()
    thresholds = learner.thresholds_
    all_ranks = sorted([*known, labels[new]])
    assert np.isinf(thresholds).sum() == (labels[new] in (all_ranks[0], all_ranks[-1]))
    report = hinge.play(learner, X[1:2], [labels[new]])  # from now on it has its place
    assert report.predictions[0] == before[1]
    assert np.isfinite(learner.thresholds_).all()
    assert (learner.thresholds_ != thresholds).any()


def test_predictions_before_the_first_sight_of_a_rank_are_of_known_ones() -> None:
    X, y, _ = stream(7, k=6)
    for order in ([3, 1, 4, 0, 5, 2], [5, 4, 3, 2, 1, 0], [0, 1, 2, 3, 4, 5]):
        place = {rank: i for i, rank in enumerate(order)}
        part = [t for t in range(len(y)) if place[y[t]] <= t // 4]
        learner = hinge.OrdinalClassifier(hinge.PA1(C=0.3))
        report = hinge.play(learner, X[part], y[part])
        known: set[int] = set()
        off = 0
        for predicted, rank, flag in zip(report.predictions, y[part], report.flags, strict=True):
            assert predicted in known if known else predicted is None
            assert (flag >> 1) == (rank not in known)
            if known and rank in known:
                off += sum(min(predicted, rank) < other <= max(predicted, rank) for other in known)
            known.add(rank)
        assert report.novel == len(known) >= 5
        assert report.absolute_error == off
        assert learner.classes_.tolist() == sorted(known)


def test_a_late_rank_is_learnt_as_if_its_threshold_had_been_its_neighbour_s() -> None:
    """Two ranks in a declared learner with a threshold for each; the third comes between."""
    X, y, _ = stream(8, k=2, rounds=30)
    late = hinge.OrdinalClassifier(hinge.PA1(C=0.3)).partial_fit(X, 2 * y, classes=[0, 2])
    w, b = late.coef_[0].copy(), late.thresholds_.copy()
    late.learn_one(X[0], 1)
    z = np.array([[*X[0], -1, 0], [*-X[0], 0, 1]])
    expected = np.array([*w, b[0], b[0]])
    losses = np.maximum(0, 1 - z @ expected)
    taus = np.minimum(0.3, losses / (X[0] @ X[0] + 1)) / (losses > 0).sum()
    expected += taus @ z
    np.testing.assert_allclose([*late.coef_[0], *late.thresholds_], expected, rtol=1e-12)


def test_ranks_declared_in_an_order_of_their_own() -> None:
    X, y, weights = stream(9, k=3)
    names = np.array(["low", "mid", "high"])
    by_name, by_number = hinge.OrdinalClassifier(ranks=list(names)), hinge.OrdinalClassifier()
    for learner, ranks in ((by_name, names[y]), (by_number, y)):
        learner.fit(X, ranks, weights)
    assert by_name.classes_.tolist() == list(names)
    assert by_name.coef_.tolist() == by_number.coef_.tolist()
    assert by_name.thresholds_.tolist() == by_number.thresholds_.tolist()
    assert by_name.predict(X).tolist() == names[by_number.predict(X)].tolist()
    first = hinge.OrdinalClassifier().partial_fit(X, names[y], classes=names, sample_weight=weights)
    assert first.coef_.tolist() == by_name.coef_.tolist()
    before = copy.deepcopy(by_name)
    for learn in (
        lambda: by_name.learn_one(X[0], "middling"),
        lambda: by_name.partial_fit(X[:3], ["low", "mid", "huge"]),
        lambda: by_name.partial_fit(X[:1], ["low"], classes=["low", "high", "mid"]),
    ):
        with pytest.raises(ValueError, match=r"declare all ranks|not the same as the ranks"):
            learn()
        assert by_name.classes_.tolist() == list(names)
        assert by_name.coef_.tolist() == before.coef_.tolist()
        assert by_name.thresholds_.tolist() == before.thresholds_.tolist()


def test_what_cannot_be_put_in_order() -> None:
    X, _, _ = stream(9)
    with pytest.raises(TypeError, match="ranks must have an order"):
        hinge.OrdinalClassifier().fit(X[:2], np.array([1, "a"], object))
    learner = hinge.OrdinalClassifier().partial_fit(X[:2], [1, 2])
    with pytest.raises(TypeError, match="ranks must have an order"):
        learner.learn_one(X[0], "a")
    assert learner.classes_.tolist() == [1, 2]
    with pytest.raises(TypeError, match="from the lowest to the highest"):
        hinge.OrdinalClassifier(ranks="abc").fit(X[:2], ["a", "b"])
    with pytest.raises(TypeError, match=r"hinge\.Linear"):
        hinge.OrdinalClassifier(space=hinge.Kernel("rbf")).fit(X[:2], [0, 1])
    with pytest.raises(TypeError, match="focus"):
        hinge.OrdinalClassifier(focus="worst").fit(X[:2], [0, 1])
    with pytest.raises(TypeError, match="Exact"):
        hinge.OrdinalClassifier(hinge.Perceptron(), hinge.Exact()).fit(X[:2], [0, 1])


# ------------------------------------------------------------------------------- one row = a batch = play


def state_of(learner: Any) -> list[Any]:
    return [learner.coef_.tolist(), learner.thresholds_.tolist(), learner.classes_.tolist()]


KINDS = [(np.float64, None), (np.float32, None), (np.float64, hinge.Worst()), (np.float64, hinge.Exact())]


@pytest.mark.parametrize(("dtype", "focus"), KINDS if INTERPRETED else KINDS[:1])
def test_one_row_is_a_batch_is_play(dtype: Any, focus: Any) -> None:
    X, y, weights = stream(10, rounds=min(ROUNDS, 80))
    X = X.astype(dtype)
    make = lambda: hinge.OrdinalClassifier(hinge.PA1(C=0.3), focus)  # noqa: E731
    whole = make().partial_fit(X, y, sample_weight=weights)
    single, played, split = make(), make(), make()
    predictions = []
    for x, rank, weight in zip(X, y.tolist(), weights.tolist(), strict=True):
        predictions.append(single.predict_one(x))
        single.learn_one(x, rank, weight)
    report = hinge.play(played, X, y, weights)
    for part in (slice(0, 1), slice(1, 30), slice(30, None)):
        split.partial_fit(X[part], y[part], sample_weight=weights[part])
    assert state_of(single) == state_of(whole) == state_of(played) == state_of(split)
    assert report.predictions.tolist() == predictions


def test_sparse_is_dense() -> None:
    X, y, weights = stream(10, rounds=min(ROUNDS, 80))
    dense = hinge.OrdinalClassifier(hinge.PA1(C=0.3)).partial_fit(X, y, sample_weight=weights)
    rows = sparse.csr_matrix(X)
    thin = hinge.OrdinalClassifier(hinge.PA1(C=0.3)).partial_fit(rows, y, sample_weight=weights)
    np.testing.assert_allclose(thin.coef_, dense.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(thin.thresholds_, dense.thresholds_, rtol=1e-9, atol=1e-12)
    assert thin.predict(rows).tolist() == dense.predict(X).tolist()
    assert thin.predict_one(rows[5]) == dense.predict_one(X[5])


def test_rows_with_names() -> None:
    X, y, weights = stream(11, rounds=30)
    rows = [{f"x{j}": value for j, value in enumerate(x) if value} for x in X.tolist()]
    named = hinge.OrdinalClassifier(hinge.PA1(C=0.3))
    report = hinge.play(named, rows, y, weights)
    plain = hinge.OrdinalClassifier(hinge.PA1(C=0.3)).partial_fit(X, y, sample_weight=weights)
    order = [named._columns[f"x{j}"] for j in range(7)]
    np.testing.assert_allclose(named.coef_[:, order], plain.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(named.thresholds_, plain.thresholds_, rtol=1e-9, atol=1e-12)
    assert report.n == 30
    assert named.predict(rows).tolist() == plain.predict(X).tolist()
    assert named.score_one(rows[0]) == pytest.approx(plain.decision_function(X[:1])[0])


@plain
def test_texts() -> None:
    learner = hinge.OrdinalClassifier(hinge.PA1(C=1.0), ranks=["bad", "fair", "good"])
    for _ in range(5):
        learner.learn_one("dull and long", "bad").learn_one("long but fine", "fair").learn_one("a joy", "good")
    assert [learner.predict_one(text) for text in ("dull, dull", "what a joy")] == ["bad", "good"]
    assert learner.predict(["dull and long", "a joy"]).tolist() == ["bad", "good"]


# ------------------------------------------------------------------------------- failed calls, weights, other promises


def test_a_failed_call_changes_nothing() -> None:
    X, y, _ = stream(12, rounds=40)
    learner = hinge.OrdinalClassifier(hinge.PA1(C=0.3)).partial_fit(X, y)
    learner.partial_fit(X[:1], [9], sample_weight=[0.0])  # its threshold waits for a row
    before = pickle.dumps(state_of(learner))
    bad = X[:3].copy()
    bad[2, 1] = np.nan
    huge = np.full(7, 1e200)
    for call in (
        lambda: learner.partial_fit(bad, [-5, 0, 1]),
        lambda: learner.learn_one(bad[2], 0),
        lambda: learner.learn_one(huge, 0),
        lambda: learner.learn_one(huge, -7),
        lambda: learner.learn_one(X[0], None),
        lambda: learner.partial_fit(X[:2], [0, 1, 2]),
        lambda: learner.learn_one(X[0], 1, weight=-1.0),
    ):
        with pytest.raises(ValueError, match=r"NaN|too large|finite|label|inconsistent|negative"):
            call()
        assert pickle.dumps(state_of(learner)) == before
    assert np.isinf(learner.thresholds_).tolist() == [False] * (len(learner.thresholds_) - 1) + [True]


def test_weights() -> None:
    X, y, _ = stream(13, rounds=30)
    learner = hinge.OrdinalClassifier(hinge.PA1(C=0.3)).partial_fit(X, y)
    before = state_of(learner)
    learner.partial_fit(X, y[::-1], sample_weight=np.zeros(30))
    assert state_of(learner) == before
    twice = hinge.OrdinalClassifier(hinge.PA1(C=0.3)).fit(X, y, np.full(30, 2.0))
    dearer = hinge.OrdinalClassifier(hinge.PA1(C=0.6)).fit(X, y)
    assert state_of(twice) == state_of(dearer)


def test_copies() -> None:
    from sklearn.base import clone

    X, y, _ = stream(14, rounds=60)
    learner = hinge.OrdinalClassifier(hinge.PA1(C=0.3), passes=2, random_state=3)
    learner.fit(X[:30], y[:30])
    for twin in (pickle.loads(pickle.dumps(learner)), copy.deepcopy(learner)):
        assert state_of(twin) == state_of(learner)
        more, same = copy.deepcopy(learner).partial_fit(X[30:], y[30:]), twin.partial_fit(X[30:], y[30:])
        assert state_of(more) == state_of(same)
    fresh = clone(learner)
    assert not hasattr(fresh, "classes_")
    assert state_of(fresh.fit(X[:30], y[:30])) == state_of(learner)
    assert repr(clone(hinge.OrdinalClassifier(ranks=["b", "a"]))) == "OrdinalClassifier(ranks=['b', 'a'])"


@pytest.mark.parametrize("step", [hinge.PA1(C=0.3), [hinge.PA1(C=0.3), hinge.PA2(C=0.1)]])
def test_files(step: Any, tmp_path: Any) -> None:
    X, y, _ = stream(18, rounds=60)
    labels = np.array(["e", "d", "c", "b", "a"])[y]
    learner = hinge.OrdinalClassifier(step).partial_fit(X[:40], labels[:40])
    learner.learn_one(X[0], "A", weight=0.0).learn_one(X[0], "z", weight=0.0)  # both ends wait for a row
    learner.save(tmp_path / "ranks.hinge")
    restored = hinge.load(tmp_path / "ranks.hinge")
    assert pickle.dumps(state_of(restored)) == pickle.dumps(state_of(learner))
    assert np.isinf(restored.thresholds_[[0, -1]]).all()
    assert restored.contenders_ == learner.contenders_
    restored.save(tmp_path / "again.hinge")
    assert (tmp_path / "again.hinge").read_bytes() == (tmp_path / "ranks.hinge").read_bytes()
    for late in (learner, restored):
        late.partial_fit(X[40:], labels[40:]).learn_one(X[3], "bb")
    assert state_of(restored) == state_of(learner)
    assert restored.classes_.tolist() == ["A", "a", "b", "bb", "c", "d", "e", "z"]
    for few in (hinge.OrdinalClassifier(ranks=["x", "b"]), hinge.OrdinalClassifier(step).learn_one(X[0], 3)):
        few.save(tmp_path / "few.hinge")
        assert repr(hinge.load(tmp_path / "few.hinge")) == repr(few)


def test_files_with_thresholds_that_cannot_be(tmp_path: Any) -> None:
    X, y, _ = stream(18, rounds=30)
    learner = hinge.OrdinalClassifier(hinge.PA1(C=0.3)).partial_fit(X, y)
    assert learner._engine is not None
    for bad in (np.nan, np.inf):
        learner._engine.thresholds[2] = bad
        with pytest.raises(ValueError, match="NaN in thresholds, or infinity elsewhere"):
            learner.save(tmp_path / "bad.hinge")


@plain
def test_reports_and_races() -> None:
    X, y, _ = stream(15)
    outcome = hinge.race({"ranks": hinge.OrdinalClassifier(), "labels": hinge.Classifier()}, X, y)
    assert outcome["ranks"].absolute_error >= outcome["ranks"].mistakes > 0
    assert outcome["labels"].absolute_error is None
    assert outcome.ranking == sorted(outcome, key=lambda name: outcome[name].mistakes)
    assert "mistakes" in str(outcome)
    assert "a round, |y - prediction|" in str(outcome["ranks"])
    only = hinge.race([hinge.OrdinalClassifier(), hinge.OrdinalClassifier(hinge.Perceptron())], X, y)
    assert only.ranking == sorted(only, key=lambda name: only[name].absolute_error)


@pytest.mark.parametrize("name", ["SimProj", "PA-I", "ConProj", "SimPerc", "PA-I exact"][: 5 if INTERPRETED else 1])
def test_the_catalogue(name: str) -> None:
    X, y, _ = stream(16)
    learner = hinge.named(f"{name} ordinal")
    assert isinstance(learner, hinge.OrdinalClassifier)
    report = hinge.play(learner, X, y)
    guess = 1 - np.bincount(y).max() / len(y)
    assert report.error_rate < guess


@plain
def test_the_bound_on_imperfect_rounds() -> None:
    """[SP06] Thm 1 and Cor. 1, with C < 2 / R²: instances have the norm ||x||² + 1."""
    rng = np.random.default_rng(17)
    X = rng.normal(size=(ROUNDS, 4))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    u, b = rng.normal(size=4) * 4, np.array([-2.0, 0.0, 2.0])
    y = np.digitize(X @ u + 0.1 * rng.normal(size=ROUNDS), b)
    signs = np.where(np.arange(3) < y[:, None], 1, -1)
    at_best = np.maximum(0, 1 - signs * ((X @ u)[:, None] - b)).max(axis=1).sum()
    for step, C in ((hinge.Perceptron(0.5), 0.5), (hinge.PA1(0.5), 0.5)):
        learner = begun(hinge.OrdinalClassifier(step, hinge.Mistaken()), X, range(4))
        report = hinge.play(learner, X, y)
        imperfect = (report.losses >= 1).sum()
        assert imperfect >= report.mistakes
        norm = (u @ u + b @ b) / 2
        assert imperfect <= (norm + C * at_best) / (C - C * C * 2 / 2)
        assert report.certificate.dual <= norm + C * at_best + 1e-9


@plain
@pytest.mark.filterwarnings("ignore:Estimator OrdinalClassifier does not inherit")
def test_scikit_learn_s_contract() -> None:
    from sklearn.utils.estimator_checks import check_estimator

    one_score = "a row has one score, w . x, however many ranks there are; thresholds_ tell them apart"
    weight = "a weight is a price of slack, not a number of repetitions"
    check_estimator(
        hinge.OrdinalClassifier(),
        expected_failed_checks={
            "check_classifiers_train": one_score,
            "check_classifiers_classes": one_score,
            "check_sample_weight_equivalence_on_dense_data": weight,
            "check_sample_weight_equivalence_on_sparse_data": weight,
            "check_all_zero_sample_weights_error": "rows of weight 0 are seen, and nothing is learnt from them",
            "check_parameters_default_constructible": "a step is a tuple, which cannot be changed",
        },
        on_fail="raise",
        on_skip=None,
    )
