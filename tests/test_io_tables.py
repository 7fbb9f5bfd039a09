# SPDX-License-Identifier: BSD-3-Clause
"""JSON lines, Parquet, Arrow and data frames: one rule for numbers and words, wherever they come from."""

import io
import json
import pickle

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinge.io import BadFile, BadLine, as_rows, read
from hinge.io.hashing import column_of
from hinge.io.jsonlines import JsonReader
from hinge.io.rows import Skips
from hinge.io.source import Lines

AGE, PARIS, ROME = (column_of(name, 18) for name in ("age", "city=paris", "city=rome"))


def json_batches(text, size=1 << 18, skip_bad=False, target="y"):
    text = text.encode() if isinstance(text, str) else text
    return list(JsonReader(Lines(io.BytesIO(text), "x.jsonl", size), Skips("x.jsonl", skip_bad), 18, target).batches())


# ------------------------------------------------------------------------------------------------------ JSON lines


def test_json_numbers_words_and_labels():
    (batch,) = json_batches(
        '{"age": 31, "city": "paris", "y": "a", "none": null}\r\n\n{"y": "b", "yes": true, "no": false}'
    )
    assert batch.X[0, AGE] == 31
    assert batch.X[0, PARIS] == 1
    assert batch.X[1, column_of("yes", 18)] == 1
    assert batch.y.tolist() == ["a", "b"]
    assert batch.names[PARIS] == "city=paris"
    assert json_batches('{"a": 1}', target=None)[0].y is None
    assert json_batches('{"y": 1}\n{"y": 2.5}\n')[0].y.dtype == np.float64
    assert json_batches('{"y": [1, 2]}\n{"y": []}\n')[0].y == [(1, 2), ()]


def test_json_names_that_share_a_column_are_summed():
    (batch,) = json_batches('{"12": 1, "262156": 2, "y": 1}')
    assert (batch.indices.tolist(), batch.data.tolist()) == ([12], [3])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"a": 1, "y"', "13: expected JSON (Expecting ':' delimiter), found the end of the line"),
        ('{"a": x, "y": 1}', '7: expected JSON (Expecting value), found "x, '),
        ("[1]", "1: expected an object of names and values, found "),
        ('{"a": {"b": 1}, "y": 1}', "1: expected a number or a word as the value of 'a' (flat objects only), found "),
        ('{"a": [1], "y": 1}', "1: expected a number or a word as the value of 'a' (flat objects only), found \"[1]\""),
        ('{"a": NaN, "y": 1}', '1: expected finite numbers, found "NaN"'),
        ('{"a": 1e999, "y": 1}', "1: expected a number that float32 can hold as the value of 'a', found \"inf\""),
        ('{"a": 1e39, "y": 1}', "1: expected a number that float32 can hold as the value of 'a', found \"1e+39\""),
        ('{"a": 1' + "0" * 400 + ', "y": 1}', "1: expected a number that float32 can hold as the value of 'a'"),
        ('{"a": ' + "1" * 5000 + ', "y": 1}', "1: expected finite numbers, found "),
        ('{"a": 1, "a": 2, "y": 1}', "1: expected the name 'a' once, found "),
        ('{"a": 1}', "1: expected a label under 'y', found "),
        ('{"y": null}', "1: expected a number, a word, or a list of them as the label, found \"null\""),
        ('{"y": "b"}', "1: expected a number as the label, as in the first row, found "),
        ('{"y": 1} x', '10: expected JSON (Extra data), found "x"'),
        ('{"a": "\0", "y": 1}', "8: expected JSON (Invalid control character at), found "),
        ("[" * 100_000, "1: expected an object of names and values, found "),
    ],
)
def test_bad_json(line, message):
    with pytest.raises(BadLine) as caught:
        json_batches('{"y": 1}\n\n' + line + "\n")
    assert str(caught.value).startswith(f"x.jsonl:3:{message}")
    (batch,) = json_batches('{"y": 1}\n\n' + line + '\n{"y": 2, "a": 3}\n', skip_bad=True)
    assert (batch.y.tolist(), batch.data.tolist(), batch.skipped) == ([1, 2], [3], 1)


def test_json_that_is_not_utf8():
    with pytest.raises(BadLine, match=r'x.jsonl:1:8: expected UTF-8, found "\\xff"'):
        json_batches(b'{"a": "\xff"}\n')


@given(st.lists(st.dictionaries(st.text(max_size=4).filter(lambda name: name != "y"), st.floats(width=32, min_value=-9,
       max_value=9) | st.text(max_size=4), max_size=4), max_size=8), st.integers(1, 60))  # fmt: skip
