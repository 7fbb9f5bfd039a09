# SPDX-License-Identifier: BSD-3-Clause
"""Spaces: where hypotheses live. How a row is scored, and how a move is made.

A space has ``begin(row)``, called before the first row it learns from is scored; ``score(row, scores)``, which fills
the scores and answers with the squared norm that a constraint of one lane has; ``move(row, coefficients, number)``,
called in round ``number`` if any coefficient is not 0; ``metric(row, q)``, which knows the norms of constraints (see
`hinge.focus`); ``after(row, task, truth, labels)``,
called at the end of a round; and ``prefetch(row)``.
"""
