# SPDX-License-Identifier: BSD-3-Clause
"""Sets of labels: against the slow twin with every focus and step, however the sets are given, and what is refused."""

import json
import os
import pickle
import subprocess
import sys
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import hinge
import oracle
from hinge.focus import Alike
from hinge.native import INTERPRETED
from hinge.tasks.calibration import ExactCalibrated
from hinge.tasks.multilabel import MEASURES, Multilabel, Sets
from oracle.multilabel import MEASURES as slow_measures
from oracle.multilabel import multilabel

ROUNDS = 30 if INTERPRETED else 60
CLOSE = {"rtol": 1e-8, "atol": 1e-9}
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
#: Without a compiler every focus is tried with every step; each that is compiled takes some seconds.
MOVES = {
    focus: [name for name in STEPS if (focus, name) != ("exact", "Perceptron") and (INTERPRETED or name == "PA1")]
    for focus in FOCUSES
}


class Stream(NamedTuple):
    X: np.ndarray
    Y: np.ndarray
    weights: np.ndarray

    @property
    def sets(self) -> list[list[int]]:
        return [np.flatnonzero(row).tolist() for row in self.Y]


def stream(seed: int, labels: int = 6, rounds: int = ROUNDS, width: int = 5) -> Stream:
    """Sets that depend on the row, some of them empty, some full; rows of zeros; weights of 0."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rounds, width)) * (rng.random((rounds, width)) < 0.7)
    X[3::17] = 0
    Y = (X @ rng.normal(size=(width, labels)) + 0.5 * rng.normal(size=(rounds, labels)) > 0.6).astype(int)
    Y[5::13] = 0
    Y[7::13] = 1
    return Stream(X, Y, rng.choice([0.0, 0.5, 1.0, 3.0], rounds))


def clear(steps: list[Any], seed: int, names: Any = None, **more: Any) -> tuple[Stream, list[Any]]:
    """A stream with its twins in which rounding decides no tie: labels of one history score alike, or nearly so.

    To focus "exact" ties are nothing special: what it does is continuous in the scores.
    """
    shape = {name: more.pop(name) for name in ("labels", "rounds") if name in more}
    known = {} if names else {"labels": range(shape.get("labels", 6))}
    for number in range(100):
        rows = stream(seed + 100 * number, **shape)
        if names:
            rows.Y[np.arange(len(rows.Y))[:, None] < 2 * np.arange(len(names))] = 0  # k cannot come before round 2k
        sets = [[names[k] for k in labels] for labels in rows.sets] if names else rows.sets
        twins = [multilabel(step, rows.X, sets, weights=rows.weights, b=0.8, **known, **more) for step in steps]
        sizes = np.abs(np.concatenate([margins for twin in twins for margins in twin.margins]))
        if more["focus"] == "exact" or not ((sizes > 0) & (sizes < 1e-9)).any():
            return rows, twins
    raise AssertionError("every stream has a tie for rounding to decide")


def agree(report: Any, learner: Any, twin: Any, rows: Stream) -> None:
    np.testing.assert_allclose(report.losses, twin.losses, **CLOSE)
    np.testing.assert_allclose(report.certificate.dual, twin.dual, rtol=1e-8, atol=1e-8)
    scores = np.round(twin.scores, 9)  # labels of one history are a tie, which the twin's rounding may have undone
    labels = rows.Y.shape[1]
    for name, measure in zip(MEASURES, slow_measures.values(), strict=True):
        mean = np.mean([measure(own[:labels], set(truth)) for own, truth in zip(scores, rows.sets, strict=True)])
        np.testing.assert_allclose(getattr(report, name), mean, rtol=1e-12, atol=1e-12)
    weights, intercept = twin.weights, twin.intercept
    if twin.calibration is not None:
        weights, intercept = weights - twin.calibration[0], intercept - twin.calibration[1]
        np.testing.assert_array_equal(report.predictions, scores[:, :-1] > scores[:, -1:])
    np.testing.assert_allclose(learner.coef_, weights, **CLOSE)
    np.testing.assert_allclose(learner.intercept_, intercept, **CLOSE)
    assert report.mistakes == (report.predictions != rows.Y).any(axis=1).sum()


# ------------------------------------------------------------------------------- every focus x step


@pytest.mark.parametrize("calibrated", [True, False])
@pytest.mark.parametrize("focus", FOCUSES)
def test_the_slow_twin(focus: str, calibrated: bool) -> None:
    for name in MOVES[focus]:
        step, slow = STEPS[name]
        rows, [twin] = clear([slow], 1, focus=focus, calibrated=calibrated)
        learner = hinge.MultilabelClassifier(step, FOCUSES[focus], calibrated=calibrated, intercept=0.8)
        report = hinge.play(learner, rows.X, rows.Y, rows.weights)
        agree(report, learner, twin, rows)
        assert report.updates == twin.updates
        own = learner.decision_function(rows.X)
        np.testing.assert_allclose(own, rows.X @ learner.coef_.T + learner.intercept_, **CLOSE)
        np.testing.assert_array_equal(learner.predict(rows.X), own > 0)


def test_sparse_rows_and_contenders_side_by_side() -> None:
    steps = [hinge.PA1(C) for C in (1.0, 0.1, 0.01)]
    rows, twins = clear([oracle.PA1(step.C) for step in steps], 2, labels=9, focus="violated", calibrated=True)
    together = hinge.MultilabelClassifier(steps, hinge.Violated(), intercept=0.8)
    hinge.play(together, sparse.csr_matrix(rows.X), sparse.csr_matrix(rows.Y), rows.weights)
    alone = []
    for contender, twin in zip(together.contenders_, twins, strict=True):
        wrong = np.array([p != t for p, t in zip(twin.predictions, rows.sets, strict=True)])
        np.testing.assert_allclose(contender.loss, sum(twin.losses), rtol=1e-8)
        assert contender.mistakes == wrong.sum()
        alone.append((wrong @ rows.weights, np.array(twin.losses) @ rows.weights, twin))
    best = min(alone, key=lambda found: found[:2])[2]
    np.testing.assert_allclose(together.coef_, best.weights - best.calibration[0], **CLOSE)


@pytest.mark.parametrize("calibrated", [True, False])
def test_proportional_shares(calibrated: bool) -> None:
    """One round: each pair moves in proportion to how far on the wrong side it is."""
    scores = np.array([0.5, 0.0, 1.0, 3.0] if calibrated else [0.0, 1.0, 3.0])  # the calibration label's is the first
    task = Multilabel(int(calibrated)).ready(3, np.zeros(4))
    truth, moves = task.alone(np.array([0], np.int32), 3), np.zeros(len(scores))
    worst = task.worst(scores, 0, 3, truth, None)
    share = hinge.Proportional().share(
        task, hinge.Perceptron(eta=2.0), scores, 0, 3, truth, None, worst, Alike(1.0), 1.0, moves
    )
    assert share.lambdas == pytest.approx(2)
    if calibrated:  # pairs (0, 1), (0, 2), (0, c), (c, 1), (c, 2): 1, 3, 0.5, 0.5, 2.5 on the wrong side
        np.testing.assert_allclose(moves, 2 / 7.5 * np.array([2.5, 4.5, -1.5, -5.5]), rtol=1e-12)
    else:
        np.testing.assert_allclose(moves, 2 / 4 * np.array([4.0, -1.0, -3.0]), rtol=1e-12)


def test_the_average_predicts() -> None:
    rows = stream(3)
    averaged = hinge.MultilabelClassifier(hinge.PA1(C=0.3), hinge.Violated(), intercept=0.8, average=True)
    hinge.play(averaged, rows.X, rows.Y, rows.weights)
    hypotheses = [np.zeros((6, 5))]
    for n in range(1, ROUNDS):
        twin = multilabel(oracle.PA1(0.3), rows.X[:n], rows.sets[:n], labels=range(6), focus="violated",
                          calibrated=True, weights=rows.weights[:n], b=0.8)  # fmt: skip
        hypotheses.append(twin.weights - twin.calibration[0])
    np.testing.assert_allclose(averaged.coef_, np.mean(hypotheses, axis=0), **CLOSE)


# ------------------------------------------------------------------------------- labels of any kind, at any time


def test_labels_that_nobody_told() -> None:
    """Labels appear one by one and several at once; more than lanes at first have room for."""
    names = [("even" if k % 2 == 0 else "odd", k) for k in range(20)]
    for step, focus in (("PA1", "violated"), ("PA1", "exact"), ("PA1", "worst")):
        rows, [twin] = clear([STEPS[step][1]], 4, names, labels=20, rounds=50, focus=focus, calibrated=True)
        sets = [[names[k] for k in labels] for labels in rows.sets]
        learner = hinge.MultilabelClassifier(STEPS[step][0], FOCUSES[focus], intercept=0.8)
        report = hinge.play(learner, rows.X, sets, rows.weights)
        assert learner.classes_.tolist() == twin.classes
        assert len(twin.classes) > 16
        np.testing.assert_array_equal(report.flags >> 1, twin.novel)
        assert report.novel == sum(twin.novel)
        np.testing.assert_allclose(report.losses, twin.losses, **CLOSE)
        np.testing.assert_allclose(learner.coef_, twin.weights - twin.calibration[0], **CLOSE)
        predicted = [tuple(labels) for labels in twin.predictions]
        assert report.predictions.tolist() == predicted
        wrong = [set(p) != set(t) for p, t in zip(predicted, sets, strict=True)]
        assert report.mistakes == sum(w and not new for w, new in zip(wrong, twin.novel, strict=True))
        assert learner.predict(rows.X) == [learner.predict_one(x) for x in rows.X]


def test_the_ways_to_learn_are_one() -> None:
    """One row, a batch, batches, play, dicts, collections of any kind, duplicates: the same bits."""
    rows = stream(5, labels=11)
    rows.Y[:3] = np.eye(11, dtype=int)[:3]
    sets = [tuple(f"label {k}" for k in labels) for labels in rows.sets]
    kinds = [tuple, list, set, frozenset, lambda s: np.array(s, object), lambda s: [*s, *s], lambda s: s[::-1]]
    mixed = [kinds[t % len(kinds)](labels) for t, labels in enumerate(sets)]

    def learner() -> Any:
        return hinge.MultilabelClassifier(hinge.PA1(C=0.3), hinge.Violated(), intercept=0.8)

    played = learner()
    report = hinge.play(played, rows.X, sets, rows.weights)
    batch, batches, single = learner().partial_fit(rows.X, sets, sample_weight=rows.weights), learner(), learner()
    predictions = []
    for start in range(0, ROUNDS, 7):
        part = slice(start, start + 7)
        batches.partial_fit(rows.X[part], sets[part], sample_weight=rows.weights[part])
    for x, labels, weight in zip(rows.X, sets, rows.weights, strict=True):
        predictions.append(single.predict_one(x))
        single.learn_one(x, labels, weight)
    assert [labels or () for labels in predictions] == report.predictions.tolist()
    others = learner()
    for x, labels, weight in zip(rows.X, mixed, rows.weights, strict=True):
        others.learn_one(x, labels, weight)
    order = [others.classes_.tolist().index(label) for label in played.classes_]
    np.testing.assert_allclose(others.coef_[order], played.coef_, rtol=1e-9, atol=1e-12)  # sums in another order
    for other in (batch, batches, single):
        assert other.classes_.tolist() == played.classes_.tolist()
        np.testing.assert_array_equal(other.coef_, played.coef_)
        np.testing.assert_array_equal(other.intercept_, played.intercept_)
        assert other.certificate_ == played.certificate_
    named = [{f"x{j}": value for j, value in enumerate(row)} for row in rows.X.tolist()]
    dicts = learner()
    told = hinge.play(dicts, named, sets, rows.weights)
    assert told.predictions.tolist() == report.predictions.tolist()
    assert told.mistakes == report.mistakes
    assert [getattr(told, name) for name in MEASURES] == pytest.approx([getattr(report, name) for name in MEASURES])
    np.testing.assert_allclose(dicts.coef_, played.coef_, **CLOSE)
    stream_of_rows = hinge.play(learner(), iter(named), iter(sets), iter(rows.weights))
    assert stream_of_rows.predictions.tolist() == report.predictions.tolist()


def test_matrices_in_matrices_out() -> None:
    rows = stream(6)
    dense = hinge.MultilabelClassifier(hinge.PA1(C=0.3)).partial_fit(rows.X, rows.Y)
    for Y in (rows.Y.astype(bool), rows.Y.astype(float), sparse.csr_matrix(rows.Y), sparse.coo_array(rows.Y)):
        other = hinge.MultilabelClassifier(hinge.PA1(C=0.3)).partial_fit(rows.X, Y)
        np.testing.assert_array_equal(other.coef_, dense.coef_)
    assert dense.classes_.tolist() == list(range(6))
    chosen = dense.predict(rows.X)
    assert (chosen.shape, chosen.dtype) == ((ROUNDS, 6), np.int64)
    assert dense.score(rows.X, rows.Y) == (chosen == rows.Y).all(axis=1).mean()
    assert dense.score(rows.X, rows.sets) == dense.score(rows.X, rows.Y)
    assert dense.predict_one(rows.X[0]) == tuple(np.flatnonzero(chosen[0]))
    listed = hinge.MultilabelClassifier(hinge.PA1(C=0.3)).partial_fit(rows.X[:0], [], classes=range(6))
    listed.partial_fit(rows.X, rows.sets)
    np.testing.assert_array_equal(listed.coef_, dense.coef_)
    assert listed.predict(rows.X) == [tuple(np.flatnonzero(row)) for row in chosen]
    named = hinge.MultilabelClassifier(hinge.PA1(C=0.3)).partial_fit(rows.X, rows.Y, classes=list("fedcba"))
    assert named.predict_one(rows.X[0]) == tuple("fedcba"[k] for k in np.flatnonzero(chosen[0]))
    np.testing.assert_array_equal(named.predict(rows.X), chosen)
    by_name = [{"a": row[0], "b": row[1]} for row in rows.X.tolist()]
    told = hinge.play(hinge.MultilabelClassifier(hinge.PA1(C=0.3)), by_name, rows.Y)
    assert told.novel == 0
    assert told.predictions.shape == rows.Y.shape


def test_fit_forgets_and_sorts() -> None:
    rows = stream(7)
    sets = [[f"label {9 - k}" for k in labels] for labels in rows.sets]
    clf = hinge.MultilabelClassifier(hinge.PA1(C=0.3)).partial_fit(rows.X, rows.Y)
    clf.fit(rows.X, sets)
    assert clf.classes_.tolist() == [f"label {k}" for k in range(4, 10)]
    assert isinstance(clf.predict(rows.X), list)
    again = hinge.MultilabelClassifier(hinge.PA1(C=0.3), passes=2, random_state=5).fit(rows.X, sets)
    np.testing.assert_array_equal(again.coef_, again.fit(rows.X, sets).coef_)


# ------------------------------------------------------------------------------- what has to be equal


def test_one_label_a_row_is_the_classifier() -> None:
    rows = stream(8)
    y = rows.X[:, :4].argmax(axis=1)
    y[:4] = range(4)
    for step, focus in [(name, about) for about in FOCUSES for name in MOVES[about]][:: 1 if INTERPRETED else 4]:
        one = hinge.Classifier(STEPS[step][0], FOCUSES[focus], intercept=0.8)
        report = hinge.play(one.partial_fit(rows.X[:0], y[:0], classes=range(4)), rows.X, y, rows.weights)
        many = hinge.MultilabelClassifier(STEPS[step][0], FOCUSES[focus], calibrated=False, intercept=0.8)
        many.partial_fit(rows.X[:0], [], classes=range(4))
        told = hinge.play(many, rows.X, [[label] for label in y], rows.weights)
        np.testing.assert_allclose(many.decision_function(rows.X), one.decision_function(rows.X), **CLOSE)
        np.testing.assert_allclose(told.losses, report.losses, **CLOSE)
        assert told.one_error == pytest.approx((report.predictions != y).mean())


def test_rounds_that_ask_for_nothing() -> None:
    X = [[1.0], [1.0], [1.0]]
    plain = hinge.MultilabelClassifier(hinge.PA1(C=9.0), calibrated=False, intercept=False)
    plain.partial_fit(np.zeros((0, 1)), [], classes=["a"])
    report = hinge.play(plain, X, [[], ["a"], ["a"]])
    assert (report.loss, report.updates) == (0, 0)
    sets = hinge.MultilabelClassifier(hinge.PA1(C=9.0), calibrated=True, intercept=False)
    sets.partial_fit(np.zeros((0, 1)), [], classes=["a"])
    report = hinge.play(sets, X, [[], ["a"], ["a"]])
    assert report.losses.tolist() == [1, 2, 0]
    assert report.predictions.tolist() == [(), (), ("a",)]
    assert sets.coef_.tolist() == [[1.0]]  # 0.5, and -0.5 the calibration label's
    empty = hinge.MultilabelClassifier()
    assert hinge.play(empty, X, [[], [], []]).mistakes == 0
    assert empty.decision_function(X).shape == (3, 0)
    assert empty.predict(X) == [(), (), ()]


# ------------------------------------------------------------------------------- the round's own problem


def solved(u: Any, v: Any, c: float, q: float, step: Any, weight: float) -> tuple[np.ndarray, Any]:
    """(coefficients, share) of one round with these scores of relevant labels, of others and of the calibration one."""
    k = len(u) + len(v)
    task = Multilabel(1).ready(k, np.zeros(4))
    truth = task.begin(Sets(np.arange(len(u), dtype=np.int32), np.array([0, len(u)])), 0, k)
    scores, coefficients = np.array([c, *u, *v]), np.zeros(k + 1)
    worst = task.worst(scores, 0, k, truth, None)
    share = ExactCalibrated(1.0).share(task, step, scores, 0, k, truth, None, worst, Alike(q), weight, coefficients)
    return coefficients, share


WHOLE = st.integers(-8, 8).map(lambda n: n / 4)
BROKEN = st.floats(-2, 2).map(lambda x: round(x, 3))


@given(st.lists(WHOLE | BROKEN, max_size=4), st.lists(WHOLE | BROKEN, max_size=4), WHOLE | BROKEN,
       st.sampled_from([0.25, 1.0, 3.0]), st.sampled_from([1e-9, 0.05, 0.3, 1.0, 5.0]),
       st.sampled_from([0.5, 2.0]))  # fmt: skip
@settings(max_examples=60)
def test_exact_is_the_optimum(u: list[float], v: list[float], c: float, q: float, C: float, weight: float) -> None:
    """The gap between the dual value and the primal one, which bounds both; and the oracle's solution beside it."""
    k = len(u) + len(v)
    signs = np.eye(k + 1)
    pairs = [signs[r] - signs[s] for r in [*range(len(u)), k] for s in [*range(len(u), k), k] if r != s]
    z = np.array(pairs).reshape(-1, k + 1)
    losses, gram = 1 - z @ [*u, *v, c], q * z @ z.T
    for step, slow in ((hinge.PA1(C), oracle.PA1(C)), (hinge.PA2(C), oracle.PA2(C)), (hinge.PA(), oracle.PA())):
        found, share = solved(u, v, c, q, step, weight)
        move = np.array([*found[1:], found[0]])
        assert abs(move.sum()) <= 1e-12 * max(1e-9, np.abs(move).max())
        left = (losses - q * z @ move).max(initial=0)  # the slack that is needed after the move
        price = {hinge.PA1: C * weight * left, hinge.PA2: C * weight * left**2, hinge.PA: 0.0}[type(step)]
        lower = share.gain - (share.lambdas**2 / (4 * C * weight) if isinstance(step, hinge.PA2) else 0.0)
        upper = 0.5 * q * move @ move + price
        assert upper - lower <= 1e-9 * upper + 1e-18
        if isinstance(step, hinge.PA):
            assert left <= 1e-9
        else:
            assert share.lambdas <= step.cap(weight) * (1 + 1e-12)
        lambdas = oracle.shares(slow, "exact", losses, 1 - losses, gram, weight)
        np.testing.assert_allclose(move, lambdas @ z, rtol=1e-6, atol=1e-6 * min(C, 1))
        np.testing.assert_allclose(share.lambdas, lambdas.sum(), rtol=1e-6, atol=1e-9)


