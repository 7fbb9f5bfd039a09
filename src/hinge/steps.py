# SPDX-License-Identifier: BSD-3-Clause
"""Steps: how far one violated constraint, alone, would move the hypothesis, w + tau z.

A constraint asks w . z >= r. Its margin is m = w . z, its loss l = [r - m]+, its squared norm q = ||z||². A step is a
NamedTuple of numbers with a method ``tau(loss, sq_norm, weight)``, called for constraints with a loss, a norm and a
weight above zero; yours takes three lines:

>>> from typing import NamedTuple
>>> import hinge
>>> @hinge.native
... class Careful(NamedTuple):
...     share: float = 0.5
...     def tau(self, loss, sq_norm, weight):
...         return self.share * loss / sq_norm
>>> clf = hinge.Classifier(Careful(0.9))

A step may also have ``acts(margin, loss)``: whether it moves at all; without one it moves on every loss. Focus `Exact`
asks for ``cap(weight)`` and ``give(weight)``: what slack costs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from hinge.native import native, with_fields

__all__ = ["PA", "PA1", "PA2", "Perceptron"]


@native
class Perceptron(NamedTuple):
    """The Perceptron: tau = eta c, only where the margin is not positive ([OL] 2; with weights [IW] 2.3).

    >>> Perceptron(eta=0.5).tau(loss=1.3, sq_norm=2.0, weight=3.0)
    1.5
    """

    eta: float = 1.0

    def acts(self, margin: float, loss: float) -> bool:
        """Only mistakes move it; a tie is a mistake."""
        return margin <= 0

    def tau(self, loss: float, sq_norm: float, weight: float) -> float:
        """eta c."""
        return self.eta * weight


@native
class PA(NamedTuple):
    """Passive-Aggressive without slack: the least move that satisfies the constraint, tau = l / q ([PA06] 3).

    >>> PA().tau(loss=1.0, sq_norm=2.0, weight=1.0)
    0.5
    """

    def tau(self, loss: float, sq_norm: float, weight: float) -> float:
        """l / q; there is no slack whose price a weight could change."""
        return loss / sq_norm

    def cap(self, weight: float) -> float:
        """What the coefficients of one round may sum to: there is no slack, so anything."""
        return math.inf

    def give(self, weight: float) -> float:
        """How much the slack grows with the coefficients' sum."""
        return 0.0


@native
class PA1(NamedTuple):
    """PA-I, slack at a linear price: tau = min(C c, l / q) ([PA06] 3).

    >>> PA1(C=0.1).tau(loss=1.0, sq_norm=2.0, weight=1.0)
    0.1
    """

    C: float = 1.0

    def tau(self, loss: float, sq_norm: float, weight: float) -> float:
        """min(C c, l / q)."""
        return min(self.C * weight, loss / sq_norm)

    def cap(self, weight: float) -> float:
        """What the coefficients of one round may sum to."""
        return self.C * weight

    def give(self, weight: float) -> float:
        """How much the slack grows with the coefficients' sum, below the cap."""
        return 0.0


@native
class PA2(NamedTuple):
    """PA-II, slack at a quadratic price: tau = l / (q + 1 / (2 C c)) ([PA06] 3).

    The gamma-relaxed update of [PA03] 5 is PA2 with C = 1 / (2 gamma); [OL] 4 prints 1/C for an objective with C/2.

    >>> PA2(C=0.5).tau(loss=1.0, sq_norm=5.0, weight=1.0)
    0.16666666666666666
    """

    C: float = 1.0

    def tau(self, loss: float, sq_norm: float, weight: float) -> float:
        """l / (q + 1 / (2 C c))."""
        return loss / (sq_norm + 1.0 / (2.0 * self.C * weight))

    def cap(self, weight: float) -> float:
        """What the coefficients of one round may sum to: the price of slack is quadratic, so anything."""
        return math.inf

    def give(self, weight: float) -> float:
        """How much the slack grows with the coefficients' sum."""
        return 1.0 / (2.0 * self.C * weight)


@native
class Only(NamedTuple):
    """One class of steps. What compiled code holds is a template; its numbers come from a contender's row."""

    template: Any

    def share(self, kind: int, parameters: Any, contender: int, focus: Any, task: Any, scores: Any, first: int,
              labels: int, truth: Any, prediction: Any, worst: Any, metric: Any, weight: float,
              coefficients: Any) -> Any:  # fmt: skip
        """The contender's step moves as the focus says."""
        step = with_fields(self.template, parameters, contender)
        return focus.share(task, step, scores, first, labels, truth, prediction, worst, metric, weight, coefficients)


@native
class Either(NamedTuple):
    """One class of steps, or another: contenders of kind 0 take ``this``, all others look further in ``others``."""

    this: Any
    others: Any

    def share(self, kind: int, parameters: Any, contender: int, focus: Any, task: Any, scores: Any, first: int,
              labels: int, truth: Any, prediction: Any, worst: Any, metric: Any, weight: float,
              coefficients: Any) -> Any:  # fmt: skip
        """The contender's step moves as the focus says."""
        if kind == 0:
            return self.this.share(kind, parameters, contender, focus, task, scores, first, labels, truth, prediction,
                                   worst, metric, weight, coefficients)  # fmt: skip
        return self.others.share(kind - 1, parameters, contender, focus, task, scores, first, labels, truth, prediction,
                                 worst, metric, weight, coefficients)  # fmt: skip


def as_contenders(steps: Sequence[Any]) -> tuple[Any, np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Steps as kernels take them: (templates, the kind of each, the numbers of each). A kernel is compiled once for
    the classes of steps in it, however many contenders there are and whatever their numbers.
    """
    classes = list(dict.fromkeys(type(step) for step in steps))
    templates = [Only(next(step for step in steps if type(step) is cls)) for cls in classes]
    choice: Any = templates[-1]
    for template in reversed(templates[:-1]):
        choice = Either(template, choice)
    kinds = np.array([classes.index(type(step)) for step in steps], np.int64)
    parameters = np.zeros((len(steps), max([1, *map(len, steps)])))
    for row, step in zip(parameters, steps, strict=True):
        row[: len(step)] = step
    return choice, kinds, parameters


def check_step(step: Any) -> None:
    """Raise a clear error unless ``step`` is a native step of finite, fitting numbers."""
    if isinstance(step, type) and hasattr(step, "tau"):
        raise TypeError(f"step is the class {step.__name__}; an instance was expected: {step.__name__}()")
    if not (isinstance(step, tuple) and hasattr(step, "tau") and hasattr(type(step), "_shown_as")):
        raise TypeError(
            f"step must be a step such as hinge.PA1(C=1.0), or a list of steps, got {step!r}. "
            "A step of your own is a NamedTuple with a method tau(loss, sq_norm, weight) under @hinge.native."
        )
    for name, value in zip(step._fields, step, strict=True):  # type: ignore[attr-defined]
        if not isinstance(value, (int, float, np.number)):
            raise TypeError(f"{step!r}: {name} must be a number, got {value!r}")
        if math.isnan(value):
            raise ValueError(f"{step!r}: {name} must be a number, got NaN")
        if isinstance(step, (PA1, PA2, Perceptron)) and not 0 < value < math.inf:
            hint = " (without slack, C infinite, the step is hinge.PA())" if name == "C" and value > 0 else ""
            raise ValueError(f"{step!r}: {name} must be above 0 and finite, got {value!r}{hint}")
