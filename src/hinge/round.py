# SPDX-License-Identifier: BSD-3-Clause
"""The round, the only place where learning happens: predict, see the truth, move by what it demands, and keep account.

A `Machine` is all that takes part: a space, a task, a focus, and the contenders, each a step with its lanes. Every
kernel a learner calls stands here.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from hinge.native import compiled, native, unbind
from hinge.rows import CHUNK, DenseRow, SparseRow

# The account of one contender, a row of `Machine.totals`.
(ROUNDS, MISTAKES, LOSS, SQUARED_LOSS, UPDATES, DUAL, SQUARES, PRICE, COST, WEIGHTED_LOSS, NOVEL,
 WEIGHT) = range(12)  # fmt: skip
TOTALS = 12
#: In the account of the round under way: who led, in row 0.
LEADER = ROUNDS

# Why a kernel stopped before the end.
DONE, NOT_FINITE, IRREGULAR, TOO_LARGE = range(4)


@native
class Machine(NamedTuple):
    """What takes part in a round: contender c takes the step ``kinds[c]`` of ``steps``, with ``parameters[c]``."""

    space: Any
    task: Any
    form: Any  # of truths and predictions (see `hinge.tasks.forms`)
    focus: Any
    steps: Any
    kinds: Any
    parameters: Any
    totals: Any
    scores: Any
    shown: Any  # the scores that predict: the mean hypothesis's where that was asked for, else the same array
    coefficients: Any
    taken: Any  # the round's own account, to be added to the totals once all is known to be well
    stride: int
    labels: int
    averages: int


@native
class Batch(NamedTuple):
    """Rows with their truths; ``weights`` and the three records may be empty, which means 1 and not wanted."""

    rows: Any
    truths: Any
    weights: Any
    predictions: Any
    losses: Any
    flags: Any


@compiled(inline=True)
def leader(totals: Any) -> int:
    """The contender whose mistakes cost least so far; of equals the one with the least loss, then the first."""
    best = 0
    for c in range(1, totals.shape[0]):
        if totals[c, COST] < totals[best, COST] or (
            totals[c, COST] == totals[best, COST]
            and totals[c, WEIGHTED_LOSS] < totals[best, WEIGHTED_LOSS]
        ):
            best = c
    return best


@compiled(inline=True)
def _score(machine: Any, row: Any, scores: Any) -> float:
    number = machine.totals[0, ROUNDS]
    if machine.averages > 0 and number > 0:
        return machine.space.score_mean(row, scores, machine.coefficients, number)
    return machine.space.score(row, scores)


@compiled(inline=True)
def learn_round(machine: Any, row: Any, truth: Any, weight: float, novel: int) -> Any:
    """One round: (why it stopped, the leader's prediction, its loss, whether that was a mistake).

    ``novel`` is how many labels the truth names that were never seen before this row. Unless all moves of the round
    are finite, nothing is changed.
    """
    space, task, totals = machine.space, machine.task, machine.totals
    scores, coefficients, taken = machine.scores, machine.coefficients, machine.taken
    contenders, labels, known = totals.shape[0], machine.labels, machine.labels - novel
    before = space.begun()
    if weight > 0:
        space.begin(row)
    if machine.averages > 0:
        _score(machine, row, machine.shown)
    q = space.score(row, scores)
    in_front = leader(totals)
    taken[0, LEADER], taken[0, NOVEL] = in_front, 1 if novel > 0 else 0
    shown = task.predict(machine.shown, in_front * machine.stride, known)
    shown_loss, shown_mistake, why, moved = 0.0, False, DONE, False
    if not math.isfinite(q):
        space.begin_not(row, before)
        return NOT_FINITE, shown, shown_loss, shown_mistake
    metric = space.metric(row, q)
    for c in range(contenders):
        first = c * machine.stride
        prediction, seen = shown, shown
        if c != in_front or machine.averages > 0:
            prediction, seen = task.predict(scores, first, known), task.predict(machine.shown, first, known)
        worst = task.worst(scores, first, labels, truth, prediction)
        loss = max(0.0, worst.required - worst.margin)
        mistake = novel == 0 and task.is_mistake(seen, truth, worst)
        if c == in_front:
            shown_loss, shown_mistake = loss, mistake
        taken[c, LOSS] = loss
        taken[c, MISTAKES] = mistake
        taken[c, COST] = task.cost(seen, truth) * weight if mistake else 0.0
        taken[c, UPDATES] = 0.0
        if not math.isfinite(worst.margin):
            why = TOO_LARGE
        elif weight > 0:
            share = machine.steps.share(machine.kinds[c], machine.parameters, c, machine.focus, task, scores, first,
                                        labels, truth, prediction, worst, metric, weight, coefficients)  # fmt: skip
            if share.lambdas != 0:
                moved = True
                taken[c, UPDATES] = 1.0
                taken[c, DUAL] = share.gain
                taken[c, SQUARES] = share.lambdas * share.lambdas / weight
                taken[c, PRICE] = share.lambdas / weight
                account = share.gain + taken[c, SQUARES] + taken[c, PRICE]  # as it would be kept for ever
                if not (math.isfinite(scores.dtype.type(share.lambdas * math.sqrt(q))) and math.isfinite(account)):
                    why = TOO_LARGE
    if why != DONE:
        coefficients[:] = 0
        space.begin_not(row, before)
        return why, shown, shown_loss, shown_mistake
    machine.form.measure(machine.shown, in_front * machine.stride, truth)
    for c in range(contenders):
        totals[c, ROUNDS] += 1
        totals[c, MISTAKES] += taken[c, MISTAKES]
        totals[c, LOSS] += taken[c, LOSS]
        totals[c, SQUARED_LOSS] += taken[c, LOSS] * taken[c, LOSS]
        totals[c, COST] += taken[c, COST]
        totals[c, WEIGHTED_LOSS] += taken[c, LOSS] * weight
        totals[c, NOVEL] += taken[0, NOVEL]
        totals[c, WEIGHT] += weight
        if taken[c, UPDATES] > 0:
            totals[c, UPDATES] += 1
            totals[c, DUAL] += taken[c, DUAL]
            totals[c, SQUARES] += taken[c, SQUARES]
            totals[c, PRICE] = max(totals[c, PRICE], taken[c, PRICE])
    if moved:
        space.move(row, coefficients, totals[0, ROUNDS])
        coefficients[:] = 0
    if weight > 0:
        space.after(row, task, truth, labels)
    return DONE, shown, shown_loss, shown_mistake


@compiled
def learn_rows(machine_bound: Any, batch_bound: Any, start: int, stop: int, novel: int) -> Any:
    """Rounds start..stop of a batch: (how many were done, why it stopped there)."""
    machine, batch = unbind(machine_bound), unbind(batch_bound)
    rows = batch.rows
    regular = start
    t = start
    while t < stop:
        if t == regular:
            regular = rows.first_irregular(t, min(stop, t + CHUNK))
            if regular == t:
                return t, IRREGULAR
        if t + 1 < regular:
            machine.space.prefetch(rows.row(t + 1))
        weight = batch.weights[t] if batch.weights.size > 0 else 1.0
        truth = machine.form.begin(batch.truths, t, machine.labels)
        why, prediction, loss, mistake = learn_round(machine, rows.row(t), truth, weight, novel)
        if why != DONE:
            return t, why
        if batch.predictions.size > 0:
            machine.form.keep(batch.predictions, t, prediction)
            batch.losses[t] = loss
            batch.flags[t] = mistake + 2 * (1 if novel > 0 else 0)
        t += 1
    return t, DONE


@compiled
def check_rows(rows_bound: Any, start: int, stop: int) -> Any:
    """The first row that is not as it should be, and why: looked through before anything is learnt."""
    rows = unbind(rows_bound)
    while start < stop:
        chunk = min(stop, start + CHUNK)
        regular = rows.first_irregular(start, chunk)
        for t in range(start, regular):
            if not math.isfinite(rows.row(t).sq_norm()):
                return t, NOT_FINITE
        if regular < chunk:
            return regular, IRREGULAR
        start = chunk
    return stop, DONE


@compiled
def learn_sparse(
    machine_bound: Any, data: Any, indices: Any, size: int, width: int, truth: Any, weight: float, novel: int
) -> int:
    """One round with one sparse row: why it stopped. A width of 0 says that the indices are known to be well."""
    row = SparseRow(data, indices, 0, size)
    if width > 0 and not row.regular(width):
        return IRREGULAR
    machine = unbind(machine_bound)
    return learn_round(machine, row, machine.form.alone(truth, machine.labels), weight, novel)[0]


@compiled
def learn_dense(machine_bound: Any, data: Any, truth: Any, weight: float, novel: int) -> int:
    """One round with one dense row: why it stopped."""
    machine = unbind(machine_bound)
    row = DenseRow(data, 0, data.size)
    return learn_round(machine, row, machine.form.alone(truth, machine.labels), weight, novel)[0]


@compiled
def predict_sparse(machine_bound: Any, data: Any, indices: Any, size: int, width: int) -> Any:
    """What the leader predicts for one sparse row; its scores are left in the machine. (Why it stopped, prediction.)"""
    row = SparseRow(data, indices, 0, size)
    regular = width == 0 or row.regular(width)
    why, prediction = _predict(unbind(machine_bound), row if regular else SparseRow(data, indices, 0, 0))
    return (why if regular else IRREGULAR), prediction


@compiled
def predict_dense(machine_bound: Any, data: Any) -> Any:
    """What the leader predicts for one dense row; its scores are left in the machine. (Why it stopped, prediction.)"""
    return _predict(unbind(machine_bound), DenseRow(data, 0, data.size))


@compiled(inline=True)
def _predict(machine: Any, row: Any) -> Any:
    q = _score(machine, row, machine.scores)
    first = leader(machine.totals) * machine.stride
    why = DONE if math.isfinite(q) else NOT_FINITE
    return why, machine.form.told(machine.task.predict(machine.scores, first, machine.labels))


@compiled
def score_rows(machine_bound: Any, rows_bound: Any, start: int, stop: int, scores: Any) -> Any:
    """The leader's scores for rows start..stop, as many as ``scores`` has columns: (how many were done, why)."""
    machine, rows = unbind(machine_bound), unbind(rows_bound)
    first = leader(machine.totals) * machine.stride
    for t in range(start, stop):
        if not math.isfinite(_score(machine, rows.row(t), machine.scores)):
            return t, NOT_FINITE
        for column in range(scores.shape[1]):
            scores[t, column] = machine.scores[first + column]
    return stop, DONE
