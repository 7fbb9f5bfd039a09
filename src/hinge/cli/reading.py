# SPDX-License-Identifier: BSD-3-Clause
"""How files become rows: what the options of a command say, and what a model remembers of the files it learnt from."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from typing import Any

import typer

#: What decides which column a feature has: no model can go on with another.
FIXED = ("text", "ngrams", "analyzer", "bits", "columns_from")
#: Bytes of text that make a batch: more than usual, since whatever is done once a batch is then done seldom.
BATCH, FIRST_PART = 1 << 23, 1 << 18


@dataclasses.dataclass(frozen=True)
class Reading:
    """The options that files are read with, as commands call them."""

    format: str | None = None
    target: str | None = None
    text: str | None = None
    ngrams: str = "1"
    analyzer: str = "word"
    bits: int = 18
    delimiter: str | None = None
    header: bool = True
    quotes: bool = True
    categorical: tuple[str, ...] = ()
    columns_from: str = "0"
    #: The format of the last file that was learnt, for those whose name does not say theirs.
    usual_format: str | None = None
    #: What was said in this command, and not remembered.
    given: frozenset[str] = frozenset()

    @classmethod
    def of(cls, notes: Mapping[str, Any], model: str | None = None, **options: Any) -> Reading:
        """What the notes of a model remember, and over it what this command says (None: nothing)."""
        remembered = _checked(notes.get("reading", {}), model)
        said = {name: value for name, value in options.items() if value is not None and value != []}
        usual = cls(**remembered)
        for name in FIXED:
            if "reading" in notes and name in said and said[name] != getattr(usual, name):
                option = "--" + name.replace("_", "-")
                before = getattr(usual, name)
                raise ValueError(
                    f"{model} was learnt with {f'{option} {before}' if before is not None else f'no {option}'}, which "
                    f"its features hang on; it cannot go on with {option} {said[name]} (--fresh starts anew)."
                )
        if "categorical" in said:
            said["categorical"] = tuple(said["categorical"])
        reading = cls(**{**remembered, **said, "given": frozenset(said)})
        reading._check()
        return reading

    def _check(self) -> None:
        if self.columns_from not in ("0", "1", "auto"):
            raise typer.BadParameter(f"--columns-from must be 0, 1 or auto, not {self.columns_from!r}")
        for name in ("ngrams", "analyzer", "quotes"):
            if self.text is None and name in self.given:
                raise typer.BadParameter(f"--{name} is for texts: name their column, --text COLUMN")
        self.ngram_range()

    def ngram_range(self) -> tuple[int, int]:
        """1 is (1, 1), 1-2 is (1, 2)."""
        low, _, high = self.ngrams.partition("-")
        try:
            return int(low), int(high or low)
        except ValueError:
            raise typer.BadParameter(f"--ngrams must be a number or two, as in 1-2, not {self.ngrams!r}") from None

    def remembered(self, last_format: str | None) -> dict[str, Any]:
        """What a model is to remember: all that is not as usual."""
        usual = Reading()
        found = {
            field.name: getattr(self, field.name)
            for field in dataclasses.fields(self)
            if field.name not in ("given", "format", "usual_format")
            and getattr(self, field.name) != getattr(usual, field.name)
        }
        if "categorical" in found:
            found["categorical"] = list(found["categorical"])
        return {**found, "usual_format": last_format} if last_format else found

    def format_of(self, path: str) -> str:
        """The format of a file: as said, as its name says, or as before. tsv is csv with tabs."""
        from hinge.io.reader import _format_of, _unpacked

        if self.format in ("csv", "tsv"):
            return self.format
        if self.format is not None:
            return _format_of(path, self.format)
        if _unpacked(path).lower().endswith(".tsv"):
            return "tsv"
        try:
            return _format_of(path, None)
        except ValueError:
            if self.usual_format is None:
                raise
            return self.usual_format

    def open(self, path: str, skip_bad: bool, labelled: bool = True, names: bool = False) -> Any:
        """The rows of a file in batches; ``labelled``: with their labels, ``names``: texts keep the names of words."""
        format = self.format_of(path)
        target = self.target if labelled else None
        if self.text is not None:
            from hinge.cli.texts import Texts

            return Texts(self, path, format, skip_bad, target, names)
        from hinge.io import read
        from hinge.io.reader import OPTIONS

        tab = "\t" if format == "tsv" else None
        format = "csv" if format == "tsv" else format
        place = format == "conll" or (format == "csv" and not self.header)
        options: dict[str, Any] = {
            "target": _place(target) if place and target is not None else target,
            "zero_based": {"0": True, "1": False, "auto": "auto"}[self.columns_from],
            "multilabel": False, "header": self.header, "categorical": self.categorical,
            "delimiter": self.delimiter or tab,
        }  # fmt: skip
        said = {"zero_based" if name == "columns_from" else name for name in self.given}
        fitting = {name: value for name, value in options.items() if name in OPTIONS[format] or name in said}
        # Of a table that comes through a pipe the first part decides what it is: it must come soon.
        size = BATCH if format in ("svmlight", "vw") or os.path.isfile(path) else FIRST_PART
        return read(path, format=format, bits=self.bits, skip_bad=skip_bad, batch_bytes=size, **fitting)


def _checked(reading: Any, model: str | None) -> dict[str, Any]:
    """What a model's notes say of reading, if it is what `Reading.remembered` says: a file may come from anywhere."""
    usual = Reading()
    found: dict[str, Any] = {}
    said: list[tuple[str, Any]] = list(reading.items()) if isinstance(reading, Mapping) else [("", None)]
    for name, value in said:
        wanted: tuple[type, ...] = (str,)
        if hasattr(usual, name) and getattr(usual, name) is not None:
            wanted = (list,) if name == "categorical" else (type(getattr(usual, name)),)
        if not hasattr(usual, name) or name in ("given", "format") or type(value) not in wanted:
            raise ValueError(f"the notes in {model} on how its files are read are not of this version of hinge")
        if name == "categorical" and not all(isinstance(word, str) for word in value):
            raise ValueError(f"the notes in {model} on categorical columns are no names")
        found[name] = tuple(value) if name == "categorical" else value
    return found


def _place(target: str) -> int:
    try:
        return int(target)
    except ValueError:
        raise typer.BadParameter(f"--target: without names it is a place such as 0 or -1, not {target!r}") from None
