import hashlib
import json
import sqlite3
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thresher
from thresher.errors import ExperimentError, InvalidInputError, UnknownNameError
from thresher.policy import Policy, Rule, Stop, find_policy, per_arm
from thresher.policy.index import INDICES, register_index
from thresher.problem import Problem, find_problem
from thresher.research.engine import RunCounts
from thresher.research.simulation import Interrupted, Result, job, simulate
from thresher.research.simulation.plan import with_costs

PROBLEM = Problem.named("linear:K=5")
POLICIES = ["lsa", "fwt-sqrt", "uniform-iid"]


def quick(policies: Any = POLICIES, budgets: Any = (10, 20, 40), **options: Any) -> Result:
    """Return a small simulation."""
    return simulate(PROBLEM, policies, **({"budgets": budgets, "runs": 60, "seed": 1} | options))


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut the work into chunks of five runs."""
    monkeypatch.setattr(job, "PULLS_PER_CHUNK", 5 * 40)


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, int]]:
    """Give the chunks of work that were run, as they are run."""
    seen: list[tuple[str, int, int]] = []
    run = job.Job.run

    def noted(self: job.Job, first_run: int, runs: int) -> RunCounts:
        seen.append((self.policy.name, first_run, runs))
        return run(self, first_run, runs)

    monkeypatch.setattr(job.Job, "run", noted)
    return seen


def fingerprint(result: Result) -> str:
    """Return a hash of every number in a result."""
    digest = hashlib.sha256()
    for name in result.policies:
        for array in result.counted[name]:
            digest.update(name.encode() + str(array.dtype).encode() + str(array.shape).encode() + array.tobytes())
    return digest.hexdigest()


# What comes back


def test_there_is_a_row_for_each_policy_and_budget_in_order() -> None:
    rows = quick(budgets=[40, 10, 20]).rows()
    assert [(row.policy, row.budget) for row in rows] == [(p, b) for p in POLICIES for b in (10.0, 20.0, 40.0)]


def test_names_files_and_single_policies_will_do(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text('{"means": [-0.2, 0.4, -0.6, 0.8, -1.0]}')
    from_file = simulate(str(path), "lsa", budgets=[20], runs=60, seed=1)
    by_name = simulate("linear:K=5", "lsa", budgets=[20], runs=60, seed=1)
    assert fingerprint(from_file) == fingerprint(by_name) == fingerprint(quick("lsa", [20]))
    assert from_file.problem.name == "p.json"


def test_the_default_policy_is_stopping() -> None:
    assert simulate(PROBLEM, budgets=[10], runs=2).policies == ["stopping"]


@pytest.mark.parametrize(
    ("given", "what"), [({"policies": ["lsa", "lsa"]}, "policy"), ({"budgets": [20, 20.0]}, "budget")]
)
def test_what_is_given_twice_is_refused(given: dict[str, Any], what: str) -> None:
    with pytest.raises(InvalidInputError, match=f"{what} given twice is .*; must be unique; leave one of them out"):
        quick(**given)


def test_losses_are_those_that_numpy_sees() -> None:
    result = quick(["lsa", "fwt-sqrt"])
    for row in result.rows():
        losses = result.losses(row.policy)[:, list(result.asked.budgets).index(row.budget)]
        assert losses.shape == (60,)
        assert row.mean == losses.mean()
        assert row.stderr == pytest.approx(losses.std(ddof=1) / np.sqrt(60))
        assert [row.q25, row.median, row.q75] == np.percentile(losses, [25, 50, 75]).tolist()
        assert row.any_mistake == (losses > 0).mean()


def test_index_policies_spend_every_budget() -> None:
    result = quick(["lsa"])
    assert result.pulls("lsa").sum(axis=1) == pytest.approx([10.0, 20.0, 40.0])
    assert [row.spent for row in result.rows()] == pytest.approx([10.0, 20.0, 40.0])


def test_a_loss_of_any_is_the_chance_of_any_mistake() -> None:
    for row in quick(loss="any").rows():
        assert row.mean == row.any_mistake


def test_about_holds_the_versions() -> None:
    about = quick("lsa").about
    assert about["thresher"] == thresher.__version__
    assert about["numpy"] == np.__version__


# A row is a row


@pytest.mark.parametrize("policy", [*POLICIES, "stopping", "sprt", "apt:epsilon=0.1"])
@pytest.mark.parametrize("recommend", ["final", "peak"])
def test_a_row_does_not_change_with_other_policies_and_budgets(policy: str, recommend: str) -> None:
    alone = quick([policy], [20], recommend=recommend).rows()[0]
    others = ["uniform", policy, "fwt"]
    for budgets in ([20, 40], [5, 20], [5, 7, 11, 13, 20, 400]):
        together = [row for row in quick(others, budgets, recommend=recommend).rows() if row.policy == policy]
        assert next(row for row in together if row.budget == 20) == alone


def test_more_runs_begin_with_the_same_ones() -> None:
    few, many = quick(runs=25), quick(runs=60)
    for policy in POLICIES:
        np.testing.assert_array_equal(few.losses(policy), many.losses(policy)[:25])


def test_policies_use_common_random_numbers() -> None:
    # All arms once: every policy has seen the same samples and judges alike.
    result = quick(["apt", "lsa", "fwt", "stopping", "uniform"], [5])
    for policy in result.policies:
        np.testing.assert_array_equal(result.losses(policy), result.losses("apt"))
    assert all(difference.stderr == 0.0 for difference in result.compare("apt", "lsa"))


def test_another_seed_gives_other_random_numbers() -> None:
    assert fingerprint(quick()) == fingerprint(quick())
    assert fingerprint(quick()) != fingerprint(quick(seed=2))


# Who works


def test_threads_give_the_same_bits_however_many(small_chunks: None) -> None:
    found = {fingerprint(quick(executor="threads", workers=workers)) for workers in (1, 2, 4)}
    assert len(found) == 1


@pytest.mark.by_day("1")
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_processes_give_the_same_bits_as_threads(small_chunks: None, workers: int) -> None:
    expected = fingerprint(quick())  # first, so that processes find the kernels compiled
    assert fingerprint(quick(executor="processes", workers=workers)) == expected


class Backwards(Executor):
    """An executor of one's own, that does the last chunk first."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Future[Any], Callable[[], Any]]] = []

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.waiting.append((future, lambda: function(*args, **kwargs)))
        if len(self.waiting) == 36:  # 3 policies, 60 runs, 5 at a time
            while self.waiting:
                done, work = self.waiting.pop()
                done.set_result(work())
        return future


