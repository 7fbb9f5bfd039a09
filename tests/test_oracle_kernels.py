# SPDX-License-Identifier: BSD-3-Clause
"""The oracles of kernels and of bounded memory: against linear ones, by hand, and against what is proved."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from oracle import PA, PA1, PA2, Perceptron
from oracle.budgets import BudgetPA, Forgetron, Projectron, ProjectronPlus, RandomBudget
from oracle.kernels import (
    Supports,
    kernel_binary,
    kernel_multilabel,
    kernel_regression,
    linear,
    polynomial,
    precomputed,
    rbf,
    sigmoid,
)
from oracle.multilabel import multilabel
from oracle.second_order_dual import second_order_dual

NUMBERS = st.integers(-12, 12).map(lambda n: n / 4)
STEPS = [Perceptron(0.5), PA(), PA1(0.2), PA2(0.2)]


@st.composite
def streams(draw: st.DrawFn, most: int = 12, width: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Rows (some zero), labels -1 or 1, importance weights (some zero), and a comparator."""
    n, d = draw(st.integers(1, most)), draw(st.integers(1, width))
    rows = draw(st.lists(st.lists(NUMBERS, min_size=d, max_size=d), min_size=n, max_size=n))
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n))
    weights = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.5]), min_size=n, max_size=n))
    u = draw(st.lists(NUMBERS, min_size=d, max_size=d))
    return np.array(rows), np.array(y), np.array(weights), np.array(u)


def unit_ball(X: np.ndarray) -> np.ndarray:
    """The rows, none longer than 1."""
    return X / np.maximum(1, np.linalg.norm(X, axis=1))[:, None]


def primal(supports: Supports, d: int) -> np.ndarray:
    """w of a linear kernel with one lane."""
    return sum((alpha[0] * row for row, alpha in supports), start=np.zeros(d))


# ------------------------------------------------------------------------------------------ kernels without a budget


@given(streams())
def test_the_linear_kernel_is_linear(stream) -> None:
    X, y, weights, _ = stream
    for step in STEPS:
        pairs = [
            (kernel_binary(step, X, y, linear, weights=weights), oracle.binary(step, X, y, weights=weights)),
            (kernel_regression(step, X, y, linear, weights=weights), oracle.regression(step, X, y, weights=weights)),
        ]
        for kernel, plain in pairs:
            np.testing.assert_allclose(kernel.scores, plain.scores, atol=1e-9)
            np.testing.assert_allclose(kernel.losses, plain.losses, atol=1e-9)
            np.testing.assert_allclose(kernel.taus, plain.taus, atol=1e-9)
            np.testing.assert_allclose(primal(kernel.supports, X.shape[1]), plain.weights, atol=1e-9)
            assert kernel.dual == pytest.approx(plain.dual, abs=1e-9)
            moved = (
                np.abs(kernel.weights[:, 0]) > 1e-12
            )  # of a loss that is none but for rounding, either may make a move
            assert moved.sum() == (np.array(plain.taus) > 1e-12).sum()
            assert kernel.supports.sq_norm() == pytest.approx(plain.weights @ plain.weights, abs=1e-9)


@pytest.mark.parametrize("focus", ["worst", "predicted", "violated", "mistaken", "exact"])
@given(stream=streams(most=8, width=3), data=st.data())
@settings(max_examples=20)
def test_the_linear_kernel_of_many_labels_is_linear(focus: str, stream, data: st.DataObject) -> None:
    X, _, weights, _ = stream
    truths = [data.draw(st.lists(st.integers(0, 2), min_size=1, max_size=2)) for _ in X]
    for step in STEPS[focus == "exact" :]:
        many = kernel_multilabel(step, X, truths, linear, range(3), focus=focus, weights=weights)
        plain = multilabel(step, X, truths, labels=range(3), focus=focus, weights=weights)
        for t in range(len(X)):
            np.testing.assert_allclose(many.scores[t], plain.scores[t], atol=1e-8)
            np.testing.assert_allclose(many.losses[t], plain.losses[t], atol=1e-8)
            # From here on rounding alone may decide between equal losses, or about a margin of 0.
            ties = np.abs(np.subtract.outer(plain.scores[t], plain.scores[t]))[np.triu_indices(3, 1)]
            if ((ties > 0) & (ties < 1e-9)).any() or (np.abs(ties - 1) < 1e-9).any() or (t > 0 and (ties == 0).any()):
                return
            np.testing.assert_allclose(many.taus[t], plain.taus[t], atol=1e-8)
        table = sum((np.outer(alpha, row) for row, alpha in many.supports), start=np.zeros((3, X.shape[1])))
        np.testing.assert_allclose(table, plain.weights, atol=1e-8)


