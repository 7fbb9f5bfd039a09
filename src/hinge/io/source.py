# SPDX-License-Identifier: BSD-3-Clause
"""The bytes of a text file, unpacked, a buffer of whole lines at a time.

What a file is packed with is told from its first bytes; its name must not contradict them.
"""

from __future__ import annotations

import io
import os
import select
import stat
import sys
import zlib
from typing import Any, BinaryIO

import numpy as np

from hinge.io.errors import BadFile, BadLine
from hinge.io.numbers import NEWLINE, SPARE

#: A line may be longer than a buffer, not longer than this: a file without line ends is not a text of rows.
LONGEST_LINE = 1 << 28
GZIP, ZSTD, BYTE_ORDER_MARK = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xef\xbb\xbf"
PACKED = {".gz": ("gzip", GZIP), ".zst": ("zstd", ZSTD)}
#: Compressed bytes taken at a time: 128 KiB may come out of each 4 bytes, so this bounds memory at 16 MiB.
ZSTD_STEP = 512


def open_bytes(path: str) -> Any:
    """A file, or standard input ("-"), as raw bytes, unpacked if they are packed."""
    if path == "-":
        stream: Any = _standard_input()
    else:
        stream = open(path, "rb", buffering=0)  # noqa: SIM115  (closed by the reader)
    try:
        head = _read_fully(stream, 4)
        how, magic = PACKED.get(os.path.splitext(path)[1].lower(), ("", b""))
        if not head.startswith(magic):
            raise BadFile(path, f"its name says {how}, but it does not begin as {how} does")
        rest = Rest(head, stream)
        if head.startswith(GZIP):
            import gzip

            return gzip.GzipFile(fileobj=io.BufferedReader(rest, 1 << 16))
        if head.startswith(ZSTD):
            return Unzstd(rest)
        return rest
    except BaseException:
        stream.close()
        raise


def _standard_input() -> BinaryIO:
    """Standard input without Python's buffer: a thread that waits in that one blocks the interpreter's exit."""
    if sys.stdin is sys.__stdin__:
        return open(0, "rb", buffering=0, closefd=False)
    return sys.stdin.buffer  # somebody put another stream in its place


