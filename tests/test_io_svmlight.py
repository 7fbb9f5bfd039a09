# SPDX-License-Identifier: BSD-3-Clause
"""svmlight text: what is written is what is read, everything else is refused at its place; numbers are float()'s."""

import io
import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file

from hinge.io import BadLine
from hinge.io.numbers import SPARE, plain_pair
from hinge.io.rows import Skips
from hinge.io.source import Lines
from hinge.io.svmlight import SvmlightReader
from hinge.native import INTERPRETED


def reader(text, size, skips, zero_based=True, multilabel=None):
    return SvmlightReader(Lines(io.BytesIO(text), skips.path, size), skips, zero_based, multilabel)


def batches(text, size=1 << 12, skip_bad=False, zero_based=True, multilabel=None):
    if isinstance(text, str):
        text = text.encode()
    return list(reader(text, size, Skips("x.svm", skip_bad), zero_based, multilabel).batches())


def rows(text, **options):
    """All rows as (labels, group, [(column, value), ...])."""
    found = []
    for batch in batches(text, **options):
        for i in range(len(batch)):
            entries = slice(batch.indptr[i], batch.indptr[i + 1])
            pairs = list(zip(batch.indices[entries].tolist(), batch.data[entries].tolist(), strict=True))
            found.append((batch.y[i], -1 if batch.qid is None else int(batch.qid[i]), pairs))
    return found


def bad(text, **options):
    with pytest.raises(BadLine) as caught:
        batches(text, **options)
    return caught.value


# ------------------------------------------------------------------------------------------------------- numbers

DECIMAL = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
decimals = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(width=32, allow_nan=False, allow_infinity=False).map(repr),
    st.from_regex(r"[+-]?[0-9]{1,25}(\.[0-9]{0,25})?([eE][+-]?[0-9]{1,2})?", fullmatch=True).filter(str.isascii),
    st.from_regex(r"[+-]?\.[0-9]{1,40}([eE][+-]?[0-9]{1,3})?", fullmatch=True).filter(str.isascii),
    # Halfway between two float32, and a little beside: here every digit counts.
    st.builds(
        lambda bits, digit: f"{int(bits) + 2**24 + 0.5:.1f}{digit}",
        st.integers(0, 2**22), st.sampled_from(["", "0000000000000000000000000000001", "0" * 30])),
    st.builds(lambda m, e, d: f"{(2 * m + 1) * 2.0 ** e:.60f}{d}", st.integers(2**23, 2**24 - 1),
              st.integers(-40, -20), st.sampled_from(["", "1"])),
)  # fmt: skip


@given(st.lists(decimals, min_size=1, max_size=30))
@example(["0.500000029802322387695312500000000000000000001", "16777217", "16777217.0000000000001", "9007199254740993"])
@example(["1e-45", "7e-46", "7.006492321624085e-46", "1e-400", "0e99999999999", "-0.0", "1" * 30])
@example(["0." + "0" * 60 + "1e60", "1" + "0" * 30 + "e-30", "0" * 30 + "1.5", "99999999", "999999999"])
def test_numbers_are_those_of_float(texts):
    texts = [text for text in texts if abs(float(text)) < 3.4e38]
    line = "1 " + " ".join(f"{place}:{text}" for place, text in enumerate(texts))
    (batch,) = batches(line)
    np.testing.assert_array_equal(
        batch.data.view(np.uint32), np.array([float(text) for text in texts]).astype(np.float32).view(np.uint32)
    )


@given(st.lists(decimals, min_size=1, max_size=30))
@example(["1e307", "5e-324", "2.2250738585072011e-308", "1e-330", "9007199254740993", "0.1", "1.7976931348623157e307"])
def test_labels_are_those_of_float(texts):
    texts = [text for text in texts if abs(float(text)) < 1e308]
    found = [label for batch in batches("\n".join(texts)) for label in batch.y]
    assert [x.hex() for x in map(float, found)] == [float(text).hex() for text in texts]


PLAIN = re.compile(rb"([0-9]{1,8}):(-?)([0-9]{1,8})(?:\.([0-9]{1,8}))?(?=[ \t\n\r])")


