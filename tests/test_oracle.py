# SPDX-License-Identifier: BSD-3-Clause
"""The oracles themselves: the small cases worked out by hand, what the papers prove, and one oracle against another."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from oracle import PA, PA1, PA2, Labels, Perceptron, binary, multiclass, ranking, regression, uniclass

STEPS = [Perceptron(), Perceptron(0.5), PA(), PA1(0.2), PA1(3.0), PA2(0.2), PA2(3.0)]
NUMBERS = st.floats(-3, 3, width=16)


@st.composite
def streams(draw: st.DrawFn, labels: int = 2) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Rows (some zero), labels 0..labels-1, importance weights (some zero), and a comparator."""
    n, d = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(NUMBERS, min_size=d, max_size=d), min_size=n, max_size=n))
    y = draw(st.lists(st.integers(0, labels - 1), min_size=n, max_size=n))
    weights = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.5]), min_size=n, max_size=n))
    u = draw(st.lists(NUMBERS, min_size=d, max_size=d))
    return np.array(rows), np.array(y), np.array(weights), np.array(u)


# --------------------------------------------------------------------------------------------------- small cases


def test_a_tie_is_a_mistake_of_the_perceptron() -> None:
    result = binary(Perceptron(), [[1, 0], [1, 0]], [1, -1])
    assert result.weights.tolist() == [0, 0]
    assert result.predictions == [-1, 1]  # at a score of 0 the first class is predicted
    assert binary(Perceptron(), [[1, 0]], [-1]).taus == [1.0]  # and though it is right, the constraint is mistaken


def test_duplicates_are_summed_before_the_norm_is_taken() -> None:
    X = oracle.dense([[(0, 1.0), (0, 2.0), (1, 1.0)]], n_features=2)
    np.testing.assert_allclose(binary(PA(), X, [1]).weights, [0.3, 0.1])


@pytest.mark.parametrize(("C", "tau"), [(0.5, 0.166666666667), (0.25, 0.142857142857)])
def test_pa2(C: float, tau: float) -> None:
    assert binary(PA2(C), [[1, 2]], [1]).taus == [pytest.approx(tau, abs=1e-12)]


def test_the_worst_pair_of_a_ranking() -> None:
    result = ranking(PA(), [np.eye(3)], [{0, 2}])
    assert result.weights.tolist() == [0.5, -0.5, 0]


def test_a_ranking_without_relevant_or_irrelevant_labels_poses_nothing() -> None:
    result = ranking(PA(), [np.eye(2), np.eye(2)], [set(), {0, 1}])
    assert result.taus == result.losses == [0, 0]


def test_the_learnt_radius() -> None:
    result = uniclass(PA(), [[3, 4]], bound=10)
    assert result.losses == [pytest.approx(1.180339887499, abs=1e-12)]
    np.testing.assert_allclose(result.weights, [0.316718427000, 0.422291236000], atol=1e-12)
    assert result.radii == [0]
    assert result.radius == pytest.approx(4.472135955)


def test_the_perceptrons_of_many_labels() -> None:
    scores = (0.5, 0.2, 0.5, 0.2)
    np.testing.assert_allclose(oracle.perceptron_coefficients(scores, 1, "uniform"), [-1 / 3, 1, -1 / 3, -1 / 3])
    np.testing.assert_allclose(oracle.perceptron_coefficients(scores, 1, "max"), [-1, 1, 0, 0])
    np.testing.assert_allclose(oracle.perceptron_coefficients(scores, 1, "proportional"), [-0.5, 1, -0.5, 0])
    np.testing.assert_allclose(oracle.perceptron_coefficients((0, 0), 1, "proportional"), [-1, 1])
    assert not oracle.perceptron_coefficients((0, 1), 1, "uniform").any()


def test_mira() -> None:
    tau = oracle.mira_coefficients((0.5, 0.2, 0.3), 1, sq_norm=2, beta=0.01)
    np.testing.assert_allclose(tau, [-0.0775, 0.0775, 0], atol=1e-12)


