# SPDX-License-Identifier: BSD-3-Clause
"""Vowpal Wabbit's text: its columns, its customs, and what it would read as something else than is written."""

import io
import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.utils import murmurhash3_32

from hinge.io import BadLine
from hinge.io.hashing import column_of, murmur3, name_hash
from hinge.io.rows import Skips
from hinge.io.source import Lines
from hinge.io.vw import VowpalReader
from hinge.native import INTERPRETED


def batches(text, size=1 << 12, skip_bad=False, bits=18, multilabel=None):
    if isinstance(text, str):
        text = text.encode()
    lines = Lines(io.BytesIO(text), "x.vw", size)
    return list(VowpalReader(lines, Skips("x.vw", skip_bad), bits, multilabel).batches())


def one(text, **options):
    (batch,) = batches(text, **options)
    return batch


def features(text, **options):
    """The (column, value) pairs of one row."""
    batch = one(text, **options)
    return list(zip(batch.indices.tolist(), batch.data.tolist(), strict=True))


def the_hash(name, seed=0):
    """The rule, written with scikit-learn's murmur3."""
    name = name.strip(bytes(range(33)))
    if re.fullmatch(rb"\d*", name):
        return (int(name or b"0") + seed) % 2**32
    return murmurhash3_32(name, seed=seed, positive=True)


MASK = 2**18 - 1


@given(st.binary(max_size=40), st.integers(0, 2**32 - 1))
def test_murmur3_is_scikit_learns(text, seed):
    given_text = text if INTERPRETED else np.frombuffer(text, np.uint8)
    assert murmur3(given_text, 0, len(text), seed) == murmurhash3_32(text, seed=seed, positive=True)


@given(st.from_regex(rb"[0-9]{0,30}", fullmatch=True) | st.binary(max_size=12), st.integers(0, 2**32 - 1))
def test_names_of_digits_are_their_number(name, seed):
    assert name_hash(name if INTERPRETED else np.frombuffer(name, np.uint8), 0, len(name), seed) == the_hash(name, seed)


def test_columns_are_vowpal_wabbits():
    a, b = the_hash(b"a"), the_hash(b"long name".replace(b" ", b"_"))
    assert features("1 | x 7 2006:.5") == [(the_hash(b"x") & MASK, 1), (7, 1), (2006, 0.5)]
    assert features("1 |a x 7") == [(the_hash(b"x", a) & MASK, 1), ((7 + a) & MASK, 1)]
    assert features("1 |long_name x|a x") == [(the_hash(b"x", b) & MASK, 1), (the_hash(b"x", a) & MASK, 1)]
    assert features("1 |12 x 7") == [(the_hash(b"x", 12) & MASK, 1), (19, 1)]
    assert features("1 |a city:paris") == [(the_hash(b"paris", the_hash(b"city", a)) & MASK, 1)]
    assert features("1 |a :3 x :4 :word") == [
        (a & MASK, 3), (the_hash(b"x", a) & MASK, 1), ((a + 1) & MASK, 4), (the_hash(b"word", a) & MASK, 1)
    ]  # fmt: skip
    assert features("1 | x", bits=3) == [(the_hash(b"x") & 7, 1)]
    assert column_of("city=paris", 18) == features("1 | city=paris")[0][0]


def test_scales_multiply_as_float32_does():
    assert features("1 |a:2 3:1.5 4") == [((the_hash(b"a") + 3) & MASK, 3), ((the_hash(b"a") + 4) & MASK, 2)]
    (pair,) = features("1 |a:0.1 3:0.7")
    assert pair[1] == float(np.float32(0.1) * np.float32(0.7))
    hard = "0.50000002980232238769531250000000000001"
    assert features(f"1 |a:{hard} 3:0.7 4")[0][1] == float(np.float32(float(hard)) * np.float32(0.7))
    assert features(f"1 |a:{hard} 3:0.7 4")[1][1] == float(np.float32(float(hard)))
    assert features(f"1 |a:0.7 3:{hard}")[0][1] == float(np.float32(float(hard)) * np.float32(0.7))


def test_zeros_are_left_out():
    assert features("1 | 3:0 4:1 5:-0.0") == [(4, 1)]
    assert features("1 |a:0 3 4:1") == []


def test_labels_importance_and_tags():
    batch = one("1 2.5 'first| x\n-1| x\n-1 |x\n| x\n 'lonely | x\n0 3 last| x\n+2e0 | x")
    np.testing.assert_array_equal(batch.y, [1, np.nan, -1, np.nan, np.nan, 0, 2])
    assert batch.weight.tolist() == [2.5, 1, 1, 1, 1, 3, 1]
    assert batch.tags == ["first", "-1", "", "", "lonely", "last", ""]  # "-1|": touching the bar makes it a tag
    plain = one("1 | x")
    assert plain.weight is plain.tags is plain.costs is plain.qid is None
    assert plain.width == 2**18


