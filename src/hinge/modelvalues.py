# SPDX-License-Identifier: BSD-3-Clause
"""What the description in a model file may say, and everything that may be wrong with the file.

The description is JSON. What JSON has no word for is an object of one telling key: ``{"tuple": [1, "a"]}``,
``{"float": "inf"}``, ``{"dict": [["spam", 2.0]]}``, ``{"step": "PA1", "fields": {"C": 1.0}}``, and likewise
``focus``, ``space`` and ``task``. Names become classes by a closed table: nothing in a file is ever imported or run.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from hinge.exact import Exact
from hinge.focus import Mistaken, Predicted, Proportional, Violated, Worst
from hinge.spaces.kernel.budgets import BudgetPA, Forgetron, Projectron, ProjectronPlus, RandomBudget
from hinge.spaces.kernel.function import Kernel
from hinge.spaces.linear import Linear
from hinge.steps import PA, PA1, PA2, Perceptron
from hinge.tasks.binary import Binary
from hinge.tasks.multiclass import Multiclass
from hinge.tasks.multilabel import Multilabel
from hinge.tasks.ordinal import Ranked
from hinge.tasks.regression import Regression
from hinge.tasks.uniclass import Uniclass

#: The parts of learners that a file may name.
PARTS: dict[str, dict[str, Any]] = {
    "step": {"PA": PA, "PA1": PA1, "PA2": PA2, "Perceptron": Perceptron},
    "focus": {
        "Exact": Exact, "Mistaken": Mistaken, "Predicted": Predicted, "Proportional": Proportional,
        "Violated": Violated, "Worst": Worst,
    },
    "budget": {
        "BudgetPA": BudgetPA, "Forgetron": Forgetron, "Projectron": Projectron, "ProjectronPlus": ProjectronPlus,
        "RandomBudget": RandomBudget,
    },
    "space": {"Kernel": Kernel, "Linear": Linear},
    "task": {
        "Binary": Binary, "Multiclass": Multiclass, "Multilabel": Multilabel, "Ranked": Ranked,
        "Regression": Regression, "Uniclass": Uniclass,
    },
}
#: Tuples within tuples go so deep.
DEEPEST = 32
SMALLEST_WHOLE, LARGEST_WHOLE, LARGEST_IN_STEPS = -(2**63), 2**64 - 1, 2**63 - 1


class ModelFileError(ValueError):
    """A file that is no model of hinge's, or a damaged one. Each fault has a subclass of its own.

    >>> error = EmptyFile("the file is empty")
    >>> error.path = "spam.hinge"
    >>> print(error)
    spam.hinge: the file is empty. Save the model anew, or take another copy of the file.
    """

    path = ""
    remedy = "Save the model anew, or take another copy of the file."

    def __str__(self) -> str:
        what = str(self.args[0]) if self.args else ""
        return (f"{self.path}: " if self.path else "") + f"{what}. {self.remedy}"


class EmptyFile(ModelFileError):
    """There is nothing in it."""


class TruncatedFile(ModelFileError):
    """It ends too early."""


class NotSafetensors(ModelFileError):
    """It is not of the safetensors format, or its header lies."""

    remedy = "hinge.load reads what a learner's save(path) wrote; take such a file, or another copy of this one."


class NotAModel(ModelFileError):
    """It is a safetensors file of something else."""

    remedy = "hinge.load reads what a learner's save(path) wrote."


class DamagedFile(ModelFileError):
    """Its checksum says that something was changed."""


class BadDescription(ModelFileError):
    """Its description is not JSON of the agreed kind."""


class NewerSchema(ModelFileError):
    """A later version of hinge wrote it."""

    remedy = "Install a newer hinge to read it."


class UnknownLearner(ModelFileError):
    """Its learner is none that this version of hinge knows."""

    remedy = "Install the version of hinge that wrote it."


class UnknownPart(ModelFileError):
    """A step, focus, space or task in it is none that hinge knows."""

    remedy = "Install the version of hinge that wrote it."


class UnknownStep(UnknownPart):
    """It has a step of a user's own, which was not handed to `hinge.load`."""

    remedy = "Hand the class of that name over: hinge.load(path, steps=[TheClass]); nothing in a file is imported."


class MissingField(ModelFileError):
    """Its description lacks a field."""


class UnknownField(ModelFileError):
    """Its description has a field too many."""


class BadField(ModelFileError):
    """A field has a value of another kind than it must have."""


class BadParameter(ModelFileError):
    """A parameter of the learner is one that the learner refuses."""


class BadLabels(ModelFileError):
    """Its labels cannot be the labels of a learner."""


class BadFeatures(ModelFileError):
    """Its feature names cannot be the names of its features."""


class MissingTensor(ModelFileError):
    """It lacks a tensor."""


class UnknownTensor(ModelFileError):
    """It has a tensor too many."""


class BadTensor(ModelFileError):
    """A tensor has another shape or kind of number than the description asks for."""


class NotFinite(ModelFileError):
    """NaN or infinity among the weights."""


class BadAccount(ModelFileError):
    """The account of the rounds so far is none that rounds can leave behind."""