@given(
    st.from_regex(rb"[0-9]{1,9}:-?[0-9]{0,9}(\.[0-9]{0,9})?[ \t\n\r#e]", fullmatch=True)
    | st.lists(st.sampled_from([b"1", b"0", b"99999999", b".", b":", b"-", b" ", b"\n"]), max_size=12).map(b"".join),
    st.binary(max_size=40),
)
@example(b"1:90071992.54740992 ", b"")
@example(b"1:90071992.54740993 ", b"")
@example(b"1:-0 ", b"1234567890" * 4)
@example(b"12345678:-12345678.12345678 ", b"9" * 40)
def test_plain_pairs_are_read_at_once_and_others_left(pair, behind):
    text = pair + behind + b"\n"
    found = PLAIN.match(text)
    if found and int(found[3] + (found[4] or b"")) > 2**53:
        found = None
    buffer = np.frombuffer(text + bytes(SPARE), np.uint8).copy()
    column, value, end = plain_pair(text if INTERPRETED else buffer, 0)
    assert end == (found.end() if found else 0)
    if found:
        expected = float(found[0].partition(b":")[2])
        assert (column, float(value).hex()) == (int(found[1]), expected.hex())


def test_more_hard_numbers_in_a_row_than_the_list_has_room_for():
    many = 9000
    text = "0.5000000298023223876953125000000000000001"  # float() and a half step of float32
    (batch,) = batches("1 " + " ".join(f"{place}:{text}" for place in range(many)), size=1 << 20)
    np.testing.assert_array_equal(batch.data, np.full(many, np.float32(float(text))))


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "1_0", "0x10", "1e", "1e+", ".", "+", "", "--1", "1.2.3", "١"])
def test_what_is_no_finite_number_is_refused(text):
    assert bad(f"1 12:{text}\n").column == 6
    assert bad(f"1 12:{text} 13:1\n").expected == 'a number after "12:"'


@pytest.mark.parametrize("text", ["3.5e38", "-1e39", "1e400", "9" * 400])
def test_what_float32_cannot_hold_is_refused(text):
    assert "float32" in str(bad(f"1 12:{text}\n"))


# ---------------------------------------------------------------------------------------------------------- lines


def test_a_message_says_where_and_what():
    text = "1 2:3\n" * 16 + "1 3:4 12:5 12:abc 4:5\n"
    error = bad(text)
    assert str(error) == 'x.svm:17:15: expected a number after "12:", found "abc"'
    assert (error.path, error.line, error.column, error.found) == ("x.svm", 17, 15, '"abc"')


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("abc 1:2", '1: expected a finite number as the label, found "abc"'),
        ("nan 1:2", '1: expected a finite number as the label, found "nan"'),
        ("1 -3:2", '3: expected a column number that is not negative, found "-3:2"'),
        ("1 a:2", '3: expected a column number, found "a:2"'),
        ("1 2147483647:2", '3: expected a column number below 2147483647, found "2147483647:2"'),
        ("1 99999999999999999999999:2", "3: expected a column number below 2147483647"),
        ("1 5", '4: expected a ":" and a number after "5", found the end of the line'),
        ("1 5 6:1", '4: expected a ":" and a number after "5", found " "'),
        ("1 5:", '5: expected a number after "5:", found the end of the line'),
        ("1 5: 3", '5: expected a number after "5:", found " "'),
        ("1 5:1x", '5: expected a number after "5:", found "1x"'),
        ("1 qid:x 5:1", '7: expected a whole number after "qid:", found "x"'),
        ("1 5:1 qid:3", '7: expected a column number, found "qid:3"'),
        ("1 5:1 # \0", '9: expected text or the end of the line, found "\\x00"'),
        ("1 5:1\0", '5: expected a number after "5:", found "1\\x00"'),
        ("1 5:1\r 6:1", '6: expected text or the end of the line, found "\\r"'),
        ("1,2 5:1", "1: expected one label as in the lines before (if rows have several: multilabel=True), found"),
        ("ü 1:2", '1: expected a finite number as the label, found "ü"'),
        ("1 1:2 ü:2", '7: expected a column number, found "ü:2"'),
    ],
)
def test_bad_lines(line, message):
    assert str(bad(f"1 1:1\n{line}\n", multilabel=False)).startswith(f"x.svm:2:{message}")


def test_rows_before_a_bad_line_come_first():
    found = []
    batches_so_far = reader(b"1 1:1\n2 2:2\nx\n3 3:3\n", 100, Skips("x.svm", False)).batches()
    found.extend(next(batches_so_far).y)
    with pytest.raises(BadLine, match=r"x\.svm:3"):
        next(batches_so_far)
    assert found == [1, 2]


