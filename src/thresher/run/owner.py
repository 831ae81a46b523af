"""Which process asked for a ticket: this distinguishes a killed run from one that still runs."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

PROC = Path("/proc")
# Another machine, a reboot or another container gives another value of one of these.
PLACE = ("sys/kernel/random/boot_id", "self/ns/pid", "self/ns/time")
KEY = re.compile(r"run ([0-9a-f]{16}) ([1-9][0-9]{0,8}) ([0-9]{1,20}) [0-9a-f]{32}")
PREFIX = "run "
# Fields of /proc/PID/stat, counted from the one after the name of the program.
STATE, THREADS, START = 0, 17, 19


@dataclass(frozen=True)
class Owner:
    """A process, by facts that no other process shares."""

    place: str  # hash of the boot and the namespace in which `pid` has its meaning
    pid: int
    start: int  # clock ticks from the boot to its start: process numbers are used again

    def key(self) -> str:
        """Return a new idempotency key for an ask of this process."""
        return f"{PREFIX}{self.place} {self.pid} {self.start} {token_hex(16)}"

    def has_ended(self) -> bool:
        """Return whether the process has certainly ended; False for one of another machine, which may be alive."""
        if self.place != _place():
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except PermissionError:  # it is there, with another user: only its start says which one it is
            pass
        fields = _stat(self.pid)
        if fields is None:
            return False
        is_zombie = fields[STATE] in "ZX" and int(fields[THREADS]) <= 1
        return is_zombie or int(fields[START]) != self.start


def this_process() -> Owner | None:
    """Return this process; None on a system without ``/proc``."""
    place, fields = _place(), _stat(os.getpid())
    return None if place is None or fields is None else Owner(place, os.getpid(), int(fields[START]))


def owner_in(key: str) -> Owner | None:
    """Return the process that made an idempotency key; None for a key of another kind."""
    match = KEY.fullmatch(key)
    return None if match is None else Owner(match[1], int(match[2]), int(match[3]))


def _place() -> str | None:
    """Return a hash of where process numbers have their meaning; None if that is not known."""
    boot, *namespaces = (PROC / name for name in PLACE)
    try:
        facts = [boot.read_text("ascii").strip(), *(str(path.readlink()) for path in namespaces if path.is_symlink())]
    except OSError:
        return None
    return hashlib.sha256(" ".join(facts).encode()).hexdigest()[:16] if len(facts) > 1 else None


def _stat(pid: int) -> list[str] | None:
    """Return the fields of ``/proc/PID/stat`` after the name of the program; None if they cannot be read."""
    try:
        text = (PROC / str(pid) / "stat").read_text("utf-8", "replace")
    except OSError:
        return None
    return text.rpartition(")")[2].split()
