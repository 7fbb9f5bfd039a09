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

import hashlib
import os
import types
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["INTERPRETED", "Compiled", "compiled", "fingerprint", "native"]

#: True when NUMBA_DISABLE_JIT asks for plain Python everywhere (to debug, or to measure coverage).
INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")

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
    """

    def __init__(self, function: Callable[..., Any], replacement: str | None = None) -> None:
        self.py_func = function
        self.replacement = replacement
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
            from hinge import jit

            self._dispatcher = jit.dispatcher(self)
        return self._dispatcher

    def __call__(self, *arguments: Any) -> Any:
        if INTERPRETED:
            return self.py_func(*arguments)
        return self.dispatcher(*arguments)

    def __repr__(self) -> str:
        return f"<compiled {self.__module__}.{self.__qualname__}>"


def compiled(function: Callable[..., Any] | None = None, *, replacement: str | None = None) -> Any:
    """Mark a function as compiled: see `Compiled`."""
    if function is None:
        return lambda f: Compiled(f, replacement)
    return Compiled(function, replacement)


def native(cls: T) -> T:
    """Make the methods of a NamedTuple callable inside compiled code (see the module's text)."""
    if not (isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")):
        raise TypeError(f"@native is for NamedTuple classes (class Rule(NamedTuple): ...), not for {cls!r}")
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
    cls.__repr__ = _show  # type: ignore[method-assign,assignment]
    native_classes.append(cls)
    for tell in on_new_class:
        tell(cls)
    return cls


def _show(self: Any) -> str:
    fields = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
    return f"{self._shown_as}({fields})"


def native_methods(cls: type) -> dict[str, types.FunctionType]:
    """The methods of a native class: what its author wrote, without what NamedTuple itself adds."""
    made_by_namedtuple = {"_make", "_replace", "_asdict"}
    return {
        name: value
        for name, value in vars(cls).items()
        if isinstance(value, types.FunctionType) and not name.startswith("__") and name not in made_by_namedtuple
    }


def fingerprint(thing: Any) -> str:
    """A short name for what a function does, or all methods of a native class: equal code, equal fingerprint.

    It looks through the globals and closures that the code uses, so editing a constant or a function that a rule
    calls makes a new rule.
    """
    digest = hashlib.sha256()
    _describe(thing, digest.update, set())
    return digest.hexdigest()[:16]


def _describe(thing: Any, write: Callable[[bytes], None], seen: set[int]) -> None:
    if isinstance(thing, Compiled):
        thing = thing.py_func
    if isinstance(thing, types.FunctionType):
        if id(thing) in seen:
            return
        seen.add(id(thing))
        _describe_code(thing.__code__, write)
        write(repr(thing.__defaults__).encode())
        for cell in thing.__closure__ or ():
            _describe(cell.cell_contents, write, seen)
        for name in _names_used(thing.__code__):
            if name in thing.__globals__:
                write(name.encode())
                _describe(thing.__globals__[name], write, seen)
    elif isinstance(thing, type) and hasattr(thing, "_shown_as"):
        if id(thing) in seen:
            return
        seen.add(id(thing))
        write(f"{thing.__module__}.{thing.__qualname__}{thing._fields}".encode())
        for name, method in sorted(native_methods(thing).items()):
            write(name.encode())
            _describe(method, write, seen)
    elif isinstance(thing, (bool, int, float, complex, str, bytes, type(None))):
        write(repr(thing).encode())
    elif isinstance(thing, tuple):
        for element in thing:
            _describe(element, write, seen)
    elif hasattr(thing, "tobytes"):
        write(thing.tobytes())
    else:
        write(f"{getattr(thing, '__module__', '')}.{getattr(thing, '__qualname__', type(thing).__qualname__)}".encode())


def _describe_code(code: types.CodeType, write: Callable[[bytes], None]) -> None:
    write(code.co_code)
    write(repr((code.co_names, code.co_varnames)).encode())
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            _describe_code(constant, write)
        else:
            write(repr(constant).encode())


def _names_used(code: types.CodeType) -> list[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names.update(_names_used(constant))
    return sorted(names)