def _read_fully(stream: Any, size: int) -> bytes:
    parts = []
    while size and (part := stream.read(size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


class Rest(io.RawIOBase):
    """A stream whose first bytes were already read."""

    def __init__(self, head: bytes, stream: Any) -> None:
        """Read ``head`` again, then the rest of the stream."""
        self.head = head
        self.stream = stream
        self._live = _may_wait(stream)

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a part of the buffer; 0 at the end."""
        if self.head:
            count = min(len(self.head), len(buffer))
            buffer[:count] = self.head[:count]
            self.head = self.head[count:]
            return count
        return int(self.stream.readinto(buffer) or 0)

    def waits(self) -> bool:
        """Whether the next read would have to wait for whoever writes: of pipes, where the system can tell."""
        if self.head or not self._live:
            return False
        poll = select.poll()
        poll.register(self.stream, select.POLLIN)
        return not poll.poll(0)

    def share(self) -> float | None:
        """How much of a file was read, from 0 to 1; None of what has no end that is known."""
        try:
            status = os.fstat(self.stream.fileno())
            return self.stream.tell() / max(1, status.st_size) if stat.S_ISREG(status.st_mode) else None
        except (OSError, ValueError):  # no file, or closed meanwhile
            return None

    def close(self) -> None:
        """Close the stream below too."""
        self.stream.close()
        super().close()


def share_read(stream: Any) -> float | None:
    """How much of a file that `open_bytes` opened was read, as it lies on the disk."""
    below = getattr(stream, "packed", getattr(stream, "fileobj", None))
    rest = stream if below is None else getattr(below, "raw", None)
    return rest.share() if isinstance(rest, Rest) else None


def _may_wait(stream: Any) -> bool:
    """Whether a stream is a pipe or the like, and can be asked if it has something to read."""
    try:
        return hasattr(select, "poll") and not stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except OSError:  # no file at all
        return False


class Unzstd(io.RawIOBase):
    """Frames of zstd, one after another. (The library's own reader takes a truncated file for a whole one.)"""

    def __init__(self, packed: Rest) -> None:
        """Read what is packed in a stream."""
        try:
            import zstandard
        except ImportError as error:
            raise ImportError("reading zstd files needs the package zstandard: pip install 'hinge[cli]'") from error
        self.packed = io.BufferedReader(packed, 1 << 16)
        self.library = zstandard
        self.frame: Any = None
        self.waiting = b""
        self.unpacked = memoryview(b"")

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a part of the buffer; 0 at the end of the last frame."""
        while not self.unpacked:
            packed = self.waiting or self.packed.read(ZSTD_STEP)
            self.waiting = b""
            if not packed:
                if self.frame is not None:
                    raise EOFError("in the middle of a frame")
                return 0
            if self.frame is None:
                self.frame = self.library.ZstdDecompressor().decompressobj()
            self.unpacked = memoryview(self.frame.decompress(packed))
            if self.frame.eof:
                self.waiting = self.frame.unused_data
                self.frame = None
        count = min(len(self.unpacked), len(buffer))
        buffer[:count] = self.unpacked[:count]
        self.unpacked = self.unpacked[count:]
        return count

    def close(self) -> None:
        """Close the file below too."""
        self.packed.close()
        super().close()


class Lines:
    """The whole lines of a stream, about ``size`` bytes at a time, always in the same buffer.

    What comes through a pipe is handed on as it comes, however little it is; only a `patient` reader gets ``size``
    bytes of it.

    >>> lines = Lines(io.BytesIO(b"one\\ntwo\\nthree"), "text", 6)
    >>> [bytes(lines.read()) for _ in range(3)]
    [b'one\\n', b'two\\n', b'three\\n']
    """

    def __init__(self, stream: Any, path: str, size: int) -> None:
        """Read an unpacked stream; the path is for messages."""
        self.stream = stream
        self.path = path
        self.size = size
        self._waits = getattr(stream, "waits", lambda: False)
        #: Wait for ``size`` bytes: whoever parses does not yet know what the file is, and a few lines may mislead.
        self.patient = False
        self.buffer = np.zeros(size + 1 + SPARE, np.uint8)  # 1: for the newline that a last line may lack
        self.whole = 0
        self.filled = 0
        self.ended = False
        self.fresh = True
        #: The line that the next `read` begins with, kept up to date by whoever parses; only errors use it.
        self.line = 1

    def read(self, unused: int = 0) -> np.ndarray | None:
        """The next lines, each with its newline, or None. ``unused`` bytes of those before are given again."""
        begin = self.whole - unused
        self.filled -= begin
        if begin:
            self.buffer[: self.filled] = self.buffer[begin : begin + self.filled].copy()
        searched = unused
        while True:
            self._fill()
            end = _after_last_newline(self.buffer, searched, self.filled)
            if end or self.ended:
                break
            searched = self.filled
            if self.filled == len(self.buffer) - 1 - SPARE:
                self._grow()
        if self.ended and self.filled and self.buffer[self.filled - 1] != NEWLINE:
            self.buffer[self.filled] = NEWLINE
            self.filled += 1
        self.whole = self.filled if self.ended else end
        return self.buffer[: self.whole] if self.whole else None

    def _fill(self) -> None:
        room = len(self.buffer) - 1 - SPARE
        try:
            while self.filled < room and not self.ended:
                count = self.stream.readinto(self.buffer.data[self.filled : room])
                self.filled += count
                self.ended = not count
                if self.fresh and (self.filled >= 3 or self.ended):
                    self.fresh = False
                    if bytes(self.buffer[:3]) == BYTE_ORDER_MARK and self.filled >= 3:
                        self.filled -= 3
                        self.buffer[: self.filled] = self.buffer[3 : 3 + self.filled].copy()
                if (self.filled >= self.size or not self.patient) and self._waits():
                    break
        except EOFError as error:
            raise BadFile(self.path, "it ends in the middle of its compressed data: was it cut short?") from error
        except (zlib.error, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise  # the disk's own trouble
            raise BadFile(self.path, f"its compressed data is damaged ({error})") from error
        except Exception as error:
            if type(error).__name__ != "ZstdError":  # known only where zstandard is installed
                raise
            raise BadFile(self.path, f"its compressed data is damaged ({error})") from error

    def _grow(self) -> None:
        if len(self.buffer) > LONGEST_LINE:
            raise BadLine(
                self.path, self.line, 1, f"the line's end within {LONGEST_LINE} bytes", "none: is this a text file?"
            )
        larger = np.zeros(2 * len(self.buffer), np.uint8)
        larger[: self.filled] = self.buffer[: self.filled]
        self.buffer = larger


def _after_last_newline(buffer: np.ndarray, begin: int, end: int) -> int:
    """Where the last line ends in buffer[begin:end], or 0."""
    step = 1 << 12
    while end > begin:
        start = max(begin, end - step)
        found = np.flatnonzero(buffer[start:end] == NEWLINE)
        if len(found):
            return start + int(found[-1]) + 1
        end = start
        step *= 2
    return 0
