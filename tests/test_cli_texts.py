# SPDX-License-Identifier: BSD-3-Clause
"""Files with a column of texts: read as they were meant, or refused by line."""

import csv
import io
import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hinge
from hinge.cli.reading import Reading
from hinge.io import BadFile, BadLine

words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)


def batches(path, skip_bad=False, **options):
    reading = Reading.of({}, **{"target": "label", "text": "text", **options})
    with reading.open(str(path), skip_bad) as reader:
        return list(reader), reader


def read(path, **options):
    """(labels, rows) of a file."""
    found, _ = batches(path, **options)
    return [label for batch in found for label in batch.y], found


@given(st.lists(st.tuples(words.filter(bool), words), min_size=1, max_size=8))
def test_csv_is_read_as_it_was_written(tmp_path_factory, records):
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows([("label", "text"), *records])
    labels, found = read(path)
    assert labels == [label for label, _ in records]
    expected = hinge.Text().transform([text for _, text in records])
    for name in ("data", "indices"):
        together = np.concatenate([getattr(batch, name) for batch in found])
        np.testing.assert_array_equal(together, getattr(expected, name))


@given(st.lists(st.tuples(words, words), min_size=1, max_size=8))
def test_json_lines_are_read_as_they_were_written(tmp_path_factory, records):
    path = tmp_path_factory.mktemp("jsonl") / "a.jsonl"
    lines = [json.dumps({"label": label or "none", "text": text, "also": [1]}) for label, text in records]
    path.write_text("\n".join(lines), encoding="utf-8")
    labels, found = read(path)
    assert labels == [label or "none" for label, _ in records]
    assert sum(batch.indptr[-1] for batch in found) == hinge.Text().transform([text for _, text in records]).nnz


@given(st.binary(max_size=60), st.sampled_from(["a.csv", "a.tsv", "a.jsonl"]))
def test_any_bytes_are_rows_or_are_refused(tmp_path_factory, data, name):
    path = tmp_path_factory.mktemp("any") / name
    path.write_bytes(b"label,text\n".replace(b",", b"\t" if name == "a.tsv" else b",") + data)
    try:
        found, reader = batches(path, skip_bad=True)
    except BadFile:
        return
    rows = sum(len(batch) for batch in found)
    assert rows + reader.skipped <= data.count(b"\n") + data.count(b"\r") + 2


@pytest.mark.parametrize(
    ("name", "content", "line", "expected"),
    [
        ("a.csv", b"label,text\nham,one\nham\n", 3, "2 fields as in the first row, found 1"),
        ("a.csv", b'label,text\nham,"one" two\n', 2, "comma-separated text"),
        ("a.csv", b"label,text\nham,\xff\n", 2, "UTF-8"),
        ("a.csv", b"label,text\n,one\n", 2, "a label"),
        ("a.jsonl", b'{"label": "ham", "text": "a"}\n{"label": "ham"}\n', 2, "an object with a text under 'text'"),
        ("a.jsonl", b'{"label": null, "text": "a"}\n', 1, "a word or a number under 'label'"),
        ("a.jsonl", b"{", 1, "JSON"),
    ],
)
def test_bad_records_are_refused_by_line(tmp_path, name, content, line, expected):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(BadLine, match=expected) as caught:
        batches(path)
    assert caught.value.line == line
    _, reader = batches(path, skip_bad=True)
    assert reader.skipped == 1
    assert str(reader.first_bad) == str(caught.value)


def test_columns_that_are_not_there(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("label,text\nham,one\n")
    with pytest.raises(BadFile, match="no column 'body' for --text; its columns are label, text"):
        batches(path, text="body")
    with pytest.raises(BadFile, match="without a header it is a place from 0 to 1"):
        batches(path, header=False, text="2", target="0")
    assert read(path, header=False, text="-1", target="0")[0] == ["label", "ham"]
    with pytest.raises(ValueError, match="--text is for CSV"):
        batches(tmp_path / "a.svm")


def test_quotes_may_be_letters(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text('ham\t"well, well\nspam\tfree "entry"\n')
    assert read(path, header=False, text="1", target="0", quotes=False)[0] == ["ham", "spam"]


def test_a_model_of_texts_reads_as_it_learnt(tmp_path):
    records = [("spam", "free entry win now"), ("ham", "see you later"), ("spam", "win a prize"), ("ham", "ok later")]
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([("kind", "message"), *records])
    (tmp_path / "sms.csv").write_text(file.getvalue())

    def run(*arguments, input=None):
        done = subprocess.run([sys.executable, "-m", "hinge", *map(str, arguments)], input=input, capture_output=True,
                              text=True, timeout=240)  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    model = tmp_path / "m.hinge"
    run("learn", tmp_path / "sms.csv", "--target", "kind", "--text", "message", "--ngrams", "1-2", "-m", model)
    learner = hinge.load(model)
    text = hinge.Text(ngrams=(1, 2))
    expected = learner.predict(text.transform([text for _, text in records])).tolist()
    assert run("predict", tmp_path / "sms.csv", "-m", model).split() == expected
    piped = json.dumps({"message": "win win"}) + "\n"
    assert run("predict", "-", "--format", "jsonl", "--unlabelled", "-m", model, input=piped).split() == ["spam"]
    shown = json.loads(run("show", model, "--json"))
    weights = {one["feature"]: one["weight"] for one in shown["features_by_label"]["spam"]}
    assert weights["win"] > 0
    column, sign = text.column("win")
    second = learner.classes_.tolist().index("spam")
    assert weights["win"] == pytest.approx(sign * learner.coef_[0, column] * (1 if second == 1 else -1), rel=1e-5)
    said = json.loads(run("explain", "--say", "win it later", "-m", model, "--json"))
    score = learner.decision_function(text.transform(["win it later"]))[0]
    assert said["score"] == pytest.approx(abs(float(score)), rel=1e-4)
    assert {one["feature"] for one in said["features"]} == {"win", "it", "later", "win it", "it later"}
