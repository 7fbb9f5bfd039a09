# SPDX-License-Identifier: BSD-3-Clause
"""Classification into ranks: labels with an order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hinge.engine import Engine, Record
from hinge.focus import Mistaken, Violated
from hinge.learners.classifier import Classifier
from hinge.learners.labels import Labels, as_labels, label_array
from hinge.ordinal_engine import OrdinalEngine, ordinal
from hinge.spaces.linear import Linear
from hinge.steps import PA1


class Ranks(Labels):
    """Labels with an order: the first ``declared`` stand as they were given, all others where sorting puts them."""

    def __init__(self, known: Sequence[Any] = (), dtype: Any = None, declared: int | None = None) -> None:
        super().__init__(known, dtype)
        self.declared = len(self) if declared is None else declared

    def copy(self) -> Ranks:
        """Another numbering, the same so far."""
        return Ranks(self.list, self.dtype, self.declared)

    def order(self, known: int | None = None) -> list[int]:
        """The codes of all ranks, or of the first ``known``, from the lowest rank to the highest."""
        ranks = self.list[:known]
        if len(ranks) <= self.declared:
            return list(range(len(ranks)))
        try:
            if sorted(ranks[: self.declared]) != ranks[: self.declared]:
                raise ValueError(
                    f"{ranks[self.declared]!r} is none of the ranks that were declared, "
                    f"{ranks[: self.declared]!r}, and since that is not the order of sorting, nobody can tell where "
                    "it belongs: declare all ranks, in their order."
                )
            return sorted(range(len(ranks)), key=ranks.__getitem__)
        except TypeError:
            raise TypeError(
                f"ranks must have an order, but {ranks!r} cannot be sorted; make them all of one kind, or declare them "
                "in their order: ranks=[...]."
            ) from None


class OrdinalClassifier(Classifier):
    """Learn ranks from a stream: one score w . x, and a threshold between every rank and the next ([SP06] 3).

    Each threshold is a constraint of its own: the score is to lie above those below the true rank by 1, and below all
    others by 1. The predicted rank is the least i with w . x < b_i, or the last one. The thresholds are learnt as w is,
    and do what an intercept would.

    Ranks are labels that can be sorted, such as numbers; or name them in their order, in ``ranks`` or in the
    ``classes`` of the first `partial_fit`. A rank that nobody declared is put in its place when it first appears,
    which changes no prediction: its threshold is its neighbour's once more, or infinite at either end, until something
    is learnt.

    Parameters
    ----------
    step
        How far a violated constraint moves the hypothesis: `PA1`, `PA2`, `PA`, `Perceptron` or your own; or a list of
        them, raced side by side in one pass.
    focus
        Which of a round's constraints act: `Worst`, `Predicted` (the threshold between the predicted rank and the next
        one on the true rank's side), `Violated`, `Mistaken`, `Proportional` or `Exact`. None is what [SP06] uses:
        Mistaken for the Perceptron (SimPerc) and Violated for the others (with `PA1` SimProj).
    space
        `Linear()`, which is what None means.
    ranks
        All ranks, from the lowest to the highest; None: they are sorted.
    passes, random_state, text
        As in `Classifier`.

    >>> import hinge
    >>> stars = hinge.OrdinalClassifier(hinge.PA1(C=1.0), ranks=["bad", "fair", "good"])
    >>> for _ in range(3):
    ...     stars = stars.learn_one({"dull": 1.0}, "bad").learn_one({"dull": 1.0, "clever": 1.0}, "fair")
    ...     stars = stars.learn_one({"clever": 1.0}, "good")
    >>> stars.predict_one({"dull": 1.0}), stars.predict_one({"clever": 2.0}), stars.thresholds_.round(2)
    ('bad', 'good', array([-0.19,  0.14]))
    """

    _usual_focus = Mistaken(), Violated()
    cost = None
    class_weight = None
    intercept = False
    average = False

    def __init__(
        self,
        step: Any = PA1(),  # noqa: B008  (a step is immutable)
        focus: Any = None,
        space: Any = None,
        *,
        ranks: Any = None,
        passes: int = 1,
        random_state: int | None = None,
        text: Any = None,
    ) -> None:
        self.step = step
        self.focus = focus
        self.space = space
        self.ranks = ranks
        self.passes = passes
        self.random_state = random_state
        self.text = text

    # ------------------------------------------------------------------------------- the order of ranks

    def _given_ranks(self) -> Ranks | None:
        """The ranks of the parameter, if there are any."""
        if self.ranks is None:
            return None
        if isinstance(self.ranks, (str, bytes)) or not hasattr(self.ranks, "__len__"):
            raise TypeError(f"ranks must be a list of all ranks, from the lowest to the highest, got {self.ranks!r}")
        given = as_labels(self.ranks if isinstance(self.ranks, np.ndarray) else list(self.ranks), len(self.ranks))
        return Ranks(given.tolist(), given.dtype)

    def _declare(self, classes: Any) -> None:
        wanted = as_labels(classes if isinstance(classes, np.ndarray) else list(classes), len(classes))
        known: Ranks | None = self.__dict__.get("_labels") or self._given_ranks()
        if known is None:
            self._labels = Ranks(wanted.tolist(), wanted.dtype)
            return
        before = [known.list[code] for code in known.order()]
        if before != wanted.tolist():
            raise ValueError(
                f"classes={wanted.tolist()!r} is not the same as the ranks there are, in their order: {before!r}. "
                "New ranks need no announcement: leave classes out."
            )
        self._labels = known

    def _first_labels(self, y: Any, n: int) -> None:
        checked = as_labels(y, n)
        given = self._given_ranks()
        if given is not None:
            self._labels = given
            return
        seen = Ranks(declared=0)
        seen.encode(checked)
        self._labels = Ranks([seen.list[code] for code in seen.order()], checked.dtype)

    def _task(self, known: int | None = None) -> Any:
        return ordinal(self._labels.order(known))

    def _new_engine(self, dtype: Any, width: int) -> Engine:
        if self.space is not None and not isinstance(self.space, Linear):
            raise TypeError(
                f"space must be None or hinge.Linear(), there is no other with thresholds, got {self.space!r}"
            )
        if "_labels" not in self.__dict__:
            self._labels = self._given_ranks() or Ranks()
        focus = self._chosen_focus()
        return OrdinalEngine(self._labels.order(), self._steps, focus, dtype, labels=len(self._labels), width=width)

    # ------------------------------------------------------------------------------- predicting

    def predict(self, X: Any) -> np.ndarray[Any, Any]:
        """The rank of every row."""
        scores = self.decision_function(X)
        ranks = self.classes_
        if len(ranks) == 0:
            self._require_labels()
        below = np.ones((len(scores), len(ranks)), bool)
        below[:, :-1] = scores[:, None] < self.thresholds_
        predicted: np.ndarray[Any, Any] = ranks[below.argmax(1)]
        return predicted

    def _require_labels(self) -> None:
        raise ValueError("this OrdinalClassifier knows no rank yet: it has learnt from no row.")

    def decision_function(self, X: Any) -> np.ndarray[Any, Any]:
        """w . x of every row: the ranks lie along it, told apart by ``thresholds_``."""
        return self._scores(X, 1)[:, 0]

    def score_one(self, x: Any) -> float:
        """w . x of one row."""
        self._require_fitted()
        assert self._engine is not None
        self._predict_row(x)
        return float(self._engine.scores[self._first_lane()])

    @property
    def classes_(self) -> np.ndarray[Any, Any]:
        """The ranks, from the lowest to the highest."""
        if "_labels" not in self.__dict__ or self._engine is None:
            raise AttributeError("classes_ is there once something has been learnt")
        return label_array([self._labels.list[code] for code in self._labels.order()], self._labels.dtype)

    @property
    def thresholds_(self) -> np.ndarray[Any, Any]:
        """b_1 .. b_{k-1}; infinite for a rank at either end that nothing has been learnt from since it appeared."""
        self._require_fitted()
        assert isinstance(self._engine, OrdinalEngine)
        return np.array(self._engine.all_thresholds()[self._engine.leader()])

    # ------------------------------------------------------------------------------- reports

    _measures_distance = True

    def _distance(self, y: Any, record: Record) -> float:
        """By how many ranks predictions were off, in sum, among the ranks known at the time."""
        wrong = np.flatnonzero(record.flags & 1)
        truths = [self._labels.codes[rank] for rank in self._truths(y, len(record.flags))[wrong].tolist()]
        novel = record.flags >> 1
        known = (len(self._labels) - int(novel.sum()) + np.cumsum(novel))[wrong]
        off = 0
        for count in np.unique(known).tolist():
            place = {code: i for i, code in enumerate(self._labels.order(count))}
            off += sum(
                abs(place[truths[t]] - place[int(record.predictions[wrong[t]])]) for t in np.flatnonzero(known == count)
            )
        return float(off)
