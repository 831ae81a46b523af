"""Compiled code belongs to the sources that it was compiled from, and comes back as what it was saved as."""

import ast
import math
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numba.core.caching import IndexDataCacheFile

from thresher.jit import (
    NEVER_COMPILED,
    PACKAGE,
    compile_error_line,
    hash_of_sources,
    load_numba,
    njit,
    plain,
    returned,
)

FUNCTION = "{imports}from thresher.jit import njit\n\n\n@njit(cache=True)\ndef {name}(x):\n    return {value}\n"
CALLER = FUNCTION.format(imports="from benchmarks.called import called\n", name="f", value="called(x)")
DECORATOR = re.compile(r"(kernel|formula|njit)\b")
POINT = "from typing import NamedTuple\n\n\nclass Point(NamedTuple):\n    x: float\n"
PRINTED = """
from benchmarks.caller import f
from reproduction.at import at
from reproduction.{} import Point
print(f(1), sum(f.stats.cache_hits.values()), at(Point(2.0)))
"""


def whole_powers(text: str) -> list[str]:
    """Return the powers of variables with a whole exponent in the compiled functions of a module."""
    found = []
    for function in ast.walk(ast.parse(text)):
        if isinstance(function, ast.FunctionDef) and any(
            DECORATOR.match(ast.unparse(d)) for d in function.decorator_list
        ):
            powers = (n for n in ast.walk(function) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Pow))
            found += [
                f"{function.name}: {ast.unparse(n)}"
                for n in powers
                if isinstance(n.right, ast.Constant)
                and isinstance(n.right.value, int)
                and not isinstance(n.left, ast.Constant)
            ]
    return found


def test_compiled_functions_multiply_and_take_no_whole_power() -> None:
    # Interpreted, `x**2` has other last bits than compiled for one number in 1,000, and `x**3` for one in four.
    assert whole_powers("@njit(cache=True)\ndef f(x):\n    return 2.0**x * x**2 + x**0.5") == ["f: x ** 2"]
    found = {str(path.relative_to(PACKAGE)): whole_powers(path.read_text()) for path in PACKAGE.rglob("*.py")}
    assert {name: powers for name, powers in found.items() if powers} == {}


def test_compiled_code_is_used_until_what_it_calls_is_edited_and_not_where_a_class_has_moved(tmp_path: Path) -> None:
    package, other = tmp_path / "benchmarks", tmp_path / "reproduction"
    for folder in (package, other):
        folder.mkdir()
        (folder / "__init__.py").touch()
    (package / "caller.py").write_text(CALLER)
    (other / "at.py").write_text(FUNCTION.format(imports="", name="at", value="x.x"))
    (other / "first.py").write_text(POINT)

    def result(module: str) -> str:
        called = [sys.executable, "-c", PRINTED.format(module)]
        environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
        environment["PYTHONPATH"] = os.pathsep.join([str(tmp_path), str(PACKAGE.parent)])
        done = subprocess.run(called, stdout=subprocess.PIPE, cwd=tmp_path, text=True, env=environment, check=True)
        return done.stdout

    def compiled() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in package.rglob("*.nb*")}

    (package / "called.py").write_text(FUNCTION.format(imports="", name="called", value="x + 1"))
    assert result("first") == "2 0 2.0\n"
    before = compiled()
    assert {path.name.partition("-")[0] for path in before} == {"caller.f"}  # with all that it calls
    (other / "first.py").rename(other / "second.py")
    assert result("second") == "2 1 2.0\n"
    assert compiled() == before
    (package / "called.py").write_text(FUNCTION.format(imports="", name="called", value="x + 2"))
    assert result("second") == "3 0 2.0\n"
    after = compiled()
    assert after.keys() == before.keys()  # nothing is left behind
    assert all(after[path] != before[path] for path in before)  # and the new code is stored


@pytest.fixture
def package(tmp_path: Path) -> Path:
    (tmp_path / "index").mkdir()
    (tmp_path / "index" / "apt.py").write_text("x = 1\n")
    (tmp_path / "index" / "curve.csv").write_text("0,1\n")
    return tmp_path


def hash_now(package: Path) -> str:
    hash_of_sources.cache_clear()
    return hash_of_sources(package)


@pytest.mark.parametrize("path", ["__pycache__/apt.cpython-311.pyc", "index/__pycache__/apt.nbi", "cli/main.py"])
def test_what_is_not_compiled_does_not_count(package: Path, path: str) -> None:
    before = hash_now(package)
    (package / path).parent.mkdir()
    (package / path).write_text("x = 1\n")
    assert hash_now(package) == before


@pytest.mark.parametrize(
    ("path", "content"),
    [("index/apt.py", "x = 2\n"), ("index/curve.csv", "0,2\n"), ("index/new.py", ""), ("index/moved.py", None)],
)
def test_any_edit_of_code_or_data_counts(package: Path, path: str, content: str | None) -> None:
    before = hash_now(package)
    if content is None:
        (package / "index" / "apt.py").rename(package / path)
    else:
        (package / path).write_text(content)
    assert hash_now(package) != before


@pytest.mark.parametrize("name", sorted(NEVER_COMPILED))
def test_nothing_is_compiled_there(name: str) -> None:
    sources = list((PACKAGE / name).rglob("*.py"))
    assert sources
    assert [path.name for path in sources if "njit" in path.read_text() or "import numba" in path.read_text()] == []


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

    load_numba()
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
    compiled.compile((load_numba().float64,))  # type: ignore[attr-defined]
    assert returned(compiled) == kind


def test_why_something_cannot_be_compiled_is_one_plain_line() -> None:
    error = ValueError("Failed in nopython mode\n\x1b[1m\x1b[1mNo conversion\x1b[0m from none\n\nFile <string>")
    assert compile_error_line(error) == "No conversion from none"
    assert compile_error_line(ValueError("")) == "ValueError"


@njit
def doubled(x: float) -> float:
    return 2.0 * x


@njit
def quadrupled(x: float) -> float:
    return doubled(doubled(x))


@njit
def square_root(x: float) -> float:
    if x < 0.0:
        raise ValueError("negative")
    return math.sqrt(x)


@njit
def fourth_root(x: float) -> float:
    return square_root(square_root(x))


def test_a_function_can_be_called_from_python_and_from_compiled_code() -> None:
    assert [fourth_root(16.0), square_root(16.0), fourth_root(81.0)] == [2.0, 4.0, 3.0]
    for function in (fourth_root, square_root):
        with pytest.raises(ValueError, match="negative"):
            function(-1.0)


def test_a_plain_function_is_interpreted_with_all_that_it_calls() -> None:
    found = plain(quadrupled)
    assert found(1.5) == quadrupled(1.5) == 6.0
    assert found(np.array([1.0, 2.0])).tolist() == [4.0, 8.0]
    assert found.__globals__["doubled"] is plain(doubled)
    assert plain(found) is found