def test_exact_with_many_labels_at_once() -> None:
    rng = np.random.default_rng(9)
    for C in (0.001, 0.1, 1.0, 30.0, 1e6):
        u, v = rng.normal(size=300), rng.normal(size=700)
        step = hinge.PA1(C)
        move, share = solved(u, v, 0.3, 2.0, step, 1.0)
        after = np.array([0.3, *u, *v]) + 2.0 * move
        low, high, line = after[1:301].min(), after[301:].max(), after[0]
        left = max(0.0, 1 - min(low - high, low - line, line - high))
        upper = move @ move + C * left
        assert upper - share.gain <= 1e-9 * upper


# ------------------------------------------------------------------------------- files, copies, catalogue


@pytest.mark.parametrize("calibrated", [True, False])
def test_saved_pickled_cloned(calibrated: bool, tmp_path: Any) -> None:
    from sklearn.base import clone, is_classifier

    rows = stream(10, labels=11)
    sets = [tuple(f"label {k}" for k in labels) for labels in rows.sets]
    for y in (rows.Y, sets):
        clf = hinge.MultilabelClassifier([hinge.PA1(C=0.3), hinge.PA1(C=0.1)], hinge.Violated(), calibrated=calibrated)
        clf.partial_fit(rows.X[:40], y[:40])
        clf.save(tmp_path / "model")
        half = [hinge.load(tmp_path / "model"), pickle.loads(pickle.dumps(clf))]
        clf.partial_fit(rows.X[40:], y[40:])
        for other in half:
            other.partial_fit(rows.X[40:], y[40:])
            np.testing.assert_array_equal(other.coef_, clf.coef_)
            assert other.contenders_ == clf.contenders_
            assert type(other.predict(rows.X)) is type(clf.predict(rows.X))
            np.testing.assert_array_equal(other.decision_function(rows.X), clf.decision_function(rows.X))
            report = hinge.play(other, rows.X, y)
            assert 0 < report.ranking_loss < 1
        fresh = clone(clf)
        assert fresh.get_params() == clf.get_params()
        assert is_classifier(fresh)
        assert not hasattr(fresh, "classes_")


