# SPDX-License-Identifier: BSD-3-Clause
"""Text against scikit-learn's HashingVectorizer, on any Unicode and on real texts; and as people use it."""

import copy
import gzip
import json
import os
import pathlib
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest
import scipy.sparse
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.utils import murmurhash3_32

from hinge.native import INTERPRETED
from hinge.text import Text
from hinge.text.characters import SPACE, WORD, kinds, know_all_of_unicode

DATA = pathlib.Path(os.environ.get("HINGE_DATA", pathlib.Path(__file__).parents[2] / "shared" / "data"))

#: Two blocks of four letters whose hash is -2**31, the one number without an absolute value.
LEAST = "akqlrggi"


def twin(text: Text) -> HashingVectorizer:
    """The vectorizer of scikit-learn with the same settings."""
    return HashingVectorizer(
        n_features=2**text.bits,
        alternate_sign=text.signed,
        norm=text.norm,
        ngram_range=tuple(text.ngrams),
        analyzer=text.analyzer,
        lowercase=text.lowercase,
        binary=text.binary,
        dtype=text.dtype,
    )


def assert_same(text: Text, texts: list[str]) -> None:
    ours, theirs = text.transform(texts), twin(text).transform(texts)
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours.indptr, theirs.indptr)
    np.testing.assert_array_equal(ours.indices, theirs.indices)
    if text.norm is None:
        np.testing.assert_array_equal(ours.data, theirs.data)
    else:
        np.testing.assert_allclose(ours.data, theirs.data, rtol=1e-6 if text.dtype == np.float32 else 1e-14)
    for row, one in enumerate(texts):
        columns, values = text.transform_one(one)
        assert columns.dtype == np.int32
        assert values.dtype == text.dtype
        np.testing.assert_array_equal(columns, ours.indices[ours.indptr[row] : ours.indptr[row + 1]])
        np.testing.assert_array_equal(values, ours.data[ours.indptr[row] : ours.indptr[row + 1]])


def lines(name: str) -> list[str]:
    path = DATA / name
    if not path.exists():
        pytest.skip(f"no {path}: HINGE_DATA names the folder of data sets")
    with gzip.open(path, "rt", encoding="utf-8", errors="replace", newline="\n") as file:
        return [line.rstrip("\n") for line in file]


# ------------------------------------------------------------------------------------- the same as scikit-learn

settings = st.fixed_dictionaries(
    {
        "ngrams": st.tuples(st.integers(1, 4), st.integers(0, 3)).map(lambda n: (n[0], n[0] + n[1])),
        "bits": st.sampled_from([1, 4, 11, 18, 30]),
        "analyzer": st.sampled_from(["word", "char", "char_wb"]),
        "lowercase": st.booleans(),
        "signed": st.booleans(),
        "norm": st.sampled_from(["l2", "l1", None]),
        "binary": st.booleans(),
        "dtype": st.sampled_from([np.float32, np.float64]),
    }
)
# Any code point, and among them those that have to do with words, spaces, case and the seams between rows.
characters = st.one_of(
    st.characters(exclude_categories=["Cs"]),
    st.sampled_from("abZ_9 .\0\n\t\r\v\f\x1c\x1f\x85\xa0 　​ßÄéſKİΣσςǅ٣Ⅷ漢한🙂\u0301\u0345'"),
)


@given(settings, st.lists(st.text(characters, max_size=40), min_size=1, max_size=5))
@example({"analyzer": "word"}, ["ΑΣ ΑΣ. ΟΔΥΣΣΕΥΣ Σ", "İstanbul İİ İ", "a ab é éé 漢 漢字 漢字a"])
@example({"analyzer": "char", "ngrams": (1, 3)}, ["a  b \t c\n\nd", "  ", "\n", "", "a", "  a　　b  "])
@example({"analyzer": "char_wb", "ngrams": (3, 5)}, ["a ab abc  abcd", " ", "", "é 漢 \0 \x85 x"])
@example({"analyzer": "char_wb", "ngrams": (7, 9)}, ["a ab abcdef abcdefghijk"])
@example({"ngrams": (2, 3)}, ["one", "one two", "one two three four"])
@example({"bits": 2, "norm": None}, ["the cat sat on the mat and the dog sat on the cat"])
@example({"bits": 2, "binary": True}, ["the cat sat on the mat and the dog sat on the cat"])
def test_columns_and_values_are_those_of_scikit_learn(settings, texts):
    assert_same(Text(**settings), texts)


