# SPDX-License-Identifier: BSD-3-Clause
"""Native classes and compiled functions as ordinary Python, and what their fingerprints see."""

import copy
import enum
import os
import pickle
import subprocess
import sys
import types
from typing import Any, NamedTuple

import numpy as np
import pytest

from hinge.native import compiled, fingerprint, native, native_methods


@native
class Halfway(NamedTuple):
    """A rule to test with."""

    share: float = 0.5

    def tau(self, loss: float, sq_norm: float, weight: float) -> float:
        return self.share * loss / sq_norm


@compiled
def halved(x: float) -> float:
    """Half of x."""
    return x / 2


def module(source: str, name: str = "somewhere", **given: Any) -> dict[str, Any]:
    """What a module of this source holds."""
    content: dict[str, Any] = {"__name__": name, "native": native, "NamedTuple": NamedTuple, "np": np, **given}
    exec(source, content)
    return content


def test_a_native_class_stays_an_ordinary_named_tuple() -> None:
    rule = Halfway(share=0.25)
    assert rule == (0.25,)
    assert rule.tau(2.0, 4.0, 1.0) == 0.125
    assert rule._replace(share=1.0) == Halfway(1.0)
    assert pickle.loads(pickle.dumps(rule)) == rule
    assert type(pickle.loads(pickle.dumps(rule))) is Halfway


def test_only_named_tuples_can_be_native() -> None:
    with pytest.raises(TypeError, match=r"NamedTuple classes .* not for <class '.*Loose'>"):

        @native
        class Loose:
            pass

    with pytest.raises(TypeError, match="not for <function"):
        native(lambda: None)  # type: ignore[type-var]


def test_a_taken_name_is_changed_but_not_for_the_reader() -> None:
    source = "@native\nclass Taken(NamedTuple):\n    C: float = 1.0\n"
    first, second, third = (module(source, name)["Taken"] for name in ("one", "two", "three"))
    assert len({first.__name__, second.__name__, third.__name__}) == 3
    assert repr(first(2.0)) == repr(second(2.0)) == repr(third(2.0)) == "Taken(C=2.0)"
    assert second.__qualname__ == "Taken"


def test_a_changed_name_is_never_one_that_somebody_has() -> None:
    names = [
        module(f"@native\nclass {name}(NamedTuple):\n    C: float = 1.0\n")[name].__name__
        for name in ("Pair", "Pair_2", "Pair", "Pair_2", "Pair_2_2")
    ]
    assert len(set(names)) == 5


def test_an_heir_of_a_native_class_is_native_and_keeps_what_it_does_not_change() -> None:
    class Whole(Halfway):
        def twice(self, x: float) -> float:
            return 2 * x

    assert repr(Whole(1.0)) == "Whole(share=1.0)"
    assert {"tau", "twice"} <= native_methods(Whole).keys()
    assert native(Whole) is Whole
    assert fingerprint(Whole) != fingerprint(Halfway)


def test_a_compiled_function_is_pickled_and_copied_by_name() -> None:
    assert pickle.loads(pickle.dumps(halved)) is halved
    assert copy.deepcopy(halved) is halved
    assert repr(halved) == f"<compiled {__name__}.halved>"
    assert halved.__doc__ == "Half of x."
    assert halved(3.0) == 1.5


def test_how_a_function_is_compiled_is_part_of_its_fingerprint() -> None:
    def f(x: float) -> float:
        return x

    ways = [f, compiled(f), compiled(holds_gil=True)(f), compiled(replacement="hinge.jit:unbind")(f)]
    assert len({fingerprint(way) for way in ways}) == 4


