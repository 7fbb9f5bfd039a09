# SPDX-License-Identifier: BSD-3-Clause
"""Native classes inside compiled code: whose method runs, what a class is to Numba, and work laid out in frames."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from hinge.native import compiled, native, unbind

pytestmark = pytest.mark.compiled

jit = pytest.importorskip("hinge.jit")


@native
class Scaled(NamedTuple):
    """A rule to test with."""

    C: float = 1.0

    def tau(self, loss: float, sq_norm: float, weight: float) -> float:
        return self.C * loss


@native
class Bare(NamedTuple):
    """A rule without parameters."""

    def tau(self, loss: float, sq_norm: float, weight: float) -> float:
        return loss / sq_norm


@native
class Counted(NamedTuple):
    """Two parameters of two kinds."""

    share: float
    times: int

    def tau(self, loss: float, sq_norm: float, weight: float) -> float:
        return self.share * self.times * loss


@compiled
def tau_of(rule: Any, loss: float) -> float:
    return rule.tau(loss, 2.0, 1.0)


CELL = """
@native
class Rule(NamedTuple):
    C: float = 1.0
    def tau(self, loss, sq_norm, weight):
        return FACTOR * self.C * loss
"""


def run_cell(source: str, into: dict[str, Any] | None = None, name: str = "a_notebook") -> Any:
    """The class Rule that a cell (or a module) of this source defines."""
    content: dict[str, Any] = {} if into is None else into
    content.update(__name__=name, native=native, NamedTuple=NamedTuple)
    exec(source, content)
    return content["Rule"]


def fresh_kernel() -> Any:
    """A compiled function that has compiled nothing yet."""
    return compiled(lambda rule, loss: rule.tau(loss, 2.0, 1.0))


# ------------------------------------------------------------------------------------------------ whose method runs


def test_classes_of_one_name_in_two_modules_never_share_a_kernel() -> None:
    one = run_cell(CELL.replace("FACTOR", "2"), name="one")
    two = run_cell(CELL.replace("FACTOR", "3"), name="two")
    same_as_one = run_cell(CELL.replace("FACTOR", "2"), name="three")
    for _ in range(2):  # compiled at first, dispatched from then on
        assert tau_of(one(), 10.0) == 20.0
        assert tau_of(two(), 10.0) == 30.0
        assert tau_of(same_as_one(), 10.0) == 20.0
    assert len({jit.type_of(rule()) for rule in (one, two, same_as_one)}) == 3
    assert repr(one()) == repr(two()) == "Rule(C=1.0)"


def test_an_edited_notebook_cell_runs_as_edited_and_the_old_class_as_before() -> None:
    notebook: dict[str, Any] = {}
    before = run_cell(CELL.replace("FACTOR", "2"), notebook)
    assert tau_of(before(), 10.0) == 20.0
    after = run_cell(CELL.replace("FACTOR", "3"), notebook)
    assert tau_of(after(), 10.0) == 30.0
    assert tau_of(before(), 10.0) == 20.0


def test_a_constant_edited_in_a_cell_counts_for_the_class_defined_with_it() -> None:
    notebook: dict[str, Any] = {}
    before = run_cell("FACTOR = 2\n" + CELL, notebook)
    assert tau_of(before(), 10.0) == 20.0
    after = run_cell("FACTOR = 3\n" + CELL, notebook)
    assert tau_of(after(), 10.0) == 30.0


def test_a_notebook_cell_run_twice_unedited_is_compiled_once() -> None:
    kernel = fresh_kernel()
    notebook: dict[str, Any] = {}
    first, second = (run_cell(CELL.replace("FACTOR", "2"), notebook) for _ in range(2))
    assert first is not second
    for rule in (first(), second(5.0), first(), second(5.0)):
        assert kernel(rule, 10.0) == 20.0 * rule.C
    stats = kernel.dispatcher.stats
    assert sum(stats.cache_hits.values()) + sum(stats.cache_misses.values()) == 1


def test_an_heir_runs_its_own_method_and_inherits_the_others() -> None:
    class Tenfold(Scaled):
        def tau(self, loss: float, sq_norm: float, weight: float) -> float:
            return 10 * self.C * loss

    class Renamed(Scaled):
        pass

    assert tau_of(Scaled(2.0), 1.0) == 2.0
    assert tau_of(Tenfold(2.0), 1.0) == 20.0
    assert tau_of(Renamed(3.0), 1.0) == 3.0


def test_rules_of_one_layout_do_not_convert_into_each_other() -> None:
    from numba.core.registry import cpu_target

    one, other = jit.type_of(Scaled(1.0)), jit.type_of(run_cell(CELL.replace("FACTOR", "2"))(1.0))
    assert one != other
    assert one.can_convert_to(cpu_target.typing_context, other) is None
    assert cpu_target.typing_context.can_convert(one, other) is None
    assert cpu_target.typing_context.can_convert(one, one) is not None


def test_a_whole_number_for_a_float_runs_the_kernel_of_the_float() -> None:
    kernel = fresh_kernel()
    assert kernel(Scaled(2), 3.0) == kernel(Scaled(2.0), 3.0) == kernel(Scaled(np.float32(2.0)), 3.0) == 6.0
    assert len(kernel.dispatcher.overloads) == 1
    assert jit.type_of(Scaled(2)) == jit.type_of(Scaled(2.0)) == jit.typeof_impl(Scaled(2), None)


def test_compiled_and_interpreted_agree() -> None:
    for rule in (Scaled(0.3), Bare(), Counted(0.1, 3)):
        assert tau_of(rule, 0.7) == tau_of.py_func(rule, 0.7)


# --------------------------------------------------------------------------------------------------------- frames


class Work(NamedTuple):
    """All that a frame can hold, nested; rules without parameters first, last and in between."""

    bare: Bare
    table: np.ndarray
    rule: Counted
    bare_again: Bare
    parts: tuple[np.ndarray, float, int, tuple[Bare]]
    result: np.ndarray
    bare_at_last: Bare


@compiled
def fill(work: Any) -> float:
    work.result[0] = work.bare.tau(3.0, 2.0, 1.0)
    work.result[1] = work.rule.tau(1.0, 1.0, 1.0)
    work.result[2] = work.bare_again.tau(5.0, 2.0, 1.0)
    work.result[3] = work.table[1, 2]
    work.result[4] = work.parts[0][-1]
    work.result[5] = work.parts[1]
    work.result[6] = work.parts[2]
    work.result[7] = work.parts[3][0].tau(1.0, 8.0, 1.0) + work.bare_at_last.tau(1.0, 8.0, 1.0)
    return work.result.sum() + work.table.shape[0]


@compiled
def use_everything(bound: Any) -> float:
    return fill(unbind(bound))


def work_of(share: Any = 0.5, number: Any = -7) -> Work:
    parts = (np.arange(4, dtype=np.float32), 0.125, number, (Bare(),))
    return Work(Bare(), np.arange(6).reshape(2, 3), Counted(share, 3), Bare(), parts, np.zeros(8), Bare())


def test_a_frame_comes_back_as_it_went_in() -> None:
    plain, bound = work_of(), work_of()
    frame = jit.Frame(bound)
    run = jit.entry(use_everything, jit.Bound(frame.type))
    assert run(frame.address) == fill.py_func(plain) == plain.result.sum() + 2
    assert bound.result.tolist() == plain.result.tolist() == [1.5, 1.5, 2.5, 5.0, 3.0, 0.125, -7.0, 0.25]


def test_a_frame_serves_many_calls_and_keeps_its_arrays() -> None:
    frame = jit.Frame(work_of())
    run = jit.entry(use_everything, jit.Bound(frame.type))
    first = run(frame.address)
    assert {run(frame.address) for _ in range(1000)} == {first}
    assert np.array_equal(frame.holds.table, np.arange(6).reshape(2, 3))


@pytest.mark.parametrize("share", [1, True, np.float32(1.0), np.float64(1.0), np.int64(1)])
def test_a_number_in_a_frame_is_itself_whatever_its_kind(share: Any) -> None:
    frame = jit.Frame(work_of(share))
    assert frame.type == jit.Frame(work_of(1.0)).type
    jit.entry(use_everything, jit.Bound(frame.type))(frame.address)
    assert frame.holds.result[1] == 3.0


@pytest.mark.parametrize("number", [2**63 - 1, -(2**63), np.int32(-1), np.uint8(255), np.float32(0.75)])
def test_numbers_of_numpy_and_the_largest_ones(number: Any) -> None:
    frame = jit.Frame(work_of(number=number))
    jit.entry(use_everything, jit.Bound(frame.type))(frame.address)
    assert frame.holds.result[6] == float(number)


def test_what_a_frame_cannot_hold_is_refused() -> None:
    with pytest.raises(ValueError, match="C-contiguous"):
        jit.Frame((np.zeros((4, 4))[:, 0],))
    with pytest.raises(TypeError, match="tuples, arrays and numbers only, not None"):
        jit.Frame((1.0, None))
    with pytest.raises(TypeError, match="not 'text'"):
        jit.Frame((1.0, "text"))
    with pytest.raises((OverflowError, ValueError, jit.struct.error)):
        jit.Frame((2**63,))
