# SPDX-License-Identifier: BSD-3-Clause
"""hinge: learning from a stream with margins."""

__version__ = "0.1.0"