@given(st.lists(NUMBERS, min_size=2, max_size=5), st.floats(0, 1), st.floats(0.1, 5))
def test_mira_is_the_best_of_all_that_it_may_choose_from(scores: list[float], beta: float, q: float) -> None:
    def objective(tau: np.ndarray) -> float:
        return 0.5 * q * tau @ tau + np.dot(scores, tau) - beta * tau[0]

    best = oracle.mira_coefficients(scores, 0, q, beta)
    assert abs(best.sum()) < 1e-9
    assert (best <= (np.arange(len(scores)) == 0) + 1e-9).all()
    random = np.random.default_rng(0)
    for _ in range(50):
        shares = -random.dirichlet(np.ones(len(scores) - 1)) * random.random()
        assert objective(best) <= objective(np.concatenate([[-shares.sum()], shares])) + 1e-9


# --------------------------------------------------------------------------------------- conventions of the sheet


@pytest.mark.parametrize("step", STEPS)
def test_zero_rows_and_zero_weights_suffer_and_do_not_move(step: oracle.Step) -> None:
    zero, skipped = [[0, 0]], [0.0]
    for result in (
        binary(step, zero, [1]),
        binary(step, [[1, 2]], [1], weights=skipped),
        multiclass(step, zero, ["b"], labels=Labels(("a", "b"))),
        multiclass(step, [[1, 2]], ["b"], labels=Labels(("a", "b")), weights=skipped),
        regression(step, zero, [1.1], epsilon=0.1),
        regression(step, [[1, 2]], [1.1], epsilon=0.1, weights=skipped),
        uniclass(step, [[3, 4]], radius=4, weights=skipped),
    ):
        assert result.losses == [1]
        assert result.taus == [0]
        assert result.updates == result.dual == 0
        assert not result.weights.any()


def test_importance_weights_multiply_eta_or_c_and_mean_nothing_to_pa() -> None:
    one = [[1.0, 1.0]]
    assert binary(Perceptron(0.5), one, [1], weights=[3.0]).taus == [1.5]
    assert binary(PA1(0.1), one, [1], weights=[3.0]).taus == [pytest.approx(0.3)]
    assert binary(PA1(0.1), one, [1], weights=[30.0]).taus == [0.5]
    assert binary(PA2(0.5), one, [1], weights=[0.5]).taus == [0.25]
    assert binary(PA(), one, [1], weights=[0.01]).taus == [0.5]


def test_the_intercept_counts_in_the_norm() -> None:
    result = binary(PA(), [[1.0, 0.0]], [1], b=2.0)
    assert result.taus == [0.2]
    assert result.weights.tolist() == [0.2, 0]
    assert result.intercept == 0.8
    assert result.weights @ [1, 0] + result.intercept == 1.0
    assert binary(PA(), [[0.0]], [1], b=2.0).taus == [0.25]  # a zero row is not zero then


def test_the_perceptron_of_regression_moves_on_any_loss() -> None:
    result = regression(Perceptron(0.25), [[1.0], [1.0], [1.0]], [1.0, 0.3, 0.1], epsilon=0.0, weights=[1, 1, 2])
    assert result.taus == [0.25, 0.25, 0.5]
    assert result.predictions == [0, 0.25, 0.5]
    assert result.weights.tolist() == [0]


def test_regression_within_epsilon_does_not_move() -> None:
    result = regression(PA(), [[1.0, 1.0]] * 2, [2.0, 1.95], epsilon=0.1)
    assert result.losses[0] == 1.9
    assert result.losses[1] == 0
    np.testing.assert_allclose(result.weights, [0.95, 0.95])


def test_uniclass_starts_where_it_is_told() -> None:
    X = [[3.0, 4.0], [3.0, 4.0]]
    zero, first = uniclass(PA(), X, radius=1), uniclass(PA(), X, radius=1, start="first")
    assert zero.losses == [4, 0]
    np.testing.assert_allclose(zero.weights, [2.4, 3.2])
    assert zero.predictions == [False, True]
    assert first.losses == [0, 0]
    assert first.weights.tolist() == [3, 4]
    assert uniclass(PA(), X, bound=1, start="first").losses == [0, 0]
    assert uniclass(PA1(0.5), X, radius=1).taus == [0.5, 0.5]
    assert uniclass(PA2(0.5), X, radius=1).taus == [2, 1]


