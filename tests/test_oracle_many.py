# SPDX-License-Identifier: BSD-3-Clause
"""The oracles of many constraints in one round: small cases, what is proved, and one oracle against another."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn import metrics

import oracle
from oracle import PA, PA1, PA2, Labels, Perceptron, Rounds, multiclass, ranking
from oracle.cost_sensitive import cost_sensitive, costs_of_pairs, costs_of_tree
from oracle.exact import dual, exact, exact_by_enumeration, exact_of_prototypes, primal
from oracle.joint import Blocks, Gates, Mail, TfIdf, joint
from oracle.multilabel import average_precision, coverage, multilabel, one_error, ranking_loss
from oracle.ordinal import ordinal
from oracle.perceptrons import all_pair, crammer_singer, mira, multi_vector, single_vector
from oracle.simultaneous import simultaneous

NUMBERS = st.integers(-12, 12).map(lambda n: n / 4)
STEPS = [Perceptron(0.5), PA(), PA1(0.2), PA1(3.0), PA2(0.2), PA2(3.0)]
SHARING = ["worst", "predicted", "violated", "mistaken"]
MOVES = [(step, focus) for step in STEPS for focus in SHARING] + [(step, "exact") for step in STEPS[1:]]


@st.composite
def tables(draw: st.DrawFn, n: int, d: int) -> np.ndarray:
    return np.array(draw(st.lists(st.lists(NUMBERS, min_size=d, max_size=d), min_size=n, max_size=n))).reshape(n, d)


@st.composite
def problems(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, float]:
    """Instances z_j (some zero, some alike), losses (some below 0), and C."""
    k, d = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    return draw(tables(k, d)), draw(tables(1, k))[0], draw(st.sampled_from([0.1, 1.0, 7.0]))


@st.composite
def rounds(draw: st.DrawFn) -> tuple[list[tuple[np.ndarray, np.ndarray]], np.ndarray, np.ndarray]:
    """Rounds (X_t, y_t), importance weights, and a comparator."""
    n, d = draw(st.integers(1, 7)), draw(st.integers(1, 3))
    stream = []
    for _ in range(n):
        X = draw(tables(draw(st.integers(1, 4)), d))
        stream.append((X, np.array([draw(st.sampled_from([-1, 1])) for _ in X])))
    weights = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.5]), min_size=n, max_size=n))
    return stream, np.array(weights), draw(tables(1, d))[0]


@st.composite
def labelled(draw: st.DrawFn, k: int = 4) -> tuple[np.ndarray, list[int], list[list[int]], np.ndarray, np.ndarray]:
    """Rows, a label each, a set of labels each, importance weights, and a comparator with one vector a label."""
    n, d = draw(st.integers(1, 8)), draw(st.integers(1, 3))
    y = draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n))
    sets = draw(st.lists(st.lists(st.integers(0, k - 1), max_size=k), min_size=n, max_size=n))
    weights = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.5]), min_size=n, max_size=n))
    return draw(tables(n, d)), y, sets, np.array(weights), draw(tables(k, d))


def assert_alike(one: Rounds, other: Rounds) -> None:
    """Round by round, up to where rounding alone decides a tie between them."""
    for t in range(len(one.losses)):
        np.testing.assert_allclose(one.losses[t], other.losses[t], atol=1e-8)
        np.testing.assert_allclose(one.margins[t], other.margins[t], atol=1e-8)
        if len(one.margins[t]) and decisions(one, t) != decisions(other, t):
            return
        np.testing.assert_allclose(one.taus[t], other.taus[t], atol=1e-8)
    np.testing.assert_allclose(one.weights.ravel(), other.weights.ravel(), atol=1e-8)
    assert one.dual == pytest.approx(other.dual, abs=1e-8)


def decisions(result: Rounds, t: int) -> tuple[list[bool], list[bool], int]:
    margins = result.margins[t]
    return (margins <= 0).tolist(), (margins < 1).tolist(), int(np.argmin(margins))


# ----------------------------------------------------------------------------------------------------------- Exact


@given(problems())
def test_exact_is_the_optimum(problem) -> None:
    z, losses, C = problem
    gram = z @ z.T
    found = exact(losses, gram, C)
    assert found.min() >= 0
    assert found.sum() <= C * (1 + 1e-12)
    top = primal(found, losses, gram, C)
    assert top - dual(found, losses, gram) <= 1e-11 * max(top, C)
    other = exact_by_enumeration(losses, gram, C)
    np.testing.assert_allclose(found @ z, other @ z, atol=1e-6)  # the lambdas need not be unique, the move is
    assert dual(found, losses, gram) == pytest.approx(dual(other, losses, gram), rel=1e-9, abs=1e-12)


def test_exact_uses_up_the_room_of_constraints_that_hold() -> None:
    gram = np.array([[1.0, -1.0], [-1.0, 1.0]])  # w.x >= 1 and w.x <= 1.5, from w = 0: the second does not bind
    np.testing.assert_allclose(exact([1.0, -1.5], gram, np.inf), [1, 0], atol=1e-12)
    gram[:, 1] /= 2
    gram[1] /= 2  # w.x >= 1 and w.x <= 0.5 cannot both be; C decides, and the slack is shared
    lambdas = exact([1.0, -0.25], gram, 10.0)
    assert lambdas.sum() == pytest.approx(10)
    assert (np.array([1.0, -0.25]) - gram @ lambdas).tolist() == pytest.approx([1 / 6, 1 / 6])
    with pytest.raises(ValueError, match="no hypothesis satisfies"):
        exact([1.0, -0.25], gram, np.inf)


def test_a_zero_row_takes_its_part_of_c_in_the_exact_optimum() -> None:
    gram = np.diag([0.0, 1.0])  # its loss of 1 cannot be helped, and so the other may keep a loss of 1 too
    lambdas = exact([1.0, 2.0], gram, 5.0)
    np.testing.assert_allclose(lambdas, [4, 1], atol=1e-12)


@given(tables(1, 6), st.sampled_from([0.25, 1.0, 2.0]), st.sampled_from([0.1, 1.0, 10.0, np.inf]))
def test_exact_of_prototypes_has_a_form_of_its_own(losses, q: float, C: float) -> None:
    gram = q * (np.eye(6) + 1)
    np.testing.assert_allclose(exact_of_prototypes(losses[0], q, C), exact(losses[0], gram, C), atol=1e-9)


@given(problems(), st.sampled_from([0.3, 2.0]))
def test_exact_with_squared_slack(problem, C: float) -> None:
    z, losses, _ = problem
    lambdas = oracle.shares(PA2(C), "exact", losses, -losses, z @ z.T, 1.0)
    slack = max(0.0, (losses - z @ z.T @ lambdas).max())
    value = lambdas @ losses - 0.5 * (lambdas @ z) @ (lambdas @ z) - lambdas.sum() ** 2 / (4 * C)
    assert value == pytest.approx(0.5 * (lambdas @ z) @ (lambdas @ z) + C * slack**2, rel=1e-6, abs=1e-9)


# ------------------------------------------------------------------------------------------ simultaneous projections


@pytest.mark.parametrize(
    ("name", "step", "focus", "w"),
    [
        ("SimProj", PA1(1.0), "violated", [0.75, 0.5]),
        ("ConProj", PA1(1.0), "mistaken", [0.5, 1]),
        ("SimPerc", Perceptron(1.0), "mistaken", [0.5, 1]),
        ("Max-SP", PA1(1.0), "worst", [0.5, 1]),
    ],
)
def test_the_named_algorithms(name: str, step: oracle.Step, focus: str, w: list[float]) -> None:
    result = simultaneous(step, [([[0.5, 0.0]], [1]), (np.eye(2), [1, 1])], focus=focus)
    assert result.weights.tolist() == w
    assert result.losses == [1, 1]
    assert result.imperfect == [True, True]


def test_a_zero_row_counts_among_the_violated_and_the_mistaken() -> None:
    stream = [([[0.0, 0.0], [1.0, 0.0]], [1, 1])]
    for step, focus in ((PA1(1.0), "violated"), (PA1(1.0), "mistaken"), (Perceptron(1.0), "mistaken")):
        assert simultaneous(step, stream, focus=focus).weights.tolist() == [0.5, 0]
    assert simultaneous(PA1(1.0), stream, focus="worst").weights.tolist() == [0, 0]  # the first of two losses of 1


def test_conproj_may_gain_less_than_simperc() -> None:
    stream = [(np.eye(2), [1, 1])]
    gains = [simultaneous(step, stream, focus="mistaken").dual for step in (PA1(1.5), Perceptron(1.5))]
    assert gains == [0.75, 0.9375]


def test_general_caps() -> None:
    stream = [([[0.5, 0.0], [0.0, 0.25]], [1, 1])]
    assert simultaneous(PA1(1.0), stream, nu=[[1, 4]]).lambdas[0].tolist() == [0.5, 0.125]
    assert simultaneous(PA1(1.0), stream, nu=[[0.25, 0]]).lambdas[0].tolist() == [2.0, 8.0]  # 0: no cap at all
    two = ([1, 2], [[1, 4], [4, 1]])  # lambda_1 + 4 lambda_2 <= 1, 4 lambda_1 + lambda_2 <= 2
    assert simultaneous(PA1(1.0), stream, nu=[two]).lambdas[0].tolist() == [0.25, 0.125]
    assert simultaneous(PA1(1.0), stream, nu=[[1, 4]], weights=[2.0]).lambdas[0].tolist() == [1.0, 0.25]
    assert simultaneous(Perceptron(1.0), stream, focus="mistaken", nu=[[1, 4]]).lambdas[0].tolist() == [0.5, 0.125]


@given(rounds(), st.sampled_from([0.3, 1.0]))
def test_general_caps_are_kept(stream, C: float) -> None:
    data, weights, _ = stream
    nu = [1.0 + np.arange(len(y)) for _, y in data]
    for focus in ("worst", "violated", "mistaken", "exact"):
        result = simultaneous(PA1(C), data, focus=focus, weights=weights, nu=nu)
        for lambdas, caps, c in zip(result.lambdas, nu, weights, strict=True):
            assert lambdas @ caps <= C * c * (1 + 1e-9)


@given(rounds(), st.sampled_from([0.25, 0.5, 4.0]))
def test_simperc_predicts_alike_at_every_c(stream, C: float) -> None:
    one, other = (simultaneous(Perceptron(eta), stream[0], focus="mistaken", weights=stream[1]) for eta in (1.0, C))
    np.testing.assert_allclose(C * one.weights, other.weights, atol=1e-9)
    assert all(np.allclose(C * s, t, atol=1e-9) for s, t in zip(one.scores, other.scores, strict=True))


@given(rounds(), st.sampled_from([0.2, 1.0, 5.0]))
@settings(max_examples=40)
def test_the_dual_value_is_below_what_any_fixed_hypothesis_comes_to(stream, C: float) -> None:
    data, weights, u = stream
    half = u @ u / 2
    at_best = np.array([np.maximum(0, 1 - y * (X @ u)).max() for X, y in data])
    for focus in ("worst", "violated", "mistaken", "exact"):
        assert simultaneous(PA1(C), data, focus=focus, weights=weights).dual <= half + C * weights @ at_best + 1e-8
        assert simultaneous(PA2(C), data, focus=focus, weights=weights).dual <= half + C * weights @ at_best**2 + 1e-8


@given(rounds(), st.sampled_from([0.2, 1.0, 5.0]))
@settings(max_examples=40)
def test_exact_gains_most_in_the_first_round_that_moves(stream, C: float) -> None:
    data = stream[0][:1]
    for step in (PA1(C), PA2(C)):
        best = simultaneous(step, data, focus="exact").dual
        for focus in ("worst", "violated", "mistaken"):
            assert simultaneous(step, data, focus=focus).dual <= best + 1e-9


def test_the_price_of_squared_slack_is_that_of_the_sum() -> None:
    """Twice the same constraint is the constraint itself; sum lambda_j^2 / 4C would promise more than can be."""
    once, twice = (simultaneous(PA2(0.5), [(np.ones((n, 1)), np.ones(n))]) for n in (1, 2))
    assert once.weights.tolist() == twice.weights.tolist() == [0.5]
    assert once.dual == twice.dual == 0.25  # = min 1/2 w^2 + 1/2 (1 - w)^2


@given(rounds())
def test_theorem_1_and_corollary_1(stream) -> None:
    data, _, u = stream
    R2 = max((X**2).sum(axis=1).max() for X, _ in data)
    assume(R2 > 0)
    L = sum(np.maximum(0, 1 - y * (X @ u)).max() for X, y in data)
    for C in (0.5 / R2, 1 / R2, 1.8 / R2):
        bound = (u @ u / 2 + C * L) / (C - C * C * R2 / 2)
        for step in (Perceptron(C), PA1(C)):
            assert sum(simultaneous(step, data, focus="mistaken").imperfect) <= bound * (1 + 1e-9)


@given(rounds())
def test_one_constraint_is_the_binary_round(stream) -> None:
    data, weights, _ = stream
    X, y = np.array([X[0] for X, _ in data]), [y[0] for _, y in data]
    single = [(x[None], [label]) for x, label in zip(X, y, strict=True)]
    for step in (PA1(0.5), PA2(0.5)):
        alone = oracle.binary(step, X, y, weights=weights)
        for focus in ("worst", "violated", "exact"):
            result = simultaneous(step, single, focus=focus, weights=weights)
            np.testing.assert_allclose(result.weights, alone.weights, atol=1e-9)
            assert result.dual == pytest.approx(alone.dual, abs=1e-9)


@given(rounds())
def test_worst_is_exact_when_one_constraint_binds(stream) -> None:
    data, weights, _ = stream
    for step in (PA1(0.5), PA1(5.0), PA2(1.0)):
        worst = simultaneous(step, data[:1], focus="worst", weights=weights[:1])
        best = simultaneous(step, data[:1], focus="exact", weights=weights[:1])
        if (best.lambdas[0] > 1e-9).sum() <= 1 and len(set(worst.scores[0] * data[0][1])) == len(data[0][1]):
            np.testing.assert_allclose(best.weights, worst.weights, atol=1e-9)


# ------------------------------------------------------------------------------------------- rankings and label sets


@pytest.mark.parametrize(("step", "focus"), MOVES)
@given(stream=labelled())
@settings(max_examples=10)
def test_one_relevant_label_is_multiclass(step: oracle.Step, focus: str, stream) -> None:
    X, y, _, weights, _ = stream
    sets = multilabel(step, X, [[label] for label in y], focus=focus, weights=weights, b=0.5)
    free = cost_sensitive(step, X, y, 1 - np.eye(4), focus=focus, weights=weights, b=0.5)
    known = multilabel(step, X, [[label] for label in y], focus=focus, weights=weights, b=0.5, labels=range(4))
    np.testing.assert_allclose(known.weights, free.weights, atol=1e-9)
    assert known.dual == pytest.approx(free.dual, abs=1e-9)
    if focus in ("worst", "predicted"):
        for result, labels in ((sets, Labels()), (known, Labels((0, 1, 2, 3)))):
            plain = multiclass(step, X, y, focus=focus, weights=weights, b=0.5, labels=labels)
            assert result.classes == plain.classes
            assert result.novel == plain.novel
            assert [ranked[0] if ranked else None for ranked in result.predictions] == plain.predictions
            np.testing.assert_allclose(result.losses, plain.losses, atol=1e-9)
            np.testing.assert_allclose(result.weights, plain.weights, atol=1e-9)
            np.testing.assert_allclose(result.intercept, plain.intercept, atol=1e-9)
            assert result.dual == pytest.approx(plain.dual, abs=1e-9)


@pytest.mark.parametrize(("step", "focus"), MOVES)
@given(stream=labelled(k=3))
@settings(max_examples=10)
def test_several_prototypes_are_one_over_blocks_of_features(step: oracle.Step, focus: str, stream) -> None:
    X, _, sets, weights, _ = stream
    many = multilabel(step, X, sets, focus=focus, weights=weights, labels=range(3))
    one = joint(step, X, sets, Blocks(range(3)), size=3 * X.shape[1], focus=focus, weights=weights, labels=range(3))
    assert_alike(many, one)
    pairs = [rows_of_pairs(x, set(truth)) for x, truth in zip(X, sets, strict=True)]
    raw = [(np.reshape(z, (-1, 3 * X.shape[1])), np.ones(len(z))) for z in pairs]
    if focus != "predicted":
        free = simultaneous(step, raw, focus=focus, weights=weights)
        assert_alike(many, free)
    if focus == "worst":
        phi = [np.kron(np.eye(3), x) for x in X]
        plain = ranking(step, phi, [set(truth) for truth in sets], weights=weights)
        np.testing.assert_allclose(plain.weights, one.weights, atol=1e-8)


def rows_of_pairs(x: np.ndarray, truth: set[int]) -> list[np.ndarray]:
    blocks = np.kron(np.eye(3), x)
    return [blocks[r] - blocks[s] for r in sorted(truth) for s in sorted({0, 1, 2} - truth)]


def test_a_round_without_relevant_or_irrelevant_labels() -> None:
    X = [[1.0], [1.0], [1.0]]
    plain = multilabel(PA(), X, [[], ["a"], ["a"]], labels=["a"])
    assert plain.losses == [0, 0, 0]
    assert plain.updates == 0
    assert plain.ranking_losses == plain.one_errors == [0, 0, 0]
    assert plain.predictions == [["a"]] * 3
    sets = multilabel(PA(), X, [[], ["a"], ["a"]], labels=["a"], calibrated=True)
    assert sets.losses == [1, 2, 0]
    assert sets.predictions == [[], [], ["a"]]
    assert sets.weights.tolist() == [[0.5]]
    assert sets.calibration[0].tolist() == [-0.5]


def test_duplicates_in_a_set_and_labels_that_appear_late() -> None:
    X = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    once = multilabel(PA1(1.0), X, [["b"], ["a", "c"], ["c", "b"]], focus="violated", calibrated=True)
    twice = multilabel(PA1(1.0), X, [["b", "b"], ["a", "c", "a"], ["c", "b", "c"]], focus="violated", calibrated=True)
    assert once.classes == twice.classes == ["b", "a", "c"]
    assert once.novel == [True, True, False]
    assert once.weights.tolist() == twice.weights.tolist()
    assert [len(scores) for scores in once.scores] == [2, 4, 4]  # the calibration label's is the last
    assert once.predictions[0] == []
    assert set(once.predictions[1]) <= {"b"}


def test_the_calibrated_round_by_hand() -> None:
    # From 0: pairs (0,1), (0,c), (c,1), all with loss 1 and squared norm 2.
    violated = multilabel(PA(), [[1.0]], [[0]], labels=[0, 1], focus="violated", calibrated=True)
    np.testing.assert_allclose(violated.weights.ravel(), [1 / 3, -1 / 3])
    assert violated.calibration[0] == pytest.approx(0)
    best = multilabel(PA(), [[1.0]], [[0]], labels=[0, 1], focus="exact", calibrated=True)
    np.testing.assert_allclose(best.weights.ravel(), [1, -1], atol=1e-9)
    worst = multilabel(PA(), [[1.0]], [[0]], labels=[0, 1], calibrated=True)
    assert worst.weights.ravel().tolist() == [0.5, -0.5]
    for result in (violated, best, worst):
        assert result.losses == [1]


@given(st.lists(st.integers(0, 3), min_size=2, max_size=6), st.data())
def test_measures_are_those_of_scikit_learn(scores: list[int], data: st.DataObject) -> None:
    k = len(scores)
    relevant = data.draw(st.sets(st.integers(0, k - 1)))
    truth = np.array([[float(r in relevant) for r in range(k)]])
    table = np.array([scores], float)
    assert ranking_loss(scores, relevant) == pytest.approx(metrics.label_ranking_loss(truth, table))
    assert coverage(scores, relevant) == pytest.approx(metrics.coverage_error(truth, table))
    theirs = metrics.label_ranking_average_precision_score(truth, table)
    assert average_precision(scores, relevant) == pytest.approx(theirs)
    assert one_error(scores, relevant) == (len(relevant) > 0 and scores.index(max(scores)) not in relevant)


@given(labelled())
@settings(max_examples=30)
def test_lemma_1_corollary_8_and_the_dual_value_of_rankings(stream) -> None:
    X, _, sets, weights, U = stream
    both = np.vstack([U, np.zeros(X.shape[1])])  # a comparator whose calibration label scores 0

    def at_best(x: np.ndarray, truth: list[int], calibrated: bool) -> float:
        s = both @ x
        higher, lower = [s[r] for r in set(truth)], [s[r] for r in {0, 1, 2, 3} - set(truth)]
        pairs = [h - l for h in higher for l in lower]
        if calibrated:
            pairs += [h - 0 for h in higher] + [0 - l for l in lower]
        return max([0.0] + [1 - margin for margin in pairs])

    for calibrated in (False, True):
        losses = np.array([at_best(x, truth, calibrated) for x, truth in zip(X, sets, strict=True)])
        for focus in (*SHARING, "exact"):
            result = multilabel(PA1(0.7), X, sets, labels=range(4), focus=focus, calibrated=calibrated, weights=weights)
            assert result.dual <= (U**2).sum() / 2 + 0.7 * weights @ losses + 1e-8
        result = multilabel(PA(), X, sets, labels=range(4), calibrated=calibrated, weights=weights)
        tau, q = np.array(result.taus), 2 * (X**2).sum(axis=1)
        assert (tau * (2 * np.array(result.losses) - tau * q - 2 * losses)).sum() <= (U**2).sum() + 1e-8
        easy = (losses == 0) & X.any(axis=1)
        if easy.any():
            chosen = [truth for truth, kept in zip(sets, easy, strict=True) if kept]
            result = multilabel(PA(), X[easy], chosen, labels=range(4), calibrated=calibrated)
            assert np.square(result.losses).sum() <= q[easy].max() * (U**2).sum() * (1 + 1e-9) + 1e-9


# --------------------------------------------------------------------------------------------------------- costs


def test_costs_of_a_tree_and_of_pairs() -> None:
    parent = {"cat": "pet", "dog": "pet", "pet": "animal", "wolf": "animal"}
    assert costs_of_tree(["cat", "dog", "wolf", "pet"], parent).tolist() == [
        [0, 2, 3, 1],
        [2, 0, 3, 1],
        [3, 3, 0, 2],
        [1, 1, 2, 0],
    ]
    assert costs_of_pairs(["a", "b"], {("a", "b"): 5}).tolist() == [[0, 5], [1, 0]]


def test_prediction_based_and_max_loss_by_hand() -> None:
    costs = [[0, 1, 4], [1, 0, 4], [0, 0, 0]]
    for focus, w in (("predicted", [-0.5, 0.5, 0]), ("worst", [0, 1, -1])):
        result = cost_sensitive(PA(), [[1.0]], [1], costs, focus=focus)
        assert result.weights.ravel().tolist() == w
        assert result.losses == [2]  # of max-loss in either case
        assert result.costs == [1]
    free = [cost_sensitive(PA(), [[1.0]], [2], costs, focus=focus) for focus in (*SHARING, "exact")]
    assert all(result.updates == 0 and result.losses == [0] for result in free)  # equal scores, at no cost
    assert not any(result.imperfect[0] for result in free)
    late = cost_sensitive(Perceptron(), [[1.0], [1.0]], [0, 2], costs, focus="mistaken")
    assert late.losses == [2, 1.5]  # a cost of 0 asks that the order be right
    assert late.costs == [0, 0]
    equal = cost_sensitive(Perceptron(), [[1.0]], [0], [[0, 0, 1], [1, 0, 1], [1, 1, 0]], focus="mistaken")
    assert equal.weights.ravel().tolist() == [1, 0, -1]  # an equal score that costs nothing is no mistake


@given(labelled(k=3), st.lists(st.sampled_from([0.0, 0.25, 1.0, 4.0]), min_size=9, max_size=9))
@settings(max_examples=40)
def test_lemma_9_theorem_10_and_the_dual_value_of_costs(stream, numbers: list[float]) -> None:
    X, y, _, weights, U = stream
    costs = np.array(numbers).reshape(3, 3) * (1 - np.eye(3))
    scores = X @ U.T
    rows = np.arange(len(X))
    at_best = (scores - scores[rows, y][:, None] + np.sqrt(costs[y])).max(axis=1)
    q = 2 * (X**2).sum(axis=1)
    for step in (PA(), PA1(0.5), PA2(0.5)):
        for focus in ("worst", "predicted"):
            result = cost_sensitive(step, X, y, costs, focus=focus, weights=weights)
            tau = np.array(result.taus)
            own = np.array(result.losses)
            if focus == "predicted":
                predicted = np.array(result.predictions)
                now = np.array(result.scores)
                own = now[rows, predicted] - now[rows, y] + np.sqrt(costs[y, predicted])
            assert (tau * (2 * own - tau * q - 2 * at_best)).sum() <= (U**2).sum() + 1e-8
    for focus in (*SHARING, "exact"):
        result = cost_sensitive(PA1(0.5), X, y, costs, focus=focus, weights=weights)
        assert result.dual <= (U**2).sum() / 2 + 0.5 * weights @ at_best + 1e-8
    short = X / np.sqrt(max(1.0, q.max()))
    C = np.sqrt(costs.max())
    if C > 0:
        best = short @ U.T
        at_best = (best - best[rows, y][:, None] + np.sqrt(costs[y])).max(axis=1)
        for focus in ("worst", "predicted"):
            result = cost_sensitive(PA1(C), short, y, costs, focus=focus)
            moved = short.any(axis=1)  # zero rows cost and cannot be learnt from
            paid = np.array(result.costs)[moved].sum()
            assert paid <= (U**2).sum() + 2 * C * at_best[moved].sum() + 1e-8


# -------------------------------------------------------------------------------------------------------- ordinal


def test_ordinal_by_hand() -> None:
    low = ordinal(PA(), [[1.0]], [0], range(3))  # from 0 the last rank is predicted
    assert low.predictions == [2]
    np.testing.assert_allclose(low.weights, [-0.5])
    np.testing.assert_allclose(low.intercept, [0.25, 0.25])
    named = ordinal(PA(), [[1.0]], [0], range(3), focus="predicted")  # the threshold below rank 2
    assert named.weights.tolist() == [-0.5]
    assert named.intercept.tolist() == [0, 0.5]
    middle = ordinal(PA(), [[1.0]], [1], range(3), focus="exact")
    assert middle.weights == pytest.approx(0)
    np.testing.assert_allclose(middle.intercept, [-1, 1], atol=1e-12)
    zero = ordinal(PA(), [[0.0]], [1], range(3), focus="violated")
    np.testing.assert_allclose(zero.intercept, [-0.5, 0.5])  # the thresholds learn from a zero row too


def test_two_ranks_are_the_binary_algorithm_with_a_constant_of_minus_1() -> None:
    X, y = np.array([[1.0, 2.0], [0.5, -1.0], [0.0, 0.0], [2.0, 0.25]]), [1, 0, 1, 0]
    for step in STEPS:
        ranks = ordinal(step, X, y, (0, 1))
        plain = oracle.binary(step, X, y, b=-1.0, classes=(0, 1))
        np.testing.assert_allclose(ranks.weights, plain.weights, atol=1e-12)
        np.testing.assert_allclose(-ranks.intercept, plain.intercept, atol=1e-12)
        assert ranks.dual == pytest.approx(plain.dual)


@given(labelled())
@settings(max_examples=40)
def test_a_wrong_rank_implies_a_mistaken_constraint_and_the_dual_value_is_a_bound(stream) -> None:
    X, y, _, weights, U = stream
    u, thresholds = U[0], np.sort(U[:3, 0])
    signs = np.where(np.arange(3) < np.array(y)[:, None], 1, -1)
    at_best = np.maximum(0, 1 - signs * ((X @ u)[:, None] - thresholds)).max(axis=1)
    for step, focus in MOVES:
        result = ordinal(step, X, y, range(4), focus=focus, weights=weights)
        for predicted, rank, imperfect in zip(result.predictions, y, result.imperfect, strict=True):
            assert imperfect or predicted == rank
        if step == PA1(0.2):
            assert result.dual <= (u @ u + thresholds @ thresholds) / 2 + 0.2 * weights @ at_best + 1e-8
        if focus == "predicted":
            wrong = np.array(result.predictions) != np.array(y)
            assert wrong[np.array(result.taus) > 0].all()


# ------------------------------------------------------------------------------------------ label-dependent features


def test_phi_of_the_sheet() -> None:
    features = Gates(np.eye(3), range(3))
    result = joint(PA(), [[1.0, 1.0, 1.0]], [[0, 2]], features, size=3, labels=range(3))
    assert result.weights.tolist() == [0.5, -0.5, 0]


def test_shared_adds_the_norms_and_both_scores() -> None:
    features = Gates([[1.0, 0.0], [0.0, 1.0]], "ab")
    result = joint(PA(), [[1.0, 1.0], [1.0, 1.0]], ["b", "b"], features, size=2, labels="ab", shared=True, b=1.0)
    # Phi_b - Phi_a = (-1, 1); x with its constant is (1, 1, 1): 2 + 2 x 3 = 8.
    assert result.taus == [0.125, 0]
    assert result.weights.tolist() == [-0.125, 0.125]
    assert result.intercept.tolist() == [[-0.125] * 3, [0.125] * 3]
    assert result.scores[1].tolist() == [-0.5, 0.5]


@given(labelled(k=3))
@settings(max_examples=30)
def test_shared_with_features_of_zero_is_multi_prototype(stream) -> None:
    X, _, sets, weights, _ = stream
    nothing = Gates(np.zeros((X.shape[1], 3)), range(3))
    for step, focus in ((PA1(0.5), "violated"), (PA2(0.5), "worst"), (PA1(1.0), "exact")):
        both = joint(step, X, sets, nothing, size=X.shape[1], focus=focus, shared=True, weights=weights, b=0.5)
        many = multilabel(step, X, sets, focus=focus, weights=weights, b=0.5)
        assert both.classes == many.classes
        np.testing.assert_allclose(both.intercept[:, :-1], many.weights, atol=1e-9)
        assert both.dual == pytest.approx(many.dual, abs=1e-9)


def test_the_features_of_mail() -> None:
    mail = Mail()
    word = np.array([3.0, 1.0, 0.0])
    assert mail.features(word, "work").tolist() == [0, 0, 0]  # an empty folder
    mail.learn(np.array([1.0, 0.0, 0.0]), ["work"])
    assert mail.features(word, "work").tolist() == [6, -1, 0]  # 1 of 1; 0 of 1
    assert mail.features(word, "play").tolist() == [0, 0, 0]
    for _ in range(4):
        mail.learn(np.array([0.0, 0.0, 5.0]), ["work"])
    assert mail.features(word, "work").tolist() == [6, -1, 0]  # 1 of 5: a fifth
    mail.learn(np.array([0.0, 2.0, 5.0]), ["work"])
    assert mail.features(word, "work").tolist() == [0, 0, 0]  # 1 of 6 each
    for _ in range(44):
        mail.learn(np.zeros(3), ["work"])
    assert mail.features(word, "work").tolist() == [0, 0, 0]  # 1 of 50: not fewer than 2 percent
    mail.learn(np.zeros(3), ["work"])
    assert mail.features(word, "work").tolist() == [-3, -1, 0]


def test_the_features_of_tf_idf() -> None:
    tfidf = TfIdf()
    words = np.array([2.0, 1.0])
    assert tfidf.features(words, "a").tolist() == [0, 0]
    for document, truth in (([3.0, 0.0], "a"), ([1.0, 0.0], "b"), ([1.0, 1.0], "b"), ([0.0, 0.0], "c")):
        tfidf.learn(np.array(document), truth)
    np.testing.assert_allclose(tfidf.features(words, "a"), [2 * np.log(4 / 2), np.log(4)])
    np.testing.assert_allclose(tfidf.features(words, "b"), [2 * np.log(4 / 3), np.log(4)])
    np.testing.assert_allclose(tfidf.features(words, "c"), [2 * np.log(4 / 5), np.log(4)])  # more often than there are
    np.testing.assert_allclose(tfidf.features(np.array([0.0, 1.0]), "new"), [0, np.log(4)])


@pytest.mark.parametrize("features", [Mail, TfIdf])
def test_features_are_taken_before_they_learn(features) -> None:
    X, y = [[2.0, 0.0], [0.0, 1.0], [1.0, 0.0]], ["a", "b", "b"]
    result = joint(PA1(1.0), X, [[label] for label in y], features(), size=2, labels="ab", focus="violated")
    assert result.losses[0] == 1
    assert result.taus[0] == 0  # all features are 0 at first: the loss is suffered, nothing moves
    assert result.taus[2] > 0


# ----------------------------------------------------------------------------------------------------- Perceptrons


@given(labelled())
def test_max_is_worst_and_multi_vector_is_predicted_with_the_perceptron(stream) -> None:
    X, y, _, weights, _ = stream
    labels = Labels((0, 1, 2, 3))
    highest = crammer_singer(X, y, 4, "max", weights=weights, b=0.5)
    np.testing.assert_allclose(
        highest.weights[:, :-1], multiclass(Perceptron(), X, y, labels=labels, weights=weights, b=0.5).weights
    )
    named = multiclass(Perceptron(), X, y, labels=labels, focus="predicted", weights=weights, b=0.5)
    result = multi_vector(X, y, 4, weights=weights, b=0.5)
    np.testing.assert_allclose(result.weights[:, :-1], named.weights)
    assert result.predictions == named.predictions


@given(labelled(k=3))
def test_uniform_is_mistaken_with_the_perceptron(stream) -> None:
    X, y, _, weights, _ = stream  # at most two rivals: halves, and so sums are exact
    uniform = crammer_singer(X, y, 3, "uniform", weights=weights)
    mistaken = multilabel(Perceptron(), X, [[r] for r in y], labels=range(3), focus="mistaken", weights=weights)
    assert uniform.weights[:, :-1].tolist() == mistaken.weights.tolist()


@given(labelled(), st.sampled_from([0.0, 0.5]))
def test_all_pair_is_multi_vector(stream, b: float) -> None:
    X, y, _, weights, _ = stream  # all dyadic: sums are exact
    pairs, many = all_pair(X, y, 4, weights=weights, b=b), multi_vector(X, y, 4, weights=weights, b=b)
    assert pairs.predictions == many.predictions
    assert [s.tolist() for s in pairs.scores] == [(4 * s).tolist() for s in many.scores]
    assert (pairs.weights == -pairs.weights.transpose(1, 0, 2)).all()
    assert (pairs.weights.sum(axis=1) == 4 * many.weights).all()


def test_max_win_counts_the_duels_won() -> None:
    X = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]
    result = all_pair(X, [1, 1, 2, 0], 3, scoring="max-win")
    assert result.predictions == [0, 1, 0, 0]  # no duel decided: the first label
    # After the first round w^10 = 2x, w^12 = x, w^02 = -x: 1 beats both, 2 beats 0.
    assert result.scores[1].tolist() == [0, 2, 1]
    assert result.scores[3].tolist() == [2, 0, 1]


@given(labelled())
def test_single_vector_over_blocks_is_multi_vector(stream) -> None:
    X, y, _, weights, _ = stream
    single = single_vector([np.kron(np.eye(4), x) for x in X], y, weights=weights)
    np.testing.assert_allclose(single.weights, multi_vector(X, y, 4, weights=weights).weights[:, :-1].ravel())


@given(labelled())
def test_the_bound_of_weighted_mistakes(stream) -> None:
    X, y, _, weights, U = stream
    scores = X @ U.T
    rows = np.arange(len(X))
    rivals = scores.copy()
    rivals[rows, y] = -np.inf
    at_best = np.maximum(0, 1 - scores[rows, y] + rivals.max(axis=1))
    L, most = weights @ at_best, weights.max(initial=0)
    D = 2 * (X**2).sum(axis=1).max(initial=0) * (U**2).sum()
    for result in (
        multi_vector(X, y, 4, weights=weights),
        single_vector([np.kron(np.eye(4), x) for x in X], y, weights=weights),
        all_pair(X, y, 4, weights=weights),
        *(crammer_singer(X, y, 4, share, weights=weights) for share in ("uniform", "max", "proportional")),
    ):
        wrong = np.array(result.predictions) != np.array(y)
        assert weights[wrong & X.any(axis=1)].sum() <= L + most * D + np.sqrt(most * L * D) + 1e-9


# ------------------------------------------------------------------------------------------------------------ MIRA


@given(labelled(), st.sampled_from([0.25, 1.0, 4.0]))
@settings(max_examples=40)
def test_mira_is_exact_with_a_margin_of_beta(stream, C: float) -> None:
    X, y, _, weights, _ = stream
    free = cost_sensitive(PA1(C), X, y, 0.25 * (1 - np.eye(4)), focus="exact", weights=weights, b=0.5)
    result = mira(X, y, 4, beta=0.5, C=C, weights=weights, b=0.5)
    np.testing.assert_allclose(result.weights[:, :-1], free.weights, atol=1e-7)
    np.testing.assert_allclose(result.losses, free.losses, atol=1e-7)
    assert result.dual == pytest.approx(free.dual, abs=1e-7)


def test_mira_of_the_sheet_in_a_stream() -> None:
    # Two labels, q = 1, beta = 0.01: tau = beta / 2 each.
    result = mira([[1.0], [1.0]], [1, 1], 2)
    np.testing.assert_allclose(result.weights[:, 0], [-0.005, 0.005], atol=1e-15)
    assert result.taus == [pytest.approx(0.005), pytest.approx(0.0, abs=1e-15)]
    capped = mira([[0.0625]], [1], 2, beta=1.0, C=0.5)
    np.testing.assert_allclose(capped.weights[:, 0], [-0.03125, 0.03125], atol=1e-12)