@given(settings, st.lists(st.text(st.characters(max_codepoint=127), max_size=60), min_size=1, max_size=5))
def test_ascii_has_a_faster_way_to_the_same(settings, texts):
    assert_same(Text(**settings), texts)


@given(st.text(st.characters(), max_size=30))
def test_words_of_text_with_lone_surrogates(text):
    assert_same(Text(), [text, "free \ud800entry"])


@pytest.mark.parametrize("analyzer", ["word", "char", "char_wb"])
@pytest.mark.parametrize("length", [1, 47, 48, 49, 255, 256, 257, 700])
def test_rows_of_every_length(analyzer, length, rng):
    """Each way to sort a row, and the border between them."""
    words = ["".join(rng.choice(list("abcdeß"), size=rng.integers(2, 9))) for _ in range(length)]
    if INTERPRETED:
        words = words[:300]
    for bits in (3, 18, 27):
        assert_same(Text(analyzer=analyzer, bits=bits, norm=None), [" ".join(words), "ab"])


def test_the_hash_without_an_absolute_value():
    assert murmurhash3_32(LEAST) == -(2**31)
    for bits in (1, 18, 30):
        assert_same(Text(bits=bits, norm=None), [LEAST])
        assert Text(bits=bits).column(LEAST) == (0, -1)


@pytest.mark.parametrize("analyzer", ["word", "char_wb"])
def test_many_rows_go_through_several_blocks(analyzer, rng):
    n = 300 if INTERPRETED else 9000
    words = np.array(["free", "entry", "IN", "ÜBER", "漢字", "", "a", "wkly\0comp", "0800"])
    texts = [" ".join(rng.choice(words, size=rng.integers(0, 9))) for _ in range(n)]
    texts[n // 2] = "one long text " * (50 if INTERPRETED else 20_000)
    X = Text(analyzer=analyzer, dtype=np.float64).transform(texts)
    Y = twin(Text(analyzer=analyzer, dtype=np.float64)).transform(texts)
    assert (X != Y).nnz == 0
    assert X.has_canonical_format
    X.check_format()


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({}, "sms_spam/SMSSpamCollection.gz"),
        ({"ngrams": (1, 2), "dtype": np.float64}, "sms_spam/SMSSpamCollection.gz"),
        ({"ngrams": (3, 5), "analyzer": "char_wb"}, "sms_spam/SMSSpamCollection.gz"),
        ({"ngrams": (2, 4), "analyzer": "char", "bits": 12}, "trec_qc/train.txt.gz"),
    ],
)
def test_real_texts(settings, name):
    texts = lines(name)
    text = Text(**settings)
    ours, theirs = text.transform(texts), twin(text).transform(texts)
    np.testing.assert_array_equal(ours.indptr, theirs.indptr)
    np.testing.assert_array_equal(ours.indices, theirs.indices)
    np.testing.assert_allclose(ours.data, theirs.data, rtol=1e-6)


def test_every_code_point_is_known_as_re_knows_it():
    know_all_of_unicode()
    step = 997 if INTERPRETED else 1
    for code in range(0, 0x110000, step):
        character = chr(code)
        expected = WORD if character.isalnum() or character == "_" else SPACE if character.isspace() else 0
        assert kinds()[code] == expected, hex(code)


# ------------------------------------------------------------------------------------- what may be given