def test_json_that_is_written_is_read(rows, size):
    text = "".join(json.dumps({**row, "y": place}) + "\n" for place, row in enumerate(rows))
    found = [(y, row) for batch in json_batches(text, size=size) for y, row in zip(batch.y, batch.X, strict=True)]
    assert [y for y, _ in found] == list(range(len(rows)))
    for (_, row), written in zip(found, rows, strict=True):
        expected = {}
        for name, value in written.items():
            column = column_of(f"{name}={value}" if isinstance(value, str) else name, 18)
            expected[column] = expected.get(column, 0) + (1 if isinstance(value, str) else value)
        assert dict(zip(row.indices.tolist(), row.data.tolist(), strict=True)) == pytest.approx(expected)


@given(st.lists(st.sampled_from([*'{}[]",:1ay \n', '"a": 1', '"y": 1', "null"]), max_size=40).map("".join))
def test_json_noise_is_refused_or_read(text):
    try:
        found = sum(map(len, json_batches(text)))
    except BadLine:
        return
    assert found == sum("y" in json.loads(line) for line in text.split("\n") if line.strip())


# ---------------------------------------------------------------------------------------------------------- frames

DATA = {"age": [31, 0], "city": ["paris", "rome"], "spam": [True, False]}


@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame, pyarrow.table])
def test_frames_of_any_library(make):
    X, y, names = as_rows(make(DATA), "spam")
    assert y.tolist() == [1, 0]
    assert sorted(X[0].indices) == sorted([AGE, PARIS])
    assert X[1].indices.tolist() == [ROME]
    assert names == {AGE: "age", PARIS: "city=paris", ROME: "city=rome"}
    X, y, names = as_rows(make({"a": [1, 2], "b": [0.5, 1.5]}))
    assert X.tolist() == [[1, 0.5], [2, 1.5]]
    assert (X.dtype, y, names) == (np.float64, None, ["a", "b"])


def test_a_frame_that_only_exports_arrow():
    class Capsule:
        def __arrow_c_stream__(self, requested_schema=None):
            return pyarrow.table(DATA).__arrow_c_stream__(requested_schema)

    assert as_rows(Capsule(), "city").y.tolist() == ["paris", "rome"]


@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame, pyarrow.table])
def test_whole_numbers_beyond_doubles_are_the_nearest(make):
    assert as_rows(make({"a": [2**62 + 1, 3]})).X.tolist() == [[2.0**62], [3]]
    assert as_rows(make({"a": [True, False], "b": [1, 2]})).X.tolist() == [[1, 1], [0, 2]]


def test_numbers_of_nullable_and_decimal_columns():
    import decimal

    frame = pandas.DataFrame({"a": pandas.array([1, 2], "Int64"), "b": pandas.array([0.5, 1.5], "float64[pyarrow]")})
    assert as_rows(frame).X.tolist() == [[1, 0.5], [2, 1.5]]
    table = pyarrow.table({"a": [decimal.Decimal("0.25"), decimal.Decimal("3.5")]})
    assert as_rows(table).X.tolist() == [[0.25], [3.5]]


def test_categories_are_words():
    for frame in (pandas.DataFrame({"city": pandas.Categorical(["paris", "rome"])}),
                  polars.DataFrame({"city": ["paris", "rome"]}, schema={"city": polars.Categorical}),
                  pyarrow.table({"city": pyarrow.array(["paris", "rome"]).dictionary_encode()})):  # fmt: skip
        assert as_rows(frame).X.indices.tolist() == [PARIS, ROME]
    objects = pandas.DataFrame({"city": pandas.Series(["paris", "rome"], dtype=object)})
    assert as_rows(objects).X.indices.tolist() == [PARIS, ROME]


def test_small_numbers_stay_float32():
    frame = polars.DataFrame({"a": [1, 2], "b": [0.5, 1.5]}, schema={"a": polars.Int16, "b": polars.Float32})
    assert as_rows(frame).X.dtype == np.float32


MISSING = r"row 1 \(from 0\), column 'a': expected a finite number, found nothing"


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (polars.DataFrame({"a": [1, None]}), MISSING),
        (polars.DataFrame({"a": [1.0, float("inf")]}), r"row 1 .*column 'a': expected a finite number, found inf"),
        (pandas.DataFrame({"a": [1, np.nan]}), MISSING),
        (pandas.DataFrame({"a": ["x", None]}), r"row 1 \(from 0\), column 'a': expected a word, found nothing"),
        (pandas.DataFrame({"a": pandas.to_datetime(["2020-01-01"])}), "holds Datetime.*expected numbers"),
        (polars.DataFrame({"a": [[1], [2]]}), "the column 'a' holds List.*expected numbers"),
        (pandas.DataFrame({"a": [{}, 1]}), "the column 'a' holds Object.*expected numbers"),
        (pandas.DataFrame({3: [1]}), "columns need names that are strings, not 3"),
    ],
)
def test_frames_that_are_not_features(frame, message):
    with pytest.raises(ValueError, match=message):
        as_rows(frame)


