# SPDX-License-Identifier: BSD-3-Clause
"""Model files: what is saved is restored bit for bit and goes on learning; what is damaged or hostile is refused."""

import copy
import hashlib
import json
import os
import pickle
import stat
import struct
import subprocess
import sys
import tracemalloc
import zlib
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.numpy import load as safetensors_load
from safetensors.numpy import load_file
from safetensors.numpy import save as safetensors_save
from scipy.sparse import csr_matrix

import hinge
from hinge import modelvalues as faults
from hinge.modelfile import ModelFileError


@hinge.native
class Careful(NamedTuple):
    share: float = 0.5

    def tau(self, loss, sq_norm, weight):
        return self.share * loss / sq_norm


RNG = np.random.default_rng(2006)
X = RNG.normal(size=(60, 5))
TWO = (X[:, 0] + 0.5 * RNG.normal(size=60) > 0).astype(int)
MANY = RNG.integers(0, 4, 60)
REAL = X @ np.arange(5.0) + RNG.normal(size=60)
STEPS = [hinge.PA1(C=0.1), hinge.Perceptron(), hinge.PA1(C=1), hinge.PA2(C=0.5)]


def dicts(rows, names=("a", "b", "c", "d", "e")):
    return [{names[j]: float(v) for j, v in enumerate(row) if j != t % 5} for t, row in enumerate(rows)]


def late_labels():
    """Labels that appear one after the other, so that lanes have grown and have room to spare."""
    clf = hinge.Classifier(hinge.PA1(C=0.5))
    for t, row in enumerate(X[:30]):
        clf.learn_one(row, f"label {t % (1 + t // 2)}")
    return clf


def unsettled():
    clf = hinge.Classifier()
    return clf.partial_fit(np.zeros((3, 5)), [0, 1, 0])


def noted(learner):
    learner.notes = {"reader": "csv", "columns": ["a", {"b": [1, 2.5, None, True]}]}
    return learner


def balanced():
    return hinge.Classifier(class_weight="balanced", average=True).fit(X[:30], TWO[:30])


def reparametrised():
    return hinge.Classifier(hinge.PA1(C=1)).partial_fit(X[:30], TWO[:30]).set_params(step=hinge.PA2(C=9.0))


def named_columns():
    import pandas

    frame = pandas.DataFrame(X[:30], columns=["a", "b", "c", "d", "e"])
    return hinge.Classifier().partial_fit(frame, TWO[:30])


def arrays(learner, y):
    """Learnt from thirty rows of an array: every column is a feature."""
    return lambda: learner().partial_fit(X[:30], *([] if y is None else [y[:30]]))


def rows_of_names(learner, y, names=("a", "b", "c", "d", "e")):
    return lambda: learner().partial_fit(dicts(X[:30], names), y[:30])


SURROGATE = "\ud800 lone"
ZOO = {
    "binary": arrays(lambda: hinge.Classifier(), TWO),
    "binary, one label so far": arrays(lambda: hinge.Classifier(), np.zeros(30, int)),
    "float32": lambda: hinge.Classifier(hinge.PA()).partial_fit(X[:30].astype(np.float32), TWO[:30]),
    "sparse": lambda: hinge.Classifier(intercept=False).partial_fit(csr_matrix(X[:30] * (X[:30] > 0)), TWO[:30]),
    "multiclass": arrays(lambda: hinge.Classifier(hinge.PA1(C=0.1), hinge.Predicted(), hinge.Linear()), MANY),
    "late labels": late_labels,
    "contenders": arrays(lambda: hinge.Classifier(STEPS), TWO),
    "contenders, multiclass": arrays(lambda: hinge.Classifier(STEPS, average=True), MANY),
    "average": arrays(lambda: hinge.Classifier(hinge.Perceptron(eta=0.5), average=True, intercept=2.0), TWO),
    "own step": arrays(lambda: hinge.Classifier([Careful(0.25), hinge.PA1()]), TWO),
    "names": rows_of_names(lambda: hinge.Classifier(), MANY),
    "odd names": rows_of_names(lambda: hinge.Classifier(), TWO, (1, ("b", 2.5), "", SURROGATE, 0.5)),
    "named columns": named_columns,
    "strings": arrays(lambda: hinge.Classifier(), np.array(["ham", "spam"])[TWO]),
    "booleans": arrays(lambda: hinge.Classifier(), TWO == 1),
    "small whole numbers": arrays(lambda: hinge.Classifier(), MANY.astype(np.int8)),
    "mixed labels": arrays(
        lambda: hinge.Classifier(), [[1.5, "spam", ("a", ("b", 2)), float("inf"), SURROGATE, 2**63][k] for k in MANY]
    ),
    "labels declared": lambda: hinge.Classifier().partial_fit(np.zeros((0, 5)), np.zeros(0, int), classes=[2, 0, 1, 3]),
    "class_weight": arrays(lambda: hinge.Classifier(class_weight={0: 2.0, 1: 0.5}), TWO),
    "balanced": balanced,
    "passes": lambda: hinge.Classifier(passes=3, random_state=7).fit(X[:30], MANY[:30]),
    "intercept unsettled": unsettled,
    "reparametrised": reparametrised,
    "regressor": arrays(lambda: hinge.Regressor(hinge.PA2(C=2), epsilon=0, average=True), REAL),
    "regressor, names": rows_of_names(lambda: hinge.Regressor(epsilon=0.25), REAL),
    "one class, learnt radius": arrays(lambda: hinge.OneClass(hinge.PA()), None),
    "one class, radius": lambda: hinge.OneClass(radius=0.5, start="zero").partial_fit(X[:30].astype(np.float32)),
    "one class, bound open": lambda: hinge.OneClass().partial_fit(np.zeros((2, 5))),
    "texts": lambda: hinge.Classifier().partial_fit(texts(X[:30]), MANY[:30]),
    "texts of one's own kind": lambda: hinge.Classifier(
        text=hinge.Text((1, 2), bits=8, norm=None, dtype=np.float64)
    ).partial_fit(texts(X[:30]), TWO[:30]),
    "notes": lambda: noted(hinge.Classifier().partial_fit(X[:30], TWO[:30])),
    "nothing learnt": lambda: hinge.Classifier(STEPS, class_weight={"a": 1.0, 2: 3.0, (1, "b"): 0.0}, random_state=3),
    "nothing learnt, regressor": lambda: hinge.Regressor(epsilon=0.5),
    "nothing learnt, one class": lambda: hinge.OneClass(radius=2, bound=None),
}
zoo = pytest.mark.parametrize("kind", ZOO)


