# SPDX-License-Identifier: BSD-3-Clause
"""What a user says of label-dependent features: which there are (`Gates`, `MailFeatures`, `LabelTfIdf`), and whether
labels have vectors of their own beside the one they share (`Shared`) or not (`Joint`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from hinge.spaces.joint import FixedGates, MailGates, RarityGates

#: Beyond this a gate's square, times that of a value, is no number one can count with.
_LARGEST = 1e100


class Joint(NamedTuple):
    """One vector v for all labels: the score of label r is v . Phi(x, r) ([PA06] 7, single-prototype).

    ``features`` is `Gates`, `MailFeatures`, `LabelTfIdf`, or an object of yours with a method ``features(x, label)``
    that returns Phi(x, label): a dict {name: value}, a 1-D array or a sparse row.

    >>> import hinge
    >>> gates = hinge.Gates({"cat": [1.0, 0.0], "dog": [0.0, 1.0]})
    >>> clf = hinge.Classifier(hinge.PA(), space=hinge.Joint(gates)).fit([[1.0, 0.0], [0.0, 1.0]], ["cat", "dog"])
    >>> clf.joint_coef_
    array([1., 1.])
    """

    features: Any


class Shared(NamedTuple):
    """One vector for all labels and one for each: v . Phi(x, r) + w_r . x (Fink et al. in [IW] 4). See `Joint`.

    >>> import hinge
    >>> clf = hinge.Classifier(space=hinge.Shared(hinge.LabelTfIdf()), intercept=False)
    >>> for row, label in [({"free": 2.0}, "spam"), ({"meeting": 1.0}, "ham"), ({"free": 1.0}, "spam")]:
    ...     clf = clf.learn_one(row, label)
    >>> clf.predict_one({"free": 1.0, "lunch": 1.0})
    'spam'
    """

    features: Any


class Gates(NamedTuple):
    """Phi_j(x, r) = x_j g[j, r]: which features speak for which labels, and how much.

    ``table`` is a matrix with a row for each feature and a column for each label, in the order of ``classes_``; or a
    dict {label: vector}. Features known by name count in the order in which they are first seen.
    """

    table: Any

    def check(self, width: int, labels: Sequence[Any]) -> None:
        """Raise unless there is a gate for each of so many features and each of these labels."""
        if isinstance(self.table, Mapping):
            for label in labels:
                if label not in self.table:
                    raise ValueError(f"the label {label!r} has no gates; hinge.Gates knows {list(self.table)!r}.")
        table = self._matrix(labels)
        if table.shape[1] < len(labels):
            raise ValueError(
                f"the label {labels[table.shape[1]]!r} has no gates: the table of hinge.Gates has {table.shape[1]} "
                f"columns, a column a label in the order of classes_, which are {list(labels)!r}."
            )
        if table.shape[0] < width:
            raise ValueError(
                f"there are {width} features, but hinge.Gates has gates for {table.shape[0]}: its table has a row for "
                "each feature and a column for each label."
            )

    def _matrix(self, labels: Sequence[Any]) -> np.ndarray[Any, Any]:
        """The table; of a dict, the columns of these labels."""
        try:
            if isinstance(self.table, Mapping):
                columns = [np.asarray(self.table[label], np.float64) for label in labels or self.table]
                table = np.column_stack(columns) if columns else np.zeros((0, 0))
            else:
                table = np.asarray(self.table.toarray() if hasattr(self.table, "toarray") else self.table, np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"hinge.Gates takes a matrix, or vectors of one length; {error}.") from None
        if table.ndim != 2:
            raise ValueError(f"hinge.Gates takes a matrix of features and labels, not an array of shape {table.shape}.")
        bad = np.argwhere(~(np.abs(table) < _LARGEST))
        if len(bad):
            j, r = bad[0]
            raise ValueError(f"hinge.Gates has {table[j, r]:g} in row {j}, column {r}; gates are below {_LARGEST:g}.")
        return table

    def memory(self, room: int, lanes: int, dtype: Any) -> dict[str, Any]:
        """(kind and size) of what is kept for so many features and labels."""
        return {"gates": (dtype, room * lanes)}

    def fill(self, memory: Any, room: int, lanes: int, labels: Sequence[Any]) -> None:
        """Write the table into the memory."""
        table = self._matrix(labels)[:room, : len(labels)]
        memory.gates.reshape(room, lanes)[: len(table), : len(labels)] = table

    def ready(self, memory: Any, lanes: int) -> FixedGates:
        """The gates for kernels."""
        return FixedGates(memory.gates, lanes, float(np.abs(memory.gates).max(initial=0)))


class MailFeatures(NamedTuple):
    """The features of e-mail folders in [SP06] 6, counted while learning.

    Phi_j(x, r) is 2 x_j if word j was in at least a fifth of the messages filed in folder r so far, -x_j if it was in
    fewer than 2 % of them, and else 0.

    >>> import hinge
    >>> clf = hinge.Classifier(space=hinge.Joint(hinge.MailFeatures()))
    >>> for words, folder in [("lunch today", "friends"), ("budget today", "work"), ("lunch", "friends")]:
    ...     clf = clf.learn_one({word: 1.0 for word in words.split()}, folder)
    >>> clf.predict_one({"lunch": 1.0})
    'friends'
    """

    def check(self, width: int, labels: Sequence[Any]) -> None:
        """Anything can be counted."""

    def memory(self, room: int, lanes: int, dtype: Any) -> dict[str, Any]:
        """(kind and size) of what is kept for so many features and labels."""
        return {"gates": (np.int32, room * lanes), "by_label": (np.int64, lanes)}

    def fill(self, memory: Any, room: int, lanes: int, labels: Sequence[Any]) -> None:
        """All counts begin at 0."""

    def ready(self, memory: Any, lanes: int) -> MailGates:
        """The gates for kernels."""
        return MailGates(memory.gates, memory.by_label, lanes)


class LabelTfIdf(NamedTuple):
    """The label-dependent TF-IDF of [PA06] 7, counted while learning: Phi_j(x, r) = x_j log(|S| / DF(j, not r)).

    S are the rows so far, and DF(j, not r) is how often j occurred in those not of label r, at least 1.
    """

    def check(self, width: int, labels: Sequence[Any]) -> None:
        """Anything can be counted."""

    def memory(self, room: int, lanes: int, dtype: Any) -> dict[str, Any]:
        """(kind and size) of what is kept for so many features and labels."""
        return {"gates": (np.float64, room * lanes), "sums": (np.float64, room), "by_label": (np.int64, 1)}

    def fill(self, memory: Any, room: int, lanes: int, labels: Sequence[Any]) -> None:
        """All sums begin at 0."""

    def ready(self, memory: Any, lanes: int) -> RarityGates:
        """The gates for kernels."""
        return RarityGates(memory.gates, memory.sums, memory.by_label, lanes)


BUILT_IN = Gates, MailFeatures, LabelTfIdf


def check_features(space: Any) -> None:
    """Raise for label-dependent features that are none."""
    features = space.features
    name = type(space).__name__
    if isinstance(features, type):
        raise TypeError(f"hinge.{name} got the class {features.__name__}; an instance was expected.")
    if isinstance(features, BUILT_IN):
        features.check(0, [])
    elif not callable(getattr(features, "features", None)):
        raise TypeError(
            f"hinge.{name} takes hinge.Gates(table), hinge.MailFeatures(), hinge.LabelTfIdf(), or an object with a "
            f"method features(x, label); got {features!r}"
        )
