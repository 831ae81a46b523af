"""Packages import their names on first use, and a campaign loads only what it needs."""

import subprocess
import sys
from importlib import import_module

import pytest

from thresher.jit import PACKAGE

LAZY = tuple(
    ".".join(path.parent.relative_to(PACKAGE).parts)
    for path in sorted(PACKAGE.rglob("__init__.py"))
    if "import_lazily(__name__)" in path.read_text()
)
NOT_LIVE = ("research", "policy.literature")
MOST_MODULES = 150  # of ours that th.Campaign loads


def loaded(statement: str) -> set[str]:
    """Return the modules of ours that a new process has loaded after a statement."""
    program = f"import sys\n{statement}\nprint(*(name for name in sys.modules if name.startswith('thresher.')))"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    return {name.removeprefix("thresher.") for name in done.stdout.split()}


@pytest.mark.parametrize("package", LAZY)
def test_a_lazy_package_has_exactly_the_names_that_it_lists(package: str) -> None:
    module = import_module(f"thresher.{package}")
    assert all(hasattr(module, name) for name in module.__all__)
    assert {*module.__all__} == {*module._homes}
    assert {*module.__all__} <= {*dir(module)}
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = module.nonsense


def test_a_function_with_the_name_of_its_module_is_the_function_in_either_order() -> None:
    for first in ("", "import thresher.inference.intervals\n"):
        program = f"{first}from thresher.inference import intervals\nprint(callable(intervals))"
        done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
        assert done.stdout == "True\n"


def test_a_campaign_loads_few_modules_and_none_of_theory_or_of_the_literature() -> None:
    modules = loaded("import thresher as th; th.Campaign")
    assert "campaign.campaign" in modules
    assert len(modules) + 1 <= MOST_MODULES  # and thresher itself
    assert not {name for name in modules if name.startswith(NOT_LIVE)}


def test_an_import_of_one_name_does_not_load_the_package() -> None:
    assert "policy.own" not in loaded("from thresher.policy import Policy")
    assert "policy.own" in loaded("from thresher.policy import register_policy")
