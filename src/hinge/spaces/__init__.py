# SPDX-License-Identifier: BSD-3-Clause
"""Spaces: where hypotheses live. How a row is scored, and how a move is made.

A space has ``begin(row)``, called before a row it learns from is scored, and ``begin_not(row, before)``, which
undoes that if the row turns out bad (``before`` is what ``begun()`` said); ``score(row, scores)``, which fills the
scores and answers with the squared norm that a constraint of one lane has; ``move(row, coefficients, number)``,
called in round ``number`` if any coefficient is not 0; ``metric(row, q)``, which knows the norms of constraints (see
`hinge.focus`); ``after(row, task, truth, labels)``, called at the end of a round; and ``prefetch(row)``.
"""
