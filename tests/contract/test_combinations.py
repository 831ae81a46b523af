"""What cannot be combined: every surface that has a combination refuses it with the sentence of the one list."""

import shlex
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

import thresher as th
from tests.support.cases import check_each
from thresher.campaign import Campaign
from thresher.campaign.storage import MemoryStorage
from thresher.cli.main import main
from thresher.errors import InvalidInputError
from thresher.problem import Problem, find_problem
from thresher.problem.combinations import REFUSALS, Refusal
from thresher.research.simulation import assumed_problem, check_judge, with_items
from thresher.run import Run, load_spec
from thresher.service import Settings, create_app
from thresher.service.settings import API
from thresher.terms import TERMS

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "question.md"
PAST = "arm,item,value\nold,1,1\nold,2,0\n"  # outcomes of a past arm, and in the next file scores of an arm
SCORES = "arm,item,value\na,1,1\na,2,0\n"
REPEATED = "arm,item,repeat,value\na,q1,1,1\na,q1,2,0\nb,q1,1,1\nb,q1,2,1\n"
ITEMS = "arm,item,value\na,q1,1\na,q2,0\nb,q1,1\nb,q2,1\n"
FILES = {"past.csv": PAST, "scores.csv": SCORES, "repeated.csv": REPEATED, "items.csv": ITEMS}

CONTROL: dict[str, Any] = {"control": "a", "threshold": None}
GAUSSIAN: dict[str, Any] = {"family": "gaussian", "sigma": 1.0}


def refused(field: str, words: str) -> Refusal:
    """Return the one refusal of a field whose sentence has these words."""
    [found] = [refusal for refusal in REFUSALS if refusal.field == field and words in refusal.rule]
    return found


BAR = refused("bar", "with a control")
MARGIN = refused("margin", "with a control")
HISTORY, PROXY = refused("history", "come with items"), refused("proxy", "come with items")
PEAK_CONTROL, PEAK_REPEATS = refused("recommend", "a control"), refused("recommend", "repeats")
PEAK_ITEMS = refused("recommend", "shared items")
REPEATS_CONTROL = refused("repeats", "a control")
JUDGE_NUMBERS = refused("judge_agreement", "0 and 1")
JUDGE_ALONE = refused("judge_agreement", "for a problem with its own outcomes")
Case = tuple[Refusal, dict[str, Any]]

# Campaigns of two arms with the bar ½, but for what is given.
CAMPAIGNS: dict[str, Case] = {
    "a bar with a control": (BAR, {"control": "a"}),
    "a margin alone": (MARGIN, {"margin": "-0.1"}),
    "decide by an index": (refused("policy", "goal 'decide'"), {"goal": "decide", "policy": "lsa"}),
    "decide at a price": (refused("stop_price", "goal 'decide'"), {"goal": "decide", "stop_price": 0.1}),
    "decide what one outcome tells": (refused("family", "goal 'decide'"), {"goal": "decide", "family": "two-point"}),
    "decide with a control": (refused("goal", "a control"), {"goal": "decide"} | CONTROL),
    "one outcome and a control": (refused("family", "two-point with a control"), {"family": "two-point"} | CONTROL),
    "one outcome and items": (refused("family", "with items"), {"family": "two-point", "items": 4, "threshold": 0.0}),
    "a quantile of a family": (refused("family", "with a quantile"), {"quantile": 0.5} | GAUSSIAN),
    "a quantile with a control": (refused("quantile", "a control"), {"quantile": 0.5} | CONTROL),
    "trials of a family": (refused("family", "with pass_k"), {"pass_k": 2} | GAUSSIAN),
    "trials and a quantile": (refused("quantile", "with pass_k"), {"pass_k": 2, "quantile": 0.5}),
    "trials with a control": (refused("pass_k", "a control"), {"pass_k": 2} | CONTROL),
    "trials with a tolerance": (refused("tolerance", "with pass_k"), {"pass_k": 2, "tolerance": 0.1}),
    "trials of items": (refused("pass_k", "at most repeats"), {"pass_k": 3, "repeats": 2, "items": 4}),
    "a population of nothing": (refused("target", "without items"), {"target": "population"}),
    "repeats of nothing": (refused("repeats", "without items"), {"repeats": 2}),
    "e-values about a population": (
        refused("guarantee", "target 'population'"), {"target": "population", "items": 4, "guarantee": "fdr"}
    ),
    "e-values of repeats": (refused("guarantee", "with repeats"), {"repeats": 2, "items": 4, "guarantee": "fdr"}),
    "repeats with a control": (REPEATS_CONTROL, {"repeats": 2, "items": 4} | CONTROL),
    "a population with a control": (refused("target", "a control"), {"target": "population", "items": 4} | CONTROL),
    "e-values of items with a control": (
        refused("guarantee", "items and a control"), {"guarantee": "fdr", "items": 4} | CONTROL
    ),
    "past arms without items": (HISTORY, {"history": "past.csv"}),
    "scores without items": (PROXY, {"proxy": "scores.csv"}),
    "past arms and a quantile": (
        refused("history", "a quantile"), {"history": "past.csv", "items": 4, "quantile": 0.5}
    ),
}  # fmt: skip


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("THRESHER_DB", raising=False)
    for name, text in FILES.items():
        Path(name).write_text(text)


