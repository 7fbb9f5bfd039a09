# SPDX-License-Identifier: BSD-3-Clause
"""Tables as people have them, seen as rows that kernels read: nothing copied without need, every fault named."""

from typing import Any

import numpy as np
import pandas
import pytest
from scipy import sparse

from hinge import inputs
from hinge.inputs import DenseTable, SparseTable, as_table


def cells(table: Any, dtype: Any, start: int, stop: int) -> np.ndarray:
    """What the views of a table hold, put together again."""
    found = np.zeros((stop - start, table.width), dtype)
    end = start
    for first, last, view in table.pieces(dtype, start, stop):
        assert first == end
        end = last
        for t in range(last - first):
            row = view.row(t)
            part = slice(row.start, row.stop)
            columns = row.indices[part] if hasattr(row, "indices") else slice(None)
            np.add.at(found[first - start + t], columns, row.data[part])
    assert end == stop or start == stop
    return found


FORMS = [np.asarray, np.asfortranarray, sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix]


@pytest.mark.parametrize("made", FORMS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("piece", [1, 7, 1 << 19])
def test_pieces_hold_what_the_table_holds(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, made: Any, dtype: Any, piece: int
) -> None:
    monkeypatch.setattr(inputs, "PIECE", piece)
    X = (rng.normal(size=(11, 5)) * (rng.random((11, 5)) < 0.5)).astype(np.float32)
    X[4] = 0
    table = as_table(made(X))
    assert (table.n, table.width, table.dtype) == (11, 5, np.float32)
    for start, stop in [(0, 11), (3, 9), (4, 5), (6, 6)]:
        wanted = X[start:stop].astype(dtype)
        np.testing.assert_array_equal(cells(table, dtype, start, stop), wanted)
        np.testing.assert_array_equal(cells(table.part(start, stop), dtype, 0, stop - start), wanted)
    order = rng.permutation(11)
    np.testing.assert_array_equal(cells(table.taken(order), dtype, 0, 11), X[order].astype(dtype))


def test_what_lies_right_is_not_copied(rng: np.random.Generator) -> None:
    X = rng.normal(size=(5, 3))
    ((_, _, view),) = as_table(X).pieces(np.float64, 0, 5)
    assert np.shares_memory(view.data, X)
    csr = sparse.csr_matrix(X)
    ((_, _, view),) = as_table(csr).pieces(np.float64, 0, 5)
    assert np.shares_memory(view.data, csr.data)
    assert np.shares_memory(view.indices, csr.indices)
    assert as_table(as_table(X)).X is X


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint16, np.int64, np.float16, np.longdouble, ">f4", ">f8", object])
def test_other_numbers_are_float64(dtype: Any) -> None:
    X = np.array([[0, 1], [1, 0]], dtype)
    table = as_table(X)
    assert table.dtype == np.float64
    np.testing.assert_array_equal(cells(table, np.float64, 0, 2), [[0, 1], [1, 0]])


def test_what_is_too_large_for_float32_is_infinite_without_a_warning() -> None:
    X = np.array([[1e300, 1.0]])
    for rows in (X, sparse.csr_matrix(X)):
        assert cells(as_table(rows), np.float32, 0, 1)[0, 0] == np.inf
        assert "row 0, column 0" in as_table(rows).fault(0)


def test_repeated_features_are_summed_and_put_in_order() -> None:
    data, indices = np.array([1.0, 2.0, 4.0, 8.0]), np.array([3, 1, 3, 0], np.int32)
    X = sparse.csr_matrix((data, indices, [0, 3, 3, 4]), shape=(3, 4))
    view = as_table(X).tidy(np.float64, 0, 3)
    assert view.indices.tolist() == [1, 3, 0]
    assert view.data.tolist() == [2.0, 5.0, 8.0]
    assert view.indptr.tolist() == [0, 2, 2, 3]
    assert X.indices.tolist() == [3, 1, 3, 0]
    assert as_table(X).columns().tolist() == [3, 1, 3, 0]
    assert as_table(X.toarray()).columns() is None


@pytest.mark.parametrize(("index", "row"), [(-1, 0), (4, 2), (2**31 - 1, 2)])
def test_an_index_out_of_range_is_named(index: int, row: int) -> None:
    X = sparse.csr_matrix(np.eye(4)[[0, 1, 3]])
    X.indices = np.array([0, 1, 3], np.int32)
    X.indices[row] = index
    with pytest.raises(ValueError, match=f"column index {index} in row {row}; indices must lie in 0..3"):
        as_table(X).tidy(np.float64, 0, 3)


@pytest.mark.parametrize("indptr", [[0, 2, 1], [1, 1, 2], [0, 1, 9], [0, 1]])
def test_a_broken_matrix_is_refused(indptr: list[int]) -> None:
    X = sparse.csr_matrix(np.eye(2))
    X.indptr = np.array(indptr, np.int32)
    with pytest.raises(ValueError, match="broken CSR matrix"):
        as_table(X)


def test_faults_name_the_row_as_the_whole_counts() -> None:
    X = np.ones((6, 3))
    X[4, 2], X[5, 1] = np.nan, 1e200
    for table in (as_table(X), as_table(sparse.csr_matrix(X))):
        assert "NaN in row 4, column 2" in table.fault(4)
        assert "row 5, column 1" in table.fault(5)
        part = table.part(3, 6)
        assert "NaN in row 4, column 2" in part.fault(1)
        assert "row 5, column 1" in part.part(1, 3).fault(1)


def test_frames_bring_their_names() -> None:
    frame = pandas.DataFrame({"a": [1.0, 2.0], "b": [0, 1]})
    table = as_table(frame)
    assert isinstance(table, DenseTable)
    assert table.names == ["a", "b"]
    assert table.part(0, 1).names == ["a", "b"]
    assert as_table(np.eye(2)).names is None
    assert isinstance(as_table(sparse.coo_matrix(np.eye(2))), SparseTable)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.ones(3), "2D array"), (np.ones((2, 2, 2)), "dim"), ([["a", "b"]], "numeric|convert|string"),
        (np.ones((1, 1)) * 1j, "Complex"), (sparse.csr_matrix([[1j]]), "Complex"), (3.0, "2D array|scalar"),
        ([[1.0], [1.0, 2.0]], "inhomogeneous|sequence"), (None, "."),
    ],
    ids=["vector", "cube", "words", "complex", "sparse complex", "number", "ragged", "nothing"],
)  # fmt: skip
def test_what_is_no_table_is_refused(X: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        as_table(X)
