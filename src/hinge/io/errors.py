# SPDX-License-Identifier: BSD-3-Clause
"""What is wrong with a file, said so that a person can mend it."""

from __future__ import annotations

__all__ = ["BadFile", "BadLine"]

#: How much of a line is shown: enough to recognise it.
SHOWN = 40


class BadFile(ValueError):
    """A file that cannot be read at all: truncated, damaged, or not of the format it was said to be.

    >>> print(BadFile("mail.svm.gz", "it ends in the middle of the compressed data"))
    mail.svm.gz: it ends in the middle of the compressed data
    """

    def __init__(self, path: str, what: str) -> None:
        """Say what is wrong with a file."""
        super().__init__(f"{path}: {what}")
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        """Pickled with its fields."""
        return _restore, (type(self), str(self), dict(vars(self)))


class BadLine(BadFile):
    """One line (of text) or one row (of a table) that is not what its format says.

    ``line`` and ``column`` count from 1, the column in characters; a row of a table counts from 1 too, and its
    column is the column's name.

    >>> error = BadLine("mail.svm", 17, 23, 'a number after "12:"', '"abc"')
    >>> print(error)
    mail.svm:17:23: expected a number after "12:", found "abc"
    >>> error.line, error.column
    (17, 23)
    """

    def __init__(self, path: str, line: int, column: int | str, expected: str, found: str) -> None:
        """Say what was expected and what was found where."""
        ValueError.__init__(self, f"{path}:{line}:{column}: expected {expected}, found {found}")
        self.path = path
        self.line = line
        self.column = column
        self.expected = expected
        self.found = found


def _restore(cls: type[BadFile], message: str, fields: dict[str, object]) -> BadFile:
    """An error out of a pickle: processes hand them on."""
    error = cls.__new__(cls)
    ValueError.__init__(error, message)
    vars(error).update(fields)
    return error


def shown(text: bytes) -> str:
    """A piece of a file, for a message: quoted, short, and harmless to a terminal.

    >>> print(shown(b"abc"), shown(b""), shown(bytes([27, 0])))
    "abc" the end of the line "\\x1b\\x00"
    """
    if not text:
        return "the end of the line"
    letters = text[: 4 * SHOWN].decode("utf-8", errors="backslashreplace")
    short = letters[:SHOWN] + ("..." if len(letters) > SHOWN or len(text) > 4 * SHOWN else "")
    return '"' + "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in short) + '"'
