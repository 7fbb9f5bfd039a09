# SPDX-License-Identifier: BSD-3-Clause
"""5,574 text messages, in the order they came, each predicted as spam or ham before its label is seen."""

from __future__ import annotations

import importlib.util
import math
import pathlib
import sys
import time
from collections.abc import Iterator
from typing import Any

import hinge
from hinge.cli.talk import print_table, say
from hinge.demo import messages

#: Where the picture goes, in the folder that one is in.
OUTPUT = pathlib.Path("demo-output")


def papers() -> dict[str, Any]:
    """Algorithms of the papers, and one learner that races nine values of C within itself."""
    return {
        "Perceptron": hinge.named("Perceptron"),
        "PA": hinge.named("PA"),
        "PA-I": hinge.named("PA-I", C=1.0),
        "PA-II": hinge.named("PA-II", C=1.0),
        "PA-I, nine C at once": hinge.Classifier([hinge.PA1(C=2.0**k) for k in range(-4, 5)]),
    }


def peers() -> dict[str, Any]:
    """What scikit-learn has for streams, given one message at a time."""
    from sklearn.linear_model import SGDClassifier

    return {
        "sklearn SGD (pa1)": SGDClassifier(loss="hinge", penalty=None, learning_rate="pa1", eta0=1.0),
        "sklearn SGD": SGDClassifier(loss="hinge", random_state=0),
    }


def main() -> None:
    """Read, race, prove, show the words, draw."""
    y, texts = messages()
    write(f"{len(texts):,} text messages, {y.count('spam'):,} of them spam: the SMS Spam Collection (Almeida and")
    write("Gómez Hidalgo, CC BY 4.0). Each is predicted before its label is seen, then learnt from, in one pass.")
    say("(kernels that were never used on this machine are compiled first, once)")

    text = hinge.Text(bits=16, names=True)  # more columns would slow down scikit-learn, which goes through all of them
    text.transform(texts[:1])  # what has to be compiled is
    started = time.perf_counter()
    X = text.transform(texts)
    seconds = time.perf_counter() - started
    write(f"\nFrom raw text to rows: {seconds / len(texts) * 1e6:.1f} microseconds a message, {X.nnz:,} words in all.")
    write("Each learner now goes through them by itself.\n")

    learners = papers()
    race = hinge.race({**learners, **peers()}, X, y)
    print_race(race)
    write("")
    for words in proved(race):
        write(words)
    print_words(learners["PA-I"], text)
    draw(race)


def write(words: str) -> None:
    """To stdout."""
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


def print_race(race: hinge.Race) -> None:
    """The table, the best first."""
    rows = []
    for name in race.ranking:
        report = race[name]
        late = report.mistake_curve[-1] - report.mistake_curve[report.n // 2]
        rows.append([
            name, f"{report.mistakes:,}", f"{report.error_rate:.2%}", f"{late / (report.n - report.n // 2 - 1):.2%}",
            "" if report.updates is None else f"{report.updates:,}", f"{report.seconds / report.n * 1e6:,.1f} µs",
        ])  # fmt: skip
    print_table(["learner", "mistakes", "error", "in 2nd half", "updates", "a message"], rows, best=0)


def proved(race: hinge.Race) -> Iterator[str]:
    """What the certificates prove, in words."""
    certificate = race["PA-I"].certificate
    assert certificate is not None
    norm = math.sqrt(certificate.dual / 2)
    yield (
        f"Proved on the way, without a second look: no fixed weight vector of length {norm:.1f} or less, though it be "
        f"chosen\nwith all messages in hand, has an average hinge loss below {certificate.floor(norm):.3f} on them. "
        f"(PA-I, which saw each once, had {race['PA-I'].loss / race['PA-I'].n:.3f}.)"
    )
    separable = race["PA"].certificate
    assert separable is not None
    yield (
        "Nor does any weight vector of length 1 separate spam from ham with a margin above "
        f"{separable.best_margin:.3f}."
    )


def print_words(learner: Any, text: hinge.Text, count: int = 12) -> None:
    """The words that weigh most for either label, of those that share their column with no other."""
    weights = learner.coef_[0]
    alone = {column: names[0] for column, names in text.names_.items() if len(names) == 1}
    words = {word: text.column(word)[1] * float(weights[column]) for column, word in alone.items()}
    ham, spam = learner.classes_.tolist()
    by_weight = sorted(words, key=lambda word: (words[word], word))
    rows = [
        [for_spam, f"{words[for_spam]:+.2f}", for_ham, f"{-words[for_ham]:+.2f}"]
        for for_spam, for_ham in zip(by_weight[::-1][:count], by_weight[:count], strict=True)
    ]
    write("\nThe words that weigh most for PA-I:\n")
    print_table([f"for {spam}", "weight", f"for {ham}", "weight"], rows, left=(0, 2))


def draw(race: hinge.Race) -> None:
    """The curves of mistakes, as a picture."""
    if importlib.util.find_spec("matplotlib") is None:
        say("\nno picture: matplotlib is not installed (pip install 'hinge[plot]')")
        return
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    axes = race.plot()
    axes.set_title("5,574 text messages, spam or ham: mistakes so far")
    axes.set_xlim(30, None)  # before, chance has its day
    axes.set_ylim(0, 0.3)
    OUTPUT.mkdir(exist_ok=True)
    path = OUTPUT / "mistakes.png"
    axes.figure.savefig(path, dpi=150, metadata={"Software": None})
    pyplot.close(axes.figure)
    write(f"\nThe curves of mistakes are in {path}")


if __name__ == "__main__":
    main()
