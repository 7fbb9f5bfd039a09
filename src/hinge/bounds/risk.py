# SPDX-License-Identifier: BSD-3-Clause
"""From mistakes to risk: what a pass over independent rows proves of rows never seen ([OL] 7).

The risk of a hypothesis is the probability that it errs on a new row of the same source; H_0 .. H_n are the hypotheses
before each round and after the last. Each bound here holds with a probability of at least 1 - delta, not always.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from hinge.bounds import arguments
from hinge.bounds.bound import Bound, Pick


def online_to_batch_average(
    mistakes: Any,
    n: int | None = None,
    delta: float = 0.05,
    form: Literal["hoeffding", "bernstein"] = "hoeffding",
    risk: float | None = None,
) -> Bound:
    """The average risk of H_0 .. H_{n-1} after M mistakes in n rounds ([OL] 7), with probability at least 1 - delta:

        "hoeffding":  average risk <= M/n + sqrt(2 ln(1/delta) / n)
        "bernstein":  average risk <= M/n + (36/n) ln((M + 3)/delta) + 2 sqrt(M ln((M + 3)/delta)) / n

    The second is better where there are few mistakes in very many rounds. [OL] prints it with a constant left open and
    with ln M, undefined at M = 0; this is its form with M + 3 (Cesa-Bianchi and Gentile 2005).

    ``mistakes`` is a report, true or false for each round, or their number with ``n``. ``risk`` is the average risk, if
    it was measured. Without it the left side is M/n, the pass's own unbiased estimate, and `holds` says nothing.

    >>> print(online_to_batch_average(mistakes=50, n=1000, delta=0.05))
    average risk 0.05 <= 0.127405: holds
    >>> print(online_to_batch_average(mistakes=50, n=1_000_000, delta=0.05, form="bernstein"))
    average risk 5e-05 <= 0.000338103: holds
    """
    if form not in ("hoeffding", "bernstein"):
        raise ValueError(f'form must be "hoeffding" or "bernstein", got {form!r}')
    M, n = _of_pass(mistakes, n)
    delta = _probability(delta)
    if form == "hoeffding":
        right = M / n + math.sqrt(2 * math.log(1 / delta) / n)
    else:
        surprise = math.log((M + 3) / delta)
        right = M / n + 36 * surprise / n + 2 * math.sqrt(M * surprise) / n
    return Bound.of("average risk", M / n if risk is None else arguments.number(risk, "risk"), right)


def online_to_batch_pick(
    errors: Any, n: int | None = None, delta: float = 0.05, tested: Any = None, risk: float | None = None
) -> Pick:
    """The risk of one hypothesis picked from a pass ([OL] 7), with probability at least 1 - delta.

    ``errors`` is an array, the number of errors of H_t on the rows after it, t + 1 .. n, for t = 0, 1, ... Then the
    pick is the H_t of the least *penalised* error, and that is the bound:

        risk(H_t) <= errors_t / (n - t) + sqrt(ln(n (n + 1) / delta) / (2 (n - t)))

    ``hypothesis`` of what is returned says which. ``tested`` is the number of rows that each was tested on, if not
    n - t (such as where only a few hypotheses were kept; n is then the length of the pass).

    Where ``errors`` is a report, or the number of mistakes M of the pass (with ``n``), it is what can be said before
    anything is tested, of a pick made with delta/2 in place of delta (Cesa-Bianchi, Conconi, Gentile 2004):

        risk(pick) <= M/n + 6 sqrt(ln(2 (n + 1) / delta) / n)

    ``risk`` is the risk of the pick, if it was measured. Without it the left side is what the right side adds the
    uncertainty to, an estimate, and `holds` says nothing.

    >>> pick = online_to_batch_pick(errors=[60, 30, 8, 9, 9, 8], n=100)
    >>> print(pick, "- pick", pick.hypothesis)
    risk of the pick 0.0816327 <= 0.331286: holds - pick 2
    >>> print(online_to_batch_pick(50, n=1000))
    risk of the pick 0.05 <= 0.667669: holds
    """
    delta = _probability(delta)
    measured = None if risk is None else arguments.number(risk, "risk")
    if arguments.is_report(errors) or np.ndim(errors) == 0:
        M, n = _of_pass(errors, n)
        right = M / n + 6 * math.sqrt(math.log(2 * (n + 1) / delta) / n)
        return Pick.of("risk of the pick", M / n if measured is None else measured, right)
    wrong = arguments.numbers(errors, "errors")
    if tested is None:
        n = _length(len(wrong) if n is None else n)
        if len(wrong) > n:
            raise ValueError(f"{len(wrong)} hypotheses in a pass of {n} rounds: H_n and later were tested on nothing")
        rows = n - np.arange(len(wrong), dtype=float)
    else:
        rows = arguments.numbers(tested, "tested")
        arguments.same_length(errors=wrong, tested=rows)
        n = _length(rows.max(initial=0.0) if n is None else n)
    if not len(wrong):
        raise ValueError("errors is empty: there is no hypothesis to pick")
    bad = np.flatnonzero((rows < 1) | (rows > n) | (wrong > rows))
    if len(bad):
        t = bad[0]
        raise ValueError(f"errors[{t}] is {wrong[t]:g} on {rows[t]:g} rows of {n}: that cannot be")
    if len(wrong) > n:
        raise ValueError(f"{len(wrong)} hypotheses are more than a pass of {n} rounds has")
    penalised = wrong / rows + np.sqrt(math.log(n * (n + 1) / delta) / (2 * rows))
    t = int(penalised.argmin())
    pick = Pick.of("risk of the pick", wrong[t] / rows[t] if measured is None else measured, penalised[t])
    pick.hypothesis = t
    return pick


def _of_pass(mistakes: Any, n: int | None) -> tuple[float, int]:
    if arguments.is_report(mistakes):
        n = mistakes.n if n is None else n
    elif np.ndim(mistakes):
        n = len(mistakes) if n is None else n
    M = arguments.count(arguments.figure(mistakes, "mistakes"), "mistakes")
    if n is None:
        raise TypeError("give n=, the number of rounds (or a report, or true or false for each round)")
    n = _length(n)
    if n < M:
        raise ValueError(f"{M:g} mistakes in {n} rounds: there cannot be more mistakes than rounds")
    return M, n


def _length(n: Any) -> int:
    length = arguments.number(n, "n", above=0.0)
    if length != int(length):
        raise ValueError(f"n must be a whole number of rounds, got {length:g}")
    return int(length)


def _probability(delta: Any) -> float:
    given = arguments.number(delta, "delta", above=0.0)
    if given >= 1:
        raise ValueError(f"delta is the probability that the bound fails, between 0 and 1; got {given:g}")
    return given
