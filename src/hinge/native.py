# SPDX-License-Identifier: BSD-3-Clause
"""Python that runs compiled: functions with `@compiled`, NamedTuples with methods with `@native`.

Both leave what they decorate usable as ordinary Python, and neither imports Numba: the compiler is loaded when
compiled code is first called (`hinge.jit`). With ``NUMBA_DISABLE_JIT=1`` in the environment it never is.

A *native* class is a NamedTuple of parameters whose methods can be called inside compiled code:

>>> from typing import NamedTuple
>>> @native
... class Halfway(NamedTuple):
...     share: float = 0.5
...     def tau(self, loss, sq_norm, weight):
...         return self.share * loss / sq_norm
>>> Halfway().tau(1.0, 2.0, 1.0)
0.25

Two rules never share machine code, whatever they are called and however they are edited: the identity of a native
class inside the compiler, and in the cache on disk, is its module, its name and a *fingerprint* of what its methods
do (their bytecode, constants, and the globals they use).
"""

from __future__ import annotations

import enum
import hashlib
import importlib
import os
import sys
import time
import types
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, overload

import numpy as np

__all__ = ["INTERPRETED", "Compiled", "compiled", "fingerprint", "native", "unbind"]

#: When this process began to import hinge, in seconds since the epoch.
IMPORTED_AT = time.time()
#: True when NUMBA_DISABLE_JIT asks for plain Python everywhere (to debug, or to measure coverage).
INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


class _Waiting:
    """The time this process has waited for the compiler, or its cache, to make kernels ready."""

    seconds = 0.0


waiting = _Waiting()

#: Every native class, in order of definition; `hinge.jit` makes each known to Numba when it is loaded.
native_classes: list[type] = []
#: What `hinge.jit` wants to be told of classes defined after it was loaded.
on_new_class: list[Callable[[type], None]] = []
_names_taken: set[str] = set()

T = TypeVar("T", bound=type)


class Compiled:
    """A function compiled by Numba at its first call, and callable from other compiled code.

    ``replacement`` names, as "module:function", what stands for it in compiled code where Python itself cannot
    say it (a prefetch, a vector of eight numbers); the decorated function is then its meaning in plain Python.
    ``holds_gil``: it reads Python's own objects, so other threads of Python wait while it runs. ``inline``: it is a
    part of whatever calls it, as the methods of native classes are.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        replacement: str | None = None,
        holds_gil: bool = False,
        inline: bool = False,
    ) -> None:
        self.py_func = function
        self.replacement = replacement
        self.holds_gil = holds_gil
        self.inline = inline
        self._dispatcher: Any = None
        self.__name__ = function.__name__
        self.__qualname__ = function.__qualname__
        self.__module__ = function.__module__
        self.__doc__ = function.__doc__
        self.__wrapped__ = function

    @property
    def dispatcher(self) -> Any:
        """The Numba function behind this one."""
        if self._dispatcher is None:
            self._dispatcher = _compiler().dispatcher(self)
        return self._dispatcher

    def __call__(self, *arguments: Any) -> Any:
        """Run it."""
        if INTERPRETED:
            return self.py_func(*arguments)
        return self.dispatcher(*arguments)

    def __reduce__(self) -> str:
        """Pickled by name, like any function: a worker process has, or compiles, its own."""
        return self.__qualname__

    def __repr__(self) -> str:
        return f"<compiled {self.__module__}.{self.__qualname__}>"


@overload
def compiled(function: Callable[..., Any]) -> Compiled: ...
@overload
def compiled(
    *, replacement: str | None = None, holds_gil: bool = False, inline: bool = False
) -> Callable[[Callable[..., Any]], Compiled]: ...
def compiled(
    function: Callable[..., Any] | None = None,
    *,
    replacement: str | None = None,
    holds_gil: bool = False,
    inline: bool = False,
) -> Any:
    """Mark a function as compiled: see `Compiled`."""
    if function is None:
        return lambda f: Compiled(f, replacement, holds_gil, inline)
    return Compiled(function, replacement, holds_gil, inline)


@compiled(replacement="hinge.jit:unbind")
def unbind(bound: Any) -> Any:
    """The tuple that was laid out in memory for this call (`hinge.jit.Frame`); in plain Python it is passed itself."""
    return bound


@compiled(replacement="hinge.jit:with_fields")
def with_fields(template: Any, numbers: Any, row: int) -> Any:
    """An instance of the template's class whose fields are the numbers of one row of a table."""
    return type(template)(*(float(number) for number in numbers[row, : len(template)]))


