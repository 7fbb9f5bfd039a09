# SPDX-License-Identifier: BSD-3-Clause
"""What `hinge.vectors` says, for the compiler: explicit vectors of LLVM as a Numba type."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.core.errors import RequireLiteralValue
from numba.core.extending import intrinsic, register_model
from numba.np.arrayobj import make_array


class Vector(types.Type):  # type: ignore[misc]
    """``width`` numbers of one kind in registers."""

    def __init__(self, dtype: Any, width: int) -> None:
        self.dtype, self.width = dtype, width
        super().__init__(f"Vector({dtype}, {width})")


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, its_type: Vector) -> None:
        super().__init__(
            manager, its_type, ir.VectorType(manager.lookup(its_type.dtype).get_value_type(), its_type.width)
        )


def _splat(builder: Any, value: Any, width: int) -> Any:
    """A vector that repeats one number."""
    vector = ir.VectorType(value.type, width)
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
    indices = ir.Constant(ir.VectorType(ir.IntType(32), width), [0] * width)
    return builder.shuffle_vector(first, ir.Constant(vector, ir.Undefined), indices)


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, offset: Any, element: Any) -> Any:
    data = make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [offset]), element.as_pointer())


def _alignment(array_type: Any) -> int:
    return int(array_type.dtype.bitwidth // 8)


@intrinsic
def zeros(typingctx: Any, like: Any, width: Any) -> Any:
    """`hinge.vectors.zeros`."""
    if not isinstance(width, types.IntegerLiteral):
        raise RequireLiteralValue("the width of a vector is written out")
    vector = Vector(like.dtype, width.literal_value)

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.get_constant_null(signature.return_type)

    return vector(like, width), codegen


@intrinsic
def load(typingctx: Any, array: Any, offset: Any, like: Any) -> Any:
    """`hinge.vectors.load`."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = context.get_value_type(like)
        pointer = _pointer(context, builder, array, arguments[0], arguments[1], vector)
        return builder.load(pointer, align=_alignment(array))

    return like(array, offset, like), codegen


@intrinsic
def load_first(typingctx: Any, array: Any, offset: Any, count: Any, like: Any) -> Any:
    """`hinge.vectors.load_first`."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector, number = context.get_value_type(like), ir.IntType(32)
        pointer = _pointer(context, builder, array, arguments[0], arguments[1], vector)
        wide = arguments[2].type
        place = ir.Constant(ir.VectorType(wide, like.width), list(range(like.width)))
        wanted = builder.icmp_unsigned("<", place, _splat(builder, arguments[2], like.width))
        kind = ir.FunctionType(vector, [pointer.type, number, wanted.type, vector])
        letter = {32: "f32", 64: "f64"}[array.dtype.bitwidth]
        name = f"llvm.masked.load.v{like.width}{letter}.p0v{like.width}{letter}"
        function = cgutils.get_or_insert_function(builder.module, kind, name)
        alignment = ir.Constant(number, _alignment(array))
        return builder.call(function, [pointer, alignment, wanted, ir.Constant(vector, None)])

    return like(array, offset, count, like), codegen


@intrinsic
def store(typingctx: Any, array: Any, offset: Any, vector: Any) -> Any:
    """`hinge.vectors.store`."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _pointer(context, builder, array, arguments[0], arguments[1], arguments[2].type)
        builder.store(arguments[2], pointer, align=_alignment(array))
        return context.get_dummy_value()

    return types.void(array, offset, vector), codegen


@intrinsic
def add_product(typingctx: Any, total: Any, vector: Any, factor: Any) -> Any:
    """`hinge.vectors.add_product`."""
    wanted = total if isinstance(factor, Vector) else total.dtype

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        base, numbers, by = arguments
        if not isinstance(factor, Vector):
            by = _splat(builder, by, total.width)
        return builder.fadd(base, builder.fmul(numbers, by))

    return total(total, vector, wanted), codegen


@intrinsic
def add(typingctx: Any, one: Any, other: Any) -> Any:
    """`hinge.vectors.add`."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fadd(*arguments)

    return one(one, other), codegen


@intrinsic
def total(typingctx: Any, vector: Any) -> Any:
    """`hinge.vectors.total`."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        numbers, width = arguments[0], vector.width
        while width > 1:
            width //= 2
            nothing = ir.Constant(numbers.type, ir.Undefined)
            places = ir.VectorType(ir.IntType(32), width)
            low = builder.shuffle_vector(numbers, nothing, ir.Constant(places, list(range(width))))
            high = builder.shuffle_vector(numbers, nothing, ir.Constant(places, list(range(width, 2 * width))))
            numbers = builder.fadd(low, high)
        return builder.extract_element(numbers, ir.Constant(ir.IntType(32), 0))

    return vector.dtype(vector), codegen


@intrinsic
def prefetch(typingctx: Any, array: Any, offset: Any) -> Any:
    """`hinge.vectors.prefetch`."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte_pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        pointer = _pointer(context, builder, array, arguments[0], arguments[1], ir.IntType(8))
        kind = ir.FunctionType(ir.VoidType(), [byte_pointer, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        for_reading, keep_near, data = (ir.Constant(number, value) for value in (0, 3, 1))
        builder.call(function, [pointer, for_reading, keep_near, data])
        return context.get_dummy_value()

    return types.void(array, offset), codegen
