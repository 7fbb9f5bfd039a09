# SPDX-License-Identifier: BSD-3-Clause
"""CSV: numbers dense, words one-hot, quotes that span lines, and the same rows as Python's own csv module."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinge.io import BadLine
from hinge.io.csv import CsvReader
from hinge.io.hashing import column_of
from hinge.io.rows import Skips
from hinge.io.source import Lines


def reader(text, size=1 << 16, skip_bad=False, target=None, header=True, delimiter=",", categorical=(), bits=18):
    text = text.encode() if isinstance(text, str) else text
    lines = Lines(io.BytesIO(text), "x.csv", size)
    return CsvReader(lines, Skips("x.csv", skip_bad), bits, target, header, delimiter, categorical)


def one(text, **options):
    (batch,) = reader(text, **options).batches()
    return batch


def test_numbers_are_dense():
    batch = one("a,b,y\n1,2.5,0\n 3 ,-4e1,1\n", target="y")
    np.testing.assert_array_equal(batch.X, np.array([[1, 2.5], [3, -40]], np.float32))
    assert batch.X.dtype == np.float32
    assert batch.names == ["a", "b"]
    assert batch.y.tolist() == [0, 1]
    assert batch.first_line == 2
    # The sparse arrays are the same rows.
    assert batch.data.tolist() == [1, 2.5, 3, -40]
    assert batch.indices.tolist() == [0, 1, 0, 1]
    assert batch.indptr.tolist() == [0, 2, 4]


def test_words_are_one_hot():
    batch = one('age,city,spam\n31,paris,no\n0,"new\n""york""",yes\n', target="spam")
    age, paris, york = (column_of(name, 18) for name in ("age", "city=paris", 'city=new\n"york"'))
    assert batch.X.shape == (2, 2**18)
    assert batch.X[0, age] == 31
    assert batch.X[0, paris] == batch.X[1, york] == 1
    assert batch.X.nnz == 3
    assert batch.names == {age: "age", paris: "city=paris", york: 'city=new\n"york"'}
    assert batch.y.tolist() == ["no", "yes"]


def test_the_target_by_place_and_without_a_header():
    batch = one("1,2,x\n3,4,z\n", target=-1, header=False)
    assert batch.y.tolist() == ["x", "z"]
    assert batch.X.tolist() == [[1, 2], [3, 4]]
    assert batch.names == ["0", "1"]
    assert one("a,b\n1,2\n").y is None


def test_columns_of_words_that_look_like_numbers():
    batch = one("zip,n\n01234,1\n", categorical=["zip"])
    assert batch.X[0, column_of("zip=01234", 18)] == 1
    assert one("zip,n\n01234,1\n", categorical=["zip"], target="zip").y.tolist() == ["01234"]


def test_delimiters_returns_blank_lines_and_a_missing_newline():
    batch = one("\r\na;b\r\n\r\n1;2\r\n\n3;4", delimiter=";")
    assert batch.X.tolist() == [[1, 2], [3, 4]]
    assert batch.first_line == 4
    assert list(reader("").batches()) == list(reader("a,b\n").batches()) == list(reader("\n\n").batches()) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n3\n", "x.csv:3:2: expected 2 fields as there are columns, found 1"),
        ("a,b\n1,2\n3,4,5\n", "x.csv:3:4: expected 2 fields as there are columns, found 3"),
        ("a,b\n1,2\n3,\n", "x.csv:3:3: expected a number in the column 'b' (if it holds words: categorical=['b']), "
                           "found nothing"),
        ('a,b\n1,2\n3,"4\n', "x.csv:3:3: expected a closing quote, found the end of the file"),
        ('a,b\n1,2\n"3"4,5\n', 'x.csv:3:4: expected the end of the field after its closing quote, found "4,5"'),
        ("a,b\n1,2\n3,\0\n", 'x.csv:3:3: expected text or the end of the line, found "\\x00"'),
        ("a,b\n1,2\n3\r,4\n", 'x.csv:3:2: expected text or the end of the line, found "\\r"'),
        ("a,b\n1,2\n3,1e39\n", 'x.csv:3:3: expected a number that float32 can hold (below 3.4e38), found "1e39"'),
    ],
)  # fmt: skip
def test_bad_lines(text, message):
    batches = reader(text).batches()
    # A file so short is judged whole, so that the bad row would make a column one of words: it must be numbers first.
    form = reader("a,b\n1,2\n")
    list(form.batches())
    decided = reader(text)
    decided.form = form.form
    decided.names, decided.features = ["a", "b"], ["a", "b"]
    start = decided.begin
    decided.begin = lambda part: start(part) or 4
    batches = decided.batches()
    assert next(batches).X.tolist() == [[1, 2]]
    with pytest.raises(BadLine) as caught:
        next(batches)
    assert str(caught.value) == message


