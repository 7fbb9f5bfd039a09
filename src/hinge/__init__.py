# SPDX-License-Identifier: BSD-3-Clause
"""hinge: learning from a stream with margins.

>>> import hinge
>>> clf = hinge.Classifier(hinge.PA1(C=0.5))
>>> clf = clf.learn_one({"free": 2.0, "prize": 1.0}, "spam").learn_one({"meeting": 1.0}, "ham")
>>> clf.predict_one({"free": 3.0})
'spam'

Everything here is imported when it is first used: ``import hinge`` takes no longer than it must.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

# Not when it is first used: the module of this name would then stand where the decorator should.
from hinge.native import compiled, native

__version__ = "0.1.0"

if TYPE_CHECKING:
    from hinge import bounds
    from hinge.catalogue import named, names
    from hinge.certificate import Certificate
    from hinge.exact import Exact
    from hinge.focus import Mistaken, Predicted, Proportional, Violated, Worst
    from hinge.io import read
    from hinge.kernel_engine import GrowthWarning
    from hinge.learners.classifier import Classifier
    from hinge.learners.constraints import ConstraintLearner
    from hinge.learners.multilabel import MultilabelClassifier
    from hinge.learners.oneclass import OneClass
    from hinge.learners.ordinal import OrdinalClassifier
    from hinge.learners.regressor import Regressor
    from hinge.modelfile import ModelFileError, load
    from hinge.progressive import play, race
    from hinge.report import Race, Report
    from hinge.spaces.all_pairs import AllPairs
    from hinge.spaces.features import Gates, Joint, LabelTfIdf, MailFeatures, Shared
    from hinge.spaces.kernel.budgets import BudgetPA, Forgetron, Projectron, ProjectronPlus, RandomBudget
    from hinge.spaces.kernel.function import Kernel
    from hinge.spaces.linear import Linear
    from hinge.steps import PA, PA1, PA2, Perceptron
    from hinge.text import Text

#: Where each public name is.
_HOMES = {
    "hinge.bounds": ("bounds",),
    "hinge.catalogue": ("named", "names"),
    "hinge.certificate": ("Certificate",),
    "hinge.exact": ("Exact",),
    "hinge.focus": ("Mistaken", "Predicted", "Proportional", "Violated", "Worst"),
    "hinge.io": ("read",),
    "hinge.kernel_engine": ("GrowthWarning",),
    "hinge.learners.classifier": ("Classifier",),
    "hinge.learners.constraints": ("ConstraintLearner",),
    "hinge.learners.multilabel": ("MultilabelClassifier",),
    "hinge.learners.oneclass": ("OneClass",),
    "hinge.learners.ordinal": ("OrdinalClassifier",),
    "hinge.learners.regressor": ("Regressor",),
    "hinge.modelfile": ("ModelFileError", "load"),
    "hinge.progressive": ("play", "race"),
    "hinge.report": ("Race", "Report"),
    "hinge.spaces.all_pairs": ("AllPairs",),
    "hinge.spaces.features": ("Gates", "Joint", "LabelTfIdf", "MailFeatures", "Shared"),
    "hinge.spaces.kernel.budgets": ("BudgetPA", "Forgetron", "Projectron", "ProjectronPlus", "RandomBudget"),
    "hinge.spaces.kernel.function": ("Kernel",),
    "hinge.spaces.linear": ("Linear",),
    "hinge.steps": ("PA", "PA1", "PA2", "Perceptron"),
    "hinge.text": ("Text",),
}
_HOME_OF = {name: home for home, names_there in _HOMES.items() for name in names_there}

__all__ = [
    "PA", "PA1", "PA2", "AllPairs", "BudgetPA", "Certificate", "Classifier", "ConstraintLearner", "Exact", "Forgetron",
    "Gates", "GrowthWarning", "Joint", "Kernel", "LabelTfIdf", "Linear", "MailFeatures", "Mistaken", "ModelFileError",
    "MultilabelClassifier", "OneClass", "OrdinalClassifier", "Perceptron", "Predicted", "Projectron", "ProjectronPlus",
    "Proportional", "Race", "RandomBudget", "Regressor", "Report", "Shared", "Text", "Violated", "Worst", "bounds",
    "compiled", "load", "named", "names", "native", "play", "race", "read",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'hinge' has no attribute {name!r}")
    module = importlib.import_module(_HOME_OF[name])
    value = module if name == "bounds" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
