# SPDX-License-Identifier: BSD-3-Clause
"""Kernel hypotheses in model files: supports, their coefficients, and what a budget remembers.

Supports stand in the order of their slots. ``born`` is the order in which they came, ``state`` a budget's account.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hinge import modelvalues as values
from hinge.kernel_engine import MANY, KernelEngine
from hinge.spaces.kernel import memory as slots
from hinge.spaces.kernel.budgets import Forgetron
from hinge.spaces.kernel.function import Kernel, check_kernel
from hinge.spaces.kernel.rows import DenseSupports, SparseSupports, dense_rows, sparse_rows

__all__ = ["TENSORS", "arrays", "check", "engine_of", "restore"]

Tensors = dict[str, "np.ndarray[Any, Any]"]
#: The tensors that only kernels have.
TENSORS = ("supports", "data", "indices", "indptr", "coefficients", "born", "numbers", "oldest", "factor")
#: Without supports a file may ask for so many lanes.
MOST_LANES = 1 << 20
#: Columns have numbers of 32 bits.
WIDEST = 2**31 - 1


def arrays(engine: KernelEngine) -> Tensors:
    """What a file has of a kernel engine."""
    n, supports = engine.count, engine.supports
    found = {
        "coefficients": _in_lanes(engine)[:n], "born": engine.born[:n], "state": engine.state, "totals": engine.totals,
    }  # fmt: skip
    if isinstance(supports, DenseSupports):
        found["supports"] = supports.X[:n, : engine.width]
    elif isinstance(supports, SparseSupports):
        rows = supports.view(0, n)
        sizes = rows.stops - rows.starts
        ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        taken = np.repeat(rows.starts - ends[:-1], sizes) + np.arange(ends[-1])
        found |= {"data": rows.data[taken], "indices": rows.indices[taken], "indptr": ends}
    if engine.similarity.kind == "precomputed":
        found["numbers"] = engine.numbers[:n]
    if isinstance(engine.budget, Forgetron):
        found["oldest"] = engine.oldest[:, :n]
    if hasattr(engine.budget, "ready"):
        found["factor"] = engine.factor[:n, :n]
    return {name: np.ascontiguousarray(array) for name, array in found.items()}


def _in_lanes(engine: KernelEngine) -> np.ndarray[Any, Any]:
    """A view of the coefficients: (supports, contenders, scores); with a mean twice as many, those of it last."""
    table = engine.alphas.reshape(engine.room, -1, engine.stride)
    view: np.ndarray[Any, Any] = table[..., : engine.scores_each()]
    return view


def engine_of(
    space: Kernel, task: Any, steps: Any, focus: Any, numbers: Any, *, labels: int, width: int, average: bool,
    tensors: Tensors,
) -> KernelEngine:  # fmt: skip
    """An engine without supports; raises TypeError or ValueError for what does not go together."""
    check_kernel(space)
    if width > WIDEST:
        raise ValueError(f"a kernel takes rows of up to {WIDEST} features, not of {width}")
    if space.budget is not None and (len(steps) > 1 or average):
        raise ValueError("a budget goes with one step and without a mean")
    lanes = len(steps) * max(2, task.lanes(labels))
    if lanes > max(MOST_LANES, tensors["coefficients"].size if "coefficients" in tensors else 0):
        raise ValueError(f"{len(steps)} steps of {task.lanes(labels)} scores each, but no coefficients for so many")
    return KernelEngine(task, steps, focus, numbers, space=space, labels=labels, width=width, average=average)


def check(engine: KernelEngine, tensors: Tensors) -> None:
    """Raise unless the arrays are those that rounds can leave behind (`modelfile` has looked at the account)."""
    number, F64 = engine.dtype, np.dtype(np.float64)
    n = len(tensors.get("coefficients", ()))
    wanted = {
        "coefficients": (number, (n, (1 + engine.average) * engine.contenders, engine.scores_each())),
        "born": (F64, (n,)), "state": (F64, (slots.STATE,)),
    }  # fmt: skip
    if "data" in tensors:
        stored = len(tensors["data"])
        wanted |= {"data": (number, (stored,)), "indices": (np.dtype(np.int32), (stored,)),
                   "indptr": (np.dtype(np.int64), (n + 1,))}  # fmt: skip
    elif "supports" in tensors or n:
        wanted["supports"] = (number, (n, engine.width))
    if engine.similarity.kind == "precomputed":
        wanted["numbers"] = (np.dtype(np.int64), (n,))
    if isinstance(engine.budget, Forgetron):
        wanted["oldest"] = (number, (len(engine.oldest), n))
    if hasattr(engine.budget, "ready"):
        wanted["factor"] = (F64, (n, n))
    for name, (kind, shape) in wanted.items():
        if name not in tensors:
            raise values.MissingTensor(f"it lacks the tensor {name!r}")
        found = tensors[name]
        if found.dtype != kind or found.shape != shape:
            raise values.BadTensor(
                f"its tensor {name!r} is {found.dtype} of shape {found.shape}; {kind} of shape {shape} was expected"
            )
        if found.dtype.kind == "f" and not np.isfinite(found).all():
            raise values.NotFinite(f"there is NaN or infinity in {name}")
    for name in tensors.keys() - wanted.keys() - {"totals", "features"}:
        raise values.UnknownTensor(f"it has a tensor {name!r}, which this learner has not")
    _check_rows(engine, tensors, n)
    _check_state(engine, tensors, n)


def _check_rows(engine: KernelEngine, tensors: Tensors, n: int) -> None:
    if "data" in tensors:
        ends, indices = tensors["indptr"], tensors["indices"]
        if ends[0] != 0 or ends[-1] != len(indices) or (np.diff(ends) < 0).any():
            raise values.BadState("the ends of its supports do not ascend from 0 to the number of their values")
        if len(indices) and not (indices.min() >= 0 and indices.max() < engine.width):
            raise values.BadState(f"a support has a column outside 0..{engine.width - 1}")
        owner = np.repeat(np.arange(n), np.diff(ends))
        order = np.lexsort((indices, owner))
        if ((np.diff(owner[order]) == 0) & (np.diff(indices[order]) == 0)).any():
            raise values.BadState("a support has a column twice")
        if engine.similarity.kind == "precomputed":
            raise values.BadState("rows of a precomputed kernel are dense")
    if "numbers" in tensors and n and not (tensors["numbers"].min() >= 0 and tensors["numbers"].max() < engine.width):
        raise values.BadState("a support has the number of no row")


def _check_state(engine: KernelEngine, tensors: Tensors, n: int) -> None:
    state, born, budget = tensors["state"], tensors["born"], engine.budget
    whole = [slots.COUNT, slots.MOVES, slots.HEAD, slots.CHUNK_AT, slots.CHUNK_STOP, slots.ARRIVALS, slots.RANDOM]
    if not ((state >= 0) | (np.arange(slots.STATE) == slots.DAMAGE)).all() or (state[whole] % 1).any():
        raise values.BadState("the budget's account holds what is no count")
    if (born % 1).any() or len(np.unique(born)) < n or (n and born.min() < 0):
        raise values.BadState("the order in which its supports came is none")
    if budget is None:
        if (born != np.arange(n)).any():
            raise values.BadState("the order in which its supports came is none")
        return
    size = budget.size or n
    if n > size or state[slots.COUNT] != n or (n and born.max() >= state[slots.ARRIVALS]):
        raise values.BadState(f"it has {n} supports, which do not fit its budget")
    chunk = len(engine.oldest)
    if state[slots.HEAD] >= max(1, size) or not state[slots.CHUNK_AT] <= state[slots.CHUNK_STOP] <= chunk:
        raise values.BadState("what its budget forgets next does not exist")
    if not state[slots.RANDOM] < slots.MODULUS or (state[slots.RANDOM] == 0) == hasattr(budget, "seed"):
        raise values.BadState("the state of its random numbers is none")
    if "factor" in tensors and not (np.diag(tensors["factor"]) > 0).all():
        raise values.BadState("the factor of its supports' Gram matrix is none")


def restore(engine: KernelEngine, tensors: Tensors) -> None:
    """Fill an engine with arrays that are known to be well (`check`)."""
    n = len(tensors["coefficients"])
    engine._make_room(n)
    engine.count, engine.announced = n, n > MANY
    _in_lanes(engine)[:n] = tensors["coefficients"]
    engine.born[:n] = tensors["born"]
    engine.state[...] = tensors["state"]
    engine.totals[...] = tensors["totals"]
    if "numbers" in tensors:
        engine.numbers[:n] = tensors["numbers"]
    if "data" in tensors:
        ends = tensors["indptr"]
        rows: Any = sparse_rows(tensors["data"], tensors["indices"], ends[:-1], ends[1:], engine.width)
        engine.supports = SparseSupports(engine.dtype)
    elif "supports" in tensors:
        rows = dense_rows(tensors["supports"])
        engine.supports = DenseSupports(engine.width, engine.dtype)
    else:
        return
    engine.supports.put(np.arange(n), rows)
    with np.errstate(all="ignore"):
        engine.sq_norms[:n] = engine.similarity.diagonal(rows, engine.numbers[:n])
    if "oldest" in tensors:
        engine.oldest[:, :n] = tensors["oldest"]
    if "factor" in tensors:
        engine.factor[:n, :n] = tensors["factor"]