def in_python(given: Mapping[str, Any], _: pytest.CaptureFixture[str]) -> str:
    return error_of(lambda: Campaign.create(MemoryStorage(), "c", **whole(given)))


def over_http(given: Mapping[str, Any], _: pytest.CaptureFixture[str]) -> str:
    """Give the campaign in one request, and what is known of its items in another, as the API has it."""
    body = {key: value for key, value in whole(given).items() if key not in ("history", "proxy") and value is not None}
    app = create_app(MemoryStorage(), Settings(hosts=("testserver",)))
    past = {"arms": [{"name": "old", "outcomes": [1, 0]}]}
    scores = {"scores": [{"arm": "a", "item": "1", "score": 1.0}]}
    with TestClient(app, headers={"Authorization": f"Bearer {app.state.keyring.new_token('admin')}"}) as client:
        answer = client.post(f"{API}/campaigns", json={"name": "c"} | body)
        for key, told in (("history", past), ("proxy", scores)):
            if key in given:
                assert answer.status_code == 201, answer.json()
                answer = client.post(f"{API}/campaigns/c/{key}", json=told)
    assert answer.status_code == 422
    return str(answer.json()["detail"])


def by_new(given: Mapping[str, Any], capsys: pytest.CaptureFixture[str]) -> str:
    flags = {term.name: term.flags[0] for term in TERMS} | {"threshold": "--bar"}
    words = ["new", "c", "-a", "a", "-a", "b"]
    for key, value in whole(given).items():
        words += [] if key == "arms" or value is None else [flags.get(key, f"--{key}"), str(value)]
    return said_by(words, capsys)


def by_spec(given: Mapping[str, Any], _: pytest.CaptureFixture[str]) -> str:
    keys = {term.name: term.key for term in TERMS} | {"threshold": "bar"}
    values = {keys.get(key, key): value for key, value in whole(given).items() if value is not None}
    lines = [f"{key} = {value!r}" for key, value in (values | {"command": "true"}).items()]
    Path("spec.toml").write_text("\n".join(lines))

    def run() -> None:
        with closing(Run(load_spec(Path("spec.toml"), {}))):
            pass

    return error_of(run)


SURFACES: dict[str, Callable[[Mapping[str, Any], pytest.CaptureFixture[str]], str]] = {
    "Python": in_python,
    "HTTP": over_http,
    "new": by_new,
    "spec": by_spec,
}


def whole(given: Mapping[str, Any]) -> dict[str, Any]:
    return {"arms": ["a", "b"], "threshold": 0.5, "budget": 20, **given}


def error_of(act: Callable[[], object]) -> str:
    with pytest.raises(InvalidInputError) as caught:
        act()
    return str(caught.value)


