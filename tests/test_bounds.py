# SPDX-License-Identifier: BSD-3-Clause
"""The theorems hold on any stream against any u; each can fail, and does where a paper misprints it."""

import itertools
import math
import pickle
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import hinge
from hinge import bounds
from oracle import PA, PA1, PA2, Labels, Perceptron, binary, multiclass, ranking, regression, uniclass

NUMBERS = st.floats(-3, 3, width=16)
PAIRS = st.lists(NUMBERS, min_size=2, max_size=2)
TRIPLES = st.lists(st.lists(PAIRS, min_size=3, max_size=3), min_size=1, max_size=10)  # rounds of three instances each
CS = st.sampled_from([0.05, 0.3, 1.0, 4.0])


@st.composite
def streams(draw: st.DrawFn, labels: int = 2, vectors: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows (some zero), labels 0..labels-1, and a comparator: a vector, or several."""
    n, d = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(NUMBERS, min_size=d, max_size=d), min_size=n, max_size=n))
    y = draw(st.lists(st.integers(0, labels - 1), min_size=n, max_size=n))
    u = draw(st.lists(st.lists(NUMBERS, min_size=d, max_size=d), min_size=vectors, max_size=vectors))
    return np.array(rows), np.array(y), np.array(u)[0] if vectors == 1 else np.array(u)


def passes(X, y, u, C, epsilon):
    """Every task with every PA step: its pass, its comparator, the norms it moves by, its mistakes."""
    for step in (PA(), PA1(C), PA2(C)):
        result = binary(step, X, y, classes=(0, 1))
        yield step, result, bounds.comparator(X, y, u[0], classes=(0, 1)), np.array(result.predictions) != y
        result = regression(step, X, 2.0 * y, epsilon=epsilon)
        yield step, result, bounds.comparator(X, 2.0 * y, u[0], epsilon=epsilon), np.array(result.losses) >= 1
        result = uniclass(step, X, radius=epsilon)
        yield step, result, bounds.comparator(X, u=u[0], radius=epsilon), np.array(result.losses) >= 1
        result = uniclass(step, X, radius=epsilon, start="first")
        yield step, result, bounds.comparator(X, u=u[0], radius=epsilon, start="first"), np.array(result.losses) >= 1
        result = uniclass(step, X, bound=5.0)
        yield step, result, bounds.comparator(X, u=u[0], radius=epsilon, bound=5.0), np.array(result.losses) >= 1
        result = multiclass(step, X, y, labels=Labels((0, 1, 2)))
        yield step, result, bounds.comparator(X, y, u, classes=(0, 1, 2)), np.array(result.predictions) != y


# ----------------------------------------------------------------------------------------- passive-aggressive


@given(streams(labels=2, vectors=3), CS, st.sampled_from([0.0, 0.1, 1.0]))
def test_lemma_1_and_theorems_4_and_5_of_every_task(stream, C: float, epsilon: float) -> None:
    for step, result, u, mistakes in passes(*stream, C, epsilon):
        assert bounds.lemma1(result.taus, result.losses, u=u).holds
        if isinstance(step, PA1):
            assert bounds.pa1_mistakes(mistakes, C, u=u).holds
            assert bounds.pa1_mistakes(int(mistakes.sum()), C, u.R, u.norm, u.loss).holds
        if isinstance(step, PA2):
            assert bounds.pa2_squared_loss(result.losses, C, u=u).holds
            assert bounds.relaxed_squared_loss(result.losses, 1 / (2 * C), u=u).holds


@given(streams(labels=2, vectors=3), st.sampled_from([0.1, 1.0]))
def test_theorem_2_where_u_has_no_loss(stream, epsilon: float) -> None:
    X, _, U = stream
    u = U[0]
    clear = np.abs(X @ u) > 0.1
    if clear.any():
        rows = X[clear]
        u = u / np.abs(rows @ u).min() * (1 + 1e-12)
        y = (rows @ u > 0).astype(int)
        result = binary(PA(), rows, y, classes=(0, 1))
        assert bounds.pa_separable(result.losses, u=bounds.comparator(rows, y, u, classes=(0, 1))).holds
    targets = X @ U[1] + epsilon / 2
    result = regression(PA(), X, targets, epsilon=epsilon)
    assert bounds.pa_separable(result.losses, u=bounds.comparator(X, targets, U[1], epsilon=epsilon)).holds
    radius = np.linalg.norm(X - U[2], axis=1).max() * (1 + 1e-12)
    result = uniclass(PA(), X, radius=radius)
    assert bounds.pa_separable(result.losses, u=bounds.comparator(X, u=U[2], radius=radius)).holds


@given(streams(), st.sampled_from([np.float32, np.float64]))
def test_theorem_3_on_rows_of_norm_1(stream, dtype) -> None:
    X, y, u = stream
    norms = np.linalg.norm(X, axis=1)
    X, y = (X[norms > 0.1] / norms[norms > 0.1, None]).astype(dtype), y[norms > 0.1]
    result = binary(PA(), X, y, classes=(0, 1))
    assert bounds.pa_unit_norm(result.losses, bounds.comparator(X, y, u, classes=(0, 1))).holds


@given(TRIPLES, PAIRS, CS)
def test_a_ranking_of_labels_is_bounded_as_two_labels_are(rounds, u, C: float) -> None:
    pairs = np.array([[phi[0] - phi[1], phi[0] - phi[2]] for phi in np.array(rounds)])
    norms = np.linalg.norm(pairs, axis=2)
    at_best = np.maximum(0, 1 - pairs @ np.array(u)).max(axis=1)
    losses = {step: np.array(ranking(step, rounds, [{0}] * len(rounds)).losses) for step in (PA1(C), PA2(C))}
    assert bounds.pa1_mistakes(losses[PA1(C)] >= 1, C, norms.max(axis=1), u, at_best).holds
    assert bounds.pa2_squared_loss(losses[PA2(C)], C, norms.max(), u, at_best).holds


def test_the_passive_aggressive_bounds_can_fail() -> None:
    X, y, u = np.eye(4), np.ones(4, int), np.ones(4)
    view = bounds.comparator(X, y, u, classes=(0, 1))
    result = binary(PA(), X, y, classes=(0, 1))
    # Here each is an equality, and a little more than the truth is too much.
    assert bounds.lemma1(result.taus, result.losses, u=view) == (4, 4, True)
    assert not bounds.lemma1([*result.taus[:3], 1.01], [*result.losses[:3], 1.02], 1.0, 0, u).holds
    assert bounds.pa_separable(result.losses, u=view) == (4, 4, True)
    assert not bounds.pa_separable(4.00001, u=view).holds
    assert bounds.pa_unit_norm(result.losses, view) == (4, 4, True)
    assert not bounds.pa_unit_norm(4.00001, view).holds
    assert bounds.pa1_mistakes(4, 1.0, u=view) == (4, 4, True)
    assert not bounds.pa1_mistakes(5, 1.0, u=view).holds
    assert bounds.pa2_squared_loss(4.0, 0.5, u=view) == (4, 8, True)
    assert not bounds.pa2_squared_loss(8.1, 0.5, u=view).holds
    assert not bounds.relaxed_squared_loss(8.1, 1.0, u=view).holds


def test_theorem_4_of_regression_counts_losses_of_at_least_1() -> None:
    X, y = np.ones((60, 1)), 0.1 * (-1.0) ** np.arange(60)
    losses = np.array(regression(PA1(1.0), X, y, epsilon=0.0).losses)
    u = bounds.comparator(X, y, [0.0], epsilon=0.0)
    assert bounds.pa1_mistakes(losses >= 1, 1.0, u=u).holds
    assert str(bounds.pa1_mistakes(losses > 0, 1.0, u=u)) == "mistakes 60 <= 12: does NOT hold"
    report = SimpleNamespace(n=60, mistakes=60, loss=losses.sum(), losses=losses)
    for known in (u, 0.0):  # from u's task, or because no 60 mistakes come with so little loss
        bound = bounds.pa1_mistakes(report, 1.0, R=1.0, u=known, comparator_losses=u.losses)
        assert bound == (0, pytest.approx(12), True)
        assert str(bound).startswith("rounds with a loss of at least 1: 0 <= 12")
    del report.losses
    with pytest.raises(ValueError, match="losses >= 1"):
        bounds.pa1_mistakes(report, 1.0, u=u)
    with pytest.raises(ValueError, match="classification"):
        bounds.perceptron_mistakes(report, u=u)


# ------------------------------------------------------------------------------------------------- Perceptrons


@given(streams(vectors=3))
def test_both_bounds_of_the_perceptron(stream) -> None:
    X, y, u = stream
    moved = np.array(binary(Perceptron(0.5), X, y, classes=(0, 1)).losses) >= 1  # ties among them
    several = np.array(multiclass(Perceptron(), X, y, focus="predicted", labels=Labels((0, 1, 2))).predictions) != y
    for missed, view in (
        (moved, bounds.comparator(X, y, u[0], classes=(0, 1))),
        (several, bounds.comparator(X, y, u, classes=(0, 1, 2))),
    ):
        assert bounds.perceptron_mistakes(missed, u=view).holds
        assert bounds.perceptron_mistakes(int(missed.sum()), view.R, view.norm, view.losses, form="squared").holds


def weighted_perceptron(X, signs, weights, w1) -> np.ndarray:
    """[IW] 2.3, from any start: on which rounds it moved."""
    w, moved = np.array(w1, float), []
    for x, sign, c in zip(X, signs, weights, strict=True):
        moved.append(sign * (w @ x) <= 0)
        w = w + c * sign * x * moved[-1]
    return np.array(moved)


@given(streams(vectors=2), st.data())
def test_the_weighted_perceptron_from_any_start(stream, data) -> None:
    X, y, (u, w1) = stream
    n, signs = len(X), np.where(y == 1, 1, -1)
    weights = np.array(data.draw(st.lists(st.sampled_from([0.25, 1.0, 4.0]), min_size=n, max_size=n)))
    view = bounds.comparator(X, y, u, classes=(0, 1))
    moved = weighted_perceptron(X, signs, weights, np.zeros_like(w1))
    assert bounds.weighted_perceptron(moved, u=view, weights=weights).holds
    # Only the rounds that moved count.
    ones = np.ones(moved.sum())
    R = np.sqrt(view.sq_norms[moved])
    assert bounds.weighted_perceptron(ones, R, u, view.losses[moved], weights[moved]).holds
    moved = weighted_perceptron(X, signs, weights, w1)
    assert bounds.weighted_perceptron(moved, u=view, weights=weights, w1=w1).holds


def test_the_bounds_of_the_perceptrons_can_fail() -> None:
    u = np.full(4, 0.5)  # four rows e_j: four mistakes, a loss of 1/2 each
    assert bounds.perceptron_mistakes(4, 1.0, u, [0.5] * 4) == (4, pytest.approx(3 + math.sqrt(2)), True)
    assert not bounds.perceptron_mistakes(5, 1.0, u, [0.5] * 4).holds
    assert bounds.perceptron_mistakes(4, 1.0, u, [0.5] * 4, form="squared") == (4, 4, True)
    assert not bounds.perceptron_mistakes(5, 1.0, u, 1.0, form="squared").holds
    assert not bounds.weighted_perceptron([True] * 4, 1.0, u, 0.0, weights=[1.0, 1.0, 1.0, 3.0]).holds
    assert not bounds.weighted_perceptron(7.0, 1.0, u, 0.0, weights=3.0, w1=np.zeros(4)).holds


def test_theorem_4_of_the_weighted_perceptron_as_printed_fails() -> None:
    X, signs, weights = np.ones((2, 1)), np.array([1, -1]), np.array([1.0, 4.0])
    w1 = u = np.array([-1.0])
    moved = weighted_perceptron(X, signs, weights, w1)
    view = bounds.comparator(X, signs, u)
    left, right, holds = bounds.weighted_perceptron(moved, u=view, weights=weights, w1=w1)
    assert (left, right, holds) == (5, pytest.approx(6), True)
    c, L, D, a = 4.0, weights @ view.losses, 1.0, float(u @ w1)
    printed = L - c * a + c * D / 2 + c / 2 * math.sqrt(4 * D * L / c + D**2 - 4 * D * a + 4 * (u @ u) * (w1 @ w1))
    assert printed < left


# ------------------------------------------------------------------------------- many constraints, costs, simplex


def simultaneous(rounds, C: float, cap: bool) -> np.ndarray:
    """[SP06] 4, labels 1: SimPerc, or with ``cap`` ConProj; which rounds were imperfect."""
    w, imperfect = np.zeros(rounds.shape[2]), []
    for X in rounds:
        margins = X @ w
        wrong = margins <= 0
        imperfect.append(wrong.any())
        for x, margin in zip(X[wrong], margins[wrong], strict=True):
            alpha = min(C, (1 - margin) / (x @ x)) if cap and x.any() else C
            w = w + alpha * x / wrong.sum()
    return np.array(imperfect)


@given(TRIPLES, PAIRS, st.floats(0.05, 1.95))
def test_simultaneous_projections(rounds, u, share: float) -> None:
    rounds = np.array(rounds)
    norms = np.linalg.norm(rounds, axis=2).max(axis=1)
    C = share / max(norms.max(), 1e-3) ** 2
    at_best = np.maximum(0, 1 - rounds @ np.array(u)).max(axis=1)
    for cap in (False, True):
        assert bounds.simultaneous_imperfect(simultaneous(rounds, C, cap), C, norms, u, at_best).holds
    assert bounds.simultaneous_imperfect(simultaneous(rounds, C, False), None, norms, u, at_best).holds


def test_the_bound_of_simultaneous_projections_can_fail_and_as_printed_it_does() -> None:
    rounds, u, at_best = np.eye(4)[:, None, :], np.full(4, 0.5), np.full(4, 0.5)
    imperfect = simultaneous(rounds, 1.0, False)
    assert bounds.simultaneous_imperfect(imperfect, 1.0, 1.0, u, at_best) == (4, 5, True)
    assert not bounds.simultaneous_imperfect(6, 1.0, 1.0, u, at_best).holds
    assert bounds.simultaneous_imperfect(imperfect, None, 1.0, u, at_best) == (4, pytest.approx(4), True)
    U, L = u @ u, at_best.sum()
    assert imperfect.sum() > L + U / 2 + math.sqrt(U**2 + U * L) / 2  # the 4 that is missing in print
    with pytest.raises(ValueError, match="C < 2/R²"):
        bounds.simultaneous_imperfect(4, 2.0, 1.0, u, at_best)


def cost_sensitive(X, y, rho, C: float, predicted: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """[PA06] 8, several prototypes, PA-I: the costs suffered, the taus, the losses of the constraints that acted."""
    W, costs, taus, losses = np.zeros((len(rho), X.shape[1])), [], [], []
    for x, label in zip(X, y, strict=True):
        scores = W @ x
        guess = int(scores.argmax())
        costs.append(rho[label, guess])
        rival = guess if predicted else int((scores - scores[label] + np.sqrt(rho[label])).argmax())
        losses.append(max(0.0, scores[rival] - scores[label] + np.sqrt(rho[label, rival])))
        q = 2 * (x @ x)
        taus.append(min(C, losses[-1] / q) if q > 0 and rival != label else 0.0)
        W[label] += taus[-1] * x
        W[rival] -= taus[-1] * x
    return np.array(costs), np.array(taus), np.array(losses)


@given(streams(labels=3, vectors=3), st.booleans(), st.sampled_from([1.0, 2.0]), st.floats(0.1, 1))
def test_the_cumulative_cost(stream, predicted: bool, more: float, scale: float) -> None:
    X, y, U = stream
    X = X * scale / 4
    rho = np.array([[0.0, 1.0, 4.0], [2.0, 0.0, 0.5], [1.0, 0.25, 0.0]])
    C = 2.0 * more
    costs, taus, losses = cost_sensitive(X, y, rho, C, predicted)
    u = bounds.comparator(X, y, U, classes=(0, 1, 2), cost=rho)
    assert bounds.lemma1(taus, losses, u=u).holds  # Lemma 9
    assert bounds.cost_sensitive(costs, C, u=u).holds
    small = X / max(1.0, u.R)
    costs, *_ = cost_sensitive(small, y, rho, C, predicted)
    u = bounds.comparator(small, y, U, classes=(0, 1, 2), cost=rho)
    assert bounds.cost_sensitive(costs.sum(), C, u.norm, u.loss, largest_cost=costs.max()).holds


def test_the_bound_of_the_cost_can_fail_and_must_apply() -> None:
    assert not bounds.cost_sensitive([4.0, 1.0], 2.0, u=[1.0, 0.0], comparator_losses=[0.5, 0.0]).holds
    for costs, C, more, what in (
        ([4.0, 1.0], 1.9, {}, "C >= sqrt"),
        (5.0, 2.0, {}, "largest_cost"),
        (5.0, 1.9, {"largest_cost": 4.0}, "C >= sqrt"),
    ):
        with pytest.raises(ValueError, match=what):
            bounds.cost_sensitive(costs, C, u=[1.0, 0.0], comparator_losses=0.0, **more)


def multiplicative(moves, loss_of, rate) -> np.ndarray:
    """[PA03] 6: losses of w_j <- w_j exp(rate l v_j / ||v||_inf²)/Z; ``moves(t, w)`` gives v, ``loss_of(t, w)`` l."""
    d, rounds = moves
    logs, losses = np.zeros(d), []
    for t in rounds:
        w = np.exp(logs - logs.max())
        w /= w.sum()
        l, v = loss_of(t, w)
        losses.append(l)
        if l > 0 and v.any():
            logs = logs + rate * l * v / np.abs(v).max() ** 2
    return np.array(losses)


def classified(X, u, margin: float, rate: float) -> np.ndarray:
    """Multiplicative classification of rows on which u has that margin."""
    signs = np.where(X @ u >= 0, 1, -1)
    step = lambda t, w: (max(0.0, margin - signs[t] * (w @ X[t])), signs[t] * X[t])  # noqa: E731
    return multiplicative((X.shape[1], range(len(X))), step, rate)


def centred(X, u, radius: float, rate: float) -> np.ndarray:
    """Multiplicative uniclass."""

    def step(t, w):
        away = X[t] - w
        return max(0.0, np.linalg.norm(away) - radius), away / max(np.linalg.norm(away), 1e-300)

    return multiplicative((X.shape[1], range(len(X))), step, rate)


@given(streams(), st.sampled_from([0.0, 0.05]))
def test_the_multiplicative_algorithm(stream, gap: float) -> None:
    X, _, u = stream
    X, u = np.hstack([X, X[:, :1] - 1]), np.abs(np.append(u, 1.0))
    u /= u.sum()
    doubled, both = np.hstack([X, -X]), np.concatenate([u / 4, 3 * u / 4])
    for rows, target, rate, spread in ((np.abs(X), u, 4.0, 1.0), (doubled, both, 1.0, 4.0)):
        B = spread * np.abs(rows).max(axis=1) ** 2
        clear = np.abs(rows @ target) > 0.2
        if clear.any():
            margin = np.abs(rows[clear] @ target).min() - gap
            losses = classified(rows[clear], target, margin, rate)
            assert bounds.multiplicative(losses, B, target, gap=gap).holds
        targets = rows @ target

        def step(t, w, rows=rows, targets=targets):
            off = targets[t] - w @ rows[t]
            return max(0.0, abs(off) - gap), np.sign(off) * rows[t]

        losses = multiplicative((rows.shape[1], range(len(rows))), step, rate)
        assert bounds.multiplicative(losses, B, target, gap=gap).holds
    radius = np.linalg.norm(X - u, axis=1).max()
    assert bounds.multiplicative(centred(X, u, radius + gap, 1.0), 4.0, u, gap=gap).holds


def test_the_multiplicative_bound_as_printed_fails() -> None:
    X, u = np.tile([100.0, 0.0], (600, 1)), np.array([0.6, 0.4])
    radius = np.linalg.norm(X[0] - u)
    assert bounds.multiplicative(centred(X, u, radius, 1.0), 4.0, u).holds
    assert not bounds.multiplicative(centred(X, u, radius, 1 / 8), 16.0, u).holds  # uniclass as [PA03] prints it
    X, u = np.array([[1.0, -1.0]]), np.array([0.6, 0.4])  # signed rows, not doubled
    assert not bounds.multiplicative(classified(X, u, 0.2, 4.0), 1.0, u).holds
    X, u = np.array([[1.0, 0.0], [1.0, -2.0], [2.0, -1.0]]), np.array([0.2, 0.2, 0.3, 0.3])
    X = np.hstack([X, -X])
    margin = np.abs(X @ u).min()
    assert bounds.multiplicative(classified(X, u, margin, 1.0), 16.0, u).holds
    assert not bounds.multiplicative(classified(X, u, margin, 4.0), 16.0, u).holds  # with the tau of rows >= 0
    assert bounds.multiplicative(0.01, 1.0, 0.02) == (0.01, 0.01, True)
    assert not bounds.multiplicative(0.011, 1.0, 0.02).holds


# ----------------------------------------------------------------------------------------------------- risk


def binomial(n: int, p: float) -> np.ndarray:
    """The probability of each number of mistakes of one hypothesis of risk p."""
    k = np.arange(n + 1)
    logs = [math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) for i in k]
    return np.exp(np.array(logs) + k * math.log(p) + (n - k) * math.log1p(-p))


@pytest.mark.parametrize("form", ["hoeffding", "bernstein"])
def test_the_average_risk_is_above_its_bound_at_most_as_often_as_delta(form) -> None:
    most = 0.0
    for n, p, delta in itertools.product((10, 100, 1000), (0.01, 0.1, 0.3, 0.5, 0.9), (0.05, 0.3, 0.9)):
        fails = [not bounds.online_to_batch_average(M, n, delta, form, risk=p).holds for M in range(n + 1)]
        share = binomial(n, p)[fails].sum()
        assert share <= delta
        most = max(most, share)
    assert (most > 0.01) == (form == "hoeffding")  # this test sees the first fail; the second is wide
    assert bounds.online_to_batch_average(0, 10**6, 0.05, form, risk=0.1).holds is False


def test_the_form_with_m_plus_3_follows_from_bernsteins_inequality() -> None:
    """[OL] 7: P(A - M >= S, A <= K) <= exp(-S²/(2 (S/3 + K))) for A, the sum of the risks. Take it at K = 1, 2, ...
    with delta/(K (K + 1)): together they fail at most as often as delta. No A that they allow is above the bound."""
    n = 3000
    K = np.arange(1, n + 1)
    for delta in (1e-6, 0.05, 0.5):
        surprise = np.log(K * (K + 1) / delta)
        S = surprise / 3 + np.sqrt(surprise**2 / 9 + 2 * K * surprise)
        for M in (0, 1, 2, 5, 20, 100, 400, 1000):
            allowed = np.minimum(K, M + S)[K - 1 < M + S].max() / n  # A between K - 1 and K, and below M + S
            assert allowed <= bounds.online_to_batch_average(M, n, delta, "bernstein").right or allowed == 1


def test_what_is_known_of_a_pick_before_it_is_made_follows_from_how_it_is_made() -> None:
    """risk(pick) <= min penalised <= min (risk + 2 penalty) <= average risk + 2 average penalty, each with delta/2."""
    for n in (1, 2, 10, 100, 5000):
        for delta in (1e-6, 0.05, 0.9):
            penalty = np.sqrt(np.log(n * (n + 1) / (delta / 2)) / (2 * np.arange(1, n + 1)))
            average = bounds.online_to_batch_average(0, n, delta / 2).right
            assert average + 2 * penalty.mean() <= bounds.online_to_batch_pick(0, n, delta).right


def test_the_risk_of_a_pick_is_above_its_bound_at_most_as_often_as_delta(rng) -> None:
    n, delta, fails, unpenalised = 40, 0.5, 0, 0
    for _ in range(300):  # hypotheses that guess: their risk is 1/2
        errors = [int(rng.integers(0, 2, n - t).sum()) for t in range(n)]
        pick = bounds.online_to_batch_pick(errors, delta=delta, risk=0.5)
        fails += not pick.holds
        unpenalised += min(e / (n - t) for t, e in enumerate(errors)) < 0.5
        t = pick.hypothesis
        penalty = math.sqrt(math.log(n * (n + 1) / delta) / (2 * (n - t)))
        assert pick.right == pytest.approx(errors[t] / (n - t) + penalty)
    assert fails <= 300 * delta
    assert unpenalised > 290  # the least error alone is no bound
    assert not bounds.online_to_batch_pick([0] * 1000, delta=0.05, risk=0.5).holds
    assert not bounds.online_to_batch_pick(10, 10000, risk=0.5).holds


def test_a_pick_among_hypotheses_that_were_kept() -> None:
    pick = bounds.online_to_batch_pick([30, 4, 0], n=100, tested=[100, 40, 2])
    assert (pick.hypothesis, pick.left) == (1, 0.1)
    assert pick.right == pytest.approx(0.1 + math.sqrt(math.log(100 * 101 / 0.05) / 80))
    assert bounds.online_to_batch_pick([30, 4, 0], tested=[100, 40, 2]) == pick
    assert bounds.online_to_batch_pick([3, 1], n=100).left == pytest.approx(1 / 99)
    for wrong, says in (
        ({"n": 2}, "3 hypotheses in a pass of 2"),
        ({"tested": [100, 3, 2]}, "4 on 3 rows"),
        ({"tested": [100, 40, 0]}, "0 on 0 rows"),
        ({"tested": [100, 40]}, "3 errors, 2 tested"),
    ):
        with pytest.raises(ValueError, match=says):
            bounds.online_to_batch_pick([30, 4, 0], **wrong)
    with pytest.raises(ValueError, match="empty"):
        bounds.online_to_batch_pick([], n=4)


# ------------------------------------------------------------------------------------- what it is given, and says


def test_a_bound_is_a_tuple_is_true_where_it_holds_and_keeps_its_words() -> None:
    bound = bounds.pa1_mistakes(12, 1.0, 1.0, 5.0, 4.75)
    left, right, holds = bound
    assert (left, right, holds) == (bound.left, bound.right, bound.holds) == (12.0, 34.5, True)
    assert (bound._fields, isinstance(holds, bool), bool(bound)) == (("left", "right", "holds"), True, True)
    assert str(bound) == str(pickle.loads(pickle.dumps(bound))) == "mistakes 12 <= 34.5: holds"
    assert not bounds.pa1_mistakes(35, 1.0, 1.0, 5.0, 4.75)


@pytest.mark.parametrize(
    ("bound", "right"),
    [
        (bounds.lemma1([0.5], [1.0], 1.0, 0.0, [2.0, 1.0]), 5.0),
        (bounds.pa_separable(1.0, 3.0, 2.0), 36.0),
        (bounds.pa_unit_norm(1.0, 2.0, 9.0), 64.0),
        (bounds.pa1_mistakes(1, 0.1, 1.0, 2.0, 3.0), 10 * 4.6),
        (bounds.pa1_mistakes(1, 0.5, 3.0, 2.0, 3.0), 9 * 7.0),
        (bounds.pa2_squared_loss(1.0, 0.25, 3.0, 2.0, 8.0), (9 + 2) * (4 + 4)),
        (bounds.relaxed_squared_loss(1.0, 2.0, 3.0, 2.0, 8.0), (2 + 9) * 4 + (1 + 4.5) * 8),
        (bounds.perceptron_mistakes(1, 3.0, 2.0, 4.0), 4 + 36 + 12),
        (bounds.perceptron_mistakes(1, 3.0, 2.0, 4.0, form="squared"), 64.0),
        (bounds.weighted_perceptron(1.0, 3.0, 2.0, 4.0, weights=4.0), 4 + 4 * 36 + 24),
        (bounds.weighted_perceptron(1.0, 1.0, [2.0], 4.0, weights=4.0, w1=[1.0]), 2 + 8 + 20 / 2),
        (bounds.simultaneous_imperfect(1, 0.5, 1.0, 2.0, 3.0), 3.5 / 0.375),
        (bounds.simultaneous_imperfect(1, None, 2.0, 1.0, 3.0), 3 + 2 + 4),
        (bounds.multiplicative(0.1, 2.0, 0.5), 0.5),
        (bounds.multiplicative(0.1, 2.0, [1.0, 0.0], [0.25, 0.75]), math.log(4)),
        (bounds.cost_sensitive([1.0], 2.0, 3.0, 0.5), 11.0),
        (bounds.cost_sensitive([1.0], 2.0, 3.0, 0.5, R=2.0), 44.0),
        (bounds.cost_sensitive([1.0], 2.0, 3.0, 0.5, R=0.5), 11.0),
        (bounds.online_to_batch_average(10, 100, math.exp(-2)), 0.1 + 0.2),
        (bounds.online_to_batch_average(1, 100, 4 * math.exp(-4), "bernstein"), 0.01 + 36 * 0.04 + 0.04),
        (bounds.online_to_batch_pick(1, 1, 4 * math.exp(-4)), 1 + 6 * 2),
        (bounds.online_to_batch_pick([1], 2, 6 * math.exp(-4)), 0.5 + 1),
    ],
)
def test_the_right_side_is_the_formula(bound, right: float) -> None:
    assert bound.right == pytest.approx(right)


def test_rounding_is_excused_and_nothing_else() -> None:
    assert bounds.pa1_mistakes(1 + 1e-10, 1.0, 1.0, 1.0, 0.0).holds
    assert not bounds.pa1_mistakes(1 + 1e-8, 1.0, 1.0, 1.0, 0.0).holds
    # Of terms that nearly cancel, the rounding is that of the terms.
    assert bounds.lemma1([1e8, 1e8], [1.0, 0.0], [0.0, 0.0], [0.0, 1.0 - 1e-10], 0.0).holds
    assert not bounds.lemma1([1e8, 1e8], [1.0, 0.0], [0.0, 0.0], [0.0, 1.0 - 1e-7], 0.0).holds


def test_arrays_sums_reports_and_comparators_say_the_same() -> None:
    X, y = np.array([[3.0, 4.0], [0.0, 1.0], [1.0, 0.0]]), np.array([1, 0, 1])
    view = bounds.comparator(X, y, [0.1, 0.0], classes=(0, 1))
    np.testing.assert_allclose(view.losses, [0.7, 1.0, 0.9])
    losses = np.array([1.0, 1.5, 0.5])
    report = SimpleNamespace(n=3, mistakes=2, loss=3.0, squared_loss=3.5, cost=2.0, absolute_error=None)
    for left in (report, 2, losses >= 1, [1, 1, 0]):
        for u, R, at_best in ((view, None, None), ([0.1, 0.0], [5, 1, 1], view.losses), (0.1, 5.0, 2.6)):
            assert bounds.pa1_mistakes(left, 0.5, R, u, at_best) == pytest.approx((2, 25 * 2.61, True))
            assert bounds.perceptron_mistakes(left, R, u, at_best)[1] == pytest.approx(2.85 + 0.5 * math.sqrt(2.6))
            assert bounds.weighted_perceptron(left, R, u, at_best)[1] == pytest.approx(2.85 + 0.5 * math.sqrt(2.6))
            assert bounds.simultaneous_imperfect(left, 0.05, R, u, at_best)[0] == 2
        assert bounds.online_to_batch_average(left, 3)[0] == pytest.approx(2 / 3)
    for left in (report, 3.5, losses):
        for u, R, at_best in ((view, None, None), ([0.1, 0.0], [5, 1, 1], view.losses), (0.1, 5.0, 2.3)):
            assert bounds.pa2_squared_loss(left, 0.5, R, u, at_best) == pytest.approx((3.5, 26 * 2.31, True))
        assert bounds.pa_separable(left, 5.0, 1.0)[:2] == (3.5, 25.0)
        assert bounds.pa_unit_norm(left, 1.0, 0.25)[:2] == (3.5, 4.0)
        assert bounds.multiplicative(left, 1.0, [0.5, 0.5])[:2] == (3.5, 0.0)
        assert isinstance(left, float) or bounds.multiplicative(left, 1.0, 1.0, gap=0.5)[0] == 6.5
    assert bounds.cost_sensitive(report, 2.0, view)[0] == 2.0
    assert bounds.online_to_batch_average(report).right == bounds.online_to_batch_average(losses >= 1).right
    report.cost = 7.0
    with pytest.raises(ValueError, match="weights="):
        bounds.weighted_perceptron(report, u=view)


def test_reports_of_hinge_keep_to_the_bounds(rng) -> None:
    X, u, b = rng.normal(size=(60, 3)), np.array([1.0, -1.0, 0.5]), 0.5
    y, target = np.where(X @ u + rng.normal(size=60) > 0, "up", "down"), X @ u + rng.normal(size=60)
    report = hinge.play(hinge.Classifier(hinge.PA1(C=0.1), intercept=b), X, y)
    view = bounds.comparator(X, y, u, intercept=b)
    assert bounds.pa1_mistakes(report, C=0.1, u=view).holds
    assert bounds.pa1_mistakes(report, C=0.1, u=view).left == report.mistakes > 0
    assert bounds.weighted_perceptron(report, u=view).left == report.mistakes
    assert bounds.pa2_squared_loss(report, C=0.1, u=view).left == report.squared_loss
    report = hinge.play(hinge.Regressor(hinge.PA1(C=0.1), epsilon=0.1, intercept=b), X, target)
    view = bounds.comparator(X, target, u, epsilon=0.1, intercept=b)
    assert bounds.pa1_mistakes(report, C=0.1, u=view).holds
    assert bounds.pa1_mistakes(report, C=0.1, u=view) == bounds.pa1_mistakes(report.losses >= 1, C=0.1, u=view)
    assert bounds.pa1_mistakes(report, C=0.1, u=view).left < report.mistakes


def test_a_comparator_is_judged_as_its_task_says() -> None:
    X, y = np.array([[3.0, 4.0], [0.0, 1.0], [1.0, 0.0]]), ["b", "a", "c"]
    U = np.array([[0.0, 1.0], [0.5, 0.25], [0.0, 0.0]])
    several = bounds.comparator(X, y, U)
    np.testing.assert_allclose(several.losses, [2.5, 0.25, 1.5])
    assert (several.R, several.norm) == (pytest.approx(math.sqrt(50)), pytest.approx(np.linalg.norm(U)))
    rho = [[0, 4, 1], [9, 0, 1], [1, 4, 0]]
    np.testing.assert_allclose(bounds.comparator(X, y, U, cost=rho).losses, [4.5, 1.25, 2.5])
    sparse = scipy.sparse.csr_array(X)
    for view in (
        lambda rows: bounds.comparator(rows, y, U, intercept=2.0),
        lambda rows: bounds.comparator(rows, [1, -1, 1], [1.0, 2.0], intercept=2.0),
        lambda rows: bounds.comparator(rows, [1.0, 2.0, 3.0], [1.0, 2.0], epsilon=0.5),
        lambda rows: bounds.comparator(rows, u=[1.0, 2.0], radius=0.5, start="first"),
        lambda rows: bounds.comparator(rows, u=[1.0, 2.0], radius=0.5, bound=3.0),
    ):
        one, other = view(X), view(sparse)
        np.testing.assert_allclose(one.losses, other.losses, atol=1e-12)
        np.testing.assert_allclose(one.sq_norms, other.sq_norms)
        assert one.norm == pytest.approx(other.norm)
    model = SimpleNamespace(coef_=np.array([[1.0, 2.0]]), intercept_=np.array([0.5]), classes_=np.array(["a", "b"]))
    offset = bounds.comparator(X[:2], ["b", "a"], model, intercept=2.0)
    np.testing.assert_allclose(offset.losses, [0.0, 3.5])
    assert (offset.norm, offset.R) == (pytest.approx(math.sqrt(5 + 0.0625)), pytest.approx(math.sqrt(29)))
    moved = bounds.comparator(X, u=[3.0, 5.0], radius=1.0, start="first")
    assert moved.norm == 1.0
    with pytest.raises(ValueError, match="starts at 0"):
        bounds.perceptron_mistakes(1, u=bounds.comparator(X, [0, 1, 1], [1.0, 0.0], start=[1.0, 1.0]))


def test_duplicates_in_a_sparse_row_are_summed_and_x_is_left_alone() -> None:
    X = scipy.sparse.csr_array((np.array([1.0, 2.0, 1.0]), np.array([0, 0, 1]), np.array([0, 3])), shape=(1, 2))
    view = bounds.comparator(X, [1], [0.1, 0.1], classes=(0, 1))
    assert (view.sq_norms.tolist(), X.nnz) == ([10.0], 3)
    np.testing.assert_allclose(view.losses, [0.6])


X2 = np.eye(2)
REFUSED = [
    (lambda: bounds.pa_separable([1.0], 1.0, 1.0, [0.0, 0.2]), "loss of 0.2 on row 1"),
    (lambda: bounds.pa_separable([1.0], u=bounds.comparator(X2, [1, 0], [2.0, 0.0])), "without any loss"),
    (lambda: bounds.pa_unit_norm(1.0, 1.0, 0.0, R=[1.0, 1.1]), "row 1 has norm 1.1"),
    (lambda: bounds.pa_unit_norm(1.0, u=bounds.comparator(2 * X2, [1, 0], [2.0, 0.0])), "row 0 has norm 2"),
    (lambda: bounds.pa1_mistakes(1, 0.0, 1.0, 1.0, 0.0), "C must be above 0"),
    (lambda: bounds.pa1_mistakes(1, 1.0, -1.0, 1.0, 0.0), "R is -1"),
    (lambda: bounds.pa1_mistakes([1.0, 0.3], 1.0, 1.0, 1.0, 0.0), r"mistakes\[1\] is 0.3 .*losses >= 1"),
    (lambda: bounds.pa1_mistakes("many", 1.0, 1.0, 1.0, 0.0), "mistakes must be a number"),
    (lambda: bounds.pa1_mistakes(1, 1.0, 1.0, -1.0, 0.0), "u must be finite"),
    (lambda: bounds.pa1_mistakes(1, 1.0, 1.0, "u", 0.0), "u must be a vector"),
    (lambda: bounds.pa2_squared_loss([math.nan], 1.0, 1.0, 1.0, 0.0), r"squared_loss\[0\] is nan"),
    (lambda: bounds.relaxed_squared_loss(1.0, 0.0, 1.0, 1.0, 0.0), "gamma must be above 0"),
    (lambda: bounds.lemma1([1.0], [1.0, 2.0], 1.0, 0.0, 1.0), "1 taus, 2 losses"),
    (lambda: bounds.lemma1([1.0], [1.0], 1.0, 0.5, 1.0), "of each round"),
    (lambda: bounds.lemma1(1.0, [1.0], 1.0, 0.0, 1.0), "of each round"),
    (lambda: bounds.perceptron_mistakes(1, 1.0, 1.0, 0.0, form="best"), "form"),
    (lambda: bounds.weighted_perceptron([True], 1.0, 1.0, 0.0, weights=2.0), "weights of each round"),
    (lambda: bounds.weighted_perceptron(1.0, 1.0, 1.0, 0.0, w1=[1.0]), "not its norm alone"),
    (lambda: bounds.multiplicative([1.0], 1.0, [0.5, 0.6]), "distribution"),
    (lambda: bounds.multiplicative([1.0], 1.0, [0.5, 0.5], w1=[1.0, 0.0]), "infinite"),
    (lambda: bounds.multiplicative([1.0], 1.0, [0.5, 0.5], gap=-0.1), "gap"),
    (lambda: bounds.multiplicative(1.0, 1.0, [0.5, 0.5], gap=0.1), "each round"),
    (lambda: bounds.multiplicative([1.0], 1.0, [0.5, 0.5], comparator_losses=[0.1]), "without any loss"),
    (lambda: bounds.online_to_batch_average(3, 2), "more mistakes than rounds"),
    (lambda: bounds.online_to_batch_average(1, 2, delta=1.0), "delta"),
    (lambda: bounds.online_to_batch_average(1, 2.5), "whole number"),
    (lambda: bounds.online_to_batch_average(1, 2, form="best"), "form"),
    (lambda: bounds.comparator(X2, [0, 1], [1.0]), "weights, one a feature"),
    (lambda: bounds.comparator(X2, [0, 1, 2], [1.0, 0.0]), "each of the 2 rows"),
    (lambda: bounds.comparator([[math.nan, 0.0]], [0], [1.0, 0.0]), "row 0, column 0"),
    (lambda: bounds.comparator(np.eye(3), ["a", "b", "c"], [1.0, 0.0, 0.0]), "two labels, there are 3"),
    (lambda: bounds.comparator(X2, [0, 3], np.eye(2), classes=(0, 1)), r"y\[1\] is 3"),
    (lambda: bounds.comparator(np.eye(3), [0, 1, 2], np.ones((2, 3))), "one for each"),
    (lambda: bounds.comparator(X2, [0, 1], [1.0, 0.0], epsilon=0.1, radius=1.0), "one of them"),
    (lambda: bounds.comparator(X2, u=[1.0, 0.0], radius=2.0, bound=1.0), "bound"),
    (lambda: bounds.comparator(X2, [0, 1], [1.0, 0.0], cost=X2), "several classes"),
    (lambda: bounds.comparator(X2, [0, 1], X2, cost=X2), "0 on the diagonal"),
    (lambda: bounds.comparator(X2, [0, 1], SimpleNamespace(coef_=[[1.0, 0.0]], intercept_=[1.0])), "intercept=b"),
]


@pytest.mark.parametrize(("call", "says"), REFUSED, ids=[says for _, says in REFUSED])
def test_what_does_not_apply_is_refused_in_words(call, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        call()


def test_what_is_missing_is_asked_for_by_name() -> None:
    for call, says in (
        (lambda: bounds.pa1_mistakes(1, 1.0, 1.0, 1.0), "comparator_losses="),
        (lambda: bounds.pa1_mistakes(1, 1.0, u=1.0, comparator_losses=0.0), "R="),
        (lambda: bounds.pa1_mistakes(1, 1.0, 1.0, comparator_losses=0.0), "u="),
        (lambda: bounds.online_to_batch_average(3), "n="),
        (lambda: bounds.comparator(X2, [0, 1]), "give u"),
    ):
        with pytest.raises(TypeError, match=says):
            call()
