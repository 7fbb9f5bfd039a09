# SPDX-License-Identifier: BSD-3-Clause
"""Views of input: one row after another, dense or sparse (CSR), without a copy.

A row knows what a hypothesis asks of it: its product with weights, its squared norm, and how to be added to weights.
*One* hypothesis is a plain array of weights, one a feature, padded to a multiple of 16 so that dense rows are taken
sixteen numbers at a time. *Lanes* are several side by side: the weight of lane l for
feature j is ``weights[j * lanes + l]``, so that one cache line serves all; ``lanes`` is then a multiple of 8.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hinge.native import native
from hinge.vectors import add, add_product, load, load_first, prefetch, store, total, zeros

#: Rows whose indices are checked at a time: few enough to stay in the cache until they are learnt from.
CHUNK = 256

_FOUR, _EIGHT, _SIXTEEN = np.uint64(4), np.uint64(8), np.uint64(16)


@native
class SparseRow(NamedTuple):
    """The non-zeros ``start`` to ``stop`` of a sparse matrix; no index occurs twice."""

    data: Any
    indices: Any
    start: int
    stop: int

    def size(self) -> int:
        """How many of the numbers are not zero."""
        count = 0
        for i in range(np.uint64(self.start), np.uint64(self.stop)):
            count += self.data[i] != 0
        return count

    def regular(self, width: int) -> bool:
        """Whether the indices ascend from 0 to below the width."""
        before = np.int64(-1)
        for i in range(np.uint64(self.start), np.uint64(self.stop)):
            if self.indices[i] <= before:
                return False
            before = np.int64(self.indices[i])
        return bool(before < width)

    def dot(self, weights: Any) -> Any:
        """(w . x, ||x||²) for one hypothesis: four sums in turn, so that none waits for the one before."""
        data, indices = self.data, self.indices
        zero = data.dtype.type(0)
        s0, s1, s2, s3 = zero, zero, zero, zero
        q0, q1, q2, q3 = zero, zero, zero, zero
        start, stop = np.uint64(self.start), np.uint64(self.stop)
        whole = start + (stop - start) // _FOUR * _FOUR
        for i in range(start, whole, _FOUR):
            x0, x1, x2, x3 = data[i], data[i + np.uint64(1)], data[i + np.uint64(2)], data[i + np.uint64(3)]
            s0 += x0 * weights[np.uint64(indices[i])]
            s1 += x1 * weights[np.uint64(indices[i + np.uint64(1)])]
            s2 += x2 * weights[np.uint64(indices[i + np.uint64(2)])]
            s3 += x3 * weights[np.uint64(indices[i + np.uint64(3)])]
            q0 += x0 * x0
            q1 += x1 * x1
            q2 += x2 * x2
            q3 += x3 * x3
        for i in range(whole, stop):
            x0 = data[i]
            s0 += x0 * weights[np.uint64(indices[i])]
            q0 += x0 * x0
        return (s0 + s1) + (s2 + s3), (q0 + q1) + (q2 + q3)

    def sq_norm(self) -> Any:
        """||x||²."""
        data = self.data
        zero = data.dtype.type(0)
        q0, q1, q2, q3 = zero, zero, zero, zero
        start, stop = np.uint64(self.start), np.uint64(self.stop)
        whole = start + (stop - start) // _FOUR * _FOUR
        for i in range(start, whole, _FOUR):
            x0, x1, x2, x3 = data[i], data[i + np.uint64(1)], data[i + np.uint64(2)], data[i + np.uint64(3)]
            q0 += x0 * x0
            q1 += x1 * x1
            q2 += x2 * x2
            q3 += x3 * x3
        for i in range(whole, stop):
            q0 += data[i] * data[i]
        return (q0 + q1) + (q2 + q3)

    def add_to(self, weights: Any, coefficient: float) -> None:
        """w += coefficient x."""
        data, indices = self.data, self.indices
        step = weights.dtype.type(coefficient)
        for i in range(np.uint64(self.start), np.uint64(self.stop)):
            weights[np.uint64(indices[i])] += step * data[i]

    def add_to_lane(self, weights: Any, lanes: int, lane: int, coefficient: float) -> None:
        """w_lane += coefficient x, beside the other lanes."""
        data, indices = self.data, self.indices
        step = weights.dtype.type(coefficient)
        for i in range(np.uint64(self.start), np.uint64(self.stop)):
            weights[np.uint64(indices[i]) * np.uint64(lanes) + np.uint64(lane)] += step * data[i]

    def dot_panel(self, weights: Any, lanes: int, first: int, nothing: Any) -> Any:
        """w_l . x for the lanes from ``first`` on, as many as the zero vector ``nothing`` is wide."""
        data, indices = self.data, self.indices
        start, stop = np.uint64(self.start), np.uint64(self.stop)
        whole = start + (stop - start) // np.uint64(2) * np.uint64(2)
        even, odd = nothing, nothing
        for i in range(start, whole, np.uint64(2)):
            here = np.uint64(indices[i]) * np.uint64(lanes) + np.uint64(first)
            even = add_product(even, load(weights, here, nothing), data[i])
            there = np.uint64(indices[i + np.uint64(1)]) * np.uint64(lanes) + np.uint64(first)
            odd = add_product(odd, load(weights, there, nothing), data[i + np.uint64(1)])
        if whole < stop:
            here = np.uint64(indices[whole]) * np.uint64(lanes) + np.uint64(first)
            even = add_product(even, load(weights, here, nothing), data[whole])
        return add(even, odd)

    def add_to_panel(self, weights: Any, lanes: int, first: int, coefficients: Any) -> None:
        """w_l += coefficient_l x for the lanes from ``first`` on, one for each coefficient of the vector."""
        data, indices = self.data, self.indices
        for i in range(np.uint64(self.start), np.uint64(self.stop)):
            here = np.uint64(indices[i]) * np.uint64(lanes) + np.uint64(first)
            store(weights, here, add_product(load(weights, here, coefficients), coefficients, data[i]))

    def prefetch(self, weights: Any, lanes: int) -> None:
        """Ask for this row's weights, so that they are near when its turn comes."""
        indices = self.indices
        if lanes <= 16:
            for i in range(np.uint64(self.start), np.uint64(self.stop)):
                prefetch(weights, np.uint64(indices[i]) * np.uint64(lanes))
        else:
            for i in range(np.uint64(self.start), np.uint64(self.stop)):
                here = np.uint64(indices[i]) * np.uint64(lanes)
                for line in range(here, here + np.uint64(lanes), _SIXTEEN):
                    prefetch(weights, line)


