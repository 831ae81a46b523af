"""The real promptfoo from npm, with a script as provider: the verdicts of its full run for a part of its calls."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.checkout import CHECKOUT
from tests.support.npm import installed

VERSION = "0.123.1"
BAR, BUDGET = 0.6, 240
# The installation takes minutes and 2 GB.
pytestmark = [pytest.mark.nightly, pytest.mark.xdist_group("promptfoo")]


@pytest.fixture(scope="module")
def environment() -> dict[str, str]:
    """Return an environment in which promptfoo is installed."""
    config = CHECKOUT / ".cache" / "promptfoo" / "config"
    return installed("promptfoo", VERSION) | {"PROMPTFOO_CONFIG_DIR": str(config), "PROMPTFOO_DISABLE_TELEMETRY": "1"}


def test_the_verdicts_of_the_full_run_for_a_third_of_its_calls(tmp_path: Path, environment: dict[str, str]) -> None:
    folder = shutil.copytree(CHECKOUT / "examples" / "promptfoo", tmp_path / "promptfoo")
    calls = folder / "calls.txt"
    environment = environment | {"CALLS": str(calls), "PROMPTFOO_CACHE_ENABLED": "false"}
    words = ["promptfoo", "eval", "--no-write", "--no-table", "-o", "full.json"]
    subprocess.run(words, cwd=folder, env=environment, capture_output=True)
    passed: dict[str, list[bool]] = {}
    for row in json.loads((folder / "full.json").read_text())["results"]["results"]:
        arm = f"prompt={row['prompt']['label']} provider={row['provider']['label']}"
        passed.setdefault(arm, []).append(row["success"])
    n_full = len(calls.read_text().splitlines())
    assert (n_full, len(passed)) == (720, 6)
    calls.unlink()

    program = [sys.executable, "-m", "thresher", "run", "--promptfoo", "promptfooconfig.yaml", "--json"]
    document = {}
    for budget in (BUDGET // 2, BUDGET):  # the second one resumes the first
        words = [*program, "--bar", str(BAR), "--budget", str(budget)]
        done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)
        assert done.returncode in (1, 2), done.stderr
        document = json.loads(done.stdout)
    n_calls = len(calls.read_text().splitlines())
    assert n_calls == BUDGET == document["spent"]
    found = {row["arm"]: row["verdict"] for row in document["verdicts"]}
    assert found == {arm: "above" if sum(each) > BAR * len(each) else "below" for arm, each in passed.items()}
    print(f"\n{n_calls} of {n_full} calls, the same {len(found)} verdicts")  # noqa: T201 - the docs quote it
