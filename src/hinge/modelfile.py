# SPDX-License-Identifier: BSD-3-Clause
"""Learners in files: saved whole, restored bit for bit, ready to go on learning.

A file is safetensors; its metadata has one text, "hinge", which describes the learner in JSON (`docs/model-files.md`).
Loading runs no code from the file. A damaged file, or one made to do harm, gets a `ModelFileError` with a name of its
own, and takes no memory out of proportion to its size.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import json
import math
import os
import re
import secrets
import stat
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from hinge import __version__, modelkernel
from hinge import modelvalues as values
from hinge import round as rounds
from hinge.engine import CentreEngine, Engine, LinearEngine
from hinge.focus import Worst
from hinge.kernel_engine import KernelEngine
from hinge.modelvalues import ModelFileError
from hinge.ordinal_engine import OrdinalEngine, infinite_ends
from hinge.spaces.centre import AT_FIRST_ROW, AT_ZERO, EXTRA, RADIUS, SCALE, SMALLEST_SCALE, SQ_NORM, STARTED, UNDER_WAY
from hinge.spaces.kernel.function import Kernel
from hinge.steps import check_step
from hinge.tasks.binary import Binary
from hinge.tasks.multiclass import Multiclass
from hinge.tasks.multilabel import MEASURES, Multilabel
from hinge.tasks.ordinal import Ranked
from hinge.tasks.regression import Regression
from hinge.tasks.uniclass import Uniclass

__all__ = ["ModelFileError", "load", "save"]

SCHEMA = 1
#: The learners there are, and where.
_LEARNERS = {
    "Classifier": "hinge.learners.classifier",
    "MultilabelClassifier": "hinge.learners.multilabel",
    "OneClass": "hinge.learners.oneclass",
    "OrdinalClassifier": "hinge.learners.ordinal",
    "Regressor": "hinge.learners.regressor",
}
_TASKS = {
    "Classifier": (Binary, Multiclass),
    "MultilabelClassifier": (Multilabel,),
    "OneClass": (Uniclass,),
    "OrdinalClassifier": (Ranked,),
    "Regressor": (Regression,),
}
_LABELS = {
    "Classifier": ["values", "array", "balanced"],
    "MultilabelClassifier": ["values", "array", "matrix"],
    "OrdinalClassifier": ["values", "array"],
}
_TENSORS = ("weights", "bias", "late", "late_bias", "state", "totals", "thresholds", "measures", "features",
            *modelkernel.TENSORS)  # fmt: skip
_NUMBERS = {
    "F32": np.dtype(np.float32), "F64": np.dtype(np.float64), "U8": np.dtype(np.uint8), "I32": np.dtype(np.int32),
    "I64": np.dtype(np.int64),
}  # fmt: skip
#: The description begins so; eight digits of the checksum follow.
_BEGIN = '{"crc32":"'
_DIGITS = slice(len(_BEGIN), len(_BEGIN) + 8)
#: More than this safetensors does not read.
_LONGEST_HEADER = 100_000_000
_FIELDS = ["crc32", "schema", "hinge", "learner", "parameters", "labels", "engine", "notes"]
_ENGINE_FIELDS = ["space", "task", "focus", "steps", "average", "numbers", "width", "named"]

Tensors = dict[str, "np.ndarray[Any, Any]"]


# ----------------------------------------------------------------------------------- saving


def save(learner: Any, path: Any) -> None:
    """Write a learner to a file: all of it, or, if anything fails, nothing; a file that was there is then still there.

    >>> import hinge, tempfile
    >>> clf = hinge.Classifier(intercept=False).learn_one({"free": 2.0}, "spam").learn_one({"meeting": 1.0}, "ham")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(clf, f"{folder}/spam.hinge")
    ...     load(f"{folder}/spam.hinge").predict_one({"free": 2.0})
    'spam'
    """
    from safetensors.numpy import save as as_safetensors

    description, tensors = _described(learner)
    text = json.dumps({"crc32": "0" * 8, **description}, separators=(",", ":"), allow_nan=False)
    text = _BEGIN + _checksum(text, tensors) + text[_DIGITS.stop :]
    data = as_safetensors(tensors, {"hinge": text})
    if int.from_bytes(data[:8], "little") > _LONGEST_HEADER:
        raise ValueError(
            f"the labels and parameters of this {type(learner).__name__} take more than 100 MB, which safetensors "
            "does not read; use shorter labels, or pickle the learner."
        )
    _write(path, data)


def _described(learner: Any) -> tuple[dict[str, Any], Tensors]:
    """The description of a learner, but for the checksum, and its arrays."""
    name = type(learner).__name__
    if type(learner).__module__ != _LEARNERS.get(name):
        raise TypeError(
            f"{type(learner).__module__}.{type(learner).__qualname__} is none of the learners that a model file holds: "
            f"{', '.join(_LEARNERS)}. Pickle it instead."
        )
    _check_parameters(learner)
    labels, engine = learner.__dict__.get("_labels"), learner._engine
    description = {
        "schema": SCHEMA,
        "hinge": __version__,
        "learner": name,
        "parameters": {key: values.encode(value, f"{name}'s {key}") for key, value in learner.get_params().items()},
        "labels": None if labels is None else _describe_labels(learner, labels),
        "engine": None,
        "notes": values.check_notes(learner.notes),
    }
    if engine is None:
        return description, {}
    tensors = _arrays(engine)
    try:
        _check_arrays(engine, tensors)
    except ModelFileError as error:
        raise ValueError(f"this {name} cannot be saved: {error.args[0]}.") from None
    if learner._columns is not None:
        names = list(learner._columns)
        if not all(type(column) is str for column in names):
            names = [values.encode_name(column, "the name of a feature") for column in names]
        tensors["features"] = np.frombuffer(json.dumps(names, separators=(",", ":")).encode(), np.uint8)
    description["engine"] = {
        "space": _space(engine),
        "task": values.encode_part(Ranked() if isinstance(engine, OrdinalEngine) else engine.task, "task"),
        "focus": values.encode_part(engine.focus, "focus"),
        "steps": [values.encode_part(step, "step") for step in _steps_of(engine)],
        "average": bool(engine.average),
        "numbers": np.dtype(learner._kept if isinstance(engine, CentreEngine) else engine.dtype).name,
        "width": engine.width,
        "named": learner._columns is not None,
    }
    return description, tensors


def _describe_labels(learner: Any, labels: Any) -> dict[str, Any]:
    labels.array()  # raises where these cannot be one array
    order = labels.order() if hasattr(labels, "order") else range(len(labels))
    described = {
        "values": [values.encode_name(labels.list[code], "a label") for code in order],
        "array": None if labels.dtype is None else _array_name(labels.dtype),
        "balanced": values.encode(learner.__dict__.get("_balanced"), "a balanced weight"),
        "matrix": learner.__dict__.get("_as_matrix"),
    }
    return {name: described[name] for name in _LABELS[type(learner).__name__]}


def _array_name(dtype: np.dtype[Any]) -> str:
    """What kind of array the labels came in: strings of any length are of one kind."""
    name = "U" if dtype.kind == "U" else dtype.str
    if dtype.kind == "T" and dtype == np.dtypes.StringDType():
        name = "T"
    if _array_kind(name) is None:
        raise TypeError(f"labels came in an array of {dtype}, which a model file does not hold; pass y as a list.")
    return name


def _array_kind(name: Any) -> Any:
    """The kind of array that a name stands for; None if it stands for none."""
    if name == "T":
        return np.dtypes.StringDType()
    plain = isinstance(name, str) and re.fullmatch(r"\|b1|\|O|\|[iu]1|[<>][iuf][248]|U", name)
    return np.dtype(name) if plain else None


def _space(engine: Engine) -> Any:
    if isinstance(engine, KernelEngine):
        return values.encode_part(engine.kernel, "space")
    return {LinearEngine: "Linear", OrdinalEngine: "Linear", CentreEngine: "Centre"}[type(engine)]


def _steps_of(engine: Engine) -> list[Any]:
    """The steps that an engine runs, which `set_params` since may have left behind."""
    templates, choice = [], engine.choice
    while hasattr(choice, "others"):
        templates.append(choice.this.template)
        choice = choice.others
    templates.append(choice.template)
    steps = []
    for kind, numbers in zip(engine.kinds, engine.parameters, strict=True):
        template = templates[kind]
        step = type(template)(*(float(number) for number in numbers[: len(template)]))
        steps.append(template if step == template else step)
    return steps


def _in_lanes(engine: LinearEngine, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A view of lanes as (features, contenders, scores), without the lanes that are there for the processor's sake."""
    lanes = array.reshape(-1, engine.lanes)[:, : engine.contenders * engine.stride]
    return lanes.reshape(len(lanes), engine.contenders, engine.stride)[:, :, : engine.scores_each()]