class BadState(ModelFileError):
    """The state of the hypothesis is none that rounds can leave behind."""


def shown(value: Any) -> str:
    """A value from a file, for a message: short, and harmless to a terminal."""
    text = ascii(value)
    return text if len(text) <= 60 else text[:57] + "..."


# ----------------------------------------------------------------------------------- JSON


def parse(text: str) -> Any:
    """JSON without what people read differently: keys named twice, NaN, numbers beyond 64 bits."""
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse, parse_float=_float, parse_int=_whole)
    except json.JSONDecodeError as error:
        raise BadDescription(f"the description is not JSON ({error})") from None
    except RecursionError:
        raise BadDescription("the description is nested too deep") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise BadDescription(f"the description names {shown(twice)} twice")
    return found


def _refuse(text: str) -> NoReturn:
    raise BadDescription(f"the description holds {shown(text)}, which is no finite number of 64 bits")


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        _refuse(text)
    return number


def _whole(text: str) -> int:
    if len(text) > 20 or not SMALLEST_WHOLE <= int(text) <= LARGEST_WHOLE:
        _refuse(text)
    return int(text)


def fields(value: Any, names: Sequence[str], where: str) -> list[Any]:
    """The values of an object that has exactly these fields, in this order."""
    if not isinstance(value, dict):
        raise BadField(f"{where} is {shown(value)} where an object was expected")
    for name in names:
        if name not in value:
            raise MissingField(f"{where} lacks the field {name!r}")
    for name in value:
        if name not in names:
            raise UnknownField(f"{where} has the field {shown(name)}, which this version of hinge does not know")
    return [value[name] for name in names]


def whole(value: Any, where: str) -> int:
    """A whole number from 0 on."""
    if type(value) is not int or value < 0:
        raise BadField(f"{where} is {shown(value)} where a whole number from 0 on was expected")
    return value


def flag(value: Any, where: str) -> bool:
    """True or false."""
    if type(value) is not bool:
        raise BadField(f"{where} is {shown(value)} where true or false was expected")
    return value


def items(value: Any, where: str) -> list[Any]:
    """A list."""
    if not isinstance(value, list):
        raise BadField(f"{where} is {shown(value)} where a list was expected")
    return value


# ----------------------------------------------------------------------------------- labels and names of features