def test_a_word_in_a_column_of_numbers_after_the_deciding_rows():
    text = "a,b\n" + "1,2\n" * 1500 + "1,x\n2,3\n"
    found = []
    with pytest.raises(BadLine, match=r"x.csv:1502:3: expected a number in the column 'b'.*found \"x\""):
        found.extend(reader(text).batches())
    (batch,) = reader(text, skip_bad=True).batches()
    assert (len(batch), batch.skipped) == (1501, 1)


def test_skipping_passes_over_whole_records():
    text = "a,b\n" + "1,2\n" * 1000 + '3,"4\n5",6\n7,8\n'
    (batch,) = reader(text, skip_bad=True).batches()
    assert batch.X[-1].tolist() == [7, 8]
    assert batch.skipped == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "z"}, r"there is no column 'z' for target=; its columns are 'a', 'b'"),
        ({"target": 2}, r"there is no column 2 for target="),
        ({"categorical": ["z"]}, r"there is no column 'z' for categorical="),
    ],
)
def test_columns_that_are_not_there(options, message):
    with pytest.raises(ValueError, match=message):
        one("a,b\n1,2\n", **options)


def test_a_header_longer_than_a_part():
    batches = list(reader("name,other\nx,1\ny,2\n", size=4, target="other").batches())
    assert [label for batch in batches for label in batch.y] == [1, 2]
    assert batches[-1].names[column_of("name=y", 18)] == "name=y"


def test_two_columns_of_one_name():
    with pytest.raises(ValueError, match="two columns are called 'a'"):
        one("a,a\n1,2\n")


words = st.text(st.sampled_from('ab",\n\r é;1.') , max_size=6).filter(lambda word: "\r" not in word.replace("\r\n", ""))
table = st.integers(2, 4).flatmap(
    lambda k: st.lists(st.lists(words | st.integers(-5, 5).map(str), min_size=k, max_size=k), min_size=1, max_size=12)
)


@given(table, st.integers(16, 200), st.sampled_from(["\n", "\r\n"]), st.integers(0, 3))
def test_what_is_written_is_read(rows, size, end, target):
    names = [f"n{place}" for place in range(len(rows[0]))]
    target %= len(names)
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator=end, quoting=csv.QUOTE_ALL)
    writer.writerows([names, *rows])
    batches = list(reader(buffer.getvalue(), size=size, target=target, categorical=names).batches())
    assert [label for batch in batches for label in batch.y] == [row[target] for row in rows]
    found = [set(row.indices) for batch in batches for row in batch.X]
    assert found == [
        {column_of(f"{name}={word}", 18) for j, (name, word) in enumerate(zip(names, row, strict=True)) if j != target}
        for row in rows
    ]
    if batches and len(names) > 1:
        seen = {f"{name}={row[j]}" for row in rows for j, name in enumerate(names) if j != target}
        assert set(batches[-1].names.values()) <= seen
        assert len(batches[-1].names) == len({column_of(name, 18) for name in seen})


floats = st.floats(width=32, allow_nan=False, allow_infinity=False)


@given(st.lists(floats, min_size=1, max_size=30), st.integers(1, 50))
def test_numbers_are_those_of_float(numbers, size):
    text = "x,y\n" + "".join(f'{x!r},"{x!r}"\n' for x in numbers)
    batches = list(reader(text, size=size, target="y").batches())
    np.testing.assert_array_equal(np.concatenate([batch.X[:, 0] for batch in batches]), np.array(numbers, np.float32))
    np.testing.assert_array_equal(np.concatenate([batch.y for batch in batches]), numbers)


@given(st.lists(st.sampled_from([b"1", b",", b"\n", b'"', b'""', b"\r\n", b"\r", b"x", b"\0", b"\xff", b" ", b"2.5"]),
                max_size=40).map(b"".join), st.integers(1, 60))  # fmt: skip
def test_noise_is_read_as_python_reads_it_or_refused(text, size):
    text = b"a,b\n" + text
    found = []
    try:
        for batch in reader(text, size=size, categorical=["a", "b"], target="b").batches():
            found.extend(batch.y)
    except BadLine as error:
        assert error.line >= 2  # noqa: PT017
        wrong = True
    else:
        wrong = False
    text = text.replace(b"\0", b"").decode("utf-8", "replace")
    records = [row for row in csv.reader(io.StringIO(text, newline="")) if row][1:]
    assert found == [row[1] for row in records[: len(found)]]
    assert wrong or len(found) == len(records)
