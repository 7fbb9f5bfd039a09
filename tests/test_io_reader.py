# SPDX-License-Identifier: BSD-3-Clause
"""`read`: what a file is, how it is packed, the thread beside the consumer, and sequences."""

import gc
import gzip
import io
import pathlib
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

import hinge.io.source as source
from hinge.io import BadFile, BadLine, read
from hinge.io.background import Background
from hinge.io.source import Lines

TEXT = "".join(f"{place % 2} {place}:1 {place + 1}:0.5\n" for place in range(200))


def labels(reader):
    return [label for batch in reader for label in batch.y]


def write(path, text):
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


# ---------------------------------------------------------------------------------------------------- what a file is


@pytest.mark.parametrize(
    ("name", "text", "options"),
    [
        ("a.svm", "1 2:3\n", {}),
        ("a.SVMLIGHT", "1 2:3\n", {}),
        ("a.libsvm", "1 2:3\n", {}),
        ("a.vw", "1 | a\n", {}),
        ("a.csv", "y,b\n1,2\n", {"target": "y"}),
        ("a.tsv", "y\tb\n1\t2\n", {"target": "y"}),
        ("a.jsonl", '{"y": 1}\n', {"target": "y"}),
        ("a.ndjson", '{"y": 1}\n', {"target": "y"}),
        ("a.b", "1 2:3\n", {"format": "svmlight"}),
    ],
)
def test_the_name_says_the_format(tmp_path, name, text, options):
    assert labels(read(write(tmp_path / name, text), **options)) == [1]
    for ending, pack in ((".gz", gzip.compress), (".zst", zstandard.compress)):
        packed = write(tmp_path / (name + ending), pack(text.encode()))
        assert labels(read(packed, **options)) == [1]


@pytest.mark.parametrize(
    ("path", "options", "message"),
    [
        ("a.txt", {}, "a.txt: its name does not say its format; name it format= one of svmlight, vw, csv"),
        ("-", {}, "standard input has no name to tell its format by"),
        ("-", {"format": "parquet"}, "parquet is read from a file, not from standard input"),
        ("a.svm", {"format": "arff"}, "format must be one of svmlight, .*, not 'arff'"),
        ("a.svm", {"target": "y"}, "target= is for csv, jsonl, parquet, arrow, conll; a.svm is svmlight"),
        ("a.vw", {"zero_based": False}, "zero_based= is for svmlight; a.vw is vw"),
        ("a.csv", {"multilabel": True}, "multilabel= is for svmlight, vw; a.csv is csv"),
        ("a.vw", {"bits": 31}, "bits must be from 1 to 30, not 31"),
        ("a.vw", {"batch_bytes": 0}, "batch_bytes must be at least 1, not 0"),
        ("a.svm", {"zero_based": "maybe"}, "zero_based must be True, False or \"auto\", not 'maybe'"),
        ("a.csv", {"delimiter": "ab"}, "delimiter must be one ASCII character"),
        ("a.csv", {"delimiter": "."}, "delimiter must be one ASCII character that no number has"),
        ("a.csv", {"categorical": "a"}, r"categorical must be a list of names, as in \['a'\]"),
        ("a.jsonl", {"target": 1}, "target must be a name, not 1"),
        ("a.conll", {"target": "y"}, "target must be a place such as -1, not 'y'"),
        ("a.parquet.gz", {}, "a.parquet.gz: parquet files are compressed inside; unpack this one first"),
    ],
)
def test_what_cannot_be_read_is_said_at_once(path, options, message):
    with pytest.raises(ValueError, match=message):
        read(path, **options)


@pytest.mark.parametrize("name", ["none.svm", "none.parquet", "none.arrow"])
def test_a_file_that_is_not_there(tmp_path, name):
    with pytest.raises(FileNotFoundError, match="none"):
        read(tmp_path / name)


@pytest.mark.parametrize("call", [["a.svm"], ["-", "svmlight"]])
def test_standard_input(call, tmp_path):
    write(tmp_path / "a.svm", TEXT)
    options = {"format": call[1]} if call[1:] else {}
    code = f"import hinge.io; print(sum(b.y.sum() for b in hinge.io.read({call[0]!r}, batch_bytes=999, **{options})))"
    with open(tmp_path / "a.svm", "rb") as file:
        run = subprocess.run([sys.executable, "-c", code], stdin=file, cwd=tmp_path, capture_output=True, text=True,
                             check=True)  # fmt: skip
    assert (run.stdout, run.stderr) == ("100.0\n", "")


