# SPDX-License-Identifier: BSD-3-Clause
"""The compiler: native classes as Numba types, a cache that is never stale, and calls without a dispatch.

Loaded when compiled code is first called; everything that knows Numba's inside is here.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import inspect
import os
import pathlib
import pickle
import struct
import sys
import tempfile
from collections.abc import Iterator
from typing import Any, get_type_hints

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.compiler import CompileResult
from numba.core.extending import (
    intrinsic,
    overload_method,
    register_model,
    typeof_impl,
    unbox,
)
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numba.core.imputils import impl_ret_borrowed
from numba.core.pythonapi import NativeValue
from numba.core.serialize import dumps

from hinge import native as native_module
from hinge.native import Compiled, fingerprint, native_methods

OPTIONS = {"nogil": True, "error_model": "numpy"}


# ---------------------------------------------------------------------------------------------- native classes


class NativeType(types.NamedTuple):  # type: ignore[misc]
    """What a native class is to Numba: a NamedTuple that is equal only to itself, with methods.

    The key carries strings, never the class: it is compared across processes, where a class of the same module and
    name may have been edited since.
    """

    def __init__(self, field_types: tuple[Any, ...], cls: type) -> None:
        super().__init__(field_types, cls)
        self.identity = (cls.__module__, cls.__qualname__, fingerprint(cls))
        self.name = f"{'.'.join(self.identity[:2])}#{self.identity[2]}({', '.join(map(str, field_types))})"

    @property
    def key(self) -> Any:
        return (*self.identity, self.types)

    def can_convert_to(self, typingctx: Any, other: Any) -> None:
        """Tuples of one layout convert into each other in Numba; two rules must not."""
        return None

    def __reduce__(self) -> Any:
        return _find_native_type, (self.identity, self.types)


_native_types: dict[type, type[NativeType]] = {}


def _find_native_type(identity: tuple[str, str, str], field_types: tuple[Any, ...]) -> Any:
    """The type of this identity in this process; it is looked up when a cached kernel is loaded."""
    for cls, its_type in _native_types.items():
        if (cls.__module__, cls.__qualname__) == identity[:2] and fingerprint(cls) == identity[2]:
            return its_type(field_types, cls)
    raise LookupError(f"no native class {identity} is defined here")


def register(cls: type) -> None:
    """Make a native class and its methods known to Numba."""
    its_type = type(f"{cls.__qualname__}Type", (NativeType,), {})
    _native_types[cls] = its_type
    register_default(its_type)(models.TupleModel)
    hints = {name: hint for name, hint in get_type_hints(cls).items() if hint in (int, float)} if _has_hints(cls) else {}
    numbers = {float: types.float64, int: types.int64}

    @typeof_impl.register(cls)
    def _typeof(value: Any, context: Any) -> Any:
        field_types = tuple(
            numbers[hints[name]] if name in hints else typeof_impl(element, context)
            for name, element in zip(value._fields, value, strict=True)
        )
        return its_type(field_types, cls)

    for name, method in native_methods(cls).items():
        _add_method(its_type, name, method)


def _has_hints(cls: type) -> bool:
    try:
        get_type_hints(cls)
    except NameError:  # an annotation that cannot be resolved says nothing of numbers
        return False
    return True


def _add_method(its_type: type, name: str, method: Any) -> None:
    def resolve(*_: Any) -> Any:
        return method

    resolve.__signature__ = inspect.signature(method)  # type: ignore[attr-defined]
    resolve.__name__ = name
    overload_method(its_type, name, jit_options=OPTIONS)(resolve)


@typeof_impl.register(Compiled)
def _typeof_compiled(value: Compiled, context: Any) -> Any:
    return types.Dispatcher(value.dispatcher)


for _cls in native_module.native_classes:
    register(_cls)
native_module.on_new_class.append(register)


def dispatcher(function: Compiled) -> Any:
    """The Numba dispatcher of a compiled function, with hinge's cache."""
    if function.replacement is not None:
        module, _, name = function.replacement.partition(":")
        return getattr(importlib.import_module(module), name)
    made = numba.njit(**OPTIONS)(function.py_func)
    made._cache = Cache(function.py_func)
    return made


# ------------------------------------------------------------------------------------------------------ the cache


@functools.cache
def sources_digest() -> str:
    """What hinge itself is: any edit or upgrade of any of its files gives another digest."""
    root = pathlib.Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def cache_folders() -> Iterator[pathlib.Path]:
    """Where kernels may be kept, best first: what the user says, beside the package, the user's own cache."""
    if numba.config.CACHE_DIR:
        yield pathlib.Path(numba.config.CACHE_DIR) / "hinge"
        return
    yield pathlib.Path(__file__).parent / "__pycache__" / "kernels"
    own = os.environ.get("XDG_CACHE_HOME") or (os.environ.get("LOCALAPPDATA") if os.name == "nt" else None)
    try:
        yield (pathlib.Path(own) if own else pathlib.Path.home() / ".cache") / "hinge" / "kernels"
    except RuntimeError:  # no home folder at all
        return


