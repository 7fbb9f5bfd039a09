# SPDX-License-Identifier: BSD-3-Clause
"""A demonstration: ``python -m hinge.demo`` learns a real stream of messages, once through."""
