# SPDX-License-Identifier: BSD-3-Clause
"""Tables to rows: numbers as they are, words one-hot as the feature ``name=word``, and what a column is called.

A table of numbers only becomes a dense array, a column of the table a column of the array. Once a table has words,
rows are sparse and every feature is hashed by its name (`hinge.io.hashing`): a number under the column's name, a word
under ``name=word``. A CSV file, a JSON file, a data frame and Vowpal Wabbit's ``| age:31 city=paris`` then agree.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType

from hinge.io.hashing import column_of

#: Names are kept to be read by people, so many and no more.
MOST_NAMES = 1 << 18
#: A number as the readers understand it: what float() takes, without its words, underscores and signs of infinity.
NUMBER = re.compile(r"[ \t]*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[ \t]*", re.ASCII)


class Names:
    """The hashed columns of features, and the names of those that were seen.

    >>> names = Names(18)
    >>> column = names.column("city=paris")
    >>> names.shown()[column]
    'city=paris'
    """

    def __init__(self, bits: int) -> None:
        """Hash into 2**bits columns."""
        self.bits = bits
        self.of_column: dict[int, str] = {}
        self._columns: dict[str, int] = {}
        self._shown = MappingProxyType(dict[int, str]())

    def column(self, name: str) -> int:
        """The column of a name."""
        column = self._columns.get(name)
        if column is None:
            column = column_of(name, self.bits)
            if len(self._columns) >= MOST_NAMES:
                self._columns.clear()
            self._columns[name] = column
            self.keep(column, name)
        return column

    def keep(self, column: int, name: str) -> None:
        """Note what a column is called; the first name it had stays."""
        if len(self.of_column) < MOST_NAMES:
            self.of_column.setdefault(column, name)

    def shown(self) -> MappingProxyType[int, str]:
        """What columns are called, as of now."""
        if len(self._shown) != len(self.of_column):
            self._shown = MappingProxyType(self.of_column.copy())
        return self._shown


def place_of(target: str | int, names: Sequence[str], what: str) -> int:
    """Where the column that holds the labels is.

    >>> place_of("spam", ["a", "spam"], "x.csv"), place_of(-1, ["a", "spam"], "x.csv")
    (1, 1)
    """
    if isinstance(target, str) and target in names:
        return list(names).index(target)
    if isinstance(target, int) and -len(names) <= target < len(names):
        return target % len(names)
    raise ValueError(f"{what}: there is no column {target!r} for target=; its columns are {_listed(names)}")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:20])) + (f" and {len(names) - 20} more" if len(names) > 20 else "")


def check_names(names: Sequence[str], categorical: Sequence[str], what: str) -> None:
    """Names are there once each, and `categorical` names some of them."""
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise ValueError(f"{what}: two columns are called {twice!r}; features need names of their own")
    for name in categorical:
        if name not in names:
            raise ValueError(f"{what}: there is no column {name!r} for categorical=; its columns are {_listed(names)}")
