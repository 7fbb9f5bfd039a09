# SPDX-License-Identifier: BSD-3-Clause
"""How long it takes to begin: imports and ``--version``, each in a process of its own, less the interpreter's start."""

from __future__ import annotations

import subprocess
import sys

from measure import seconds, show, side_by_side


def _run(*arguments: str) -> None:
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    """Print the table."""
    bare, own, version, help_, theirs = side_by_side(
        lambda: _run("-c", "pass"),
        lambda: _run("-c", "import hinge"),
        lambda: _run("-m", "hinge", "--version"),
        lambda: _run("-m", "hinge", "--help"),
        lambda: _run("-c", "import sklearn.linear_model"),
    )
    limit = 0.25 * (theirs - bare)

    def line(name: str, time: float, least: str, met: bool) -> list[str]:
        return [name, seconds(time), f"{(time - bare) / (theirs - bare):.2f}", least, "met" if met else "MISSED"]

    show(
        "Beginning (the whole process; the share is of scikit-learn's import, the interpreter's own start left out)",
        ["what", "seconds", "share", "at most", ""],
        [
            ["python -c pass", seconds(bare), "", "", ""],
            ["import sklearn.linear_model", seconds(theirs), "1.00", "", ""],
            line("import hinge", own, "0.25", own - bare <= limit),
            line("python -m hinge --version", version, "0.25", version - bare <= limit),
            line("python -m hinge --help", help_, "0.3 s", help_ <= 0.3),
        ],
    )


if __name__ == "__main__":
    main()
