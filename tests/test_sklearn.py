# SPDX-License-Identifier: BSD-3-Clause
"""scikit-learn's own checks of an estimator, for every kind of learner; what may fail stands here, with why."""

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_outlier_detector, is_regressor
from sklearn.model_selection import cross_val_predict, cross_val_score
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import estimator_checks_generator

import hinge

LEARNERS = [
    hinge.Classifier(),
    hinge.Classifier([hinge.PA1(C=0.1), hinge.PA1(C=1.0)], average=True),
    hinge.Classifier(hinge.Perceptron(), passes=3, random_state=0),
    hinge.Regressor(),
    hinge.Regressor(hinge.PA2(C=0.1), average=True, passes=2, random_state=0),
    hinge.OneClass(),
    hinge.OneClass(hinge.PA(), radius=1.0, start="zero"),
]

WEIGHTS = {
    "check_sample_weight_equivalence_on_dense_data": "a weight of 2 doubles C, which is not the same as two rounds",
    "check_sample_weight_equivalence_on_sparse_data": "a weight of 2 doubles C, which is not the same as two rounds",
    "check_all_zero_sample_weights_error": "a weight of 0 skips its round; if all are skipped, that is no error",
}
DEFAULTS = {"check_parameters_default_constructible": "the default of step is a step, not a number or a name"}

#: What is expected to fail, by learner and check, and why.
EXPECTED: dict[str, dict[str, str]] = {
    "Classifier": {**WEIGHTS, **DEFAULTS},
    "Regressor": {
        **WEIGHTS,
        **DEFAULTS,
        "check_regressors_no_decision_function": "every learner here has one; of a regressor it is the prediction",
    },
    "OneClass": {**WEIGHTS, **DEFAULTS},
}
#: With a radius that is learnt, up to twice the first row's norm.
NO_OUTLIERS = {
    "check_outliers_fit_predict": "a learnt radius grows until the rows are inside: outliers are rows to come",
    "check_outliers_train": "a learnt radius grows until the rows are inside: outliers are rows to come",
}


def expected(learner: Any) -> dict[str, str]:
    open_radius = isinstance(learner, hinge.OneClass) and learner.radius is None
    return {**EXPECTED[type(learner).__name__], **(NO_OUTLIERS if open_radius else {})}


def checks() -> list[Any]:
    """Every learner with every check; those expected to fail must fail."""
    with warnings.catch_warnings():
        # It warns of estimators that do not inherit from its own class, which would have to be imported for that.
        warnings.filterwarnings("ignore", "Estimator .* does not inherit")
        return [
            pytest.param(estimator, check, id=f"{estimator!r}-{getattr(check, 'func', check).__name__}-{number}")
            for learner in LEARNERS
            for number, (estimator, check) in enumerate(estimator_checks_generator(learner, mark=None))
        ]


@pytest.mark.filterwarnings("ignore:Estimator .* does not inherit")
@pytest.mark.parametrize(("estimator", "check"), checks())
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    name = getattr(check, "func", check).__name__
    if name in expected(estimator):
        with pytest.raises(AssertionError):
            check(estimator)
        return
    check(estimator)


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_what_a_learner_is(learner: Any) -> None:
    kinds = [is_classifier(learner), is_regressor(learner), is_outlier_detector(learner)]
    assert kinds == [isinstance(learner, kind) for kind in (hinge.Classifier, hinge.Regressor, hinge.OneClass)]
    assert learner.__sklearn_tags__().input_tags.sparse
    public = {name: getattr(hinge, name) for name in hinge.__all__}
    assert eval(repr(learner), public).get_params() == learner.get_params()
    assert clone(learner).get_params() == learner.get_params()
    with pytest.raises(ValueError, match=r"Invalid parameter 'stepp'.*step"):
        learner.set_params(stepp=1)


def test_scores_are_scikit_learns(rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 4))
    y = X @ [1.0, -2.0, 0.5, 0.0] + 0.1 * rng.normal(size=60)
    weights = rng.random(60)
    regressor, classifier = hinge.Regressor().fit(X, y), hinge.Classifier().fit(X, y > 0)
    errors, mean = (y - regressor.predict(X)) ** 2, np.average(y, weights=weights)
    expected_r2 = 1 - np.average(errors, weights=weights) / np.average((y - mean) ** 2, weights=weights)
    assert regressor.score(X, y, weights) == pytest.approx(expected_r2)
    right = classifier.predict(X) == (y > 0)
    assert classifier.score(X, y > 0, weights) == pytest.approx(np.average(right, weights=weights))
    assert cross_val_score(hinge.Classifier(), X, y > 0, cv=3).mean() > 0.8
    assert cross_val_score(hinge.Regressor(), X, y, cv=3).mean() > 0.8
    assert cross_val_predict(hinge.Classifier(), X, y > 0, cv=3).shape == (60,)


