# SPDX-License-Identifier: BSD-3-Clause
"""Focus Exact on any problem: the duality gap is measured here, from G and l; the slow twin must agree."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hinge
import oracle
from hinge.exact import ExactRanking
from hinge.exact_any import DEAR, ExactAny, memory_for
from hinge.focus import Alike, Constraint, Worst
from hinge.native import INTERPRETED, compiled, native, unbind
from hinge.tasks.binary import Binary
from hinge.tasks.multiclass import Multiclass
from oracle.exact import dual, exact, exact_of_prototypes, primal
from oracle.simultaneous import shares

if INTERPRETED:
    frame = kernel = None
else:
    from hinge.native import frame, kernel

SMALL_GAP = 1e-9


@native
class Given(NamedTuple):
    """A task whose constraints have these losses; constraint j is the instance of lane j."""

    losses: Any

    def posed(self, labels: int, truth: int) -> int:
        return int(self.losses.size)

    def constraint(self, scores: Any, first: int, labels: int, truth: int, j: int) -> Constraint:
        return Constraint(1.0 - float(self.losses[j]), 1.0, j, -1)


@native
class GivenGram(NamedTuple):
    """A metric given by its Gram matrix."""

    gram: Any

    def inner(self, one: Any, other: Any) -> float:
        return float(self.gram[one.up, other.up])


@native
class Work(NamedTuple):
    task: Any
    metric: Any
    focus: Any
    step: Any
    scores: Any
    coefficients: Any


@compiled
def share(bound: Any, labels: int, truth: int, weight: float) -> Any:
    work = unbind(bound)
    rival = Constraint(0.0, 1.0, 0, -1)
    return work.focus.share(work.task, work.step, work.scores, 0, labels, truth, 0, rival, work.metric, weight,
                            work.coefficients)  # fmt: skip


def run(work: Work, labels: int = 0, truth: int = 0, weight: float = 1.0) -> Any:
    """(what the share says, the coefficients)."""
    if INTERPRETED:
        return share.py_func(work, labels, truth, weight), work.coefficients
    laid = frame(work)
    found = kernel(share, laid, labels, truth, weight)(laid.argument, labels, truth, weight)
    return found, work.coefficients


def solve(losses: Any, gram: Any, step: Any, weight: float = 1.0) -> tuple[np.ndarray, float, float]:
    """(lambda, its sum as told, the growth of the dual value as told) of one round."""
    losses, gram = np.array(losses, float), np.ascontiguousarray(gram, float)
    focus = ExactAny(1.0, memory_for(len(losses)))
    work = Work(Given(losses), GivenGram(gram), focus, step, np.zeros(1), np.zeros(len(losses)))
    (total, gain), lambdas = run(work, weight=weight)
    return lambdas, total, gain


def gap_of(lambdas: Any, losses: Any, gram: Any, step: Any, weight: float = 1.0) -> float:
    """The relative duality gap. What zero rows must be granted is nothing that a move could change: it is left out."""
    if isinstance(step, hinge.PA2):
        price = step.C * weight
        slack = max(0.0, (losses - gram @ lambdas).max())
        top = 0.5 * lambdas @ gram @ lambdas + price * slack**2
        return (top - dual(lambdas, losses, gram) + lambdas.sum() ** 2 / (4 * price)) / top if top > 0 else 0.0
    movable = np.diag(gram) > 0
    idle = 0.0 if isinstance(step, hinge.PA) else max(0.0, losses[~movable].max(initial=0))
    losses, gram, lambdas = losses[movable] - idle, gram[np.ix_(movable, movable)], lambdas[movable]
    cap = 2 * lambdas.sum() if isinstance(step, hinge.PA) else step.C * weight
    top = primal(lambdas, losses, gram, cap)
    return (top - dual(lambdas, losses, gram)) / top if top > 0 else 0.0


def problem(rng: np.random.Generator, m: int, d: int, kind: str) -> tuple[np.ndarray, np.ndarray]:
    Z = rng.normal(size=(m, d))
    losses = rng.normal(size=m) + 0.5
    if kind == "scales":
        Z *= 10 ** rng.uniform(-1.5, 1.5, (m, 1))
    elif kind == "twice":
        Z[m // 2 :] = Z[: m - m // 2]
    elif kind == "zero rows":
        Z[::3] = 0
    elif kind == "opposite":
        Z[m // 2 :] = -Z[: m - m // 2]
    elif kind == "parallel":
        Z = np.outer(rng.normal(size=m), Z[0])
    return losses, Z @ Z.T


KINDS = ["plain", "scales", "twice", "zero rows", "opposite", "parallel"]
STEPS = [hinge.PA1(C) for C in (1e-3, 0.1, 1.0, 30.0)] + [hinge.PA2(C) for C in (1e-3, 0.1, 1.0, 30.0)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("m", [1, 2, 5, 20] if INTERPRETED else [1, 2, 5, 20, 100])
def test_the_gap_is_closed(m: int, kind: str) -> None:
    rng = np.random.default_rng(m)
    for d in (1, 3, 40):
        for step in STEPS:
            losses, gram = problem(rng, m, d, kind)
            lambdas, total, gain = solve(losses, gram, step)
            acts = (np.diag(gram) > 0).any() and losses.max() > 0
            assert (lambdas >= 0).all()
            assert (total > 0) == acts
            if not acts:
                continue
            assert gap_of(lambdas, losses, gram, step) <= SMALL_GAP
            idle = total - lambdas.sum()  # what zero rows have of the cap
            lost = max(0.0, losses[np.diag(gram) == 0].max(initial=0)) if isinstance(step, hinge.PA1) else 0.0
            assert idle == pytest.approx(0, abs=1e-9 * total) or lost > 0
            np.testing.assert_allclose(gain, dual(lambdas, losses, gram) + idle * lost, rtol=1e-9)
            if isinstance(step, hinge.PA1):
                assert lambdas.sum() <= step.C * (1 + 1e-12)


@pytest.mark.parametrize("kind", ["plain", "scales", "twice", "zero rows"])
def test_without_slack_every_constraint_is_met(kind: str) -> None:
    rng = np.random.default_rng(7)
    for m in (1, 3, 12):
        losses, gram = problem(rng, m, 40, kind)
        if kind == "twice":
            losses[m // 2 :] = losses[: m - m // 2]
        lambdas, total, gain = solve(losses, gram, hinge.PA())
        movable = np.diag(gram) > 0
        if not movable.any() or losses[movable].max() <= 0:
            assert total == gain == 0
            continue
        assert gap_of(lambdas, losses, gram, hinge.PA()) <= SMALL_GAP
        assert (losses - gram @ lambdas)[movable].max() <= 1e-8
        np.testing.assert_allclose(gain, dual(lambdas, losses, gram), rtol=1e-9)


def test_what_no_hypothesis_can_meet_is_met_as_far_as_it_goes() -> None:
    """w >= 1 and w <= 0: at w = 1/2 both lack 1/2, and no w makes the larger of the two smaller."""
    lambdas, total, _ = solve([1.0, 0.0], [[1.0, -1.0], [-1.0, 1.0]], hinge.PA())
    assert lambdas[0] - lambdas[1] == pytest.approx(0.5, rel=1e-6)
    assert total <= DEAR * (1 + 1e-12)


def test_the_slow_twin_agrees() -> None:
    rng = np.random.default_rng(3)
    for kind in KINDS:
        for m, d in ((2, 1), (4, 2), (6, 9)):
            losses, gram = problem(rng, m, d, kind)
            for step, slow in ((hinge.PA1(0.7), oracle.PA1(0.7)), (hinge.PA2(0.7), oracle.PA2(0.7))):
                fast, total, gain = solve(losses, gram, step, weight=1.5)
                twin = shares(slow, "exact", losses, 1 - losses, gram, 1.5)
                np.testing.assert_allclose(gram @ fast, gram @ twin, atol=1e-6)  # the same move; lambda may differ
                np.testing.assert_allclose(gain, dual(twin, losses, gram), rtol=1e-8, atol=1e-12)
                np.testing.assert_allclose(total, twin.sum(), rtol=1e-5, atol=1e-9)


@given(
    st.lists(st.lists(st.integers(-3, 3), min_size=2, max_size=2), min_size=1, max_size=5),
    st.lists(st.integers(-2, 4), min_size=5, max_size=5),
    st.sampled_from([0.25, 1.0, 8.0]),
)
@settings(max_examples=60)
def test_small_whole_numbers(rows: list[list[int]], losses: list[int], C: float) -> None:
    """Few values: ties, zero rows, rows alike and opposite, and losses of 0 are everywhere."""
    Z, wanted = np.array(rows, float), np.array(losses[: len(rows)], float)
    gram = Z @ Z.T
    lambdas, _, gain = solve(wanted, gram, hinge.PA1(C))
    if not Z.any():
        assert gain == 0
        return
    assert gap_of(lambdas, wanted, gram, hinge.PA1(C)) <= SMALL_GAP
    np.testing.assert_allclose(gain, dual(exact(wanted, gram, C), wanted, gram), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("step", [hinge.PA1(0.05), hinge.PA1(2.0), hinge.PA2(0.3)])
@pytest.mark.parametrize("k", [2, 3, 12])
def test_rankings_are_solved_alike_the_short_way_and_the_long(k: int, step: Any) -> None:
    rng = np.random.default_rng(k)
    for margin in (1.0, 0.01):
        for _ in range(5):
            scores, truth = rng.normal(size=k), int(rng.integers(k))
            found = []
            for focus in (ExactRanking(margin), ExactAny(margin, memory_for(k))):
                work = Work(Multiclass(), Alike(2.5), focus, step, scores, np.zeros(k))
                found.append(run(work, k, truth))
            (short, by_label), (long, by_label_too) = found
            np.testing.assert_allclose(by_label, by_label_too, atol=1e-7)
            np.testing.assert_allclose(short, long, rtol=1e-8, atol=1e-12)


def test_prototypes_have_a_solution_of_their_own() -> None:
    losses = np.array([0.8, -0.4, 1.3, 0.2, -3.0])
    gram = 2.0 * (np.eye(5) + 1)
    for C in (0.1, 0.5, 5.0):
        np.testing.assert_allclose(solve(losses, gram, hinge.PA1(C))[0], exact_of_prototypes(losses, 2.0, C), atol=1e-7)


def test_a_binding_constraint_alone_is_worst() -> None:
    lambdas, total, gain = solve([0.9, -50.0, -7.0], [[2.0, 0.1, 0], [0.1, 1, 0], [0, 0, 3]], hinge.PA())
    np.testing.assert_allclose(lambdas, [0.45, 0, 0])
    assert (total, gain) == (pytest.approx(0.45), pytest.approx(0.5 * 0.9**2 / 2))


def test_who_solves_a_round() -> None:
    assert hinge.Exact(0.5).ready(Multiclass(), 9) == ExactRanking(0.5)
    assert hinge.Exact().ready(Binary(), 1) == Worst()
    assert hinge.Exact().ready(Given(np.zeros(3)), 3).memory.gram.shape == (3, 3)
    assert isinstance(hinge.Exact().ready(Multiclass(), 9, False), ExactAny)


@pytest.mark.parametrize("margin", [1.0, 0.3])
def test_the_margin_scales_what_is_required(margin: float) -> None:
    focus = ExactAny(margin, memory_for(1))
    work = Work(Given(np.array([1.0])), GivenGram(np.array([[4.0]])), focus, hinge.PA(), np.zeros(1), np.zeros(1))
    assert run(work)[1][0] == pytest.approx(margin / 4)