def test_costs():
    batch = one("1:0.5 2:1.0 | a\n3:2 2:-1e0 'tag | b\n | c\n12345678901:1 4:3 | c")
    assert batch.costs == [{1: 0.5, 2: 1.0}, {3: 2.0, 2: -1.0}, {}, {12345678901: 1, 4: 3}]
    np.testing.assert_array_equal(batch.y, [1, 2, np.nan, 12345678901])
    assert batch.tags == ["", "tag", "", ""]


def test_several_labels():
    assert one("1,2 | a\n3 | b\n | c").y == [(1, 2), (3,), ()]
    with pytest.raises(BadLine, match=r"x.vw:2:1: expected one label"):
        batches("1 | a\n1,2 | b\n", size=6)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 2", '4: expected a "|" before the features, found the end of the line'),
        ("abc | x", '1: expected a finite number as the label, found "abc"'),
        ("nan | x", '1: expected a finite number as the label, found "nan"'),
        ("1 y | x", '3: expected a finite number as the importance, found "y"'),
        ("1 -2 | x", '3: expected an importance that is not negative, found "-2"'),
        ("1 2 0.5 | x", "5: expected no third number before the features (hinge has no initial predictions), found"),
        ("1 | x:1e4f2", '7: expected a number after "x:", found "1e4f2"'),
        ("1 | x:1ex", '7: expected a number after "x:", found "1ex"'),
        ("1 'a b | x", "3: expected a tag as the last word before the features, found \"'a\""),
        ("1:2 3 | x", '5: expected a label:cost like the one before, found "3"'),
        ("1:2:0.5 | x", '3: expected a finite number as the cost after "1:", found "2:0.5"'),
        ("a:2 | x", '1: expected a finite number as the label, found "a:2"'),
        ("-1:2 | x", '1: expected a whole number as the label before the cost, found "-1:2"'),
        ("1 |:2 x", "4: expected a namespace's name, or a space, after \"|\", found \":2\""),
        ("1 |a:b x", '6: expected a number after "|a:", found "b"'),
        ("1 | x: 3", '7: expected a number after "x:", found " "'),
        ("1 | x:3red", '7: expected a number after "x:", found "3red"'),
        ("1 | x:nan", '7: expected a number after "x:", found "nan"'),
        ("1 | x:-Infinity y", '7: expected a number after "x:", found "-Infinity"'),
        ("1 | x:1e39", '7: expected a number that float32 can hold (below 3.4e38), found "1e39"'),
        ("1 | x:1:2", '7: expected a number after "x:", found "1:2"'),
        ("1 | a b\0c", '8: expected text or the end of the line, found "\\x00c"'),
        ("1 | a\rb", '6: expected text or the end of the line, found "\\r"'),
        ("shared | x", '1: expected a finite number as the label, found "shared"'),
    ],
)
def test_bad_lines(line, message):
    with pytest.raises(BadLine) as caught:
        batches(f"1 | x\n\n{line}\n")
    assert str(caught.value).startswith(f"x.vw:3:{message}")


def test_skipping_counts_and_goes_on():
    batch = one("1 | 1:1\nx | 2\n2 | 3 4:1e39\n3 | 5\r\n", skip_bad=True)
    assert (batch.y.tolist(), batch.indices.tolist(), batch.skipped) == ([1, 3], [1, 5], 2)


# ------------------------------------------------------------------------------------------------------------- fuzz

NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
LARGEST = 3.4028235677973e38


def twin_row(line):
    """One line by regular expressions: (label, weight, tag, costs, pairs), None if it is empty, ValueError if bad."""
    if b"\0" in line or b"\r" in line:
        raise ValueError
    line = line.replace(b"\t", b" ")
    if not line.strip(b" "):
        return None
    head, bar, body = line.partition(b"|")
    if not bar:
        raise ValueError
    words = [word for word in head.split(b" ") if word]
    tag = b""
    if words and (not head.endswith(b" ") or words[-1].startswith(b"'")):
        tag = words.pop().removeprefix(b"'")
    if any(word.startswith(b"'") for word in words):
        raise ValueError
    labels, weight, costs = (), 1.0, {}
    if words and re.match(NUMBER.pattern + rb":", words[0]):
        for word in words:
            label, cost = word.split(b":") if word.count(b":") == 1 else (b"", b"")
            if not re.fullmatch(rb"\d+", label) or not NUMBER.fullmatch(cost) or abs(float(cost)) >= 1e308:
                raise ValueError
            costs[int(label)] = float(cost)
        labels = tuple(costs)
    elif words:
        labels = words[0].split(b",")
        if len(words) > 2 or not all(NUMBER.fullmatch(label) and abs(float(label)) < 1e308 for label in labels):
            raise ValueError
        labels = tuple(map(float, labels))
        if len(words) == 2:
            if not NUMBER.fullmatch(words[1]) or not 0 <= float(words[1]) < 1e308:
                raise ValueError
            weight = float(words[1])
    return labels, weight, tag.decode("utf-8", "replace"), costs, [*map_spaces(body.split(b"|"))]


