# SPDX-License-Identifier: BSD-3-Clause
"""Files and data frames to rows: svmlight, Vowpal Wabbit, CSV, JSON lines, Parquet, Arrow, CoNLL."""

from hinge.io.batch import Batch
from hinge.io.errors import BadFile, BadLine
from hinge.io.frames import FrameRows, as_rows
from hinge.io.reader import Reader, read

__all__ = ["BadFile", "BadLine", "Batch", "FrameRows", "Reader", "as_rows", "read"]