def test_worst_and_predicted_focus() -> None:
    start = np.array([[0.5, 0], [0.25, 0], [0.5, 0]])
    labels = Labels(("a", "b", "c"), start)
    worst = {y: multiclass(PA(), [[1.0]], [y], labels=labels) for y in "abc"}
    predicted = {y: multiclass(PA(), [[1.0]], [y], labels=labels, focus="predicted") for y in "abc"}
    assert {result.predictions[0] for result in (*worst.values(), *predicted.values())} == {"a"}
    assert worst["a"].weights.ravel().tolist() == [1, 0.25, 0]  # right, but with no margin over c
    assert worst["b"].weights.ravel().tolist() == [-0.125, 0.875, 0.5]  # a, the first of the two highest
    assert worst["c"].weights.ravel().tolist() == [0, 0.25, 1]
    assert predicted["a"].taus == [0]  # the label is right: nothing to learn from
    assert predicted["a"].losses == [1]
    assert predicted["b"].weights.tolist() == worst["b"].weights.tolist()
    assert predicted["c"].weights.tolist() == worst["c"].weights.tolist()  # on top too, but not the first


def test_labels_that_appear_on_the_way() -> None:
    X = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    result = multiclass(PA(), X, ["z", "a", "z", "m"])
    assert result.classes == ["z", "a", "m"]
    assert result.novel == [True, True, False, True]
    assert result.predictions == [None, "z", "z", "a"]
    assert result.losses == [0, 1, 1, 1.5]  # one label alone poses no constraint
    assert result.taus == [0, 0.5, 0.5, 0.75]
    assert [len(scores) for scores in result.scores] == [1, 2, 2, 3]
    known = multiclass(PA(), X, ["z", "a", "z", "m"], labels=Labels(("a", "m", "z")))
    assert known.classes == ["a", "m", "z"]
    assert known.predictions[0] == "a"
    assert not any(known.novel)


