# SPDX-License-Identifier: BSD-3-Clause
"""Reading files."""