def texts(rows):
    return [" ".join(f"word{int(4 * v)}" for v in row) for row in rows]


def go_on(learner, kind):
    """Learn from thirty more rows, in both ways, as the learner takes them."""
    if isinstance(learner, hinge.Classifier):
        known = learner._labels.list if "_labels" in vars(learner) else []
        y = [known[k % len(known)] if known else k for k in MANY[30:].tolist()]
        new = 7 if all(isinstance(label, (bool, int)) for label in known) else "a new label"
        y = [label if t < 25 or kind == "binary" else new for t, label in enumerate(y)]
    else:
        y = REAL[30:]
    names = list(learner._columns) if learner._columns is not None else None
    rows = X[30:] if names is None else dicts(X[30:], names)
    if kind.startswith("texts"):
        rows = texts(rows)
    if kind == "float32":
        rows = rows.astype(np.float32)
    if not isinstance(getattr(learner, "class_weight", None), str):
        learner.partial_fit(rows[:15], *([] if isinstance(learner, hinge.OneClass) else [y[:15]]))
    for x, label in zip(rows[15:], y[15:], strict=True):
        learner.learn_one(x, label)
    if names is not None:
        learner.learn_one({"never seen": 1.0, **rows[0]}, y[-1])
    return learner


def lanes(engine, array):
    """(features, contenders, scores): what the room for more labels is left out of."""
    count = engine.scores_each() if engine.stride > 1 else 1
    table = array.reshape(-1, engine.lanes)
    return np.stack([table[:, c * engine.stride :][:, :count] for c in range(engine.contenders)], axis=1)


CACHES = ("_engine", "_reading", "_own_text", "_labels", "text")


def bits(learner):
    """All that a learner is, to the bit."""
    plain = {name: value for name, value in vars(learner).items() if name not in CACHES}
    text = None if learner.text is None else learner.text.get_params()
    found = {"type": type(learner), "plain": repr(plain), "text": repr(text)}
    if "_labels" in vars(learner):
        labels = learner._labels
        found["labels"] = repr((labels.list, labels.codes, labels.dtype and labels.dtype.kind, labels.array().tolist()))
    if learner._engine is None:
        return found
    engine = copy.deepcopy(learner._engine).__getstate__()
    room = {"capacity", "lanes", "stride"}
    found["engine"] = repr(
        {name: value for name, value in sorted(engine.items()) if name not in (*room, *learner._engine.arrays)}
    )
    for name in learner._engine.arrays:
        array = getattr(learner._engine, name)
        if name in ("weights", "late", "bias", "late_bias") and hasattr(learner._engine, "lanes"):
            array = lanes(learner._engine, array) if array.size else array
        width = learner._engine.width
        found[name] = (array.dtype, (array[:width] if name in ("weights", "late") else array).tobytes())
        if name in ("weights", "late"):
            assert not array[width:].any()
    return found


def assert_same(one, other):
    assert bits(one) == bits(other)
    if one._engine is not None:
        rows = X if one._columns is None else dicts(X, list(one._columns))
        if one._engine.width > 5 and one._columns is None:
            rows = texts(X)
        np.testing.assert_array_equal(one.decision_function(rows), other.decision_function(rows))


@zoo
def test_a_learner_saved_is_restored_and_goes_on(kind, tmp_path):
    original = ZOO[kind]()
    original.save(tmp_path / "model")
    restored = hinge.load(tmp_path / "model", steps=[Careful])
    assert_same(original, restored)
    assert_same(go_on(original, kind), go_on(restored, kind))


@zoo
@pytest.mark.parametrize(
    "copied", [lambda one: pickle.loads(pickle.dumps(one)), copy.deepcopy], ids=["pickle", "deepcopy"]
)
def test_copies_go_on(kind, copied):
    original = ZOO[kind]()
    other = copied(original)
    assert_same(original, other)
    assert_same(go_on(original, kind), go_on(other, kind))


@zoo
def test_saved_twice_is_the_same_file(kind, tmp_path):
    original = ZOO[kind]()
    original.save(tmp_path / "one")
    hinge.load(tmp_path / "one", steps=[Careful]).save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_another_process_goes_on_to_the_same_bits(tmp_path):
    original = ZOO["contenders, multiclass"]()
    original.save(tmp_path / "model")
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", MANY)
    program = (
        "import sys, hashlib, hinge, numpy as np; folder = sys.argv[1];"
        "X, y = np.load(folder + '/X.npy'), np.load(folder + '/y.npy');"
        "clf = hinge.load(folder + '/model').partial_fit(X, y); clf.save(folder + '/after');"
        "print(hashlib.sha256(clf.coef_.tobytes() + clf._engine.totals.tobytes()).hexdigest())"
    )
    there = subprocess.run([sys.executable, "-c", program, tmp_path], check=True, capture_output=True, text=True)
    original.partial_fit(X, MANY)
    assert there.stdout.split() == [
        hashlib.sha256(original.coef_.tobytes() + original._engine.totals.tobytes()).hexdigest()
    ]
    assert_same(hinge.load(tmp_path / "after"), original)


def test_any_reader_of_safetensors_reads_it(tmp_path):
    clf = ZOO["contenders, multiclass"]()
    clf.save(tmp_path / "model")
    tensors = load_file(tmp_path / "model")
    assert {name: array.shape for name, array in tensors.items()} == {
        "weights": (5, 4, 4),
        "bias": (4, 4),
        "late": (5, 4, 4),
        "late_bias": (4, 4),
        "state": (1,),
        "totals": (4, 12),
    }
    leader = clf._engine.leader()
    n = tensors["totals"][0, 0]
    np.testing.assert_array_equal(tensors["weights"][:, leader] - tensors["late"][:, leader] / n, clf.coef_.T)


def test_only_the_width_in_use_is_saved(tmp_path):
    clf = hinge.Classifier()
    for t in range(1000):
        clf.learn_one({f"word {t}": 1.0}, t % 2)
    clf.save(tmp_path / "model")
    assert load_file(tmp_path / "model")["weights"].shape == (1000, 1, 1)
    assert clf._engine.capacity > 1000


