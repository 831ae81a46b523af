"""A disk that fails the n-th write, and what would be left of its files if the power went."""

from __future__ import annotations

import ctypes
import errno
import json
import random
import shutil
import struct
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.chaos.nursery import Report, Say
from tests.support.chaos.workers import work_through_failures
from thresher.campaign import Campaign

WRITE, SYNC, TRUNCATE, NOTE = 1, 2, 4, 8  # as in disk.c
SECTOR = 512  # bytes that a disk writes wholly or not at all

# How a disk may fail: which calls, with what error, for good or once, leaving half of a write behind or nothing.
FAULTS: dict[str, dict[str, Any]] = {
    "a write fails": {"kinds": WRITE, "error": errno.EIO},
    "half a write": {"kinds": WRITE, "error": errno.EIO, "torn": True},
    "a sync fails": {"kinds": SYNC, "error": errno.EIO},
    "the disk is full": {"kinds": WRITE, "error": errno.ENOSPC, "torn": True, "for_good": True},
    "the disk dies": {"kinds": WRITE | SYNC | TRUNCATE, "error": errno.EIO, "for_good": True},
}


def build_disk(folder: Path) -> dict[str, str] | None:
    """Compile the disk into a folder; return the environment of processes that use it, or None without a compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None or not Path("/proc/self/fd").is_dir():
        return None
    source, library = resources.files(__package__).joinpath("disk.c"), folder / "disk.so"
    with resources.as_file(source) as path:
        words = [compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(path), "-ldl"]
        subprocess.run(words, check=True)
    return {"LD_PRELOAD": str(library)}


def work_on_disk(
    say: Say,
    path: str,
    *,
    pairs: int,
    nth: int = 0,
    kinds: int = 0,
    error: int = 0,
    for_good: bool = False,
    torn: bool = False,
    trace: str = "",
) -> None:
    """Work on an SQLite file whose n-th write fails; in a process of a nursery that has the disk."""
    disk = ctypes.CDLL(None)
    disk.disk_watch(path.encode())
    campaign = Campaign.open(f"sqlite:///{path}", "c")
    if trace:
        disk.disk_trace(trace.encode())

    def note(**report: Any) -> None:
        disk.disk_note(json.dumps(report).encode())
        say(**report)

    if nth:
        disk.disk_fail(ctypes.c_long(nth), kinds, error, int(for_good), int(torn))
    work_through_failures(note, campaign, pairs=pairs, gives_up=for_good)


class Record(NamedTuple):
    """One thing that a disk was told: a write, a cut, a sync, or a note of what was acknowledged."""

    kind: int
    is_log: bool
    offset: int
    data: bytes


def read_trace(path: Path) -> list[Record]:
    """Return what a disk was told, in order."""
    return list(_records(path.read_bytes()))


def _records(text: bytes) -> Iterator[Record]:
    at = 0
    while at + 24 <= len(text):
        kind, is_log, offset, length = struct.unpack_from("=iiqq", text, at)
        yield Record(kind, bool(is_log), offset, text[at + 24 : at + 24 + length])
        at += 24 + length


def reports_in(records: Sequence[Record]) -> list[Report]:
    """Return what was acknowledged."""
    return [json.loads(record.data) for record in records if record.kind == NOTE]


def after_power_cut(
    files: Mapping[bool, bytes], records: Sequence[Record], rng: random.Random
) -> dict[bool, bytearray]:
    """Return database and log as a power cut after these records may leave them.

    What was synced is there. Of what was written since, any part may be: each sector of each write, at random.

    Parameters
    ----------
    files : mapping
        The database (False) and its log (True) before.
    records : sequence of Record
    rng : random.Random
    """
    left = {is_log: bytearray(content) for is_log, content in files.items()}
    waiting: dict[bool, list[Record]] = {False: [], True: []}
    for record in records:
        if record.kind == SYNC:
            for earlier in waiting[record.is_log]:
                _apply(left[record.is_log], earlier)
            waiting[record.is_log].clear()
        elif record.kind != NOTE:
            waiting[record.is_log].append(record)
    for is_log, lost in waiting.items():
        for record in lost:
            for part in _sectors(record):
                if rng.random() < 0.5:
                    _apply(left[is_log], part)
    return left


def _apply(content: bytearray, record: Record) -> None:
    if record.kind == TRUNCATE:
        content[:] = content[: record.offset].ljust(record.offset, b"\0")
        return
    end = record.offset + len(record.data)
    content.extend(bytes(max(0, end - len(content))))
    content[record.offset : end] = record.data


def _sectors(record: Record) -> list[Record]:
    if record.kind == TRUNCATE:
        return [record]
    cuts = range(0, len(record.data), SECTOR)
    return [record._replace(offset=record.offset + i, data=record.data[i : i + SECTOR]) for i in cuts]