def test_a_process_ends_though_its_standard_input_does_not():
    code = "import hinge.io; r = hinge.io.read('-', format='svmlight', batch_bytes=4); print(next(r).y); r.close()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(b"1 2:3\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"[1.]\n"
        assert process.wait(20) == 0


def test_import_is_light():
    heavy = {"numba", "scipy", "sklearn", "pyarrow", "narwhals", "zstandard"}
    code = f"import sys, hinge.io; print({heavy} & {{*sys.modules}})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"


# ------------------------------------------------------------------------------------------------------ packed files


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_files_of_several_parts(tmp_path, pack):
    half = len(TEXT) // 2
    path = write(tmp_path / "a.svm", pack(TEXT[:half].encode()) + pack(TEXT[half:].encode()))
    assert len(labels(read(path, batch_bytes=300))) == 200


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".zst", zstandard.compress)])
def test_files_cut_short_or_damaged(tmp_path, ending, pack):
    packed = pack(TEXT.encode())
    for cut in (len(packed) - 1, len(packed) // 2, 12):
        path = write(tmp_path / f"cut.svm{ending}", packed[:cut])
        with pytest.raises(BadFile, match=r"cut.svm.*it ends in the middle of its compressed data"):
            labels(read(path))
    # The length of the first block, in the one as in the other.
    path = write(tmp_path / f"bent.svm{ending}", packed[:10] + b"\xff\xff\xff" + packed[13:])
    with pytest.raises(BadFile, match=r"bent.svm.*its compressed data is damaged"):
        labels(read(path))
    path = write(tmp_path / f"plain.svm{ending}", TEXT)
    with pytest.raises(BadFile, match="its name says"):
        read(path)


def _zstd_with_checksum(text):
    return zstandard.ZstdCompressor(write_checksum=True).compress(text)


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".zst", _zstd_with_checksum)])
def test_a_bent_byte_is_never_read_as_something_else(tmp_path, ending, pack, rng):
    packed = pack(TEXT.encode())
    expected = labels(read(write(tmp_path / "whole.svm", TEXT)))
    refused = 0
    for place in rng.choice(len(packed), 60, replace=False):
        bent = bytearray(packed)
        bent[place] ^= 1 << int(rng.integers(8))
        found = []
        try:
            for batch in read(write(tmp_path / f"bent.svm{ending}", bytes(bent))):
                found.extend(batch.y)
        except BadFile:
            refused += 1
        else:
            assert found == expected  # it was a byte of gzip's that says nothing of the content
    assert refused > 40


def test_a_small_zstd_file_that_unpacks_to_much_takes_little_memory(tmp_path):
    import tracemalloc

    path = write(tmp_path / "a.svm.zst", zstandard.compress(b"\n" * (1 << 28)))
    tracemalloc.start()
    try:
        lines, size = Lines(source.open_bytes(str(path)), "a.svm.zst", 1 << 20), 0
        while (part := lines.read()) is not None:
            size += len(part)
        assert size == 1 << 28
        assert tracemalloc.get_traced_memory()[1] < 1 << 26
    finally:
        tracemalloc.stop()
        lines.stream.close()


# ------------------------------------------------------------------------------------------------------------- lines


@given(st.lists(st.binary(max_size=30).map(lambda line: line.replace(b"\n", b"")), max_size=10), st.integers(1, 20),
       st.booleans(), st.integers(1, 7))  # fmt: skip
def test_lines_are_handed_on_whole(lines, size, ended, step):
    text = b"\n".join(lines) + b"\n" * ended

    class Slow(io.RawIOBase):
        at = 0

        def readinto(self, buffer):
            piece = text[self.at : self.at + min(step, len(buffer))]
            buffer[: len(piece)] = piece
            self.at += len(piece)
            return len(piece)

    reader = Lines(Slow(), "x", size)
    parts = []
    while (part := reader.read()) is not None:
        assert part[-1] == 10
        parts.append(bytes(part))
    whole = text + b"\n" * (not text.endswith(b"\n") and text != b"")
    assert b"".join(parts) == (whole if text[:3] != source.BYTE_ORDER_MARK else whole[3:])