def _views(engine: Engine) -> Tensors:
    """The arrays of an engine as a file has them: only what is in use."""
    if isinstance(engine, OrdinalEngine):
        lanes = engine.weights.reshape(-1, engine.lanes)[: engine.width, : engine.contenders]
        return {"weights": lanes[:, :, None], "thresholds": engine.all_thresholds(), "totals": engine.totals}
    if isinstance(engine, LinearEngine):
        names = ("weights", "bias", "late", "late_bias") if engine.average else ("weights", "bias")
        found = {name: _in_lanes(engine, getattr(engine, name)) for name in names}
        found = {name: lanes[0] if name.endswith("bias") else lanes[: engine.width] for name, lanes in found.items()}
        if isinstance(engine.task, Multilabel):
            found["measures"] = engine.measures
        return {**found, "state": engine.state, "totals": engine.totals}
    assert isinstance(engine, CentreEngine)
    return {"weights": engine.weights[: engine.width], "state": engine.state, "totals": engine.totals}


def _arrays(engine: Engine) -> Tensors:
    if isinstance(engine, KernelEngine):
        return modelkernel.arrays(engine)
    return {name: np.ascontiguousarray(view) for name, view in _views(engine).items()}


def _checksum(text: str, tensors: Tensors) -> str:
    """CRC-32 of the description, with 0 for the checksum's own digits, and of all tensors in order of their names."""
    crc = zlib.crc32((text[: _DIGITS.start] + "0" * 8 + text[_DIGITS.stop :]).encode())
    for _, array in sorted(tensors.items()):
        little_endian = array.astype(array.dtype.newbyteorder("<"), copy=False)
        crc = zlib.crc32(little_endian.reshape(-1).view(np.uint8).data, crc)
    return f"{crc:08x}"


