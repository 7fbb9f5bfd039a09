# SPDX-License-Identifier: BSD-3-Clause
"""The benchmarks' streams: synthetic, of fixed seeds, made once and kept beside this file.

sparse  200,000 x 2^18, about 75 non-zeros a row with Zipf frequencies, (1 + log tf) idf, rows of unit norm; labels
        from sparse random separators with 5% noise: binary, 20 and 100 classes.
cover   500,000 x 54: ten correlated normals and two one-hot groups (4 + 40), a bent boundary, 5% noise.
digits  60,000 x 784 in [0, 1], 10 classes of 8 blob prototypes, about a fifth non-zero.
"""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np

FOLDER = pathlib.Path(__file__).parent / ".streams"


def _kept(name: str, make: Any) -> dict[str, np.ndarray]:
    path = FOLDER / f"{name}.npz"
    if not path.exists():
        FOLDER.mkdir(exist_ok=True)
        np.savez(path, **make())
    with np.load(path) as file:
        return dict(file)


def sparse(dtype: Any = np.float32) -> tuple[Any, dict[int, np.ndarray]]:
    """The rows, and the labels by number of classes (2, 20, 100)."""
    import scipy.sparse

    kept = _kept("sparse", _make_sparse)
    shape = (len(kept["indptr"]) - 1, 1 << 18)
    rows = scipy.sparse.csr_matrix((kept["data"].astype(dtype), kept["indices"], kept["indptr"]), shape=shape)
    return rows, {k: kept[f"y{k}"].astype(np.int64) for k in (2, 20, 100)}


def cover(dtype: Any = np.float32) -> tuple[np.ndarray, np.ndarray]:
    """Dense binary rows."""
    kept = _kept("cover", _make_cover)
    return kept["X"].astype(dtype), kept["y"].astype(np.int64)


def digits(dtype: Any = np.float32) -> tuple[np.ndarray, np.ndarray]:
    """Dense rows of ten classes."""
    kept = _kept("digits", _make_digits)
    return kept["X"].astype(dtype), kept["y"].astype(np.int64)


def _make_sparse(n: int = 200_000, d: int = 1 << 18) -> dict[str, np.ndarray]:
    import scipy.sparse

    random = np.random.default_rng(20260)
    column_of_rank = random.permutation(d).astype(np.int32)  # as hashed words: a column says nothing of frequency
    probability = 1.0 / (np.arange(d) + 10.0) ** 1.05
    cumulative = np.cumsum(probability / probability.sum())
    length = np.clip(random.lognormal(np.log(72.5), 0.45, n), 5, 600).astype(int)
    ranks = np.searchsorted(cumulative, random.random(length.sum())).clip(0, d - 1)
    row = np.repeat(np.arange(n), length)
    X = scipy.sparse.csr_matrix((np.ones(len(ranks)), (row, column_of_rank[ranks])), shape=(n, d))
    X.sum_duplicates()
    frequency = np.bincount(X.indices, minlength=d)
    X.data = (1 + np.log(X.data)) * (np.log((1 + n) / (1 + frequency)) + 1)[X.indices]
    X.data /= np.repeat(np.sqrt(np.add.reduceat(X.data**2, X.indptr[:-1])), np.diff(X.indptr))

    def separators(k: int) -> np.ndarray:
        weights = np.zeros((d, k))
        important = random.random((d, 1)) < 0.5 / (1 + (np.arange(d)[:, None] / 300) ** 2)
        weights[column_of_rank] = random.normal(size=(d, k)) * important
        return X @ weights

    score = separators(1)[:, 0]
    y = (score > np.median(score)).astype(np.int8)
    noise = random.random(n) < 0.05
    labels = {"y2": np.where(noise, 1 - y, y)}
    for k in (20, 100):
        scores = separators(k)
        code = ((scores - scores.mean(0)) / scores.std(0)).argmax(1)
        noise = random.random(n) < 0.05
        code[noise] = random.integers(0, k, noise.sum())
        labels[f"y{k}"] = code.astype(np.int16)
    return {
        "data": X.data.astype(np.float32), "indices": X.indices.astype(np.int32),
        "indptr": X.indptr.astype(np.int32), **labels,
    }  # fmt: skip


def _make_cover(n: int = 500_000) -> dict[str, np.ndarray]:
    random = np.random.default_rng(54)
    X = np.zeros((n, 54))
    X[:, :10] = random.normal(size=(n, 10)) @ (np.eye(10) + 0.3 * random.normal(size=(10, 10)))
    X[:, :10] /= X[:, :10].std(0)
    X[np.arange(n), 10 + random.integers(0, 4, n)] = 1
    X[np.arange(n), 14 + np.minimum(random.geometric(0.08, n) - 1, 39)] = 1
    bent = 0.8 * X[:, 0] * X[:, 1] + 0.8 * np.sin(2 * X[:, 2])
    score = X @ random.normal(size=54) + bent + 0.5 * random.normal(size=n)
    y = (score > np.median(score)) ^ (random.random(n) < 0.05)
    return {"X": X.astype(np.float32), "y": y.astype(np.int8)}


def _make_digits(n: int = 60_000, classes: int = 10, prototypes: int = 8) -> dict[str, np.ndarray]:
    random = np.random.default_rng(784)
    pixel = np.stack(np.meshgrid(np.arange(28), np.arange(28), indexing="ij"), -1).reshape(-1, 2)
    image = np.zeros((classes, prototypes, 784))
    for k in range(classes):
        base = random.uniform(5, 23, (6, 2))
        for p in range(prototypes):
            centres = base + random.normal(0, 2.2, (6, 2))
            image[k, p] = np.exp(-((pixel[:, None] - centres[None]) ** 2).sum(-1) / 5.0).sum(1)
    y = random.integers(0, classes, n)
    X = image[y, random.integers(0, prototypes, n)] * random.uniform(0.6, 1.1, (n, 1))
    X = np.clip(X + 0.12 * random.normal(size=(n, 784)), 0, 1)
    X[X < 0.25] = 0
    noise = random.random(n) < 0.02
    y[noise] = random.integers(0, classes, noise.sum())
    return {"X": X.astype(np.float32), "y": y.astype(np.int8)}


if __name__ == "__main__":
    sparse(), cover(), digits()
