"""Packages import each other's names from the package that has them, and only those that it lists."""

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from thresher.jit import PACKAGE


def name_of(path: Path) -> str:
    """Return the name of a module."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}
PACKAGES = {name for name, path in MODULES.items() if path.name == "__init__.py"}


def imports(source: str) -> Iterator[tuple[str, str]]:
    """Yield the module and the name of each import of ours."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "thresher":
            yield from ((str(node.module), alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names if alias.name.startswith("thresher."))


def is_past_exports(importer: str, module: str, name: str) -> bool:
    """Return whether an import takes what the package of a module does not export."""
    if module in PACKAGES and name:
        inside = importer == module or importer.startswith(f"{module}.")
        return not inside and module != "thresher" and name not in getattr(import_module(module), "__all__", ())
    package = module.rpartition(".")[0]
    return package != "thresher" and not f"{importer}.".startswith(f"{package}.")


def past_exports(importer: str, source: str) -> list[str]:
    """Return the imports of a module that its packages do not export."""
    return [f"{module}:{name}" for module, name in imports(source) if is_past_exports(importer, module, name)]


def test_imports_past_the_exports_are_found() -> None:
    source = (
        "from thresher.policy.rule import Rule\nfrom thresher.policy import Rule, nonsense\n"
        "from thresher.errors import ThresherError\nimport thresher.policy.own\nfrom thresher import jit\n"
    )
    assert past_exports("thresher.campaign.local", source) == [
        "thresher.policy.rule:Rule", "thresher.policy:nonsense", "thresher.policy.own:",
    ]  # fmt: skip
    assert past_exports("thresher.policy.index.lsa", source) == []


def test_packages_import_each_other_only_through_their_exports() -> None:
    commands = {"thresher.__main__"}  # `python -m thresher` is the command
    found = {name: past_exports(name, path.read_text()) for name, path in MODULES.items() if name not in commands}
    assert {name: past for name, past in found.items() if past} == {}