# ----------------------------------------------------------------------------------- writing


@pytest.fixture
def clf():
    return ZOO["binary"]()


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), KeyboardInterrupt(), MemoryError()], ids=type
)
@pytest.mark.parametrize("place", ["fsync", "replace"])
def test_a_failed_save_leaves_the_old_file(clf, tmp_path, monkeypatch, place, error):
    (tmp_path / "model").write_bytes(b"the old one")

    def fail(*arguments):
        raise error

    monkeypatch.setattr(os, place, fail)
    with pytest.raises(type(error)):
        clf.save(tmp_path / "model")
    monkeypatch.undo()
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("model", b"the old one")]


@pytest.mark.compiled  # coverage, which the other run measures, writes files too
@pytest.mark.skipif(sys.platform == "win32", reason="limits on the size of files are of POSIX")
def test_a_full_disk_leaves_the_old_file(tmp_path):
    program = (
        "import hinge, sys, resource, signal, numpy as np; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "clf = hinge.Regressor().partial_fit(np.ones((1, 10_000)), [1.0]);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000));"
        "clf.save(sys.argv[1])"
    )
    (tmp_path / "model").write_bytes(b"the old one")
    done = subprocess.run([sys.executable, "-c", program, tmp_path / "model"], capture_output=True, text=True)
    assert "OSError: [Errno 27] File too large" in done.stderr
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("model", b"the old one")]


def test_a_file_is_on_the_disk_before_it_takes_its_name(clf, tmp_path, monkeypatch):
    calls = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(
        os, "fsync", lambda handle: (calls.append(stat.S_IFMT(os.fstat(handle).st_mode)), fsync(handle))
    )
    monkeypatch.setattr(os, "replace", lambda *names: (calls.append("replace"), replace(*names)))
    clf.save(tmp_path / "model")
    assert calls == [stat.S_IFREG, "replace", stat.S_IFDIR]


@pytest.mark.skipif(sys.platform == "win32", reason="modes are of POSIX")
def test_mode_and_links_are_those_of_an_ordinary_file(clf, tmp_path):
    before = os.umask(0o027)
    try:
        clf.save(tmp_path / "model")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "model").stat().st_mode) == 0o640
    (tmp_path / "link").symlink_to("model")
    hinge.Regressor().save(str(tmp_path / "link"))
    assert (tmp_path / "link").is_symlink()
    assert isinstance(hinge.load(os.fsencode(tmp_path / "model")), hinge.Regressor)
    assert len(list(tmp_path.iterdir())) == 2


def test_what_is_no_file_stays_what_it_is(clf, tmp_path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name, error in (("folder", IsADirectoryError), ("pipe", OSError), ("nowhere/model", FileNotFoundError)):
        with pytest.raises(error, match=name):
            clf.save(tmp_path / name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "pipe"]
    with pytest.raises(ModelFileError, match="pipe"):
        hinge.load(tmp_path / "pipe")
    with pytest.raises(IsADirectoryError):
        hinge.load(tmp_path)
    with pytest.raises(FileNotFoundError):
        hinge.load(tmp_path / "nowhere")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read anything")
def test_a_file_without_permission(clf, tmp_path):
    clf.save(tmp_path / "model")
    (tmp_path / "model").chmod(0)
    with pytest.raises(PermissionError):
        hinge.load(tmp_path / "model")


def remembering(notes):
    clf = hinge.Classifier()
    clf.notes = notes
    return clf


class Colour(str):
    pass


class Mine(hinge.Classifier):
    pass


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: hinge.Classifier().learn_one([1.0], b"spam"), TypeError, r"a label is b'spam', of type bytes"),
        (lambda: hinge.Classifier().learn_one([1.0], Colour("red")), TypeError, "of type Colour"),
        (lambda: hinge.Classifier().learn_one([1.0], ("a", None)), TypeError, "of type NoneType"),
        (lambda: hinge.Classifier().learn_one([1.0], 1j), TypeError, "of type complex"),
        (lambda: hinge.Classifier().learn_one([1.0], 2**64), ValueError, "64 bits"),
        (lambda: hinge.Classifier().learn_one([1.0], ("a", float("nan"))), ValueError, "NaN"),
        (lambda: hinge.Classifier().learn_one({None: 1.0}, "a"), TypeError, "name of a feature is None"),
        (
            lambda: hinge.Classifier(random_state=np.random.default_rng(1)),
            TypeError,
            "random_state .* of type Generator",
        ),
        (lambda: hinge.Classifier(text=str), TypeError, "text must be None or a hinge.Text"),
        (lambda: remembering({"a": (1, 2)}), TypeError, "notes .* JSON"),
        (lambda: remembering({"a": float("nan")}), TypeError, "notes .* JSON"),
        (lambda: remembering({"a": 2**70}), TypeError, "notes .* 64 bits"),
        (lambda: remembering({"a": np.zeros(1)}), TypeError, "notes .* JSON"),
        (lambda: Mine(), TypeError, "Mine is none of the learners"),
        (lambda: hinge.Classifier(passes=0), ValueError, "passes must be a whole number"),
        (lambda: hinge.Regressor(epsilon=float("nan")), ValueError, "epsilon"),
        (lambda: hinge.Classifier("PA1"), TypeError, "step must be a step"),
        (lambda: hinge.Classifier(class_weight={"a": -1}), ValueError, "class_weight"),
    ],
)
def test_what_cannot_be_saved_says_why(make, error, message, tmp_path):
    learner = make()
    with pytest.raises(error, match=message):
        learner.save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_labels_nested_deep(tmp_path):
    label = "a"
    for _ in range(32):
        label = (label,)
    clf = hinge.Classifier().learn_one([1.0], label)
    clf.save(tmp_path / "model")
    assert hinge.load(tmp_path / "model").classes_.tolist() == [label]
    with pytest.raises(ValueError, match="nested deeper"):
        hinge.Classifier().learn_one([1.0], (label,)).save(tmp_path / "model")


def test_weights_that_are_no_numbers_are_not_saved(clf, tmp_path):
    clf._engine.weights[0] = np.inf
    with pytest.raises(ValueError, match="this Classifier cannot be saved: there is NaN or infinity in weights"):
        clf.save(tmp_path / "model")


# ----------------------------------------------------------------------------------- steps of one's own