def _write(path: Any, data: bytes) -> None:
    """Into a new file beside the old one, which takes its place once it is safe on the disk."""
    shown = os.fspath(path)
    target = os.path.realpath(os.fsdecode(shown))
    if os.path.isdir(target):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), shown)
    if os.path.exists(target) and not os.path.isfile(target):
        raise OSError(errno.EINVAL, "a model is saved to an ordinary file, which this is not", shown)
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, "there is no such folder to save a model in", shown)
    temporary = os.path.join(folder, f".hinge-{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    if hasattr(os, "O_DIRECTORY") and os.access(folder, os.R_OK):  # what cannot be read cannot be opened to be synced
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


# ----------------------------------------------------------------------------------- loading


def load(path: Any, steps: Iterable[Any] = ()) -> Any:
    """The learner in a file, as it was when it was saved.

    A step of your own is restored only if you hand its class over: ``hinge.load(path, steps=[Careful])``. Raises
    `ModelFileError` for a file that is damaged or no model, and `OSError` for one that cannot be read.
    """
    own = _own_steps(steps)
    try:
        return _load(os.fsdecode(path), own)
    except ModelFileError as error:
        error.path = os.fsdecode(path)
        raise


def _own_steps(steps: Any) -> list[Any]:
    own = [] if isinstance(steps, (type, tuple)) and hasattr(steps, "_fields") else list(steps)
    if hasattr(steps, "_fields") or not all(isinstance(cls, type) and hasattr(cls, "_shown_as") for cls in own):
        raise TypeError(f"steps must be a list of classes under @hinge.native, such as steps=[Careful], got {steps!r}")
    for cls in own:
        if not hasattr(cls, "tau"):
            raise TypeError(f"steps names {cls.__qualname__}, which is no step: it has no tau(loss, sq_norm, weight)")
    return own


def _load(path: str, own: Sequence[Any]) -> Any:
    from safetensors import SafetensorError, safe_open

    _look_at(path)
    try:
        with safe_open(path, framework="numpy") as file:
            text = (file.metadata() or {}).get("hinge")
            if text is None:
                raise values.NotAModel("it is a safetensors file, but not of a learner (its metadata has no 'hinge')")
            description = _parse(text)
            tensors = {name: _read(file, name) for name in file.keys()}  # noqa: SIM118  (not a dict)
    except SafetensorError as error:
        raise values.NotSafetensors(f"it is not a sound safetensors file ({error})") from None
    if _checksum(text, tensors) != text[_DIGITS]:
        raise values.DamagedFile("it was changed after it was written: its checksum does not fit")
    return _restored(description, tensors, own)


def _look_at(path: str) -> None:
    """Raise for what is no file, and for a file that ends too early."""
    with contextlib.suppress(FileNotFoundError):
        if stat.S_ISFIFO(os.stat(path).st_mode):  # to open it would wait for somebody to write
            raise values.NotSafetensors("it is a pipe, not a file")
    with open(path, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise values.NotSafetensors("it is not an ordinary file")
        if status.st_size == 0:
            raise values.EmptyFile("the file is empty")
        begin = file.read(9)
    length = int.from_bytes(begin[:8], "little")
    if status.st_size < 9 or (length <= _LONGEST_HEADER and begin[8:] == b"{" and 8 + length > status.st_size):
        raise values.TruncatedFile(f"the file ends after {status.st_size} bytes, within its header")


def _parse(text: str) -> Any:
    """The description, once it is known to be one that this version can read."""
    if not text.isascii() or re.match(re.escape(_BEGIN) + '[0-9a-f]{8}"', text) is None:
        raise values.BadDescription(f"the description does not begin with {_BEGIN} and eight digits")
    description = values.parse(text)
    schema = description.get("schema")
    if type(schema) is int and schema > SCHEMA:
        raise values.NewerSchema(
            f"it is of schema {schema}, written by hinge {values.shown(description.get('hinge'))}; "
            f"hinge {__version__} knows schema {SCHEMA}"
        )
    return description


def _read(file: Any, name: str) -> np.ndarray[Any, Any]:
    """A tensor, if it is one that models have."""
    if name not in _TENSORS:
        raise values.UnknownTensor(f"it has a tensor {values.shown(name)}, which no model has")
    part = file.get_slice(name)
    kind, shape = part.get_dtype(), part.get_shape()
    if kind not in _NUMBERS:
        raise values.BadTensor(f"its tensor {name!r} holds {kind}; F32, F64, I32, I64 or U8 was expected")
    if len(shape) > 3 or (0 in shape and max(shape) > 1 << 20):  # of a tensor without numbers, sizes are free
        raise values.BadTensor(f"its tensor {name!r} has the shape {values.shown(tuple(shape))}, which no model has")
    return np.asarray(file.get_tensor(name))


def _restored(description: Any, tensors: Tensors, own: Sequence[Any]) -> Any:
    """The learner that a description and arrays make."""
    _, schema, version, name, parameters, labels, engine, notes = values.fields(description, _FIELDS, "the description")
    if type(schema) is not int or schema != SCHEMA:
        raise values.BadField(f"its schema is {values.shown(schema)} where {SCHEMA} was expected")
    if not isinstance(version, str):
        raise values.BadField(f"its version of hinge is {values.shown(version)} where a string was expected")
    if not isinstance(name, str) or name not in _LEARNERS:
        raise values.UnknownLearner(f"its learner {values.shown(name)} is none of {', '.join(_LEARNERS)}")
    if not isinstance(notes, dict):
        raise values.BadField(f"its notes are {values.shown(notes)} where an object was expected")
    learner = _with_parameters(name, parameters, own)
    if labels is not None:
        if name not in _LABELS:
            raise values.BadLabels(f"a {name} has no labels, but the file has some")
        _restore_labels(learner, labels)
    if engine is not None:
        _restore_engine(learner, engine, tensors, own)
    elif tensors:
        raise values.UnknownTensor("it has tensors, but its learner has learnt nothing")
    if notes:
        learner.notes = notes
    return learner


def _with_parameters(name: str, parameters: Any, own: Sequence[Any]) -> Any:
    from hinge.learners.estimator import parameter_names

    cls = getattr(importlib.import_module(_LEARNERS[name]), name)
    names = parameter_names(cls)
    given = zip(names, values.fields(parameters, names, f"{name}'s parameters"), strict=True)
    learner = cls(**{key: values.decode(value, own, f"{name}'s {key}") for key, value in given})
    try:
        _check_parameters(learner)
    except (TypeError, ValueError, OverflowError) as error:
        raise values.BadParameter(f"{name} refuses its parameters: {error}") from None
    return learner


def _check_parameters(learner: Any) -> None:
    """Raise for parameters that the learner would refuse once it learns."""
    parameters = learner.get_params()
    fresh = type(learner)(**parameters)
    fresh._new_engine(np.dtype(np.float64), 1)
    passes = parameters.get("passes", 1)
    if not isinstance(passes, (int, np.integer)) or passes < 1:
        raise ValueError(f"passes must be a whole number from 1 on, got {passes!r}")
    if not isinstance(parameters.get("average", False), (bool, np.bool_, int)):
        raise TypeError(f"average must be True or False, got {parameters['average']!r}")
    if parameters.get("text") is not None:
        fresh._text()
    class_weight = parameters.get("class_weight")
    if class_weight is not None and not (isinstance(class_weight, str) and class_weight == "balanced"):
        fresh._class_weights()
    np.random.default_rng(parameters.get("random_state"))


def _restore_labels(learner: Any, description: Any) -> None:
    from hinge.learners.labels import Labels
    from hinge.learners.ordinal import Ranks

    found, name, *more = values.fields(description, _LABELS[type(learner).__name__], "labels")
    numbering = Labels if more else Ranks
    kind = None if name is None else _array_kind(name)
    if kind is None and name is not None:
        raise values.BadLabels(f"its labels are an array of {values.shown(name)}, which hinge does not know")
    try:
        labels = numbering([values.decode_name(label, "a label") for label in values.items(found, "labels")], kind)
        labels.array()
    except ModelFileError:
        raise
    except (TypeError, ValueError, OverflowError) as error:
        raise values.BadLabels(f"its labels cannot be a learner's ({error})") from None
    learner._labels = labels
    if more in ([], [None]):
        return
    if type(learner).__name__ == "MultilabelClassifier":
        learner._as_matrix = values.flag(more[0], "matrix")
        return
    weights = values.decode(more[0], [], "balanced")
    if not isinstance(weights, dict) or not all(type(w) is float and 0 <= w < math.inf for w in weights.values()):
        raise values.BadLabels(f"the balanced weights of its labels are {values.shown(more[0])}")
    learner._balanced = weights


def _restore_engine(learner: Any, description: Any, tensors: Tensors, own: Sequence[Any]) -> None:
    space, task, focus, steps, average, kind, width, named = values.fields(description, _ENGINE_FIELDS, "the engine")
    name, average, width = type(learner).__name__, values.flag(average, "average"), values.whole(width, "width")
    if kind not in ("float32", "float64"):
        raise values.BadField(f"its kind of numbers is {values.shown(kind)}; float32 or float64 was expected")
    kernel = values.decode_part("space", space, own, "space") if isinstance(space, dict) else None
    usual = "Centre" if name == "OneClass" else "Linear"
    if space != usual and not (name != "OrdinalClassifier" and usual == "Linear" and isinstance(kernel, Kernel)):
        raise values.BadField(f"the space of a {name} is not {values.shown(space)}")
    numbers = np.dtype(kind)
    task, focus = values.decode_part("task", task, own, "task"), values.decode_part("focus", focus, own, "focus")
    steps = [values.decode_part("step", step, own, "step") for step in values.items(steps, "steps")]
    labels = _count_labels(learner, task)
    ranks = labels if isinstance(task, Ranked) else None
    one_class = space == "Centre" and (len(steps) > 1 or average or not isinstance(focus, Worst))
    if not steps or one_class or (average and ranks is not None):
        raise values.BadField(f"a {name} cannot learn with {len(steps)} steps, average {average} and {focus!r}")
    scores = max(2, task.lanes(labels)) if isinstance(task, (Multiclass, Multilabel)) else 1
    _check_shapes(tensors, space, numbers, (width, len(steps), scores), average, values.flag(named, "named"), ranks,
                  isinstance(task, Multilabel))  # fmt: skip
    engine: Engine
    try:
        for step in steps:
            check_step(step)
        if kernel is not None:
            engine = modelkernel.engine_of(
                kernel, task, steps, focus, numbers, labels=labels, width=width, average=average, tensors=tensors
            )
        elif ranks is not None:
            engine = OrdinalEngine(range(ranks), steps, focus, numbers, labels=ranks, width=width)
        elif space == "Linear":
            engine = LinearEngine(
                task, steps, focus, numbers, labels=labels, width=width, intercept=0.0, average=average
            )
        else:
            engine = CentreEngine(task, steps[0], focus, width=width, state=np.zeros(5))
    except (TypeError, ValueError, OverflowError) as error:
        raise values.BadParameter(f"one of its steps, or its kernel, is refused: {error}") from None
    _check_arrays(engine, tensors)
    if isinstance(engine, KernelEngine):
        modelkernel.restore(engine, tensors)
    else:
        for name, view in _views(engine).items():
            view[...] = tensors[name]
        if isinstance(engine, OrdinalEngine):
            engine.count_infinite()
    if space == "Centre":
        learner._kept = numbers
    learner._columns = _columns(tensors["features"], width) if named else None
    learner._engine = engine


def _count_labels(learner: Any, task: Any) -> int:
    """How many labels the engine has, once the task is known to fit them."""
    name = type(learner).__name__
    if not isinstance(task, _TASKS[name]):
        raise values.BadField(f"the task of a {name} is not {task!r}")
    if name not in _LABELS:
        if isinstance(task, Regression) and not 0 <= task.epsilon < math.inf:
            raise values.BadField(f"epsilon is {task.epsilon!r}; a finite number, not negative, was expected")
        return 1
    if "_labels" not in learner.__dict__:
        raise values.BadLabels(f"its {name} has learnt, but knows no labels")
    labels = len(learner._labels)
    if isinstance(task, Multilabel):
        if type(task.calibrated) is not int or task.calibrated not in (0, 1):
            raise values.BadField(f"calibrated is {values.shown(task.calibrated)} where 0 or 1 was expected")
        return labels
    if isinstance(task, Ranked):
        return labels
    if isinstance(task, Multiclass) != (labels > 2):
        raise values.BadLabels(f"it has {labels} labels, which are no labels for the task {task!r}")
    return labels


def _check_shapes(
    tensors: Tensors, space: Any, numbers: Any, lanes: Any, average: bool, named: bool, ranks: int | None, sets: bool
) -> None:
    """Raise unless these are just the arrays that the description asks for."""
    F64, (width, contenders, _) = _NUMBERS["F64"], lanes
    wanted: dict[str, tuple[Any, tuple[int, ...] | None]] = {"totals": (F64, (contenders, rounds.TOTALS))}
    if isinstance(space, dict):  # what a kernel has, it says itself
        tensors = {name: array for name, array in tensors.items() if name in ("totals", "features")}
    elif ranks is not None:
        wanted |= {"weights": (numbers, lanes), "thresholds": (numbers, (contenders, max(0, ranks - 1)))}
    elif space == "Linear":
        wanted |= {"weights": (numbers, lanes), "bias": (numbers, lanes[1:]), "state": (F64, (1,))}
        if average:
            wanted |= {"late": (numbers, lanes), "late_bias": (numbers, lanes[1:])}
        if sets:
            wanted["measures"] = (F64, (len(MEASURES),))
    else:
        wanted |= {"weights": (F64, (width,)), "state": (F64, (5,))}
    if named:
        wanted["features"] = (_NUMBERS["U8"], None)
    for name, (kind, shape) in wanted.items():
        if name not in tensors:
            raise values.MissingTensor(f"it lacks the tensor {name!r}")
        found = tensors[name]
        if found.dtype != kind or (found.ndim != 1 if shape is None else found.shape != shape):
            expected = f"{kind} of shape {'(bytes)' if shape is None else shape}"
            raise values.BadTensor(
                f"its tensor {name!r} is {found.dtype} of shape {found.shape}; {expected} was expected"
            )
    for name in tensors.keys() - wanted.keys():
        raise values.UnknownTensor(f"it has a tensor {name!r}, which this learner has not")


def _check_arrays(engine: Engine, tensors: Tensors) -> None:
    """Raise for numbers that no rounds can leave behind."""
    for name in ("weights", "bias", "late", "late_bias"):
        if name in tensors and not np.isfinite(tensors[name]).all():
            raise values.NotFinite(f"there is NaN or infinity in {name}")
    totals = tensors["totals"]
    counts = totals[:, [rounds.ROUNDS, rounds.MISTAKES, rounds.UPDATES, rounds.NOVEL]]
    if not (np.isfinite(counts).all() and (counts == np.floor(counts)).all() and (counts >= 0).all()):
        raise values.BadAccount("a count of rounds, mistakes, moves or new labels is no whole number from 0 on")
    if (counts > totals[0, rounds.ROUNDS]).any() or (totals[:, rounds.ROUNDS] != totals[0, rounds.ROUNDS]).any():
        raise values.BadAccount("there are more mistakes, moves or new labels than rounds")
    if not (np.delete(totals, rounds.DUAL, axis=1) >= 0).all():
        raise values.BadAccount("a sum of losses, squares or weights is negative or NaN")
    if "measures" in tensors and not (np.isfinite(tensors["measures"]).all() and (tensors["measures"] >= 0).all()):
        raise values.BadAccount("a sum of measures is negative, infinite or NaN")
    if isinstance(engine, KernelEngine):
        modelkernel.check(engine, tensors)
        return
    if isinstance(engine, OrdinalEngine):
        if infinite_ends(tensors["thresholds"]) is None:
            raise values.NotFinite("there is NaN in thresholds, or infinity elsewhere than at an end")
        return
    state = tensors["state"]
    if isinstance(engine, LinearEngine):
        if math.isinf(float(state[0]) * float(state[0])):
            raise values.BadState("the square of the intercept's value is infinite")
        return
    radius, started = state[RADIUS], state[STARTED]
    open_bound = math.isnan(radius) and started != UNDER_WAY
    if not np.isfinite(state[[SCALE, SQ_NORM, EXTRA]]).all() or not (open_bound or 0 <= radius < math.inf):
        raise values.BadState("the centre's state holds NaN, infinity or a negative radius")
    if abs(state[SCALE]) < SMALLEST_SCALE or state[SQ_NORM] < 0 or started not in (AT_FIRST_ROW, AT_ZERO, UNDER_WAY):
        raise values.BadState("the centre's scale, norm or beginning is none that a centre can have")


def _columns(text: np.ndarray[Any, Any], width: int) -> dict[Any, int]:
    """The features' names and their columns."""
    try:
        found = values.items(values.parse(text.tobytes().decode()), "features")
    except (UnicodeDecodeError, values.BadDescription, values.BadField) as error:
        raise values.BadFeatures(f"the names of its features are no list in JSON ({error.args[0]})") from None
    if not all(type(name) is str for name in found):
        found = [values.decode_name(name, "the name of a feature") for name in found]
    columns = {name: column for column, name in enumerate(found)}
    if len(found) != width or len(columns) != width:
        raise values.BadFeatures(f"it has {width} features, but {len(columns)} different names for them")
    return columns
