# SPDX-License-Identifier: BSD-3-Clause
"""How the time of a round grows: with all features, with a row's non-zeros, with lanes, with rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

import hinge
from measure import show, side_by_side


def stream(rows: int = 20_000, features: int = 1 << 18, non_zeros: int = 75, labels: int = 2) -> tuple[Any, Any]:
    """Sparse rows with ascending random columns."""
    chance = np.random.default_rng(7)
    gaps = chance.integers(1, max(2, 2 * features // (non_zeros + 1)), (rows, non_zeros))
    indices = np.minimum(np.cumsum(gaps, axis=1), features - 1 - np.arange(non_zeros)[::-1]).astype(np.int32)
    data = chance.standard_normal((rows, non_zeros)).astype(np.float32) / np.float32(np.sqrt(non_zeros))
    X = scipy.sparse.csr_matrix(
        (data.ravel(), indices.ravel(), np.arange(rows + 1) * non_zeros), shape=(rows, features)
    )
    return X, chance.integers(0, labels, rows)


def _table(name: str, values: list[int], step: Any = None, **fixed: int) -> None:
    step = hinge.PA1(1.0) if step is None else step
    played = [stream(**{**fixed, name: value}) for value in values]
    times = side_by_side(*(lambda X=X, y=y: hinge.play(hinge.Classifier(step), X, y) for X, y in played), turns=3)
    rounds = [1e9 * t / X.shape[0] for t, (X, _) in zip(times, played, strict=True)]
    slope = np.polyfit(np.log(values), np.log(rounds), 1)[0]
    lines = [[f"{value:,}", f"{round_:,.0f} ns"] for value, round_ in zip(values, rounds, strict=True)]
    show(f"Time of a round by {name.replace('_', ' ')} (grows with the power {slope:.2f})", [name, "a round"], lines)


def main() -> None:
    """Print the tables."""
    _table("features", [1 << bits for bits in (12, 14, 16, 18, 20, 22)])
    _table("non_zeros", [10, 20, 40, 80, 160, 320])
    _table("labels", [2, 8, 16, 32, 64, 128])
    _table("rows", [5_000, 10_000, 20_000, 40_000, 80_000])


if __name__ == "__main__":
    main()
