"""Imports that the documentation has shown under earlier names work, with a warning that says the new name."""

import re
import sys
import warnings
from importlib import import_module
from typing import Any

import pytest

from tests.support.cases import check_each
from thresher.moved import MODULES, NAMES, moved_name, new_module

# What pages and examples imported before the modules were moved.
SHOWN = [
    ("thresher.experiment", "simulate"),
    ("thresher.experiment", "stop_costs"),
    ("thresher.experiment", "league"),
    ("thresher.experiment.plan", "plan"),
    ("thresher.engine", "run_policy"),
    ("thresher.index", "register_index"),
    ("thresher.index", "find_index"),
    ("thresher.index.fwt", "fwt_formula"),
    ("thresher.live", "Campaign"),
    ("thresher.campaign", "Terms"),
    ("thresher.campaign", "ticks_of"),
    ("thresher.papers.bound_lines", "set_sizes"),
    ("thresher.policy", "decide"),
    ("thresher.policy", "difference_intervals"),
    ("thresher.policy", "GUARANTEES"),
    ("thresher.policy", "Known"),
    ("thresher.policy", "Seen"),
    ("thresher.problem", "Seen"),
    ("thresher.storage", "Need"),
    ("thresher.policy.doubt", "doubt"),
    ("thresher.policy.intervals", "intervals"),
    ("thresher.policy.bars.difference_intervals", "difference_intervals"),
    ("thresher.runner", "load_spec"),
    ("thresher.runner.adapters", "read_log"),
    ("thresher.runner.summaries", "markdown_summary"),
    ("thresher.storage", "open_storage"),
    ("thresher.theory", "oracle"),
    ("thresher.theory.boundary", "psi_far"),
    ("thresher.theory.upper_bound", "lsa"),
]


def check_shown(case: tuple[str, str]) -> None:
    """Import a name as the documentation did."""
    module, name = case
    home = new_module(module) or module
    for old in [old for old in sys.modules if new_module(old) is not None]:
        del sys.modules[old]  # a module warns when it is first imported
    scope: dict[str, Any] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(f"from {module} import {name}", scope)
        assert scope[name] is getattr(import_module(home), name)
    assert caught[0].category is DeprecationWarning
    assert caught[0].filename == "<string>"  # the user's line, not one of ours
    assert re.match(rf"{module.rpartition('.')[0]}.* is now thresher\.", str(caught[0].message))


def test_what_was_shown_is_still_found_with_a_warning() -> None:
    check_each({".".join(case): case for case in SHOWN}, check_shown)


def test_every_old_name_has_a_new_module() -> None:
    assert {old: new for old, new in MODULES.items() if import_module(new).__name__ != new} == {}
    assert [home for homes in NAMES.values() for home in homes if not import_module(home).__all__] == []


def test_what_never_was_is_still_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "thresher.theory", raising=False)
    with pytest.raises(ModuleNotFoundError, match=r"thresher\.nowhere"):
        import_module("thresher.nowhere")
    with (
        pytest.warns(DeprecationWarning, match="thresher.research.theory$"),
        pytest.raises(ModuleNotFoundError, match=r"thresher\.research\.theory\.nowhere"),
    ):
        import_module("thresher.theory.nowhere")
    with pytest.raises(AttributeError, match=r"module 'thresher\.policy' has no attribute 'nonsense'"):
        moved_name("thresher.policy", "nonsense")
