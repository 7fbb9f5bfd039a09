# SPDX-License-Identifier: BSD-3-Clause
"""What the README says is so: its table is the catalogue's, its pages are there; its examples run as doctests."""

import pathlib
import re

from hinge.catalogue import CATALOGUE, Algorithm

ROOT = pathlib.Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def shown(algorithm: Algorithm) -> str:
    """How one would write it, the step too where it is the usual one."""
    given = [repr(algorithm.step()), *(f"{name}={value!r}" for name, value in algorithm.fixed.items())]
    return f"{algorithm.learner.__name__}({', '.join(given)})".replace("'", '"')


def test_the_table_of_algorithms_is_the_catalogue() -> None:
    listed = re.findall(r"^\| (.+?) \| `(.+?)` \| (.+?) \|$", README, flags=re.MULTILINE)
    made = [(algorithm.name, shown(algorithm), algorithm.where) for algorithm in CATALOGUE]
    assert [row for row in listed if row in made] == made


def test_every_page_that_is_named_is_there() -> None:
    named = re.findall(r"\]\(([^)#]+?)\)", README)
    assert len(named) > 5
    assert [name for name in named if "://" not in name and not (ROOT / name).exists()] == []
