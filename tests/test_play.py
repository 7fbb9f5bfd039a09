# SPDX-License-Identifier: BSD-3-Clause
"""play, race, reports and certificates: what is counted is what happened, and what is proved is true."""

import itertools
import json
import math
import os
import pty
import subprocess
import sys
import tracemalloc
from typing import Any

import matplotlib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import linear_model
from scipy import sparse
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

import hinge
from hinge.io import Batch
from hinge.native import INTERPRETED

matplotlib.use("agg")


def stream(rng: np.random.Generator, labels: int = 2, rounds: int = 60, width: int = 4) -> tuple[Any, Any]:
    X = rng.normal(size=(rounds, width))
    scores = X @ rng.normal(size=(width, max(1, labels))) + 0.5 * rng.normal(size=(rounds, max(1, labels)))
    return X, scores.argmax(1) if labels else scores[:, 0]


def dicts(X: Any) -> list[dict[str, float]]:
    return [{f"f{j}": float(value) for j, value in enumerate(row)} for row in X]


# ------------------------------------------------------------------------------- a report counts what happened


@pytest.mark.parametrize("labels", [2, 4])
@pytest.mark.parametrize("known", [True, False])
def test_mistakes_are_predictions_that_are_not_the_truth(rng: np.random.Generator, labels: int, known: bool) -> None:
    X, y = stream(rng, labels)
    weights = rng.random(len(X))
    learner = hinge.Classifier(hinge.PA1(C=0.5))
    if known:
        learner.partial_fit(X[:0], y[:0], classes=range(labels))
    report = hinge.play(learner, X, y, weights)
    wrong = np.array([p != t for p, t in zip(report.predictions, y, strict=True)])
    novel = np.zeros(len(X), bool) if known else np.array([t not in y[:i] for i, t in enumerate(y)])
    np.testing.assert_array_equal(report.flags, (wrong & ~novel) + 2 * novel)
    assert report.mistakes == (wrong & ~novel).sum() > 0
    assert report.novel == novel.sum()
    if known:
        assert report.mistakes == (report.predictions != y).sum()
    np.testing.assert_array_equal(report.mistake_curve, np.cumsum(wrong & ~novel))
    assert report.mistake_curve.shape == (len(X),)
    assert report.error_rate == report.mistakes / len(X)
    assert report.cost == pytest.approx(weights[wrong & ~novel].sum())
    assert report.loss == pytest.approx(report.losses.sum())
    assert report.squared_loss == pytest.approx((report.losses**2).sum())
    assert report.n == len(X)
    assert learner.contenders_[0].mistakes == report.mistakes
    second = hinge.play(learner, X, y)  # a second pass is counted by itself
    assert (second.n, second.novel) == (len(X), 0)
    assert second.mistakes == (second.predictions != y).sum()
    assert learner.contenders_[0].mistakes == report.mistakes + second.mistakes
    assert second.updates + report.updates == learner.contenders_[0].updates


def test_regression_and_one_class_count_what_is_outside(rng: np.random.Generator) -> None:
    X, y = stream(rng, 0)
    report = hinge.play(hinge.Regressor(epsilon=0.3), X, y)
    errors = np.abs(y - report.predictions)
    assert report.mistakes == (errors > 0.3).sum()
    assert report.absolute_error == pytest.approx(errors.sum())
    np.testing.assert_allclose(report.losses, np.maximum(0, errors - 0.3), atol=1e-12)
    ball = hinge.OneClass(hinge.PA1(C=0.1), radius=1.0)
    report = hinge.play(ball, X)
    assert set(report.predictions) == {-1, 1}
    assert report.mistakes == (report.predictions == -1).sum() == (report.losses > 0).sum()