def said_by(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as left:
        main(words)
    said = capsys.readouterr().err
    assert left.value.code == 3, said
    return said.strip()


def sentence(refusal: Refusal, **given: str) -> str:
    return "; " + "; ".join(filter(None, (refusal.rule, refusal.fix.format_map(given))))


@pytest.mark.parametrize("surface", SURFACES)
def test_a_campaign_is_refused_with_the_same_sentence(surface: str, capsys: pytest.CaptureFixture[str]) -> None:
    def refuses(case: Case) -> None:
        refusal, given = case
        assert SURFACES[surface](given, capsys).endswith(sentence(refusal))

    check_each(CAMPAIGNS, refuses)


def test_another_bar_is_refused_where_the_bar_counted_the_outcomes_or_is_a_control() -> None:
    by_quantile = Campaign.create(MemoryStorage(), "c", **whole({"quantile": 0.5}))
    assert error_of(lambda: by_quantile.verdicts(bar=0.6)).endswith(sentence(refused("bar", "with a quantile")))
    by_control = Campaign.create(MemoryStorage(), "c", **whole(CONTROL))
    assert error_of(lambda: by_control.verdicts(bar=0.6)).endswith(sentence(BAR))
    assert error_of(lambda: by_control.add_arms(["c"], threshold=0.6)).endswith(sentence(BAR))


def test_a_run_refuses_a_cost_that_is_known_afterwards_with_a_control_and_a_judge_without_items() -> None:
    given = {"arms": ("a", "b"), "budget": 20.0, "command": "true"}
    priced = given | {"control": "a", "cost": "duration"}
    assert error_of(lambda: load_spec(None, priced)).endswith(sentence(refused("cost", "a control")))
    judged = given | {"bar": 0.5, "proxy_command": "true"}
    assert error_of(lambda: load_spec(None, judged)).endswith(sentence(PROXY))


TABLE = np.array([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]])
SIMULATIONS: dict[str, tuple[Refusal, Callable[[], object]]] = {
    "a bar with a control": (BAR, lambda: Problem.gaussian([0.1, 0.2], 0.0, control=0)),
    "a margin alone": (MARGIN, lambda: Problem.gaussian([0.1, 0.2], margin=0.1)),
    "a margin of a named problem": (MARGIN, lambda: find_problem("linear:K=4", margin=0.1)),
    "a margin of assumed arms": (MARGIN, lambda: assumed_problem(arms=4, spread=0.1, margin=0.1)),
    "one outcome and a control": (
        refused("family", "two-point with a control"), lambda: Problem.two_point([0.1, 0.2]).with_control(0)
    ),
    "a table of numbers": (refused("family", "'bounded'"), lambda: Problem.crossed(TABLE, 0.5, family="gaussian")),
    "a table with repeats": (
        refused("family", "a table with repeats"), lambda: Problem.crossed("repeated.csv", 0.5, family="bounded")
    ),
    "repeats with a control": (REPEATS_CONTROL, lambda: Problem.crossed("repeated.csv", control="a")),
    "past arms without items": (HISTORY, lambda: find_problem("linear:K=4", history="past.csv")),
    "scores without items": (PROXY, lambda: find_problem("linear:K=4", proxy="scores.csv")),
    "the peak with a control": (
        PEAK_CONTROL, lambda: th.simulate(Problem.gaussian([0.1, 0.2], control=0), budgets=9, recommend="peak")
    ),
    "the peak of repeats": (
        PEAK_REPEATS, lambda: th.simulate(Problem.repeated(TABLE, repeats=2), budgets=9, recommend="peak")
    ),
    "the peak of shared items": (
        PEAK_ITEMS, lambda: th.simulate(Problem.crossed(TABLE, 0.5), budgets=4, recommend="peak")
    ),
    "items of recorded outcomes": (
        refused("items", "own outcomes"), lambda: with_items(Problem.crossed(TABLE, 0.5), 5)
    ),
    "a judge of numbers": (
        JUDGE_NUMBERS, lambda: check_judge(Problem.gaussian([0.1, 0.2]), 5, 0.9)
    ),
    "a judge with a control": (JUDGE_ALONE, lambda: check_judge(Problem.bernoulli([0.1, 0.2], control=0), 5, 0.9)),
    "a judge of recorded outcomes": (JUDGE_ALONE, lambda: check_judge(Problem.crossed(TABLE, 0.5), 5, 0.9)),
}  # fmt: skip


def test_a_simulation_is_refused_with_the_same_sentence() -> None:
    def refuses(case: tuple[Refusal, Callable[[], object]]) -> None:
        refusal, act = case
        assert error_of(act).endswith(sentence(refusal, policy="stopping"))

    check_each(SIMULATIONS, refuses)


COMMANDS: dict[str, Refusal] = {
    "simulate linear:K=4 -b 20 --margin 0.1": MARGIN,
    "simulate linear:K=4 -b 20 --history past.csv": HISTORY,
    "simulate linear:K=4 -b 20 --control 1 --recommend peak": PEAK_CONTROL,
    "simulate repeated.csv:threshold=0.5 -b 8 --recommend peak": PEAK_REPEATS,
    "simulate items.csv:threshold=0.5 -b 4 --recommend peak": PEAK_ITEMS,
    "simulate repeated.csv -b 8 --control a": REPEATS_CONTROL,
    "plan --arms 9 --spread 0.1 --margin 0.1": MARGIN,
    "plan items.csv:threshold=0.5 --items 5": refused("items", "own outcomes"),
    "plan --arms 9 --family gaussian --spread 0.1 --items 9 --judge-agreement 90%": refused(
        "judge_agreement", "0 and 1"
    ),
    "theory linear:K=4 --control 1 --allocation": refused("allocation", "a control"),
    "theory items.csv:threshold=0.5 --allocation": refused("allocation", "without replacement"),
    "run -a a -a b --budget 9 --control a --cost duration --command true": refused("cost", "a control"),
}


def test_a_command_is_refused_with_the_same_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    def refuses(line: str) -> None:
        assert said_by(shlex.split(line), capsys).endswith(sentence(COMMANDS[line], policy="stopping"))

    check_each({line: line for line in COMMANDS}, refuses)


def test_every_refusal_has_a_case() -> None:
    elsewhere = {refused("bar", "with a quantile")}
    cases = {case[0] for case in (*CAMPAIGNS.values(), *SIMULATIONS.values())} | {*COMMANDS.values()} | elsewhere
    assert cases == {*REFUSALS}


def test_the_page_has_every_refusal() -> None:
    rows = [f"| `{refusal.field}` | {refusal.rule} |" for refusal in REFUSALS]
    shown = PAGE.read_text(encoding="utf-8").partition("## What cannot be combined")[2].partition("\n## ")[0]
    assert [line for line in shown.splitlines() if line.startswith("| `")] == rows