def test_any_sequence_of_texts_will_do():
    import pandas
    import polars
    import pyarrow

    texts = ["free entry", "", "see you"]
    expected = Text().transform(texts)
    arrays = np.array(texts), np.array(texts, dtype=object), pyarrow.array(texts), pyarrow.chunked_array([texts])
    for given_as in (tuple(texts), *arrays, pandas.Series(texts), polars.Series(texts), iter(texts)):
        assert (Text().transform(given_as) != expected).nnz == 0
    assert Text().transform([]).shape == (0, 2**18)
    assert Text().transform(np.array([], dtype=str)).shape == (0, 2**18)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("free entry", "wrap it in a list"),
        (b"free", "got bytes"),
        ({"text": "free"}, "got dict"),
        (7, "got int"),
        (np.array([["free"]]), r"of shape \(1, 1\)"),
        (["free", None], "row 1 is None .*replace missing texts by ''"),
        (["free", "a", float("nan")], "row 2 is nan .*replace missing"),
        (["free", b"entry"], "row 1 is b'entry' .*decode it first"),
        (["ä", b"entry"], "row 1 is b'entry' .*decode it first"),
        ([["free"]], r"row 0 is \['free'\] \(list\)"),
        ([7], "row 0 is 7"),
    ],
)
def test_what_is_not_a_list_of_texts_is_refused(wrong, said):
    with pytest.raises(ValueError, match=said):
        Text().transform(wrong)


def test_the_row_is_named_beyond_the_first_block():
    texts = ["free"] * 5000 + [None]
    with pytest.raises(ValueError, match="row 5000 is None"):
        Text().transform(texts)
    with pytest.raises(ValueError, match="row 5000 is b'x'"):
        Text().transform([*texts[:-1], b"x"])


def test_a_table_is_refused_and_so_is_a_missing_text():
    import pandas

    with pytest.raises(ValueError, match="give the one column"):
        Text().transform(pandas.DataFrame({"text": ["free"]}))
    with pytest.raises(ValueError, match=r"row 1 is .* replace missing texts by ''"):
        Text().transform(pandas.Series(["free", None], dtype="string"))


@pytest.mark.parametrize("analyzer", ["char", "char_wb"])
def test_half_a_character_has_no_bytes(analyzer):
    with pytest.raises(ValueError, match=r"row 1 has half a character, the lone surrogate '\\ud800' at position 2"):
        Text(analyzer=analyzer).transform(["free", "ab\ud800"])
    with pytest.raises(ValueError, match="the text has half a character"):
        Text(analyzer=analyzer).transform_one("ab\ud800")


@pytest.mark.parametrize("wrong", [None, b"free", ["free"], 7])
def test_one_text_must_be_a_str(wrong):
    with pytest.raises(ValueError, match="the text is "):
        Text().transform_one(wrong)


def test_fit_refuses_a_str_and_nothing_else():
    text = Text()
    assert text.fit(["free"]) is text
    assert text.fit() is text
    with pytest.raises(ValueError, match="wrap it in a list"):
        text.fit("free")


@pytest.mark.parametrize(
    ("parameter", "wrong"),
    [
        *(("ngrams", value) for value in [1, (1,), (0, 1), (2, 1), (1.0, 2), "12", None, (True, 2)]),
        *(("bits", value) for value in [0, 31, 18.0, "18", None, True]),
        *(("analyzer", value) for value in ["words", None, 1, str.split]),
        *(("norm", value) for value in ["max", 2, False]),
        *(("dtype", value) for value in [int, np.float16, "no", None]),
        *(("lowercase", value) for value in [1, None, "yes"]),
        *(("signed", value) for value in [1, None]),
        *(("binary", value) for value in [0, None]),
        *(("names", value) for value in [0, -1, 1.5, "all", None]),
    ],
)
def test_wrong_parameters_are_named_and_change_nothing(parameter, wrong):
    with pytest.raises(ValueError, match=f"^{parameter}=.*expected"):
        Text(**{parameter: wrong})
    text = Text(bits=10)
    before = text.get_params()
    with pytest.raises(ValueError, match=f"^{parameter}="):
        text.set_params(**{"lowercase": False, "bits": 11, parameter: wrong})
    assert text.get_params() == before


