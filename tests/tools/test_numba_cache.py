"""Compiled code belongs to the sources that it was compiled from."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from numba_cache import CHECKOUT, NEVER_COMPILED, cache_directory


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    package = tmp_path / "src" / "thresher" / "index"
    package.mkdir(parents=True)
    (package / "apt.py").write_text("x = 1\n")
    (package / "curve.csv").write_text("0,1\n")
    return tmp_path


def test_the_directory_stays_while_the_sources_do(checkout: Path) -> None:
    before = cache_directory(checkout)
    (checkout / "src" / "thresher" / "__pycache__").mkdir()
    (checkout / "src" / "thresher" / "__pycache__" / "apt.cpython-311.pyc").write_bytes(b"compiled")
    assert cache_directory(checkout) == before
    assert before.parent == checkout / ".cache" / "numba"


@pytest.mark.parametrize(
    ("path", "content"),
    [("index/apt.py", "x = 2\n"), ("index/curve.csv", "0,2\n"), ("index/new.py", ""), ("index/apt_moved.py", None)],
)
def test_any_edit_of_code_or_data_is_another_directory(checkout: Path, path: str, content: str | None) -> None:
    before = cache_directory(checkout)
    target = checkout / "src" / "thresher" / path
    if content is None:
        (checkout / "src" / "thresher" / "index" / "apt.py").rename(target)
    else:
        target.write_text(content)
    assert cache_directory(checkout) != before


def test_an_edit_of_compiled_code_that_is_not_shipped_is_another_directory(checkout: Path) -> None:
    before = cache_directory(checkout)
    (checkout / "reproduction" / "feasible").mkdir(parents=True)
    (checkout / "reproduction" / "feasible" / "runs.py").write_text("x = 1\n")
    assert cache_directory(checkout) != before


def test_an_edit_where_nothing_is_compiled_changes_nothing(checkout: Path) -> None:
    before = cache_directory(checkout)
    (checkout / "src" / "thresher" / "cli").mkdir()
    (checkout / "src" / "thresher" / "cli" / "main.py").write_text("x = 1\n")
    assert cache_directory(checkout) == before


@pytest.mark.parametrize("package", sorted(NEVER_COMPILED))
def test_nothing_is_compiled_there(package: str) -> None:
    sources = list((CHECKOUT / "src" / "thresher" / package).rglob("*.py"))
    assert sources
    assert [path.name for path in sources if "njit" in path.read_text() or "import numba" in path.read_text()] == []


def test_tests_run_in_such_a_directory() -> None:
    assert Path(os.environ["NUMBA_CACHE_DIR"]).is_relative_to(CHECKOUT / ".cache" / "numba")


def test_the_script_prints_what_the_tests_use() -> None:
    printed = subprocess.run(
        [sys.executable, CHECKOUT / "tools" / "numba_cache.py"], check=True, capture_output=True, text=True
    )
    assert printed.stdout == f"{cache_directory()}\n"
