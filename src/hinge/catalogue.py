# SPDX-License-Identifier: BSD-3-Clause
"""Every algorithm by its usual name: one list, each entry a point in the grid of task, step, focus and space."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any, NamedTuple

from hinge.exact import Exact
from hinge.focus import Mistaken, Predicted, Proportional, Violated, Worst
from hinge.learners.base import Learner
from hinge.learners.classifier import Classifier
from hinge.learners.estimator import parameter_names
from hinge.learners.multilabel import MultilabelClassifier
from hinge.learners.oneclass import OneClass
from hinge.learners.ordinal import OrdinalClassifier
from hinge.learners.regressor import Regressor
from hinge.spaces.all_pairs import AllPairs
from hinge.spaces.features import Joint, LabelTfIdf, MailFeatures, Shared
from hinge.steps import PA, PA1, PA2, Perceptron


class Algorithm(NamedTuple):
    """One line of the catalogue: learner(step, **fixed)."""

    name: str
    learner: Callable[..., Learner]
    step: Callable[..., Any]
    fixed: dict[str, Any]
    where: str  # paper and section
    what: str  # one sentence


CATALOGUE = [
    # -- labels: two, or many with one weight vector each
    Algorithm("Perceptron", Classifier, Perceptron, {"focus": Predicted()}, "[OL] 2, [IW] 2.3",
              "moves by the row when its prediction is wrong; with importance weights, the multi-vector IWP"),
    Algorithm("PA", Classifier, PA, {"focus": Worst()}, "[PA06] 3, 7",
              "the least move that gives the row a margin of 1; for streams without noise"),
    Algorithm("PA-I", Classifier, PA1, {"focus": Worst()}, "[PA06] 3, 7",
              "as PA, but never farther than C: noise costs little"),
    Algorithm("PA-II", Classifier, PA2, {"focus": Worst()}, "[PA06] 3, 7",
              "as PA, with moves shrunk smoothly by 1/(2C)"),
    Algorithm("PA-I predicted", Classifier, PA1, {"focus": Predicted()}, "[PA06] 8, 9",
              "PA-I against the predicted label, if that is wrong; with cost=, the PB update"),
    Algorithm("PA-I max-loss", Classifier, PA1, {"focus": Worst()}, "[PA06] 8",
              "PA-I against the label of the largest loss; with cost=, the ML update"),
    # -- many labels, all of a round's constraints at once
    Algorithm("SimProj", Classifier, PA1, {"focus": Violated()}, "[SP06] 4",
              "every violated constraint moves as PA-I would, all with equal shares"),
    Algorithm("ConProj", Classifier, PA1, {"focus": Mistaken()}, "[SP06] 4",
              "as SimProj, for the mistaken constraints only"),
    Algorithm("SimPerc", Classifier, Perceptron, {"focus": Mistaken()}, "[SP06] 4",
              "every mistaken constraint moves as the Perceptron would; eta is the paper's C"),
    Algorithm("Max-MP", Classifier, PA1, {"focus": Worst()}, "[SP06] 6", "another name of PA-I with many labels"),
    Algorithm("uniform Perceptron", Classifier, Perceptron, {"focus": Mistaken()}, "[PA06] 7",
              "Crammer and Singer's: the labels scored as high as the true one share the blame equally"),
    Algorithm("max Perceptron", Classifier, Perceptron, {"focus": Worst()}, "[PA06] 7",
              "Crammer and Singer's: the highest of them takes it all"),
    Algorithm("proportional Perceptron", Classifier, Perceptron, {"focus": Proportional()}, "[PA06] 7",
              "Crammer and Singer's: in proportion to how much higher they score"),
    Algorithm("multi-vector Perceptron", Classifier, Perceptron, {"focus": Predicted()}, "[IW] 2.3",
              "one vector a label, with importance weights"),
    Algorithm("PA-I exact", Classifier, PA1, {"focus": Exact()}, "[SP06] 2",
              "the round's problem itself, which SimProj approximates, solved to rounding"),
    Algorithm("MIRA", Classifier, PA1, {"focus": Exact(margin=0.01)}, "[PA06] 10.3",
              "the exact projection with beta = 0.01; another beta is the margin of hinge.Exact"),
    # -- label-dependent features: one vector for all labels, or that and one for each
    Algorithm("PA-I single-prototype", Classifier, PA1, {"focus": Worst(), "space": Joint(LabelTfIdf())}, "[PA06] 7",
              "one vector for all labels, over their own TF-IDF of the row"),
    Algorithm("Max-SP", Classifier, PA1, {"focus": Worst(), "space": Joint(MailFeatures())}, "[SP06] 6",
              "one vector for all folders of e-mails, against the folder of the largest loss"),
    Algorithm("SimProj single-prototype", Classifier, PA1, {"focus": Violated(), "space": Joint(MailFeatures())},
              "[SP06] 6", "as Max-SP, but all violated constraints act, with equal shares"),
    Algorithm("ConProj single-prototype", Classifier, PA1, {"focus": Mistaken(), "space": Joint(MailFeatures())},
              "[SP06] 6", "as Max-SP, but all mistaken constraints act, with equal shares"),
    Algorithm("SimPerc single-prototype", Classifier, Perceptron, {"focus": Mistaken(), "space": Joint(MailFeatures())},
              "[SP06] 6", "every mistaken constraint moves as the Perceptron would; eta is the paper's C"),
    Algorithm("single-vector Perceptron", Classifier, Perceptron,
              {"focus": Predicted(), "space": Joint(LabelTfIdf())}, "[IW] 2.3",
              "Fink et al.: one vector for all labels, over label-dependent features"),
    Algorithm("mixed Perceptron", Classifier, Perceptron, {"focus": Predicted(), "space": Shared(LabelTfIdf())},
              "[IW] 4", "Fink et al.: one vector for all labels, and one for each"),
    # -- a vector for each pair of labels
    Algorithm("all-pair Perceptron", Classifier, Perceptron, {"focus": Predicted(), "space": AllPairs()}, "[IW] 4.1",
              "a vector for each pair, whose scores add up; the same predictions as multi-vector"),
    Algorithm("all-pair Max-Win Perceptron", Classifier, Perceptron,
              {"focus": Predicted(), "space": AllPairs("max-win")}, "[IW] 4.1",
              "a vector for each pair; the label that wins most duels is predicted"),
    # -- sets of labels
    Algorithm("Perceptron multilabel", MultilabelClassifier, Perceptron, {"focus": Predicted()}, "[PA06] 7",
              "the pair ranked worst moves, if the ranking is wrong"),
    Algorithm("PA multilabel", MultilabelClassifier, PA, {"focus": Worst()}, "[PA06] 7",
              "the lowest relevant label and the highest other come to a margin of 1"),
    Algorithm("PA-I multilabel", MultilabelClassifier, PA1, {"focus": Worst()}, "[PA06] 7",
              "as PA multilabel, but never farther than C"),
    Algorithm("PA-II multilabel", MultilabelClassifier, PA2, {"focus": Worst()}, "[PA06] 7",
              "as PA multilabel, with moves shrunk smoothly by 1/(2C)"),
    Algorithm("SimProj multilabel", MultilabelClassifier, PA1, {"focus": Violated()}, "[SP06] 4",
              "every violated pair moves as PA-I would, all with equal shares"),
    Algorithm("ConProj multilabel", MultilabelClassifier, PA1, {"focus": Mistaken()}, "[SP06] 4",
              "as SimProj multilabel, for the mistaken pairs only"),
    Algorithm("SimPerc multilabel", MultilabelClassifier, Perceptron, {"focus": Mistaken()}, "[SP06] 4",
              "every mistaken pair moves as the Perceptron would; eta is the paper's C"),
    Algorithm("PA-I exact multilabel", MultilabelClassifier, PA1, {"focus": Exact()}, "[SP06] 2",
              "the round's problem itself, over all pairs, solved to rounding"),
    # -- ranks
    Algorithm("PA-I ordinal", OrdinalClassifier, PA1, {"focus": Worst()}, "[SP06] 3",
              "one score, and thresholds between ranks; the threshold violated most moves, and the score with it"),
    Algorithm("SimProj ordinal", OrdinalClassifier, PA1, {"focus": Violated()}, "[SP06] 3, 4",
              "every violated threshold moves as in PA-I ordinal, all with equal shares"),
    Algorithm("ConProj ordinal", OrdinalClassifier, PA1, {"focus": Mistaken()}, "[SP06] 3, 4",
              "as SimProj ordinal, for the mistaken thresholds only"),
    Algorithm("SimPerc ordinal", OrdinalClassifier, Perceptron, {"focus": Mistaken()}, "[SP06] 3, 4",
              "every mistaken threshold moves as the Perceptron would; eta is the paper's C"),
    Algorithm("PA-I exact ordinal", OrdinalClassifier, PA1, {"focus": Exact()}, "[SP06] 2, 3",
              "the round's problem itself, over all thresholds, solved to rounding"),
    # -- numbers
    Algorithm("PA regression", Regressor, PA, {}, "[PA06] 5", "the least move that brings the error down to epsilon"),
    Algorithm("PA-I regression", Regressor, PA1, {}, "[PA06] 5", "as PA regression, never farther than C"),
    Algorithm("PA-II regression", Regressor, PA2, {}, "[PA06] 5", "as PA regression, shrunk smoothly"),
    # -- one class
    Algorithm("PA uniclass", OneClass, PA, {}, "[PA06] 6", "a centre that moves until the row is inside its radius"),
    Algorithm("PA-I uniclass", OneClass, PA1, {}, "[PA06] 6", "as PA uniclass, never farther than C"),
    Algorithm("PA-II uniclass", OneClass, PA2, {}, "[PA06] 6", "as PA uniclass, shrunk smoothly"),
]  # fmt: skip


def names() -> list[str]:
    """The names of all algorithms.

    >>> import hinge
    >>> "PA-I" in hinge.names()
    True
    """
    return [algorithm.name for algorithm in CATALOGUE]


def named(name: str, **parameters: Any) -> Any:
    """A learner that runs an algorithm; parameters are those of its step (C, eta) and of its learner.

    >>> import hinge
    >>> hinge.named("PA-I", C=0.1)
    Classifier(PA1(C=0.1), focus=Worst())
    """
    algorithm = find(name)
    in_step = getattr(algorithm.step, "_fields", ())
    in_learner = [name for name in parameter_names(algorithm.learner) if name not in {"step", *algorithm.fixed}]
    known = [*in_step, *in_learner]
    for parameter in parameters:
        if parameter not in known:
            raise TypeError(f"{algorithm.name} has no parameter {parameter!r}; it has: {', '.join(known)}.")
    step = algorithm.step(**{key: value for key, value in parameters.items() if key in in_step})
    rest = {key: value for key, value in parameters.items() if key not in in_step}
    return algorithm.learner(step, **algorithm.fixed, **rest)


def find(name: str) -> Algorithm:
    """The entry of a name, whatever its capitals, blanks and dashes."""
    by_key = {_key(algorithm.name): algorithm for algorithm in CATALOGUE}
    algorithm = by_key.get(_key(name))
    if algorithm is None:
        close = difflib.get_close_matches(_key(name), by_key, n=1, cutoff=0.5)
        hint = f" Did you mean {by_key[close[0]].name!r}?" if close else ""
        raise ValueError(f"no algorithm is called {name!r}.{hint} hinge.names() lists all.")
    return algorithm


def _key(name: str) -> str:
    """PA1, pa-1 and PA-I are one."""
    key = "".join(letter for letter in str(name).lower() if letter.isalnum())
    return key.replace("pa2", "paii").replace("pa1", "pai")
