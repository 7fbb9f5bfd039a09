# SPDX-License-Identifier: BSD-3-Clause
"""Texts as people give them, checked, become bytes as the kernel reads them: UTF-8, a 0 behind each row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from hinge.text.characters import know_all_of_unicode
from hinge.text.work import ROWS

__all__ = ["as_list", "blocks", "check_text", "encode_one", "encode_rows", "lengths_of"]


def as_list(texts: Any) -> Sequence[str]:
    """A list of what was given, which must be something with one text a row; the rows are checked later."""
    if isinstance(texts, str):
        raise ValueError(
            f"expected a list of texts, got one text, {_shorten(texts)}: wrap it in a list ([text]), "
            "or call transform_one(text)"
        )
    if isinstance(texts, (list, tuple)):
        return texts
    dimensions = getattr(texts, "ndim", 1)
    if (
        dimensions != 1
        or isinstance(texts, (bytes, bytearray, Mapping))
        or hasattr(texts, "columns")
        or not isinstance(texts, Iterable)
    ):
        shape = f" of shape {texts.shape}" if hasattr(texts, "shape") else ""
        raise ValueError(
            f"expected a list (or another sequence of one dimension) of str, got {type(texts).__name__}{shape}; "
            "of a table, give the one column that holds the texts"
        )
    # Arrow's arrays iterate over its own kind of strings
    return texts.to_pylist() if hasattr(texts, "to_pylist") else list(texts)


def lengths_of(texts: Sequence[str] | Sequence[bytes]) -> np.ndarray[Any, Any]:
    """How many characters (or bytes) each text has."""
    try:
        return np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    except TypeError:
        for row, text in enumerate(texts):
            check_text(text, f"row {row}")
        raise


def blocks(lengths: np.ndarray[Any, Any], characters: int) -> Iterator[tuple[int, int]]:
    """Ranges of rows to take at once: about so many characters, but one row at least."""
    ends = np.cumsum(lengths + 1)
    first, before = 0, 0
    while first < len(ends):
        last = int(np.searchsorted(ends, before + characters, side="right"))
        last = min(max(last, first + 1), first + ROWS)
        yield first, last
        first, before = last, int(ends[last - 1])


def encode_rows(
    texts: Sequence[str], lengths: np.ndarray[Any, Any], first_row: int, lowercase: bool, words: bool
) -> tuple[bytes, np.ndarray[Any, Any]]:
    """The bytes of the rows, a 0 behind each, and the position behind each 0."""
    try:
        parts = [text.encode() if text.isascii() else encode_one(text, lowercase, words) for text in texts]
    except (AttributeError, ValueError):  # not a str, or no UTF-8: say where
        for row, text in enumerate(texts, first_row):
            check_text(text, f"row {row}")
            encode_one(text, lowercase, words, f"row {row}")
        raise
    data = b"\0".join(parts) + b"\0"
    if len(data) > lengths.sum() + len(texts):  # not ASCII throughout
        lengths = lengths_of(parts)
    return data, np.cumsum(lengths + 1)


def encode_one(text: str, lowercase: bool, words: bool, where: str = "the text") -> bytes:
    """The bytes of one text; letters beyond ASCII in lower case if asked for (the kernel sees to A to Z)."""
    if text.isascii():
        return text.encode()
    know_all_of_unicode()
    if lowercase:
        text = text.lower()
    if words:  # a lone surrogate is no letter, so no word has one
        return text.encode("utf-8", "surrogatepass")
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{where} has half a character, the lone surrogate {text[error.start]!r} at position {error.start}, which "
            "has no UTF-8: repair what decoded it, or text.encode('utf-8', 'replace').decode()"
        ) from error


def check_text(text: Any, where: str) -> None:
    """Raise a ValueError unless it is a str."""
    if isinstance(text, str):
        return
    if isinstance(text, (bytes, bytearray)):
        advice = "decode it first (text.decode('utf-8'))"
    elif text is None or type(text).__name__ == "NAType" or (isinstance(text, float) and text != text):
        advice = "replace missing texts by ''"
    else:
        advice = "str(...) makes one of it, if that is what is meant"
    raise ValueError(f"{where} is {_shorten(text)} ({type(text).__name__}), expected str: {advice}")


def _shorten(thing: Any) -> str:
    shown = repr(thing)
    return shown if len(shown) <= 60 else shown[:57] + "..."