@given(streams(most=8, width=2))
def test_a_polynomial_is_linear_in_its_monomials(stream) -> None:
    X, y, weights, _ = stream
    d = X.shape[1]
    # (x.z + 1)^2: 1, sqrt(2) x_i, x_i x_j.
    monomials = np.array([[1, *(np.sqrt(2) * x), *np.outer(x, x).ravel()] for x in X]).reshape(len(X), 1 + d + d * d)
    for step in (PA1(0.5), PA2(0.5)):
        kernel = kernel_binary(step, X, y, polynomial(1.0, 1.0, 2), weights=weights)
        plain = oracle.binary(step, monomials, y, weights=weights)
        np.testing.assert_allclose(kernel.scores, plain.scores, atol=1e-7)
        assert kernel.dual == pytest.approx(plain.dual, abs=1e-7)


def test_kernels_by_hand() -> None:
    x, z = np.array([1.0, 2.0]), np.array([3.0, -1.0])
    assert linear(x, z) == 1
    assert polynomial(0.5, 1.0, 3)(x, z) == 1.5**3
    assert rbf(0.1)(x, z) == pytest.approx(np.exp(-1.3))
    assert sigmoid(0.5, -1.0)(x, z) == pytest.approx(np.tanh(-0.5))
    assert precomputed([[1, 2], [2, 5]])(np.array([0]), np.array([1])) == 2


@given(streams(most=8))
def test_a_precomputed_gram_matrix_is_its_kernel(stream) -> None:
    X, y, weights, _ = stream
    K = rbf(0.3)
    gram = [[K(x, z) for z in X] for x in X]
    called = kernel_binary(PA1(0.5), X, y, K, weights=weights)
    looked_up = kernel_binary(PA1(0.5), np.arange(len(X))[:, None], y, precomputed(gram), weights=weights)
    assert called.scores == looked_up.scores
    assert called.weights.tolist() == looked_up.weights.tolist()


def test_a_row_of_no_length_moves_nothing() -> None:
    negative = sigmoid(1.0, -3.0)  # K(x, x) < 0 for x = (1)
    for step in STEPS:
        for K, row in ((linear, [0.0]), (negative, [1.0])):
            result = kernel_binary(step, [row], [1], K)
            assert result.losses == [1]
            assert result.taus == [0]
            assert len(result.supports) == 0
    assert kernel_binary(PA(), [[0.0]], [1], rbf(1.0)).taus == [1]  # a zero row is a point like any other there


@given(streams(most=8, width=3), st.sampled_from([0.3, 2.0]))
@settings(max_examples=40)
def test_the_dual_value_is_below_what_any_fixed_hypothesis_comes_to(stream, C: float) -> None:
    X, y, weights, _ = stream
    K = rbf(0.5)
    gram = np.array([[K(x, z) for z in X] for x in X])
    coefficients = np.where(y > 0, 0.7, -0.4)  # the comparator: sum coefficient_i K(x_i, .)
    half = coefficients @ gram @ coefficients / 2
    at_best = np.maximum(0, 1 - y * (gram @ coefficients))
    assert kernel_binary(PA1(C), X, y, K, weights=weights).dual <= half + C * weights @ at_best + 1e-9
    assert kernel_binary(PA2(C), X, y, K, weights=weights).dual <= half + C * weights @ at_best**2 + 1e-9


