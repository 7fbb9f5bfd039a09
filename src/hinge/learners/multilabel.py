# SPDX-License-Identifier: BSD-3-Clause
"""Classification where a row may have several labels, or none."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from hinge.engine import Engine, Record
from hinge.inputs import Table
from hinge.joint_engine import JointEngine
from hinge.learners.labels import Labels, as_labels, in_order
from hinge.learners.labelsets import LabelSets, as_label_sets, as_labels_of_row
from hinge.learners.linear import LinearLearner
from hinge.phi_engine import PhiEngine
from hinge.spaces.features import Joint, Shared
from hinge.steps import PA1
from hinge.tasks.multilabel import Multilabel

#: What learning leaves here beside what every learner has.
_OWN = "_labels", "_as_matrix"


class MultilabelClassifier(LinearLearner):
    """Learn sets of labels from a stream: each label has a weight vector, relevant labels are to outrank all others.

    A round asks of every pair of a relevant label r and another label s that w_r . x - w_s . x >= 1 ([PA06] 7). To tell
    where in the ranking the set ends there is a *calibration label*, which no row has: relevant labels are to outrank
    it, and it is to outrank all others. What scores above it is predicted.

    Targets are an indicator matrix, an array or a sparse matrix of 0 and 1 with a column for each label; or a list with
    a collection of labels for each row, which may name labels never seen before, and a label twice. If the first
    targets come as a matrix, so do the predictions, a dense one with a column for each of ``classes_``; else they are
    lists of tuples.

    Parameters
    ----------
    step
        How far a violated constraint moves the hypothesis: `PA1`, `PA2`, `PA`, `Perceptron` or your own; or a list of
        them, raced side by side in one pass.
    focus
        Which of a round's constraints act: `Worst`, `Predicted`, `Violated`, `Mistaken`, `Proportional` or `Exact`.
        None is what the step's paper uses, Predicted for the Perceptron and Worst for the others.
    space
        `Linear()`, which is what None means, or one where each label sees the row its own way: `Joint` or `Shared`.
        The calibration label has no features of its own: in Joint it scores 0.
    calibrated
        False: no calibration label. The learner then learns rankings only, and a round where all labels, or none, are
        relevant asks for nothing. Moves give to some labels what they take from others, so that the scores of all sum
        to 0; where a set is wanted all the same it is what scores above 0, above the mean: a convention, for nothing
        was learnt of where a set ends.
    intercept, passes, average, random_state, text
        As in `Classifier`.

    >>> import hinge
    >>> clf = hinge.MultilabelClassifier(hinge.PA1(C=1.0))
    >>> for _ in range(9):
    ...     clf = clf.learn_one({"goal": 1.0, "vote": 1.0}, ["sports", "politics"]).learn_one({"goal": 1.0}, ["sports"])
    >>> clf.predict_one({"goal": 1.0}), clf.predict_one({"vote": 1.0, "goal": 1.0})
    (('sports',), ('sports', 'politics'))
    """

    _kind = "classifier"
    _spaces = Joint, Shared

    def __init__(
        self,
        step: Any = PA1(),  # noqa: B008  (a step is immutable)
        focus: Any = None,
        space: Any = None,
        *,
        calibrated: bool = True,
        intercept: Any = "auto",
        passes: int = 1,
        average: bool = False,
        random_state: int | None = None,
        text: Any = None,
    ) -> None:
        self.step = step
        self.focus = focus
        self.space = space
        self.calibrated = calibrated
        self.intercept = intercept
        self.passes = passes
        self.average = average
        self.random_state = random_state
        self.text = text

    # ------------------------------------------------------------------------------- learning

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Forget everything and learn from these rows; ``classes_`` is then sorted."""
        self._fit(X, y, sample_weight)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go on learning. Labels may appear in any call; ``classes``, if given first, fixes their order."""
        declared = self.__dict__.get("_labels")
        if classes is not None:
            self._declare(classes)
        try:
            self._fit_table(X, y, sample_weight)
        except BaseException:
            if declared is None:
                self.__dict__.pop("_labels", None)
            raise
        return self

    def _declare(self, classes: Any) -> None:
        wanted = as_labels(classes if isinstance(classes, np.ndarray) else list(classes), len(classes))
        labels = self.__dict__.get("_labels")
        if labels is None or (len(labels) == 0 and self._engine is None):
            self._labels = Labels(wanted.tolist(), wanted.dtype)
        elif set(wanted.tolist()) != set(labels.list) or len(wanted) != len(labels):
            raise ValueError(
                f"classes={wanted.tolist()!r} is not the same as on the last call to partial_fit, "
                f"was: {labels.list!r}. New labels need no announcement: leave classes out."
            )

    def _first_labels(self, y: Any, n: int) -> None:
        if y.columns is not None:
            self._labels = Labels(range(y.columns))
            return
        self._labels = Labels(in_order(y.distinct()))

    def _state(self) -> dict[str, Any]:
        own: dict[str, Any] = {name: self.__dict__[name] for name in _OWN if name in self.__dict__}
        return {**super()._state(), **own}

    def _new_engine(self, dtype: Any, width: int) -> Engine:
        if not isinstance(self.calibrated, (bool, np.bool_, int)):
            raise TypeError(f"calibrated must be True or False, got {self.calibrated!r}")
        labels = self.__dict__.setdefault("_labels", Labels())
        focus = self._chosen_focus()
        return self._engine_of(Multilabel(int(bool(self.calibrated))), focus, dtype, labels=len(labels), width=width)

    def _truths(self, y: Any, n: int) -> LabelSets:
        return as_label_sets(y, n)

    def _know_columns(self, sets: LabelSets) -> None:
        """Before the first rows of an indicator matrix its columns are labels; from then on they must fit."""
        engine = self._engine
        assert engine is not None
        if sets.columns is not None and sets.columns != len(self._labels):
            if len(self._labels):
                raise ValueError(
                    f"y has {sets.columns} columns, but {type(self).__name__} knows {len(self._labels)} labels; "
                    "an indicator matrix needs a column for each of classes_."
                )
            self._labels = Labels(range(sets.columns))
            self._grow_labels(sets.columns, engine.task)
        self.__dict__.setdefault("_as_matrix", sets.columns is not None)

    def _learn_table(self, table: Table, truths: LabelSets, weights: Any, record: Record | None) -> None:
        engine = self._engine
        assert engine is not None
        self._know_columns(truths)
        known = len(self._labels)
        codes, firsts = truths.encode(self._labels)
        done = 0
        for place, count in firsts:
            engine.learn(table, codes, weights, done, place, 0, record)
            known += count
            self._grow_labels(known, engine.task)
            engine.learn(table, codes, weights, place, place + 1, count, record)
            done = place + 1
        engine.learn(table, codes, weights, done, table.n, 0, record)

    def _fit_dicts(self, rows: Any, y: Any, sample_weight: Any, record: bool = False) -> Record | None:
        sets = self._truths(y, len(rows))
        with self._all_or_nothing(None):
            if self._engine is None and len(rows):
                self._begin_with(rows[0])
            if self._engine is not None:
                self._know_columns(sets)
                sets = sets.named(self._labels)
            return super()._fit_dicts(rows, sets, sample_weight, record)

    def _new_record(self, n: int, truths: LabelSets) -> Record:
        assert self._engine is not None
        new = 0
        if truths.columns is None:
            new = sum(label not in self._labels.codes for label in truths.distinct())
        return self._engine.new_record(n, max(len(self._labels) + new, truths.columns or 0))

    def _known_truth(self, y: Any) -> Any:
        if type(y) not in (tuple, list, set, frozenset):
            return None
        codes = self._labels.codes
        try:
            return np.array([codes[label] for label in y], np.int32)
        except (KeyError, TypeError):
            return None

    def _learn_one_of(self, x: Any, y: Any, weight: float) -> None:
        if y is None:
            raise ValueError("y is None; a collection of labels was expected, such as (), ('a',) or ('a', 'b').")
        plain = as_labels_of_row(y, f"y is {y!r}")
        engine, labels = self._engine, self._labels
        assert engine is not None
        new = [label for label in dict.fromkeys(plain) if label not in labels.codes]
        if not new:
            self._learn_checked(x, np.array([labels.codes[label] for label in plain], np.int32), weight)
        else:
            with self._all_or_nothing(None):
                for label in new:
                    labels.add(label)
                self._grow_labels(len(labels), engine.task)
                codes = np.array([labels.codes[label] for label in plain], np.int32)
                self._learn_checked(x, codes, weight, novel=len(new))
        self.__dict__.setdefault("_as_matrix", False)

    # ------------------------------------------------------------------------------- predicting

    def predict(self, X: Any) -> Any:
        """The labels of every row: an indicator matrix or a list of tuples, as the learner was taught."""
        chosen = self.decision_function(X) > 0
        return chosen.astype(np.int64) if self.__dict__.get("_as_matrix") else self._tuples(chosen)

    def _tuples(self, chosen: np.ndarray[Any, Any]) -> list[tuple[Any, ...]]:
        """Rows of an indicator matrix as tuples of labels."""
        rows, codes = np.nonzero(chosen)
        ends = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(chosen)))])
        return list(LabelSets(codes, ends, len(self._labels)).named(self._labels))

    def decision_function(self, X: Any) -> np.ndarray[Any, Any]:
        """A score for every row and label, by which labels are ranked; above 0 is predicted.

        It is the label's own score less the calibration label's, where there is one.
        """
        self._require_fitted()
        calibrated = self._calibrated
        scores = self._scores(X, calibrated + len(self._labels))
        return scores[:, 1:] - scores[:, :1] if calibrated else scores

    @property
    def _calibrated(self) -> int:
        """1 if the hypothesis has a calibration label, whatever `set_params` says since."""
        assert self._engine is not None
        return int(self._engine.task.calibrated)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows whose set of labels is predicted exactly."""
        self._require_fitted()
        chosen = self._tuples(self.decision_function(X) > 0)
        truths = as_label_sets(y, len(chosen))
        if truths.columns is not None and truths.columns != len(self._labels):
            raise ValueError(
                f"y has {truths.columns} columns, but {type(self).__name__} knows {len(self._labels)} labels."
            )
        right = [set(some) == set(others) for some, others in zip(chosen, truths.named(self._labels), strict=True)]
        return float(np.average(right, weights=sample_weight))

    def score_one(self, x: Any) -> dict[Any, float]:
        """The scores of one row: {label: score}; see `decision_function`."""
        self._require_fitted()
        engine = self._engine
        assert engine is not None
        self._predict_row(x)
        first, calibrated = self._first_lane(), self._calibrated
        scores = engine.scores[first : first + calibrated + len(self._labels)]
        own = scores[1:] - scores[0] if calibrated else scores
        return dict(zip(self._labels.list, own.tolist(), strict=True))

    def _answer(self, prediction: Any) -> tuple[Any, ...]:
        """The labels whose codes the kernel left behind: so many."""
        assert self._engine is not None
        labels = self._labels.list
        return tuple(labels[code] for code in self._engine.machine.task.counts[:prediction].tolist())

    def _recorded(self, prediction: Any, room: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """One bit a label."""
        assert self._engine is not None
        bits = np.zeros(64 * len(room), np.uint8)
        bits[self._engine.machine.task.counts[:prediction]] = 1
        return np.packbits(bits, bitorder="little").view("<u8").astype(np.uint64)

    def _report_predictions(self, words: np.ndarray[Any, Any]) -> Any:
        """A record's predictions: an indicator matrix, or an array of tuples."""
        bits = np.zeros((len(words), len(self._labels)), bool)
        for code in range(min(bits.shape[1], 64 * words.shape[1] if words.ndim == 2 else 0)):
            bits[:, code] = words[:, code // 64] >> np.uint64(code % 64) & np.uint64(1)
        if self.__dict__.get("_as_matrix"):
            return bits.astype(np.int64)
        tuples = np.empty(len(words), object)
        for row, labels in enumerate(self._tuples(bits)):
            tuples[row] = labels
        return tuples

    # ------------------------------------------------------------------------------- what was learnt

    @property
    def classes_(self) -> np.ndarray[Any, Any]:
        """The labels: sorted after `fit`, as given or as first seen otherwise."""
        if "_labels" not in self.__dict__ or self._engine is None:
            raise AttributeError("classes_ is there once something has been learnt")
        labels: Labels = self._labels
        return labels.array()

    @property
    def coef_(self) -> np.ndarray[Any, Any]:
        """The weights of `decision_function`: (labels, features)."""
        return self._own_lanes(super().coef_)

    @property
    def intercept_(self) -> np.ndarray[Any, Any]:
        """What every row's score has added to it, one number a label."""
        return self._own_lanes(super().intercept_)

    def _own_lanes(self, lanes: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The labels' lanes, less the calibration label's; or what they share, where they have none."""
        if isinstance(self._engine, (JointEngine, PhiEngine)) and not self._engine.shared:
            return lanes
        lanes = lanes[: self._calibrated + len(self._labels)]
        return lanes[1:] - lanes[:1] if self._calibrated else lanes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        tags.classifier_tags.multi_label = True
        return tags
