# SPDX-License-Identifier: BSD-3-Clause
"""Labels as people and machines read them: the 1.0 of a file of numbers is 1."""

from __future__ import annotations

from typing import Any

from hinge.cli.talk import harmless


def as_json(label: Any) -> Any:
    """A label as JSON has it.

    >>> as_json(1.0), as_json("spam"), as_json(0.5)
    (1, 'spam', 0.5)
    """
    if isinstance(label, float) and label.is_integer() and abs(label) < 2**53:
        return int(label)
    return label if isinstance(label, (str, int, float, type(None))) else str(label)


def as_text(label: Any) -> str:
    """A label on a line.

    >>> as_text(-1.0), as_text("two words"), as_text("two\\nlines")
    ('-1', 'two words', 'two\\\\nlines')
    """
    return harmless(str(as_json(label)))