# ------------------------------------------------------------------------------------------------------ RandomBudget


def test_random_budget_drops_what_is_picked() -> None:
    X, y = np.eye(4), [1, 1, 1, 1]
    picks = iter([1, 0])
    result = kernel_binary(Perceptron(), X, y, linear, budget=RandomBudget(2, lambda size: next(picks)))
    assert result.sizes == [1, 2, 2, 2]
    assert [row.tolist() for row in result.supports.rows] == [[0, 0, 1, 0], [0, 0, 0, 1]]


@given(streams())
def test_budgets_that_are_never_full_change_nothing(stream) -> None:
    X, y, weights, _ = stream
    for step in (Perceptron(), PA1(0.5)):
        free = kernel_binary(step, X, y, linear, weights=weights)
        for budget in (RandomBudget(len(X), lambda size: 0), Forgetron(len(X)), BudgetPA(len(X))):
            bounded = kernel_binary(step, X, y, linear, weights=weights, budget=budget)
            assert bounded.scores == free.scores
            assert bounded.weights.tolist() == free.weights.tolist()


@given(streams(most=20), st.integers(1, 3), st.integers(0, 9))
def test_no_budget_is_exceeded(stream, size: int, seed: int) -> None:
    X, y, weights, _ = stream
    random = np.random.default_rng(seed)
    for budget in (
        RandomBudget(size, lambda size: int(random.integers(size))),
        Forgetron(size),
        Projectron(0.1, size),
        ProjectronPlus(0.1, size),
        BudgetPA(size),
    ):
        for K in (linear, rbf(1.0)):
            assert max(kernel_binary(Perceptron(), X, y, K, weights=weights, budget=budget).sizes) <= size
            assert max(kernel_regression(PA1(0.5), X, y, K, weights=weights, budget=budget).sizes) <= size
            many = kernel_multilabel(PA1(0.5), X, [[label] for label in y], K, (-1, 1), weights=weights, budget=budget)
            assert max(many.sizes) <= size


def test_no_memory_of_b_supports_competes_with_a_norm_beyond_its_root() -> None:
    """[OL] 5: B + 1 orthogonal rows in turn; whoever keeps B of them errs again and again."""
    B = 3
    X, y = np.tile(np.eye(B + 1), (10, 1)), np.ones(10 * (B + 1), int)
    for budget in (RandomBudget(B, lambda size: 0), Forgetron(B)):
        result = kernel_binary(Perceptron(), X, y, linear, budget=budget)
        assert sum(loss >= 1 for loss in result.losses) == len(X)  # the oldest is always the one that is asked next
    assert oracle.binary(Perceptron(), X, y).updates == B + 1


# --------------------------------------------------------------------------------------------------------- Forgetron


class Watched(Forgetron):
    """Does each step of a move again by its definition."""

    def move(self, supports: Supports, x: np.ndarray, alpha: np.ndarray) -> None:
        before = Supports(supports.K, [*supports.rows, x], [a.copy() for a in (*supports.alphas, alpha)])
        earlier = self.damage
        super().move(supports, x, alpha)
        if len(before) <= self.size:
            assert earlier == self.damage
            return

        def psi(phi: float) -> float:
            shrunk = Supports(before.K, before.rows, [phi * a for a in before.alphas])
            lambda_, sign = abs(shrunk.alphas[0][0]), np.sign(shrunk.alphas[0][0])
            mu = sign * shrunk.score(shrunk.rows[0], 1)[0]
            return lambda_**2 + 2 * lambda_ - 2 * lambda_ * mu

        phi, allowed = self.shrinks[-1], 15 / 32 * self.moves
        assert 0 < phi <= 1
        assert self.damage == pytest.approx(earlier + psi(phi), abs=1e-12)
        assert self.damage <= allowed + 1e-12
        for larger in np.linspace(phi, 1, 21)[1:] if phi < 1 else ():
            assert earlier + psi(larger) > allowed - 1e-12
        for after, old in zip(supports.alphas, before.alphas[1:], strict=True):
            assert after[0] == pytest.approx(phi * old[0])