def test_a_step_of_ones_own_is_restored_only_if_handed_over(tmp_path):
    ZOO["own step"]().save(tmp_path / "model")
    with pytest.raises(
        faults.UnknownStep, match=r"model: .*'Careful' of the module '.*test_modelfile'.*steps=\["
    ) as caught:
        hinge.load(tmp_path / "model")
    assert caught.value.path == str(tmp_path / "model")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    assert hinge.load(tmp_path / "model", steps=(Careful, hinge.PA)).contenders_[0].step == Careful(0.25)


@pytest.mark.parametrize("steps", [Careful, Careful(0.5), [Careful(0.5)], ["Careful"], [hinge.Predicted], [int]])
def test_steps_must_be_classes_of_steps(steps, tmp_path):
    hinge.Classifier().save(tmp_path / "model")
    with pytest.raises(TypeError, match="steps"):
        hinge.load(tmp_path / "model", steps=steps)


def test_two_classes_of_one_name_are_told_apart_by_module(tmp_path):
    @hinge.native
    class Careful(NamedTuple):
        share: float = 0.5

        def tau(self, loss, sq_norm, weight):
            return loss

    ours, theirs = globals()["Careful"], Careful
    theirs.__module__ = "elsewhere"
    hinge.Classifier(theirs(0.5)).save(tmp_path / "model")
    assert type(hinge.load(tmp_path / "model", steps=[ours, theirs]).step) is theirs
    assert type(hinge.load(tmp_path / "model", steps=[ours]).step) is ours
    with pytest.raises(faults.UnknownStep, match="more than one"):
        hinge.load(tmp_path / "model", steps=[ours, ours, theirs, theirs])


# ----------------------------------------------------------------------------------- attacks


def good(kind, folder):
    """The bytes of a sound file."""
    ZOO[kind]().save(folder / "good")
    return (folder / "good").read_bytes()


def opened(data):
    """(description, tensors) of a sound file."""
    header = json.loads(data[8 : 8 + struct.unpack("<Q", data[:8])[0]])
    return json.loads(header["__metadata__"]["hinge"]), dict(safetensors_load(data))


def sealed(description, tensors):
    """The bytes of a file that says so, with a checksum that fits: what a careful attacker would write."""
    body = description if isinstance(description, str) else json.dumps(description)
    body = body.replace('{"crc32": "', '{"crc32":"', 1)
    assert body.startswith('{"crc32":"')
    text = '{"crc32":"00000000' + body[18:]
    crc = zlib.crc32(text.encode())
    for name in sorted(tensors):
        crc = zlib.crc32(tensors[name].tobytes(), crc)
    return safetensors_save(tensors, {"hinge": f'{{"crc32":"{crc:08x}' + text[18:]})


def test_the_test_seals_as_save_does(tmp_path):
    data = good("contenders, multiclass", tmp_path)
    (tmp_path / "sealed").write_bytes(sealed(*opened(data)))
    assert_same(hinge.load(tmp_path / "sealed"), hinge.load(tmp_path / "good"))


def framed(header, body=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


OVERLAPPING = {name: {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]} for name in ("weights", "bias")}
OUTSIDE = {
    "an empty file": (lambda data: b"", faults.EmptyFile),
    "four bytes": (lambda data: data[:4], faults.TruncatedFile),
    "only the length": (lambda data: data[:8], faults.TruncatedFile),
    "half a header": (lambda data: data[:100], faults.TruncatedFile),
    "the last byte lost": (lambda data: data[:-1], faults.NotSafetensors),
    "a byte too many": (lambda data: data + b"\0", faults.NotSafetensors),
    "length of 2**64 - 1": (lambda data: b"\xff" * 8 + data[8:], faults.NotSafetensors),
    "length of zero": (lambda data: b"\0" * 8 + data[8:], faults.NotSafetensors),
    "length one short": (
        lambda data: struct.pack("<Q", struct.unpack("<Q", data[:8])[0] - 1) + data[8:],
        ModelFileError,
    ),
    "a pickle": (lambda data: pickle.dumps(print), faults.NotSafetensors),
    "a zip": (lambda data: b"PK\3\4" + b"\0" * 100, faults.NotSafetensors),
    "text": (lambda data: b"hello, this is no model at all\n", faults.NotSafetensors),
    "zeros": (lambda data: bytes(1000), faults.NotSafetensors),
    "header not JSON": (lambda data: framed(b"{]" + b" " * 100), faults.NotSafetensors),
    "header not UTF-8": (lambda data: framed(b'{"\xff\xfe": 1}'), faults.NotSafetensors),
    "header nested deep": (lambda data: framed(b'{"a":' * 50_000 + b"}" * 50_000), faults.NotSafetensors),
    "metadata no text": (lambda data: framed({"__metadata__": {"hinge": 1}}), faults.NotSafetensors),
    "offsets overlap": (
        lambda data: framed({"__metadata__": {"hinge": "{}"}, **OVERLAPPING}, bytes(4)),
        faults.NotSafetensors,
    ),
    "offsets beyond the end": (
        lambda data: framed({"weights": {"dtype": "F32", "shape": [2**40], "data_offsets": [0, 2**42]}}),
        faults.NotSafetensors,
    ),
    "shape that overflows": (
        lambda data: framed({"weights": {"dtype": "F64", "shape": [2**62, 16], "data_offsets": [0, 0]}}),
        faults.NotSafetensors,
    ),
    "safetensors of something else": (lambda data: safetensors_save({"layer.0": np.zeros(3)}), faults.NotAModel),
    "other metadata": (lambda data: safetensors_save({"a": np.zeros(3)}, {"format": "pt"}), faults.NotAModel),
    "description empty": (lambda data: safetensors_save({}, {"hinge": ""}), faults.BadDescription),
    "description a list": (lambda data: safetensors_save({}, {"hinge": "[1, 2]"}), faults.BadDescription),
    "description without a checksum": (
        lambda data: safetensors_save({}, {"hinge": '{"schema":1}'}),
        faults.BadDescription,
    ),
    "checksum no digits": (lambda data: safetensors_save({}, {"hinge": '{"crc32":"0000000g"}'}), faults.BadDescription),
    "description broken off": (
        lambda data: safetensors_save({}, {"hinge": '{"crc32":"00000000","schema":'}),
        faults.BadDescription,
    ),
    "description nested deep": (
        lambda data: safetensors_save({}, {"hinge": '{"crc32":"00000000","schema":' + "[" * 200_000}),
        faults.BadDescription,
    ),
    "description not ASCII": (
        lambda data: safetensors_save({}, {"hinge": '{"crc32":"00000000","a":"\xe9"}'}),
        faults.BadDescription,
    ),
    "a weight changed": (
        lambda data: data.replace(np.float64(opened(data)[1]["weights"][0, 0, 0]).tobytes(), bytes(8)),
        faults.DamagedFile,
    ),
    "a label changed": (lambda data: data.replace(b"[1,0]", b"[7,0]"), faults.DamagedFile),
}


