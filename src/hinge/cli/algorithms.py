# SPDX-License-Identifier: BSD-3-Clause
"""Learners from what is said of them: ``PA-I C=0.1``, ``--step PA1 --C 0.01,0.1,1``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import typer

#: What `hinge race` runs where nothing is said.
USUAL = ("Perceptron", "PA", "PA-I", "PA-II")
USUAL_FOR_NUMBERS = ("PA regression", "PA-I regression", "PA-II regression")


def parsed(words: str) -> tuple[str, dict[str, Any]]:
    """A name and its parameters.

    >>> parsed("PA-I predicted C=0.1"), parsed("PA-II(C=0.5)")
    (('PA-I predicted', {'C': 0.1}), ('PA-II', {'C': 0.5}))
    """
    parts = re.split(r"[\s,()]+", words.strip())
    name = " ".join(part for part in parts if part and "=" not in part)
    parameters = {}
    for part in parts:
        key, given, value = part.partition("=")
        if given:
            parameters[key] = _value(value)
    return name, parameters


def _value(word: str) -> Any:
    if word in ("True", "False", "None"):
        return {"True": True, "False": False, "None": None}[word]
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            pass
    return word


def sizes(words: str | None) -> list[float]:
    """The values of --C: one or several.

    >>> sizes("0.01,0.1"), sizes(None)
    ([0.01, 0.1], [])
    """
    try:
        return [float(word) for word in words.split(",")] if words is not None else []
    except ValueError:
        raise typer.BadParameter(f"--C must be a number, or several as in 0.01,0.1,1, not {words!r}") from None


def learner_of(
    algorithm: str | None, step: str | None, C: str | None, numbers: bool, one_class: bool, average: bool
) -> Any:
    """The learner that the options of `hinge learn` describe."""
    from hinge.learners.classifier import Classifier
    from hinge.learners.oneclass import OneClass
    from hinge.learners.regressor import Regressor

    if algorithm is not None and step is not None:
        raise typer.BadParameter("give --algorithm, which has its step, or --step, not both")
    if numbers and one_class:
        raise typer.BadParameter("give --numbers or --one-class, not both")
    if algorithm is not None:
        if numbers or one_class:
            raise typer.BadParameter("--algorithm says already what is learnt: leave --numbers and --one-class out")
        learner = named(algorithm)
        for size in sizes(C)[:1]:
            steps = [learner.step._replace(C=size) for size in sizes(C)] if hasattr(learner.step, "C") else []
            if not steps:
                raise typer.BadParameter(f"{algorithm} has no C (not {size:g})")
            learner.set_params(step=steps if len(steps) > 1 else steps[0])
    else:
        steps = steps_of(step or "PA1", C)
        kind = Regressor if numbers else OneClass if one_class else Classifier
        learner = kind(steps if len(steps) > 1 else steps[0])
    if average:
        if isinstance(learner, OneClass):
            raise typer.BadParameter("--average is not for one class: its hypothesis is a centre already")
        learner.set_params(average=True)
    learner._new_engine("f4", 1)  # raises for parameters that it would refuse later
    return learner


def named(words: str) -> Any:
    """An algorithm of the catalogue, with the parameters given."""
    import hinge

    name, parameters = parsed(words)
    try:
        return hinge.named(name, **parameters)
    except TypeError as error:
        raise typer.BadParameter(str(error)) from None
    except ValueError as error:
        raise typer.BadParameter(str(error).replace("hinge.names() lists all", "hinge catalogue lists all")) from None


def steps_of(words: str, C: str | None) -> list[Any]:
    """The steps that --step and --C describe."""
    from hinge import steps as known

    name, parameters = parsed(words)
    by_key = {_key(step): getattr(known, step) for step in known.__all__}
    cls = by_key.get(_key(name))
    if cls is None:
        raise typer.BadParameter(f"--step must be one of {', '.join(known.__all__)}, not {words!r}")
    for field in parameters:
        if field not in cls._fields:
            raise typer.BadParameter(f"{cls._shown_as} has no {field}; it has: {', '.join(cls._fields) or 'nothing'}")
    if C is not None and "C" not in cls._fields:
        raise typer.BadParameter(f"{cls._shown_as} has no C; it has: {', '.join(cls._fields) or 'no parameters'}")
    if C is None:
        return [cls(**parameters)]
    return [cls(**{**parameters, "C": size}) for size in sizes(C)]


def _key(name: str) -> str:
    """PA1, pa-1 and PA-I are one."""
    key = "".join(letter for letter in name.lower() if letter.isalnum())
    return {"pai": "pa1", "paii": "pa2"}.get(key, key)


def contenders(algorithms: Sequence[str] | None, C: str | None, numbers: bool) -> dict[str, Any]:
    """The learners of `hinge race`, by name."""
    chosen = list(algorithms) if algorithms else list(USUAL_FOR_NUMBERS if numbers else USUAL)
    found = {}
    for words in chosen:
        learner = named(words)
        if hasattr(learner.step, "C") and "C" not in parsed(words)[1] and C is not None:
            for size in sizes(C):
                name = f"{words} C={size:g}"
                found[name] = named(name)
        else:
            found[words] = learner
    for name, learner in found.items():
        kinds = {other._kind for other in found.values()}
        if len(kinds) > 1:
            raise typer.BadParameter(f"{name} learns something else than the others: a race is of one kind")
        learner._new_engine("f4", 1)
    return found