@given(streams(most=25), st.integers(1, 4))
def test_the_forgetron_keeps_to_its_allowance_and_shrinks_no_more_than_it_must(stream, size: int) -> None:
    X, y, _, _ = stream
    for K, rows in ((linear, unit_ball(X)), (rbf(1.0), X)):
        budget = Watched(size)
        result = kernel_binary(Perceptron(), rows, y, K, budget=budget)
        assert budget.moves == result.updates
        for moves, damage in enumerate(budget.damages, start=1):
            assert damage <= 15 / 32 * moves + 1e-12


def test_the_forgetron_by_hand() -> None:
    budget = Forgetron(1)
    result = kernel_binary(Perceptron(), np.eye(2), [1, 1], linear, budget=budget)
    # The first row: lambda = 1, mu = 1: Psi = phi^2 + 2 phi - 2 phi^2 = 2 phi - phi^2 <= 15/16 at phi = 3/4.
    assert budget.shrinks == [0.75]
    assert budget.damage == pytest.approx(15 / 16)
    assert result.weights.tolist() == [[0.75]]
    assert result.supports.rows[0].tolist() == [0, 1]


@given(streams(most=20), st.integers(1, 3))
def test_what_a_drop_costs_the_forgetron_is_accounted_for(stream, size: int) -> None:
    """||f''' - g||^2 - ||f'' - g||^2 <= Psi - 2 lambda (1 - y g(x_r)): the inequality that Psi is made of."""
    X, y, _, g = stream

    class Accounting(Forgetron):
        def move(self, supports: Supports, x: np.ndarray, alpha: np.ndarray) -> None:
            rows = [*supports.rows, x]
            alphas = [a[0] for a in (*supports.alphas, alpha)]
            earlier, drops = self.damage, len(self.shrinks)
            super().move(supports, x, alpha)
            if len(self.shrinks) > drops:
                shrunk = self.shrinks[-1] * sum(a * row for a, row in zip(alphas, rows, strict=True))
                dropped = shrunk - self.shrinks[-1] * alphas[0] * rows[0]
                lambda_, sign = self.shrinks[-1] * abs(alphas[0]), np.sign(alphas[0])
                rise = (dropped - g) @ (dropped - g) - (shrunk - g) @ (shrunk - g)
                assert rise <= self.damage - earlier - 2 * lambda_ * (1 - sign * (rows[0] @ g)) + 1e-9

    kernel_binary(Perceptron(), unit_ball(X), y, linear, budget=Accounting(size))


@pytest.mark.parametrize("noise", [0.0, 0.1, 0.4])
def test_the_mistake_bound_of_the_forgetron(noise: float, rng: np.random.Generator) -> None:
    B, n = 83, 1500
    X = unit_ball(rng.normal(size=(n, 12)))
    g = rng.normal(size=12)
    g *= 0.25 * np.sqrt((B + 1) / np.log(B + 1)) / np.linalg.norm(g)
    y = np.where((X @ g > 0) ^ (rng.random(n) < noise), 1, -1)
    result = kernel_binary(Perceptron(), X, y, linear, budget=(budget := Forgetron(B)))
    assert budget.moves <= 2 * g @ g + 4 * np.maximum(0, 1 - y * (X @ g)).sum()
    if noise:
        assert budget.moves > B  # or it would show nothing of the budget
    assert result.sizes[-1] == min(B, budget.moves)


# -------------------------------------------------------------------------------------------------------- Projectron