def native(cls: T) -> T:
    """Make the methods of a NamedTuple callable inside compiled code (see the module's text)."""
    if not (isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")):
        raise TypeError(f"@native is for NamedTuple classes (class Rule(NamedTuple): ...), not for {cls!r}")
    if "_shown_as" in vars(cls):
        return cls
    shown = cls.__name__
    if shown in _names_taken:
        # Numba tells tuples apart by their class name alone: with a taken name, a function compiled for the other
        # class would silently run for this one. What people read keeps the name they gave (`_shown_as`).
        count = 2
        while f"{shown}_{count}" in _names_taken:
            count += 1
        cls.__name__ = f"{shown}_{count}"
    _names_taken.add(cls.__name__)
    cls._shown_as = shown  # type: ignore[attr-defined]
    cls.__repr__ = _show  # type: ignore[method-assign]
    # A class that inherits from a native one is native too: Numba would take it for its parent.
    cls.__init_subclass__ = classmethod(native)  # type: ignore[assignment]
    if hasattr(cls, "tau") and not hasattr(cls, "acts"):
        cls.acts = _acts_on_any_loss  # type: ignore[attr-defined]
    native_classes.append(cls)
    for tell in on_new_class:
        tell(cls)
    return cls


def _acts_on_any_loss(self: Any, margin: float, loss: float) -> bool:
    """A step without an ``acts`` of its own moves on every constraint that suffers a loss."""
    return loss > 0


def _show(self: Any) -> str:
    fields = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
    return f"{self._shown_as}({fields})"


def native_methods(cls: type) -> dict[str, types.FunctionType]:
    """The methods of a native class, inherited ones too: what its author wrote, without what NamedTuple itself adds."""
    made_by_namedtuple = {"_make", "_replace", "_asdict"}
    return {
        name: value
        for base in reversed(cls.__mro__)
        if hasattr(base, "_fields")
        for name, value in vars(base).items()
        if isinstance(value, types.FunctionType) and not name.startswith("__") and name not in made_by_namedtuple
    }


def fingerprint(thing: Any) -> str:
    """A short name for what a function does, or all methods of a native class: equal code, equal fingerprint.

    It looks through the globals, closures and modules that the code uses, so editing a constant or a function that
    a rule calls makes a new rule. What it cannot look through is taken for new in every process.
    """
    description = _Description()
    description.add(thing)
    return description.digest.hexdigest()[:16]


#: Their versions are part of a cached kernel's name (hinge's own sources too): a name says all about what is inside.
_LIBRARIES = {"builtins", "math", "cmath", "operator", "numpy", "numba", "llvmlite"}
_THIS_PROCESS = os.urandom(16).hex()


class _Description:
    """Everything that decides what code does, written so that no two descriptions read the same."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()
        self._met: dict[int, int] = {}
        self._looked_into: set[tuple[int, frozenset[str]]] = set()

    def _write(self, kind: str, content: str | bytes) -> None:
        data = content.encode() if isinstance(content, str) else content
        self.digest.update(f"{kind}:{len(data)}:".encode() + data)

    def add(self, thing: Any) -> None:
        """Take in a value, or a definition with all it uses."""
        if isinstance(thing, Compiled):
            self._write("compiled", f"{thing.replacement} {thing.holds_gil}")
        elif hasattr(thing, "targetoptions"):  # one of Numba's own functions
            self._write("options", repr(sorted(thing.targetoptions.items())))
        thing = getattr(thing, "py_func", thing)
        if isinstance(thing, (bool, int, float, complex, str, bytes, type(None), type(...))):
            self._write("value", repr(thing))
        elif isinstance(thing, tuple):
            self._write("tuple", str(len(thing)))
            if type(thing) is not tuple:
                self.add(type(thing))
            self._add_all(thing)
        elif isinstance(thing, frozenset):
            self._write("set", repr(sorted(map(repr, thing))))
        elif hasattr(thing, "tobytes") and hasattr(thing, "dtype"):
            self._write("array", f"{thing.dtype}{thing.shape}")
            self._write("bytes", thing.tobytes())
        elif id(thing) in self._met:
            self._write("again", str(self._met[id(thing)]))
        else:
            self._met[id(thing)] = len(self._met)
            self._add_definition(thing)

    def _add_all(self, things: Iterable[Any]) -> None:
        for thing in things:
            self.add(thing)

    def _add_definition(self, thing: Any) -> None:
        package = (getattr(thing, "__module__", None) or type(thing).__module__).partition(".")[0]
        its_name = getattr(thing, "__qualname__", None)
        if isinstance(thing, types.CodeType):
            self._write("code", thing.co_code + thing.co_exceptiontable)
            self._write("names", repr((thing.co_names, thing.co_varnames, thing.co_freevars, thing.co_cellvars)))
            self._write("arguments", repr((thing.co_argcount, thing.co_kwonlyargcount, thing.co_flags)))
            self._add_all(thing.co_consts)
        elif package in _LIBRARIES and not isinstance(thing, types.ModuleType):
            self._write("library", f"{getattr(thing, '__module__', '')}.{its_name or repr(thing)}")
        elif isinstance(thing, types.FunctionType):
            self._add_function(thing)
        elif isinstance(thing, type) and hasattr(thing, "_fields"):
            self._write("namedtuple", f"{thing.__module__}.{its_name}{thing._fields}{_annotations(thing)}")
            self._add_all(getattr(thing, "_field_defaults", {}).items())
            self._add_all(sorted(native_methods(thing).items()))
        elif isinstance(thing, type) and issubclass(thing, enum.Enum):
            self._write("enum", f"{thing.__module__}.{its_name}")
            self._add_all((name, member.value) for name, member in thing.__members__.items())
        elif isinstance(thing, types.ModuleType):
            self._write("module", thing.__name__)
        elif package == "hinge" and its_name:
            self._write("hinge", f"{thing.__module__}.{its_name}")
        else:
            self._write("unknown", f"{_THIS_PROCESS}{id(thing)}")

    def _add_function(self, function: types.FunctionType) -> None:
        self.add(function.__code__)
        self._add_all((function.__defaults__, *sorted((function.__kwdefaults__ or {}).items())))
        for cell in function.__closure__ or ():
            self.add(cell.cell_contents)
        self._add_names(_names_used(function.__code__), function.__globals__)

    def _add_names(self, names: frozenset[str], variables: dict[str, Any]) -> None:
        """What these names mean here."""
        for name in sorted(names & variables.keys()):
            self._write("name", name)
            value = variables[name]
            self.add(value)
            if isinstance(value, types.ModuleType) and value.__name__.partition(".")[0] not in _LIBRARIES:
                self._add_module(value, names)

    def _add_module(self, module: types.ModuleType, names: frozenset[str]) -> None:
        """What may be reached through a module by one of these names."""
        if (id(module), names) not in self._looked_into:
            self._looked_into.add((id(module), names))
            self._add_names(names, vars(module))


def _annotations(cls: type) -> str:
    return repr([repr(vars(base).get("__annotations__")) for base in cls.__mro__ if hasattr(base, "_fields")])


def _names_used(code: types.CodeType) -> frozenset[str]:
    inner = (_names_used(constant) for constant in code.co_consts if isinstance(constant, types.CodeType))
    return frozenset(code.co_names).union(*inner)


class _Plain:
    """What `hinge.jit.Frame` is where nothing is compiled: the tuple itself is the argument."""

    def __init__(self, value: Any) -> None:
        self.argument = value


def _compiler() -> Any:
    """The module that knows the compiler, loaded when it is first needed."""
    if "hinge.jit" not in sys.modules:
        started = time.perf_counter()
        importlib.import_module("hinge.jit")
        waiting.seconds += time.perf_counter() - started
    return sys.modules["hinge.jit"]


def frame(value: Any) -> Any:
    """A (nested) tuple of arrays and numbers made ready for kernels, which take its ``argument`` and `unbind` it."""
    return _Plain(value) if INTERPRETED else _compiler().Frame(value)


def kernel(function: Compiled, *examples: Any) -> Callable[..., Any]:
    """A compiled function made ready to be called, without a dispatch, with arguments of the kinds of the examples.

    An example is a frame, an array (which whoever calls keeps alive meanwhile), an int or a float.
    """
    if INTERPRETED:  # where, as in compiled code, numbers overflow without a word: what comes out is looked at
        return np.errstate(all="ignore")(function.py_func)
    jit = _compiler()
    started = time.perf_counter()
    ready = jit.entry(function, *(jit.Bound(e.type) if isinstance(e, jit.Frame) else jit.type_of(e) for e in examples))
    waiting.seconds += time.perf_counter() - started
    return ready