def test_what_is_no_frame():
    with pytest.raises(TypeError, match="expected a data frame"):
        as_rows([1, 2])
    with pytest.raises(TypeError, match="collect"):
        as_rows(polars.LazyFrame(DATA))
    with pytest.raises(ValueError, match="there is no column 'z' for target="):
        as_rows(polars.DataFrame(DATA), "z")


# ----------------------------------------------------------------------------------------------- Parquet and Arrow


def write(table, path):
    if path.suffix == ".parquet":
        pyarrow.parquet.write_table(table, path, row_group_size=3)
    elif path.suffix == ".feather":
        pyarrow.feather.write_feather(table, str(path), chunksize=3)
    else:
        with pyarrow.ipc.new_stream(str(path), table.schema) as file:
            file.write_table(table)


@pytest.fixture(params=["x.parquet", "x.feather", "x.arrow"])
def path(request, tmp_path):
    return tmp_path / request.param


def test_tables_of_numbers(path):
    write(pyarrow.table({"a": range(10), "b": [0.5] * 10, "y": ["p", "q"] * 5}), path)
    with read(path, target="y", batch_bytes=100) as batches:
        found = list(batches)
    assert 1 < max(map(len, found)) <= 100 // (8 * 3)
    np.testing.assert_array_equal(np.vstack([batch.X for batch in found]), [[a, 0.5] for a in range(10)])
    assert found[0].X.dtype == np.float32
    assert [label for batch in found for label in batch.y] == ["p", "q"] * 5
    assert [batch.first_line for batch in found][:2] == [1, 1 + len(found[0])]


def test_tables_with_words_agree_with_frames(path):
    write(pyarrow.table(DATA), path)
    with read(path, target="spam") as batches:
        (batch,) = batches
    X = as_rows(pyarrow.table(DATA), "spam").X
    assert batch.indices.tolist() == X.indices.tolist()
    assert batch.data.tolist() == X.data.tolist()
    assert batch.y.tolist() == [1, 0]
    assert batch.names[PARIS] == "city=paris"


def test_rows_with_missing_cells(path):
    write(pyarrow.table({"a": [1.0, 2.0, None, 4.0, 1e39], "b": [1.0, float("nan"), 3.0, 4.0, 5.0]}), path)
    with read(path) as batches:
        assert next(batches).X.tolist() == [[1, 1]]
        with pytest.raises(BadLine) as caught:
            next(batches)
    assert str(caught.value) == f"{path}:2:b: expected a finite number (of float32), found nan"
    with read(path, skip_bad=True) as batches:
        assert [row for batch in batches for row in batch.X.tolist()] == [[1, 1], [4, 4]]
        assert batches.skipped == 3


def test_tables_that_are_cut_short(path):
    write(pyarrow.table({"a": list(range(1000))}), path)
    path.write_bytes(path.read_bytes()[:-900])
    with pytest.raises(BadFile, match="is not a whole"), read(path) as batches:
        list(batches)


def test_a_damaged_table_is_refused_or_read_and_never_crashes(path, tmp_path, rng):
    write(pyarrow.table({"a": list(range(50)), "b": [0.5] * 50, "c": ["x", "yy"] * 25}), path)
    whole, refused = path.read_bytes(), 0
    for _ in range(150):
        bent = bytearray(whole)
        for place in rng.choice(len(whole), 3, replace=False):
            bent[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(bent)
        try:
            with read(path) as batches:
                assert all(np.isfinite(batch.data).all() for batch in batches)
        except ValueError as error:
            assert str(error).startswith(str(path))  # noqa: PT017
            refused += 1
    assert refused > 50


def test_a_target_that_is_not_there(path):
    write(pyarrow.table(DATA), path)
    with pytest.raises(ValueError, match=r"there is no column 'z' for target=; its columns are 'age', 'city', 'spam'"):
        list(read(path, target="z"))


def test_errors_travel_between_processes():
    error = pickle.loads(pickle.dumps(BadLine("x", 3, 4, "this", "that")))
    assert (str(error), error.line, error.found) == ("x:3:4: expected this, found that", 3, "that")