@native
class DenseRow(NamedTuple):
    """The numbers ``start`` to ``stop`` of a dense matrix read row by row."""

    data: Any
    start: int
    stop: int

    def size(self) -> int:
        """How many of the numbers are not zero."""
        count = 0
        for i in range(np.uint64(self.start), np.uint64(self.stop)):
            count += self.data[i] != 0
        return count

    def dot(self, weights: Any) -> Any:
        """(w . x, ||x||²) for one hypothesis, sixteen features at a time."""
        data = self.data
        start, width = np.uint64(self.start), np.uint64(self.stop - self.start)
        score, norm = zeros(weights, 16), zeros(weights, 16)
        whole = width // _SIXTEEN * _SIXTEEN
        for j in range(np.uint64(0), whole, _SIXTEEN):
            x = load(data, start + j, score)
            score = add_product(score, load(weights, j, score), x)
            norm = add_product(norm, x, x)
        if whole < width:
            x = load_first(data, start + whole, width - whole, score)
            score = add_product(score, load(weights, whole, score), x)
            norm = add_product(norm, x, x)
        return total(score), total(norm)

    def sq_norm(self) -> Any:
        """||x||²."""
        data = self.data
        start, width = np.uint64(self.start), np.uint64(self.stop - self.start)
        norm = zeros(data, 16)
        whole = width // _SIXTEEN * _SIXTEEN
        for j in range(np.uint64(0), whole, _SIXTEEN):
            x = load(data, start + j, norm)
            norm = add_product(norm, x, x)
        if whole < width:
            x = load_first(data, start + whole, width - whole, norm)
            norm = add_product(norm, x, x)
        return total(norm)

    def add_to(self, weights: Any, coefficient: float) -> None:
        """w += coefficient x."""
        data = self.data
        step = weights.dtype.type(coefficient)
        start, width = np.uint64(self.start), np.uint64(self.stop - self.start)
        like = zeros(weights, 16)
        whole = width // _SIXTEEN * _SIXTEEN
        for j in range(np.uint64(0), whole, _SIXTEEN):
            store(weights, j, add_product(load(weights, j, like), load(data, start + j, like), step))
        if whole < width:
            x = load_first(data, start + whole, width - whole, like)
            store(weights, whole, add_product(load(weights, whole, like), x, step))

    def add_to_lane(self, weights: Any, lanes: int, lane: int, coefficient: float) -> None:
        """w_lane += coefficient x, beside the other lanes."""
        data = self.data
        step = weights.dtype.type(coefficient)
        start = np.uint64(self.start)
        here = np.uint64(lane)
        for j in range(np.uint64(0), np.uint64(self.stop - self.start)):
            weights[here] += step * data[start + j]
            here += np.uint64(lanes)

    def dot_panel(self, weights: Any, lanes: int, first: int, nothing: Any) -> Any:
        """w_l . x for the lanes from ``first`` on, as many as the zero vector ``nothing`` is wide."""
        data = self.data
        start, width, across = np.uint64(self.start), np.uint64(self.stop - self.start), np.uint64(lanes)
        whole = width // _FOUR * _FOUR
        t0, t1, t2, t3 = nothing, nothing, nothing, nothing
        here = np.uint64(first)
        for j in range(start, start + whole, _FOUR):
            t0 = add_product(t0, load(weights, here, nothing), data[j])
            t1 = add_product(t1, load(weights, here + across, nothing), data[j + np.uint64(1)])
            t2 = add_product(t2, load(weights, here + np.uint64(2) * across, nothing), data[j + np.uint64(2)])
            t3 = add_product(t3, load(weights, here + np.uint64(3) * across, nothing), data[j + np.uint64(3)])
            here += _FOUR * across
        for j in range(start + whole, start + width):
            t0 = add_product(t0, load(weights, here, nothing), data[j])
            here += across
        return add(add(t0, t1), add(t2, t3))

    def add_to_panel(self, weights: Any, lanes: int, first: int, coefficients: Any) -> None:
        """w_l += coefficient_l x for the lanes from ``first`` on, one for each coefficient of the vector."""
        data = self.data
        here = np.uint64(first)
        for j in range(np.uint64(self.start), np.uint64(self.stop)):
            store(weights, here, add_product(load(weights, here, coefficients), coefficients, data[j]))
            here += np.uint64(lanes)

    def prefetch(self, weights: Any, lanes: int) -> None:
        """A dense row uses all weights in order; the processor sees that by itself."""


