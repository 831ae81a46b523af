"""``--plugin`` imports a module first; without it a campaign of one's own index is listed and blocks nothing."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from tests.support.own_index import MODULE, OWN
from thresher.cli.main import app
from thresher.policy.index import INDICES

Cli = Callable[..., Any]
NOTE = f"policy not available here (import it with --plugin): '{OWN}'"


@pytest.fixture
def plugin(in_folder: Path) -> Iterator[str]:
    """A module in the current directory; it and its index are forgotten in the end."""
    (in_folder / "my_plugin.py").write_text(MODULE)
    paths = list(sys.path)
    yield "my_plugin"
    sys.path[:] = paths
    forget()


def forget() -> None:
    """Forget the index, as in another process."""
    sys.modules.pop("my_plugin", None)
    INDICES.pop(OWN, None)


@pytest.fixture
def own(coins: Cli, plugin: str) -> Cli:
    """The command line where a campaign of an index of one's own lies next to a usual one."""
    assert coins("new", "own", "-a", "a", "-t", "0.5", "-b", "9", "--policy", OWN, "--plugin", plugin).code == 0
    forget()
    return coins


def test_every_command_but_those_for_tokens_takes_a_plugin() -> None:
    commands: dict[str, Any] = get_command(app).commands  # type: ignore[attr-defined]
    without = [name for name, one in commands.items() if "plugin" not in {each.name for each in one.params}]
    assert without == ["token"]


def test_all_campaigns_are_listed(own: Cli) -> None:
    said = own("list")
    assert said.code == 0
    text = " ".join(said.out.split())
    assert "coins open" in text
    assert "own open" in text
    assert NOTE.split()[-1] in text
    rows = json.loads(own("list", "--json").out)["campaigns"]
    assert [(row["name"], row["note"]) for row in rows] == [("coins", ""), ("own", NOTE)]
    assert json.loads(own("list", "own", "--json").out)["campaigns"] == rows[1:]


def test_with_the_plugin_it_is_a_campaign_like_others(own: Cli, plugin: str) -> None:
    assert "note" not in own("list", "--plugin", plugin).out
    forget()
    assert own("ask", "own", "--plugin", plugin).code == 0
    forget()
    assert own("--plugin", plugin, "verdicts", "own").code == 0


@pytest.mark.parametrize("words", [["ask", "own"], ["verdicts", "own"], ["report", "own", "--out", "own.html"]])
def test_what_needs_the_policy_says_which_in_a_sentence(own: Cli, words: list[str]) -> None:
    said = own(*words)
    assert (said.code, said.out) == (3, "")
    assert said.err.startswith(f"thresher: the policy '{OWN}' of this campaign is not available here (unknown policy ")
    assert "--plugin MODULE" in said.err


def test_verify_says_what_it_could_not_check(own: Cli) -> None:
    said = own("verify", "own")
    assert (said.code, said.err) == (0, "")
    assert said.out == (
        f"own: 2 events, all stored data match the log; the order of the arms was not checked: {NOTE}\n"
    )
    assert json.loads(own("verify", "own", "--json").out) == {
        "campaign": "own", "ok": True, "events": 2, "findings": [], "note": NOTE,
    }  # fmt: skip


def test_a_plugin_serves_simulations_too(coins: Cli, plugin: str) -> None:
    said = coins(
        "simulate", "linear:K=5", "--policy", OWN, "--budget", "20", "--runs", "2", "--plugin", plugin, "--json"
    )
    assert said.code == 0
    assert [row["policy"] for row in json.loads(said.out)["results"]] == [OWN]


POLICIES = """
from numba import njit
from thresher.policy import register_policy


@register_policy("least-pulled")
class LeastPulled:
    \"\"\"Pull the arm with the fewest pulls.\"\"\"

    def __init__(self, first=0):
        self.first = first

    def choose(self, seen, rng):
        return int((seen.counts + (seen.counts * 0 + self.first)).argmin())


@register_policy("first")
@njit
def first(known, state, turn):
    return 0
"""


@pytest.mark.nightly("processes")
@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_a_plugin_registers_policies(thresher: Cli, plugin: str, in_folder: Path, executor: str) -> None:
    (in_folder / "my_plugin.py").write_text(POLICIES)
    names = ["least-pulled:first=3", "uniform", "first"]
    words = [word for name in names for word in ("--policy", name)]
    said = thresher(
        "simulate", "linear:K=5", *words, "--budget", "21", "--runs", "30", "--json", "--plugin", plugin,
        "--executor", executor, "--workers", "1",
    )  # fmt: skip
    assert said.code == 0, said.err
    rows = {row["policy"]: row for row in json.loads(said.out)["results"]}
    assert list(rows) == names
    assert rows["least-pulled:first=3"]["mean"] == rows["uniform"]["mean"] != rows["first"]["mean"]


def test_policies_of_a_plugin_are_listed(thresher: Cli, plugin: str, in_folder: Path) -> None:
    (in_folder / "my_plugin.py").write_text(POLICIES)
    assert "least-pulled" in thresher("policies", "--plugin", plugin).out
    listed = {row["name"]: row for row in json.loads(thresher("policies", "--json").out)["policies"]}
    assert listed["least-pulled"]["summary"] == "Pull the arm with the fewest pulls."
    assert listed["least-pulled"]["parameters"] == "first=0"
    assert listed["first"]["source"] == "the user's own"


def test_a_policy_that_fails_is_one_sentence(thresher: Cli, plugin: str, in_folder: Path) -> None:
    (in_folder / "my_plugin.py").write_text(POLICIES.replace("return int(", "return str("))
    said = thresher("simulate", "linear:K=5", "-p", "least-pulled", "-b", "21", "-r", "3", "--plugin", plugin)
    assert (said.code, said.out) == (3, "")
    assert said.err.endswith(
        "thresher: policy 'least-pulled': choose returned '0', which is not the number of an arm; "
        "return a whole number from 0 to 4\n"
    )


BROKEN = {
    "no_such_module": "ModuleNotFoundError: No module named 'no_such_module'",
    "broken_plugin": "SyntaxError: ",
    "ending_plugin": "SystemExit: 0",
    "wrong_plugin": "InvalidIndexError: index 'falling' breaks Assumption 1",
    "": "ValueError: ",
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_module_that_cannot_be_imported_is_a_sentence(coins: Cli, plugin: str, in_folder: Path, name: str) -> None:
    (in_folder / "broken_plugin.py").write_text("def")
    (in_folder / "ending_plugin.py").write_text("raise SystemExit(0)")
    (in_folder / "wrong_plugin.py").write_text(
        MODULE.replace(repr(OWN), "'falling'").replace("evidence + math", "evidence - math")
    )
    for words in (["list", "--plugin", name], ["--plugin", name, "list"]):
        said = coins(*words)
        assert (said.code, said.out) == (3, "")
        assert said.err.startswith(f"thresher: --plugin is {name!r}; cannot be imported: {BROKEN[name]}")
        assert said.err.endswith(
            "; give the name of a module that is installed or in the current directory, without .py\n"
        )
