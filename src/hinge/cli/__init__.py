# SPDX-License-Identifier: BSD-3-Clause
"""The command line: one module a command, and what the commands share (`docs/command-line.md`).

Nothing here loads NumPy, or what is built upon it, before a command has begun: ``hinge --help`` answers at once.
"""