def test_a_parameter_that_does_not_exist():
    with pytest.raises(ValueError, match="no parameter 'n_features'; it has ngrams, bits"):
        Text().set_params(n_features=5)


def test_a_changed_parameter_is_used():
    text = Text(norm=None, names=True)
    text.transform(["free free"])
    text.set_params(bits=4, analyzer="char")
    assert text.names_ == {}
    assert_same(text, ["free entry"])
    text.ngrams = (2, 3)
    assert_same(text, ["free entry"])


# ------------------------------------------------------------------------------------- names


def test_names_tell_what_columns_stand_for():
    text = Text((1, 2), names=True)
    text.transform(["Free entry", "free über"])
    text.transform_one("see free entry")
    met = {"free", "entry", "free entry", "über", "free über", "see", "see free"}
    assert {name for names in text.names_.values() for name in names} == met
    assert text.collisions_ == {}
    for name in met:
        column, sign = text.column(name)
        assert text.names_[column] == (name,)
        assert text.name(column) == name
        assert sign == Text(norm=None).transform([name]).data[0] if " " not in name else abs(sign) == 1
    unseen = next(column for column in range(100) if column not in text.names_)
    assert text.name(unseen) == f"#{unseen}"
    with pytest.raises(ValueError, match="expected one from 0 to 262143"):
        text.name(2**18)


@given(st.lists(st.text(characters, max_size=25), max_size=4), st.sampled_from(["word", "char", "char_wb"]))
def test_names_are_the_ngrams_of_scikit_learn(texts, analyzer):
    text = Text((1, 3), bits=6, analyzer=analyzer, names=True)
    rows = text.transform(texts)
    analyze = twin(text).build_analyzer()
    expected = {ngram for one in texts for ngram in analyze(one)}
    named = [(column, name) for column, names in text.names_.items() for name in names]
    assert sorted(name for _, name in named) == sorted(expected)
    assert set(text.names_) == set(rows.indices.tolist())
    for column, name in named:
        assert abs(murmurhash3_32(name)) % 64 == column
    assert text.collisions_ == {column: names for column, names in text.names_.items() if len(names) > 1}
    assert (rows != Text((1, 3), bits=6, analyzer=analyzer).transform(texts)).nnz == 0


def test_the_table_of_names_grows_with_what_it_holds():
    words = [f"word{i}" for i in range(300 if INTERPRETED else 20_000)]
    text = Text(names=True)
    for first in range(0, len(words), 100):
        text.transform([" ".join(words[first : first + 100])])
    for word in words:
        text.transform_one(word)
    assert sorted(name for names in text.names_.values() for name in names) == sorted(words)


def test_at_most_so_many_names():
    text = Text(names=3)
    text.transform(["one two", "three four five", "six"])
    text.transform_one("seven")
    assert [name for names in text.names_.values() for name in names] == ["one", "two", "three"]


def test_without_names_there_are_none():
    assert not hasattr(Text(), "names_")
    with pytest.raises(AttributeError, match="Text\\(names=True\\)"):
        Text().name(3)


def test_column_looks_a_word_up():
    columns, values = Text(norm=None).transform_one("Entry")
    assert Text().column("Entry") == (columns[0], values[0]) == Text().column("entry")
    assert Text(lowercase=False).column("Entry") != Text().column("Entry")
    assert Text(signed=False).column("entry")[1] == 1


# ------------------------------------------------------------------------------------- in company