def test_an_executor_of_ones_own_gives_the_same_bits_in_any_order_and_stays_open(small_chunks: None) -> None:
    assert fingerprint(quick(executor=Backwards())) == fingerprint(quick())
    with ThreadPoolExecutor(2) as pool:
        assert fingerprint(quick(executor=pool)) == fingerprint(quick())
        assert pool.submit(int).result() == 0


def test_unknown_executors_and_no_workers_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown executor 'thread'; did you mean 'threads'"):
        quick(executor="thread")
    with pytest.raises(ExperimentError, match="0 workers; ask for at least one"):
        quick(workers=0)
    with pytest.raises(ExperimentError, match="an address without the Dask executor"):
        quick(address="tcp://127.0.0.1:8786")


# What cannot be asked


def test_what_cannot_be_asked_is_refused_before_any_work(counts: list[tuple[str, int, int]]) -> None:
    for options, sentence in (
        ({"budgets": []}, "budget is missing"),
        ({"budgets": [4]}, "budget for 5 arms is 4"),
        ({"policies": []}, "policy is missing"),
        ({"runs": 0}, "runs is 0; must be a whole number, at least 1"),
        ({"runs": 2.5}, "runs is 2.5; must be a whole number, at least 1"),
        ({"runs": "a"}, "runs is 'a'; must be a whole number"),
        ({"seed": 1.5}, "seed is 1.5; must be a whole number from 0 to"),
        ({"seed": None}, "seed is None; must be a whole number"),
        ({"budgets": ["x"]}, "'x'; .* positive finite number"),
        ({"budgets": "30"}, "'30'; .* positive finite number"),
        ({"budgets": [None]}, "None; .* positive finite number"),
        ({"budgets": [float("nan")]}, "nan; .* positive finite number"),
        ({"policies": 5}, "policy is 5; must be a name such as 'lsa', or a policy"),
        ({"policies": [5]}, "policy is 5; must"),
        ({"tolerance": "x"}, "tolerance is 'x'; must be 0 or a positive number"),
        ({"in_flight": 1.5}, "in_flight is 1.5; must be a whole number, at least 0"),
        ({"policies": [per_arm(["lsa"] * 5), per_arm(["fwt"] * 5)]}, "name of two policies is 'per-arm'"),
    ):
        with pytest.raises(ValueError, match=sentence):
            quick(**options)
    with pytest.raises(UnknownNameError, match="did you mean 'linear'"):
        simulate("lineal", "lsa", budgets=[10])
    with pytest.raises(ValueError, match="such as"):
        simulate([0.1, 0.2], "lsa", budgets=[10])  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="unknown keyword 'budget' of simulate; did you mean 'budgets'"):
        simulate("linear", "lsa", budget=[10])  # type: ignore[call-arg]
    with pytest.raises(UnknownNameError, match="unknown loss '5'"):
        quick(loss=5)
    assert counts == []


