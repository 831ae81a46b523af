"""The write-ahead log of an SQLite file: transactions in it that SQLite drops because a frame before them is damaged.

SQLite reads the log up to the first frame whose checksum is wrong, and takes what follows for a transaction that was
not finished. The format is described on sqlite.org/fileformat2.html, section 4.
"""

from __future__ import annotations

import struct
from itertools import pairwise
from pathlib import Path

HEADER, FRAME = 32, 24  # bytes of the header of the log, and of each frame
MAGIC = 0x377F0682  # the last bit is the byte order of the words that checksums add
MASK = 0xFFFFFFFF


def dropped_transactions(database: Path) -> int:
    """Return how many committed transactions of the log follow a damaged frame.

    The last of them may never have been acknowledged, so it does not count: a commit is on disk before the next
    transaction writes its first frame.
    """
    log = database.with_name(f"{database.name}-wal")
    content = log.read_bytes() if log.is_file() else b""
    if len(content) < HEADER:
        return 0
    magic, _, size, _, *salt, first, second = struct.unpack(">8I", content[:HEADER])
    order = ">" if magic & 1 else "<"
    sums = _checksum(order, content[:24], (0, 0))
    if magic & ~1 != MAGIC or sums != (first, second):
        return 0  # not begun; or damaged, and then SQLite reads nothing of it
    commits, is_valid = 0, True
    for start, end in pairwise(range(HEADER, len(content) + 1, FRAME + size)):
        head = content[start : start + FRAME]
        _, pages, *found, first, second = struct.unpack(">6I", head)
        if found != salt:
            break  # of an earlier use of the file
        if is_valid:
            sums = _checksum(order, head[:8] + content[start + FRAME : end], sums)
            is_valid = sums == (first, second)
        commits += not is_valid and pages > 0
    return max(commits - 1, 0)


def _checksum(order: str, content: bytes, sums: tuple[int, int]) -> tuple[int, int]:
    first, second = sums
    for one, two in struct.iter_unpack(f"{order}2I", content):
        first = (first + one + second) & MASK
        second = (second + two + first) & MASK
    return first, second