def test_pipeline_of_scikit_learn():
    from sklearn.linear_model import SGDClassifier
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import FeatureUnion, Pipeline

    texts, labels = ["free entry win", "see you later", "win a prize free", "are you home"] * 5, [1, 0, 1, 0] * 5
    pipeline = Pipeline([("text", Text()), ("learn", SGDClassifier(random_state=0))])
    assert pipeline.fit(texts, labels).score(texts, labels) == 1.0
    assert "Text()" in repr(pipeline)
    search = GridSearchCV(pipeline, {"text__ngrams": [(1, 1), (1, 2)], "text__norm": ["l2", None]}, cv=2)
    assert search.fit(texts, labels).best_score_ == 1.0
    both = FeatureUnion([("words", Text(bits=8)), ("letters", Text((2, 3), 9, analyzer="char_wb"))])
    assert both.fit_transform(texts).shape == (20, 2**8 + 2**9)


def test_column_transformer_takes_the_column_of_a_frame():
    import pandas
    from sklearn.compose import ColumnTransformer

    frame = pandas.DataFrame({"message": ["free entry", "see you"], "length": [10.0, 7.0]})
    X = ColumnTransformer([("text", Text(bits=6), "message"), ("rest", "passthrough", ["length"])]).fit_transform(frame)
    assert X.shape == (2, 65)


def test_tags_say_that_it_takes_str():
    from sklearn.utils import get_tags
    from sklearn.utils.validation import check_is_fitted

    tags = get_tags(Text())
    assert tags.input_tags.string
    assert not tags.input_tags.two_d_array
    assert not tags.requires_fit
    check_is_fitted(Text())


def test_clone_pickle_and_copy():
    text = Text((1, 2), 12, analyzer="char_wb", names=True, dtype=np.float64)
    expected = text.transform(["free entry"])
    fresh = clone(text)
    assert fresh.get_params() == text.get_params()
    assert fresh.names_ == {}
    for copied in (pickle.loads(pickle.dumps(text)), copy.deepcopy(text)):
        assert copied.get_params() == text.get_params()
        assert copied.names_ == text.names_
        assert (copied.transform(["free entry"]) != expected).nnz == 0
        copied.transform(["another"])
        assert copied.names_ != text.names_


def test_repr_shows_what_is_not_usual():
    assert repr(Text()) == "Text()"
    assert repr(Text((1, 2), norm=None)) == "Text(ngrams=(1, 2), norm=None)"


def test_importing_it_imports_neither_numba_nor_scikit_learn():
    code = (
        "import sys, json; from hinge.text import Text; Text(); "
        "print(json.dumps([m for m in ('numba', 'sklearn', 'scipy', 'pandas') if m in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []


@pytest.mark.parametrize("names", [False, True])
def test_threads_may_share_one(names):
    text = Text((1, 2), names=names)
    n = 20 if INTERPRETED else 400
    texts = [[f"thread {i} text {j} free entry" for j in range(n)] for i in range(4)]
    expected = [Text((1, 2)).transform(some) for some in texts]
    results: list = [None] * len(texts)

    def work(i: int) -> None:
        rows = [text.transform_one(one) for one in texts[i]]
        results[i] = (rows, text.transform(texts[i]))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(texts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for (rows, batch), right in zip(results, expected, strict=True):
        assert (batch != right).nnz == 0
        ends = np.cumsum([0] + [len(columns) for columns, _ in rows])
        one_by_one = scipy.sparse.csr_matrix(
            (np.concatenate([v for _, v in rows]), np.concatenate([c for c, _ in rows]), ends), shape=right.shape
        )
        assert (one_by_one != right).nnz == 0
    if names:
        named = [name for names in text.names_.values() for name in names]
        assert len(named) == len(set(named))
        assert {"free entry", "thread"} <= set(named)


def test_what_was_returned_is_the_callers_own():
    text = Text(norm=None)
    columns, values = text.transform_one("free entry")
    kept = columns.copy(), values.copy()
    text.transform_one("something else entirely")
    text.transform(["and more of it"])
    np.testing.assert_array_equal(columns, kept[0])
    np.testing.assert_array_equal(values, kept[1])