@given(streams())
def test_projecting_what_is_spanned_changes_nothing(stream) -> None:
    X, y, weights, _ = stream
    for step in (Perceptron(), PA1(0.5)):
        free = kernel_binary(step, X, y, linear, weights=weights)
        projected = kernel_binary(step, X, y, linear, weights=weights, budget=(budget := Projectron(0.0)))
        for t, (one, other) in enumerate(zip(free.scores, projected.scores, strict=True)):
            assert one == pytest.approx(other, abs=1e-6)
            if abs(one) < 1e-6 and t:  # rounding alone decides
                return
        assert len(projected.supports) <= X.shape[1]
        assert all(delta <= 1e-4 for delta in budget.lost)
        assert projected.supports.sq_norm() == pytest.approx(free.supports.sq_norm(), abs=1e-5)


def test_the_projectron_by_hand() -> None:
    X, y = [[1.0, 0.0], [-1.0, -0.5]], [1, 1]
    for budget, w in ((Projectron(0.5), [0, 0]), (Projectron(0.4), [0, -0.5]), (Projectron(0.4, size=1), [0, 0])):
        result = kernel_binary(Perceptron(), X, y, linear, budget=budget)
        np.testing.assert_allclose(primal(result.supports, 2), w, atol=1e-15)
    assert budget.lost == [pytest.approx(0.5)]


@given(streams(most=20), st.sampled_from([0.05, 0.25, 0.5]))
def test_the_mistake_bound_of_the_projectron_and_what_its_projections_lose(stream, eta: float) -> None:
    """<f, u> grows by 1 - l* - eta ||u|| a mistake or more, ||f||^2 by 1 or less: M (1 - eta U) <= L + U sqrt(M)."""
    X, y, _, u = stream
    X = unit_ball(X)
    for budget in (Projectron(eta), ProjectronPlus(eta)):
        result = kernel_binary(Perceptron(), X, y, linear, budget=budget)
        assert all(lost <= eta for lost in budget.lost)
        if type(budget) is Projectron:
            M = result.updates
            U, L = np.linalg.norm(u), np.maximum(0, 1 - y * (X @ u)).sum()
            assert M * (1 - eta * U) <= L + U * np.sqrt(M) + 1e-7
            assert result.supports.sq_norm() <= M + 1e-7


@given(streams(most=20, width=6), st.sampled_from([0.25, 0.5, 1.0]))
def test_no_nudge_of_projectron_plus_leads_away_from_a_good_hypothesis(stream, eta: float) -> None:
    """||f - g||^2 grows by at most 2 tau l*_t for every g no longer than 1 / eta."""
    X, y, _, g = stream
    X = unit_ball(X)
    g = g / max(1.0, eta * np.linalg.norm(g))

    class Watched(ProjectronPlus):
        def nudge(self, supports: Supports, x: np.ndarray, z: np.ndarray, loss: float, c: float) -> None:
            before, times = primal(supports, len(x)), len(self.nudges)
            super().nudge(supports, x, z, loss, c)
            after = primal(supports, len(x))
            tau = self.nudges[-1] if len(self.nudges) > times else 0.0
            margins = z[0] * (before @ x), z[0] * (after @ x)
            assert margins[0] > 0
            assert margins[0] - 1e-9 <= margins[1] <= 1 + 1e-9
            rise = (after - g) @ (after - g) - (before - g) @ (before - g)
            assert rise <= 2 * tau * max(0.0, 1 - z[0] * (g @ x)) + 1e-7

    result = kernel_binary(Perceptron(), X, y, linear, budget=Watched(eta))
    assert len(result.supports) <= min(X.shape[1], result.updates)


def test_projectron_plus_by_hand() -> None:
    X, y = [[1.0, 0.0], [0.5, 0.125]], [1, 1]
    # f = (1, 0); the second row: l = 0.5, delta = 0.125, p = 0.25. eta 0.5: room 0.25, tau = min(2, 2, 1) = 1.
    for eta, tau in ((0.5, 1.0), (0.26, 0.153846153846), (0.25, 0.0)):
        result = kernel_binary(Perceptron(), X, y, linear, budget=(budget := ProjectronPlus(eta)))
        assert sum(budget.nudges) == pytest.approx(tau)
        np.testing.assert_allclose(primal(result.supports, 2), [1 + 0.5 * tau, 0])


