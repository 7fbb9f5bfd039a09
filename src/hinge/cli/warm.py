# SPDX-License-Identifier: BSD-3-Clause
"""``hinge warm``: compile beforehand."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import typer

from hinge.cli import options
from hinge.cli.talk import print_json, print_table, say

EXAMPLE = """\
hinge warm

RUN hinge warm --algorithm PA-I --rows dicts --rows files   (in a Dockerfile)"""

ROWS = ("files", "dicts", "arrays")
#: What a service or a command line is most likely to use.
USUAL = ("PA", "PA-I", "PA-II", "Perceptron")


def warm(
    algorithm: Annotated[
        list[str] | None,
        typer.Option(
            "--algorithm", "-a", metavar="NAME", show_default=False,
            help="One of `hinge catalogue`; give it again for each. Usually PA, PA-I, PA-II and the Perceptron.",
        ),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option("--model", "-m", metavar="MODEL", show_default=False, help="The algorithm of this model file."),
    ] = None,
    rows: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND", show_default=False,
            help="How rows will come: files (usual), dicts (one at a time), arrays (float64, dense and sparse).",
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every algorithm, every kind of rows.")] = False,
    json: options.Json = False,
) -> None:  # fmt: skip
    """Compile the kernels that a service, or an image, will use, and keep them.

    What is compiled once is loaded in a fraction of a second from then on, by every process that sees the same cache.
    Each line says what was made ready and how long that took; what was there already takes next to nothing.
    """
    from hinge import jit_cache
    from hinge.native import INTERPRETED, waiting

    if INTERPRETED:
        raise ValueError("NUMBA_DISABLE_JIT is set: nothing is compiled")
    kinds = tuple(ROWS if everything else rows or ("files",))
    for kind in kinds:
        if kind not in ROWS:
            raise typer.BadParameter(f"--rows must be one of {', '.join(ROWS)}, not {kind!r}")
    before = _kept(jit_cache)
    done = []
    for what, work in _works(_learners(algorithm, model, everything), kinds):
        started = time.perf_counter()
        work()
        seconds = time.perf_counter() - started
        done.append({"what": what, "seconds": round(seconds, 3)})
        if not json:
            say(f"{seconds:7.2f} s  {what}")
    after = _kept(jit_cache)
    fresh = sorted(set(after) - set(before))
    summary: dict[str, Any] = {
        "compiled": len(fresh), "bytes": sum(after[path] for path in fresh),
        "folders": sorted({os.path.dirname(path) for path in after}), "waited": round(waiting.seconds, 3),
    }  # fmt: skip
    if json:
        print_json({"work": done, **summary})
        return
    counts: dict[str, int] = {}
    for path in fresh:
        name = os.path.basename(path).rsplit("-", 2)[0]
        counts[name] = counts.get(name, 0) + 1
    if counts:
        print_table(["kernel", "compiled"], [[name, str(count)] for name, count in sorted(counts.items())])
    folders = ", ".join(summary["folders"]) or "nowhere: no folder is writable (set NUMBA_CACHE_DIR)"
    say(f"{len(fresh)} kernels compiled, {summary['bytes'] / 1e6:.1f} MB; kept in {folders}")


def _kept(jit_cache: Any) -> dict[str, int]:
    """The kernels in the cache, with their sizes."""
    found = {}
    for folder in jit_cache.cache_folders():
        if folder.is_dir():
            found.update({str(path): path.stat().st_size for path in folder.glob("*.kernel")})
    return found


def _learners(algorithms: list[str] | None, models: list[str] | None, everything: bool) -> dict[str, Any]:
    """What to warm, by name."""
    from hinge.catalogue import names
    from hinge.cli.algorithms import named
    from hinge.cli.models import opened

    found = {path: _fresh(opened(path)) for path in models or []}
    chosen = names() if everything else algorithms or ([] if models else USUAL)
    return {**found, **{words: named(words) for words in chosen}}


def _fresh(learner: Any) -> Any:
    return type(learner)(**learner.get_params())


Work = tuple[str, Callable[[], Any]]


def _works(learners: dict[str, Any], kinds: tuple[str, ...]) -> Iterator[Work]:
    """Each thing to do, with its name."""
    if "files" in kinds:
        for format, lines in FILES.items():
            yield f"reading {format}", lambda format=format, lines=lines: _read(format, lines)  # type: ignore[misc]
        yield "texts", _texts
    for name, learner in learners.items():
        for kind in kinds:
            for labels in (2, 3) if learner._kind == "classifier" else (1,):
                also = {1: "", 2: ", two labels", 3: ", more labels"}[labels]
                yield (
                    f"{name}, {kind}{also}",
                    lambda learner=learner, kind=kind, labels=labels: _learn(_fresh(learner), kind, labels),  # type: ignore[misc]
                )


#: A few rows in each format that is parsed by compiled code.
FILES = {
    "svmlight": "1 1:0.5 2:1\n-1 qid:1 2:1e-3 # end\n",
    "vw": "1 2.0 'tag |a:0.5 x:1.5 y\n-1 | z 3\n",
    "csv": "a,b,c\n1,2.5,x\n2,3e-1,y\n",
}


def _read(format: str, lines: str) -> None:
    import tempfile

    from hinge.io import read

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows")
        with open(path, "w") as file:
            file.write(lines)
        with read(path, format=format, target="c" if format == "csv" else None) as reader:
            for _ in reader:
                pass


def _texts() -> None:
    from hinge.text import Text

    for names in (False, True):
        Text(names=names).transform(["free entry", "see you"])


def _learn(learner: Any, kind: str, labels: int) -> None:
    """Learn and predict a few rows as they will come."""
    import numpy as np

    from hinge.learners.multilabel import MultilabelClassifier

    y: Any = np.arange(6) % labels
    if learner._kind != "classifier":
        y = y.astype(float)
    sets = isinstance(learner, MultilabelClassifier)
    if sets:
        y = [(label,) for label in y.tolist()]
    if kind == "dicts":
        for t, label in enumerate(y if sets else y.tolist()):
            learner.learn_one({"a": 1.0 + t, f"b{t % 2}": 2.0}, label)
            learner.predict_one({"a": 1.0})
        return
    from scipy.sparse import csr_matrix

    dtype = np.float32 if kind == "files" else np.float64
    X = np.random.default_rng(0).normal(size=(6, 4)).astype(dtype)
    for rows in (X, csr_matrix(X)):
        own = _fresh(learner)
        if kind == "files" and not sets:
            _as_file(own, rows, y)
        else:
            own.partial_fit(rows, y)
        own.predict(rows)


def _as_file(learner: Any, rows: Any, y: Any) -> None:
    from hinge.io import Batch
    from hinge.io.batch import dense_batch
    from hinge.progressive import play

    if hasattr(rows, "tocsr"):
        batch = Batch(rows.data, rows.indices, rows.indptr.astype("i8"), rows.shape[1], y.astype(float))
    else:
        batch = dense_batch(rows, y=y.astype(float))
    play(learner, iter([batch]))


COMMAND = warm
