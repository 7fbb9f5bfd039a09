# SPDX-License-Identifier: BSD-3-Clause
"""The commands put together, and what becomes of their errors."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from hinge import __version__
from hinge.cli import catalogue, explain, learn, predict, race, show, warm
from hinge.cli.talk import PIPE_CLOSED, WRONG, Interrupted, complain, in_words

app = typer.Typer(
    name="hinge",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    # Boxes and colours for a person; into a pipe goes plain text, without the time it takes to load what draws.
    rich_markup_mode="rich" if sys.stdout.isatty() else None,
    context_settings={"help_option_names": ["--help", "-h"]},
    epilog="Exit codes: 0 done, 1 something is wrong with a file or a model, 2 wrong usage, 130 stopped by Ctrl-C.",
)


@app.callback()
def _hinge(
    version: Annotated[bool, typer.Option("--version", "-V", help="Say which version this is.")] = False,
) -> None:
    """Learn from files, row by row, in one pass; predict, compare, and look inside what was learnt."""
    if version:
        typer.echo(f"hinge {__version__}")
        raise typer.Exit


def _answering(command: Callable[..., None]) -> Callable[..., None]:
    """The command with its errors said in words: what is wrong with a file is no fault of the program's."""

    @functools.wraps(command)
    def answer(*arguments: Any, **options: Any) -> None:
        try:
            command(*arguments, **options)
            sys.stdout.flush()
        except BrokenPipeError:  # whoever read our output, such as head, has enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(PIPE_CLOSED) from None
        except (KeyboardInterrupt, Interrupted):
            raise typer.Exit(Interrupted.code) from None
        except (ValueError, OSError, ImportError) as error:
            complain(in_words(error))
            raise typer.Exit(WRONG) from None

    return answer


def _paragraphs(docstring: str | None) -> str:
    """A docstring with a line for each paragraph: whoever prints it breaks its lines."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in (docstring or "").split("\n\n"))


for _module in (learn, predict, race, show, explain, catalogue, warm):
    _command = _module.COMMAND
    _help = _paragraphs(_command.__doc__)
    app.command(name=_command.__name__, help=_help, epilog=f"For example:\n\n{_module.EXAMPLE}")(_answering(_command))


def run() -> None:
    """Run the command that the arguments name; leaves by `SystemExit`."""
    app()