class Cache:
    """One file a kernel, named by everything that decides its machine code, so that a stale one is never found.

    Files are written whole and renamed; readers look in every folder, so that an image may be warmed while its
    package folder is writable and run when it is not. Where nothing can be written, nothing is kept.
    """

    def __init__(self, function: Any) -> None:
        self.function = function
        self.cache_path = str(next(cache_folders()))

    def _name(self, signature: Any, codegen: Any) -> str:
        what = (
            sources_digest(), fingerprint(self.function), str(signature), codegen.magic_tuple(),
            numba.__version__, np.__version__, sys.version, numba.config.BOUNDSCHECK,
        )  # fmt: skip
        return f"{self.function.__name__}-{hashlib.sha256(repr(what).encode()).hexdigest()[:32]}.kernel"

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """The compiled code for a signature, or None. (The name is Numba's.)"""
        target_context.refresh()
        name = self._name(signature, target_context.codegen())
        for folder in cache_folders():
            try:
                payload = pickle.loads((folder / name).read_bytes())
                return CompileResult._rebuild(target_context, *payload)
            except (OSError, EOFError, pickle.UnpicklingError, LookupError):
                continue  # not there, or damaged: it is compiled again and written anew
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep compiled code. (The name is Numba's.)"""
        if result.lifted or result.library.has_dynamic_globals:
            return
        content = dumps(result._reduce())
        for folder in cache_folders():
            try:
                folder.mkdir(parents=True, exist_ok=True)
                handle, temporary = tempfile.mkstemp(dir=folder)
                with os.fdopen(handle, "wb") as file:
                    file.write(content)
                os.replace(temporary, folder / self._name(signature, result.codegen))
                return
            except OSError:
                continue

    def flush(self) -> None:
        """Numba's hook for `recompile`; nothing here can be stale."""


# --------------------------------------------------------------------------- calls without a dispatch: bound work


class Bound(types.Type):  # type: ignore[misc]
    """A tuple that lies ready in memory: passed to a kernel as the one number that is its address.

    Numba unpacks every array of every argument at every call, some microseconds for a learner's nested tuples.
    A learner's work is laid out once (`Frame`), and a call then costs what a call of a C function with a few numbers
    costs.
    """

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        super().__init__(f"Bound({inner})")


@register_model(Bound)
class _BoundModel(models.OpaqueModel):  # type: ignore[misc]
    pass


@unbox(Bound)
def _unbox_bound(typ: Any, obj: Any, c: Any) -> Any:
    return NativeValue(c.pyapi.long_as_voidptr(obj))


@intrinsic
def unbind(typingctx: Any, bound: Any) -> Any:
    """The tuple behind a Bound, inside compiled code. Its arrays are borrowed: whoever made the Frame holds them."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        inner = signature.return_type
        pointer = builder.bitcast(arguments[0], context.get_value_type(inner).as_pointer())
        return impl_ret_borrowed(context, builder, inner, builder.load(pointer))

    return bound.inner(bound), codegen


class Frame:
    """A (nested) tuple of arrays and numbers laid out in memory for `unbind`; it keeps the arrays alive.

    Arrays must be C-contiguous; numbers are int or float. `write` renews a part in place.
    """

    def __init__(self, value: Any) -> None:
        self.type = type_of(value)
        self.holds = value
        self.memory = np.array(_words(value), dtype=np.uint64)
        self.address: int = self.memory.ctypes.data


def type_of(value: Any) -> Any:
    """The Numba type of a (nested) tuple; an array counts as C-contiguous and writable, as kernels treat it."""
    if isinstance(value, np.ndarray):
        return types.Array(numba.from_dtype(value.dtype), value.ndim, "C")
    if isinstance(value, tuple):
        its_types = tuple(type_of(element) for element in value)
        if type(value) in _native_types:
            return _native_types[type(value)](its_types, type(value))
        return types.NamedTuple(its_types, type(value)) if hasattr(value, "_fields") else types.Tuple(its_types)
    return types.float64 if isinstance(value, float) else types.int64


def _words(value: Any) -> list[int]:
    """The 8-byte words of a value as Numba lays it out (an array: its owner and parent, left empty, then
    size, item size, data, shape, strides)."""
    if isinstance(value, np.ndarray):
        if not value.flags.c_contiguous:
            raise ValueError("a frame holds C-contiguous arrays only")
        address = value.__array_interface__["data"][0]
        return [0, 0, value.size, value.itemsize, address, *value.shape, *value.strides]
    if isinstance(value, tuple):
        return [word for element in value for word in _words(element)]
    if isinstance(value, float):
        return [struct.unpack("<Q", struct.pack("<d", value))[0]]
    return [int(value) & 0xFFFFFFFFFFFFFFFF]


def entry(function: Compiled, *argument_types: Any) -> Any:
    """The bare C function of a compiled function for given types: it unpacks its arguments and runs, unchecked."""
    return function.dispatcher.compile(tuple(argument_types))
