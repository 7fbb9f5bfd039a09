# SPDX-License-Identifier: BSD-3-Clause
"""One pass over a table, predictions recorded, against scikit-learn's `SGDClassifier` with PA-I, which records none."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import SGDClassifier

import hinge
import streams
from measure import ratio, seconds, show, side_by_side

HEADS = ["work", "hinge", "scikit-learn", "ratio", "at least", "aim", ""]


def peer(C: float = 1.0) -> Any:
    """scikit-learn's PA-I."""
    return SGDClassifier(loss="hinge", penalty=None, learning_rate="pa1", eta0=C)


def _against(X: Any, X64: Any, y: Any, least: float, aim: float, name: str) -> list[str]:
    classes = np.unique(y)
    own, float32, float64 = side_by_side(
        lambda: hinge.play(hinge.Classifier(hinge.PA1(1.0)), X, y),
        lambda: peer().partial_fit(X, y, classes=classes),
        lambda: peer().partial_fit(X64, y, classes=classes),
    )
    theirs = min(float32, float64)
    return [name, seconds(own), seconds(theirs), *ratio(theirs, own, least, aim)]


def _sixteen(X: Any, X64: Any, y: Any) -> list[str]:
    values = np.geomspace(1e-3, 1e1, 16)
    classes = np.unique(y)

    def sixteen_passes(rows: Any) -> None:
        for C in values:
            peer(C).partial_fit(rows, y, classes=classes)

    own, float32, float64 = side_by_side(
        lambda: hinge.play(hinge.Classifier([hinge.PA1(C) for C in values]), X, y),
        lambda: sixteen_passes(X),
        lambda: sixteen_passes(X64),
    )
    theirs = min(float32, float64)
    return ["sparse, 16 values of C", seconds(own), seconds(theirs), *ratio(theirs, own, 5, 8)]


def _bandwidth(X: Any, y: Any, name: str) -> list[str]:
    """The bytes of the rows a second, against what a copy of memory moves."""
    data = X.data.nbytes + X.indices.nbytes if hasattr(X, "indices") else X.nbytes
    source = np.ones(64 << 20 >> 3)
    target = np.empty_like(source)
    own, copy = side_by_side(
        lambda: hinge.play(hinge.Classifier(hinge.PA1(1.0)), X, y), lambda: np.copyto(target, source)
    )
    rate, limit = data / own, 2 * source.nbytes / copy
    return [name, f"{rate / 1e9:.2f} GB/s", f"{limit / 1e9:.2f} GB/s", f"{rate / limit:.0%}"]


def main() -> None:
    """Print the tables."""
    rows32, labels = streams.sparse(np.float32)
    rows64 = rows32.astype(np.float64)
    lines = [_against(rows32, rows64, labels[2], 1.6, 2.5, "sparse, binary"), _sixteen(rows32, rows64, labels[2])]
    lines.append(_against(rows32, rows64, labels[20], 3.5, 6, "sparse, 20 classes"))
    lines.append(_against(rows32, rows64, labels[100], 5, 10, "sparse, 100 classes"))
    cover32, cover_y = streams.cover(np.float32)
    lines.append(_against(cover32, cover32.astype(np.float64), cover_y, 3, 4.5, "dense 500,000 x 54"))
    digits32, digits_y = streams.digits(np.float32)
    digits64 = digits32.astype(np.float64)
    lines.append(_against(digits32, digits64, digits_y, 12, 20, "dense 60,000 x 784, 10 classes"))
    show("One pass (200,000 sparse rows of 75 non-zeros, 2^18 features, and dense rows)", HEADS, lines)
    show(
        "Bytes of the rows read a second, and what a copy of memory moves",
        ["work", "hinge", "copy", "share"],
        [
            _bandwidth(rows32, labels[2], "sparse, binary"),
            _bandwidth(cover32, cover_y, "dense 500,000 x 54"),
            _bandwidth(digits32, digits_y, "dense 60,000 x 784, 10 classes"),
        ],
    )


if __name__ == "__main__":
    main()
