# SPDX-License-Identifier: BSD-3-Clause
"""The compiler: native classes as Numba types, and calls without a dispatch.

Loaded when compiled code is first called; everything that knows Numba's inside is here.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import numbers
import struct
from typing import Any, get_type_hints

import numba
import numpy as np
from llvmlite import ir
from numba.core import boxing, cgutils, types
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numba.core.extending import (
    intrinsic,
    lower_builtin,
    overload_method,
    register_model,
    type_callable,
    typeof_impl,
    unbox,
)
from numba.core.imputils import impl_ret_borrowed
from numba.core.pythonapi import NativeValue
from numba.core.registry import cpu_target
from numba.np.arrayobj import make_array

from hinge.jit_cache import Cache
from hinge.native import Compiled, fingerprint, native_classes, native_methods, on_new_class

OPTIONS = {"nogil": True, "error_model": "numpy"}


# ---------------------------------------------------------------------------------------------- native classes


class NativeType(types.NamedTuple):  # type: ignore[misc]
    """What a native class is to Numba: a NamedTuple that is equal only to itself, with methods.

    The key carries strings, never the class: it is compared across processes, where a class of the same module and
    name may have been edited since.
    """

    def __init__(self, field_types: tuple[Any, ...], cls: type, identity: Identity) -> None:
        super().__init__(field_types, cls)
        self.identity = identity
        self.name = f"{'.'.join(self.identity[:2])}#{self.identity[2]}({', '.join(map(str, field_types))})"

    @property
    def key(self) -> Any:
        """What two equal types have in common."""
        return (*self.identity, self.types)

    def can_convert_to(self, typingctx: Any, other: Any) -> None:
        """Tuples of one layout convert into each other in Numba; two rules must not."""
        return None

    def __bool__(self) -> bool:
        """Numba takes a receiver that is false for none at all; a class without fields has the length 0."""
        return True

    def __reduce__(self) -> Any:
        if _identity(self.instance_class) != self.identity:
            raise LookupError(f"a global that {self.identity[1]} uses has changed: nobody knows what was compiled")
        return _find_native_type, (self.identity, self.types)


Identity = tuple[str, str, str]
_native_types: dict[type, type[NativeType]] = {}
_first_of_identity: dict[Identity, type] = {}


def _identity(cls: type) -> Identity:
    if cls.__module__.partition(".")[0] == "hinge":
        return _identity_of_ours(cls)
    return cls.__module__, cls.__qualname__, fingerprint(cls)


@functools.cache
def _identity_of_ours(cls: type) -> Identity:
    """hinge's own classes do not change while it runs, and their fingerprints are asked for with every batch."""
    return cls.__module__, cls.__qualname__, fingerprint(cls)


def native_type(cls: type, field_types: tuple[Any, ...]) -> NativeType:
    """The Numba type of a native class; classes of one identity (a notebook cell run twice) share it."""
    identity = _identity(cls)
    first = _first_of_identity.setdefault(identity, cls)
    if first is not cls and _identity(first) != identity:  # a global that it uses was changed meanwhile
        first = _first_of_identity[identity] = cls
    return _native_types[first](field_types, first, identity)


def _find_native_type(identity: Identity, field_types: tuple[Any, ...]) -> NativeType:
    """The type of this identity in this process; it is looked up when a cached kernel is loaded."""
    for cls in _native_types:
        if cls.__module__ == identity[0] and cls.__qualname__ == identity[1] and fingerprint(cls) == identity[2]:
            return native_type(cls, field_types)
    raise LookupError(f"no native class {identity} is defined here")


def register(cls: type) -> None:
    """Make a native class and its methods known to Numba."""
    its_type = type(f"{cls.__qualname__}Type", (NativeType,), {})
    _native_types[cls] = its_type
    register_default(its_type)(models.TupleModel)

    @typeof_impl.register(cls)
    def _typeof(value: Any, context: Any) -> Any:
        return native_type(cls, tuple(typeof_impl(field, context) for field in _fields_as_hinted(value)))

    _add_constructor(cls)
    for name, method in native_methods(cls).items():
        _add_method(its_type, name, method)


