"""The door is light: importing thresher, or asking for help, loads no heavy library.

Times are in benchmarks/startup.py.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.passed_modules import served_campaign

HEAVY = {"numba", "llvmlite", "scipy", "matplotlib", "pandas", "polars", "distributed", "sqlalchemy", "fastapi"}
THRESHER = str(Path(sys.executable).parent / "thresher")


CLIENT = """
import sys, thresher as th
campaign = th.Campaign.open(sys.argv[1], "coins", token=sys.argv[2])
campaign.tell(campaign.ask(), True)
print(campaign.verdicts().summary, campaign.standing, th.Campaign.list(sys.argv[1], token=sys.argv[2]))
"""


def imported(*arguments: str, **variables: str) -> set[str]:
    """Return the top-level modules that a Python process imports."""
    words, environment = [sys.executable, "-X", "importtime", *arguments], os.environ | variables
    done = subprocess.run(words, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return {name.partition(".")[0] for name in re.findall(r"^import time:.*\|\s+([\w.]+)$", done.stderr, re.MULTILINE)}


def test_the_list_of_imports_is_seen() -> None:
    assert "numba" in imported("-c", "import numba")


def test_importing_thresher_imports_nothing_heavy() -> None:
    modules = imported("-c", "import thresher")
    assert "thresher" in modules
    assert not modules & HEAVY


def test_neither_side_imports_a_compiler_before_it_compiles() -> None:
    assert not imported("-c", "import thresher.research.simulation, thresher.campaign, thresher.run") & {
        "numba",
        "llvmlite",
    }


@pytest.mark.parametrize("command", [[], ["simulate"], ["problems"], ["policies"]], ids=" ".join)
def test_help_imports_nothing_heavy(command: list[str]) -> None:
    modules = imported(THRESHER, *command, "--help")
    assert "thresher" in modules
    assert not modules & HEAVY


def test_what_is_done_by_hand_all_day_loads_no_compiler(tmp_path: Path) -> None:
    database = {"THRESHER_DB": f"sqlite:///{tmp_path}/door.db", "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    with served_campaign(database["THRESHER_DB"]) as (address, token):
        assert not imported("-c", CLIENT, address, token, **database) & HEAVY
    asked = subprocess.run([THRESHER, "ask", "coins"], capture_output=True, text=True, env=os.environ | database)
    new = ["new", "other", "--arm", "a", "--arm", "b", "--bar", "0.5", "--budget", "9"]
    for words in (new, ["ask", "coins"], ["tell", "coins", asked.stdout.split()[0], "yes"], ["list"]):
        assert not imported(THRESHER, *words, **database) & HEAVY, words
    assert "numba" not in imported(THRESHER, "verdicts", "coins", **database)  # small: its formulas are interpreted
    # The first counts of an experiment: the ranking and the intervals of a few arms and a control are interpreted, too.
    counts = tmp_path / "days.csv"
    counts.write_text("day,arm,visitors,bought\n1,control,1000,26\n1,short form,1010,41\n")
    read = ["tell", "pages", "--from", str(counts), "--count-column", "visitors", "--outcome-column", "bought"]
    created = [*read, "--create", "--control", "control", "--budget", "30000"]
    assert "numba" not in imported(THRESHER, *created, **database)
