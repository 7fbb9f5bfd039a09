# SPDX-License-Identifier: BSD-3-Clause
"""The command line as a person uses it: processes, pipes, files, exit codes."""

import gzip
import json
import os
import resource
import signal
import subprocess
import sys

import numpy as np
import pytest

import hinge
from hinge.cli import algorithms, models, passage
from hinge.cli.reading import Reading
from hinge.cli.talk import Interrupt, in_words


def run(*arguments, input=None, cwd=None, code=0):
    """One command: what it said to stdout and to stderr."""
    done = subprocess.run(
        [sys.executable, "-m", "hinge", *map(str, arguments)], input=input, cwd=cwd, capture_output=True, timeout=300,
        text=not isinstance(input, bytes),
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    return done.stdout, done.stderr


def rows(n, seed=0, width=40):
    """(labels, rows as dicts) that a hyperplane separates but for a few."""
    rng = np.random.default_rng(seed)
    u = np.random.default_rng(7).normal(size=width)
    found = []
    for _ in range(n):
        columns = np.unique(rng.integers(0, width, 6))
        values = rng.normal(size=len(columns)).round(3)
        label = 1 if values @ u[columns] > 0 else -1
        row = dict(zip(columns.tolist(), values.tolist(), strict=True))
        found.append((label if rng.random() > 0.02 else -label, row))
    return found


def svmlight(some):
    return "".join(f"{y} {' '.join(f'{c}:{v}' for c, v in x.items())}\n" for y, x in some)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files of the same rows in several formats, and a model of them."""
    folder = tmp_path_factory.mktemp("files")
    train = rows(300)
    (folder / "mail.svm").write_text(svmlight(train))
    (folder / "mail.vw").write_text("".join(f"{y} | {' '.join(f'{c}:{v}' for c, v in x.items())}\n" for y, x in train))
    (folder / "mail.svm.gz").write_bytes(gzip.compress(svmlight(train).encode()))
    (folder / "new.svm").write_text(svmlight(rows(50, seed=1)))
    run("learn", folder / "mail.svm", "--model", folder / "spam.hinge", "--step", "PA1", "--C", "0.1")
    return folder


# ------------------------------------------------------------------------------------------ beginning


def test_version_and_help_are_light():
    for arguments, absent in (
        (["--version"], ("typer", "rich", "numba", "sklearn", "scipy")),
        (["--help"], ("numba", "sklearn", "scipy", "matplotlib")),
        (["learn", "--help"], ("numba", "sklearn", "scipy", "matplotlib")),
    ):
        done = subprocess.run(
            [sys.executable, "-X", "importtime", "-m", "hinge", *arguments], capture_output=True, text=True, check=True
        )
        loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
        assert not loaded & set(absent)
        assert done.stdout.strip()


def test_help_takes_less_than_three_tenths_of_a_second():
    def seconds():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run("--help")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(seconds() for _ in range(3)) < 0.3


def test_version():
    assert run("--version")[0] == run("-V")[0] == f"hinge {hinge.__version__}\n"


@pytest.mark.parametrize("command", ["learn", "predict", "race", "show", "explain", "catalogue", "warm"])
def test_every_command_has_help_with_an_example(command):
    assert f"\n  hinge {command}" in run(command, "--help")[0]


def test_without_typer_a_message_says_what_to_install(tmp_path):
    program = "import sys; sys.modules['typer'] = None; sys.argv = ['hinge', 'learn', 'x.svm']\n"
    program += "from hinge.__main__ import main; main()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == "hinge: the command line needs typer: pip install 'hinge[cli]'\n"


# ------------------------------------------------------------------------------------------ learn


def test_learn_is_what_the_library_learns(folder):
    learner = hinge.Classifier(hinge.PA1(C=0.1))
    report = hinge.play(learner, hinge.read(folder / "mail.svm"))
    restored = hinge.load(folder / "spam.hinge")
    np.testing.assert_array_equal(restored.coef_, learner.coef_)
    out, _ = run("learn", folder / "mail.svm", "--C", "0.1", "--json")
    said = json.loads(out)
    assert (said["n"], said["mistakes"], said["updates"]) == (300, report.mistakes, report.updates)
    assert said["certificate"]["dual"] == pytest.approx(report.certificate.dual)
    assert said["labels"] == [int(label) for label in learner.classes_]
    assert (said["interrupted"], said["skipped"], said["model"]) == (False, 0, None)


def test_going_on_is_the_same_as_having_learnt_all_at_once(folder, tmp_path):
    lines = (folder / "mail.svm").read_text().splitlines(keepends=True)
    (tmp_path / "a.svm").write_text("".join(lines[:120]))
    (tmp_path / "b.svm").write_text("".join(lines[120:]))
    out, err = run("learn", tmp_path / "a.svm", "-m", tmp_path / "two.hinge", "--C", "0.1")
    assert out.startswith("Classifier(PA1(C=0.1)): 120 rounds")
    assert "kept in" in err
    out, err = run("learn", tmp_path / "b.svm", "-m", tmp_path / "two.hinge", "--json")
    assert json.loads(out)["went_on"] is True
    assert "went on with" in err
    run("learn", tmp_path / "a.svm", tmp_path / "b.svm", "-m", tmp_path / "once.hinge", "--C", "0.1")
    paths = (tmp_path / "once.hinge", tmp_path / "two.hinge", folder / "spam.hinge")
    once, two, whole = (hinge.load(path) for path in paths)
    np.testing.assert_array_equal(once.coef_, two.coef_)
    np.testing.assert_array_equal(once.coef_, whole.coef_)


def test_two_passes(folder, tmp_path):
    run("learn", folder / "mail.svm", "-m", tmp_path / "two.hinge", "--passes", 2)
    learner = hinge.Classifier()
    for _ in range(2):
        hinge.play(learner, hinge.read(folder / "mail.svm"))
    np.testing.assert_array_equal(hinge.load(tmp_path / "two.hinge").coef_, learner.coef_)


def test_standard_input_and_packed_files_are_read_alike(folder):
    plain = json.loads(run("learn", folder / "mail.svm", "--json")[0])
    piped = json.loads(run("learn", "-", "--format", "svmlight", "--json", input=(folder / "mail.svm").read_text())[0])
    packed = json.loads(run("learn", folder / "mail.svm.gz", "--json")[0])
    for said in (plain, piped, packed):
        assert (said["n"], said["loss"]) == (300, plain["loss"])


def test_several_c_race_within_a_model(folder, tmp_path):
    run("learn", folder / "mail.svm", "-m", tmp_path / "m.hinge", "--C", "0.01,0.1,1")
    shown = json.loads(run("show", tmp_path / "m.hinge", "--json")[0])
    assert [one["step"] for one in shown["contenders"]] == ["PA1(C=0.01)", "PA1(C=0.1)", "PA1(C=1.0)"]


def test_fresh_starts_anew_and_an_algorithm_is_not_changed_on_the_way(folder, tmp_path):
    model = tmp_path / "m.hinge"
    run("learn", folder / "mail.svm", "-m", model)
    err = run("learn", folder / "mail.svm", "-m", model, "--step", "PA2", code=2)[1]
    assert "goes on as it began, Classifier()" in " ".join(err.split())
    run("learn", folder / "mail.svm", "-m", model, "--algorithm", "PA-II C=0.5", "--fresh")
    assert hinge.load(model).step == hinge.PA2(C=0.5)


def test_a_file_that_is_no_model_is_never_overwritten(folder, tmp_path):
    data = tmp_path / "mine.svm"
    data.write_text(svmlight(rows(5)))
    before = data.read_bytes()
    for options in ([], ["--fresh"]):
        err = run("learn", folder / "mail.svm", "--model", data, *options, code=1)[1]
        assert err.startswith(f"hinge: {data}: ")
        assert data.read_bytes() == before


def test_regression_and_one_class(tmp_path):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 2)).round(3)
    (tmp_path / "h.csv").write_text(
        "rooms,age,price\n" + "".join(f"{a},{b},{3 * a - b + 1:.4f}\n" for a, b in X.tolist())
    )
    run("learn", tmp_path / "h.csv", "--target", "price", "--numbers", "-m", tmp_path / "h.hinge")
    shown = json.loads(run("show", tmp_path / "h.hinge", "--json")[0])
    assert [one["feature"] for one in shown["features_by_label"][""]] == ["rooms", "age"]
    out, err = run("predict", tmp_path / "h.csv", "-m", tmp_path / "h.hinge")
    learner = hinge.load(tmp_path / "h.hinge")
    expected = learner.predict(X.astype(np.float32)).tolist()
    assert [float(line) for line in out.split()] == pytest.approx(expected, rel=1e-5)
    assert "80 rows with a number: off by" in err
    (tmp_path / "x.csv").write_text("age,rooms,price\n1,2,3\n")
    err = run("predict", tmp_path / "x.csv", "-m", tmp_path / "h.hinge", code=1)[1]
    assert "'age', where the model has 'rooms'" in err
    (tmp_path / "new.csv").write_text("rooms,age\n1,2\n")
    out, err = run("predict", tmp_path / "new.csv", "--unlabelled", "-m", tmp_path / "h.hinge")
    assert len(out.split()) == 1
    assert err == ""

    run("learn", tmp_path / "new.csv", tmp_path / "new.csv", "--one-class", "-m", tmp_path / "one.hinge")
    assert run("predict", tmp_path / "new.csv", "-m", tmp_path / "one.hinge")[0] == "1\n"
    assert "has a centre" in run("explain", tmp_path / "new.csv", "-m", tmp_path / "one.hinge", code=1)[1]


def test_csv_with_words_jsonl_and_names(tmp_path):
    (tmp_path / "a.csv").write_text("city,age,label\n" + "paris,0.31,yes\nrome,0.4,no\n" * 10)
    run("learn", tmp_path / "a.csv", "--target", "label", "-m", tmp_path / "a.hinge")
    shown = json.loads(run("show", tmp_path / "a.hinge", "--json")[0])
    assert shown["labels"] == ["yes", "no"]
    assert {one["feature"] for one in shown["features_by_label"]["yes"]} <= {"city=paris", "city=rome", "age"}
    people = {"city": "paris", "age": 0.31, "label": "yes"}, {"city": "rome", "age": 0.4, "label": "no"}
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(one) + "\n" for one in people))
    out, err = run("predict", tmp_path / "a.jsonl", "-m", tmp_path / "a.hinge")
    assert out == "yes\nno\n"
    assert "2 rows with a label: 0 predicted wrong, 0.00%" in err


# ------------------------------------------------------------------------------------------ what goes wrong


def test_a_bad_line_says_where_and_what(folder, tmp_path):
    bad = tmp_path / "bad.svm"
    bad.write_text("1 1:1\n-1 2:x\n1 3:1\n")
    out, err = run("learn", bad, code=1)
    assert err == f'hinge: {bad}:2:6: expected a number after "2:", found "x"\n'
    assert out == ""
    out, err = run("learn", bad, "--skip-bad", "--json")
    assert (json.loads(out)["n"], json.loads(out)["skipped"]) == (2, 1)
    assert f"1 bad row passed over; the first: {bad}:2:6" in err


def test_a_failed_run_leaves_the_model_as_it_was(folder, tmp_path):
    model = tmp_path / "m.hinge"
    run("learn", folder / "mail.svm", "-m", model)
    before = model.read_bytes()
    bad = tmp_path / "bad.svm"
    bad.write_text("1 1:1\n-1 2:x\n")
    run("learn", bad, "-m", model, code=1)
    assert model.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.svm", "m.hinge"]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["learn", "nowhere.svm"], 1, "hinge: nowhere.svm: No such file or directory"),
        (["learn", "-"], 1, "--format one of"),
        (["learn", "x.unknown"], 1, "--format one of"),
        (["learn", "x.svm", "--step", "PA9"], 2, "--step must be one of PA"),
        (["learn", "x.svm", "--step", "PA", "--C", "1"], 2, "PA has no C"),
        (["learn", "x.svm", "--algorithm", "PA-9"], 2, "Did you mean"),
        (["learn", "x.svm", "--algorithm", "PA-I D=3"], 2, "has no parameter 'D'"),
        (["learn", "x.svm", "--algorithm", "PA-I", "--step", "PA1"], 2, "not both"),
        (["learn", "x.svm", "--C", "much"], 2, "--C must be a number"),
        (["learn", "x.svm", "--C", "-1"], 1, "C must be above 0"),
        (["learn", "-", "--format", "svmlight", "--passes", "2"], 2, "only once"),
        (["learn", "x.svm", "--nonsense"], 2, "No such option"),
        (["learn"], 2, "Missing argument"),
        (["nonsense"], 2, "No such command"),
        (["learn", "x.svm", "--ngrams", "2"], 2, "--text COLUMN"),
        (["learn", "x.svm", "--target", "y"], 1, "--target is for"),
        (["learn", "x.svm", "--model", "no/such/folder/m.hinge"], 1, "no such folder"),
        (["predict", "x.svm", "--model", "nowhere.hinge"], 1, "nowhere.hinge: No such file"),
        (["race", "x.svm", "--plot", "x.doc"], 2, "--plot draws .png"),
        (["race", "x.svm", "-a", "PA", "-a", "PA regression"], 2, "a race is of one kind"),
        (["catalogue", "PA-9"], 1, "Did you mean"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_words(tmp_path, arguments, code, said):
    (tmp_path / "x.svm").write_text("1 1:1\n-1 2:1\n")
    out, err = run(*arguments, cwd=tmp_path, code=code)
    assert said in " ".join(err.replace("│", " ").split())
    assert "Traceback" not in err
    assert out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["x.svm"]


def test_rows_without_labels(tmp_path):
    (tmp_path / "a.vw").write_text("1 | a\n| b\n-1 | c\n")
    err = run("learn", tmp_path / "a.vw", code=1)[1]
    assert "row 2 has no label" in err
    out, err = run("learn", tmp_path / "a.vw", "--skip-bad", "--json", "-m", tmp_path / "m.hinge")
    assert (json.loads(out)["n"], json.loads(out)["skipped"]) == (2, 1)
    out, err = run("predict", tmp_path / "a.vw", "-m", tmp_path / "m.hinge")
    assert len(out.split()) == 3
    assert "2 rows with a label" in err
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    assert "--target COLUMN" in run("learn", tmp_path / "a.csv", code=1)[1]


def test_rows_with_several_labels_are_refused_where_they_are(tmp_path):
    (tmp_path / "a.svm").write_text("1 1:1\n1,2 2:1\n")
    assert ":2:1: expected one label, found \"1,2\"" in run("learn", tmp_path / "a.svm", code=1)[1]


def test_an_empty_file_is_no_lesson(tmp_path):
    (tmp_path / "a.svm").write_text("")
    assert "no row to learn from" in run("learn", tmp_path / "a.svm", "-m", tmp_path / "m.hinge", code=1)[1]
    assert not (tmp_path / "m.hinge").exists()


def test_a_reader_of_our_output_may_leave(folder):
    head = subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.buffer.readline()"], stdin=subprocess.PIPE
    )
    many = svmlight(rows(300)) * 40
    arguments = ["predict", "-", "--format", "svmlight", "-m", str(folder / "spam.hinge"), "--scores"]
    hinge_ = subprocess.Popen(
        [sys.executable, "-m", "hinge", *arguments], stdin=subprocess.PIPE, stdout=head.stdin, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    head.stdin.close()
    _, err = hinge_.communicate(many, timeout=300)
    head.wait()
    assert hinge_.returncode == 141
    assert "Traceback" not in err


# ------------------------------------------------------------------------------------------ predict, show, explain


def test_predict_is_what_the_library_predicts(folder):
    learner = hinge.load(folder / "spam.hinge")
    [batch] = hinge.read(folder / "new.svm")
    expected = learner.predict(batch.X)
    scores = learner.decision_function(batch.X)
    out, err = run("predict", folder / "new.svm", "-m", folder / "spam.hinge")
    assert out.split() == [str(int(label)) for label in expected]
    wrong = int((expected != batch.y).sum())
    assert err == f"50 rows with a label: {wrong} predicted wrong, {wrong / 50:.2%}\n"
    out, _ = run("predict", folder / "new.svm", "-m", folder / "spam.hinge", "--scores", "--json")
    second = str(int(learner.classes_[1]))
    said = [json.loads(line) for line in out.splitlines()]
    assert [one["scores"][second] for one in said] == pytest.approx(scores.tolist())
    out, _ = run("predict", folder / "new.svm", "-m", folder / "spam.hinge", "--scores")
    assert [float(line.split("\t")[2]) for line in out.splitlines()] == pytest.approx(scores.tolist(), rel=1e-4)


def test_predict_knows_columns_beyond_the_model_as_absent(folder, tmp_path):
    (tmp_path / "wide.svm").write_text("1 3:1 9999:5\n")
    (tmp_path / "narrow.svm").write_text("1 3:1\n")
    wide = run("predict", tmp_path / "wide.svm", "-m", folder / "spam.hinge", "--scores")
    assert wide == run("predict", tmp_path / "narrow.svm", "-m", folder / "spam.hinge", "--scores")


def test_show_and_explain_add_up(folder):
    learner = hinge.load(folder / "spam.hinge")
    shown = json.loads(run("show", folder / "spam.hinge", "--json", "--top", 3)[0])
    second = int(learner.classes_[1])
    heaviest = shown["features_by_label"][str(second)][0]
    assert heaviest["column"] == int(np.argmax(learner.coef_[0]))
    assert heaviest["weight"] == pytest.approx(float(learner.coef_[0].max()))
    [batch] = hinge.read(folder / "new.svm")
    score = float(learner.decision_function(batch.X)[4])
    out = run("explain", folder / "new.svm", "--row", 5, "-m", folder / "spam.hinge", "--json")[0]
    said = json.loads(out)
    assert said["score"] == pytest.approx(abs(score), rel=1e-5)
    assert sum(one["adds"] for one in said["features"]) + said["intercept"] == pytest.approx(said["score"])
    assert "together" in run("explain", folder / "new.svm", "--row", 5, "-m", folder / "spam.hinge")[0]
    err = run("explain", folder / "new.svm", "--row", 51, "-m", folder / "spam.hinge", code=1)[1]
    assert "50 rows, so there is no row 51" in err
    assert "has no label '7'" in run("show", folder / "spam.hinge", "--label", "7", code=1)[1]


def test_explain_with_three_labels(tmp_path):
    (tmp_path / "a.svm").write_text("1 1:1\n2 2:1\n3 3:1\n" * 5)
    run("learn", tmp_path / "a.svm", "-m", tmp_path / "m.hinge")
    said = json.loads(run("explain", tmp_path / "a.svm", "-m", tmp_path / "m.hinge", "--json", "--against", "3")[0])
    learner = hinge.load(tmp_path / "m.hinge")
    scores = learner.decision_function(np.eye(4, dtype=np.float32)[1:2])[0]
    assert (said["prediction"], said["against"]) == (1, 3)
    assert said["score"] == pytest.approx(float(scores[0] - scores[2]), rel=1e-5)
    err = run("explain", tmp_path / "a.svm", "-m", tmp_path / "m.hinge", "--against", "1", code=1)[1]
    assert "the prediction is 1, the others are 2, 3" in err


def test_a_damaged_model_is_refused(folder, tmp_path):
    data = bytearray((folder / "spam.hinge").read_bytes())
    data[-3] ^= 1
    (tmp_path / "m.hinge").write_bytes(data)
    for command in (["show"], ["predict", folder / "new.svm", "-m"], ["learn", folder / "new.svm", "-m"]):
        assert "checksum" in run(*command, tmp_path / "m.hinge", code=1)[1]


# ------------------------------------------------------------------------------------------ race, catalogue, warm


def test_race(folder, tmp_path):
    options = ["-a", "PA-I", "-a", "Perceptron", "--C", "0.1,1", "--plot", tmp_path / "r.png"]
    out, err = run("race", folder / "mail.svm", *options)
    expected = hinge.race(
        {"PA-I C=0.1": hinge.named("PA-I", C=0.1), "PA-I C=1": hinge.named("PA-I", C=1.0),
         "Perceptron": hinge.named("Perceptron")}, hinge.read(folder / "mail.svm"),
    )  # fmt: skip
    lines = out.splitlines()
    assert [line.split("  ")[0] for line in lines[2:5]] == expected.ranking
    assert f"{expected[expected.best].mistakes}" in lines[2].split()
    assert "Proved by" in out
    assert (tmp_path / "r.png").read_bytes().startswith(b"\x89PNG")
    assert "the curves are in" in err
    said = json.loads(run("race", folder / "mail.svm", "--json")[0])
    assert set(said["learners"]) == {"Perceptron", "PA", "PA-I", "PA-II"}
    assert said["rows"] == 300
    assert said["learners"]["PA"]["certificate"]["kind"] == "separable"


def test_catalogue():
    out = run("catalogue")[0]
    for name in hinge.names():
        assert f"\n{name} " in out
    assert "where       [PA06]" in run("catalogue", "pa1")[0]
    assert [json.loads(line)["name"] for line in run("catalogue", "--json")[0].splitlines()] == hinge.names()


@pytest.mark.compiled
def test_what_is_warm_is_not_compiled_again(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    first = json.loads(run("warm", "--algorithm", "PA", "--rows", "dicts", "--json")[0])
    again = json.loads(run("warm", "--algorithm", "PA", "--rows", "dicts", "--json")[0])
    assert first["compiled"] > 0
    assert first["folders"] == [str(tmp_path / "hinge")]
    assert again["compiled"] == 0
    assert {"PA, dicts, two labels", "PA, dicts, more labels"} <= {work["what"] for work in first["work"]}


# ------------------------------------------------------------------------------------------ the parts


def test_names_and_parameters_of_algorithms():
    assert algorithms.parsed("PA-I predicted, C=0.1 average=True") == ("PA-I predicted", {"C": 0.1, "average": True})
    assert algorithms.named("pa1 C=3").step == hinge.PA1(C=3)
    assert algorithms.steps_of("pa-ii", "1,2") == [hinge.PA2(C=1.0), hinge.PA2(C=2.0)]
    assert algorithms.steps_of("Perceptron eta=0.5", None) == [hinge.Perceptron(eta=0.5)]


def test_ctrl_c_waits_for_the_end_of_a_batch():
    with Interrupt() as interrupt:
        os.kill(os.getpid(), signal.SIGINT)  # within a batch: nothing happens
        assert interrupt.wanted
        with pytest.raises(KeyboardInterrupt), interrupt.coming_through():
            pytest.fail("it came through at once")
    with Interrupt() as interrupt, pytest.raises(KeyboardInterrupt), interrupt.coming_through():
        os.kill(os.getpid(), signal.SIGINT)


def test_what_is_remembered_of_reading():
    reading = Reading.of({}, text="t", ngrams="1-2", categorical=["a"], header=False, format="csv")
    notes = {"reading": json.loads(json.dumps(reading.remembered("csv")))}
    again = Reading.of(notes, "m")
    assert (again.text, again.ngram_range(), again.categorical, again.header) == ("t", (1, 2), ("a",), False)
    assert again.format_of("-") == "csv"
    with pytest.raises(ValueError, match="m was learnt with --ngrams 1-2, which its features hang on"):
        Reading.of(notes, "m", ngrams="1")
    for hostile in ({"bits": "x"}, {"given": []}, {"__class__": "x"}, {"categorical": [1]}, [], {"text": 3}):
        with pytest.raises(ValueError, match="the notes in m"):
            Reading.of({"reading": hostile}, "m")


def test_errors_speak_of_options():
    assert in_words(ValueError("x: format= one of a, b")) == "x: --format one of a, b"
    assert in_words(ValueError("(if it holds words: categorical=['age'])")) == "(if it holds words: --categorical age)"
    assert in_words(FileNotFoundError(2, "No such file or directory", "x")) == "x: No such file or directory"


def test_a_model_remembers_the_names_of_its_heaviest_features(monkeypatch):
    learner = hinge.Classifier().partial_fit(np.eye(4, dtype=np.float32) * [[1], [3], [2], [1]], [0, 1, 0, 1])
    monkeypatch.setattr(models, "MOST_NAMES", 2)
    kept = models.heaviest(learner, dict(enumerate("abcd")))
    assert set(kept) == set(np.argsort(-np.abs(learner.coef_[0]))[:2].tolist())


def test_rows_chosen_of_a_dense_batch():
    from hinge.io.batch import dense_batch

    batch = dense_batch(np.arange(6, dtype=np.float32).reshape(3, 2), y=np.array([1.0, np.nan, 2.0]))
    chosen = passage.only(batch, np.array([True, False, True]))
    assert chosen.X.tolist() == [[0, 1], [4, 5]]
    assert chosen.y.tolist() == [1, 2]


def test_columns_may_grow_within_a_file(tmp_path):
    path = tmp_path / "grows.svm"
    rng = np.random.default_rng(0)
    labels = rng.choice([1, 2, 3], 500)
    path.write_text("".join(f"{y} {t}:1 {t + 1 + y}:{y}\n" for t, y in enumerate(labels)))
    [whole] = hinge.read(path)
    for learner in (hinge.Classifier(), hinge.Classifier([hinge.PA(), hinge.PA1(0.1)]), hinge.Regressor(),
                    hinge.Classifier(average=True)):  # fmt: skip
        at_once = type(learner)(**learner.get_params())
        expected = hinge.play(at_once, whole.X, whole.y)
        report = hinge.play(learner, hinge.read(path, batch_bytes=500))
        np.testing.assert_array_equal(learner.coef_, at_once.coef_)
        np.testing.assert_array_equal(report.predictions, expected.predictions)
        assert (report.mistakes, report.loss) == (expected.mistakes, expected.loss)


@pytest.mark.parametrize("packed", [False, True])
def test_how_much_of_a_file_was_read(tmp_path, packed):
    path = tmp_path / ("a.svm.gz" if packed else "a.svm")
    text = svmlight(rows(3000)).encode()
    path.write_bytes(gzip.compress(text) if packed else text)
    with hinge.read(path, batch_bytes=5000) as reader:
        shares = [reader.share for _ in reader]
    told = [share for share in shares if share is not None]  # it is not known once the file is closed
    assert len(told) > len(shares) // 2
    assert 0 < told[0] < 0.9 or packed
    assert told == sorted(told)
    assert max(told) <= 1


def test_a_stream_is_raced_side_by_side(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text(svmlight(rows(200)))
    learners = {"PA": hinge.named("PA"), "Perceptron": hinge.named("Perceptron")}
    race = hinge.race(learners, hinge.read(path, batch_bytes=1000))
    for name in learners:
        assert race[name].mistakes == hinge.play(hinge.named(name), hinge.read(path)).mistakes
    from sklearn.linear_model import SGDClassifier

    with pytest.raises(TypeError, match="'sklearn' is not one of hinge's"):
        hinge.race({"PA": hinge.named("PA"), "sklearn": SGDClassifier()}, hinge.read(path))


def test_memory_does_not_grow_with_the_file(tmp_path):
    path = tmp_path / "long.svm"
    with path.open("w") as file:
        for _ in range(60):
            file.write(svmlight(rows(300)))
    peaks = []
    for times in (1, 8):
        done = subprocess.Popen(
            [sys.executable, "-c", "import resource, sys; sys.argv[0] = 'hinge'\nfrom hinge.__main__ import main\n"
             "try:\n    main()\nfinally:\n    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)",
             "learn", *[str(path)] * times, "-q"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        peaks.append(int(done.communicate(timeout=300)[0].split()[-1]))
    assert peaks[1] < peaks[0] + 20_000
