"""One budget of tokens or dollars in the real inspect_ai, with its mock model."""

import gc
import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import match
from inspect_ai.solver import Generate, TaskState, generate, solver

from tests.support.checkout import CHECKOUT
from thresher.campaign import Campaign
from thresher.errors import InvalidInputError
from thresher.inspect_ai import Bar

pytestmark = [
    pytest.mark.timeout(240),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("inspect_ai._display.rich.display.tasks_results", lambda _: "", raising=False)
    handlers, level = list(logging.getLogger().handlers), logging.getLogger().level
    yield
    logging.getLogger().handlers[:] = handlers
    logging.getLogger().setLevel(level)


@pytest.fixture(autouse=True, scope="module")
def _collected() -> Iterator[None]:
    yield
    gc.collect()  # streams that inspect_ai leaves open warn here, not in another module


def model(name: str, share: float, tokens: int) -> Model:
    """Return a model that is right on this share of the questions and uses up to this many tokens for one."""

    def answers(messages: Any, *_: Any) -> ModelOutput:
        number = int(messages[-1].text.split()[-1])
        is_right = int((number + 1) * share) > int(number * share)
        output = ModelOutput.from_content(f"mockllm/{name}", "yes" if is_right else "no")
        used = tokens - 50 * (number % 3)
        output.usage = ModelUsage(input_tokens=used - 10, output_tokens=10, total_tokens=used)
        return output

    return get_model(f"mockllm/{name}", custom_outputs=answers, memoize=False)


def task(name: str, bar: Bar, n: int = 100, **given: Any) -> Task:
    samples = MemoryDataset([Sample(id=f"q{i}", input=f"question {i}", target="yes") for i in range(n)])
    samples.shuffle(seed=7)
    chosen: dict[str, Any] = {"solver": generate(), "scorer": match()} | given
    return Task(name=name, early_stopping=bar, dataset=samples, **chosen)


def run(tasks: Any, models: Any, **given: Any) -> list[EvalLog]:
    chosen = {"max_samples": 4, "log_realtime": False, "max_tasks": 4} | given
    return evaluate(tasks, model=models, display="none", log_dir="logs", **chosen)


def used(logs: list[EvalLog]) -> int:
    samples = [sample for log in logs for sample in log.samples or []]
    return sum(usage.total_tokens for sample in samples for usage in sample.model_usage.values())


def test_one_budget_of_tokens_for_all_tasks_and_models() -> None:
    bar = Bar(0.8, budget=20_000, cost="tokens")
    logs = run([task("a", bar), task("b", bar)], [model("dear", 0.79, 900), model("cheap", 0.8, 300)])
    assert [log.status for log in logs] == ["success"] * 4
    spent = used(logs)
    assert bar.spent == pytest.approx(min(spent, 20_000))
    assert 18_000 < spent <= 20_000 + 4 * 900  # the first sample of each
    assert bar.committed == bar.spent
    table = bar.verdicts()
    assert {row.arm for row in table} == {f"{name} mockllm/{size}" for name in "ab" for size in ("dear", "cheap")}
    assert sum(row.pulls for row in table) == sum(len(log.samples or []) for log in logs)
    assert table.spending is not None
    assert "20,000" in table.summary


def test_nothing_is_exceeded_once_the_largest_cost_is_known() -> None:
    bar = Bar(0.8, budget=6_000, cost="tokens", in_flight=1)
    logs = run(task("a", bar), model("near", 0.8, 700))
    assert used(logs) == bar.spent <= 6_000
    assert bar.spent > 6_000 - 700


@solver
def failing() -> Any:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state = await generate(state)
        if int(str(state.sample_id)[1:]) % 2:
            raise RuntimeError("no connection")
        return state

    return solve


def test_a_sample_that_fails_is_charged_what_it_used() -> None:
    bar = Bar(0.8, budget=8_000, cost="tokens", in_flight=1)
    logs = run(task("a", bar, solver=failing()), model("near", 0.8, 400), fail_on_error=False)
    assert used(logs) == bar.spent
    assert bar.committed == bar.spent
    assert any(sample.error for sample in logs[0].samples or [])


PROCESS = """
import sys
sys.path.insert(0, {checkout!r})
from pathlib import Path
from tests.unit.inspect_ai.test_cost import Bar, model, run, task, used
bar = Bar(0.8, budget=12_000, cost="tokens", db="sqlite:///bar.db", in_flight=2)
logs = run(task(sys.argv[1], bar), model("near", 0.8, 500))
print(used(logs))
"""


@pytest.mark.nightly
def test_processes_share_the_budget(tmp_path: Path) -> None:
    script = tmp_path / "process.py"
    script.write_text(PROCESS.format(checkout=str(CHECKOUT)))
    started = [
        subprocess.Popen([sys.executable, "-W", "ignore", script, name], stdout=subprocess.PIPE) for name in "ab"
    ]
    spent = sum(json.loads(process.communicate()[0].splitlines()[-1]) for process in started)
    ledger = Campaign.open("sqlite:///bar.db", "inspect_ai tokens")
    assert ledger.outstanding == 0
    assert ledger.spent == pytest.approx(min(spent, 12_000))
    assert 12_000 - 2 * 500 < spent <= 12_000 + 2 * 500
    ledger.verify()
    ledger.disconnect()
    (log,) = run(task("c", Bar(0.8, budget=12_000, cost="tokens", db="sqlite:///bar.db")), model("near", 0.8, 500))
    assert len(log.samples or []) <= 1  # a later run goes on with what is left


def test_an_unknown_cost_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="cost is 'euros'; must be tokens or usd"):
        Bar(0.8, budget=10, cost="euros")
    with pytest.raises(InvalidInputError, match="budget is 0; must be a number of at least 1, or above 0 with a cost"):
        Bar(0.8, budget=0, cost="usd")
