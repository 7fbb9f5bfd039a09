# SPDX-License-Identifier: BSD-3-Clause
"""The estimators people use: scikit-learn's contract, and one row at a time with ``learn_one`` and ``predict_one``."""
