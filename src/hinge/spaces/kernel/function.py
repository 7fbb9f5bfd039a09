# SPDX-License-Identifier: BSD-3-Clause
"""Kernels: w = sum_i alpha_i K(x_i, .), every product of rows replaced by K ([PA06] 3, [OL] 5)."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import inspect
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from hinge.native import Compiled, compiled
from hinge.native import kernel as made_ready
from hinge.spaces.kernel.budgets import check_budget
from hinge.spaces.kernel.rows import Array, Rows, SparseRows, SparseTable

FUNCTIONS = ("linear", "poly", "rbf", "sigmoid", "precomputed")
#: Kernel values computed at a time, in supports: few enough that a tile of them stays in the processor's cache.
TILE = 1024
#: Rows that are looked ahead: of dense ones, of sparse ones, where a compiled function takes rows, where Python does.
AHEAD = {"dense": 256, "sparse": 64, "rows": 16, "python": 1}


class Kernel(NamedTuple):
    """The space of hypotheses sum_i alpha_i K(x_i, .): supports x_i with one coefficient a lane, no intercept.

    ``function`` is one of

    - "linear": x.z
    - "poly": (gamma x.z + coef0)^degree
    - "rbf": exp(-gamma ||x - z||²)
    - "sigmoid": tanh(gamma x.z + coef0); it is no kernel for all parameters, and rows with K(x, x) <= 0 move nothing
    - "precomputed": row t of the stream holds K(x_t, x_s) in column s, for every row s of the stream so far
    - a function K(x, z) of two rows as 1-D arrays; under ``@hinge.compiled`` it is compiled
    - a function f(dot, q, r) under ``@hinge.compiled``, of x.z, ||x||² and ||z||²: as fast as what is built in

    ``budget`` keeps the supports few: `RandomBudget`, `Forgetron`, `Projectron`, `ProjectronPlus`, `BudgetPA`.

    >>> import hinge
    >>> clf = hinge.Classifier(hinge.PA(), space=hinge.Kernel("poly", degree=2))
    >>> clf = clf.partial_fit([[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [-1.0, 1.0]], ["same", "other", "same", "other"])
    >>> clf.predict([[2.0, 3.0], [3.0, -2.0]]).tolist()
    ['same', 'other']
    """

    function: Any = "rbf"
    gamma: float = 1.0
    degree: int = 3
    coef0: float = 0.0
    budget: Any = None


def check_kernel(kernel: Any) -> None:
    """Raise a clear error unless the kernel is one that can be computed."""
    function = kernel.function
    if isinstance(function, str):
        if function not in FUNCTIONS:
            close = difflib.get_close_matches(function, FUNCTIONS, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise ValueError(f"no kernel is called {function!r}; there are {', '.join(FUNCTIONS)}.{hint}")
    elif not callable(function) or isinstance(function, type):
        raise TypeError(
            f"a kernel is one of {', '.join(FUNCTIONS)}, or a function K(x, z) of two rows; got {function!r}"
        )
    elif isinstance(function, Compiled) and _arguments(function) not in (2, 3):
        raise TypeError(
            "a compiled kernel is a function K(x, z) of two rows, or f(dot, q, r) of their product and squared norms; "
            f"{function.__qualname__} takes {_arguments(function)} arguments."
        )
    for name in ("gamma", "coef0", "degree"):
        value = getattr(kernel, name)
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.number)):
            raise TypeError(f"{name} of a kernel must be a number, got {value!r}")
        if not math.isfinite(value):
            raise ValueError(f"{name} of a kernel must be a finite number, got {value!r}")
    if kernel.gamma <= 0:
        raise ValueError(f"gamma of a kernel must be above 0, got {kernel.gamma!r}")
    if kernel.degree < 1 or kernel.degree != int(kernel.degree):
        raise ValueError(f"degree of a kernel must be a whole number from 1 on, got {kernel.degree!r}")
    check_budget(kernel.budget)


def _arguments(function: Compiled) -> int:
    return len(inspect.signature(function.py_func).parameters)


class Similarity:
    """The values of one kernel for rows of one kind of number."""

    def __init__(self, kernel: Kernel, dtype: Any) -> None:
        self.kernel, self.dtype = kernel, np.dtype(dtype)
        self.where = np.zeros(0, np.int32)
        function = kernel.function
        self.kind = function if isinstance(function, str) else "python"
        if isinstance(function, Compiled):
            self.kind = "rows" if _arguments(function) == 2 else "scalar"

    def ahead(self, block_is_sparse: bool) -> int:
        """How many rows are looked ahead."""
        return AHEAD[self.kind] if self.kind in AHEAD else AHEAD["sparse" if block_is_sparse else "dense"]

    def diagonal(self, block: Rows, numbers: Array) -> Array:
        """K(x, x) of every row."""
        if self.kind == "rbf":
            return np.ones(len(block), self.dtype)
        if self.kind == "precomputed":
            return block.dense()[np.arange(len(block)), numbers]
        if self.kind in ("python", "rows"):
            X = block.dense()
            return np.array([self._of_rows(x[None], x[None])[0, 0] for x in X], self.dtype).reshape(len(X))
        q = block.q.astype(self.dtype, copy=True)
        return self._of_products(q[:, None], block.q, block.q, paired=True)[:, 0]

    def between(self, block: Rows, rows: Rows, numbers: Array) -> Array:
        """K(x, z) for all rows of two blocks; ``numbers`` are those of the second block's rows in their stream."""
        if self.kind == "precomputed":
            return block.dense()[:, numbers]
        if self.kind in ("python", "rows"):
            return self._of_rows(block.dense(), _as_wide(rows, block))
        if isinstance(block, SparseRows):
            table = self.table(block)
            try:
                return self._of_products(table.dots(rows), block.q, rows.q)  # type: ignore[arg-type]
            finally:
                table.close()
        return self._of_products(block.X @ rows.X.T, block.q, rows.q)  # type: ignore[union-attr]

    def table(self, block: SparseRows) -> SparseTable:
        """The block laid out for products."""
        if len(self.where) < block.width:
            self.where = np.zeros(max(block.width, 2 * len(self.where)), np.int32)
        return SparseTable(block, self.where)

    def tiles(self, block: Rows, supports: Any, count: int, numbers: Array, each: Callable[..., None]) -> None:
        """Call ``each(start, stop, values)`` for all supports, a tile of them at a time."""
        table = self.table(block) if isinstance(block, SparseRows) and self._by_products else None
        try:
            for start in range(0, count, TILE):
                stop = min(count, start + TILE)
                rows = supports.view(start, stop)
                if table is not None:
                    values = self._of_products(table.dots(rows), block.q, rows.q)
                else:
                    values = self.between(block, rows, numbers[start:stop])
                each(start, stop, values)
        finally:
            if table is not None:
                table.close()

    @property
    def _by_products(self) -> bool:
        return self.kind not in ("python", "rows", "precomputed")

    def _of_products(self, values: Array, q: Array, r: Array, paired: bool = False) -> Array:
        """K from x.z, ||x||² and ||z||², in place; ``paired``: one column, row i of both belong together."""
        _, gamma, degree, coef0, _ = self.kernel
        gamma, coef0 = float(gamma), float(coef0)
        if self.kind == "poly":
            _scale(values, gamma, coef0)
            _raise(values, int(degree))
        elif self.kind == "sigmoid":
            _scale(values, gamma, coef0)
            np.tanh(values, out=values)
        elif self.kind == "rbf":
            values *= 2.0 * gamma
            values -= (gamma * q)[:, None]
            values -= gamma * r
            np.minimum(values, 0.0, out=values)  # where rounding makes a distance negative
            np.exp(values, out=values)
        elif self.kind == "scalar":
            values = np.ascontiguousarray(values)
            arguments = (values, np.ascontiguousarray(q), np.ascontiguousarray(r), int(paired))
            function = _elementwise(self.kernel.function)
            made_ready(function, *arguments)(*arguments)
        return values

    def _of_rows(self, X: Array, Z: Array) -> Array:
        values = np.zeros((len(X), len(Z)), self.dtype)
        if self.kind == "rows":
            arguments = (np.ascontiguousarray(X), np.ascontiguousarray(Z), values)
            made_ready(_rowwise(self.kernel.function), *arguments)(*arguments)
            return values
        function = self.kernel.function
        for i, x in enumerate(X):
            for j, z in enumerate(Z):
                value = function(x, z)
                try:
                    values[i, j] = value
                except (TypeError, ValueError):
                    raise TypeError(
                        f"the kernel function must answer with a number for two rows (1-D arrays); it gave {value!r}"
                    ) from None
        return values


def _as_wide(rows: Rows, like: Rows) -> Array:
    """Rows as a matrix as wide as another block."""
    if isinstance(rows, SparseRows) and isinstance(like, SparseRows):
        return dataclasses.replace(rows, width=like.width).dense()
    return rows.dense()


def _scale(values: Array, gamma: float, coef0: float) -> None:
    if gamma != 1:
        values *= gamma
    if coef0 != 0:
        values += coef0


def _raise(values: Array, degree: int) -> None:
    """values ** degree by repeated squaring, in place: some ten times faster than a general power."""
    while degree % 2 == 0:
        np.multiply(values, values, out=values)
        degree //= 2
    degree //= 2
    squares = None
    while degree:
        squares = values * values if squares is None else np.multiply(squares, squares, out=squares)
        if degree % 2:
            values *= squares
        degree //= 2


@functools.lru_cache(maxsize=64)
def _elementwise(function: Compiled) -> Compiled:
    """A loop around a function f(dot, q, r)."""

    def apply(values: Any, q: Any, r: Any, paired: int) -> int:
        for i in range(values.shape[0]):
            for j in range(values.shape[1]):
                values[i, j] = function(values[i, j], q[i], r[i if paired > 0 else j])
        return 0

    return compiled(apply)


@functools.lru_cache(maxsize=64)
def _rowwise(function: Compiled) -> Compiled:
    """A loop around a function K(x, z) of rows."""

    def apply(X: Any, Z: Any, values: Any) -> int:
        for i in range(values.shape[0]):
            for j in range(values.shape[1]):
                values[i, j] = function(X[i], Z[j])
        return 0

    return compiled(apply)
