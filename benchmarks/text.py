# SPDX-License-Identifier: BSD-3-Clause
"""Text against scikit-learn's HashingVectorizer: the same settings, the same columns, one thread, side by side.

Texts: the SMS spam collection where it is at hand (HINGE_DATA names the folder of data sets), else made-up ones of
the same lengths. Each is timed five times in turn with the other; what is shown is the median, and its ratio.
"""

from __future__ import annotations

import gzip
import os
import pathlib
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer

from hinge.text import Text

DATA = pathlib.Path(os.environ.get("HINGE_DATA", pathlib.Path(__file__).parents[2] / "shared" / "data"))
SETTINGS: dict[str, dict[str, Any]] = {
    "words": {"ngrams": (1, 1), "analyzer": "word"},
    "words 1-2": {"ngrams": (1, 2), "analyzer": "word"},
    "char_wb 3-5": {"ngrams": (3, 5), "analyzer": "char_wb"},
}


def messages() -> tuple[str, list[str]]:
    """What they are, and the texts."""
    path = DATA / "sms_spam" / "SMSSpamCollection.gz"
    if path.exists():
        with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
            return "SMS spam collection", [line.rstrip("\n").partition("\t")[2] for line in file]
    random = np.random.default_rng(5574)
    words = np.array(["".join(random.choice(list("etaoinshrdlu"), n)) for n in random.integers(1, 10, 9000)])
    rank = np.minimum(random.zipf(1.3, (5574, 15)) - 1, len(words) - 1)
    return "made-up messages", [" ".join(row) for row in words[rank]]


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def side_by_side(ours: Callable[[], Any], theirs: Callable[[], Any], times: int = 5) -> tuple[float, float]:
    """The median seconds of each, taken in turn, after one call that is not timed."""
    ours(), theirs()
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(times)]
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


def main() -> None:
    name, texts = messages()
    print(f"{len(texts)} texts ({name}), {sum(map(len, texts)) / 1e6:.2f} million characters")
    print(f"{'':12} {'Text':>9} {'names=True':>11} {'sklearn':>9} {'ratio':>7} {'names':>7} {'transform_one':>14}")
    for label, settings in SETTINGS.items():
        text, named = Text(**settings), Text(**settings, names=True)
        peer = HashingVectorizer(
            n_features=1 << 18, ngram_range=settings["ngrams"], analyzer=settings["analyzer"], dtype=np.float32
        )
        ours, theirs = side_by_side(lambda: text.transform(texts), lambda: peer.transform(texts))  # noqa: B023
        naming, peer_again = side_by_side(lambda: named.transform(texts), lambda: peer.transform(texts))  # noqa: B023
        one_by_one = statistics.median(
            seconds(lambda: [text.transform_one(one) for one in texts])  # noqa: B023
            for _ in range(5)
        )
        same = np.array_equal(text.transform(texts).indices, peer.transform(texts).indices)
        print(
            f"{label:12} {ours * 1e3:6.2f} ms {naming * 1e3:8.2f} ms {theirs * 1e3:6.1f} ms {theirs / ours:6.1f}x "
            f"{peer_again / naming:6.1f}x {one_by_one / len(texts) * 1e6:9.2f} us"
            f"{'' if same else '   DIFFERENT COLUMNS'}"
        )


if __name__ == "__main__":
    main()