# ------------------------------------------------------------------------------------------------------ budgeted PA


@given(streams(most=12, width=3), st.integers(1, 3))
@settings(max_examples=40)
def test_budgeted_pa_is_the_best_that_one_coefficient_can_do(stream, size: int) -> None:
    X, y, _, _ = stream
    C = 0.7

    class Watched(BudgetPA):
        def move(self, supports: Supports, x: np.ndarray, alpha: np.ndarray) -> None:
            before, sign = primal(supports, len(x)), np.sign(alpha[0])
            rows, alphas = list(supports.rows), [a[0] for a in supports.alphas]
            super().move(supports, x, alpha)

            def cost(w: np.ndarray) -> float:
                return 0.5 * (w - before) @ (w - before) + C * max(0.0, 1 - sign * (w @ x))

            if len(rows) == self.size:
                chosen = cost(primal(supports, len(x)))
                for row, a in zip(rows, alphas, strict=True):
                    for beta in np.concatenate(
                        [supports.alphas[-1] + np.linspace(-0.1, 0.1, 5), np.linspace(-3, 3, 61)]
                    ):
                        assert chosen <= cost(before - a * row + beta * x) + 1e-9

    kernel_binary(PA1(C), X, y, linear, budget=Watched(size))


def test_budgeted_pa_by_hand() -> None:
    X, y = [[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]], [1, 1, -1]
    result = kernel_binary(PA(), X, y, linear, budget=BudgetPA(2))
    # Supports 1 (1, 0) and 1/4 (0, 2). The third score is 1.5, tau = 1.25. Lost: 1 (1 - 1/2), or 1/16 (4 - 4/2).
    assert [row.tolist() for row in result.supports.rows] == [[1, 0], [1, 1]]
    np.testing.assert_allclose(result.weights.ravel(), [1, -1.25 + 0.25])


# -------------------------------------------------------------------------------------------- second-order Perceptron


def test_the_current_row_is_in_the_matrix() -> None:
    result = second_order_dual([[1.0, 0.0], [1.0, 1.0]], [1, 1], linear, a=1.0)
    assert result.scores == [0, pytest.approx(0.2)]


@given(streams(), st.sampled_from([0.5, 1.0, 4.0]))
def test_the_dual_form_is_the_primal_form(stream, a: float) -> None:
    X, y, weights, _ = stream
    d = X.shape[1]
    A, v = a * np.eye(d), np.zeros(d)
    result = second_order_dual(X, y, linear, a=a, weights=weights)
    for x, label, c, score, tau in zip(X, y, weights, result.scores, result.taus, strict=True):
        assert score == pytest.approx(v @ np.linalg.solve(A + np.outer(x, x), x), abs=1e-8)
        if 0 < abs(score) < 1e-8:  # rounding alone decides
            return
        assert tau == (c if label * score <= 0 and c > 0 and x.any() else 0)
        if tau:
            A, v = A + np.outer(x, x), v + c * label * x


@given(streams(), st.sampled_from([0.5, 1.0, 4.0]))
def test_the_mistake_bound_of_the_second_order_perceptron(stream, a: float) -> None:
    """M <= L + sqrt((a ||u||^2 + sum over mistakes (u.x)^2) sum_i ln(1 + lambda_i / a)) (their theorem 3.1)."""
    X, y, _, u = stream
    kept = X.any(axis=1)
    X, y = X[kept], y[kept]
    result = second_order_dual(X, y, linear, a=a)
    mistaken = np.array(result.taus) > 0
    Z = X[mistaken]
    L = np.maximum(0, 1 - y[mistaken] * (Z @ u)).sum()
    spread = np.log1p(np.maximum(0, np.linalg.eigvalsh(Z.T @ Z)) / a).sum()
    assert mistaken.sum() <= L + np.sqrt((a * u @ u + ((Z @ u) ** 2).sum()) * spread) + 1e-7
