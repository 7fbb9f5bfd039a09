# SPDX-License-Identifier: BSD-3-Clause
"""`Text`, the transformer: texts in, sparse rows out."""

from __future__ import annotations

import copy
import inspect
import threading
from typing import Any

import numpy as np

from hinge.text.encoding import as_list, blocks, check_text, encode_one, encode_rows, lengths_of
from hinge.text.names import NameTable
from hinge.text.parameters import CHECKS
from hinge.text.work import ANALYZERS, NORMS, Settings, Work

__all__ = ["Text"]

#: A block has about so many characters (fewer where a character starts many n-grams); its memory is used again.
BLOCK = 1 << 16
#: Memory for longer texts than this is given back.
KEPT = 1 << 18


class Text:
    r"""Texts become sparse rows: words or characters, n-grams of them, hashed into ``2**bits`` columns.

    Column ``|h| mod 2**bits`` of a row counts the n-grams of hash h, where h is MurmurHash3 (32 bits, signed, seed 0)
    of the n-gram's UTF-8; ``signed`` counts those of negative hash as -1, so that collisions cancel on average
    (Weinberger et al., Feature Hashing for Large Scale Multitask Learning, ICML 2009, section 2). Columns and values
    are those of scikit-learn's ``HashingVectorizer(n_features=2**bits, alternate_sign=signed, ngram_range=ngrams)``.

    Parameters: ``ngrams`` the shortest and the longest n-gram; ``analyzer`` "word" (runs of two or more letters, digits
    and underscores), "char", or "char_wb" (characters of one word at a time, a space before and behind it);
    ``lowercase``; ``norm`` "l2", "l1" or None (counts); ``binary`` every count is 1; ``names`` keep the n-grams of
    each column (a number: at most so many); ``dtype`` of the values.

    >>> text = Text(norm=None, signed=False)
    >>> rows = text.transform(["Free entry, free!", "see you"])
    >>> rows.shape, rows.data.tolist()
    ((2, 262144), [2.0, 1.0, 1.0, 1.0])

    One text at a time, for a stream:

    >>> columns, values = text.transform_one("Free entry, free!")
    >>> columns.tolist() == rows[0].indices.tolist()
    True

    There is nothing to learn, `fit` does nothing. Threads may share a Text.
    """

    def __init__(
        self,
        ngrams: tuple[int, int] = (1, 1),
        bits: int = 18,
        *,
        analyzer: str = "word",
        lowercase: bool = True,
        signed: bool = True,
        norm: str | None = "l2",
        binary: bool = False,
        names: bool | int = False,
        dtype: Any = np.float32,
    ) -> None:
        """Set and check the parameters."""
        self.ngrams = ngrams
        self.bits = bits
        self.analyzer = analyzer
        self.lowercase = lowercase
        self.signed = signed
        self.norm = norm
        self.binary = binary
        self.names = names
        self.dtype = dtype
        self._start_anew()

    def _start_anew(self) -> None:
        self._idle: list[Work] = []  # memory that no thread works with
        self._naming = threading.Lock()
        most = None if self.names is True else int(self.names)
        self._table = NameTable(most) if self.names else None

    def __setattr__(self, name: str, value: Any) -> None:
        """Check a parameter as it is set; a changed one starts the table of names anew."""
        if name in CHECKS:
            CHECKS[name](value)
        object.__setattr__(self, name, value)
        if name in CHECKS and "_table" in self.__dict__:
            self._start_anew()

    # ------------------------------------------------------------------------------------------ texts to rows

    def fit(self, X: Any = None, y: Any = None) -> Text:
        """Nothing: what a column means is fixed by the hash. (Only a str in place of a list is refused.)"""
        if isinstance(X, str):
            as_list(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """The same as `transform`."""
        return self.transform(X)

    def transform(self, X: Any) -> Any:
        """One sparse row (scipy CSR, sorted columns) for each text of a list, an array, a Series or a generator."""
        import scipy.sparse

        texts = as_list(X)
        lengths = lengths_of(texts)
        row_ends = np.zeros(len(texts) + 1, dtype=np.int64)
        indices, values = [np.empty(0, dtype=np.int32)], [np.empty(0, dtype=self.dtype)]
        filled = 0
        for first, last in blocks(lengths, max(BLOCK // (self.ngrams[1] - self.ngrams[0] + 1), 1024)):
            data, bounds = encode_rows(
                texts[first:last], lengths[first:last], first, bool(self.lowercase), self.analyzer == "word"
            )
            work = self._take(len(data))
            work.text[: len(data)] = data
            work.memory.bounds[1 : len(bounds) + 1] = bounds
            size = self._run(work, len(bounds))
            row_ends[first + 1 : last + 1] = filled + work.memory.indptr[1 : len(bounds) + 1]
            indices.append(work.memory.indices[:size].copy())
            values.append(work.memory.values[:size].astype(self.dtype))
            filled += size
            self._give_back(work)
        index_type = np.int32 if filled < 2**31 else np.int64
        rows = scipy.sparse.csr_matrix((len(texts), 1 << self.bits), dtype=self.dtype)
        rows.data, rows.indices = np.concatenate(values), np.concatenate(indices, dtype=index_type)
        rows.indptr = row_ends.astype(index_type)
        rows.has_sorted_indices = rows.has_canonical_format = True
        return rows

    def transform_one(self, text: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """The sorted columns (int32) and the values of one text: the row that `transform` makes of it."""
        check_text(text, "the text")
        data = text.encode() if text.isascii() else encode_one(text, bool(self.lowercase), self.analyzer == "word")
        length = len(data)
        work = self._take(length + 1)
        work.text[:length] = data
        work.text[length] = 0
        work.bounds[1] = length + 1
        size = self._run(work, 1)
        indices, values = work.indices[:size].copy(), work.values[:size].astype(self.dtype)
        self._give_back(work)
        return indices, values

    def _run(self, work: Work, n_rows: int) -> int:
        table = self._table
        if table is None or table.full:
            return work.run(n_rows, 0)
        with self._naming:
            table.make_room(work.n_grams_at_most(n_rows))
            work.see(table.seen)
            size = work.run(n_rows, 1)
            table.take_in(work.memory.folded, work.memory.fresh[: work.memory.counters[0]])
        return size

    def _take(self, n_bytes: int) -> Work:
        """Memory that is this thread's until it gives it back. (pop and append of a list are atomic.)"""
        try:
            work = self._idle.pop()
            if work.n_bytes >= n_bytes:
                return work
        except IndexError:  # none is idle
            pass
        room = max(1 << 12, 1 << (n_bytes - 1).bit_length())
        return Work(self._settings(), room, np.zeros(1, dtype=np.int64))

    def _give_back(self, work: Work) -> None:
        if work.n_bytes <= KEPT:
            self._idle.append(work)

    def _settings(self) -> Settings:
        return Settings(
            low=int(self.ngrams[0]),
            high=int(self.ngrams[1]),
            bits=int(self.bits),
            analyzer=ANALYZERS.index(self.analyzer),
            lowercase=int(self.lowercase),
            signed=int(self.signed),
            norm=NORMS.index(self.norm),
            binary=int(self.binary),
            naming=int(bool(self.names)),
        )

    # ------------------------------------------------------------------------------------------ reading weights

    @property
    def names_(self) -> dict[int, tuple[str, ...]]:
        """The n-grams met so far, by column, first met first."""
        table = self._named()
        with self._naming:
            return dict(table.of_column)

    @property
    def collisions_(self) -> dict[int, tuple[str, ...]]:
        """The columns that stand for more than one n-gram met so far."""
        return {column: names for column, names in self.names_.items() if len(names) > 1}

    def name(self, column: int) -> str:
        """The n-gram of a column; several are joined by " | ", and a column not met yet is "#" and its number.

        >>> text = Text(names=True)
        >>> columns, values = text.transform_one("free")
        >>> text.name(columns[0]), text.name(5)
        ('free', '#5')
        """
        if not 0 <= column < 1 << self.bits:
            raise ValueError(f"column {column}: expected one from 0 to {(1 << self.bits) - 1}")
        return " | ".join(self._named().of_column.get(int(column), (f"#{column}",)))

    def column(self, ngram: str) -> tuple[int, int]:
        """The column of an n-gram and the sign it is counted with: its weight is ``sign * coef[column]``.

        >>> Text().column("free")
        (156782, 1)
        """
        from sklearn.utils import murmurhash3_32

        check_text(ngram, "the n-gram")
        hashed = int(murmurhash3_32(encode_one(ngram.lower() if self.lowercase else ngram, False, False)))
        return abs(hashed) % (1 << self.bits), -1 if self.signed and hashed < 0 else 1

    def _named(self) -> NameTable:
        table = self._table
        if table is None:
            raise AttributeError("this Text keeps no names: make it Text(names=True), then transform")
        return table

    # ------------------------------------------------------------------------------------------ scikit-learn's ways

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters, by name."""
        return {name: getattr(self, name) for name in CHECKS}

    def set_params(self, **parameters: Any) -> Text:
        """Set parameters by name: all or, where one is wrong, none."""
        for name, value in parameters.items():
            if name not in CHECKS:
                raise ValueError(f"Text has no parameter {name!r}; it has {', '.join(CHECKS)}")
            CHECKS[name](value)
        for name, value in parameters.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        """The parameters that are not the usual ones."""
        usual = inspect.signature(Text).parameters
        given = (f"{name}={getattr(self, name)!r}" for name in CHECKS if getattr(self, name) != usual[name].default)
        return f"{type(self).__name__}({', '.join(given)})"

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn wants to know: takes str, needs no fit."""
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(preserves_dtype=[]),
            input_tags=InputTags(two_d_array=False, string=True),
            requires_fit=False,
        )

    def __sklearn_is_fitted__(self) -> bool:
        """Always: there is nothing to fit."""
        return True

    def __getstate__(self) -> dict[str, Any]:
        """The parameters and the names, without the memory to work in."""
        with self._naming:
            return {**self.get_params(), "_table": copy.deepcopy(self._table)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """As it was saved."""
        parameters = {name: value for name, value in state.items() if name in CHECKS}
        Text.__init__(self, **parameters)
        self._table = state["_table"]