def test_every_prediction_was_made_before_its_truth_was_seen(rng: np.random.Generator) -> None:
    """The same rows with the truths of the second half changed: the first half of the predictions is the same."""
    X, y = stream(rng, 3)
    other = y.copy()
    other[30:] = (other[30:] + 1) % 3
    one, two = (hinge.play(hinge.Classifier(), X, truths) for truths in (y, other))
    assert list(one.predictions[:31]) == list(two.predictions[:31])
    assert list(one.predictions) != list(two.predictions)


def test_streams_and_tables_come_to_the_same(rng: np.random.Generator) -> None:
    X, y = stream(rng, 3, rounds=2500 if not INTERPRETED else 1100)  # more than are gathered at a time
    rows, weights = dicts(X), rng.random(len(X))
    listed = hinge.play(hinge.Classifier(), rows, y, weights)
    streamed = hinge.play(hinge.Classifier(), iter(rows), iter(y), iter(weights))
    assert listed.n == streamed.n == len(X)
    assert list(listed.predictions) == list(streamed.predictions)
    np.testing.assert_array_equal(listed.losses, streamed.losses)
    assert listed.cost == pytest.approx(streamed.cost)
    table = hinge.play(hinge.Classifier(), X, y, weights)
    assert list(listed.predictions) == list(table.predictions)
    ball = hinge.play(hinge.OneClass(), iter(rows[:50]))
    assert ball.n == 50
    with pytest.raises(ValueError, match="rows and y"):
        hinge.play(hinge.Classifier(), iter(rows[:5]), iter(y[:3]))


def test_files_are_played_batch_by_batch(rng: np.random.Generator, tmp_path: Any) -> None:
    X, y = stream(rng, 3)
    X = X.astype(np.float32)
    lines = [
        f"{label} " + " ".join(f"{j + 1}:{float(value)!r}" for j, value in enumerate(row))
        for row, label in zip(X, y, strict=True)
    ]
    (tmp_path / "rows.svm").write_text("\n".join(lines) + "\n")
    learner = hinge.Classifier()
    report = hinge.play(learner, hinge.read(tmp_path / "rows.svm"))
    assert report.n == len(X)
    same = hinge.play(hinge.Classifier(), sparse.csr_matrix(X), y)
    assert list(report.predictions) == list(same.predictions)


def test_a_bad_batch_of_a_stream_is_refused_whole(rng: np.random.Generator) -> None:
    X, y = stream(rng, 2, rounds=30)
    bad = X[20:].copy()
    bad[5, 1] = np.nan

    def batches() -> Any:
        for part in (X[:20], bad):
            yield as_batch(part, y[: len(part)])

    learner, until = hinge.Classifier(), hinge.Classifier()
    with pytest.raises(ValueError, match="NaN in row 25, column 1"):
        hinge.play(learner, batches())
    hinge.play(until, iter([as_batch(X[:20], y[:20])]))
    np.testing.assert_array_equal(learner.coef_, until.coef_)


def as_batch(X: Any, y: Any) -> Batch:
    csr = sparse.csr_matrix(X.astype(np.float32))
    return Batch(csr.data, csr.indices, csr.indptr.astype(np.int64), X.shape[1], np.asarray(y, np.float64))


# ------------------------------------------------------------------------------- what is proved is true

VECTORS = st.lists(st.floats(-3, 3), min_size=3, max_size=3)
STEPS = st.sampled_from([hinge.PA1(C=0.2), hinge.PA1(C=2.0), hinge.PA2(C=0.5), hinge.PA(), hinge.Perceptron(eta=0.5)])


@st.composite
def streams(draw: Any, labels: int) -> tuple[Any, Any, Any]:
    rounds = draw(st.integers(1, 12))
    X = draw(st.lists(VECTORS, min_size=rounds, max_size=rounds))
    truth = st.integers(0, labels - 1) if labels else st.floats(-3, 3)
    y = draw(st.lists(truth, min_size=rounds, max_size=rounds))
    weights = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=rounds, max_size=rounds))
    return np.array(X), np.array(y), np.array(weights)