def check_notes(notes: Any) -> dict[str, Any]:
    """A copy of notes, once they are known to come back from a file as they are."""
    try:
        copy = parse(json.dumps(dict(notes), allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        why = error.args[0] if error.args else error
        raise TypeError(f"notes are {shown(notes)}; a model file holds JSON values only ({why}).") from None
    if copy != dict(notes):
        raise TypeError(f"notes are {shown(notes)}; a model file holds JSON values only: lists, and dicts of strings.")
    return dict(copy)


def encode_name(value: Any, where: str, depth: int = 0) -> Any:
    """A label, or the name of a feature: a number, a string, a boolean or a tuple of these.

    >>> encode_name(("a", 1.5), "label")
    {'tuple': ['a', 1.5]}
    """
    if isinstance(value, np.generic):
        value = value.item()
    kind = type(value)
    if kind is str or kind is bool:
        return value
    if kind is int:
        if not SMALLEST_WHOLE <= value <= LARGEST_WHOLE:
            raise ValueError(f"{where} is {shown(value)}: a model file holds numbers of 64 bits; make it a string.")
        return value
    if kind is float:
        if math.isnan(value):
            raise ValueError(f"{where} is NaN, which a model file does not hold: NaN equals nothing, not even itself.")
        return value if math.isfinite(value) else {"float": repr(value)}
    if kind is tuple:
        if depth == DEEPEST:
            raise ValueError(f"{where} has tuples nested deeper than {DEEPEST}, which a model file does not hold.")
        return {"tuple": [encode_name(part, where, depth + 1) for part in value]}
    raise TypeError(
        f"{where} is {shown(value)}, of type {kind.__name__}: a model file holds numbers, strings, booleans "
        "and tuples of these. Use one of them, or pickle the learner."
    )


def decode_name(value: Any, where: str, depth: int = 0) -> Any:
    """What `encode_name` was given."""
    if isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, dict) and len(value) == 1:
        [(kind, content)] = value.items()
        if kind == "float" and content in ("inf", "-inf"):
            return float(content)
        if kind == "tuple" and isinstance(content, list) and depth < DEEPEST:
            return tuple(decode_name(part, where, depth + 1) for part in content)
    raise BadField(f"{where} is {shown(value)} where a number, a string, a boolean or a tuple of these was expected")


# ----------------------------------------------------------------------------------- parameters and parts


def encode(value: Any, where: str) -> Any:
    """A parameter of a learner."""
    if isinstance(value, list):
        return [_encode_one(part, where) for part in value]
    return _encode_one(value, where)


def _encode_one(value: Any, where: str) -> Any:
    if value is None:
        return None
    if isinstance(value, Mapping):
        return {"dict": [[encode_name(key, where), encode_name(part, where)] for key, part in value.items()]}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return encode_part(value, where)
    if type(value).__name__ == "Text" and type(value).__module__.startswith("hinge.text"):
        parameters = {**value.get_params(), "dtype": np.dtype(value.dtype).name}
        return {"text": {name: encode(part, f"{where}: {name}") for name, part in parameters.items()}}
    return encode_name(value, where)


def decode(value: Any, own: Sequence[Any], where: str) -> Any:
    """What `encode` was given; ``own`` are the classes of steps that the user handed over."""
    if isinstance(value, list):
        return [_decode_one(part, own, where) for part in value]
    return _decode_one(value, own, where)


def _decode_one(value: Any, own: Sequence[Any], where: str) -> Any:
    if value is None:
        return None
    if isinstance(value, dict):
        role = next((role for role in PARTS if role in value), None)
        if role is not None:
            return decode_part(role, value, own, where)
        if "text" in value:
            return _decode_text(value, where)
        if "dict" in value:
            [pairs] = fields(value, ["dict"], where)
            found = {}
            for pair in items(pairs, where):
                if len(items(pair, where)) != 2:
                    raise BadField(f"{where} has {shown(pair)} where a pair was expected")
                found[decode_name(pair[0], where)] = decode_name(pair[1], where)
            if len(found) < len(pairs):
                raise BadField(f"{where} names a key twice")
            return found
    return decode_name(value, where)


def _decode_text(value: Any, where: str) -> Any:
    from hinge.text import Text

    [parameters] = fields(value, ["text"], where)
    names = list(Text().get_params())
    found = [decode(part, [], where) for part in fields(parameters, names, where)]
    given = dict(zip(names, found, strict=True))
    if given["dtype"] not in ("float32", "float64"):
        raise BadField(f"{where}: dtype is {shown(given['dtype'])} where float32 or float64 was expected")
    try:
        return Text(**{**given, "dtype": np.dtype(given["dtype"]).type})
    except (TypeError, ValueError) as error:
        raise BadParameter(f"{where}: {error}") from None


def encode_part(value: Any, where: str) -> dict[str, Any]:
    """A step, focus, space or task by its name and numbers; a step of a user's own with its module."""
    cls = type(value)
    name = getattr(cls, "_shown_as", cls.__name__)
    role = next((role for role, known in PARTS.items() if known.get(name) is cls), None)
    pairs = zip(value._fields, value, strict=True)
    numbers = {field: _encode_field(number, f"{where}: {field}") for field, number in pairs}
    if role is not None:
        return {role: name, "fields": numbers}
    if hasattr(cls, "_shown_as") and hasattr(cls, "tau"):
        return {"step": name, "module": cls.__module__, "fields": numbers}
    raise TypeError(f"{where} is {shown(value)}, which this version of hinge cannot save in a model file.")


def decode_part(role: str, value: Any, own: Sequence[Any], where: str) -> Any:
    """What `encode_part` was given; raises unless it is a known one of this role, or one of the user's own steps."""
    foreign = role == "step" and isinstance(value, dict) and "module" in value
    name, *module, numbers = fields(value, [role, *(["module"] if foreign else []), "fields"], where)
    if not all(isinstance(text, str) for text in (name, *module)):
        raise BadField(f"{where} is {shown(value)}: names must be strings")
    cls = _handed_over(name, module[0], own) if foreign else PARTS[role].get(name)
    if cls is None:
        raise UnknownPart(f"{where}: the {role} {shown(name)} is none of {', '.join(PARTS[role])}")
    values = fields(numbers, cls._fields, f"{where}: {name}")
    if role in ("space", "budget"):
        return cls(*(_decode_field(value, f"{where}: {name}") for value in values))
    return cls(*(_number(number, f"{where}: {name}") for number in values))


def _encode_field(value: Any, where: str) -> Any:
    """A number; or, in a kernel, its name, its budget, or None."""
    if value is None:
        return None
    if isinstance(value, tuple) and type(value) in PARTS["budget"].values():
        return encode_part(value, where)
    if callable(value):
        raise TypeError(
            f"{where} is {shown(value)}: a function is code, which a model file does not hold. Pickle the learner."
        )
    return encode_name(value, where)


def _decode_field(value: Any, where: str) -> Any:
    """What `_encode_field` was given; the kernel itself says whether it fits."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, dict) and "budget" in value:
        return decode_part("budget", value, [], where)
    return _number(value, where)


def _number(value: Any, where: str) -> Any:
    number = decode_name(value, where)
    if not isinstance(number, (bool, int, float)) or (type(number) is int and number > LARGEST_IN_STEPS):
        raise BadField(f"{where} has {shown(value)} where a number was expected")
    return number


def _handed_over(name: str, module: str, own: Sequence[Any]) -> Any:
    """The user's class of this name; where several are called so, the one of the same module."""
    called = [cls for cls in own if cls._shown_as == name]
    if len(called) > 1:
        called = [cls for cls in called if cls.__module__ == module]
    if len(called) != 1:
        several = "; more than one class of that name was handed over" if called else ""
        raise UnknownStep(f"its step is a user's own, the class {shown(name)} of the module {shown(module)}{several}")
    return called[0]
