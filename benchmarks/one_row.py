# SPDX-License-Identifier: BSD-3-Clause
"""One row a call: dicts against river's PAClassifier, a sparse row against scikit-learn's `partial_fit`."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import scipy.sparse
from river import linear_model

import hinge
from batches import peer
from measure import ratio, seconds, show, side_by_side

ROWS = 2000


def _dicts(size: int) -> list[tuple[dict[str, float], bool]]:
    chance = random.Random(size)
    names = [f"word{j}" for j in range(1000)]
    rows = ({name: chance.random() for name in chance.sample(names, size)} for _ in range(ROWS))
    return [(row, chance.random() < 0.5) for row in rows]


def _play(learner: Any, rows: Any) -> None:
    predict, learn = learner.predict_one, learner.learn_one
    for x, y in rows:
        predict(x)
        learn(x, y)


def _dict_calls(size: int) -> list[str]:
    rows = _dicts(size)
    own, theirs = hinge.Classifier(hinge.PA1(1.0)), linear_model.PAClassifier(C=1.0, mode=1)
    _play(own, rows)
    _play(theirs, rows)
    a, b = (t / ROWS for t in side_by_side(lambda: _play(own, rows), lambda: _play(theirs, rows)))
    return [f"predict_one + learn_one, dict of {size}", seconds(a), seconds(b), *ratio(b, a, 2, 3)]


def _sparse_calls() -> list[str]:
    X = scipy.sparse.random(300, 1 << 18, 75 / (1 << 18), format="csr", random_state=np.random.default_rng(0))
    y = np.random.default_rng(1).integers(0, 2, 300)
    rows = [X[t] for t in range(300)]
    own, theirs = hinge.Classifier(hinge.PA1(1.0)).partial_fit(X, y), peer().partial_fit(X, y, classes=[0, 1])

    def learn_one() -> None:
        for x, label in zip(rows, y, strict=True):
            own.learn_one(x, label)

    def partial_fit() -> None:
        for t, x in enumerate(rows):
            theirs.partial_fit(x, y[t : t + 1])

    a, b = (t / 300 for t in side_by_side(learn_one, partial_fit))
    return ["learn_one, CSR row of 75", seconds(a), seconds(b), *ratio(b, a, 80, 150)]


def _where_it_goes() -> list[list[str]]:
    """The parts of one `learn_one` of a dict of 75 names."""
    rows = _dicts(75)
    learner = hinge.Classifier(hinge.PA1(1.0))
    _play(learner, rows)
    reading, engine = learner._reading, learner._engine
    from hinge import round as rounds

    def read() -> None:
        for x, _ in rows:
            reading.read(x, learner._columns, reading.data, reading.indices, 0)

    def kernel() -> None:
        for _ in rows:
            engine.call(rounds.learn_sparse, reading.data, reading.indices, 75, 0, 1, 1.0, 0)

    def nothing() -> None:
        for _ in rows:
            engine.call(rounds.learn_sparse, reading.data, reading.indices, 0, 0, 1, 0.0, 0)

    def learn() -> None:
        for x, y in rows:
            learner.learn_one(x, y)

    whole, reads, rounds_, calls = (t / ROWS for t in side_by_side(learn, read, kernel, nothing))
    return [
        ["learn_one of a dict of 75", seconds(whole)],
        ["  reading the dict", seconds(reads)],
        ["  the call of the kernel, on an empty row", seconds(calls)],
        ["  its work on 75 non-zeros", seconds(max(0.0, rounds_ - calls))],
        ["  Python around them", seconds(max(0.0, whole - reads - rounds_))],
    ]


def main() -> None:
    """Print the tables."""
    heads = ["work", "hinge", "peer", "ratio", "at least", "aim", ""]
    show("One row a call (river's PAClassifier, scikit-learn's SGDClassifier)", heads,
         [_dict_calls(10), _dict_calls(75), _sparse_calls()])  # fmt: skip
    show("Where the time of a call goes", ["part", "time"], _where_it_goes())


if __name__ == "__main__":
    main()
