# SPDX-License-Identifier: BSD-3-Clause
"""Many labels: every focus beside Worst, scikit-learn's one-against-all, and what one round costs at 10,000 labels."""

from __future__ import annotations

from typing import Any

import numpy as np

import hinge
import streams
from measure import seconds, show, side_by_side

#: The rows that the learners of 100 labels go through, and how often each takes its turn.
ROWS, TURNS = 20_000, 5
#: The round that is measured against the bandwidth: so many labels, features, non-zeros a row, and rows.
LABELS, FEATURES, NONZEROS, ROUNDS = 10_000, 2_000, 100, 200


def _foci(X: Any, y: Any) -> None:
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import SGDClassifier

    classes = np.unique(y)
    ones = np.ones(len(y), np.uint8)
    sets = csr_matrix((ones, np.searchsorted(classes, y), np.arange(len(y) + 1)))

    def pass_of(focus: Any) -> Any:
        return lambda: hinge.Classifier(hinge.PA1(1.0), focus).partial_fit(X, y, classes=classes)

    def multilabel(focus: Any) -> Any:
        learner = hinge.MultilabelClassifier
        return lambda: learner(hinge.PA1(1.0), focus).partial_fit(X, sets, classes=classes)

    def peer() -> None:
        SGDClassifier(loss="hinge", penalty=None, learning_rate="pa1", eta0=1.0).partial_fit(X, y, classes=classes)

    contestants = {
        "Worst": (pass_of(hinge.Worst()), None),
        "Violated (SimProj)": (pass_of(hinge.Violated()), 2.0),
        "Exact": (pass_of(hinge.Exact()), 4.0),
        "multilabel, Worst": (multilabel(hinge.Worst()), 2.0),
        "multilabel, Violated": (multilabel(hinge.Violated()), 2.0),
        "multilabel, Exact": (multilabel(hinge.Exact()), 4.0),
        "scikit-learn, one against all": (peer, None),
    }
    times = side_by_side(*(run for run, _ in contestants.values()), turns=TURNS)
    lines = []
    for (name, (_, most)), time in zip(contestants.items(), times, strict=True):
        times_worst = time / times[0]
        verdict = "" if most is None else "met" if times_worst <= most else "MISSED"
        lines.append([name, seconds(time), f"{times_worst:.2f} x", "" if most is None else f"{most:g} x", verdict])
    show(
        f"One pass, {len(classes)} labels ({X.shape[0]:,} sparse rows of 75 non-zeros, 2^18 features)",
        ["learner", "time", "of Worst", "at most", ""], lines,
    )  # fmt: skip


def _round() -> None:
    from scipy.sparse import csr_matrix

    random = np.random.default_rng(10_000)
    indices = np.concatenate([np.sort(random.choice(FEATURES, NONZEROS, False)) for _ in range(ROUNDS)])
    data = random.random(len(indices), np.float32)
    X = csr_matrix((data, indices.astype(np.int32), np.arange(ROUNDS + 1) * NONZEROS), shape=(ROUNDS, FEATURES))
    y = random.integers(0, LABELS, ROUNDS)

    def learner(focus: Any) -> Any:
        return hinge.Classifier(hinge.PA1(1.0), focus).partial_fit(X, y, classes=range(LABELS))

    worst, violated, exact = (learner(focus) for focus in (hinge.Worst(), hinge.Violated(), hinge.Exact()))
    source = np.ones(1 << 25, np.float32)
    target = np.empty_like(source)
    *times, copy = side_by_side(
        lambda: worst.partial_fit(X, y), lambda: violated.partial_fit(X, y), lambda: exact.partial_fit(X, y),
        lambda: np.copyto(target, source),
    )  # fmt: skip
    bandwidth = 2 * source.nbytes / copy
    limit = NONZEROS * LABELS * 4 / bandwidth  # the weights that a row meets, read once, as fast as a copy moves memory
    lines = []
    for name, time in zip(("Worst", "Violated (SimProj)", "Exact"), times, strict=True):
        share = time / ROUNDS / limit
        verdict = ["3 x", "met" if share <= 3 else "MISSED"] if name == "Worst" else ["", ""]
        lines.append([name, seconds(time / ROUNDS), seconds(limit), f"{share:.2f} x", *verdict])
    show(
        f"One round, {LABELS:,} labels, {NONZEROS} non-zeros (float32; a copy moves {bandwidth / 1e9:.1f} GB/s)",
        ["focus", "a round", "memory speed", "ratio", "at most", ""], lines,
    )  # fmt: skip


class _Own:
    """The features of `_joint`'s gates, as an object of a user's."""

    def __init__(self, gates: Any) -> None:
        self.gates = gates

    def features(self, x: Any, label: int) -> Any:
        """A sparse row."""
        from scipy.sparse import csr_matrix

        return csr_matrix((x.data * self.gates[x.indices, label], x.indices, x.indptr), shape=x.shape)


def _joint() -> None:
    from scipy.sparse import random as random_rows

    rng, many, few = np.random.default_rng(7), 5_000, 100
    X = random_rows(many, 1000, 0.03, "csr", random_state=rng)
    y = rng.integers(0, 20, many)
    gates = rng.normal(size=(1000, 20))
    asked = {
        "one vector a label": (None, many),
        "Gates": (hinge.Joint(hinge.Gates(gates)), many),
        "MailFeatures": (hinge.Joint(hinge.MailFeatures()), many),
        "LabelTfIdf": (hinge.Joint(hinge.LabelTfIdf()), many),
        "an object of one's own": (hinge.Joint(_Own(gates)), few),
    }

    def run(space: Any, n: int) -> Any:
        return lambda: hinge.Classifier(hinge.PA1(1.0), space=space).partial_fit(X[:n], y[:n], classes=range(20))

    times = side_by_side(*(run(space, n) for space, n in asked.values()), turns=TURNS)
    rounds = [time / n for time, (_, n) in zip(times, asked.values(), strict=True)]
    lines = [[name, seconds(time), f"{time / rounds[1]:.1f} x"] for name, time in zip(asked, rounds, strict=True)]
    heads = ["features", "a round", "of Gates"]
    show("One round with label-dependent features (20 labels, 30 non-zeros)", heads, lines)


def main() -> None:
    """Print the tables."""
    rows, labels = streams.sparse(np.float32)
    _foci(rows[:ROWS], labels[100][:ROWS])
    _round()
    _joint()


if __name__ == "__main__":
    main()