def holds(certificate: Any, norm: float, losses: np.ndarray, weights: np.ndarray) -> None:
    """No comparator of this norm, with these losses, gets below what is claimed."""
    slack = 1e-7 * (1 + abs(certificate.dual))
    price = certificate.price if certificate.kind == "separable" else certificate.C
    powers = losses**2 if certificate.kind == "squared" else losses
    total = float(weights @ powers)
    assert certificate.dual <= 0.5 * norm**2 + price * total + slack
    assert certificate.rounds == pytest.approx(weights.sum())
    if weights.sum() > 0 and price > 0:
        assert certificate.floor(norm) <= total / weights.sum() + slack / price
    if not powers[weights > 0].any() and norm > 0:  # u separates with a margin of 1, u / ||u|| with one of 1 / ||u||
        assert certificate.best_margin >= 1 / norm * (1 - 1e-6)


@given(streams(labels=2), STEPS, st.lists(st.floats(-4, 4), min_size=4, max_size=4), st.booleans())
def test_no_binary_comparator_beats_the_certificate(rows: Any, step: Any, u: list[float], grown: bool) -> None:
    X, y, weights = rows
    learner = hinge.Classifier(step, intercept=0.5)
    if grown:
        X, weights = X[np.argsort(y, kind="stable")], weights
        y = np.sort(y)
        y = y - y[0]
    else:
        learner.partial_fit(X[:0], y[:0], classes=[0, 1])
    report = hinge.play(learner, X, y, weights)
    margins = (2 * y - 1) * (np.hstack([X, np.full((len(X), 1), 0.5)]) @ u)
    holds(report.certificate, float(np.linalg.norm(u)), np.maximum(0, 1 - margins), weights)


@given(streams(labels=4), STEPS, st.lists(st.floats(-4, 4), min_size=16, max_size=16), st.booleans())
def test_no_comparator_of_many_labels_beats_the_certificate(rows: Any, step: Any, u: list[float], known: bool) -> None:
    """Late labels too: the moves of the binary form count half, as the vectors they are in do."""
    X, y, weights = rows
    learner = hinge.Classifier(step, intercept=0.5)
    if known:
        learner.partial_fit(X[:0], y[:0], classes=range(4))
    report = hinge.play(learner, X, y, weights)
    if not known and len(learner.classes_) < 3:
        return  # it stayed binary
    U = np.reshape(u, (4, 4))[: len(learner.classes_)]
    codes = np.array([learner.classes_.tolist().index(label) for label in y])
    scores = np.hstack([X, np.full((len(X), 1), 0.5)]) @ U.T
    own = scores[np.arange(len(y)), codes]
    scores[np.arange(len(y)), codes] = -np.inf
    losses = np.maximum(0, 1 - (own - scores.max(1)))
    holds(report.certificate, float(np.linalg.norm(U)), losses, weights)
    holds(learner.certificate_, float(np.linalg.norm(U)), losses, weights)


@pytest.mark.parametrize("step", [hinge.PA1(C=10.0), hinge.PA2(C=10.0), hinge.PA()], ids=repr)
def test_a_third_label_halves_the_dual_value(step: Any) -> None:
    """With one vector a label, u = (-x/2, x/2, 0) has no loss and half the squared norm that one vector needs."""
    learner = hinge.Classifier(step, intercept=False)
    learner.partial_fit([[1.0], [-1.0], [1.0], [0.0]], ["a", "b", "a", "c"], sample_weight=[1, 1, 1, 0])
    assert len(learner.classes_) == 3
    assert 0.1 < learner.certificate_.dual <= 0.25
    assert learner.certificate_.best_margin >= math.sqrt(2) * (1 - 1e-12)