def test_one_budget_and_one_policy_need_no_list() -> None:
    several = simulate("linear:K=5", ["lsa"], budgets=[20], runs=10)
    assert fingerprint(simulate("linear:K=5", find_policy("lsa"), budgets=20, runs=10)) == fingerprint(several)


def test_numbers_of_numpy_are_as_good_as_pythons(tmp_path: Path) -> None:
    plain = simulate("linear:K=5", "lsa", budgets=[20], runs=10, seed=1, tolerance=0.25)
    out = tmp_path / "results.db"
    options: Any = {"runs": np.int64(10), "seed": np.int64(1), "tolerance": np.float32(0.25), "in_flight": np.int8(0)}
    for _ in range(2):
        result = simulate("linear:K=5", "lsa", budgets=np.array([20]), out=out, **options)
        assert json.loads(result.to_json())["results"] == plain.to_dict()["results"]
    assert (type(result.runs), type(result.seed)) == (int, int)


# On disk


def test_finished_pieces_are_not_computed_again(
    small_chunks: None, counts: list[tuple[str, int, int]], tmp_path: Path
) -> None:
    out = tmp_path / "results.db"
    first = quick(out=out)
    assert len(counts) == 36 == len(set(counts))
    counts.clear()
    assert fingerprint(quick(out=out)) == fingerprint(first)
    assert counts == []
    more = quick([*POLICIES, "apt"], runs=70, out=out)
    # Two more chunks for each of three policies, and fourteen of the new one.
    assert len(counts) == 3 * 2 + 14
    assert fingerprint(more) == fingerprint(quick([*POLICIES, "apt"], runs=70))


def test_a_file_of_another_experiment_is_refused_and_the_difference_named(tmp_path: Path) -> None:
    out = tmp_path / "results.db"
    quick(out=out)
    for options, difference in (
        ({"seed": 2}, "seed"),
        ({"budgets": [10, 20]}, "budgets"),
        ({"loss": "any", "recommend": "peak"}, "loss, recommendation"),
        ({"policies": "lsa", "stop_price": 0.1}, "stop price"),
    ):
        with pytest.raises(ExperimentError) as caught:
            quick(out=out, **options)
        assert f"holds the results of another experiment (other {difference})" in str(caught.value)
    with pytest.raises(ExperimentError, match=r"\(other means, problem\)"):
        simulate("quadratic:K=5", POLICIES, budgets=[10, 20, 40], runs=60, seed=1, out=out)
    dearer = with_costs(find_problem("linear:K=5"), costs=[1.0], pull_costs=[1.5])
    with pytest.raises(ExperimentError, match=r"\(other pull costs\)"):
        simulate(dearer, POLICIES, budgets=[10, 20, 40], runs=60, seed=1, out=out)


def test_a_file_of_another_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "results.db"
    quick(out=out)
    monkeypatch.setattr(thresher, "__version__", "99.0")
    with pytest.raises(ExperimentError, match=r"another experiment \(other version of thresher\)"):
        quick(out=out)


def test_policies_that_share_a_name_do_not_share_results(tmp_path: Path) -> None:
    out = tmp_path / "results.db"
    for names in (["lsa", "fwt", "apt", "uniform", "lsa"], ["uniform", "uniform", "lsa", "lsa", "lsa"]):
        kept = quick([per_arm(names)], out=out)
        assert fingerprint(kept) == fingerprint(quick([per_arm(names)]))


def test_a_users_index_that_has_changed_is_computed_again(tmp_path: Path) -> None:
    out = tmp_path / "results.db"
    try:
        for formula in (
            lambda count, evidence, cost: count + evidence,
            lambda count, evidence, cost: 0.01 * count + evidence,
        ):
            register_index("test-changing")(formula)
            kept = quick(["test-changing"], out=out)
            assert fingerprint(kept) == fingerprint(quick(["test-changing"]))
    finally:
        del INDICES["test-changing"]


