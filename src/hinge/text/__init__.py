# SPDX-License-Identifier: BSD-3-Clause
"""Texts become sparse rows by hashing, as scikit-learn's HashingVectorizer makes them, and many times as fast.

How: the texts of a block are joined and encoded as UTF-8 in one go (lower-cased by Python where they are not ASCII),
and a compiled kernel walks the bytes: it splits (`grams`), hashes every n-gram with MurmurHash3 (`grams`), sorts the
row's columns and sums what falls together (`counts`). No Python object is made for a word, unless its name is kept
(`names`).

>>> from hinge.text import Text
>>> Text(ngrams=(1, 2)).transform(["free entry"]).nnz
3
"""

from hinge.text.vectorizer import Text

__all__ = ["Text"]
