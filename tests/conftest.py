# SPDX-License-Identifier: BSD-3-Clause
"""What all tests share: the interpreted run skips what needs the compiler, hypothesis repeats itself exactly."""

import doctest

import hypothesis
import numpy as np
import pytest

from hinge.native import INTERPRETED

# A first call may compile for a second, so there is no deadline; a failure seen once is seen by everyone.
hypothesis.settings.register_profile("hinge", deadline=None, derandomize=True, max_examples=30 if INTERPRETED else 100)
hypothesis.settings.load_profile("hinge")


@pytest.fixture
def rng() -> np.random.Generator:
    """Random numbers, the same in every run."""
    return np.random.default_rng(2006)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if INTERPRETED and item.get_closest_marker("compiled"):
            item.add_marker(pytest.mark.skip(reason="NUMBA_DISABLE_JIT=1: there is no compiler"))
        if isinstance(item, pytest.DoctestItem) and item.path.suffix == ".md":
            _close_fences(item.dtest)


def _close_fences(examples: doctest.DocTest) -> None:
    """To doctest, the fence that ends a code block of a README is one more line of output."""
    for example in examples.examples:
        example.want = example.want.removesuffix("```\n")