@native
class Sparse(NamedTuple):
    """A CSR matrix: row t has the non-zeros ``indptr[t]`` to ``indptr[t + 1]``."""

    data: Any
    indices: Any
    indptr: Any
    width: int

    def row(self, t: int) -> SparseRow:
        """Row t."""
        return SparseRow(self.data, self.indices, self.indptr[t], self.indptr[t + 1])

    def first_irregular(self, start: int, stop: int) -> int:
        """The first row of start..stop whose indices do not ascend from 0 to below the width; stop if all do.

        Descents are counted in one sweep over all rows, which the processor does many at a time, and then compared
        with those between rows, where they are allowed.
        """
        indices, indptr = self.indices, self.indptr
        descents = 0
        for i in range(np.uint64(indptr[start]) + np.uint64(1), np.uint64(indptr[stop])):
            descents += indices[i - np.uint64(1)] >= indices[i]
        between = 0
        beyond = False
        for t in range(start, stop):
            first, last = indptr[t], indptr[t + 1] - 1
            if first <= last:
                beyond |= indices[first] < 0 or indices[last] >= self.width
                if first > indptr[start]:
                    between += indices[first - 1] >= indices[first]
        if descents == between and not beyond:
            return stop
        for t in range(start, stop):
            for i in range(indptr[t], indptr[t + 1]):
                ascends = i == indptr[t] or indices[i - 1] < indices[i]
                if not ascends or indices[i] < 0 or indices[i] >= self.width:
                    return t
        return stop


@native
class Dense(NamedTuple):
    """A dense matrix, its rows end to end in one array."""

    data: Any
    width: int

    def row(self, t: int) -> DenseRow:
        """Row t."""
        return DenseRow(self.data, t * self.width, (t + 1) * self.width)

    def first_irregular(self, start: int, stop: int) -> int:
        """A dense row has no indices that could be wrong."""
        return stop
