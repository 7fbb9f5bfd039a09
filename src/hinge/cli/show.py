# SPDX-License-Identifier: BSD-3-Clause
"""``hinge show``: what a model file holds."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer

from hinge.cli import options
from hinge.cli.talk import print_json, print_table

EXAMPLE = """\
hinge show spam.hinge

hinge show spam.hinge --label spam --top 30"""


def show(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="The model file.", show_default=False)],
    top: Annotated[int, typer.Option(metavar="N", min=0, help="So many features for each label.")] = 10,
    label: Annotated[
        str | None, typer.Option(metavar="LABEL", show_default=False, help="The features of this label only.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Show what a model is, how it did, and which features weigh most for each label.

    Features are called by their names where the files that were learnt have names (CSV, JSON lines, texts), else by
    their columns.
    """
    from hinge.cli import models
    from hinge.cli.labels import as_text

    learner = models.opened(model)
    names = models.names_of(learner)
    card = _card(learner, model)
    found = heaviest(learner, names, top)
    if label is not None:
        chosen = {name: features for name, features in found.items() if as_text(name) == label}
        if not chosen:
            raise ValueError(f"{model} has no label {label!r}; its labels are {', '.join(map(as_text, found))}")
        found = chosen
    if json:
        card["features_by_label"] = {
            as_text(name): [dict(zip(("feature", "column", "weight"), row, strict=True)) for row in rows]
            for name, rows in found.items()
        }
        print_json(card)
        return
    _print_card(card)
    for name, rows in found.items():
        if rows:
            sys.stdout.write("\n")
            heads = [f"heaviest for {as_text(name)}" if name != "" else "heaviest", "weight"]
            print_table(heads, [[feature, f"{weight:+.4g}"] for feature, _, weight in rows])


def _card(learner: Any, path: str) -> dict[str, Any]:
    """A learner in figures."""
    from hinge import round as rounds
    from hinge.cli.labels import as_json

    card: dict[str, Any] = {
        "model": path, "bytes": os.path.getsize(path), "learner": " ".join(repr(learner).split()),
        "learns": {"classifier": "labels", "regressor": "numbers", "outlier_detector": "one class"}[learner._kind],
    }  # fmt: skip
    engine = learner._engine
    if engine is None:
        return {**card, "rows": 0}
    account = engine.totals[int(rounds.leader.py_func(engine.totals))]
    card["features"] = int(engine.width)
    if hasattr(learner, "classes_"):
        card["labels"] = [as_json(label) for label in learner.classes_.tolist()]
    card["rows"] = int(account[rounds.ROUNDS])
    card["mistakes"], card["updates"] = int(account[rounds.MISTAKES]), int(account[rounds.UPDATES])
    card["loss"] = float(account[rounds.LOSS])
    card["certificate"] = learner.certificate_.to_dict()
    if len(engine.totals) > 1:
        card["contenders"] = [
            {"step": repr(one.step), "mistakes": one.mistakes, "loss": one.loss} for one in learner.contenders_
        ]
    card["reading"] = dict(learner.notes.get("reading", {}))
    return card


def _print_card(card: dict[str, Any]) -> None:
    n = max(1, card["rows"])
    lines = [("", card["learner"]), ("file", f"{card['model']}, {card['bytes']:,} bytes"), ("learns", card["learns"])]
    if "labels" in card:
        shown = ", ".join(map(str, card["labels"][:12])) + (", ..." if len(card["labels"]) > 12 else "")
        lines.append(("labels", f"{len(card['labels'])}: {shown}"))
    if card["rows"]:
        lines += [
            ("features", f"{card['features']:,}"),
            ("rows learnt", f"{card['rows']:,}"),
            ("mistakes", f"{card['mistakes']:,} ({card['mistakes'] / n:.2%}), each row predicted before it was learnt"),
            ("updates", f"{card['updates']:,} ({card['updates'] / n:.2%})"),
            ("loss", f"{card['loss'] / n:.4g} a row"),
            ("dual value", f"{card['certificate']['dual']:.6g}"),
        ]
    lines += [("contender", f"{one['step']}: {one['mistakes']:,} mistakes") for one in card.get("contenders", [])]
    reading = card.get("reading", {})
    if reading:
        lines.append(("reads", ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in reading.items())))
    for name, words in lines:
        sys.stdout.write(f"{name:<12}{words}\n" if name else f"{words}\n")


def heaviest(learner: Any, names: dict[int, str], top: int) -> dict[Any, list[tuple[str, int, float]]]:
    """(feature, column, weight) of the heaviest features by label, the heaviest first.

    With two labels there is one weight vector: what weighs for the one weighs against the other.
    """
    import numpy as np

    if learner._engine is None or top == 0:
        return {}
    if hasattr(learner, "center_"):
        lanes = {"": learner.center_}
    elif not hasattr(learner, "classes_"):
        lanes = {"": learner.coef_[0]}
    else:
        labels, weights = learner.classes_.tolist(), learner.coef_
        lanes = dict(zip(labels, (-weights[0], weights[0]) if len(labels) <= 2 else weights, strict=False))
    signs = signs_of(learner, names)
    by_size = not hasattr(learner, "classes_")
    found = {}
    for label, lane in lanes.items():
        signed = lane.copy()
        if len(signs):
            known = [column for column in signs if column < len(signed)]
            signed[known] *= np.array([signs[column] for column in known], signed.dtype)
        merit = np.abs(signed) if by_size else signed
        count = min(top, len(merit))
        order = np.argpartition(-merit, count - 1)[:count]
        order = order[np.lexsort((order, -merit[order]))]
        found[label] = [
            (name_of(learner, names, int(column)), int(column), float(signed[column]))
            for column in order.tolist()
            if merit[column] > 0
        ]
    return found


def name_of(learner: Any, names: dict[int, str], column: int) -> str:
    """What a feature is called."""
    if learner._columns is not None:
        return str(list(learner._columns)[column])
    return names.get(column, f"#{column}")


def signs_of(learner: Any, names: dict[int, str]) -> dict[int, int]:
    """The columns whose word is counted as -1: the weight of the word is the opposite of its column's."""
    if "text" not in learner.notes.get("reading", {}):
        return {}
    from hinge.io.hashing import murmur3

    found = {}
    for column, name in names.items():
        word = name.split(" | ")[0].encode()
        if murmur3.py_func(word, 0, len(word), 0) >= 1 << 31:
            found[column] = -1
    return found


COMMAND = show