def _as_hinted(hint: Any, given: Any) -> Any:
    """The type of a field that is given as a number of some kind: what its class says it is."""
    if hint is float and isinstance(given, types.Number):
        return types.float64
    if hint is int and isinstance(given, (types.Integer, types.Boolean)):
        return types.int64
    return types.unliteral(given)


def _add_constructor(cls: Any) -> None:
    """Let compiled code make an instance: Numba itself would make an ordinary NamedTuple without methods."""

    @type_callable(cls)
    def _constructor(context: Any) -> Any:
        def typer(*fields: Any) -> Any:
            return native_type(cls, tuple(map(_as_hinted, map(_hints(cls).get, cls._fields), fields)))

        typer.__signature__ = inspect.signature(cls)  # type: ignore[attr-defined]
        return typer

    @lower_builtin(cls, types.VarArg(types.Any))
    def _make(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        made = signature.return_type
        fields = [
            context.cast(builder, value, given, wanted)
            for value, given, wanted in zip(arguments, signature.args, made.types, strict=True)
        ]
        return impl_ret_borrowed(context, builder, made, context.make_tuple(builder, made, fields))


def _fields_as_hinted(value: Any) -> tuple[Any, ...]:
    """The fields of a native tuple; a number where its class says `float` is one, so that C=1 is compiled as C=1.0."""
    hints = _hints(type(value))
    return tuple(
        float(field) if hints.get(name) is float and isinstance(field, numbers.Real) else field
        for name, field in zip(value._fields, value, strict=True)
    )


@functools.cache
def _hints(cls: type) -> dict[str, Any]:
    try:
        return get_type_hints(cls)
    except NameError:  # an annotation that cannot be resolved says nothing of numbers
        return {}


def _add_method(its_type: type, name: str, method: Any) -> None:
    def resolve(*_: Any) -> Any:
        return method

    resolve.__signature__ = inspect.signature(method)  # type: ignore[attr-defined]
    resolve.__name__ = name
    overload_method(its_type, name, jit_options={**OPTIONS, "forceinline": True})(resolve)


_typeof_any_class = typeof_impl.dispatch(type)


@typeof_impl.register(type)
def _typeof_class(value: Any, context: Any) -> Any:
    """A native class, called in compiled code, is its own constructor (see `_add_constructor`)."""
    if value in _native_types:
        return cpu_target.typing_context._lookup_global(value)
    return _typeof_any_class(value, context)


@typeof_impl.register(Compiled)
def _typeof_compiled(value: Compiled, context: Any) -> Any:
    return cpu_target.typing_context.resolve_value_type(value.dispatcher)


for _cls in native_classes:
    register(_cls)
on_new_class.append(register)


def dispatcher(function: Compiled) -> Any:
    """The Numba dispatcher of a compiled function, with hinge's cache."""
    if function.replacement is not None:
        module, _, name = function.replacement.partition(":")
        return getattr(importlib.import_module(module), name)
    options = {**OPTIONS, "nogil": not function.holds_gil, "forceinline": function.inline}
    made = numba.njit(**options)(function.py_func)
    made._cache = Cache(function)
    return made


# --------------------------------------------------------------------------- calls without a dispatch: bound work


class Borrowed(types.Array):  # type: ignore[misc]
    """A C-contiguous array that somebody else keeps alive: it is never counted, where Numba would count references
    to every array at every call of every function of a round.
    """

    def __init__(self, dtype: Any, ndim: int) -> None:
        super().__init__(dtype, ndim, "C", name=f"borrowed({dtype}, {ndim}d)")


@register_model(Borrowed)
class _BorrowedModel(models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, its_type: Borrowed) -> None:
        ordinary = models.ArrayModel(manager, its_type)
        members = [(field, ordinary.get_type(field)) for field in ordinary._fields]
        super().__init__(manager, its_type, [("meminfo", types.voidptr), *members[1:]])


@unbox(Borrowed)
def _unbox_array(typ: Any, obj: Any, c: Any) -> Any:
    owned_type = types.Array(typ.dtype, typ.ndim, "C")
    unboxed = boxing.unbox_array(owned_type, obj, c)
    owned = make_array(owned_type)(c.context, c.builder, unboxed.value)
    borrowed = make_array(typ)(c.context, c.builder)
    for field in ("nitems", "itemsize", "data", "shape", "strides", "parent"):
        setattr(borrowed, field, getattr(owned, field))
    borrowed.meminfo = c.context.get_constant_null(types.voidptr)
    c.context.nrt.decref(c.builder, owned_type, unboxed.value)
    return NativeValue(borrowed._getvalue(), is_error=unboxed.is_error)


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


@intrinsic
def with_fields(typingctx: Any, template: Any, table: Any, row: Any) -> Any:
    """`hinge.native.with_fields` in compiled code."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = make_array(table)(context, builder, arguments[1])
        across = cgutils.unpack_tuple(builder, array.shape, 2)[1]
        first = builder.gep(array.data, [builder.mul(arguments[2], across)])
        fields = []
        for column, wanted in enumerate(template.types):
            number = builder.load(builder.gep(first, [ir.Constant(ir.IntType(64), column)]))
            fields.append(context.cast(builder, number, table.dtype, wanted))
        return context.make_tuple(builder, template, fields)

    return template(template, table, types.int64), codegen


class Frame:
    """A (nested) tuple of arrays and numbers laid out in memory for `unbind`; it keeps the arrays alive.

    Arrays must be C-contiguous; numbers are whole ones of 64 bits or floats.
    """

    def __init__(self, value: Any) -> None:
        self.type = type_of(value)
        self.holds = value
        self.memory = np.array(_words(value), dtype=np.uint64)
        self.address: int = self.memory.ctypes.data
        self.argument = self.address


def type_of(value: Any) -> Any:
    """The Numba type of a (nested) tuple; an array counts as C-contiguous and writable, as kernels treat it."""
    if isinstance(value, np.ndarray):
        return Borrowed(numba.from_dtype(value.dtype), value.ndim)
    if isinstance(value, tuple):
        if type(value) in _native_types:
            return native_type(type(value), tuple(map(type_of, _fields_as_hinted(value))))
        its_types = tuple(map(type_of, value))
        return types.NamedTuple(its_types, type(value)) if hasattr(value, "_fields") else types.Tuple(its_types)
    if isinstance(value, numbers.Real):
        return types.int64 if isinstance(value, numbers.Integral) else types.float64
    raise TypeError(f"a frame holds tuples, arrays and numbers only, not {value!r}")


def _words(value: Any) -> list[int]:
    """The 8-byte words of a value as Numba lays it out (an array: its owner and parent, left empty, then
    size, item size, data, shape, strides)."""
    if isinstance(value, np.ndarray):
        if not value.flags.c_contiguous:
            raise ValueError("a frame holds C-contiguous arrays only")
        address = value.__array_interface__["data"][0]
        return [0, 0, value.size, value.itemsize, address, *value.shape, *value.strides]
    if isinstance(value, tuple):
        elements = _fields_as_hinted(value) if type(value) in _native_types else value
        return [word for element in elements for word in _words(element)]
    number = struct.pack("<q", value) if type_of(value) is types.int64 else struct.pack("<d", value)
    return list(struct.unpack("<Q", number))


def entry(function: Compiled, *argument_types: Any) -> Any:
    """The bare C function of a compiled function for given types: it unpacks its arguments and runs, unchecked."""
    return function.dispatcher.compile(tuple(argument_types))