@given(streams(labels=0), STEPS, st.lists(st.floats(-4, 4), min_size=4, max_size=4))
def test_no_regression_beats_the_certificate(rows: Any, step: Any, u: list[float]) -> None:
    X, y, weights = rows
    report = hinge.play(hinge.Regressor(step, epsilon=0.2, intercept=0.5), X, y, weights)
    errors = np.abs(y - np.hstack([X, np.full((len(X), 1), 0.5)]) @ u)
    holds(report.certificate, float(np.linalg.norm(u)), np.maximum(0, errors - 0.2), weights)


@given(streams(labels=0), STEPS, VECTORS)
def test_no_centre_beats_the_certificate(rows: Any, step: Any, u: list[float]) -> None:
    X, _, weights = rows
    report = hinge.play(hinge.OneClass(step, radius=0.5, start="zero"), X, None, weights)
    losses = np.maximum(0, np.linalg.norm(X - u, axis=1) - 0.5)
    holds(report.certificate, float(np.linalg.norm(u)), losses, weights)


@given(streams(labels=2), st.lists(st.floats(-4, 4), min_size=3, max_size=3))
def test_a_later_pass_is_measured_from_where_it_began(rows: Any, u: list[float]) -> None:
    X, y, weights = rows
    learner = hinge.Classifier(hinge.PA1(C=0.5), intercept=False)
    learner.partial_fit(X[:0], y[:0], classes=[0, 1]).partial_fit(X, y)
    start = learner.coef_[0].copy()
    report = hinge.play(learner, X, y, weights)
    losses = np.maximum(0, 1 - (2 * y - 1) * (X @ u))
    holds(report.certificate, float(np.linalg.norm(u - start)), losses, weights)


@pytest.mark.parametrize("C", [0.01, 1.0])
def test_the_dual_value_is_below_a_batch_optimum(rng: np.random.Generator, C: float) -> None:
    X, y = stream(rng, 2, rounds=200)
    for step, loss, power in [(hinge.PA1(C=C), "hinge", 1), (hinge.PA2(C=C), "squared_hinge", 2)]:
        learner = hinge.Classifier(step, intercept=False).partial_fit(X[:0], y[:0], classes=[0, 1])
        dual = hinge.play(learner, X, y).certificate.dual
        u = LinearSVC(loss=loss, C=C, fit_intercept=False, max_iter=100_000, random_state=0).fit(X, y).coef_[0]
        best = 0.5 * u @ u + C * (np.maximum(0, 1 - (2 * y - 1) * (X @ u)) ** power).sum()
        assert 0.1 * best < dual <= best * (1 + 1e-6)


def test_a_certificate_in_words() -> None:
    certificate = hinge.Certificate(dual=50.0, C=0.1, kind="hinge", rounds=1000.0, price=0.1)
    assert certificate.floor(5.0) == 0.375
    assert certificate.floor(100.0) == 0.0
    assert certificate.best_margin == 0.1
    assert "0.1" in str(certificate)
    separable = hinge.Certificate(dual=0.0, C=math.inf, kind="separable", rounds=0.0, price=0.0)
    assert (separable.floor(1.0), separable.best_margin) == (0.0, math.inf)
    assert json.loads(json.dumps(separable.to_dict()))["C"] is None
    assert "without any loss" in str(separable)


# ------------------------------------------------------------------------------- peers


def test_a_classifier_of_scikit_learn_is_played_row_by_row(rng: np.random.Generator) -> None:
    X, y = stream(rng, 3)
    for rows in (X, sparse.csr_matrix(X)):
        report = hinge.play(SGDClassifier(random_state=0), rows, y)
        by_hand, predicted = SGDClassifier(random_state=0), []
        for t in range(len(y)):
            predicted.append(by_hand.predict(rows[t : t + 1])[0] if t else None)
            by_hand.partial_fit(rows[t : t + 1], y[t : t + 1], classes=[0, 1, 2])
        assert list(report.predictions) == predicted
        novel = [label not in y[:t] for t, label in enumerate(y)]
        assert report.mistakes == sum(p != t and not new for p, t, new in zip(predicted, y, novel, strict=True))
        assert math.isnan(report.loss)
        assert report.certificate is report.updates is None
        assert report.novel == 3
    weighted = hinge.play(MultinomialNB(), np.abs(X), y, np.full(len(y), 2.0))
    assert weighted.cost == 2 * weighted.mistakes
    regression = hinge.play(SGDRegressor(random_state=0), X, X[:, 0])
    errors = np.abs(X[:, 0] - [prediction or 0.0 for prediction in regression.predictions])
    assert regression.absolute_error == pytest.approx(errors.sum())


