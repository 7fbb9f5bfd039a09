# SPDX-License-Identifier: BSD-3-Clause
"""The command line: ``hinge``, or ``python -m hinge``."""

from __future__ import annotations

import importlib.util
import sys

from hinge import __version__

#: What only the command line needs, besides what hinge itself does.
NEEDED = ("typer", "rich")


def main() -> None:
    """Run the command that the arguments name."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        sys.stdout.write(f"hinge {__version__}\n")
        return
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        sys.stderr.write(f"hinge: the command line needs {' and '.join(missing)}: pip install 'hinge[cli]'\n")
        raise SystemExit(1)
    from hinge.cli.app import run

    run()


if __name__ == "__main__":
    main()
