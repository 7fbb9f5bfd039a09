# SPDX-License-Identifier: BSD-3-Clause
"""Kernels: one pass of PA1, (0.5 + x.z)^5, over 60,000 x 784 rows of 10 classes ([PA06] 10.3: MNIST, C = 100).

MNIST is taken from the folder that HINGE_DATA names, or from ../shared/data beside the project; where it is not there,
from `streams.digits`. Rows are centred and scaled to a mean squared norm of 1. Against the same algorithm scored row by
row with NumPy's matrix-vector products, and against the bare matrix products that the pass cannot do without. Row by
row would take minutes: some rows are taken at several places of the stream, with the supports of that place, and what
they take is added up for the whole.
"""

from __future__ import annotations

import gzip
import os
import pathlib
import time
import warnings
from typing import Any

import numpy as np

import hinge
import streams
from measure import seconds, show

PLACES, ROWS = 12, 60
BUDGET = 1_000


def _mnist() -> tuple[np.ndarray, np.ndarray] | None:
    root = pathlib.Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = pathlib.Path(os.environ.get("HINGE_DATA", root)) / "mnist"
    images, labels = folder / "train-images-idx3-ubyte.gz", folder / "train-labels-idx1-ubyte.gz"
    if not (images.exists() and labels.exists()):
        return None
    X = np.frombuffer(gzip.decompress(images.read_bytes()), np.uint8, offset=16).reshape(-1, 784)
    return X.astype(np.float32), np.frombuffer(gzip.decompress(labels.read_bytes()), np.uint8, offset=8).astype(int)


def digits() -> tuple[str, np.ndarray, np.ndarray]:
    """(their name, rows, labels)."""
    found = _mnist()
    name, (X, y) = ("MNIST", found) if found is not None else ("synthetic digits", streams.digits(np.float32))
    X = X - X.mean(0)
    X /= np.sqrt((X**2).sum(1).mean())
    return name, X, y


def learner(budget: Any = None) -> Any:
    space = hinge.Kernel("poly", gamma=1.0, degree=5, coef0=0.5, budget=budget)
    return hinge.Classifier(hinge.PA1(100.0), space=space)


def supports_at(flags: Any) -> np.ndarray:
    """How many supports there were before every row."""
    return np.concatenate([[0], np.cumsum(flags)[:-1]])


def row_by_row(X: np.ndarray, y: np.ndarray, before: np.ndarray, S: np.ndarray, A: np.ndarray) -> float:
    """The seconds that PA1 takes for all rows, scored with matrix-vector products."""
    places = np.linspace(0, len(X) - ROWS, PLACES).astype(int)
    each = []
    for place in places:
        n = int(before[place])
        # The supports of this place, and room for those to come.
        rows, alphas = S[: n + ROWS].copy(), A[: n + ROWS].copy()
        started = time.perf_counter()
        for t in range(place, place + ROWS):
            x, truth = X[t], y[t]
            k = (rows[:n] @ x + np.float32(0.5)) ** 5 if n else np.zeros(0, np.float32)
            scores = k @ alphas[:n]
            q = (x @ x + 0.5) ** 5
            others = scores.copy()
            others[truth] = -np.inf
            rival = int(others.argmax())
            loss = 1.0 - (scores[truth] - scores[rival])
            if loss > 0 and n < len(rows):
                tau = min(100.0, loss / (2 * q))
                rows[n] = x
                alphas[n] = 0
                alphas[n, truth], alphas[n, rival] = tau, -tau
                n += 1
        each.append((time.perf_counter() - started) / ROWS)
    return float(np.trapezoid(each, places) + each[-1] * ROWS)


def bare_products(X: np.ndarray, before: np.ndarray, S: np.ndarray, A: np.ndarray, block: int = 256) -> float:
    """The seconds of the matrix products alone: rows with supports, kernel values with coefficients."""
    tile = 1024
    total = 0.0
    for start in range(0, len(X), block):
        rows, n = X[start : start + block], int(before[start])
        started = time.perf_counter()
        rows @ rows.T
        for first in range(0, n, tile):
            stop = min(n, first + tile)
            (rows @ S[first:stop].T) @ A[first:stop]
        total += time.perf_counter() - started
    return total


def main() -> None:
    """Print the tables."""
    name, X, y = digits()
    warnings.simplefilter("ignore", hinge.GrowthWarning)
    learner().partial_fit(X[:500], y[:500])  # the compiler's time is not the pass's
    clf = learner()
    started = time.perf_counter()
    report = hinge.play(clf, X, y)
    own = time.perf_counter() - started
    before = supports_at(report.losses > 0)
    S = np.ascontiguousarray(clf.support_)
    A = np.ascontiguousarray(clf.dual_coef_.T)
    before = np.minimum(before, len(S))
    products = bare_products(X, before, S, A)
    blas2 = row_by_row(X, y, before, S, A)
    show(
        f"PA1, kernel (0.5 + x.z)^5, one pass over {len(X):,} x {X.shape[1]} rows, 10 classes ({name}): "
        f"{len(S):,} supports, {report.error_rate:.2%} progressive error",
        ["against", "hinge", "other", "ratio", "asked", ""],
        [
            ["row by row, matrix-vector products (estimated from parts)", seconds(own), seconds(blas2),
             f"{blas2 / own:.2f} x", "6 x", "met" if blas2 / own >= 6 else "MISSED"],
            ["the bare matrix products", seconds(own), seconds(products), f"{own / products:.2f} x", "at most 3 x",
             "met" if own / products <= 3 else "MISSED"],
        ],
    )  # fmt: skip
    lines = []
    for budget in (hinge.RandomBudget(BUDGET), hinge.Forgetron(BUDGET), hinge.BudgetPA(BUDGET),
                   hinge.Projectron(BUDGET, eta=0.3)):  # fmt: skip
        learner(budget).partial_fit(X[:500], y[:500])
        bounded, each = learner(budget), []
        for start in range(0, len(X), 10_000):
            started = time.perf_counter()
            bounded.partial_fit(X[start : start + 10_000], y[start : start + 10_000])
            each.append((time.perf_counter() - started) / 10_000)
        flat = max(each[1:]) / min(each[1:])
        lines.append([type(budget).__name__, *map(seconds, each), f"{flat:.2f} x"])
    heads = [f"to {last:,}" for last in range(10_000, len(X) + 1, 10_000)]
    show(f"Time of a round with a budget of {BUDGET:,}", ["budget", *heads, "most / least after 10,000"], lines)


if __name__ == "__main__":
    main()