def test_skipping_counts_and_goes_on():
    text = "x\n1 1:1\n2 2:2 3:zz\n\n3 3:3\n4 -1:1\n"
    skips = Skips("x.svm", True)
    found = list(reader(text.encode(), 100, skips).batches())
    assert [batch.y.tolist() for batch in found] == [[1, 3]]
    assert found[0].indices.tolist() == [1, 3]
    assert found[0].skipped == 3
    assert found[0].first_line == 2
    assert skips.first.line == 1


def test_empty_lines_comments_returns_and_a_missing_newline():
    text = "\n# all\r\n  \t\r\n+1 1:1\t 2:2  # c 3:3\r\n-1 # none\n1 4:5#6:7\n0.5"
    assert rows(text) == [(1, -1, [(1, 1), (2, 2)]), (-1, -1, []), (1, -1, [(4, 5)]), (0.5, -1, [])]
    assert batches(text)[0].first_line == 4
    assert rows(b"\xef\xbb\xbf1 1:1\n") == [(1, -1, [(1, 1)])]
    assert batches("") == batches("\n\n") == []


def test_groups():
    assert rows("1 qid:7 1:1\n2 3:4\n") == [(1, 7, [(1, 1)]), (2, -1, [(3, 4)])]
    assert batches("1 1:1\n")[0].qid is None


def test_columns_are_as_written_unless_asked():
    assert rows("1 1:1 3:3\n")[0][2] == [(1, 1), (3, 3)]
    assert rows("1 1:1 3:3\n", zero_based=False)[0][2] == [(0, 1), (2, 3)]
    assert rows("1 1:1 3:3\n", zero_based="auto")[0][2] == [(0, 1), (2, 3)]
    assert rows("1 0:1 3:3\n", zero_based="auto")[0][2] == [(0, 1), (3, 3)]
    assert bad("1 1:1\n2 0:3\n", zero_based=False).line == 2
    # A guess that proves wrong is no bad line to be skipped.
    assert "zero_based=True" in str(bad("1 1:1\n2 2:3\n3 0:1\n", zero_based="auto", size=12, skip_bad=True))


def test_width_grows_and_never_shrinks():
    assert [batch.width for batch in batches("1 5:1\n1 9:1\n1 2:1\n", size=6)] == [6, 10, 10]


def test_several_labels():
    text = "1,3 5:1\n 6:1\n2 7:1\nqid:4 8:1\n"
    assert rows(text) == [((1, 3), -1, [(5, 1)]), ((), -1, [(6, 1)]), ((2,), -1, [(7, 1)]), ((), 4, [(8, 1)])]
    assert rows("2 7:1\n", multilabel=True) == [((2,), -1, [(7, 1)])]
    assert "multilabel=True" in str(bad("1 5:1\n2 6:1\n1,2 5:1\n", size=6, skip_bad=True))
    assert bad("1, 5:1\n").column == 3


def test_the_largest_column():
    (batch,) = batches("1 2147483646:1\n")
    assert batch.X.shape == (1, 2147483647)
    assert batch.X[0, 2147483646] == 1


# ----------------------------------------------------------------------------------------------------- round trips

values = st.floats(width=32, allow_nan=False, allow_infinity=False)
written_rows = st.lists(
    st.tuples(st.lists(st.integers(-5, 5), max_size=3), st.none() | st.integers(0, 10**17),
              st.lists(st.tuples(st.integers(0, 10**6), values), max_size=6, unique_by=lambda pair: pair[0])),
    max_size=12,
)  # fmt: skip


@given(written_rows, st.integers(1, 64), st.sampled_from(["\n", "\r\n", " \n", " # c: 1\n\n"]))
def test_what_is_written_is_read(written, size, end):
    text = ""
    for labels, group, pairs in written:
        words = [",".join(map(str, labels))] + ([] if group is None else [f"qid:{group}"])
        text += " ".join(words + [f"{column}:{value!r}" for column, value in pairs] + ["7:1"]) + end
    expected = [(tuple(labels), -1 if group is None else group, [*pairs, (7, 1)]) for labels, group, pairs in written]
    assert rows(text, size=size, multilabel=True) == expected


