# SPDX-License-Identifier: BSD-3-Clause
"""scikit-learn's contract for estimators, kept without importing scikit-learn.

Parameters are the arguments of ``__init__``, stored as they are and checked when something is first learnt.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Self

import numpy as np


def parameter_names(cls: Callable[..., Any]) -> tuple[str, ...]:
    """The arguments of ``__init__``, in order."""
    return tuple(inspect.signature(cls).parameters)


class Estimator:
    """`get_params`, `set_params`, the representation and the tags that scikit-learn's tools look for."""

    #: The hypothesis, once something has been learnt.
    _engine: Any = None
    #: "classifier", "regressor" or "outlier_detector".
    _kind: str
    #: Whether predictions have a distance from the truth, which reports sum up: see `_distance`.
    _measures_distance = False

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters as they were given."""
        return {name: getattr(self, name) for name in parameter_names(type(self))}

    def set_params(self, **parameters: Any) -> Self:
        """Change parameters; what was learnt stays until the next `fit`."""
        known = parameter_names(type(self))
        for name in parameters:
            if name not in known:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {list(known)}."
                )
        for name, value in parameters.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        parts = []
        for name, parameter in inspect.signature(type(self).__init__).parameters.items():
            if name == "self":
                continue
            value = getattr(self, name)
            if not _same(value, parameter.default):
                parts.append(repr(value) if name == "step" else f"{name}={value!r}")
        return f"{type(self).__name__}({', '.join(parts)})"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, RegressorTags, Tags, TargetTags

        return Tags(
            estimator_type=self._kind,
            target_tags=TargetTags(required=self._kind != "outlier_detector"),
            classifier_tags=ClassifierTags() if self._kind == "classifier" else None,
            regressor_tags=RegressorTags(poor_score=True) if self._kind == "regressor" else None,
            input_tags=InputTags(sparse=True),
        )

    @property
    def n_features_in_(self) -> int:
        """How many features there are so far."""
        if self._engine is None:
            raise AttributeError("n_features_in_ is there once something has been learnt")
        return int(self._engine.width)

    def __sklearn_is_fitted__(self) -> bool:
        return getattr(self, "_engine", None) is not None

    def _require_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet: it has learnt from no row. "
                "Call fit, partial_fit or learn_one first."
            )


def _same(value: Any, default: Any) -> bool:
    if value is default:
        return True
    same = value == default if type(value) is type(default) else False
    return bool(same) if np.ndim(same) == 0 else False


def check_weights(sample_weight: Any, n: int) -> np.ndarray[Any, Any] | None:
    """Importance weights as float64; one clear error for what cannot be one."""
    if sample_weight is None:
        return None
    try:
        weights = np.ascontiguousarray(sample_weight, np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"sample_weight must hold numbers, got {sample_weight!r}") from None
    if weights.ndim == 0:
        weights = np.full(n, float(weights))
    if weights.shape != (n,):
        raise ValueError(f"sample_weight has shape {weights.shape}; one weight for each of the {n} rows was expected.")
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        raise ValueError(
            f"sample_weight is {weights[bad[0]]} in row {bad[0]}; "
            "weights must be finite and not negative (no NaN, no inf)."
        )
    return weights