def test_a_model_of_river_is_played_row_by_row(rng: np.random.Generator) -> None:
    X, y = stream(rng, 2)
    y = y.astype(bool)
    for rows in (X, sparse.csr_matrix(X), dicts(X), iter(dicts(X))):
        report = hinge.play(linear_model.PAClassifier(C=0.5), rows, iter(y) if isinstance(rows, type(iter([]))) else y)
        by_hand, predicted = linear_model.PAClassifier(C=0.5), []
        for t in range(len(y)):
            row = dict(enumerate(X[t].tolist()))
            predicted.append(by_hand.predict_one(row))
            by_hand.learn_one(row, bool(y[t]))
        assert list(report.predictions) == predicted
        first = [t for t in range(len(y)) if y[t] not in y[:t]]
        assert report.mistakes == sum(predicted[t] != y[t] for t in range(len(y)) if t not in first)
    with pytest.raises(TypeError, match="neither learn_one and predict_one"):
        hinge.play(object(), X, y)
    with pytest.raises(ValueError, match="y is None"):
        hinge.play(SGDClassifier(), X)
    with pytest.raises(TypeError, match="tables"):
        hinge.play(SGDClassifier(), dicts(X), y)


# ------------------------------------------------------------------------------- races


def test_a_race(rng: np.random.Generator) -> None:
    X, y = stream(rng, 2)
    race = hinge.race(
        {"PA-I": hinge.Classifier(), "peer": SGDClassifier(random_state=0), "PA": hinge.Classifier(hinge.PA())}, X, y
    )
    assert list(race) == ["PA-I", "peer", "PA"]
    assert len(race) == 3
    assert race["PA-I"].mistakes == hinge.play(hinge.Classifier(), X, y).mistakes
    assert sorted(race.ranking, key=lambda name: race[name].mistakes) == race.ranking
    assert race.best == race.ranking[0]
    lines = str(race).splitlines()
    assert lines[0].split() == ["learner", "mistakes", "error", "loss/round", "updates", "seconds", "rounds/s"]
    assert [line.split()[0] for line in lines[2:]] == race.ranking
    assert len({len(line) for line in lines}) == 1
    assert json.loads(json.dumps(race.to_dict())).keys() == {"PA-I", "peer", "PA"}
    listed = hinge.race([hinge.Classifier(), hinge.Classifier()], X, y)
    assert list(listed) == ["Classifier()", "Classifier() (2)"]
    regression = hinge.race([hinge.Regressor(), hinge.Regressor(hinge.PA())], X, X[:, 0])
    assert "|error|/round" in str(regression)
    with pytest.raises(ValueError, match="no learner"):
        hinge.race([], X, y)
    with pytest.raises(ValueError, match="rows and y") as caught:
        hinge.race({"mine": hinge.Classifier()}, X, y[:3])
    assert "while 'mine' was playing" in "".join(caught.value.__notes__)


def test_learners_of_a_race_share_a_stream(rng: np.random.Generator) -> None:
    X, y = stream(rng, 3)
    learners = {"one": hinge.Classifier(), "two": hinge.Classifier(hinge.PA())}
    race = hinge.race(learners, iter(dicts(X)), iter(y))
    for name, step in [("one", hinge.PA1()), ("two", hinge.PA())]:
        alone = hinge.play(hinge.Classifier(step), dicts(X), y)
        assert list(race[name].predictions) == list(alone.predictions)
    with pytest.raises(TypeError, match="only once"):
        hinge.race({"peer": linear_model.PAClassifier()}, iter(dicts(X)), iter(y))


