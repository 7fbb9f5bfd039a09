# SPDX-License-Identifier: BSD-3-Clause
"""The cache of compiled kernels: one file each, never stale, never half written, never a stranger's."""

from __future__ import annotations

import functools
import hashlib
import os
import pathlib
import pickle
import secrets
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any

import llvmlite
import numba
import numba.cpython.hashing  # its symbols, which kernels may refer to
import numpy as np
from numba.core import config, types
from numba.core.compiler import CompileResult
from numba.core.runtime import rtsys
from numba.core.serialize import dumps
from numba.core.sigutils import normalize_signature

from hinge.native import IMPORTED_AT, Compiled, fingerprint

#: Kernels of another version of hinge are kept for so many days, for whoever goes back to it.
DAYS_KEPT = 14


def sources() -> list[pathlib.Path]:
    """The files that hinge is."""
    return sorted(pathlib.Path(__file__).parent.rglob("*.py"))


def changed_under_way() -> bool:
    """Whether a file of hinge's was changed after this process had begun to import hinge (an edit, an upgrade).

    What is loaded is then not what the files say, and must neither be kept under their name nor taken for them.
    """
    try:
        return any(max(path.stat().st_mtime, path.stat().st_ctime) >= IMPORTED_AT for path in sources())
    except OSError:  # a file that was there a moment ago is gone
        return True


@functools.cache
def sources_digest() -> str:
    """What hinge itself is: any edit or upgrade of any of its files gives another digest."""
    root = pathlib.Path(__file__).parent
    digest = hashlib.sha256()
    for path in sources():
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    if changed_under_way():
        digest.update(secrets.token_bytes(16))
    return digest.hexdigest()


def cache_folders() -> Iterator[pathlib.Path]:
    """Where kernels may be kept, best first: what the user says, beside the package, the user's own cache."""
    if config.CACHE_DIR:
        yield pathlib.Path(config.CACHE_DIR) / "hinge"
        return
    yield pathlib.Path(__file__).parent / "__pycache__" / "kernels"
    own = os.environ.get("XDG_CACHE_HOME") or (os.environ.get("LOCALAPPDATA") if os.name == "nt" else None)
    try:
        yield (pathlib.Path(own) if own else pathlib.Path.home() / ".cache") / "hinge" / "kernels"
    except RuntimeError:  # no home folder at all
        return


class Cache:
    """One file a kernel, named by everything that decides its machine code, so that a stale one is never found.

    A file begins with a digest of its name and content: a damaged or renamed one is as good as none. Files are
    written whole and renamed; readers look in every folder, so that an image may be warmed while its package folder
    is writable and run when it is not. Where nothing can be written, nothing is kept.
    """

    def __init__(self, function: Compiled) -> None:
        self.function = function
        self.cache_path = str(next(cache_folders()))

    def _name(self, signature: Any, codegen: Any) -> str:
        arguments, _ = normalize_signature(signature)
        tuples = [part.instance_class for part in _parts(arguments) if hasattr(part, "instance_class")]
        what = (
            sources_digest(), fingerprint(self.function), str(signature), fingerprint(tuple(tuples)),
            codegen.magic_tuple(), numba.__version__, llvmlite.__version__, np.__version__, sys.version,
            config.BOUNDSCHECK, config.OPT, config.DEBUGINFO_DEFAULT, config.USING_SVML,
        )  # fmt: skip
        identity = hashlib.sha256(repr(what).encode()).hexdigest()[:32]
        return f"{self.function.__name__}-{sources_digest()[:8]}-{identity}.kernel"

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """The compiled code for a signature, or None. (The name is Numba's.)"""
        # Finished machine code needs Numba's runtime, and the symbols that it refers to. Numba's own cache loads here
        # all that a compilation could need, scipy's linear algebra too: half of the time that beginning takes.
        rtsys.initialize(target_context)
        name = self._name(signature, target_context.codegen())
        for folder in cache_folders():
            try:
                return CompileResult._rebuild(target_context, *pickle.loads(_read_sealed(folder / name)))
            except (OSError, LookupError, ImportError, AttributeError):
                continue  # not there, damaged, or of a class that is gone: it is compiled again and written anew
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep compiled code. (The name is Numba's.)"""
        arguments, _ = normalize_signature(signature)
        takes_functions = any(isinstance(part, types.Dispatcher) for part in _parts(arguments))
        if takes_functions or result.lifted or result.library.has_dynamic_globals or changed_under_way():
            return
        try:
            content = dumps(result._reduce())
        except LookupError:  # a rule whose globals were changed under way (see NativeType): it is good for now only
            return
        name = self._name(signature, result.codegen)
        for folder in cache_folders():
            try:
                _write_sealed(folder / name, content)
                _clear_out(folder)
                return
            except OSError:
                continue

    def flush(self) -> None:
        """Numba's hook for `recompile`; nothing here can be stale."""


def _parts(its_types: Iterable[Any]) -> Iterator[Any]:
    """All types that these are made of."""
    for its_type in its_types:
        yield its_type
        yield from _parts(getattr(its_type, "types", ()))
        if hasattr(its_type, "inner"):  # what is bound (`hinge.jit.Bound`)
            yield from _parts((its_type.inner,))


@functools.cache
def _clear_out(folder: pathlib.Path) -> None:
    """Remove, once a process, the kernels of versions that nobody has used for long."""
    current, long_ago = f"-{sources_digest()[:8]}-", time.time() - DAYS_KEPT * 86400
    for path in folder.glob("*.kernel"):
        try:
            if current not in path.name and path.stat().st_mtime < long_ago:
                path.unlink()
        except OSError:  # somebody else's, or already gone
            continue


def _seal(path: pathlib.Path, content: bytes) -> bytes:
    return hashlib.sha256(path.name.encode() + b"\0" + content).digest()


def _read_sealed(path: pathlib.Path) -> bytes:
    """The content of a file that only this user, root or the owner of the package can have written.

    To load a kernel is to run it: in a folder where all may write, a stranger's file must not be opened.
    """
    with open(path, "rb") as file:
        status = os.fstat(file.fileno())
        trusted = {0, os.geteuid(), os.stat(__file__).st_uid} if os.name == "posix" else {status.st_uid}
        if status.st_uid not in trusted or (os.name == "posix" and status.st_mode & 0o022):
            raise PermissionError(f"{path} may have been written by another user")
        seal, content = file.read(32), file.read()
    if seal != _seal(path, content):
        raise OSError(f"{path} is damaged")
    return content


def _write_sealed(path: pathlib.Path, content: bytes) -> None:
    """Write a file as a whole: whoever reads it sees all of it or none, whoever else writes it at the same time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(f".{os.getpid()}-{secrets.token_hex(4)}")
    try:
        # Readable by all: an image is often warmed as root and run as somebody else.
        with open(temporary, "xb", opener=functools.partial(os.open, mode=0o644)) as file:
            file.write(_seal(path, content) + content)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
