# SPDX-License-Identifier: BSD-3-Clause
"""Model files as commands use them: opened with a word on what is wrong, kept with what must be remembered."""

from __future__ import annotations

import os
from typing import Any

#: Of so many features, the heaviest, a model file keeps the names.
MOST_NAMES = 10_000


def opened(path: str) -> Any:
    """The learner in a model file."""
    from hinge.modelfile import load

    return load(path)


def check_place(path: str) -> None:
    """Raise, before anything is learnt, for a place where no file can be written."""
    folder = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(folder):
        raise FileNotFoundError(2, "there is no such folder to keep the model in", folder)
    if not os.access(folder, os.W_OK):
        raise PermissionError(13, "the model cannot be kept in this folder: it is not writable", folder)
    if os.path.isdir(path):
        raise IsADirectoryError(21, "a model is kept in a file, and this is a folder", path)


def keep(learner: Any, path: str, reading: dict[str, Any], names: dict[int, str]) -> None:
    """Save a learner with how its files are read, and with the names of its heaviest features."""
    notes = {**learner.notes, "reading": reading}
    if names:
        notes["names"] = [[column, name] for column, name in sorted(heaviest(learner, names).items())]
    learner.notes = notes
    learner.save(path)


def names_of(learner: Any) -> dict[int, str]:
    """The names of features that a model remembers, by column."""
    try:
        return {int(column): str(name) for column, name in learner.notes.get("names", [])}
    except (TypeError, ValueError):
        raise ValueError("the names of features in the model's notes are not pairs of a column and a name") from None


def heaviest(learner: Any, names: dict[int, str]) -> dict[int, str]:
    """The names of the features that weigh most."""
    if len(names) <= MOST_NAMES or not hasattr(learner, "coef_"):
        return dict(list(names.items())[:MOST_NAMES])
    import numpy as np

    weights = np.abs(learner.coef_).max(axis=0)
    columns = [column for column in names if column < len(weights)]
    columns.sort(key=lambda column: -weights[column])
    return {column: names[column] for column in columns[:MOST_NAMES]}