# ------------------------------------------------------------------------------- what people look at


def test_a_report_in_words(rng: np.random.Generator) -> None:
    X, y = stream(rng, 2)
    report = hinge.play(hinge.Classifier(hinge.PA1(C=0.5)), X, y, np.full(len(y), 2.0))
    lines = str(report).splitlines()
    assert lines[0].startswith("Classifier(PA1(C=0.5)): 60 rounds in ")
    shown = {line.split()[0]: line.split()[1] for line in lines[1:]}
    assert shown["mistakes"] == str(report.mistakes)
    assert f"{report.error_rate:.2%} of the rounds, first sights of 2 labels aside" in lines[1]
    assert shown["cost"] == f"{report.cost:.6g}"
    assert shown["updates"] == str(report.updates)
    assert shown["certificate"] == f"{report.certificate.dual:.6g}"
    figures = json.loads(json.dumps(report.to_dict()))
    assert figures["mistakes"] == report.mistakes
    assert figures["certificate"]["dual"] == report.certificate.dual
    assert "error" in str(hinge.play(hinge.Regressor(), X, X[:, 0]))
    empty = hinge.play(hinge.Classifier(), X[:0], y[:0])
    assert (empty.n, empty.mistakes, empty.error_rate, empty.loss) == (0, 0, 0.0, 0.0)
    assert "0 rounds" in str(empty)
    assert len(empty.predictions) == len(empty.mistake_curve) == 0


def test_pictures(rng: np.random.Generator, tmp_path: Any) -> None:
    from matplotlib import pyplot

    X, y = stream(rng, 2)
    race = hinge.race({"one": hinge.Classifier(), "two": hinge.Classifier(hinge.PA())}, X, y)
    axes = race.plot()
    axes.figure.savefig(tmp_path / "race.png")
    assert (tmp_path / "race.png").stat().st_size > 5000
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert [text.split()[0] for text in texts] == race.ranking
    own = pyplot.subplots()[1]
    assert race["one"].plot(own, label="mine") is own
    curve = own.lines[0]
    np.testing.assert_allclose(curve.get_ydata()[-1], race["one"].error_rate)
    pyplot.close("all")


PROGRAM = """
import numpy as np, hinge
rng = np.random.default_rng(0)
X = rng.normal(size=(300, 4))
hinge.play(hinge.Classifier(), X, X[:, 0] > 0, progress={progress})
"""


def run(progress: Any, terminal: bool) -> tuple[str, str]:
    """(what was written on the terminal, or else on stderr; stdout)."""
    leader, follower = pty.openpty()
    where = follower if terminal else subprocess.PIPE
    command = [sys.executable, "-c", PROGRAM.format(progress=progress)]
    here = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=where, env=here)
    out, errors = running.communicate(timeout=120)
    os.close(follower)
    shown = b""
    if terminal:
        os.set_blocking(leader, False)
        try:
            while part := os.read(leader, 4096):
                shown += part
        except OSError:
            pass  # its other end is closed: there is no more
    os.close(leader)
    assert running.returncode == 0, (shown, errors)
    return (shown if terminal else errors).decode(), out.decode()


@pytest.mark.parametrize(("progress", "terminal"), [(True, True), (True, False), (False, True)])
def test_progress_is_shown_on_a_terminal_only(progress: bool, terminal: bool) -> None:
    shown, out = run(progress, terminal)
    assert out == ""
    if progress and terminal:
        assert "100%" in shown
        assert "300 rows" in shown
        assert "mistakes" in shown
        assert shown.endswith("\r\n")
    else:
        assert shown == ""


