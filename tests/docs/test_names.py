"""A name has one meaning: no two classes share one, and no function hides the module that defines it."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.support.checkout import CHECKOUT

SOURCES = CHECKOUT / "src" / "thresher"

# Class names with two meanings, each with the reason.
SHARED = {
    "Run": "run: the run of a spec; storage: a callable that runs one SQL statement, private to the package",
}
# Packages whose modules do not have the name of a function or class that they define. In `cli`, a module is a command.
CHECKED = ("campaign", "run", "service")
# Modules that still have the name of what they define.
SHADOWS = {"campaign/storage/audit.py"}


def definitions(path: Path) -> Iterator[ast.ClassDef | ast.FunctionDef]:
    """Yield the classes and functions at the top level of a module."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield node


def shared_classes(folder: Path) -> dict[str, list[str]]:
    """Return the modules of each public class name that several modules define."""
    found = defaultdict(list)
    for path in sorted(folder.rglob("*.py")):
        for node in definitions(path):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(path.relative_to(folder).as_posix())
    return {name: modules for name, modules in found.items() if len(modules) > 1}


def shadowed_modules(folder: Path) -> set[str]:
    """Return the modules that have the name of a function or class that they define."""
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if any(node.name == path.stem for node in definitions(path))
    }


def test_a_shared_name_and_a_shadowed_module_are_found(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("class Row: ...\nclass _Part: ...\ndef one(): ...\n")
    (tmp_path / "two.py").write_text("class Row: ...\nclass _Part: ...\ndef other(): ...\n")
    assert shared_classes(tmp_path) == {"Row": ["one.py", "two.py"]}
    assert shadowed_modules(tmp_path) == {"one.py"}


def test_every_public_class_name_has_one_meaning() -> None:
    assert shared_classes(SOURCES).keys() == SHARED.keys()


def test_no_function_has_the_name_of_its_module() -> None:
    found = {path for path in shadowed_modules(SOURCES) if path.split("/")[0] in CHECKED}
    assert found == SHADOWS
