# SPDX-License-Identifier: BSD-3-Clause
"""What `hinge.dicts` says, for the compiler: Python's own dicts and numbers, read through its C interface."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.core.extending import intrinsic, register_model, unbox
from numba.core.pythonapi import NativeValue

_POINTER, _WORD, _NUMBER, _FLAG = ir.IntType(8).as_pointer(), ir.IntType(64), ir.DoubleType(), ir.IntType(32)


class Object(types.Type):  # type: ignore[misc]
    """Any Python object, borrowed for one call that holds the GIL."""

    def __init__(self) -> None:
        super().__init__("borrowed object")


@register_model(Object)
class _ObjectModel(models.OpaqueModel):  # type: ignore[misc]
    pass


@unbox(Object)
def _unbox_object(typ: Any, obj: Any, c: Any) -> Any:
    return NativeValue(obj)


def _python(builder: Any, name: str, result: Any, *arguments: Any) -> Any:
    """Call a function of Python's C interface."""
    kind = ir.FunctionType(result, [argument.type for argument in arguments])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), arguments)


@intrinsic
def next_item(typingctx: Any, mapping: Any, position: Any) -> Any:
    """`hinge.dicts.next_item`."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = cgutils.alloca_once_value(builder, arguments[1])
        key, value = cgutils.alloca_once(builder, _POINTER), cgutils.alloca_once(builder, _POINTER)
        more = _python(builder, "PyDict_Next", _FLAG, arguments[0], place, key, value)
        more = builder.icmp_signed("!=", more, ir.Constant(_FLAG, 0))
        items = [more, builder.load(place), builder.load(key), builder.load(value)]
        return context.make_tuple(builder, signature.return_type, items)

    answer = types.Tuple((types.boolean, types.int64, types.voidptr, types.voidptr))
    return answer(mapping, types.int64), codegen


@intrinsic
def column_of(typingctx: Any, columns: Any, key: Any) -> Any:
    """`hinge.dicts.column_of`."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        found = _python(builder, "PyDict_GetItemWithError", _POINTER, *arguments)
        answer = cgutils.alloca_once_value(builder, ir.Constant(_WORD, -1))
        with builder.if_else(cgutils.is_null(builder, found)) as (missing, there):
            with missing:
                _python(builder, "PyErr_Clear", ir.VoidType())
            with there:
                builder.store(_python(builder, "PyLong_AsSsize_t", _WORD, found), answer)
        return builder.load(answer)

    return types.int64(columns, types.voidptr), codegen


@intrinsic
def as_number(typingctx: Any, value: Any) -> Any:
    """`hinge.dicts.as_number`."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number = _python(builder, "PyFloat_AsDouble", _NUMBER, arguments[0])
        answer = cgutils.alloca_once_value(builder, number)
        with builder.if_then(builder.fcmp_ordered("==", number, ir.Constant(_NUMBER, -1.0)), likely=False):
            error = _python(builder, "PyErr_Occurred", _POINTER)
            with builder.if_then(cgutils.is_not_null(builder, error)):
                _python(builder, "PyErr_Clear", ir.VoidType())
                builder.store(ir.Constant(_NUMBER, float("nan")), answer)
        return builder.load(answer)

    return types.float64(types.voidptr), codegen