def test_tools_of_scikit_learn(rng: np.random.Generator) -> None:
    X, Y = rng.normal(size=(40, 3)), rng.integers(0, 2, (40, 2))
    assert MultiOutputClassifier(hinge.Classifier()).fit(X, Y).predict(X).shape == (40, 2)
    pipeline = make_pipeline(FunctionTransformer(lambda X: X), hinge.Classifier())
    pipeline.fit(X, Y[:, 0], classifier__sample_weight=np.ones(40))
    alone = hinge.Classifier().fit(X, Y[:, 0])
    np.testing.assert_array_equal(pipeline[-1].coef_, alone.coef_)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(alone)).coef_, alone.coef_)


def test_class_weights_are_weights_of_rows(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 3, 60) // 2
    factors = np.where(y == 1, 3.0, 0.5)
    by_label = hinge.Classifier(class_weight={0: 0.5, 1: 3.0}).fit(X, y)
    by_row = hinge.Classifier().fit(X, y, sample_weight=factors)
    np.testing.assert_array_equal(by_label.coef_, by_row.coef_)
    balanced = hinge.Classifier(class_weight="balanced").fit(X, y)
    counts = np.bincount(y)
    by_count = hinge.Classifier().fit(X, y, sample_weight=60 / (2 * counts[y]))
    np.testing.assert_allclose(balanced.coef_, by_count.coef_, rtol=1e-12)
    one_by_one = hinge.Classifier(class_weight={0: 0.5, 1: 3.0})
    for row, label in zip(X, y, strict=True):
        one_by_one.learn_one(row, label)
    at_once = hinge.Classifier(class_weight={0: 0.5, 1: 3.0}).partial_fit(X, y)
    np.testing.assert_array_equal(one_by_one.coef_, at_once.coef_)
    for bad, message in [({0: -1}, "-1 for 0"), ("some", "class_weight must be"), ({1: "x"}, "'x' for 1")]:
        with pytest.raises(ValueError, match=message):
            hinge.Classifier(class_weight=bad).fit(X, y)
    with pytest.raises(ValueError, match=r"balanced.*fit"):
        hinge.Classifier(class_weight="balanced").partial_fit(X, y)


BAD_PARAMETERS = [
    (hinge.Classifier("PA1"), TypeError, "step must be a step"),
    (hinge.Classifier(hinge.PA1), TypeError, "an instance was expected"),
    (hinge.Classifier([]), ValueError, "empty list"),
    (hinge.Classifier(hinge.PA1(C=0)), ValueError, "C must be above 0"),
    (hinge.Classifier(hinge.PA1(C=float("inf"))), ValueError, r"hinge\.PA\(\)"),
    (hinge.Classifier(hinge.PA2(C=float("nan"))), ValueError, "NaN"),
    (hinge.Classifier(hinge.PA1(C="1")), TypeError, "C must be a number"),
    (hinge.Classifier(focus="worst"), TypeError, "focus must be"),
    (hinge.Classifier(space="linear"), TypeError, "space must be"),
    (hinge.Classifier(intercept="big"), ValueError, "intercept must be"),
    (hinge.Classifier(intercept=float("nan")), ValueError, "intercept must be"),
    (hinge.Classifier(passes=0), ValueError, "passes must be"),
    (hinge.Regressor(epsilon=-1), ValueError, "epsilon must be"),
    (hinge.OneClass(radius=-1), ValueError, "radius must be"),
    (hinge.OneClass(bound=0), ValueError, "bound must be"),
    (hinge.OneClass(radius=1, bound=2), ValueError, "give one of the two"),
    (hinge.OneClass(start="middle"), ValueError, "start must be"),
    (hinge.OneClass([hinge.PA()]), TypeError, "one step"),
]


@pytest.mark.parametrize(("learner", "kind", "message"), BAD_PARAMETERS, ids=[repr(case[0]) for case in BAD_PARAMETERS])
def test_parameters_are_checked_when_something_is_learnt(learner: Any, kind: type, message: str) -> None:
    X, y = np.eye(3), [0, 1, 0]
    with pytest.raises(kind, match=message):
        learner.fit(X, y)
    if learner.get_params().get("passes", 1) == 1:
        for call in (lambda: learner.partial_fit(X, y), lambda: learner.learn_one({"a": 1.0}, 0)):
            with pytest.raises(kind, match=message):
                call()
    assert not learner.__sklearn_is_fitted__()


def test_what_was_not_learnt_cannot_be_asked_for() -> None:
    from sklearn.exceptions import NotFittedError

    for learner in (hinge.Classifier(), hinge.Regressor(), hinge.OneClass()):
        for call in (learner.predict, learner.decision_function):
            with pytest.raises(NotFittedError, match="learnt from no row"):
                call(np.eye(2))
        assert learner.predict_one({"a": 1.0}) is None
        assert not hasattr(learner, "n_features_in_")
    assert not hasattr(hinge.Classifier(), "classes_")
    with pytest.raises(ValueError, match="knows no label yet"):
        hinge.Classifier().partial_fit(np.zeros((0, 2)), []).predict(np.eye(2))