def test_the_catalogue_has_them() -> None:
    assert repr(hinge.named("SimProj multilabel", C=0.5)) == "MultilabelClassifier(PA1(C=0.5), focus=Violated())"
    assert repr(hinge.named("PA-II multilabel", calibrated=False)).endswith("calibrated=False)")


def test_the_report_tells() -> None:
    rows = stream(11)
    report = hinge.play(hinge.MultilabelClassifier(), rows.X, rows.Y)
    assert "ranking loss; one-error" in str(report)
    assert {name: report.to_dict()[name] for name in MEASURES} == {name: getattr(report, name) for name in MEASURES}
    one = hinge.play(hinge.Classifier(), rows.X, rows.Y[:, 0])
    assert one.ranking_loss is one.average_precision is None
    assert "ranking" not in str(one)
    first, second = hinge.MultilabelClassifier(), hinge.MultilabelClassifier()
    hinge.play(first, rows.X[:20], rows.Y[:20])
    hinge.play(second, rows.X[:20], rows.Y[:20])
    told = hinge.play(first, rows.X[20:], rows.Y[20:])  # of this pass alone
    whole = hinge.play(hinge.MultilabelClassifier(), rows.X, rows.Y)
    before = hinge.play(hinge.MultilabelClassifier(), rows.X[:20], rows.Y[:20])
    assert told.coverage * (ROUNDS - 20) + before.coverage * 20 == pytest.approx(whole.coverage * ROUNDS)