def test_a_classifier_goes_from_one_label_to_two_to_many() -> None:
    X = [[1.0, 0.0], [2.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    result = oracle.classifier(PA(), X, ["z", "z", "a", "m", "a"], b=0.0)
    assert result.classes == ["z", "a", "m"]
    assert result.novel == [True, False, True, True, False]
    assert result.predictions == [None, "z", "z", "z", "a"]
    assert result.losses == [1, 0, 2, 1, 0.5]
    assert result.taus == [1, 0, 2, 0.5, 0.25]
    assert result.weights.tolist() == [[-0.5, -0.5], [0.75, 0], [-0.25, 0.5]]


@given(streams(labels=4), st.sampled_from([0.0, 0.5]))
def test_the_third_label_changes_no_prediction_of_the_two(stream, b: float) -> None:
    X, y, _, u = stream
    pair = oracle.classifier(PA1(0.5), X, y % 2, known=(0, 1), b=b)
    grown = oracle.classifier(PA1(0.5), np.vstack([X, u, X]), [*(y % 2), 2, *y], known=(0, 1), b=b)
    assert grown.predictions[: len(y)] == pair.predictions
    margin = pair.weights @ u + pair.intercept
    negative, positive, new = grown.scores[len(y)]
    assert positive - negative == pytest.approx(margin)
    assert new == 0
    assert grown.predictions[len(y)] == (1 if positive > negative else 0)
    assert grown.novel == [False] * len(y) + [True] + [label == 3 and 3 not in y[:t] for t, label in enumerate(y)]


# ----------------------------------------------------------------------------------- one oracle against another


@given(streams(), st.floats(0.1, 5))
def test_two_labels_with_half_of_c_are_the_binary_algorithm(stream, C: float) -> None:
    X, y, weights, _ = stream
    for one, many in ((PA(), PA()), (PA1(C), PA1(C / 2)), (PA2(C), PA2(C / 2)), (Perceptron(C), Perceptron(C / 2))):
        single = binary(one, X, y, weights=weights, b=0.5, classes=(0, 1))
        double = multiclass(many, X, y, weights=weights, b=0.5, labels=Labels((0, 1)))
        np.testing.assert_allclose(double.losses, single.losses, atol=1e-9)
        np.testing.assert_allclose(double.weights, np.array([-0.5, 0.5])[:, None] * single.weights, atol=1e-9)
        np.testing.assert_allclose(double.intercept, np.array([-0.5, 0.5]) * single.intercept, atol=1e-9)


@given(streams(labels=4))
def test_several_prototypes_are_one_over_blocks_of_features(stream) -> None:
    X, y, weights, _ = stream
    phi = [np.kron(np.eye(4), x) for x in X]
    for step in STEPS:
        blocks = ranking(step, phi, [{label} for label in y], weights=weights)
        many = multiclass(step, X, y, weights=weights, labels=Labels((0, 1, 2, 3)))
        np.testing.assert_allclose(many.losses, blocks.losses, atol=1e-9)
        np.testing.assert_allclose(many.weights.ravel(), blocks.weights, atol=1e-9)
        assert many.dual == pytest.approx(blocks.dual)


@given(streams(), st.floats(0.1, 5))
def test_pa2_is_pa_with_a_fresh_coordinate_for_every_presentation(stream, C: float) -> None:
    X, y, _, _ = stream
    X, y = np.vstack([X, X]), np.concatenate([y, y])  # a second pass needs fresh ones
    signs = np.where(y == 1, 1.0, -1.0)
    fresh = np.hstack([X, np.diag(signs) / np.sqrt(2 * C)])
    kept = X.any(axis=1)  # with a coordinate of its own a zero row would not be zero
    slack, wide = binary(PA2(C), X[kept], y[kept], classes=(0, 1)), binary(PA(), fresh[kept], y[kept], classes=(0, 1))
    np.testing.assert_allclose(slack.taus, wide.taus, atol=1e-9)
    np.testing.assert_allclose(slack.weights, wide.weights[: X.shape[1]], atol=1e-9)
    assert slack.dual == pytest.approx(wide.dual)


@pytest.mark.parametrize("step", STEPS)
@given(stream=streams())
def test_the_constant_feature_is_a_feature(step: oracle.Step, stream) -> None:
    X, y, weights, _ = stream
    with_b = binary(step, X, y, weights=weights, b=0.5, classes=(0, 1))
    written_out = binary(step, oracle.with_constant(X, 0.5), y, weights=weights, classes=(0, 1))
    assert with_b.scores == written_out.scores
    assert with_b.dual == written_out.dual
    assert with_b.intercept == 0.5 * written_out.weights[-1]


# --------------------------------------------------------------------------------------------- what is proved


def losses_of(u: np.ndarray, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.maximum(0, 1 - np.where(y == 1, 1, -1) * (X @ u))


@given(streams())
def test_lemma_1(stream) -> None:
    X, y, weights, u = stream
    at_best = losses_of(u, X, y)
    q = (X**2).sum(axis=1)
    for step in (PA(), PA1(0.5), PA2(0.5)):
        result = binary(step, X, y, weights=weights, classes=(0, 1))
        tau = np.array(result.taus)
        assert (tau * (2 * np.array(result.losses) - tau * q - 2 * at_best)).sum() <= u @ u + 1e-9


@given(streams(), st.floats(0.1, 3))
def test_the_dual_value_is_below_what_any_fixed_hypothesis_comes_to(stream, C: float) -> None:
    X, y, weights, u = stream
    at_best = losses_of(u, X, y)
    half = u @ u / 2
    for step, its_cost in (
        (PA1(C), half + C * (weights * at_best).sum()),
        (PA2(C), half + C * (weights * at_best**2).sum()),
        (Perceptron(C), half + C * (weights * at_best).sum()),
    ):
        assert binary(step, X, y, weights=weights, classes=(0, 1)).dual <= its_cost + 1e-9
    separable = at_best == 0
    assert binary(PA(), X[separable], y[separable], classes=(0, 1)).dual <= half + 1e-9


@given(streams(), st.floats(0.1, 3))
def test_the_bounds_of_binary_classification(stream, C: float) -> None:
    X, y, weights, u = stream
    X, y, weights = (part[X.any(axis=1)] for part in (X, y, weights))
    at_best, norm = losses_of(u, X, y), u @ u
    R2 = (X**2).sum(axis=1).max(initial=0)
    mistakes = sum(loss >= 1 for loss in binary(PA1(C), X, y, classes=(0, 1)).losses)
    assert mistakes <= max(R2, 1 / C) * (norm + 2 * C * at_best.sum()) + 1e-9
    squared = np.square(binary(PA2(C), X, y, classes=(0, 1)).losses).sum()
    assert squared <= (R2 + 1 / (2 * C)) * (norm + 2 * C * (at_best**2).sum()) + 1e-9
    weighted = binary(Perceptron(), X, y, weights=weights, classes=(0, 1))
    mistaken = np.array(weighted.losses) >= 1
    L, D, most = weights @ at_best, R2 * norm, weights.max(initial=0)
    assert weights[mistaken].sum() <= L + most * D + np.sqrt(most * L * D) + 1e-9


@given(streams())
def test_theorem_2_and_the_damaged_equation_17(stream) -> None:
    X, _, _, u = stream
    scores = X @ u
    clear = np.abs(scores) > 0.1
    X, scores = X[clear], scores[clear]
    y = (scores > 0).astype(int)
    losses = np.array(binary(PA(), X, y, classes=(0, 1)).losses)
    if len(losses):
        margin = np.abs(scores).min() / np.linalg.norm(u)  # of the unit separator
        B = (X**2).sum(axis=1).max()
        assert (losses**2).sum() <= B / margin**2 * (1 + 1e-9)
        assert losses.sum() <= 2 * B / margin**2 * (1 + 1e-9)


def test_theorem_4_of_regression_counts_losses_of_at_least_1() -> None:
    X, y = np.ones((60, 1)), 0.1 * (-1.0) ** np.arange(60)
    losses = np.array(regression(PA1(1.0), X, y, epsilon=0.0).losses)
    bound = 2 * np.abs(y).sum()  # u = 0, C = 1, R = 1
    assert bound == pytest.approx(12)
    assert (losses > 0).sum() == 60
    assert (losses >= 1).sum() == 0 <= bound


@given(streams(), st.floats(0, 1))
def test_lemmas_6_and_7(stream, epsilon: float) -> None:
    X, targets, weights, u = stream
    q = (X**2).sum(axis=1)
    for step in (PA(), PA1(0.5), PA2(0.5)):
        result = regression(step, X, targets, epsilon=epsilon, weights=weights)
        tau, at_best = np.array(result.taus), np.maximum(0, np.abs(targets - X @ u) - epsilon)
        assert (tau * (2 * np.array(result.losses) - tau * q - 2 * at_best)).sum() <= u @ u + 1e-9

        result = uniclass(step, X, radius=epsilon, weights=weights)
        tau, at_best = np.array(result.taus), np.maximum(0, np.linalg.norm(X - u, axis=1) - epsilon)
        assert (tau * (2 * np.array(result.losses) - tau - 2 * at_best)).sum() <= u @ u + 1e-9

        result = uniclass(step, X, bound=10, weights=weights)
        tau = np.array(result.taus)
        # A comparator of radius epsilon: its last coordinate is sqrt(B^2 - epsilon^2).
        last = np.sqrt(100 - epsilon**2)
        at_best = np.maximum(0, np.sqrt(((X - u) ** 2).sum(axis=1) + last**2) - 10)
        assert (tau * (2 * np.array(result.losses) - tau - 2 * at_best)).sum() <= u @ u + (10 - last) ** 2 + 1e-9
        assert all(np.diff([*result.radii, result.radius]) >= -1e-9)


@given(streams(labels=3))
def test_lemma_1_of_several_labels(stream) -> None:
    X, y, weights, u = stream
    U = np.outer([1.0, -0.5, 0.25], u)
    scores = X @ U.T
    rows = np.arange(len(X))
    for step in (PA(), PA1(0.5), PA2(0.5)):
        for focus in ("worst", "predicted"):
            result = multiclass(step, X, y, weights=weights, focus=focus, labels=Labels((0, 1, 2)))
            rivals = scores.copy()
            rivals[rows, y] = -np.inf
            at_best = np.maximum(0, 1 - scores[rows, y] + rivals.max(axis=1))
            tau, q = np.array(result.taus), 2 * (X**2).sum(axis=1)
            acted = tau > 0
            gain = tau * (2 * np.array(result.losses) - tau * q - 2 * at_best)
            assert gain[acted].sum() <= (U**2).sum() + 1e-9