@given(written_rows, st.integers(1, 64))
def test_the_same_as_scikit_learn(written, size):
    text = "".join(
        ",".join(map(str, labels or [0])) + " " + " ".join(f"{c}:{v!r}" for c, v in sorted(pairs)) + "\n"
        for labels, _, pairs in written
    ) + "1 5:2\n"  # fmt: skip
    X, y = load_svmlight_file(io.BytesIO(text.encode()), dtype=np.float32, multilabel=True, zero_based=True)
    found = batches(text, size=size, multilabel=True)
    assert [tuple(sorted(labels)) for batch in found for labels in batch.y] == y
    np.testing.assert_array_equal(np.concatenate([batch.data for batch in found]), X.data)
    np.testing.assert_array_equal(np.concatenate([batch.indices for batch in found]), X.indices)
    np.testing.assert_array_equal(np.concatenate([np.diff(batch.indptr) for batch in found]), np.diff(X.indptr))
    assert found[-1].width == X.shape[1]


# ------------------------------------------------------------------------------------------------------------- fuzz


def twin(text):
    """A slow reader by regular expressions: (good rows, number of the first bad line or None)."""
    found = []
    for count, line in enumerate(text.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        line = line.removesuffix(b"\r")
        if b"\0" in line:
            return found, count
        line = line.split(b"#")[0] if b"\r" not in line.partition(b"#")[2] else line
        if b"\r" in line:
            return found, count
        words = line.replace(b"\t", b" ").split(b" ")
        words = [word for word in words if word]
        if not words:
            continue
        labels, group, pairs = (), -1, []
        if b":" not in words[0]:
            labels = words.pop(0).split(b",")
            if not all(DECIMAL.fullmatch(label) and abs(float(label)) < 1e308 for label in labels):
                return found, count
            labels = tuple(map(float, labels))
        if words and words[0].startswith(b"qid:"):
            word = words.pop(0)[4:]
            if not re.fullmatch(rb"\d{1,18}", word):
                return found, count
            group = int(word)
        for word in words:
            column, _, value = word.partition(b":")
            if not re.fullmatch(rb"\d+", column) or int(column) > 2**31 - 2 or not DECIMAL.fullmatch(value):
                return found, count
            if abs(float(value)) >= 3.4028235677973e38:
                return found, count
            pairs.append((int(column), float(np.float32(float(value)))))
        found.append((labels, group, pairs))
    return found, None


pieces = st.sampled_from(
    [b"1", b"-1", b"+2.5", b"1,3", b"qid:3", b"5:1", b"12:0.25", b"2147483647:1", b" ", b" ", b" ", b"\t", b"\n", b"\n",
     b"\r\n", b"\r", b"#", b":", b",", b"-", b"e", b"1e5", b".", b"nan", b"inf", b"\0", b"\xff", b"\xef\xbb\xbf", b"q",
     b"7:1e39", b"123456789012345678901234567890", b"0"]
)  # fmt: skip
noise = st.lists(pieces, max_size=40).map(b"".join) | st.binary(max_size=80)


@given(noise, st.integers(1, 40))
def test_noise_is_read_as_the_slow_reader_reads_it_or_refused_where_it_refuses(text, size):
    expected, wrong = twin(text)
    found, line = [], None
    try:
        for batch in reader(text, size, Skips("x", False), multilabel=True).batches():
            for i in range(len(batch)):
                part = slice(batch.indptr[i], batch.indptr[i + 1])
                pairs = list(zip(batch.indices[part].tolist(), batch.data[part].tolist(), strict=True))
                found.append((batch.y[i], -1 if batch.qid is None else int(batch.qid[i]), pairs))
    except BadLine as error:
        line = error.line
    assert (found, line) == (expected, wrong)


@given(noise, st.integers(1, 40))
def test_skipping_passes_over_the_lines_that_the_slow_reader_refuses(text, size):
    text = text.replace(b"\xef\xbb\xbf", b"")
    parts = [twin(line) for line in text.split(b"\n")]
    skips = Skips("x", True)
    found, skipped = [], 0
    for batch in reader(text, size, skips, multilabel=True).batches():
        found.extend(batch.y)
        skipped += batch.skipped
    assert found == [row[0] for rows, _ in parts for row in rows]
    assert skipped + skips.taken() == sum(wrong is not None for _, wrong in parts)
