# SPDX-License-Identifier: BSD-3-Clause
"""Readers beside a learner: what a pipe brings is handed on as it comes, memory is bounded, other threads go on."""

import os
import threading
import time
import tracemalloc

import numpy as np
import pytest

from hinge.io import read
from hinge.io.rows import Skips
from hinge.io.source import Lines, Rest
from hinge.io.svmlight import SvmlightReader


@pytest.fixture
def pipe():
    """Both ends of a pipe, unbuffered: (to read, to write)."""
    begin, end = os.pipe()
    with open(begin, "rb", buffering=0) as reading, open(end, "wb", buffering=0) as writing:
        yield reading, writing


def test_rows_of_a_pipe_are_handed_on_as_they_come(pipe):
    reading, writing = pipe
    lines = Lines(Rest(b"", reading), "x", 1 << 16)
    writing.write(b"one\ntw")
    assert bytes(lines.read()) == b"one\n"
    writing.write(b"o\nthree\nfo")
    assert bytes(lines.read()) == b"two\nthree\n"
    writing.close()
    assert bytes(lines.read()) == b"fo\n"
    assert lines.read() is None


def test_what_is_undecided_waits_for_a_whole_batch(pipe):
    reading, writing = pipe
    lines = Lines(Rest(b"", reading), "x", 40)
    batches = SvmlightReader(lines, Skips("x", False), True, None).batches()

    def write_slowly():
        for place in range(8):
            writing.write(b"%d 1:1 2:2\n" % place)
            time.sleep(0.01)
        writing.write(b"1,2 3:1\n")
        writing.close()

    thread = threading.Thread(target=write_slowly)
    thread.start()
    first = next(batches)
    thread.join()
    assert len(first) == 4  # 40 bytes
    assert first.y.tolist() == [0, 1, 2, 3]


def test_a_named_pipe(tmp_path):
    path = tmp_path / "live.svm"
    os.mkfifo(path)
    with open(os.open(path, os.O_RDWR), "wb", buffering=0) as writing:
        writing.write(b"1 1:1\n")
        batches = read(path, multilabel=False)
        assert next(batches).y.tolist() == [1]
        writing.write(b"2 1:1\n3 1:1\n")
        assert next(batches).y.tolist() == [2, 3]
        batches.close()  # at once, though its thread waits for more
        writing.write(b"4 1:1\n")
        batches._batches._thread.join(10)
        assert not batches._batches.running


LINE = "1 " + " ".join(f"{place}:0.125" for place in range(60)) + "\n"


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["a.svm", "a.vw", "a.csv"])
def test_memory_does_not_grow_with_the_file(tmp_path, name):
    line = {"a.svm": LINE, "a.vw": LINE.replace(" ", " | ", 1), "a.csv": ",".join(["0.125"] * 60) + "\n"}[name]
    options = {"header": False} if name == "a.csv" else {}
    path = tmp_path / name
    path.write_text(line)
    list(read(path, **options))  # compiled by now
    peaks = []
    for megabytes in (8, 32):
        rows = megabytes * 2**20 // len(line)
        path.write_text(line * rows)
        tracemalloc.start()
        try:
            with read(path, batch_bytes=1 << 18, **options) as batches:
                assert sum(map(len, batches)) == rows
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0]
    assert peaks[1] < 24 << 20


@pytest.mark.compiled
def test_other_threads_go_on_while_a_kernel_reads():
    text = np.frombuffer((LINE * 80_000).encode(), np.uint8)

    def reader():
        lines = Lines(Rest(text[:4].tobytes(), _Rest(text[4:])), "x", len(text))
        return SvmlightReader(lines, Skips("x", False), True, False)

    next(reader().batches())  # compiled by now
    reading = reader()
    parse, during = reading._parse, []

    def timed(*arguments):
        begin = time.perf_counter()
        answer = parse(*arguments)
        during.append((begin, time.perf_counter()))
        return answer

    reading._parse = timed
    thread = threading.Thread(target=lambda: next(reading.batches()))
    thread.start()
    ticks = []
    while thread.is_alive():
        ticks.append(time.perf_counter())
        time.sleep(0.0005)
    (begin, end), tenth = during[0], (during[0][1] - during[0][0]) / 10
    assert end - begin > 0.01  # else there was nothing to see
    assert any(begin + tenth < tick < end - tenth for tick in ticks)


class _Rest:
    """A stream of an array's bytes."""

    def __init__(self, text):
        self.text = text

    def readinto(self, buffer):
        count = min(len(buffer), len(self.text))
        buffer[:count] = self.text[:count].data
        self.text = self.text[count:]
        return count

    def fileno(self):
        raise OSError("no file")
