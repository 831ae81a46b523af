"""Old names of modules that the documentation has shown: they still work, with a deprecation warning."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

__all__ = ["install", "moved_name"]

# An old module, and the new one. What lies below an old package is found below the new one.
MODULES = {
    "thresher.engine": "thresher.research.engine",
    "thresher.experiment": "thresher.research.simulation",
    "thresher.index": "thresher.policy.index",
    "thresher.live": "thresher.campaign",
    "thresher.papers": "thresher.research.papers",
    "thresher.policy.bars": "thresher.inference.bars",
    "thresher.policy.bars.difference_intervals": "thresher.inference.bars.control_intervals",
    "thresher.policy.doubt": "thresher.inference.chance_of_error",
    "thresher.policy.fixed_budget": "thresher.policy.literature.fixed_budget",
    "thresher.policy.fixed_confidence": "thresher.policy.literature.fixed_confidence",
    "thresher.policy.intervals": "thresher.inference.intervals",
    "thresher.runner": "thresher.run",
    "thresher.runner.adapters": "thresher.run.importers",
    "thresher.storage": "thresher.campaign.storage",
    "thresher.theory": "thresher.research.theory",
}
# A package, and those to which it has given names.
NAMES = {
    "thresher.campaign": ("thresher.campaign.ledger", "thresher.problem"),
    "thresher.policy": (
        "thresher.inference", "thresher.inference.bars", "thresher.inference.guarantees", "thresher.problem",
    ),
    "thresher.research.simulation": ("thresher.research.league",),
}  # fmt: skip
# A name, and the new one.
RENAMED = {
    "thresher.campaign.Comparison": "thresher.campaign.ledger.ControlRanking",
    "thresher.campaign.Urgency": "thresher.campaign.ledger.SortKeys",
    "thresher.campaign.storage.Done": "thresher.campaign.storage.TransactionResult",
    "thresher.campaign.storage.Need": "thresher.campaign.storage.RowsToRead",
    "thresher.policy.Known": "thresher.policy.RuleSetup",
    "thresher.policy.Seen": "thresher.problem.Statistics",
    "thresher.policy.urgency_in_flight": "thresher.policy.index_in_flight",
    "thresher.policy.urgency_of": "thresher.policy.arm_index",
    "thresher.problem.Seen": "thresher.problem.Statistics",
}


class _OldModule(ModuleType):
    """An old module, which has the attributes of the new one."""

    _new: str

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__all__":
            raise AttributeError(name)  # with the __path__ of the new one, its modules would be imported twice
        return getattr(import_module(self._new), name)


class _OldModules(MetaPathFinder, Loader):
    """Finds the modules of :data:`MODULES`."""

    def find_spec(self, fullname: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:  # noqa: ARG002
        """Return how to import a module by its old name; None if it is not one."""
        return None if new_module(fullname) is None else ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return a module that has what the new one has."""
        module, new = _OldModule(spec.name), str(new_module(spec.name))
        module._new = new
        import_module(new)
        if spec.name in MODULES:  # what lies below an old package is imported after it
            _warn(spec.name, new, level=3)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is left to do."""


def new_module(name: str) -> str | None:
    """Return the new name of a module; None if it has no other."""
    known = name if name.startswith("thresher.") else ""
    while known not in MODULES:
        known = known.rpartition(".")[0]
        if not known:
            return None
    return MODULES[known] + name[len(known) :]


def moved_name(package: str, name: str) -> Any:
    """Return what a package once had under a name.

    Raises
    ------
    AttributeError
        If it never had it.
    """
    if (new := RENAMED.get(f"{package}.{name}")) is not None:
        _warn(f"{package}.{name}", new, level=4)
        home, _, name = new.rpartition(".")
        return getattr(import_module(home), name)
    for home in NAMES.get(package, ()):
        if name in (module := import_module(home)).__all__:
            _warn(f"{package}.{name}", f"{home}.{name}", level=4)
            return getattr(module, name)
    raise AttributeError(f"module {package!r} has no attribute {name!r}")


def _warn(old: str, new: str, *, level: int) -> None:
    # Of the line that imports: Python leaves its own import system out of the count.
    warnings.warn(f"{old} is now {new}", DeprecationWarning, stacklevel=level)


def install() -> None:
    """Let Python find old names, before it takes a folder with nothing but old bytecode for a package."""
    if not any(isinstance(finder, _OldModules) for finder in sys.meta_path):
        sys.meta_path.insert(0, _OldModules())
