# SPDX-License-Identifier: BSD-3-Clause
"""``hinge catalogue``: every algorithm by its name."""

from __future__ import annotations

from typing import Annotated

import typer

from hinge.cli import options
from hinge.cli.talk import print_json, print_table

EXAMPLE = """\
hinge catalogue

hinge catalogue PA-I"""


def catalogue(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", show_default=False, help="All that there is on one of them.")
    ] = None,
    json: options.Json = False,
) -> None:
    """List the algorithms, each with the paper and section it is from.

    \\[PA06] Crammer, Dekel, Keshet, Shalev-Shwartz, Singer, Online Passive-Aggressive Algorithms, JMLR 2006;
    the others are named in the documentation.
    """
    from hinge.catalogue import CATALOGUE, find, named
    from hinge.learners.estimator import parameter_names

    chosen = [find(name)] if name is not None else CATALOGUE
    rows = []
    for one in chosen:
        learner = named(one.name)
        fields = getattr(type(learner.step), "_fields", ())
        rest = [field for field in parameter_names(type(learner)) if field != "step" and field not in one.fixed]
        rows.append({
            "name": one.name, "learns": type(learner).__name__, "where": one.where, "what": one.what,
            "learner": repr(learner), "parameters": [*fields, *rest],
        })  # fmt: skip
    if json:
        for row in rows:
            print_json(row)
        return
    if name is None:
        print_table(
            ["name", "where", "what it does"], [[str(row[key]) for key in ("name", "where", "what")] for row in rows],
            left=(0, 1, 2),
        )  # fmt: skip
        return
    for key, words in (("where", "where"), ("what", "what"), ("learner", "in Python"), ("parameters", "parameters")):
        value = rows[0][key]
        typer.echo(f"{words:<12}{', '.join(value) if isinstance(value, list) else value}")


COMMAND = catalogue