def test_a_record_takes_few_bytes() -> None:
    labels = 100
    clf = hinge.MultilabelClassifier().partial_fit(np.zeros((0, 2)), np.zeros((0, labels)))
    assert sum(column.nbytes for column in clf._engine.new_record(1000)) <= 32 * 1000


# ------------------------------------------------------------------------------- what is refused


class Row(NamedTuple):
    y: Any
    error: type[Exception]
    message: str


REFUSED = {
    "none": Row(None, ValueError, "requires y"),
    "one label a row": Row(["a", "b"], TypeError, "'a' in row 0; a collection of labels was expected"),
    "numbers": Row([0, 1], TypeError, "0 in row 0; a collection"),
    "a string": Row("ab", TypeError, "indicator matrix or a list"),
    "too few": Row([["a"]], ValueError, "2 rows and y 1 sets"),
    "too many": Row(np.eye(3), ValueError, "2 rows and y 3 sets"),
    "other numbers": Row([[1, 0]] and np.array([[1, 0], [0, 2]]), ValueError, "2 in row 1, column 1"),
    "NaN in a matrix": Row(np.array([[1, 0], [np.nan, 0]]), ValueError, "nan in row 1, column 0"),
    "sparse, other numbers": Row(sparse.csr_matrix([[1, 0], [0, -1]]), ValueError, "-1 in row 1, column 1"),
    "a matrix of words": Row(np.array([["a", "b"], ["c", "d"]]), ValueError, "indicator matrix of 0 and 1"),
    "a matrix as a list": Row([[0, 1, 0], [0, 0, 1]], ValueError, "numpy.array"),
    "NaN": Row([["a"], [float("nan")]], ValueError, "row 1: NaN is no label"),
    "None": Row([["a"], [None]], ValueError, "row 1: None is no label"),
    "not hashable": Row([["a"], [["b"]]], TypeError, "not hashable"),
    "a dict": Row([["a"], {"b": 1}], TypeError, "in row 1; a collection"),
    "columns": Row(np.eye(2, 5), ValueError, "5 columns, but MultilabelClassifier knows 6 labels"),
}


