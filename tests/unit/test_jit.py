"""Compiled code comes back as what it was saved as, also if two processes save at once."""

from pathlib import Path

from numba.core.caching import IndexDataCacheFile

import thresher.jit  # noqa: F401 - which changes that class


class Earlier(IndexDataCacheFile):
    """A process that read the index before the other one wrote it."""

    def _load_index(self) -> dict[object, str]:
        return {}


def test_two_processes_that_save_at_once_do_not_swap_their_code(tmp_path: Path) -> None:
    class Interrupted(IndexDataCacheFile):
        """A process that writes its code after another one has written index and code."""

        def _save_index(self, overloads: dict[object, str]) -> None:
            super()._save_index(overloads)
            Earlier(str(tmp_path), "f", "stamp").save("int", "code for int")

    Interrupted(str(tmp_path), "f", "stamp").save("float", "code for float")
    cache = IndexDataCacheFile(str(tmp_path), "f", "stamp")
    assert cache.load("int") == "code for int"
    assert cache.load("float") in (None, "code for float")  # its entry may be lost, and is compiled again
