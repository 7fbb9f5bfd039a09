# SPDX-License-Identifier: BSD-3-Clause
"""All benchmarks in turn, on one thread: ``make bench``, or ``benchmarks/run.py batches one_row`` for some."""

from __future__ import annotations

import importlib
import os
import platform
import sys

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(threads, "1")

ALL = ["start", "one_row", "batches", "growth", "many_labels", "kernels", "text", "reading"]


def main(chosen: list[str]) -> None:
    """Run the chosen benchmarks, or all."""
    import numba
    import numpy
    import sklearn

    import hinge

    print(
        f"hinge {hinge.__version__}, Python {platform.python_version()}, numpy {numpy.__version__}, "
        f"numba {numba.__version__}, scikit-learn {sklearn.__version__}, {os.cpu_count()} cores"
    )
    for name in chosen or ALL:
        importlib.import_module(name).main()


if __name__ == "__main__":
    main(sys.argv[1:])
