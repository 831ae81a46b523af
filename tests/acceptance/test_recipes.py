"""The recipes for other evaluation tools, run with the real tools."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.checkout import CHECKOUT
from thresher.campaign import Campaign

pytestmark = pytest.mark.nightly

PAGE = (CHECKOUT / "docs" / "howto" / "promptfoo.md").read_text()
CASES = """name: sums
cases:
- {name: one, inputs: 1 + 1, expected_output: "2"}
- {name: two, inputs: 2 + 2, expected_output: "4"}
- {name: three, inputs: 3 + 3, expected_output: "6"}
- {name: four, inputs: 4 + 4, expected_output: "8"}
evaluators: [EqualsExpected]
"""
MODEL = """async def answer(arm, inputs):
    return str(sum(map(int, inputs.split(" + ")))) if arm == "large" else "2"
"""
TESTS = """import os, pytest

@pytest.mark.parametrize("n", range(4))
def test_sum(n):
    assert os.environ["MODEL"] == "large" or n == 2
"""
TASK = """task: sums
dataset_path: json
dataset_kwargs: {data_files: {test: sums.jsonl}}
test_split: test
output_type: multiple_choice
doc_to_text: "{{question}}"
doc_to_choice: "{{choices}}"
doc_to_target: answer
metric_list: [{metric: acc, aggregation: mean, higher_is_better: true}]
"""


def block(fence: str, first: str = "") -> str:
    """Return the fenced block of the page that begins with these words."""
    [found] = re.findall(rf"^{re.escape(fence)}\n({re.escape(first)}.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return str(found)


def run(script: str, folder: Path, **environment: str) -> str:
    """Run a script of the page in a folder, with the `thresher` of this checkout."""
    program = folder / "bin" / "thresher"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m thresher "$@"\n')
    program.chmod(0o755)
    path = os.pathsep.join([str(program.parent), str(Path(sys.executable).parent), os.environ["PATH"]])
    inherited = {**os.environ, "PATH": path, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **environment}
    done = subprocess.run(["sh", "-c", script], cwd=folder, env=inherited, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr  # 1: an arm fails
    return done.stdout


def decisions(folder: Path, name: str) -> dict[str, str]:
    campaign = Campaign.open(f"sqlite:///{folder}/thresher.db", name)
    try:
        return {row.arm: row.decision for row in campaign.verdicts()}
    finally:
        campaign.disconnect()


def test_pydantic_evals(tmp_path: Path) -> None:
    pytest.importorskip("pydantic_evals")
    (tmp_path / "measure.py").write_text(block('```python title="measure.py"'))
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "cases.yaml").write_text(CASES)
    (tmp_path / "cases.txt").write_text("one\ntwo\nthree\nfour\n")
    run(block("```sh", "thresher run --function"), tmp_path)
    assert decisions(tmp_path, "run") == {"small": "fail", "large": "pass"}


def test_an_evaluation_written_as_tests(tmp_path: Path) -> None:
    (tmp_path / "test_sums.py").write_text(TESTS)
    (tmp_path / "tests.txt").write_text("".join(f"test_sums.py::test_sum[{n}]\n" for n in range(4)))
    run(block("```sh", "thresher run --matrix"), tmp_path)
    assert decisions(tmp_path, "run") == {"model=small": "fail", "model=large": "pass"}


@pytest.mark.skipif(shutil.which("lm_eval") is None, reason="lm_eval is not on the PATH")
def test_lm_eval(tmp_path: Path) -> None:
    (tmp_path / "sums.yaml").write_text(TASK)
    rows = [f'{{"question": "{n} + 1 =", "choices": ["{n + 1}", "{n}"], "answer": 0}}\n' for n in range(40)]
    (tmp_path / "sums.jsonl").write_text("".join(rows))
    script = block('```sh title="lm-eval.sh"')
    for old, new in [
        ("EleutherAI/pythia-160m", "small"),
        ("EleutherAI/pythia-410m", "large"),
        ("seq 0 2375", "seq 0 39"),
        ("arc_easy", "sums"),
        ("--model hf", "--model dummy --include_path ."),  # it answers at random, and loads nothing
        ("--budget 200", "--budget 10"),
        ("1 2 3 4 5 6", "1 2"),
    ]:
        assert old in script
        script = script.replace(old, new)
    run(script, tmp_path, HF_HUB_OFFLINE="1")
    campaign = Campaign.open(f"sqlite:///{tmp_path}/thresher.db", "arc")
    assert [row.pulls for row in campaign.verdicts()] == [10, 10]
    campaign.disconnect()
