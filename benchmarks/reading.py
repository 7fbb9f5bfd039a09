# SPDX-License-Identifier: BSD-3-Clause
"""Readers against scikit-learn's and pandas', side by side on the same made-up files, kernels warm, nothing learnt.

svmlight and Vowpal Wabbit: 75 non-zeros a row over 2^18 columns, six digits (200,000 rows are 15 million non-zeros).
CSV: 30 columns of numbers. ``python benchmarks/reading.py [rows]``; files are made in a temporary folder.
"""

from __future__ import annotations

import contextlib
import pathlib
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
from sklearn.datasets import load_svmlight_file

from hinge.io import read

NON_ZEROS, COLUMNS, CSV_COLUMNS = 75, 1 << 18, 30


def write_sparse(svmlight: pathlib.Path, vw: pathlib.Path, rows: int) -> None:
    random = np.random.default_rng(75)
    with open(svmlight, "w") as first, open(vw, "w") as second:
        for _ in range(rows):
            columns = np.unique(random.integers(0, COLUMNS, NON_ZEROS)).tolist()  # scikit-learn wants them in order
            values = random.lognormal(-2.3, 0.5, len(columns)).tolist()
            pairs = " ".join([f"{column}:{value:.6g}" for column, value in zip(columns, values, strict=True)])
            label = random.integers(2) * 2 - 1
            first.write(f"{label} {pairs}\n")
            second.write(f"{label} | {pairs}\n")


def write_csv(path: pathlib.Path, rows: int) -> None:
    random = np.random.default_rng(30)
    with open(path, "w") as file:
        file.write(",".join(f"c{place}" for place in range(CSV_COLUMNS)) + "\n")
        for row in random.normal(size=(rows, CSV_COLUMNS)):
            file.write(",".join([f"{value:.6g}" for value in row.tolist()]) + "\n")


def ours(path: pathlib.Path) -> float:
    """The sum of all values, which nobody can know without having read them."""
    with read(path) as batches:
        return sum(float(batch.data.sum(dtype=np.float64)) for batch in batches)


def svmlight_of_sklearn(path: pathlib.Path) -> float:
    X, _ = load_svmlight_file(str(path), n_features=COLUMNS, dtype=np.float32, zero_based=True)
    return float(X.data.sum(dtype=np.float64))


def csv_of_pandas(path: pathlib.Path) -> float:
    parts = pandas.read_csv(path, dtype=np.float32, chunksize=20_000)
    return sum(float(part.to_numpy().sum(dtype=np.float64)) for part in parts)


def seconds(work: Callable[[pathlib.Path], float], path: pathlib.Path) -> tuple[float, float]:
    start = time.perf_counter()
    total = work(path)
    return time.perf_counter() - start, total


def compare(name: str, path: pathlib.Path, rows: int, peer: Callable[[Any], float] | None, times: int) -> None:
    """One line of the table: the median of some runs, in turn with the peer's."""
    ours(path)
    mine, theirs = [], []
    for _ in range(times):
        took, total = seconds(ours, path)
        mine.append(took)
        if peer is not None:
            took, expected = seconds(peer, path)
            theirs.append(took)
            assert abs(total - expected) <= 1e-6 * abs(expected) + 1e-3, (name, total, expected)
    took, size = statistics.median(mine), path.stat().st_size
    line = f"{name:10} {rows:9,} {size / 1e6:8.0f} {took:8.3f} {size / took / 1e6:8.0f} {rows / took / 1e6:14.2f}"
    if theirs:
        line += f" {statistics.median(theirs):9.3f} {statistics.median(theirs) / took:7.1f}x"
    print(line, flush=True)


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    heads = ("rows", 9), ("MB", 8), ("seconds", 8), ("MB/s", 8), ("million rows/s", 14), ("peer s", 9), ("ratio", 8)
    print(f"{'format':10} " + " ".join(f"{head:>{width}}" for head, width in heads))
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        svmlight, vw, table = pathlib.Path("a.svm"), pathlib.Path("a.vw"), pathlib.Path("a.csv")
        write_sparse(svmlight, vw, rows)
        write_csv(table, rows)
        compare("svmlight", svmlight, rows, svmlight_of_sklearn, 3)
        compare("vw", vw, rows, None, 3)
        compare("csv", table, rows, csv_of_pandas, 3)
    print("peers: scikit-learn's load_svmlight_file; pandas.read_csv (float32, 20,000 rows a chunk)")


if __name__ == "__main__":
    main()
