# SPDX-License-Identifier: BSD-3-Clause
"""Tasks: what a label means. How scores become a prediction, and which constraints the truth poses.

A task has ``predict(scores, first, known)`` and ``is_mistake(prediction, truth, worst)`` (what a report
counts), ``is_wrong(prediction, truth, worst)`` (what focus Predicted acts on), and names constraints: ``worst`` is
the one of the largest loss (which is the round's loss, in reports), ``against`` the one against the predicted label.
``first`` is the first lane of the contender in question, ``labels`` how many labels there are, ``known`` how many
there were when the prediction was made.
"""
