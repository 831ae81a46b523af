"""Which bytes of an SQLite file are rows: the places where a flipped byte is damage.

See "Database File Format" in SQLite's documentation: trees, cells, overflow pages.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterator

LEAF_TABLE, LEAF_INDEX, INNER_TABLE, INNER_INDEX = 13, 10, 5, 2
FILE_HEADER = 100


def stored_bytes(content: bytes) -> list[int]:
    """Return the places of all bytes of rows and of entries of indices; headers and free space are left out."""
    return sorted(set(Pages(content).places()))


def in_memory(content: bytes) -> bytes:
    """Return a file that a connection in memory can read: two bytes describe its write-ahead log."""
    return content[:18] + b"\1\1" + content[20:]


class Pages:
    """An SQLite file, page by page from the trees that its schema names.

    Parameters
    ----------
    content : bytes
        Of a file in good order, without a log next to it.
    """

    def __init__(self, content: bytes) -> None:
        self._content = content
        (size,) = struct.unpack_from(">H", content, 16)
        self._size = 65536 if size == 1 else size

    def places(self) -> Iterator[int]:
        """Yield the places of the cells of all trees."""
        seen, waiting = set[int](), [1, *self._roots()]
        while waiting:
            page = waiting.pop()
            if page not in seen:
                seen.add(page)
                children, places = self._page(page)
                waiting += children
                yield from places

    def _roots(self) -> list[int]:
        connection = sqlite3.connect(":memory:")
        try:
            connection.deserialize(in_memory(self._content))
            return [row[0] for row in connection.execute("SELECT rootpage FROM sqlite_master WHERE rootpage > 0")]
        finally:
            connection.close()

    def _page(self, page: int) -> tuple[list[int], list[int]]:
        """Return the pages below one, and the places of its cells."""
        start = (page - 1) * self._size
        head = start + (FILE_HEADER if page == 1 else 0)
        kind, _, count = struct.unpack_from(">BHH", self._content, head)
        is_inner = kind in (INNER_TABLE, INNER_INDEX)
        children = [self._number(head + 8)] if is_inner else []
        places = list[int]()
        for i in range(count):
            (cell,) = struct.unpack_from(">H", self._content, head + (12 if is_inner else 8) + 2 * i)
            if is_inner:
                children.append(self._number(start + cell))
            places += self._cell(kind, start + cell)
        return children, places

    def _number(self, at: int) -> int:
        (number,) = struct.unpack_from(">I", self._content, at)
        return int(number)

    def _cell(self, kind: int, first: int) -> list[int]:
        """Return the places of one cell and of its overflow."""
        at = first + (4 if kind in (INNER_TABLE, INNER_INDEX) else 0)
        if kind == INNER_TABLE:
            _, at = self._varint(at)
            return list(range(first, at))
        length, at = self._varint(at)
        if kind == LEAF_TABLE:
            _, at = self._varint(at)
        here = self._local(kind, length)
        places = list(range(first, at + here + (4 if here < length else 0)))
        left, page = length - here, self._number(at + here) if here < length else 0
        while page:
            start, part = (page - 1) * self._size, min(left, self._size - 4)
            places += range(start, start + 4 + part)
            left, page = left - part, self._number(start)
        return places

    def _varint(self, at: int) -> tuple[int, int]:
        """Return a number of one to nine bytes, and the place after it."""
        value = 0
        for i in range(8):
            byte = self._content[at + i]
            value = value << 7 | byte & 127
            if byte < 128:
                return value, at + i + 1
        return value << 8 | self._content[at + 8], at + 9

    def _local(self, kind: int, length: int) -> int:
        """Return how much of a row is in its cell; the rest is on overflow pages."""
        size = self._size
        most = size - 35 if kind == LEAF_TABLE else (size - 12) * 64 // 255 - 23
        if length <= most:
            return length
        least = (size - 12) * 32 // 255 - 23
        wanted = least + (length - least) % (size - 4)
        return wanted if wanted <= most else least