@pytest.mark.parametrize("attack", OUTSIDE)
def test_files_that_are_no_models(attack, tmp_path):
    change, error = OUTSIDE[attack]
    data = good("binary", tmp_path)
    changed = change(data)
    assert changed != data
    (tmp_path / "model").write_bytes(changed)
    with pytest.raises(error) as caught:
        hinge.load(tmp_path / "model")
    assert str(caught.value).startswith(f"{tmp_path / 'model'}: ")
    assert str(caught.value).endswith(".")


def put(*place_and_value):
    """A change of the description: a path, and what to put there."""
    *path, last, value = place_and_value

    def change(description, tensors):
        part = description
        for key in path:
            part = part[key]
        part[last] = value

    return change


def drop(*path):
    def change(description, tensors):
        part = description
        for key in path[:-1]:
            part = part[key]
        del part[path[-1]]

    return change


def tensor(name, make):
    def change(description, tensors):
        tensors[name] = np.ascontiguousarray(make(tensors.get(name)))

    return change


def number(name, place, value):
    def change(description, tensors):
        tensors[name] = tensors[name].copy()
        tensors[name][place] = value

    return change


def lose(name):
    return lambda description, tensors: tensors.pop(name)


def in_text(old, new):
    """A change of the description's own letters."""

    def change(description, tensors):
        text = json.dumps(description, separators=(",", ":"))
        assert old in text
        return text.replace(old, new, 1)

    return change


def named(text):
    return tensor("features", lambda before: np.frombuffer(text, np.uint8))