def test_progress_is_told_to_a_function(rng: np.random.Generator) -> None:
    X, y = stream(rng, 2)
    for learner in (hinge.Classifier(), SGDClassifier(random_state=0)):
        told: list[tuple[int, int]] = []
        report = hinge.play(learner, X, y, progress=lambda *figures, told=told: told.append(figures))
        assert told[-1] == (report.n, report.mistakes)
        assert all(a <= b for one, two in itertools.pairwise(told) for a, b in zip(one, two, strict=True))


# ------------------------------------------------------------------------------- memory


@pytest.mark.compiled
@pytest.mark.parametrize("kind", ["binary", "multiclass", "regression", "one class"])
@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_a_table_is_played_in_32_bytes_a_round(rng: np.random.Generator, form: str, kind: str) -> None:
    rounds = 300_000
    X = rng.normal(size=(rounds, 4)).astype(np.float32)
    y = {"binary": X[:, 0] > 0, "multiclass": (X[:, 0] > 0) * 2 + (X[:, 1] > 0), "regression": X[:, 0].astype(float)}
    learner = {"regression": hinge.Regressor, "one class": hinge.OneClass}.get(kind, hinge.Classifier)()
    truths = y.get(kind)
    rows = X if form == "dense" else sparse.csr_matrix(X)
    hinge.play(learner, rows[:100], None if truths is None else truths[:100])  # kernels are loaded
    tracemalloc.start()
    try:
        report = hinge.play(learner, rows, truths)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert report.n == rounds
    converted = 8 * (1 << 19) * 2 if kind == "one class" else 0  # a centre is float64: rows are converted by pieces
    index = 8 * rounds if form == "sparse" else 0  # where each row begins, in numbers of one kind
    assert peak < 32 * rounds + converted + index + 1_000_000


@pytest.mark.compiled
def test_a_stream_is_played_in_the_memory_of_a_batch(rng: np.random.Generator) -> None:
    batches, rows, width = 40, 5000, 30
    one = as_batch(rng.normal(size=(rows, width)), rng.integers(0, 3, rows))

    def batch() -> Batch:
        return Batch(one.data.copy(), one.indices.copy(), one.indptr.copy(), width, one.y.copy())

    learner = hinge.Classifier()
    hinge.play(learner, iter([batch()]))
    size = one.data.nbytes + one.indices.nbytes + one.indptr.nbytes + one.y.nbytes
    tracemalloc.start()
    try:
        report = hinge.play(learner, (batch() for _ in range(batches)))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert report.n == batches * rows
    assert peak < 32 * report.n + 2 * size + 1_000_000
    assert 2 * size + 1_000_000 < batches * size / 4  # else this would prove nothing


def test_a_file_whose_columns_grow_is_learnt_by_a_large_hypothesis(tmp_path: Any) -> None:
    """So large that only what a batch reaches is kept before it, while the batch reaches beyond what there is."""
    narrow, wide = "1 3:1 400000:1\n-1 5:1\n", "1 3:1 900000:1\n-1 7:1\n"
    path = tmp_path / "growing.svm"
    path.write_text(500 * narrow + 500 * wide)
    grown, known = hinge.Classifier(intercept=1.0), hinge.Classifier(intercept=1.0)
    report = hinge.play(grown, hinge.read(path, batch_bytes=1 << 12))
    known.partial_fit(sparse.csr_matrix((1, 900001), dtype=np.float32)[:0], np.zeros(0))
    assert report.n == 2000
    again = hinge.play(known, hinge.read(path, batch_bytes=1 << 12))
    assert again.mistakes == report.mistakes
    np.testing.assert_array_equal(grown.coef_, known.coef_)
    before = grown.coef_.tobytes()
    path.write_text(100 * wide + "1 3:1e30 1200000:1\n")
    with pytest.raises(ValueError, match=r"row 200, column 3"):
        hinge.play(grown, hinge.read(path))
    assert grown.coef_.tobytes() == before
