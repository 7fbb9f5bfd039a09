# SPDX-License-Identifier: BSD-3-Clause
"""The kernel space: `function` says what kernels there are, `rows` what they are taken of, `memory` how a round scores
and moves, `budgets` what becomes of a move where supports must stay few. `hinge.kernel_engine` brings them together.
"""