# Pairs that differ in nothing but what is said, and of which one was edited into the other.
EDITS = {
    "the body": ("def f(x): return x + 1", "def f(x): return x - 1"),
    "a constant": ("def f(x): return x + 1", "def f(x): return x + 2"),
    "where one constant ends and the next begins": ("def f(x): return x * 1 + 23", "def f(x): return x * 12 + 3"),
    "the kind of a constant": ("def f(x): return x + 1", "def f(x): return x + 1.0"),
    "a default": ("def f(x, y=1): return y", "def f(x, y=2): return y"),
    "a default of a keyword": ("def f(x, *, y=1): return y", "def f(x, *, y=2): return y"),
    "which argument": ("def f(x, y): return x", "def f(x, y): return y"),
    "the order of arguments": ("def f(x, y): return x - y", "def f(y, x): return x - y"),
    "a global": ("G = 1\ndef f(x): return G", "G = 2\ndef f(x): return G"),
    "a global tuple": ("G = (1, 23)\ndef f(x): return G", "G = (12, 3)\ndef f(x): return G"),
    "how a global tuple nests": ("G = ((1,), 2)\ndef f(x): return G", "G = (1, (2,))\ndef f(x): return G"),
    "a global array": ("G = np.ones(2)\ndef f(x): return G", "G = np.zeros(2)\ndef f(x): return G"),
    "its kind": ("G = np.zeros(2, 'i8')\ndef f(x): return G", "G = np.zeros(2, 'f8')\ndef f(x): return G"),
    "its shape": ("G = np.zeros((2, 1))\ndef f(x): return G", "G = np.zeros((1, 2))\ndef f(x): return G"),
    "the kind of a global number": ("G = np.int32(0)\ndef f(x): return G", "G = np.float32(0)\ndef f(x): return G"),
    "a function it calls": (
        "def g(x): return x\ndef f(x): return g(x)",
        "def g(x): return -x\ndef f(x): return g(x)",
    ),
    "a function called by one it calls": (
        "def h(x): return x\ndef g(x): return h(x)\ndef f(x): return g(x)",
        "def h(x): return -x\ndef g(x): return h(x)\ndef f(x): return g(x)",
    ),
    "a function that a default holds": (
        "def g(x): return x\ndef f(x, h=g): return h(x)",
        "def g(x): return -x\ndef f(x, h=g): return h(x)",
    ),
    "which of two functions it calls": (
        "def g(x): return x\ndef h(x): return -x\nk = g\ndef f(x): return k(x)",
        "def g(x): return x\ndef h(x): return -x\nk = h\ndef f(x): return k(x)",
    ),
    "a closure": (
        "def make(y):\n    def f(x): return x + y\n    return f\nf = make(1)",
        "def make(y):\n    def f(x): return x + y\n    return f\nf = make(2)",
    ),
    "a function inside": (
        "def f(x):\n    def g(y): return y + 1\n    return g(x)",
        "def f(x):\n    def g(y): return y + 2\n    return g(x)",
    ),
    "a method of a rule it holds": (
        "@native\nclass R(NamedTuple):\n    C: float\n    def tau(self): return 1\n"
        "G = R(1.0)\ndef f(x): return G.tau()",
        "@native\nclass R(NamedTuple):\n    C: float\n    def tau(self): return 2\n"
        "G = R(1.0)\ndef f(x): return G.tau()",
    ),
    "which rule it holds": (
        "@native\nclass R(NamedTuple):\n    C: float\n@native\nclass S(NamedTuple):\n    C: float\n"
        "G = R(1.0)\ndef f(x): return G",
        "@native\nclass R(NamedTuple):\n    C: float\n@native\nclass S(NamedTuple):\n    C: float\n"
        "G = S(1.0)\ndef f(x): return G",
    ),
    "the order of a tuple's fields": (
        "class P(NamedTuple):\n    a: int\n    b: int\ndef f(x): return P(1, 2).a",
        "class P(NamedTuple):\n    b: int\n    a: int\ndef f(x): return P(1, 2).a",
    ),
    "a field's default": (
        "class P(NamedTuple):\n    a: int = 1\ndef f(x): return P().a",
        "class P(NamedTuple):\n    a: int = 2\ndef f(x): return P().a",
    ),
    "a member of an enumeration": (
        "class E(enum.Enum):\n    a = 1\ndef f(x): return E.a",
        "class E(enum.Enum):\n    a = 2\ndef f(x): return E.a",
    ),
}


