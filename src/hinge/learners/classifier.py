# SPDX-License-Identifier: BSD-3-Clause
"""Classification with two labels or many, known beforehand or not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from hinge.costs import cost_matrix, needs_an_order
from hinge.engine import NOTHING, Engine, Record
from hinge.inputs import Table
from hinge.learners.labels import Labels, as_labels, in_order
from hinge.learners.linear import LinearLearner
from hinge.spaces.all_pairs import AllPairs
from hinge.spaces.features import Joint, Shared
from hinge.steps import PA1
from hinge.tasks.binary import Binary
from hinge.tasks.costly import Costly
from hinge.tasks.multiclass import Multiclass


class Classifier(LinearLearner):
    """Learn labels from a stream: binary with two, one weight vector a label with more.

    With two labels it is the paper's binary algorithm ([PA06] 3): one hypothesis w, the second label where
    w . x > 0. When a third label appears, w becomes -w/2 for the first label and +w/2 for the second, which changes no
    prediction, and learning goes on with a vector for each label ([PA06] 7).

    Parameters
    ----------
    step
        How far a violated constraint moves the hypothesis: `PA1`, `PA2`, `PA`, `Perceptron` or your own; or a list of
        them, raced side by side in one pass. The one with the fewest mistakes so far predicts; see ``contenders_``.
    focus
        Which of a round's constraints act: `Worst`, `Predicted`, `Violated`, `Mistaken`, `Proportional` or `Exact`.
        None is what the step's paper uses, Predicted for the Perceptron and Worst for the others.
    space
        `Linear()`, which is what None means, or a `Kernel`; or one where each label sees the row its own way: `Joint`,
        `Shared`, or `AllPairs`, a vector for each pair of labels.
    cost
        What a mistake costs ([PA06] 8): a matrix, a row for each true label; pairs, {(true, predicted): cost}, 1 where
        none is given; or a tree of labels, {label: parent} or nested, where the length of the path counts. The true
        label is then to outrank another by the square root of the cost.
    class_weight
        None, a dict {label: importance}, or "balanced" (in `fit` only).
    intercept
        The value b of one more, constant feature, counted in ||x||² like any other. "auto": the root mean square of
        the non-zeros of the first row learnt from. True is 1.0, False none. With a kernel there is none.
    passes
        How often `fit` goes through the rows.
    average
        Predict with the mean of all hypotheses so far instead of the last one.
    random_state
        None: `fit` takes the rows as they come. A number: in a random order, another one in each pass.
    text
        How texts become rows, a `hinge.Text`; None is what ``hinge.Text()`` does.

    >>> import hinge
    >>> clf = hinge.Classifier(hinge.PA1(C=0.5))
    >>> clf = clf.learn_one({"free": 2.0, "prize": 1.0}, "spam").learn_one({"meeting": 1.0}, "ham")
    >>> clf.predict_one({"free": 2.0, "prize": 2.0})
    'spam'
    """

    _kind = "classifier"
    _spaces = Joint, Shared, AllPairs

    def __init__(
        self,
        step: Any = PA1(),  # noqa: B008  (a step is immutable)
        focus: Any = None,
        space: Any = None,
        *,
        cost: Any = None,
        class_weight: Any = None,
        intercept: Any = "auto",
        passes: int = 1,
        average: bool = False,
        random_state: int | None = None,
        text: Any = None,
    ) -> None:
        self.step = step
        self.focus = focus
        self.space = space
        self.cost = cost
        self.class_weight = class_weight
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
        """Go on learning. New labels may appear in any call; ``classes``, if given first, fixes their order."""
        if isinstance(self.class_weight, str):
            raise ValueError(
                "class_weight='balanced' needs all labels at once, in fit; for partial_fit give a dict {label: weight}."
            )
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
        if labels is None:
            self._labels = Labels(wanted.tolist(), wanted.dtype)
            return
        strange = [label for label in wanted.tolist() if label not in labels.codes]
        if strange or len(wanted) != len(labels):
            raise ValueError(
                f"classes={wanted.tolist()!r} is not the same as on the last call to partial_fit, "
                f"was: {labels.list!r}. New labels need no announcement: leave classes out."
            )

    def _first_labels(self, y: Any, n: int) -> None:
        checked = as_labels(y, n)
        labels = Labels()
        labels.encode(checked)
        self._labels = Labels(in_order(labels.list), checked.dtype)
        if isinstance(self.class_weight, str) and self.class_weight == "balanced":
            found, counts = np.unique(checked, return_counts=True)
            self._balanced = dict(zip(found.tolist(), (n / (len(found) * counts)).tolist(), strict=True))

    def _importances(self, y: Any, weights: Any) -> Any:
        """The weights of rows, times those of their labels."""
        if self.class_weight is None:
            return weights
        by_label = self._class_weights()
        own = np.array([by_label.get(label, 1.0) for label in y.tolist()], np.float64)
        return own if weights is None else own * weights

    def _class_weights(self) -> Mapping[Any, float]:
        if isinstance(self.class_weight, str) and "_balanced" in self.__dict__:
            return self._balanced
        if not isinstance(self.class_weight, Mapping):
            raise ValueError(
                f'class_weight must be None, "balanced" or a dict {{label: weight}}, got {self.class_weight!r}'
            )
        for label, weight in self.class_weight.items():
            if not (isinstance(weight, (int, float, np.number)) and 0 <= weight < np.inf):
                raise ValueError(
                    f"class_weight has {weight!r} for {label!r}; a finite weight, not negative, was expected."
                )
        return self.class_weight

    def _state(self) -> dict[str, Any]:
        state = super()._state()
        if "_labels" in self.__dict__:
            state["_labels"] = self._labels
        return state

    def _new_engine(self, dtype: Any, width: int) -> Engine:
        labels = self.__dict__.setdefault("_labels", Labels())
        focus = self._chosen_focus()
        return self._engine_of(self._task(), focus, dtype, labels=len(labels), width=width)

    def _task(self, known: int | None = None) -> Any:
        """The task of the labels known so far, or of the first ``known``; costs are those of all, which may be more."""
        labels = self._labels.list
        if self.cost is not None:
            if needs_an_order(self.cost) and not labels:
                raise ValueError(
                    "cost is a matrix, whose rows need an order of the labels: give classes= in the first partial_fit, "
                    "use fit, or give the costs by name, {(true, predicted): cost}."
                )
            return Costly(np.sqrt(cost_matrix(self.cost, labels)))
        return Binary() if len(labels[:known]) <= 2 and not self._labelwise else Multiclass()

    def _costs(self, y: Any, predictions: Any, weights: Any) -> Any:
        if self.cost is None:
            return super()._costs(y, predictions, weights)
        truths = [self._labels.codes[label] for label in (y.tolist() if isinstance(y, np.ndarray) else y)]
        matrix = cost_matrix(self.cost, self._labels.list)[truths, predictions]
        return np.where(predictions < 0, 0.0, matrix if weights is None else matrix * weights)

    def _truths(self, y: Any, n: int) -> Any:
        return as_labels(y, n)

    def _learn_table(self, table: Table, truths: Any, weights: Any, record: Record | None) -> None:
        engine = self._engine
        assert engine is not None
        known = len(self._labels)
        if self._labels.dtype is None:
            self._labels.dtype = truths.dtype
        codes, firsts = self._labels.encode(truths)
        weights = self._importances(truths, weights)
        priced = self._task() if firsts and self.cost is not None else None  # the same for all labels of the batch
        done = 0
        for number, place in enumerate(firsts):
            engine.learn(table, codes, weights, done, place, 0, record)
            self._grow_labels(known + number + 1, priced or self._task(known + number + 1))
            engine.learn(table, codes, weights, place, place + 1, 1, record)
            done = place + 1
        engine.learn(table, codes, weights, done, table.n, 0, record)

    def _known_truth(self, y: Any) -> Any:
        if self.class_weight is not None:
            return None
        try:
            return self._labels.codes.get(y)
        except TypeError:
            return None

    def _truth(self, y: Any) -> Any:
        if y is None or y != y:
            raise ValueError(f"y is {y!r}; a label was expected.")
        try:
            return self._labels.codes.get(y)
        except TypeError:
            raise TypeError(f"y is {y!r}, which is not hashable; labels are numbers, strings, tuples, ...") from None

    def _learn_one_of(self, x: Any, y: Any, weight: float) -> None:
        if self.class_weight is not None:
            weight *= float(self._class_weights().get(y, 1.0))
        code = self._truth(y)
        if code is not None:
            self._learn_checked(x, code, weight)
            return
        engine = self._engine
        assert engine is not None
        kept = engine.copy(NOTHING)
        code = self._labels.add(y.item() if isinstance(y, np.generic) else y)
        try:
            self._grow_labels(len(self._labels), self._task())
            self._learn_checked(x, code, weight, novel=1)
        except BaseException:
            self._labels.forget(code)
            engine.put_back(kept)
            raise

    # ------------------------------------------------------------------------------- predicting

    def predict(self, X: Any) -> np.ndarray[Any, Any]:
        """The label of every row."""
        self._require_fitted()
        scores = self.decision_function(X)
        if len(self._labels) == 0:
            self._require_labels()
        codes = (scores > 0).astype(np.int64) if scores.ndim == 1 else scores.argmax(1)
        labels: np.ndarray[Any, Any] = self.classes_[np.minimum(codes, len(self._labels) - 1)]
        return labels

    def _require_labels(self) -> None:
        raise ValueError("this Classifier knows no label yet: it has learnt from no row.")

    def decision_function(self, X: Any) -> np.ndarray[Any, Any]:
        """Scores: with two labels one a row, above 0 for ``classes_[1]``; with more one a row and label."""
        self._require_fitted()
        labels = len(self._labels)
        if labels > 2:
            return self._scores(X, labels)
        if self._one_score:
            one: np.ndarray[Any, Any] = self._scores(X, 1)[:, 0]
            return one
        both = self._scores(X, 2)
        difference: np.ndarray[Any, Any] = both[:, 1] - both[:, 0]
        return difference

    @property
    def _one_score(self) -> bool:
        """Whether the labels have one score together, as two have in the paper's binary algorithm."""
        assert self._engine is not None
        return isinstance(self._engine.task, Binary)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows whose label is predicted right."""
        right = self.predict(X) == np.asarray(y)
        return float(np.average(right, weights=sample_weight))

    def score_one(self, x: Any) -> Any:
        """The scores of one row: {label: score}; with two that have one score together, -w . x and w . x."""
        self._require_fitted()
        engine = self._engine
        assert engine is not None
        self._predict_row(x)
        first = self._first_lane()
        labels = self._labels.list
        if self._one_score:
            score = float(engine.scores[first])
            return dict(zip(labels, (-score, score), strict=False))
        return {label: float(engine.scores[first + code]) for code, label in enumerate(labels)}

    def _answer(self, prediction: Any) -> Any:
        return self._labels.list[prediction] if prediction >= 0 else None

    @property
    def classes_(self) -> np.ndarray[Any, Any]:
        """The labels: sorted after `fit`, as given or as first seen otherwise."""
        if "_labels" not in self.__dict__ or self._engine is None:
            raise AttributeError("classes_ is there once something has been learnt")
        labels: np.ndarray[Any, Any] = self._labels.array()
        return labels

    def _report_predictions(self, codes: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Codes of a record as labels; None where there was none to predict."""
        if len(codes) and codes.min() < 0:
            named = np.empty(len(codes), object)
            named[:] = [self._answer(code) for code in codes.tolist()]
            return named
        return self._labels.array()[codes] if len(self._labels) else codes.astype(object)
