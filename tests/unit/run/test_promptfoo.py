"""Runs of promptfoo, replayed from what the real program wrote; data/README.md says how it was recorded."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from thresher.campaign import Campaign
from thresher.errors import InvalidInputError
from thresher.run import Run, RunSpec, load_spec
from thresher.run.enrolment import changed_parts
from thresher.run.promptfoo_suite import suite_of

RECORDED = json.loads((Path(__file__).parent / "data" / "promptfoo.json").read_text())
# Stands for promptfoo: answers a plan from the recorded results, or lists the recorded cases.
PROGRAM = """#!{python}
import json, os, sys
from pathlib import Path

recorded = json.loads(Path({recorded!r}).read_text())
here = Path(__file__).parent
with (here / "starts").open("a") as file:
    file.write("x")
plan = json.loads(Path(os.environ["THRESHER_PROMPTFOO_PLAN"]).read_text())
answered, results = {{json.dumps(one): i for i, one in enumerate(recorded["plan"])}}, []
if plan is None:
    Path(os.environ["THRESHER_PROMPTFOO_CASES"]).write_text(json.dumps(recorded["cases"]))
for i, one in enumerate(plan or ()):
    row = next(row for row in recorded["results"] if row["testIdx"] == answered[json.dumps(one)])
    results.append(row | {{"testIdx": i}})
document = {{"results": {{"prompts": recorded["prompts"], "results": results[::-1]}}}}
Path(sys.argv[sys.argv.index("-o") + 1]).write_text(json.dumps(document))
sys.exit(100)
"""
LARGE = ["prompt=plain provider=large", "prompt=steps provider=large"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project with a configuration, in which promptfoo is installed."""
    return project(tmp_path, monkeypatch, RECORDED)


def project(folder: Path, monkeypatch: pytest.MonkeyPatch, recorded: dict[str, Any]) -> Path:
    monkeypatch.chdir(folder)
    (folder / "promptfooconfig.yaml").write_text("# read by promptfoo\n")
    (folder / "recorded.json").write_text(json.dumps(recorded))
    program = folder / "node_modules" / ".bin" / "promptfoo"
    program.parent.mkdir(parents=True)
    program.write_text(PROGRAM.format(python=sys.executable, recorded=str(folder / "recorded.json")))
    program.chmod(0o755)
    return folder


def spec(**given: Any) -> RunSpec:
    return load_spec(None, {"promptfoo": "promptfooconfig.yaml", "bar": 0.6, "budget": 16, "retries": 0} | given)


def starts(folder: Path) -> int:
    return len((folder / "node_modules" / ".bin" / "starts").read_text())


def test_prompts_by_providers_are_arms_and_cases_are_items(folder: Path) -> None:
    planned = spec()
    assert [arm.name for arm in planned.planned_arms()] == [
        *LARGE,
        "prompt=plain provider=broken",
        "prompt=steps provider=broken",
    ]
    names = [item.rpartition(" ")[0] for item in planned.planned_items()]
    assert names == [
        "a sum",
        *(f"question={sum_} answer={n}" for sum_, n in (("2 + 2", 4), ("3 + 1", 4), ("3 + 3", 6))),
    ]
    assert starts(folder) == 1  # for all of a spec


def test_outcomes_are_those_of_promptfoo_and_its_errors_are_not_outcomes(folder: Path) -> None:
    finished = Run(spec(on_error="retire")).go()
    rows = {row.arm: row for row in finished.verdicts}
    assert [(rows[arm].pulls, rows[arm].mean) for arm in LARGE] == [(4, 0.75), (4, 0.75)]
    assert [row.pulls for row in finished.verdicts if row.retired] == [0, 0]
    assert all("error of the provider" in reason for reason in finished.given_up.values())
    items = Campaign.open("sqlite:///thresher.db", "promptfoo").items()
    assert [row.outcomes[0] for row in sorted(items, key=lambda row: row.item)] == [1.0, 1.0, 1.0, 0.0]
    assert starts(folder) < 8  # fewer processes than cases


