# SPDX-License-Identifier: BSD-3-Clause
"""Kernel hypotheses under way: blocks of rows are looked ahead, so that kernel values come from matrix products.

For a block of coming rows the kernel values with all supports are computed at once, and those among the rows
themselves; then a compiled pass goes through the block row by row (`hinge.round.learn_round`) and adds what the block's
own moves contribute. So the result is that of one row at a time: the same decisions, scores to rounding. It is not
the same to the last bit, since a matrix product sums in another order than a product of one row; where a loss of 0 or
a tie hangs on the last bit, it may be decided otherwise.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from hinge import round as rounds
from hinge.engine import Engine, Record
from hinge.inputs import Table
from hinge.native import compiled, kernel, unbind
from hinge.native import frame as framed
from hinge.rows import Sparse
from hinge.spaces.kernel import memory as slots
from hinge.spaces.kernel.budgets import Forgetron, RandomBudget
from hinge.spaces.kernel.function import Kernel, Similarity
from hinge.spaces.kernel.memory import Bounded, Growing, Memory
from hinge.spaces.kernel.rows import FIRST, DenseSupports, Rows, SparseSupports, dense_rows, sparse_rows
from hinge.tasks.binary import Binary

#: So many supports without a budget are announced, once a learner.
MANY = 2_000
#: The fewest rows looked ahead; and the most kernel values that a block with a budget may have.
FEWEST, VALUES = 32, 1 << 22
#: So many of the oldest supports' kernel values with all others a Forgetron computes at a time.
CHUNK = 32
#: Why the pass stopped, beside what `hinge.round` has: the budget waits for kernel values.
WAITS = 100

_NONE = np.zeros(0)


class GrowthWarning(UserWarning):
    """A learner's supports grow, and with them the time of every round: set a budget."""


@compiled(inline=True)
def _learn(machine: Any, row: int, truth: Any, weight: float, novel: int) -> Any:
    """One round, and what a budget has to say to it."""
    space, task, totals, taken = machine.space, machine.task, machine.totals, machine.taken
    gave_up = space.gave_up()
    dual, squares = totals[0, rounds.DUAL], totals[0, rounds.SQUARES]
    why, prediction, loss, mistake = rounds.learn_round(machine, row, truth, weight, novel)
    if why == rounds.DONE:
        if space.nudging() and taken[0, rounds.UPDATES] == 0 and taken[0, rounds.LOSS] > 0 and weight > 0:
            seen = task.predict(machine.scores, 0, machine.labels)
            worst = task.worst(machine.scores, 0, machine.labels, truth, seen)
            space.nudge(row, worst.up, worst.down, worst.required - worst.margin, weight)
        if gave_up:  # the dual value is that of the rounds before
            totals[0, rounds.DUAL] = dual
            totals[0, rounds.SQUARES] = squares
    return why, prediction, loss, mistake


@compiled
def learn_block(machine_bound: Any, batch_bound: Any, start: int, stop: int, novel: int) -> Any:
    """Rounds start..stop of a block: (how many were done, why it stopped there)."""
    machine, batch = unbind(machine_bound), unbind(batch_bound)
    for t in range(start, stop):
        if machine.space.waits():
            return t, WAITS
        weight = batch.weights[t] if batch.weights.size > 0 else 1.0
        truth = machine.form.begin(batch.truths, t, machine.labels)
        why, prediction, loss, mistake = _learn(machine, t, truth, weight, novel)
        if why != rounds.DONE:
            return t, why
        if batch.losses.size > 0:
            machine.form.keep(batch.predictions, t, prediction)
            batch.losses[t] = loss
            batch.flags[t] = mistake + 2 * (1 if novel > 0 else 0)
    return stop, rounds.DONE


@compiled
def learn_alone(machine_bound: Any, truth: Any, weight: float, novel: int) -> int:
    """One round with a block of one row: why it stopped."""
    machine = unbind(machine_bound)
    if machine.space.waits():
        return WAITS
    return int(_learn(machine, 0, machine.form.alone(truth, machine.labels), weight, novel)[0])


@compiled
def predict_row(machine_bound: Any, row: int) -> Any:
    """What the leader predicts for one row of a block; its scores are left in the machine. (Why, prediction.)"""
    machine = unbind(machine_bound)
    number = machine.totals[0, rounds.ROUNDS]
    if machine.averages > 0 and number > 0:
        machine.space.score_mean(row, machine.scores, machine.coefficients, number)
    else:
        machine.space.score(row, machine.scores)
    first = rounds.leader(machine.totals) * machine.stride
    return rounds.DONE, machine.form.told(machine.task.predict(machine.scores, first, machine.labels))


