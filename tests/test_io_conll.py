# SPDX-License-Identifier: BSD-3-Clause
"""CoNLL columns: sequences are never cut, features are of the neighbours, and noise is read as a slow twin reads it."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinge.io import BadLine, read
from hinge.io.conll import ConllReader
from hinge.io.hashing import column_of
from hinge.io.rows import Skips
from hinge.io.source import Lines


def write(path, text):
    path.write_text(text, newline="")
    return path


CONLL = "the DT B\nman NN I\n\n \nruns VB O\n\n# # B\n"


def test_sequences(tmp_path):
    (batch,) = read(write(tmp_path / "a.conll", CONLL))
    assert len(batch) == 3
    assert [sequence.tolist() for sequence in batch.y] == [["B", "I"], ["O"], ["B"]]
    assert batch.fields == [[("the", "DT"), ("man", "NN")], [("runs", "VB")], [("#", "#")]]
    assert [X.shape for X in batch.X] == [(2, 2**18), (1, 2**18), (1, 2**18)]
    names = {batch.names[column] for column in batch.X[0][0].indices}
    assert names == {"0[0]=the", "1[0]=DT", "0[1]=man", "1[1]=NN"}
    assert batch.X[0][1, column_of("0[-1]=the", 18)] == 1
    assert batch.first_line == 1


def test_the_label_in_another_field(tmp_path):
    (batch,) = read(write(tmp_path / "a.conll", CONLL), target=1)
    assert [sequence.tolist() for sequence in batch.y] == [["DT", "NN"], ["VB"], ["#"]]
    assert batch.fields[0][0] == ("the", "B")


@pytest.mark.parametrize("size", [1, 7, 20, 1000])
def test_sequences_are_never_cut(tmp_path, size):
    path = write(tmp_path / "a.conll", CONLL.replace("\n", "\r\n") * 3)
    batches = list(read(path, batch_bytes=size))
    fields = [sequence for batch in batches for sequence in batch.fields]
    # The last line of one copy and the first of the next are one sequence: no empty line parts them.
    assert [len(sequence) for sequence in fields] == [2, 1, 3, 1, 3, 1, 1]
    assert batches[-1].first_line in range(1, 22)


def test_bad_sequences(tmp_path):
    path = write(tmp_path / "a.conll", "a B\nb I\n\nc\nd O\n\ne O\n")
    batches = read(path)
    assert next(batches).fields == [[("a",), ("b",)]]
    with pytest.raises(BadLine, match=r"a.conll:4:1: expected 2 fields as in the lines before, found 1"):
        next(batches)
    with read(path, skip_bad=True) as batches:
        assert [sequence for batch in batches for sequence in batch.fields] == [[("a",), ("b",)], [("e",)]]
        assert batches.skipped == 1
    with pytest.raises(BadLine, match="expected 2 fields or more, one of them the label, found 1"):
        list(read(write(tmp_path / "b.conll", "a\n")))
    with pytest.raises(BadLine, match=r"b.conll:1:2: expected text or the end of the line"):
        list(read(write(tmp_path / "b.conll", "a\0 b\n")))


# ------------------------------------------------------------------------------------------------------------- fuzz


def twin(text):
    """A slow reader: (the sequences before the first bad line, its number or None)."""
    sequences, sequence, fields = [], [], None
    for count, line in enumerate([*text.removeprefix(b"\xef\xbb\xbf").split(b"\n"), b""], 1):
        words = line.split()
        if not words:
            if sequence:
                sequences.append(sequence)
            sequence = []
            continue
        fields = fields or (len(words) if len(words) > 1 else None)
        if b"\0" in line or len(words) != fields:
            return sequences, count
        sequence.append(tuple(word.decode("utf-8", "replace") for word in words))
    return sequences, None


pieces = st.sampled_from(
    [b"a", b"b", b" ", b" ", b"\t", b"\n", b"\n", b"\n\n", b"\r\n", b"\xff", b"#", b"\0", b"a B\n"]
)
noise = st.lists(pieces, max_size=40).map(b"".join) | st.binary(max_size=40)


@given(noise, st.integers(1, 40))
def test_noise_is_read_as_the_slow_reader_reads_it_or_refused_where_it_refuses(text, size):
    expected, wrong = twin(text)
    found, line = [], None
    try:
        for batch in ConllReader(Lines(io.BytesIO(text), "x", size), Skips("x", False), 18, -1).batches():
            found += [
                [(*rest, label) for rest, label in zip(sequence, labels, strict=True)]
                for sequence, labels in zip(batch.fields, batch.y, strict=True)
            ]
    except BadLine as error:
        line = error.line
    assert (found, line) == (expected, wrong)
