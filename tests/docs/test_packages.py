"""The docs list the packages and folders that exist, in the words of the packages themselves."""

import ast
import importlib
import re
import tomllib
from itertools import chain
from pathlib import Path
from typing import Any

from tests.support.checkout import CHECKOUT
from thresher.moved import MODULES

MOVING = CHECKOUT / "docs" / "howto" / "move-from-0-2.md"  # names old modules
SOURCES = CHECKOUT / "src" / "thresher"
DESIGN = (CHECKOUT / "docs" / "explanation" / "design.md").read_text()
CONTRIBUTING = (CHECKOUT / "CONTRIBUTING.md").read_text()
MODULE = re.compile(r"`(?:src/)?((?:thresher|reproduction|benchmarks)(?:[./]\w+)+?)(?:\.py|/)?`")
FOLDER = re.compile(r"`((?:tests|tools|benchmarks|reproduction)/[\w/]*)`")


def layers() -> list[str]:
    """Return the packages and modules from the lowest layer to the highest, as import-linter knows them."""
    contract = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]
    highest_first = [name.strip(" ()") for layer in contract["layers"] for name in reversed(layer.split("|"))]
    return [*reversed(highest_first)]


def first_line(name: str) -> str:
    """Return the first line of the docstring of a package or a module."""
    path = SOURCES / name / "__init__.py" if (SOURCES / name).is_dir() else SOURCES / f"{name}.py"
    return (ast.get_docstring(ast.parse(path.read_text())) or "").splitlines()[0]


def test_the_layers_are_all_packages_and_modules() -> None:
    packages = {path.parent.name for path in SOURCES.glob("*/__init__.py")}
    modules = {path.stem for path in SOURCES.glob("*.py")} - {"__init__", "__main__"}
    assert set(layers()) == packages | modules


def test_the_design_lists_every_package_in_the_order_of_the_layers() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", DESIGN, re.MULTILINE)
    assert rows == [(name, first_line(name)) for name in layers()]


def test_contributing_names_every_package_and_every_folder_of_tests() -> None:
    named = set(re.findall(r"`([\w/]+)`", CONTRIBUTING))
    packages = {path.parent.name for path in SOURCES.glob("*/__init__.py")}
    folders = {f"tests/{path.name}/" for path in (CHECKOUT / "tests").iterdir() if path.is_dir()} - {
        "tests/__pycache__/"
    }
    assert packages - named == set()
    assert folders - named == set()


def exists(name: str) -> bool:
    """Return whether a dotted or slashed name is a module, a folder, or something that a module has."""
    if (CHECKOUT / name).is_dir():
        return True
    parts = name.replace("/", ".").split(".")
    value: Any = importlib.import_module(parts[0])
    for i, part in enumerate(parts[1:], start=2):
        try:
            value = importlib.import_module(".".join(parts[:i]))
        except ImportError:
            value = getattr(value, part, None)
        if value is None:
            return False
    return True


def missing_names(text: str) -> list[str]:
    """Return the modules and folders that a text names and that do not exist."""
    names = [match[1] for match in MODULE.finditer(text) if match[1] != "thresher.db"]  # the default database
    folders = [match[1] for match in FOLDER.finditer(text)]
    return [name for name in names if not exists(name)] + [name for name in folders if not (CHECKOUT / name).exists()]


def test_a_name_that_does_not_exist_is_found() -> None:
    assert missing_names(
        "`thresher.nowhere.at_all`, `thresher.policy.find_policy`, `tests/nowhere/`, `tests/unit/`"
    ) == [
        "thresher.nowhere.at_all",
        "tests/nowhere/",
    ]


def test_every_module_and_folder_named_in_the_docs_exists() -> None:
    pages = [*(CHECKOUT / "docs").rglob("*.md"), CHECKOUT / "README.md", CHECKOUT / "CONTRIBUTING.md"]
    found = {_shown(page): missing_names(page.read_text()) for page in pages if page != MOVING}
    assert {page: names for page, names in found.items() if names} == {}


def test_the_page_on_moving_names_the_new_module_of_every_old_one() -> None:
    rows = re.findall(r"^\| (`thresher\.[^|]*) \| (`thresher\.[^|]*) \|$", MOVING.read_text(), re.MULTILINE)
    pairs = [zip(*(re.findall(r"`([^`]+)`", cell) for cell in row), strict=True) for row in rows]
    shown = dict(chain.from_iterable(pairs))
    assert shown == {old: new for old, new in MODULES.items() if old.count(".") < 3}


def test_every_module_named_in_a_docstring_exists() -> None:
    found = {}
    for path in SOURCES.rglob("*.py"):
        roles = re.findall(r":(?:mod|class|func|meth|data|attr|exc):`~?(thresher[\w.]+)`", path.read_text())
        found[_shown(path)] = [name for name in roles if not exists(name)]
    assert {path: names for path, names in found.items() if names} == {}


def _shown(path: Path) -> str:
    return path.relative_to(CHECKOUT).as_posix()