def test_the_file_says_what_made_it(tmp_path: Path) -> None:
    out = tmp_path / "results.db"
    quick(out=out)
    with sqlite3.connect(out) as db:
        about = dict(db.execute("SELECT key, value FROM about"))
    db.close()
    assert about["format"] == "thresher-results-2"
    assert about["thresher"] == f'"{thresher.__version__}"'


@pytest.mark.parametrize("kept", [{}, {"keep_mistakes": True}])
def test_the_file_names_the_options_as_earlier_versions_did(tmp_path: Path, kept: dict[str, bool]) -> None:
    out, asked = tmp_path / "results.db", {"loss": "gaps", "tolerance": 0.1, "in_flight": 2, "delays": "random"}
    quick("lsa", budgets=(10, 20), out=out, **asked, **kept)
    with sqlite3.connect(out) as db:
        [(stored,)] = db.execute("SELECT value FROM about WHERE key = 'identity'")
    db.close()
    expected = {
        "budgets": [10.0, 20.0], "recommendation": "final", "loss": "gaps", "tolerance": 0.1, "stop price": 0.0,
        "pulls in flight": 2, "delays": "random", "alpha": None, "seed": 1, "version of thresher": thresher.__version__,
    }  # fmt: skip
    expected |= {key.replace("_", " "): value for key, value in kept.items()}
    found = json.loads(stored)
    assert {key: found[key] for key in expected} == expected
    assert found.keys() - expected.keys() == {"problem", *(key.replace("_", " ") for key in PROBLEM.digests())}


@pytest.mark.parametrize(
    ("policy", "more", "passes"),
    [("fwt-sqrt", {}, 1), ("fwt-sqrt", {"in_flight": 2}, 3), ("evt-pf", {}, 1), ("csar", {}, 3)],
)
def test_a_policy_is_bound_once_for_each_pass_however_many_chunks_there_are(
    policy: str, more: dict[str, int], passes: int, small_chunks: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    bound: list[tuple[str, float]] = []
    kind = type(find_policy(policy))
    bind = kind.bind

    def counted(self: Policy, problem: Problem, stop: Stop) -> Rule:
        bound.append((self.name, stop.budget))
        return bind(self, problem, stop)

    monkeypatch.setattr(kind, "bind", counted)
    quick(policy, **more)
    budgets = [10.0, 20.0, 40.0][-passes:]
    assert [budget for name, budget in bound if name == policy] == budgets


# Interrupted


def interrupting(at: int) -> Callable[[int, int], None]:
    """Return a progress callback that presses Ctrl-C after this many chunks."""

    def progress(done: int, whole: int) -> None:
        assert whole == 36
        if done == at:
            raise KeyboardInterrupt

    return progress


def test_what_was_done_when_ctrl_c_came_is_given(small_chunks: None) -> None:
    with pytest.raises(Interrupted) as caught:
        quick(progress=interrupting(7), workers=1)
    result = caught.value.result
    assert result is not None
    # Seven chunks are two rounds of the three policies, five runs each.
    assert result.runs == 10
    whole = quick()
    for policy in POLICIES:
        np.testing.assert_array_equal(result.losses(policy), whole.losses(policy)[:10])
    assert fingerprint(result) == fingerprint(quick(runs=10))


def test_nothing_is_given_before_every_policy_has_finished_some_runs(small_chunks: None) -> None:
    with pytest.raises(Interrupted) as caught:
        quick(progress=interrupting(2), workers=1)
    assert caught.value.result is None


def test_an_interrupted_experiment_goes_on_from_its_file_to_the_same_numbers(
    small_chunks: None, counts: list[tuple[str, int, int]], tmp_path: Path
) -> None:
    out = tmp_path / "results.db"
    with pytest.raises(Interrupted):
        quick(progress=interrupting(20), out=out, workers=1)
    counts.clear()
    resumed = quick(out=out)
    assert len(counts) == 36 - 20
    assert fingerprint(resumed) == fingerprint(quick())


def test_progress_is_told_from_nothing_to_all(small_chunks: None) -> None:
    seen: list[tuple[int, int]] = []
    quick(progress=lambda done, whole: seen.append((done, whole)))
    assert seen == [(done, 36) for done in range(37)]