STEP = {"step": "PA1", "fields": {"C": 1.0}}
EVIL = {"step": "Evil", "module": "evil_module", "fields": {}}
ROUNDS, MISTAKES, LOSS, UPDATES, NOVEL, WEIGHT = 0, 1, 2, 4, 10, 11
ATTACKS = {
    # the description
    "a newer schema": ("binary", put("schema", 2), faults.NewerSchema),
    "a newer schema, all else different": (
        "binary",
        lambda d, t: json.dumps({"crc32": "0" * 8, "schema": 7}),
        faults.NewerSchema,
    ),
    "schema zero": ("binary", put("schema", 0), faults.BadField),
    "schema true": ("binary", put("schema", True), faults.BadField),
    "no schema": ("binary", drop("schema"), faults.MissingField),
    "no learner": ("binary", drop("learner"), faults.MissingField),
    "a field too many": ("binary", put("run", "import os"), faults.UnknownField),
    "a field twice": ("binary", in_text('"schema":1', '"schema":1,"schema":1'), faults.BadDescription),
    "version a number": ("binary", put("hinge", 1), faults.BadField),
    "unknown learner": ("binary", put("learner", "Exploit"), faults.UnknownLearner),
    "learner a path": ("binary", put("learner", "os.system"), faults.UnknownLearner),
    "learner a list": ("binary", put("learner", ["Classifier"]), faults.UnknownLearner),
    "another learner": ("binary", put("learner", "Regressor"), faults.MissingField),
    "NaN": ("binary", in_text('"passes":1', '"passes":NaN'), faults.BadDescription),
    "infinity": ("binary", in_text('"passes":1', '"passes":-Infinity'), faults.BadDescription),
    "a float beyond 64 bits": ("binary", in_text('"C":1.0', '"C":1e999'), faults.BadDescription),
    "a number beyond 64 bits": ("binary", in_text('"passes":1', f'"passes":{2**64}'), faults.BadDescription),
    "a number of a million digits": (
        "binary",
        in_text('"passes":1', '"passes":' + "9" * 1_000_000),
        faults.BadDescription,
    ),
    # parameters
    "parameters a list": ("binary", put("parameters", []), faults.BadField),
    "a parameter __init__ does not know": ("binary", put("parameters", "on_load", "boom"), faults.UnknownField),
    "a parameter missing": ("binary", drop("parameters", "passes"), faults.MissingField),
    "passes zero": ("binary", put("parameters", "passes", 0), faults.BadParameter),
    "passes a string": ("binary", put("parameters", "passes", "many"), faults.BadParameter),
    "average a string": ("binary", put("parameters", "average", "yes"), faults.BadParameter),
    "intercept a word": ("binary", put("parameters", "intercept", "big"), faults.BadParameter),
    "random_state negative": ("binary", put("parameters", "random_state", -1), faults.BadParameter),
    "class_weight negative": (
        "binary",
        put("parameters", "class_weight", {"dict": [["a", -1.0]]}),
        faults.BadParameter,
    ),
    "class_weight a word": ("binary", put("parameters", "class_weight", "heavy"), faults.BadParameter),
    "class_weight twice": (
        "binary",
        put("parameters", "class_weight", {"dict": [["a", 1.0], ["a", 2.0]]}),
        faults.BadField,
    ),
    "class_weight no pair": ("binary", put("parameters", "class_weight", {"dict": [["a"]]}), faults.BadField),
    "focus a space": ("binary", put("parameters", "focus", {"space": "Linear", "fields": {}}), faults.BadParameter),
    "space a focus": ("binary", put("parameters", "space", {"focus": "Worst", "fields": {}}), faults.BadParameter),
    "space unknown": ("binary", put("parameters", "space", {"space": "Outer", "fields": {}}), faults.UnknownPart),
    "step nothing": ("binary", put("parameters", "step", None), faults.BadParameter),
    "step a number": ("binary", put("parameters", "step", 7), faults.BadParameter),
    "no steps": ("binary", put("parameters", "step", []), faults.BadParameter),
    "steps in steps": ("binary", put("parameters", "step", [[STEP]]), faults.BadField),
    "step unknown": ("binary", put("parameters", "step", {"step": "PA9", "fields": {}}), faults.UnknownPart),
    "step of a module": ("binary", put("parameters", "step", EVIL), faults.UnknownStep),
    "step of a module that is no name": ("binary", put("parameters", "step", {**EVIL, "module": 3}), faults.BadField),
    "step with C zero": (
        "binary",
        put("parameters", "step", {"step": "PA1", "fields": {"C": 0.0}}),
        faults.BadParameter,
    ),
    "step with C infinite": (
        "binary",
        put("parameters", "step", {"step": "PA1", "fields": {"C": {"float": "inf"}}}),
        faults.BadParameter,
    ),
    "step with C a string": (
        "binary",
        put("parameters", "step", {"step": "PA1", "fields": {"C": "1"}}),
        faults.BadField,
    ),
    "step without C": ("binary", put("parameters", "step", {"step": "PA1", "fields": {}}), faults.MissingField),
    "step with a field too many": (
        "binary",
        put("parameters", "step", {"step": "PA", "fields": {"C": 1.0}}),
        faults.UnknownField,
    ),
    "step without fields": ("binary", put("parameters", "step", {"step": "PA"}), faults.MissingField),
    "own step, number beyond 64 bits": (
        "own step",
        put("parameters", "step", {"step": "Careful", "module": "m", "fields": {"share": 2**63}}),
        faults.BadField,
    ),
    "own step, another field": (
        "own step",
        put("parameters", "step", {"step": "Careful", "module": "m", "fields": {"C": 1.0}}),
        faults.MissingField,
    ),
    "epsilon negative": ("regressor", put("parameters", "epsilon", -1.0), faults.BadParameter),
    "radius a string": ("one class, radius", put("parameters", "radius", "wide"), faults.BadParameter),
    "start somewhere": ("one class, radius", put("parameters", "start", "middle"), faults.BadParameter),
    "one class with steps": ("one class, radius", put("parameters", "step", [STEP]), faults.BadParameter),
    "text of 31 bits": ("texts of one's own kind", put("parameters", "text", "text", "bits", 31), faults.BadParameter),
    "text with a parameter too many": (
        "texts of one's own kind",
        put("parameters", "text", "text", "run", 1),
        faults.UnknownField,
    ),
    "text of half floats": (
        "texts of one's own kind",
        put("parameters", "text", "text", "dtype", "float16"),
        faults.BadField,
    ),
    "text a word": ("binary", put("parameters", "text", "words"), faults.BadParameter),
    "text a list": ("binary", put("parameters", "text", {"text": [1]}), faults.BadField),
    # notes
    "notes a list": ("notes", put("notes", []), faults.BadField),
    "notes missing": ("notes", drop("notes"), faults.MissingField),
    # labels
    "labels missing": ("binary", put("labels", None), faults.BadLabels),
    "labels a list": ("binary", put("labels", [0, 1]), faults.BadField),
    "labels no list": ("binary", put("labels", "values", "ab"), faults.BadField),
    "a label twice": ("binary", put("labels", "values", [0, 0]), faults.BadLabels),
    "one label as two numbers": ("binary", put("labels", "values", [1, 1.0]), faults.BadLabels),
    "a label null": ("binary", put("labels", "values", [0, None]), faults.BadField),
    "a label a list": ("binary", put("labels", "values", [0, [1]]), faults.BadField),
    "a label an object": ("binary", put("labels", "values", [0, {"set": [1]}]), faults.BadField),
    "a label NaN": ("binary", put("labels", "values", [0, {"float": "nan"}]), faults.BadField),
    "three labels, one lane": ("binary", put("labels", "values", [0, 1, 2]), faults.BadLabels),
    "two labels, four lanes": ("multiclass", put("labels", "values", [0, 1]), faults.BadLabels),
    "five labels, four lanes": ("multiclass", put("labels", "values", [0, 1, 2, 3, 4]), faults.BadTensor),
    "labels of a strange array": ("binary", put("labels", "array", "V1000000000"), faults.BadLabels),
    "labels of arrays": ("binary", put("labels", "array", "(1000000,)f8"), faults.BadLabels),
    "labels of structures": ("binary", put("labels", "array", "i4,i4"), faults.BadLabels),
    "labels of no array": ("binary", put("labels", "array", 5), faults.BadLabels),
    "balanced weights of strings": ("balanced", put("labels", "balanced", {"dict": [[0, "a"]]}), faults.BadLabels),
    "balanced weights no table": ("balanced", put("labels", "balanced", 5), faults.BadLabels),
    "labels of a regressor": (
        "regressor",
        put("labels", {"values": [], "array": None, "balanced": None}),
        faults.BadLabels,
    ),
    "a tuple nested deep": (
        "binary",
        in_text('"values":[1', '"values":[' + '{"tuple":[' * 400 + "1" + "]}" * 400),
        faults.BadField,
    ),
    "a tuple nested very deep": (
        "binary",
        in_text('"values":[1', '"values":[' + '{"tuple":[' * 50_000 + "1" + "]}" * 50_000),
        faults.BadDescription,
    ),
    # the engine
    "tensors of nothing": ("binary", put("engine", None), faults.UnknownTensor),
    "engine a list": ("binary", put("engine", []), faults.BadField),
    "space of another learner": ("binary", put("engine", "space", "Centre"), faults.BadField),
    "task of another learner": ("binary", put("engine", "task", {"task": "Uniclass", "fields": {}}), faults.BadField),
    "task for more labels": ("binary", put("engine", "task", {"task": "Multiclass", "fields": {}}), faults.BadLabels),
    "task a step": ("binary", put("engine", "task", STEP), faults.MissingField),
    "task unknown": ("binary", put("engine", "task", {"task": "Guess", "fields": {}}), faults.UnknownPart),
    "engine's epsilon infinite": (
        "regressor",
        put("engine", "task", "fields", "epsilon", {"float": "inf"}),
        faults.BadField,
    ),
    "engine's step refused": (
        "binary",
        put("engine", "steps", [{"step": "PA1", "fields": {"C": -1.0}}]),
        faults.BadParameter,
    ),
    "engine's step a stranger's": ("binary", put("engine", "steps", [EVIL]), faults.UnknownStep),
    "engine without steps": ("binary", put("engine", "steps", []), faults.BadField),
    "engine of two steps": ("binary", put("engine", "steps", [STEP, STEP]), faults.BadTensor),
    "engine of a million steps": ("binary", put("engine", "steps", [STEP] * 10_000), faults.BadTensor),
    "centre of two steps": ("one class, radius", put("engine", "steps", [STEP, STEP]), faults.BadField),
    "centre averaged": ("one class, radius", put("engine", "average", True), faults.BadField),
    "average a number": ("binary", put("engine", "average", 1), faults.BadField),
    "average that is not there": ("binary", put("engine", "average", True), faults.MissingTensor),
    "average too many": ("average", put("engine", "average", False), faults.UnknownTensor),
    "numbers of 16 bits": ("binary", put("engine", "numbers", "float16"), faults.BadField),
    "numbers of another kind": ("binary", put("engine", "numbers", "float32"), faults.BadTensor),
    "numbers a list": ("binary", put("engine", "numbers", ["float64"]), faults.BadField),
    "width negative": ("binary", put("engine", "width", -5), faults.BadField),
    "width a float": ("binary", put("engine", "width", 5.0), faults.BadField),
    "width true": ("binary", put("engine", "width", True), faults.BadField),
    "width huge": ("binary", put("engine", "width", 2**62), faults.BadTensor),
    "names that are not there": ("binary", put("engine", "named", True), faults.MissingTensor),
    "names too many": ("names", put("engine", "named", False), faults.UnknownTensor),
    "named a number": ("names", put("engine", "named", 1), faults.BadField),
    # feature names
    "names not JSON": ("names", named(b"a,b,c,d,e"), faults.BadFeatures),
    "names not UTF-8": ("names", named(b'["\xff","b","c","d","e"]'), faults.BadFeatures),
    "names no list": ("names", named(b'{"a":0}'), faults.BadFeatures),
    "a name twice": ("names", named(b'["a","a","c","d","e"]'), faults.BadFeatures),
    "a name too few": ("names", named(b'["a","b","c","d"]'), faults.BadFeatures),
    "a name too many": ("names", named(b'["a","b","c","d","e","f"]'), faults.BadFeatures),
    "a name null": ("names", named(b'["a","b","c","d",null]'), faults.BadField),
    "names nested deep": ("names", named(b"[" * 200_000), faults.BadFeatures),
    "names as numbers": ("names", tensor("features", lambda before: np.zeros(5)), faults.BadTensor),
    # tensors
    "no weights": ("binary", lose("weights"), faults.MissingTensor),
    "no bias": ("binary", lose("bias"), faults.MissingTensor),
    "no state": ("binary", lose("state"), faults.MissingTensor),
    "no totals": ("binary", lose("totals"), faults.MissingTensor),
    "a tensor too many": ("binary", tensor("extra", lambda before: np.zeros(1)), faults.UnknownTensor),
    "weights of bytes": ("binary", tensor("weights", lambda w: w.view(np.uint8)), faults.BadTensor),
    "weights of half floats": ("binary", tensor("weights", lambda w: w.astype(np.float16)), faults.BadTensor),
    "weights of whole numbers": ("binary", tensor("weights", lambda w: w.astype(np.int64)), faults.BadTensor),
    "weights flat": ("binary", tensor("weights", lambda w: w.reshape(-1)), faults.BadTensor),
    "weights of many axes": ("binary", tensor("weights", lambda w: w.reshape(5, *[1] * 30)), faults.BadTensor),
    "weights one short": ("binary", tensor("weights", lambda w: w[:-1]), faults.BadTensor),
    "weights empty": ("binary", tensor("weights", lambda w: w[:0]), faults.BadTensor),
    "totals too narrow": ("binary", tensor("totals", lambda t: t[:, :11]), faults.BadTensor),
    "totals of another contender": ("binary", tensor("totals", lambda t: np.concatenate([t, t])), faults.BadTensor),
    "NaN in weights": ("binary", number("weights", (3, 0, 0), np.nan), faults.NotFinite),
    "infinity in weights": ("float32", number("weights", (3, 0, 0), -np.inf), faults.NotFinite),
    "NaN in bias": ("multiclass", number("bias", (0, 2), np.nan), faults.NotFinite),
    "NaN in the average": ("average", number("late", (1, 0, 0), np.nan), faults.NotFinite),
    "infinity in the average's bias": ("average", number("late_bias", (0, 0), np.inf), faults.NotFinite),
    "NaN in a centre": ("one class, radius", number("weights", 2, np.nan), faults.NotFinite),
    "rounds negative": ("binary", number("totals", (0, ROUNDS), -3), faults.BadAccount),
    "rounds infinite": ("binary", number("totals", (0, ROUNDS), np.inf), faults.BadAccount),
    "half a round": ("binary", number("totals", (0, ROUNDS), 30.5), faults.BadAccount),
    "mistakes negative": ("binary", number("totals", (0, MISTAKES), -1), faults.BadAccount),
    "mistakes NaN": ("binary", number("totals", (0, MISTAKES), np.nan), faults.BadAccount),
    "more moves than rounds": ("binary", number("totals", (0, UPDATES), 31), faults.BadAccount),
    "more new labels than rounds": ("binary", number("totals", (0, NOVEL), 31), faults.BadAccount),
    "contenders of different ages": ("contenders", number("totals", (2, ROUNDS), 31), faults.BadAccount),
    "loss negative": ("binary", number("totals", (0, LOSS), -0.5), faults.BadAccount),
    "weight NaN": ("binary", number("totals", (0, WEIGHT), np.nan), faults.BadAccount),
    "intercept infinite": ("binary", number("state", 0, np.inf), faults.BadState),
    "intercept of infinite square": ("binary", number("state", 0, 1e200), faults.BadState),
    "scale zero": ("one class, radius", number("state", 0, 0.0), faults.BadState),
    "scale NaN": ("one class, radius", number("state", 0, np.nan), faults.BadState),
    "norm negative": ("one class, radius", number("state", 1, -1.0), faults.BadState),
    "extra infinite": ("one class, learnt radius", number("state", 2, np.inf), faults.BadState),
    "radius negative": ("one class, radius", number("state", 3, -1.0), faults.BadState),
    "radius open under way": ("one class, learnt radius", number("state", 3, np.nan), faults.BadState),
    "begun in another way": ("one class, radius", number("state", 4, 9.0), faults.BadState),
}


