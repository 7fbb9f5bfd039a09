# SPDX-License-Identifier: BSD-3-Clause
"""Every algorithm by its usual name."""

import pytest

import hinge
from hinge.catalogue import CATALOGUE, Algorithm, find


def test_names_are_all_different_however_they_are_written() -> None:
    names = hinge.names()
    assert len(names) == len(CATALOGUE)
    assert len({find(name).name for name in names}) == len(names)
    assert {"Perceptron", "PA", "PA-I", "PA-II", "PA-I regression", "PA-II uniclass"} <= set(names)


@pytest.mark.parametrize("algorithm", CATALOGUE, ids=[algorithm.name for algorithm in CATALOGUE])
def test_every_entry_makes_a_learner_and_says_where_it_is_from(algorithm: Algorithm) -> None:
    learner = hinge.named(algorithm.name)
    assert type(learner) is algorithm.learner
    for name, value in algorithm.fixed.items():
        assert getattr(learner, name) == value
    assert algorithm.where.startswith("[")
    assert algorithm.what
    assert not algorithm.what.endswith(".")


@pytest.mark.parametrize("written", ["PA-I", "pa-i", "PA1", "pa 1", "Pa_I"])
def test_capitals_and_dashes_do_not_matter(written: str) -> None:
    assert find(written).name == "PA-I"


def test_parameters_go_to_the_step_or_to_the_learner() -> None:
    learner = hinge.named("PA-I", C=0.25, average=True)
    assert learner.step == hinge.PA1(C=0.25)
    assert learner.average
    assert hinge.named("Perceptron", eta=0.5).step == hinge.Perceptron(eta=0.5)
    assert hinge.named("PA-I regression", epsilon=0.5).epsilon == 0.5
    with pytest.raises(TypeError, match="PA-I has no parameter 'eta'; it has: C"):
        hinge.named("PA-I", eta=1.0)
    with pytest.raises(TypeError, match="no parameter 'focus'"):
        hinge.named("PA-I", focus=hinge.Predicted())


def test_an_unknown_name_is_answered_with_a_near_one() -> None:
    with pytest.raises(ValueError, match="Did you mean 'Perceptron'"):
        hinge.named("Perzeptron")
    with pytest.raises(ValueError, match=r"hinge\.names\(\) lists all"):
        hinge.named("zzz")