def bits(clf: Any) -> Any:
    """All that a learner has learnt."""
    return [*map(np.ndarray.tobytes, (clf.coef_, clf.intercept_, clf._engine.totals, clf._engine.measures)),
            clf.classes_.tolist(), clf.contenders_, type(clf.predict(np.zeros((1, 5))))]  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_changes_nothing(case: str) -> None:
    rows = stream(12)
    clf = hinge.MultilabelClassifier(hinge.PA1(C=0.3)).partial_fit(rows.X, rows.Y)
    before = bits(clf)
    y, error, message = REFUSED[case]
    for call in (clf.partial_fit, lambda X, y: hinge.play(clf, X, y), clf.fit):
        if case == "columns" and call == clf.fit:
            continue
        with pytest.raises(error, match=message):
            call(rows.X[:2], y)
        assert bits(clf) == before
    if isinstance(y, list) and len(y) == 2 and case != "a matrix as a list":
        with pytest.raises(error):
            clf.learn_one(rows.X[0], y[1] if case not in ("one label a row", "numbers") else y[0])
        assert bits(clf) == before


def test_a_bad_row_after_new_labels_changes_nothing() -> None:
    rows = stream(13)
    clf = hinge.MultilabelClassifier(hinge.PA1(C=0.3)).partial_fit(rows.X, rows.sets)
    classes, coef = clf.classes_.tolist(), clf.coef_.copy()
    bad = rows.X[:4].copy()
    bad[3, 2] = np.nan
    for call in (clf.partial_fit, lambda X, y: hinge.play(clf, X, y)):
        with pytest.raises(ValueError, match="NaN in row 3, column 2"):
            call(bad, [["new"], ["a", "b"], [], ["newer"]])
        assert clf.classes_.tolist() == classes
        np.testing.assert_array_equal(clf.coef_, coef)
    with pytest.raises(ValueError, match="NaN in column 2"):
        clf.learn_one(bad[3], ["newer", "still"])
    assert clf.classes_.tolist() == classes
    with pytest.raises(TypeError, match="calibrated must be"):
        hinge.MultilabelClassifier(calibrated="yes").fit(rows.X, rows.Y)
    with pytest.raises(ValueError, match="not the same"):
        clf.partial_fit(rows.X, rows.sets, classes=["x"])
    first = hinge.MultilabelClassifier()
    with pytest.raises(ValueError, match="NaN"):
        first.learn_one(bad[3], ["a"])
    assert first.learn_one(bad[0], ["a"]).classes_.tolist() == ["a"]


# ------------------------------------------------------------------------------- without a compiler


def run_of_everything() -> dict[str, list[float]]:
    found = {}
    for focus in FOCUSES.values():
        rows = stream(14, rounds=30)
        learner = hinge.MultilabelClassifier(hinge.PA1(C=0.3), focus)
        report = hinge.play(learner, rows.X, rows.sets, rows.weights)
        found[repr(focus)] = [*map(float, report.losses), *learner.coef_.ravel().tolist(), report.coverage,
                              report.average_precision, report.mistakes, report.certificate.dual]  # fmt: skip
    return found


@pytest.mark.compiled
def test_interpreted_is_compiled_to_rounding() -> None:
    program = "import json, test_multilabel; print(json.dumps(test_multilabel.run_of_everything()))"
    plain = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.path.dirname(__file__)}
    ran = subprocess.run([sys.executable, "-c", program], env=plain, capture_output=True, text=True, check=True)
    interpreted, compiled = json.loads(ran.stdout), run_of_everything()
    assert interpreted.keys() == compiled.keys()
    for name, numbers in compiled.items():
        np.testing.assert_allclose(numbers, interpreted[name], rtol=1e-9, atol=1e-9, err_msg=name)
