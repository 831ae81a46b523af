"""Compiled code comes back as what it was saved as, also if two processes save at once."""

from collections.abc import Callable
from pathlib import Path

import pytest
from numba.core.caching import IndexDataCacheFile

from thresher.jit import compile_error_line, float64, njit, returned


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


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (lambda x: x, "float"),
        (lambda x: int(x), "int"),
        (lambda x: x > 1.0, "bool"),
        (lambda x: None, "None"),
        (lambda x: x if x > 1.0 else None, "None for some arguments"),
        (lambda x: (x, x), "UniTuple(float64 x 2)"),
    ],
)
def test_what_a_compiled_function_returns(function: Callable[[float], object], kind: str) -> None:
    compiled = njit(function)
    compiled.compile((float64,))  # type: ignore[attr-defined]
    assert returned(compiled) == kind


def test_why_something_cannot_be_compiled_is_one_plain_line() -> None:
    error = ValueError("Failed in nopython mode\n\x1b[1m\x1b[1mNo conversion\x1b[0m from none\n\nFile <string>")
    assert compile_error_line(error) == "No conversion from none"
    assert compile_error_line(ValueError("")) == "ValueError"