def test_a_score_and_a_metric_may_be_the_outcome(folder: Path) -> None:
    for outcome, mean in (("score", 0.875), ("scores.right", 1.0)):
        made = spec(outcome=outcome, on_error="retire", name=outcome)
        assert made.family == "bounded"
        assert {row.mean for row in Run(made).go().verdicts if not row.retired} == {mean}
    given_up = Run(spec(outcome="scores.style", name="style", on_error="retire")).go().given_up
    assert given_up[LARGE[0]] == "has no scores.style; its metrics: right"
    with pytest.raises(InvalidInputError, match=r"must be success, score or scores\.METRIC"):
        spec(outcome="last-line")


def test_a_changed_prompt_is_not_mixed_with_the_old_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Run(spec(on_error="retire")).go()
    edited = json.loads(json.dumps(RECORDED))
    edited["prompts"][0]["id"] = "f" * 64
    (folder / "recorded.json").write_text(json.dumps(edited))
    with pytest.raises(InvalidInputError, match=r"measurement is 'arm prompt=plain provider=large'; must be as in"):
        Run(spec(on_error="retire"))


def test_a_new_arm_does_not_change_the_measurement() -> None:
    assert changed_parts([("outcome", "1"), ("arm a", "2")], [("outcome", "1"), ("arm a", "2"), ("arm b", "3")]) == []
    assert changed_parts([("outcome", "1")], [("outcome", "2")]) == ["outcome"]
    assert changed_parts([("outcome", "1")], [("outcome", "1"), ("command", "2")]) == ["command"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"filtered": True}, "test case 1 is 'a sum'; must be for every prompt and provider"),
        ({"assertions": ["contains", "select-best"]}, "test case 1 is 'select-best'; must be measured one at a time"),
        ({"stored": "first"}, "test case 1 is 'storeOutputAs'; must be measured one at a time"),
    ],
)
def test_cases_that_cannot_be_measured_alone_are_refused(change: dict[str, Any], message: str) -> None:
    cases = RECORDED["cases"]
    listed = cases | {"cases": [cases["cases"][0] | change, *cases["cases"][1:]]}
    with pytest.raises(InvalidInputError, match=f"c.yaml: {message}"):
        suite_of("c.yaml", RECORDED["prompts"], listed)


def test_arms_that_promptfoo_cannot_tell_apart_are_refused() -> None:
    first = RECORDED["prompts"][0]
    with pytest.raises(InvalidInputError, match=r"arm is 'prompt=plain provider=large'; must be unique"):
        suite_of("c.yaml", [first, first], RECORDED["cases"])
    with pytest.raises(InvalidInputError, match="label of a prompt is 'plain'; must not contain"):
        suite_of("c.yaml", [first, first | {"label": "plain:b"}], RECORDED["cases"])
    for change, message in (
        ({"scenarios": 2}, "scenarios is 2; must be written as tests"),
        ({"cases": []}, "add tests"),
    ):
        with pytest.raises(InvalidInputError, match=message):
            suite_of("c.yaml", [first], RECORDED["cases"] | change)


def test_a_missing_program_or_configuration_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(InvalidInputError, match="must be a configuration of promptfoo"):
        spec()
    (tmp_path / "promptfooconfig.yaml").write_text("")
    with pytest.raises(InvalidInputError, match=r"needs the program promptfoo, .*; type npm install promptfoo"):
        spec()


def test_what_the_configuration_has_must_be_left_out(folder: Path) -> None:
    for key, value in (("items", 4), ("cost", "duration"), ("timeout_outcome", 0.0)):
        with pytest.raises(
            InvalidInputError, match=rf"--{key.replace('_', '-')} is .*; must be left out with promptfoo"
        ):
            spec(**{key: value, "timeout": 5.0})
    with pytest.raises(InvalidInputError, match="give arms by exactly one of"):
        spec(arms=["a"])


def test_a_configuration_that_promptfoo_cannot_read_is_named(folder: Path) -> None:
    program = folder / "node_modules" / ".bin" / "promptfoo"
    program.write_text(f"#!{sys.executable}\nprint('no such provider'); raise SystemExit(1)\n")
    with pytest.raises(InvalidInputError, match=r"cannot be read: promptfoo ended with exit code 1 .*no such provider"):
        spec()