def _blamed(why: int) -> int:
    """Rows are looked at before they come here: what is not finite is what the kernel made of them."""
    return int(rounds.TOO_LARGE if why == rounds.NOT_FINITE else why)


class KernelEngine(Engine):
    """Supports with coefficients in lanes: without a budget in order of arrival, with one in slots."""

    arrays = ("totals", "measures")
    alphas: Any
    numbers: Any
    sq_norms: Any
    born: Any
    oldest: Any
    factor: Any

    def __init__(
        self, task: Any, steps: Sequence[Any], focus: Any, dtype: Any, *, space: Kernel, labels: int, width: int,
        average: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(task, steps, focus, dtype, labels)
        self.kernel, self.width, self.average = space, width, average
        self.stride = self.scores_each()
        self.count = 0
        self.announced = False
        #: Dense or sparse, as the first rows are.
        self.supports: DenseSupports | SparseSupports | None = None
        self.state = np.zeros(slots.STATE)
        if isinstance(space.budget, RandomBudget):
            self.state[slots.RANDOM] = space.budget.seed
        self._allocate(max(1, min(FIRST, VALUES // self.columns)))
        self.similarity = Similarity(space, dtype)
        self.prepare()

    # ------------------------------------------------------------------------------- memory

    def scores_each(self) -> int:
        """Scores of one contender."""
        lanes = int(self.task.lanes(self.labels))
        return lanes if self.task.lanes(2) == 1 else max(2, lanes)

    def score_lanes(self) -> int:
        """All lanes."""
        return self.stride * self.contenders

    @property
    def budget(self) -> Any:
        """What keeps the supports few, or None."""
        return self.kernel.budget

    @property
    def columns(self) -> int:
        """The coefficients of a support: with the mean hypothesis twice as many as there are lanes."""
        return self.score_lanes() * (1 + self.average)

    def _allocate(self, room: int) -> None:
        """Room for supports; what there is comes along."""
        n = self.count
        old = dict(self.__dict__)
        self.room = room
        makes = {
            "alphas": np.zeros((room, self.columns), self.dtype), "numbers": np.zeros(room, np.int64),
            "sq_norms": np.zeros(room, self.dtype), "born": np.zeros(room),
        }  # fmt: skip
        for name, made in makes.items():
            if n:
                made[:n] = old[name][:n]
        forgets = isinstance(self.budget, Forgetron)
        makes["oldest"] = np.zeros((min(CHUNK, self.budget.size), room) if forgets else (1, 1), self.dtype)
        projects = hasattr(self.budget, "ready")
        makes["factor"] = np.zeros((room, room) if projects else (1, 1))
        if projects and n:
            makes["factor"][:n, :n] = old["factor"][:n, :n]
        self.__dict__.update(makes)

    def prepare(self) -> None:
        """Lay the machine out anew, with room for a block."""
        most = max(1, min(self.similarity.ahead(False), VALUES // self.columns))
        bounded = self.budget is not None
        if bounded:
            most = max(1, min(most, VALUES // self.room))
        self.most = most
        self.gram, self.diagonal = np.zeros((most, most), self.dtype), np.zeros(most, self.dtype)
        self.base = np.zeros((most, 1 if bounded else self.columns), self.dtype)
        self.values = np.zeros((most, self.room) if bounded else (1, 1), self.dtype)
        self.fresh, self.places = np.zeros_like(self.base), np.zeros(most, np.int64)
        self.made = np.zeros(1, np.int64)
        self.owner = np.full(self.room, -1, np.int64)
        self.solved = np.zeros((2, self.room if hasattr(self.budget, "ready") else 1))
        self._nothing = self.new_record(0)
        super().prepare()

    def space(self) -> Any:
        """Supports that only grow, or slots and a budget."""
        if self.budget is None:
            return Growing(self.base, self.gram, self.diagonal, self.fresh, self.places, self.made)
        memory = Memory(
            self.values, self.gram, self.diagonal, self.alphas, self.sq_norms, self.born, self.owner, self.oldest,
            self.factor, self.solved, self.state, self.made,
        )  # fmt: skip
        budget = self.budget
        return Bounded(memory, budget.ready(self.dtype) if hasattr(budget, "ready") else budget)

    def grow_features(self, width: int) -> None:
        """Supports are as wide as the rows they are compared with."""
        self.width = max(self.width, width)

    def grow_labels(self, labels: int, task: Any) -> None:
        """Make room for labels, which are the task's from now on.

        A binary hypothesis becomes two of opposite sign, half each: the same margins.
        """
        was_binary = isinstance(self.task, Binary) and not isinstance(task, Binary)
        old = self.stride
        self.labels, self.task = labels, task
        if was_binary or self.scores_each() > old:
            before = self.alphas.reshape(self.room, -1, old)
            self.stride = self.scores_each() if was_binary else max(self.scores_each(), old * 5 // 4)
            after = np.zeros((self.room, before.shape[1], self.stride), self.dtype)
            if was_binary:
                after[:, :, 0], after[:, :, 1] = 0.0 - 0.5 * before[:, :, 0], 0.5 * before[:, :, 0]
                self.totals[:, [rounds.DUAL, rounds.PRICE]] *= 0.5  # as of `LinearEngine`: lambda counts half
                self.totals[:, rounds.SQUARES] *= 0.25
            else:
                after[:, :, :old] = before
            self.alphas = after.reshape(self.room, -1)
        self.prepare()

    # ------------------------------------------------------------------------------- learning

    def learn(
        self, table: Table, truths: Any, weights: Any, start: int, stop: int, novel: int = 0,
        record: Record | None = None,
    ) -> None:  # fmt: skip
        """Rounds start..stop. Raises for a bad row; whoever calls then puts the engine back."""
        for first, last, view in table.pieces(self.dtype, start, stop):
            done = first
            while done < last:
                until = min(last, done + self._ahead(isinstance(view, Sparse)))
                block, until, why = self._block(table, view, first, done, until)
                if until > done:
                    part = slice(done, until)
                    taken = _NONE if weights is None else weights[part]
                    kept = self._nothing if record is None else Record(*(column[part] for column in record))
                    learnt, why_not = self._learn_rows(block, truths[part], taken, kept, novel)
                    if why_not != rounds.DONE:
                        self.refuse(table, done + learnt, why_not)
                    done = until
                if why != rounds.DONE:
                    self.refuse(table, done, why)
        self._announce()

    def _ahead(self, sparse: bool) -> int:
        """How many rows to look ahead: few while supports are few, or their own products would be most of the work."""
        rows = min(self.most, self.similarity.ahead(sparse), max(FEWEST, self.count // 2))
        if self.budget is not None:
            self._make_room(self.count + rows)  # which may leave less room for rows
        return min(rows, self.most)

    def _block(self, table: Table, view: Any, first: int, start: int, stop: int) -> tuple[Any, int, int]:
        """Rows start..stop of a view whose row 0 is ``first``, up to a bad one: (rows, their end, why they end)."""
        if isinstance(view, Sparse):
            framed_view = framed(view)
            ready = kernel(rounds.check_rows, framed_view, 0, 0)
            _, why = ready(framed_view.argument, start - first, stop - first)
            begin = start - first
            if why == rounds.IRREGULAR:
                view, begin = table.tidy(self.dtype, start, stop), 0
            ends = np.asarray(view.indptr[begin : begin + stop - start + 1])
            indices = view.indices if view.indices.dtype == np.int32 else view.indices.astype(np.int32)
            rows: Rows = sparse_rows(view.data, indices, ends[:-1], ends[1:], self.width)
        else:
            rows = dense_rows(view.data.reshape(-1, view.width)[start - first : stop - first])
        bad = np.flatnonzero(~np.isfinite(rows.q))
        if len(bad):
            return rows.part(slice(0, bad[0])), start + int(bad[0]), rounds.NOT_FINITE
        return rows, stop, rounds.DONE

    def _learn_rows(self, block: Rows, truths: Any, weights: Any, record: Record, novel: int) -> tuple[int, int]:
        """One block: (how many rounds were done, why it stopped there)."""
        block = self._look_ahead(block)
        batch = framed(rounds.Batch(0, truths, weights, *record))
        done, why = 0, WAITS
        while why == WAITS:
            ready = kernel(learn_block, self.frame, batch, 0, 0, 0)
            done, why = ready(self.argument, batch.argument, done, len(block), novel)
            self._settle(block, why)
        return done, _blamed(why)

    def _learn_alone(self, block: Rows, truth: Any, weight: float, novel: int) -> int:
        """A block of one row: why the round stopped."""
        block = self._look_ahead(block)
        why = WAITS
        while why == WAITS:
            why = super().call(learn_alone, truth, weight, novel)
            self._settle(block, why)
        self._announce()
        return _blamed(why)

    def _look_ahead(self, block: Rows, learning: bool = True) -> Rows:
        """Compute all kernel values that the block's rounds will ask for; the rows as supports are kept."""
        n, m = self.count, len(block)
        if self.supports is None:
            sparse = not hasattr(block, "X") and self.similarity.kind != "precomputed"
            self.supports = SparseSupports(self.dtype) if sparse else DenseSupports(self.width, self.dtype)
        block = self.supports.fitting(block, self.width)
        alike = self.similarity
        if self.budget is not None:
            self._make_room(n + m)
        with np.errstate(all="ignore"):  # what is too large is seen by its score
            if learning:
                numbers = self._block_numbers = self.row_numbers(m)
                self.diagonal[:m] = alike.diagonal(block, numbers)
                if m > 1:
                    self.gram[:m, :m] = alike.between(block, block, numbers)
            if self.budget is None:
                base = self.base[:m]
                base[...] = 0
                self.made[0] = 0

                def add(start: int, stop: int, values: Any) -> None:
                    base[...] += values @ self.alphas[start:stop]

                alike.tiles(block, self.supports, n, self.numbers, add)
                return block
            self.made[0] = m

            def keep(start: int, stop: int, values: Any) -> None:
                self.values[:m, start:stop] = values

            alike.tiles(block, self.supports, n, self.numbers, keep)
        return block

    def row_numbers(self, m: int) -> Any:
        """The numbers of the next rows in their stream: their columns in a precomputed kernel."""
        return (int(self.totals[0, rounds.ROUNDS]) + np.arange(m)) % max(1, self.width)

    def _make_room(self, need: int) -> None:
        size = self.budget.size if self.budget is not None else None
        if size:
            need = min(need, size)
        if need > self.room:
            double = 2 * self.room
            self._allocate(max(need, min(double, size) if size else double))
            if self.budget is not None:
                self.prepare()

    def _settle(self, block: Rows, why: int) -> None:
        """Take the rows that became supports in; and know what the budget waits for."""
        assert self.supports is not None
        n = self.count
        if self.budget is None:
            made = int(self.made[0])
            if made:
                self._make_room(n + made)
                places = self.places[:made]
                here = np.arange(n, n + made)
                self.supports.put(here, block.part(places))
                self.alphas[here], self.born[here] = self.fresh[:made], here
                self.numbers[here] = self._block_numbers[places]
                self.sq_norms[here] = self.diagonal[places]
                self.count = n + made
                self.made[0] = 0
            return
        self.count = int(self.state[slots.COUNT])
        here = np.flatnonzero(self.owner >= 0)
        if len(here):
            places = self.owner[here]
            self.supports.put(here, block.part(places))
            self.numbers[here] = self._block_numbers[places]
            self.owner[here] = -1
        if why == WAITS:
            self._know_the_oldest()

    def _know_the_oldest(self) -> None:
        """Kernel values of the next supports to be forgotten with all others."""
        assert self.supports is not None
        size = self.budget.size
        chunk = (int(self.state[slots.HEAD]) + np.arange(len(self.oldest))) % size
        everyone = self.supports.view(0, size)
        oldest = everyone.part(chunk)
        if hasattr(oldest, "width"):
            oldest = self.supports.fitting(oldest, self.width)
        with np.errstate(all="ignore"):
            self.oldest[:, :size] = self.similarity.between(oldest, everyone, self.numbers[:size])
        self.state[slots.CHUNK_AT], self.state[slots.CHUNK_STOP] = 0, len(chunk)

    def _announce(self) -> None:
        if self.budget is None and self.count > MANY and not self.announced:
            self.announced = True
            warnings.warn(
                f"this learner has {self.count} supports, and every round takes longer the more there are. Set a "
                'budget to keep them few, such as hinge.Kernel("rbf", budget=hinge.Projectron(1000)), or '
                "hinge.RandomBudget, hinge.Forgetron, hinge.BudgetPA. (This is said once.)",
                GrowthWarning,
                stacklevel=2,
            )

    # ------------------------------------------------------------------------------- one row

    def call(self, function: Any, *arguments: Any) -> Any:
        """Call a kernel; those for one row are a block of one."""
        if function is rounds.learn_dense or function is rounds.learn_sparse:
            *row, truth, weight, novel = arguments
            block = self._one_row(row)
            if isinstance(block, int):
                return block
            return self._learn_alone(block, truth, weight, novel)
        if function is rounds.predict_dense or function is rounds.predict_sparse:
            block = self._one_row(arguments)
            if isinstance(block, int):
                return block, 0
            self._look_ahead(block, learning=False)
            why, prediction = super().call(predict_row, 0)
            finite = np.isfinite(self.scores).all()
            return (why if finite else rounds.TOO_LARGE), prediction
        return super().call(function, *arguments)

    def _one_row(self, row: Any) -> Any:
        """A block of one row, or what is wrong with it."""
        if len(row) == 1:
            block: Rows = dense_rows(row[0].reshape(1, -1))
        else:
            data, indices, size, width = row
            data, indices = data[:size], indices[:size]
            if width > 0 and size > 0:
                ascend = indices[0] >= 0 and indices[-1] < width and (indices[1:] > indices[:-1]).all()
                if not ascend:
                    return rounds.IRREGULAR
            ends = np.array([0, size])
            block = sparse_rows(data, indices.astype(np.int32, copy=False), ends[:1], ends[1:], self.width)
        return block if np.isfinite(block.q[0]) else rounds.NOT_FINITE

    # ------------------------------------------------------------------------------- predicting

    def score(self, table: Table, columns: int) -> np.ndarray[Any, Any]:
        """The leader's first ``columns`` scores for every row."""
        scores = np.zeros((table.n, columns), self.dtype)
        first = int(rounds.leader.py_func(self.totals)) * self.stride
        n = self.count
        alphas = np.ascontiguousarray(self._leading(first, columns)[:n])
        for begin, last, view in table.pieces(self.dtype, 0, table.n):
            done = begin
            while done < last:
                until = min(last, done + self.similarity.ahead(isinstance(view, Sparse)))
                block, end, why = self._block(table, view, begin, done, until)
                if why != rounds.DONE:
                    self.refuse(table, end, why)
                if self.supports is not None:
                    block = self.supports.fitting(block, self.width)
                    part = scores[done:until]

                    def add(start: int, stop: int, values: Any, part: Any = part) -> None:
                        part[...] += values @ alphas[start:stop]

                    with np.errstate(all="ignore"):
                        self.similarity.tiles(block, self.supports, n, self.numbers, add)
                    bad = np.flatnonzero(~np.isfinite(part).all(axis=1))
                    if len(bad):
                        self.refuse(table, done + int(bad[0]), rounds.TOO_LARGE)
                done = until
        return scores

    def _leading(self, first: int, columns: int) -> np.ndarray[Any, Any]:
        alphas: np.ndarray[Any, Any] = self.alphas[:, first : first + columns]
        number = self.totals[0, rounds.ROUNDS]
        if self.average and number > 0:
            late = self.score_lanes() + first
            alphas = alphas - self.alphas[:, late : late + columns] / self.dtype.type(number)
        return alphas

    def hypothesis(self) -> tuple[Any, np.ndarray[Any, Any]]:
        """(the supports in order of arrival, the leader's coefficients (lanes, supports))."""
        order = np.argsort(self.born[: self.count], kind="stable")
        first = int(rounds.leader.py_func(self.totals)) * self.stride
        alphas = np.ascontiguousarray(self._leading(first, self.scores_each())[order].T)
        if self.supports is None:
            return np.zeros((0, self.width), self.dtype), alphas
        if self.similarity.kind == "precomputed":
            return self.numbers[order], alphas
        if isinstance(self.supports, DenseSupports):
            self.supports.fitting(dense_rows(np.zeros((0, self.width), self.dtype)), self.width)
        return self.supports.rows(order, self.width), alphas

    # ------------------------------------------------------------------------------- putting back, other processes

    @property
    def nbytes(self) -> int:
        """The memory of the hypothesis."""
        names = ("alphas", "numbers", "sq_norms", "born", "oldest", "factor")
        own = sum(int(self.__dict__[name].nbytes) for name in names)
        return own + (0 if self.supports is None else self.supports.nbytes)

    def protect(self, table: Table) -> dict[str, Any] | None:
        """Without a budget supports are only appended, so a copy is a matter of where they ended."""
        return self.copy()

    def copy(self, columns: Any = None) -> dict[str, Any]:
        """All that rows may change."""
        bounded = self.budget is not None
        kept = {name: self.__dict__[name] for name in ("labels", "width", "stride", "task", "count", "room")}
        for name in ("alphas", "numbers", "sq_norms", "born", "oldest", "factor"):
            array = self.__dict__[name]
            kept[name] = array.copy() if bounded else array
        supports = None if self.supports is None else self.supports.copy(bounded)
        return {**kept, "supports": supports, "totals": self.totals.copy(), "state": self.state.copy(),
                "measures": self.measures.copy()}  # fmt: skip

    def __getstate__(self) -> dict[str, Any]:
        """Without the room for a block, and what is bound to this process's memory."""
        scratch = ("gram", "diagonal", "base", "values", "fresh", "places", "made", "owner", "solved", "similarity",
                   "_nothing", "_block_numbers")  # fmt: skip
        return {name: value for name, value in super().__getstate__().items() if name not in scratch}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.similarity = Similarity(state["kernel"], state["dtype"])
        super().__setstate__(state)