def test_a_line_longer_than_a_batch(tmp_path):
    long = "1 " + " ".join(f"{place}:1" for place in range(500)) + "\n"
    path = write(tmp_path / "a.svm", "0 1:1\n" + long + "0 2:1\n")
    found = list(read(path, batch_bytes=16))
    assert len(found) > 1
    assert [size for batch in found for size in np.diff(batch.indptr)] == [1, 500, 1]


def test_a_file_without_line_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "LONGEST_LINE", 1000)
    path = write(tmp_path / "a.svm", "1 1:1\n" + "x" * 5000)
    with pytest.raises(BadLine, match=r"a.svm:2:1: expected the line's end within 1000 bytes"):
        list(read(path, batch_bytes=16, skip_bad=True))


# -------------------------------------------------------------------------------------------------------- the thread


def test_any_size_of_batches_gives_the_same_rows(tmp_path):
    path = write(tmp_path / "a.svm", TEXT)
    found = []
    for size in (1, 37, 1000, 1 << 20):
        batches = list(read(path, batch_bytes=size))
        found.append(np.concatenate([batch.data for batch in batches]).tobytes()
                     + np.concatenate([batch.indices for batch in batches]).tobytes())  # fmt: skip
        lines = [batch.first_line for batch in batches]
        assert lines == [1, *(1 + np.cumsum([len(batch) for batch in batches])[:-1])]
    assert len(set(found)) == 1


def test_closing_early_ends_the_thread(tmp_path):
    path = write(tmp_path / "a.svm", TEXT)
    with read(path, batch_bytes=10) as batches:
        next(batches)
        assert batches._batches.running
    assert not batches._batches.running
    assert list(batches) == []
    batches.close()
    read(path).close()  # never begun


def test_letting_go_ends_the_thread(tmp_path):
    batches = read(write(tmp_path / "a.svm", TEXT), batch_bytes=10)
    next(batches)
    thread = batches._batches._thread
    del batches
    gc.collect()
    thread.join(10)
    assert not thread.is_alive()


def test_the_thread_runs_beside_the_consumer_but_not_ahead_without_bound():
    made = []

    def items():
        for place in range(100):
            made.append(place)
            yield place

    background = Background(items(), ahead=2)
    assert next(background) == 0
    until = time.monotonic() + 10
    while len(made) < 3 and time.monotonic() < until:
        time.sleep(0.001)
    time.sleep(0.05)
    assert made == [0, 1, 2]
    assert list(background) == list(range(1, 100))


def test_an_error_in_the_thread_is_the_consumers(tmp_path):
    path = write(tmp_path / "a.svm", TEXT + "x\n" + TEXT)
    seen = []
    with read(path, batch_bytes=100) as batches:
        with pytest.raises(BadLine, match=r"a.svm:201:1"):
            seen.extend(label for batch in batches for label in batch.y)
        assert list(batches) == []
    assert len(seen) == 200


def test_skipped_lines_are_counted_to_the_last(tmp_path):
    path = write(tmp_path / "a.svm", "x\n1 1:1\ny\n2 2:2\nz\n")
    with read(path, skip_bad=True, batch_bytes=6) as batches:
        assert batches.first_bad is None
        assert labels(batches) == [1, 2]
        assert batches.skipped == 3
        assert batches.first_bad.line == 1
    with read(write(tmp_path / "b.svm", "x\ny\n"), skip_bad=True) as batches:
        (batch,) = batches
        assert (len(batch), batch.skipped, batch.X.shape[0]) == (0, 2, 0)


def test_no_thread_is_left():
    gc.collect()
    assert [thread.name for thread in threading.enumerate() if thread.name == "hinge reader"] == []


def test_every_format_is_in_the_documents():
    text = (pathlib.Path(__file__).parents[1] / "docs" / "files.md").read_text()
    from hinge.io.reader import ENDINGS, OPTIONS

    for word in [*ENDINGS, *OPTIONS, *set().union(*OPTIONS.values())]:
        assert word in text
