# SPDX-License-Identifier: BSD-3-Clause
"""A demonstration: ``python -m hinge.demo`` learns a real stream of messages, once through."""

from __future__ import annotations

import gzip
import pathlib

MESSAGES = pathlib.Path(__file__).with_name("sms_spam.tsv.gz")


def messages() -> tuple[list[str], list[str]]:
    """(labels, texts) of the SMS Spam Collection (DATA.md)."""
    with gzip.open(MESSAGES, "rt", encoding="utf-8", newline="\n") as file:
        lines = [line.rstrip("\n").split("\t", 1) for line in file]
    return [label for label, _ in lines], [text for _, text in lines]