def attacked(kind, change, folder):
    description, tensors = opened(good(kind, folder))
    before = json.dumps(description), {name: array.tobytes() for name, array in tensors.items()}
    text = change(description, tensors)
    after = json.dumps(description), {name: array.tobytes() for name, array in tensors.items()}
    text = text if isinstance(text, str) else description
    return sealed(text, tensors), before != after or text is not description


@pytest.mark.parametrize("attack", ATTACKS)
def test_attacks(attack, tmp_path):
    kind, change, error = ATTACKS[attack]
    data, _ = attacked(kind, change, tmp_path)
    (tmp_path / "model").write_bytes(data)
    with pytest.raises(error) as caught:
        hinge.load(tmp_path / "model", steps=[Careful])
    assert type(caught.value) is error
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'model'}: ")
    assert len(message) < 600
    assert message.isprintable()


def test_no_fault_goes_without_an_attack():
    """Every named error is one that some attack provokes, or a test of its own."""
    provoked = {error for _, error in OUTSIDE.values()} | {error for *_, error in ATTACKS.values()}
    known = {value for value in vars(faults).values() if isinstance(value, type) and issubclass(value, ModelFileError)}
    assert known - provoked == set()


def test_a_file_imports_nothing(tmp_path, monkeypatch):
    (tmp_path / "evil_module.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    data, _ = attacked("binary", put("parameters", "step", EVIL), tmp_path)
    (tmp_path / "model").write_bytes(data)
    with pytest.raises(faults.UnknownStep):
        hinge.load(tmp_path / "model")
    assert "evil_module" not in sys.modules


@pytest.mark.parametrize(
    "attack", ["width huge", "engine of a million steps", "a number of a million digits", "labels of arrays"]
)
def test_no_lie_takes_memory(attack, tmp_path):
    kind, change, error = ATTACKS[attack]
    data, _ = attacked(kind, change, tmp_path)
    (tmp_path / "model").write_bytes(data)
    tracemalloc.start()
    try:
        with pytest.raises(error):
            hinge.load(tmp_path / "model")
        assert tracemalloc.get_traced_memory()[1] < 20 * len(data) + 1_000_000
    finally:
        tracemalloc.stop()


def test_a_tensor_of_nothing_is_of_no_size(tmp_path):
    description, tensors = opened(good("binary", tmp_path))
    data = sealed(description, {**tensors, "weights": np.zeros((0, 1, 1))})
    (tmp_path / "model").write_bytes(data.replace(b"[0,1,1]", b"[0,9999999999999999,1]".ljust(22)))
    with pytest.raises(ModelFileError):
        hinge.load(tmp_path / "model")
    header = {
        "__metadata__": {"hinge": '{"crc32":"00000000"}'},
        "weights": {"dtype": "F64", "shape": [0, 2**50], "data_offsets": [0, 0]},
    }
    (tmp_path / "model").write_bytes(framed(header))
    with pytest.raises(faults.BadTensor):
        hinge.load(tmp_path / "model")


# ----------------------------------------------------------------------------------- damage of every kind


FUZZ = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


def survives(path):
    """Loading raises a `ModelFileError`, or gives a learner that predicts and takes or refuses a row."""
    try:
        learner = hinge.load(path, steps=[Careful])
    except ModelFileError as error:
        if not str(error).startswith(f"{path}: "):
            raise
        return None
    if learner._engine is None:
        return learner
    names = learner._columns
    row = np.ones(learner._engine.width) if names is None else dict.fromkeys(names, 1.0)
    with np.errstate(all="ignore"):
        learner.predict_one(row)
        learner.predict([row])
        go_on = copy.deepcopy(learner)
        try:
            go_on.learn_one(row, 1)
        except ValueError as error:
            if "too large" not in str(error):
                raise
        go_on.predict_one(row)
    return learner


@pytest.mark.parametrize("kind", ["names", "one class, learnt radius", "nothing learnt"])
def test_cut_anywhere(kind, tmp_path):
    data = good(kind, tmp_path)
    path = tmp_path / "model"
    for length in range(len(data)):
        path.write_bytes(data[:length])
        with pytest.raises(ModelFileError):
            hinge.load(path)


@FUZZ
@given(place=st.floats(0, 1, exclude_max=True), byte=st.integers(1, 255), kind=st.sampled_from(["names", "contenders"]))
def test_a_changed_byte_is_noticed(place, byte, kind, tmp_path):
    data = bytearray(good(kind, tmp_path))
    data[int(place * len(data))] ^= byte
    (tmp_path / "model").write_bytes(data)
    found = survives(tmp_path / "model")
    if found is not None:  # what changed was white space
        assert_same(found, ZOO[kind]())


@FUZZ
@given(
    data=st.data(), kind=st.sampled_from(["names", "contenders", "average", "one class, learnt radius", "regressor"])
)
def test_numbers_changed_on_purpose(data, kind, tmp_path):
    description, tensors = opened(good(kind, tmp_path))
    for _ in range(data.draw(st.integers(1, 3))):
        name = data.draw(st.sampled_from(sorted(tensors)))
        array = np.array(tensors[name])
        flat = array.reshape(-1)
        values = st.integers(0, 255) if array.dtype == np.uint8 else st.floats(width=8 * array.itemsize)
        flat[data.draw(st.integers(0, flat.size - 1))] = data.draw(values)
        tensors[name] = array
    (tmp_path / "model").write_bytes(sealed(description, tensors))
    survives(tmp_path / "model")


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.text(max_size=5)
    | st.sampled_from([STEP, EVIL, {"focus": "Predicted", "fields": {}}, {"float": "inf"}, "PA1", "float32", "auto"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["tuple", "dict", "step", "fields", "C", "float"]), inner, max_size=3)
    ),
    max_leaves=6,
)


def places(value, path=()):
    yield path
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(part, (*path, key))


@FUZZ
@given(data=st.data(), kind=st.sampled_from(["names", "own step", "balanced", "one class, radius", "nothing learnt"]))
def test_words_changed_on_purpose(data, kind, tmp_path):
    description, tensors = opened(good(kind, tmp_path))
    path = data.draw(st.sampled_from([path for path in places(description) if path and path != ("crc32",)]))
    (put(*path, data.draw(ANYTHING)) if data.draw(st.booleans()) else drop(*path))(description, tensors)
    (tmp_path / "model").write_bytes(sealed(description, tensors))
    survives(tmp_path / "model")