@pytest.mark.parametrize("what", EDITS)
def test_an_edit_changes_the_fingerprint(what: str) -> None:
    before, after = (module(source, enum=enum)["f"] for source in EDITS[what])
    again = module(EDITS[what][0], enum=enum)["f"]
    assert fingerprint(before) != fingerprint(after)
    assert fingerprint(before) == fingerprint(again)


@pytest.mark.parametrize("edited", ["def bonus(x): return -x\nEXTRA = 1", "def bonus(x): return x\nEXTRA = 2"])
def test_a_fingerprint_looks_into_modules(edited: str) -> None:
    def user_of(source: str) -> Any:
        helper = types.ModuleType("helper")
        exec(source, vars(helper))
        outer = types.ModuleType("outer")
        outer.helper = helper  # type: ignore[attr-defined]
        both = "def f(x): return h.EXTRA\ndef g(x): return f(x) + outer.helper.bonus(x)"
        return module(both, h=helper, outer=outer)["g"]

    original = "def bonus(x): return x\nEXTRA = 1\nunused = object()"
    assert fingerprint(user_of(original)) == fingerprint(user_of(original))
    assert fingerprint(user_of(original)) != fingerprint(user_of(edited))


def test_comments_and_what_is_not_used_change_no_fingerprint() -> None:
    plain = module("def f(x): return x + 1")["f"]
    commented = module("other = 3\n\n# so it is\ndef f(x):\n    # because\n    return x + 1")["f"]
    assert fingerprint(plain) == fingerprint(commented)


def test_functions_that_call_each_other_have_fingerprints() -> None:
    source = "def even(n): return n == 0 or odd(n - 1)\ndef odd(n): return n != 0 and even(n - 1)"
    content = module(source)
    assert fingerprint(content["even"]) != fingerprint(content["odd"])
    assert fingerprint(content["even"]) == fingerprint(module(source)["even"])


FINGERPRINTS = """
import math
import numpy as np
from hinge.native import compiled, fingerprint, native
from typing import NamedTuple
@native
class Rule(NamedTuple):
    C: float = 1.0
    def tau(self, loss, sq_norm, weight):
        if weight in {1, 2} or str(weight) in {"a", "b", "c"}:
            return min(self.C, math.sqrt(loss) + np.abs(sq_norm))
        return 0.0
class Unclear:
    __slots__ = ()
unclear = Unclear()
def uses(x):
    return unclear
print(fingerprint(Rule), fingerprint(uses))
"""


def test_a_fingerprint_is_the_same_in_every_process_but_for_what_cannot_be_looked_through() -> None:
    runs = [
        subprocess.run(
            [sys.executable, "-c", FINGERPRINTS],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for seed in ("1", "2")
    ]
    assert runs[0][0] == runs[1][0]
    assert runs[0][1] != runs[1][1]


EVERYTHING = """
import importlib, pkgutil
import hinge, hinge.jit
from hinge.native import Compiled, fingerprint, native_classes
modules = [
    importlib.import_module(found.name)
    for found in pkgutil.walk_packages(hinge.__path__, "hinge.")
    if not found.name.endswith("__main__")
]
functions = {thing for module in modules for thing in vars(module).values() if isinstance(thing, Compiled)}
for thing in sorted({*functions, *native_classes}, key=lambda thing: (thing.__module__, thing.__qualname__)):
    print(thing.__module__, thing.__qualname__, fingerprint(thing))
"""


@pytest.mark.compiled
def test_everything_in_hinge_has_a_fingerprint_that_lasts() -> None:
    runs = [
        subprocess.run(
            [sys.executable, "-c", EVERYTHING],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        for seed in ("1", "2")
    ]
    assert len(runs[0]) > 10
    assert [one for one, other in zip(*runs, strict=True) if one != other] == []  # these would never be cached


def test_native_classes_need_no_compiler() -> None:
    script = (
        "import sys, hinge; native = sys.modules['hinge.native']\n"
        "from typing import NamedTuple\n"
        "Rule = native.native(NamedTuple('Rule', [('C', float)]))\n"
        "native.compiled(lambda x: x)\n"
        "assert 'numba' not in sys.modules and 'hinge.jit' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