def map_spaces(spaces):
    for space in spaces:
        name, _, rest = space.partition(b" ")
        name, colon, scale = name.partition(b":")
        if colon and (not name or not NUMBER.fullmatch(scale)):
            raise ValueError
        scale = float(scale or b"1")
        seed = the_hash(name) if name else 0
        unnamed = 0
        if abs(scale) >= LARGEST:
            raise ValueError
        for word in filter(None, rest.split(b" ")):
            name, colon, value = word.partition(b":")
            column, number = the_hash(name, seed), 1.0
            starts = re.match(rb"[+-]?\.?\d", value)
            if colon and starts:
                if not NUMBER.fullmatch(value):
                    raise ValueError
                number = float(value)
            elif colon:
                if not value or b":" in value or re.fullmatch(rb"[+-]?(nan|inf|inf.{5})", value.lower(), re.DOTALL):
                    raise ValueError
                column = the_hash(value, column if name else seed)
            if not name and (not colon or starts):
                column = (seed + unnamed) % 2**32
                unnamed += 1
            if abs(number) >= LARGEST or abs(number * scale) >= LARGEST:
                raise ValueError
            with np.errstate(all="ignore"):
                found = float(np.float32(float(np.float32(number)) * float(np.float32(scale))))
            if float(np.float32(number)) * float(np.float32(scale)) != 0:
                yield column & MASK, found


pieces = st.sampled_from(
    [b"1", b"-1", b"2.5", b"1,3", b"1:0.5", b"'tag", b"|", b"|", b"|a", b"|a:2", b" ", b" ", b" ", b" ", b"\t", b"\n",
     b"\r\n", b"\r", b":", b"x", b"x:3", b"12:0.25", b"city:paris", b":4", b"nan", b"x:inf", b"e", b"\0", b"\xff",
     b"\x01", b"x:1e39", b"1e20", b"0"]
)  # fmt: skip
noise = st.lists(pieces, max_size=40).map(b"".join) | st.binary(max_size=60).map(lambda text: b"1 |" + text)


@given(noise, st.integers(1, 40))
@example(b"1 |\n\r|", 1)
def test_noise_is_read_as_the_slow_reader_reads_it_or_refused_where_it_refuses(text, size):
    expected, wrong = [], None
    for count, line in enumerate(text.split(b"\n"), 1):
        try:
            row = twin_row(line.removesuffix(b"\r"))
        except ValueError:
            wrong = count
            break
        if row is not None:
            expected.append(row)
    found, line = [], None
    try:
        for batch in VowpalReader(Lines(io.BytesIO(text), "x", size), Skips("x", False), 18, True).batches():
            for i in range(len(batch)):
                part = slice(batch.indptr[i], batch.indptr[i + 1])
                pairs = list(zip(batch.indices[part].tolist(), batch.data[part].tolist(), strict=True))
                costs = batch.costs[i] if batch.costs else {}
                found.append((tuple(costs) or batch.y[i], 1.0 if batch.weight is None else float(batch.weight[i]),
                              batch.tags[i] if batch.tags else "", costs, pairs))  # fmt: skip
    except BadLine as error:
        line = error.line
    assert (found, line) == (expected, wrong)


@given(noise, st.integers(1, 40))
def test_skipping_passes_over_the_lines_that_the_slow_reader_refuses(text, size):
    expected, wrong = [], 0
    for line in text.split(b"\n"):
        try:
            row = twin_row(line.removesuffix(b"\r"))
        except ValueError:
            wrong += 1
        else:
            expected += [] if row is None else [row[4]]
    skips = Skips("x", True)
    found, skipped = [], 0
    for batch in VowpalReader(Lines(io.BytesIO(text), "x", size), skips, 18, True).batches():
        for begin, end in pairwise(batch.indptr.tolist()):
            found.append(list(zip(batch.indices[begin:end].tolist(), batch.data[begin:end].tolist(), strict=True)))
        skipped += batch.skipped
    assert (found, skipped + skips.taken()) == (expected, wrong)
