# SPDX-License-Identifier: BSD-3-Clause
"""An iterator that runs in a thread beside whoever uses it, a few items ahead and no more."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

T = TypeVar("T")
#: What the thread says when its iterator has ended.
_END: Any = object()


class Background(Generic[T]):
    """Runs an iterator in a thread of its own, at most ``ahead`` items before its consumer.

    >>> list(Background(iter("abc")))
    ['a', 'b', 'c']

    What the iterator raises is raised in the consumer, after the items before it. `stop` ends the thread between two
    items; nobody need use all of them. However it ends, ``finish`` is called once.
    """

    def __init__(self, items: Iterator[T], ahead: int = 2, finish: Callable[[], None] = lambda: None) -> None:
        """Begin at the first `next`."""
        self._items = items
        self._finish = finish
        self._room = threading.Semaphore(ahead)
        self._ready: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._stopped = threading.Event()
        self._ended = False
        # A daemon: whoever leaves without closing must not be kept from leaving by a file that never ends.
        self._thread = threading.Thread(target=self._run, name="hinge reader", daemon=True)
        self._started = False

    def _run(self) -> None:
        last: Any = _END
        try:
            while True:
                self._room.acquire()
                if self._stopped.is_set():
                    break
                item = next(self._items, _END)
                if item is _END:
                    break
                self._ready.put(item)
        except BaseException as error:
            last = _Raised(error)
        finally:
            self._finish()
            self._ready.put(last)

    def __iter__(self) -> Background[T]:
        """It is its own iterator."""
        return self

    def __next__(self) -> T:
        """The next item, when it is there."""
        if self._ended or self._stopped.is_set():
            raise StopIteration
        if not self._started:
            self._started = True
            self._thread.start()
        item = self._ready.get()
        if item is _END or isinstance(item, _Raised):
            self._ended = True
            if item is _END:
                raise StopIteration
            raise item.error
        self._room.release()
        return item

    def stop(self, wait: bool = True) -> None:
        """End the thread; ``wait`` until it has ended (not for a pipe: its next byte may never come)."""
        if not self._started:
            if not self._stopped.is_set():
                self._stopped.set()
                self._finish()
            return
        self._stopped.set()
        self._room.release()
        if wait:
            self._thread.join()

    @property
    def running(self) -> bool:
        """Whether the thread is alive."""
        return self._thread.is_alive()


class _Raised:
    def __init__(self, error: BaseException) -> None:
        self.error = error
