# SPDX-License-Identifier: BSD-3-Clause
"""The demo shows what it says it shows."""

import re
import subprocess
import sys

import pytest

import hinge
from hinge.demo.__main__ import messages, papers
from hinge.native import INTERPRETED


def test_the_data_is_the_collection():
    labels, texts = messages()
    assert (len(texts), labels.count("spam"), labels.count("ham")) == (5574, 747, 4827)
    assert texts[0].startswith("Go until jurong point")


@pytest.mark.skipif(INTERPRETED, reason="it takes minutes in plain Python")
def test_the_demo(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "hinge.demo"], cwd=tmp_path, capture_output=True, text=True, timeout=400
    )
    assert done.returncode == 0, done.stderr
    labels, texts = messages()
    X = hinge.Text(bits=16).transform(texts)
    for name, learner in papers().items():
        mistakes = hinge.play(learner, X, labels).mistakes
        assert re.search(rf"^{re.escape(name)} +{mistakes} ", done.stdout, re.M), done.stdout
    assert "sklearn SGD (pa1)" in done.stdout
    assert re.search(r"no fixed weight vector of length \d+\.\d or less", done.stdout)
    assert re.search(r"^txt +\+\d\.\d\d +me +\+\d\.\d\d$", done.stdout, re.M)
    assert (tmp_path / "demo-output" / "mistakes.png").read_bytes().startswith(b"\x89PNG")
