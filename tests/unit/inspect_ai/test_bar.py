"""Early stopping in the real inspect_ai, with its mock model."""

import gc
import itertools
import logging
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Epochs, Task, eval_retry, eval_set
from inspect_ai import eval as evaluate
from inspect_ai import task as declared
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, accuracy, match, scorer
from inspect_ai.solver import Generate, TaskState, generate, solver

from thresher.campaign import Campaign
from thresher.errors import InvalidInputError
from thresher.inspect_ai import Bar
from thresher.run.importers import Columns, read_log, tell_log

pytestmark = [
    pytest.mark.timeout(240),  # a sample that waits forever fails its test
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

COUNTER = itertools.count()


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    # inspect_ai draws the results, with the sources of all errors, on no display at all: a fifth of the time.
    monkeypatch.setattr("inspect_ai._display.rich.display.tasks_results", lambda _: "", raising=False)
    handlers, level = list(logging.getLogger().handlers), logging.getLogger().level
    yield
    logging.getLogger().handlers[:] = handlers
    logging.getLogger().setLevel(level)


@pytest.fixture(autouse=True, scope="module")
def _collected() -> Iterator[None]:
    yield
    gc.collect()  # streams that inspect_ai leaves open warn here, not in another module


def dataset(n: int) -> MemoryDataset:
    samples = [Sample(id=f"q{i}", input=f"question {i}", target="yes") for i in range(n)]
    shuffled = MemoryDataset(samples)
    shuffled.shuffle(seed=7)
    return shuffled


def answer(name: str, number: int, share: float) -> ModelOutput:
    """Return a right answer to this share of the questions, spread evenly over their numbers."""
    is_right = int((number + 1) * share) > int(number * share)
    output = ModelOutput.from_content(f"mockllm/{name}", "yes" if is_right else "no")
    output.usage = ModelUsage(input_tokens=1, output_tokens=1)  # else inspect_ai downloads a tokenizer to count
    return output


def model(name: str, share: float) -> Model:
    def answers(messages: Any, *_: Any) -> ModelOutput:
        return answer(name, int(messages[-1].text.split()[-1]), share)

    return get_model(f"mockllm/{name}", custom_outputs=answers, memoize=False)


def task(name: str, bar: Bar | None, n: int = 80, **given: Any) -> Task:
    chosen: dict[str, Any] = {"solver": generate(), "scorer": match(), "dataset": dataset(n)} | given
    return Task(name=name, early_stopping=bar, **chosen)


def run(tasks: Any, models: Any, **given: Any) -> list[EvalLog]:
    # Not in real time: a database for inspect_ai's viewer takes half of the time of a sample.
    chosen = {"max_samples": 4, "log_realtime": False} | given
    return evaluate(tasks, model=models, display="none", log_dir="logs", **chosen)


def summary(log: EvalLog) -> dict[str, Any]:
    assert log.status == "success", log.error
    assert log.results is not None
    assert log.results.early_stopping is not None
    return log.results.early_stopping.metadata


def ran(logs: list[EvalLog]) -> int:
    return sum(len(log.samples or []) for log in logs)


SHARES = {"strong": 0.97, "good": 0.9, "weak": 0.6, "poor": 0.3}


@pytest.mark.nightly
def test_it_finds_the_verdicts_of_the_full_run_at_a_fraction_of_its_samples(
    capsys: pytest.CaptureFixture[str],
) -> None:
    models = [model(name, share) for name, share in SHARES.items()]
    full = run([task("sums", None, 200), task("words", None, 200)], models, max_tasks=8, log_samples=False)
    bar = Bar(0.8, budget=1200)
    some = run([task("sums", bar, 200), task("words", bar, 200)], models, max_tasks=8)
    assert [log.error for log in full] == [None] * 8
    truth = {(log.eval.task, log.eval.model): log.results.scores[0].metrics["accuracy"].value for log in full}  # type: ignore[union-attr]
    found = {(log.eval.task, log.eval.model): summary(log)["decision"] for log in some}
    assert found == {arm: "pass" if mean > 0.8 else "fail" for arm, mean in truth.items()}
    every = sum(log.results.completed_samples for log in full if log.results)
    assert every == 8 * 200
    assert bar.spent == ran(some)
    with capsys.disabled():
        print(f"\n{ran(some)} of {every} samples ({ran(some) / every:.0%}) give the same 8 verdicts")  # noqa: T201
    assert ran(some) < 0.5 * every


def test_the_log_has_the_verdict_and_why_samples_were_stopped() -> None:
    bar = Bar(0.5, budget=1000)
    (log,) = run(task("sums", bar), model("poor", 0.1))
    said = summary(log)
    assert (said["campaign"], said["arm"], said["decision"]) == ("inspect_ai/sums", "mockllm/poor", "fail")
    assert said["measured"] + said["stopped"] == said["samples"] == 80
    stopping = log.results.early_stopping  # type: ignore[union-attr]
    assert stopping is not None
    assert stopping.manager == "thresher"
    assert {stop.reason for stop in stopping.early_stops} == {"decided: fail"}
    campaign = bar.campaigns["inspect_ai/sums"]
    campaign.verify()
    assert campaign.verdicts()[0].pulls == said["measured"] == ran([log])


def test_tasks_share_one_budget_and_it_is_kept() -> None:
    bar = Bar(0.8, budget=30)
    logs = run([task("a", bar), task("b", bar)], [model("x", 0.8), model("y", 0.79)], max_tasks=4)
    assert ran(logs) == bar.spent == 30
    # A task that the others left no sample of has no results.
    stops = [log.results.early_stopping.early_stops for log in logs if log.results]  # type: ignore[union-attr]
    assert "the budget is spent" in {stop.reason for each in stops for stop in each}


def test_budget_goes_to_the_arm_in_doubt() -> None:
    bar = Bar(0.8, budget=80, in_flight=1)
    logs = run([task("a", bar, 100)], [model("near", 0.78), model("far", 0.05)], max_tasks=2, max_samples=2)
    measured = {summary(log)["arm"]: summary(log)["measured"] for log in logs}
    assert measured["mockllm/near"] > 3 * measured["mockllm/far"]


def test_a_share_is_kept_for_tasks_that_have_not_started() -> None:
    bar = Bar(0.8, budget=24, arms=3)
    logs = run([task(name, bar) for name in "abc"], [model("near", 0.8)], max_tasks=1)
    assert [summary(log)["measured"] for log in logs] == [8, 8, 8]
    greedy = Bar(0.8, budget=24)
    logs = run([task(name, greedy) for name in "abc"], [model("near", 0.8)], max_tasks=1)
    assert [ran([log]) for log in logs] == [24, 0, 0]


def test_one_slot_for_each_task_and_one_sample_in_flight_does_not_hang() -> None:
    bar = Bar(0.8, budget=10_000, in_flight=1)
    models = [model(f"m{i}", 0.5 + 0.2 * i) for i in range(3)]
    logs = run([task("a", bar, 9), task("b", bar, 9)], models, max_tasks=3, max_samples=1)
    assert len(logs) == 6
    assert all(summary(log)["measured"] >= 1 for log in logs)


@solver
def failing(share: float) -> Any:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if int(str(state.sample_id)[1:]) % 10 < 10 * share:
            raise RuntimeError("no connection")
        return await generate(state)

    return solve


def test_samples_that_fail_cost_their_unit_and_hold_up_no_other() -> None:
    bar = Bar(0.8, budget=50, in_flight=1)
    tasks = [task("fails", bar, solver=failing(0.5)), task("works", bar)]
    logs = run(tasks, model("near", 0.8), max_tasks=2, max_samples=2, fail_on_error=False)
    fails, works = (summary(log) for log in logs)
    assert fails["without_score"] > 0
    assert works["without_score"] == 0
    assert fails["measured"] + fails["without_score"] + works["measured"] == bar.spent == 50


def test_a_task_that_fails_as_a_whole_holds_up_no_other() -> None:
    bar = Bar(0.8, budget=1000, in_flight=1)
    tasks = [task("fails", bar, solver=failing(1.0)), task("works", bar)]
    fails, works = run(tasks, model("poor", 0.1), max_tasks=2, max_samples=2)
    assert fails.status == "error"
    assert summary(works)["decision"] == "fail"


@solver
def failing_once() -> Any:
    seen = set[str]()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if str(state.sample_id) not in seen:
            seen.add(str(state.sample_id))
            raise RuntimeError("no connection")
        return await generate(state)

    return solve


def test_a_sample_that_is_retried_costs_one_unit() -> None:
    # All slots are held by samples that wait to start, while those that failed wait for a slot.
    bar = Bar(0.8, budget=15, patience=0.5)
    (log,) = run(task("a", bar, solver=failing_once()), model("near", 0.8), retry_on_error=1)
    assert summary(log)["measured"] == bar.spent == 15
    assert summary(log)["without_score"] == 0


def moody(name: str) -> Model:
    """Return a model that is right twice of the three times that it is asked a question, but for every fourth."""
    times: Counter[int] = Counter()

    def answers(messages: Any, *_: Any) -> ModelOutput:
        number = int(messages[-1].text.split()[-1])
        times[number] += 1
        return answer(name, 0, 1.0 if number % 4 and (times[number] + number) % 3 else 0.0)

    return get_model(f"mockllm/{name}", custom_outputs=answers, memoize=False)


def test_epochs_are_repeats_of_the_same_items(tmp_path: Path) -> None:
    db, epochs = f"sqlite:///{tmp_path / 'bar.db'}", {"epochs": Epochs(3, "mean")}
    first = Bar(0.5, budget=30, db=db, pass_k=2)
    run(task("a", first, 16, **epochs), moody("moody"))
    bar = Bar(0.5, budget=1000, db=db)
    (log,) = run(task("a", bar, 16, **epochs), moody("moody"))
    assert summary(log)["samples"] == 48
    assert ran([log]) == 18, "the others were measured in the first run"
    campaign = Campaign.open(db, "inspect_ai/a")
    items = campaign.items()
    assert (campaign.terms.repeats, len(items), int(items.counts.min())) == (3, 16, 3)
    [row] = campaign.verdicts()
    assert row.mean == pytest.approx(items.table.mean())
    assert (row.pulls, row.certain) == (48, False)
    assert row.pass_k is not None
    told = tell_log(campaign, read_log(Path(log.location), Columns(item=("sample",)))[0])
    assert (told.told, told.before) == (0, 18), "an epoch in the log is the same repeat"
    campaign.verify()
    campaign.disconnect()


def test_a_campaign_of_an_earlier_version_keeps_its_epochs_as_items(tmp_path: Path) -> None:
    db = f"sqlite:///{tmp_path / 'bar.db'}"
    items = [f"q{i}{end}" for i in range(5) for end in ("", " (epoch 2)")]
    old = Campaign.create(db, "inspect_ai/a", arms=["mockllm/near"], items=items, threshold=0.5, budget=10)
    old.disconnect()
    (log,) = run(task("a", Bar(0.5, budget=100, db=db), 5, epochs=Epochs(2, "mean")), model("near", 0.8))
    assert summary(log)["measured"] > 0
    assert Campaign.open(db, "inspect_ai/a").items().names == tuple(items)


def test_a_limit_makes_the_population_smaller() -> None:
    bar = Bar(0.8, budget=1000)
    (log,) = run(task("a", bar), model("near", 0.8), limit=12)
    assert summary(log)["samples"] == 12


def test_another_run_continues_the_campaign(tmp_path: Path) -> None:
    db = f"sqlite:///{tmp_path / 'bar.db'}"
    first = Bar(0.8, budget=15, db=db, name="nightly")
    run(task("a", first), model("near", 0.8))
    other = Campaign.create(db, "nightly/b", arms=["mockllm/near"], threshold=0.8, budget=4)
    other.tell_counts("mockllm/near", n=4, total=3)  # of a task that is not run again
    other.disconnect()
    second = Bar(0.8, budget=29, db=db, name="nightly")
    (log,) = run(task("a", second), model("near", 0.8))
    assert ran([log]) == 10
    assert (summary(log)["measured"], second.spent) == (25, 29)
    reasons = {stop.reason for stop in log.results.early_stopping.early_stops}  # type: ignore[union-attr]
    assert "measured in an earlier run" in reasons
    campaign = Campaign.open(db, "nightly/a")
    assert campaign.verdicts()[0].pulls == 25
    campaign.verify()
    campaign.disconnect()


def test_other_samples_need_another_name(tmp_path: Path) -> None:
    db = f"sqlite:///{tmp_path / 'bar.db'}"
    run(task("a", Bar(0.8, budget=5, db=db), 20), model("near", 0.8))
    (log,) = run(task("a", Bar(0.8, budget=50, db=db), 30), model("near", 0.8))
    assert log.error is not None
    assert "must be the same 20 samples and epochs" in log.error.message


def test_an_eval_set_retries_and_reuses_samples(tmp_path: Path) -> None:
    bar = Bar(0.8, budget=30)
    done, logs = eval_set(
        [task("a", bar, 16, solver=failing_once()), task("b", bar, 16)], log_dir=str(tmp_path / "set"),
        model=model("near", 0.8), retry_attempts=5, retry_wait=0.01, retry_immediate=True, display="none",
        max_samples=1,
    )  # fmt: skip
    assert {log.eval.task for log in logs} == {"a", "b"}
    told = {name: campaign.verdicts()[0].pulls for name, campaign in bar.campaigns.items()}
    assert sum(told.values()) <= bar.spent <= 30
    assert told["inspect_ai/b"] > 0
    assert done or any(log.status == "error" for log in logs)


@solver
def failing_at(place: int) -> Any:
    started = itertools.count()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if next(started) == place:
            raise RuntimeError("outage")
        state.output = answer("near", int(str(state.sample_id)[1:]), 0.8)
        return state

    return solve


def test_a_retry_tells_the_samples_of_the_log_once(tmp_path: Path) -> None:
    bar, interrupted = Bar(0.8, budget=100), failing_at(5)

    @declared(name="outage")
    def outage() -> Task:
        return task("outage", bar, 12, solver=interrupted)

    (log,) = run(outage(), model("near", 0.8))
    assert log.status == "error"
    before = bar.campaigns["inspect_ai/outage"].verdicts()[0].pulls
    assert 0 < before <= 5
    (again,) = eval_retry(log, display="none", log_dir="logs")
    assert again.error is None
    after = summary(again)
    assert after["measured"] == ran([again]) > before
    assert after["measured"] + after["stopped"] == 12


def test_a_retry_with_another_bar_tells_the_samples_of_the_log_and_pays_those_that_it_runs() -> None:
    bars, interrupted = [Bar(0.8, budget=100), Bar(0.8, budget=100)], failing_at(5)
    bar = iter(bars)

    @declared(name="outage")
    def outage() -> Task:
        return task("outage", next(bar), 12, solver=interrupted)

    (log,) = run(outage(), model("near", 0.8))
    assert log.status == "error"
    (again,) = eval_retry(log, display="none", log_dir="logs")
    assert again.error is None
    after = summary(again)
    assert after["measured"] + after["stopped"] == 12
    assert bars[1].spent < after["measured"]


def _scored(value: Any) -> Any:
    @scorer(metrics=[accuracy()], name=f"judge{next(COUNTER)}")
    def judge() -> Any:
        async def score(state: TaskState, target: Any) -> Score:
            return Score(value=value)

        return score

    return judge()


@pytest.mark.nightly("P", "1")
@pytest.mark.parametrize("value", [0.25, 1, True, "C", "P", "yes"])
def test_scores_become_outcomes(value: Any) -> None:
    bar = Bar(0.8, budget=3, family="bounded")
    (log,) = run(task("a", bar, 10, scorer=_scored(value)), model("x", 0.8))
    expected = {"C": 1.0, "P": 0.5, "yes": 1.0}.get(value, value) if isinstance(value, str) else float(value)
    assert summary(log)["mean"] == pytest.approx(expected)


def test_a_function_reads_scores() -> None:
    bar = Bar(0.8, budget=3, score=lambda scores: len(scores) == 1)
    (log,) = run(task("a", bar, 10, scorer=_scored("fine")), model("x", 0.8))
    assert summary(log)["mean"] == 1.0


@pytest.mark.parametrize(
    ("given", "value", "message"),
    [
        ({}, "fine", "is 'fine'; a score is a number, C, P, I or N"),
        ({"score": "other"}, 1, "has no score 'other'"),
        ({}, {"style": 1, "truth": 0}, "has several scores"),
        ({}, 0.5, "0.5"),
    ],
)
def test_a_score_that_cannot_be_read_is_an_error(given: dict[str, Any], value: Any, message: str) -> None:
    bar = Bar(0.8, budget=30, **given)
    (log,) = run(task("a", bar, 10, scorer=_scored(value)), model("x", 0.8))
    assert log.status == "error"
    assert log.error is not None
    assert message in log.error.message
    assert all(row.pulls == 0 for row in bar.campaigns["inspect_ai/a"].verdicts())


def test_an_unscored_sample_has_no_outcome() -> None:
    bar = Bar(0.8, budget=30)
    (log,) = run(task("a", bar, 10, scorer=_scored(float("nan"))), model("x", 0.8))
    assert bar.campaigns["inspect_ai/a"].verdicts()[0].pulls == 0
    assert log.status == "success"
    assert bar.spent == 10


def test_samples_that_are_not_shuffled_give_a_warning() -> None:
    plain = MemoryDataset([Sample(input=f"question {i}", target="yes") for i in range(6)])
    bar = Bar(0.8, budget=30)
    with pytest.warns(UserWarning, match="samples of task 'a' are not shuffled"):
        (log,) = run(task("a", bar, dataset=plain), model("x", 0.8))
    assert any("not shuffled" in note for note in summary(log)["notes"])
    (log,) = run(task("b", bar, dataset=plain), model("x", 0.8), sample_shuffle=3)
    assert summary(log)["notes"] == []


def test_two_tasks_of_one_name_are_an_error() -> None:
    bar = Bar(0.8, budget=30)
    logs = run([task("a", bar, 10), task("a", bar, 10)], model("x", 0.8), max_tasks=1)
    assert logs[1].error is not None
    assert "name of two tasks with the same model" in logs[1].error.message


def test_a_task_without_a_scorer_is_an_error() -> None:
    (log,) = run(task("a", Bar(0.8, budget=30), 10, scorer=None), model("x", 0.8))
    assert log.error is not None
    assert "scorer of task 'a'" in log.error.message


@pytest.mark.parametrize("given", [{"budget": 0}, {"budget": 5, "in_flight": 0}, {"budget": 5, "arms": float("nan")}])
def test_a_number_below_1_is_an_error(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError, match="at least 1"):
        Bar(0.8, **given)
