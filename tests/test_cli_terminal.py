# SPDX-License-Identifier: BSD-3-Clause
"""The command line at a terminal: a real pseudo-terminal, with its bar, its Ctrl-C and its colours."""

import contextlib
import json
import os
import pty
import re
import select
import subprocess
import sys
import time

import pytest

import hinge

ROWS = "1 1:1 2:0.5\n-1 3:1 4:0.25\n"


class Terminal:
    """A command at a terminal of its own; ``shown`` is all that it wrote there."""

    def __init__(self, *arguments, stdout=None):
        self.shown = ""
        self.code = None
        self.process, self.screen = pty.fork()
        if self.process == 0:  # the child
            if stdout is not None:
                os.dup2(os.open(stdout, os.O_WRONLY | os.O_CREAT), 1)
            environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "110", "LINES": "40"}
            os.execve(sys.executable, [sys.executable, "-m", "hinge", *map(str, arguments)], environment)

    def read(self, until=None, seconds=120):
        """Take in what is shown, until a text has come, or the end."""
        limit = time.monotonic() + seconds
        while until is None or not re.search(until, self.shown):
            assert time.monotonic() < limit, self.shown[-300:]
            if select.select([self.screen], [], [], 0.1)[0]:
                try:
                    part = os.read(self.screen, 1 << 16)
                except OSError:  # the other end is closed
                    part = b""
                if not part:
                    break
                self.shown += part.decode("utf-8", "replace")
        return self.shown

    def press(self, keys):
        """Type."""
        os.write(self.screen, keys.encode())

    def end(self):
        """Read on to the end; the exit code."""
        self.read()
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])


@contextlib.contextmanager
def endless(path, rows):
    """A named pipe, into which so many rows come, and no end."""
    os.mkfifo(path)
    program = f"import sys, time\nwith open({str(path)!r}, 'w') as pipe:\n"
    program += f"    pipe.write({ROWS!r} * {rows // 2})\n    pipe.flush()\n    time.sleep(600)\n"
    writer = subprocess.Popen([sys.executable, "-c", program])
    try:
        yield path
    finally:
        writer.kill()
        writer.wait()


def test_a_bar_tells_rows_speed_and_mistakes(tmp_path):
    (tmp_path / "a.svm").write_text(ROWS * 500)
    terminal = Terminal("learn", tmp_path / "a.svm", "-m", tmp_path / "m.hinge")
    assert terminal.end() == 0
    assert re.search(r"1,000 rows +[\d,]+ rows/s +0\.\d\d% mistakes", terminal.shown)
    assert "Classifier(): 1,000 rounds" in terminal.shown
    assert hinge.load(tmp_path / "m.hinge").contenders_[0].rounds == 1000


def test_no_bar_where_nobody_looks_or_wants_it(tmp_path):
    (tmp_path / "a.svm").write_text(ROWS * 500)
    piped = subprocess.run(
        [sys.executable, "-m", "hinge", "learn", str(tmp_path / "a.svm")], capture_output=True, text=True, timeout=240
    )
    assert piped.stderr == "nothing is kept: name a file, --model MODEL\n"
    assert "\x1b" not in piped.stdout
    quiet = Terminal("learn", tmp_path / "a.svm", "--quiet")
    assert quiet.end() == 0
    assert "rows/s" not in quiet.shown


def test_data_goes_to_stdout_while_the_bar_is_on_the_terminal(tmp_path):
    (tmp_path / "a.svm").write_text(ROWS * 500)
    terminal = Terminal("learn", tmp_path / "a.svm", stdout=tmp_path / "out")
    assert terminal.end() == 0
    assert "rows/s" in terminal.shown
    assert "1,000 rounds" in (tmp_path / "out").read_text()
    assert "1,000 rounds" not in terminal.shown


def test_ctrl_c_keeps_what_was_learnt_and_says_where(tmp_path):
    model = tmp_path / "m.hinge"
    with endless(tmp_path / "log.svm", 400) as pipe:
        terminal = Terminal("learn", pipe, "-m", model)
        terminal.read(until=r" 400 rows")
        terminal.press("\x03")
        assert terminal.end() == 130, terminal.shown[-900:]
    assert f"stopped by Ctrl-C after 400 rows: what was learnt is in {model}" in terminal.shown.replace("\r\n", " ")
    assert "Traceback" not in terminal.shown
    assert hinge.load(model).contenders_[0].rounds == 400
    (tmp_path / "more.svm").write_text(ROWS * 50)
    done = subprocess.run(
        [sys.executable, "-m", "hinge", "learn", str(tmp_path / "more.svm"), "-m", str(model), "--json"],
        capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    assert json.loads(done.stdout)["went_on"] is True
    assert hinge.load(model).contenders_[0].rounds == 500


def test_ctrl_c_without_a_model_and_before_any_row(tmp_path):
    with endless(tmp_path / "log.svm", 400) as pipe:
        terminal = Terminal("learn", pipe)
        terminal.read(until=r" 400 rows")
        terminal.press("\x03")
        assert terminal.end() == 130, terminal.shown[-900:]
        assert "stopped by Ctrl-C after 400 rows: nothing is kept" in terminal.shown
    with endless(tmp_path / "empty.svm", 0) as pipe:
        terminal = Terminal("learn", pipe, "-m", tmp_path / "m.hinge")
        terminal.read(until="rows/s")
        terminal.press("\x03")
        assert terminal.end() == 130, terminal.shown[-900:]
        assert "after 0 rows: nothing is kept" in terminal.shown
    assert not (tmp_path / "m.hinge").exists()


def test_ctrl_c_ends_a_race_with_its_table(tmp_path):
    with endless(tmp_path / "log.svm", 400) as pipe:
        terminal = Terminal("race", pipe, "-a", "PA-I", "-a", "PA")
        terminal.read(until=r" 400 rows")
        terminal.press("\x03")
        assert terminal.end() == 130, terminal.shown[-900:]
    assert re.search(r"PA-I .*\d", terminal.shown)
    assert "stopped by Ctrl-C after 400 rows" in terminal.shown


@pytest.mark.parametrize("command", [[], ["learn"]])
def test_help_has_boxes_on_a_terminal_and_none_in_a_pipe(command):
    terminal = Terminal(*command, "--help")
    assert terminal.end() == 0
    assert "╭─" in terminal.shown
    piped = subprocess.run([sys.executable, "-m", "hinge", *command, "--help"], capture_output=True, text=True)
    assert "╭─" not in piped.stdout
    assert "\x1b" not in piped.stdout


def test_names_out_of_a_file_cannot_move_the_cursor(tmp_path):
    (tmp_path / "a.csv").write_text("\x1b[2Jbad,label\n1.5,yes\n2.5,no\n")
    made = subprocess.run(
        [sys.executable, "-m", "hinge", "learn", str(tmp_path / "a.csv"), "--target", "label", "-m",
         str(tmp_path / "m.hinge")], capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    terminal = Terminal("show", tmp_path / "m.hinge")
    assert terminal.end() == 0
    assert "\\x1b[2Jbad" in terminal.shown
    assert "\x1b[2J" not in terminal.shown
