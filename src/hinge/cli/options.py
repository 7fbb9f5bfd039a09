# SPDX-License-Identifier: BSD-3-Clause
"""Options that several commands have, each with the words of its help."""

from __future__ import annotations

from typing import Annotated

import typer

_FILES, _TEXT, _ALGORITHM = "The files", "Texts", "The algorithm"

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="Files of rows: svmlight, Vowpal Wabbit, CSV, JSON lines, Parquet, Arrow; also packed with gzip or zstd. "
        "- is standard input.",
        show_default=False,
    ),
]
Model = Annotated[
    str, typer.Option("--model", "-m", metavar="MODEL", help="The model file.", show_default=False)
]
ModelToKeep = Annotated[
    str | None,
    typer.Option(
        "--model", "-m", metavar="MODEL", show_default=False,
        help="Keep what is learnt in this file; if it is there, go on from it.",
    ),
]  # fmt: skip

Format = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", rich_help_panel=_FILES, show_default=False,
        help="svmlight, vw, csv, jsonl, parquet or arrow; else the name's end says.",
    ),
]  # fmt: skip
Target = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", rich_help_panel=_FILES, show_default=False,
        help="The column that holds the labels: its name, or its place from 0 where there are no names.",
    ),
]  # fmt: skip
Bits = Annotated[
    int | None,
    typer.Option(
        metavar="N", rich_help_panel=_FILES, show_default=False,
        help="Names and words are hashed into 2^N columns (usually 18).",
    ),
]  # fmt: skip
ColumnsFrom = Annotated[
    str | None,
    typer.Option(
        metavar="0|1|auto", rich_help_panel=_FILES, show_default=False,
        help="svmlight: what the first column is called (usually 0, which is right for files from 1 too).",
    ),
]  # fmt: skip
Delimiter = Annotated[
    str | None,
    typer.Option(
        metavar="CHARACTER", rich_help_panel=_FILES, show_default=False,
        help="CSV: what parts the fields (a comma; in .tsv a tab).",
    ),
]  # fmt: skip
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header", rich_help_panel=_FILES, show_default=False,
        help="CSV: whether the first row has the columns' names (it usually does).",
    ),
]  # fmt: skip
Categorical = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN", rich_help_panel=_FILES, show_default=False,
        help="CSV: a column that holds words even where they look like numbers; may be given again.",
    ),
]  # fmt: skip
SkipBad = Annotated[
    bool, typer.Option("--skip-bad", rich_help_panel=_FILES, help="Pass over bad rows, and count them.")
]
Text = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", rich_help_panel=_TEXT, show_default=False,
        help="Learn from the text in this column of a CSV, TSV or JSON lines file.",
    ),
]  # fmt: skip
Ngrams = Annotated[
    str | None,
    typer.Option(
        metavar="N|LOW-HIGH", rich_help_panel=_TEXT, show_default=False,
        help="How many words (characters) make a feature: 1, or 1-2 for single words and pairs.",
    ),
]  # fmt: skip
Analyzer = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", rich_help_panel=_TEXT, show_default=False,
        help="word, char, or char_wb (characters within words).",
    ),
]  # fmt: skip
Quotes = Annotated[
    bool | None,
    typer.Option(
        "--quotes/--no-quotes", rich_help_panel=_TEXT, show_default=False,
        help="Whether quotes enclose fields (they usually do) or are letters like others.",
    ),
]  # fmt: skip

C = Annotated[
    str | None,
    typer.Option(
        "--C", "-C", metavar="C[,C...]", rich_help_panel=_ALGORITHM, show_default=False,
        help="How far one row may move the hypothesis; several race side by side, and the best predicts.",
    ),
]  # fmt: skip
Numbers = Annotated[
    bool, typer.Option("--numbers", rich_help_panel=_ALGORITHM, help="Learn to predict numbers instead of labels.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")]
