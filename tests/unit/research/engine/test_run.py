"""Which engine plays a policy, how many passes it takes, and that every engine is called as it should be."""

from typing import Any

import numpy as np
import pytest

from tests.support.plays import played
from thresher.errors import InvalidInputError
from thresher.jit import Compilable
from thresher.policy import Rule, find_policy
from thresher.problem import Problem, ticks_of
from thresher.research.engine import LOSSES, SimulationOptions, arms_of, bind_policy, run_policy
from thresher.research.engine.losses import judge
from thresher.research.engine.run import DRIVEN_PULLS, DRIVER, INTERPRETED_PULLS, REFERENCE, SWEEP

GAUSSIAN = Problem.gaussian([0.5, -0.2, 0.1, 1.0])
OWN = Problem.custom(lambda rng: float(rng.normal()), [0.3, -0.2])


def above(rng: np.random.Generator) -> float:
    return float(1.0 + rng.normal())


def below(rng: np.random.Generator) -> float:
    return float(-1.0 + rng.normal())


class Alternate:
    """A policy of the user's own."""

    def choose(self, seen: object, rng: np.random.Generator) -> int:
        return int(seen.counts.argmin())  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("policy", "problem", "more", "engine"),
    [
        ("lsa", GAUSSIAN, {}, SWEEP),
        ("lsa", GAUSSIAN, {"recommend": "peak"}, SWEEP),
        ("stopping", GAUSSIAN, {"stop_price": 0.1}, SWEEP),
        ("lsa", GAUSSIAN, {"in_flight": 1}, DRIVER),
        ("lsa", GAUSSIAN, {"in_flight": 7, "delays": "random"}, DRIVER),
        ("evt-pf", GAUSSIAN, {}, DRIVER),
        ("uniform-iid", GAUSSIAN, {}, DRIVER),
        ("oracle", GAUSSIAN, {}, DRIVER),
        ("more-than:m=1", GAUSSIAN, {}, DRIVER),
        ("hdoc", GAUSSIAN, {"alpha": 0.05}, DRIVER),
        ("lsa", OWN, {}, REFERENCE),
        ("evt-pf", OWN, {}, REFERENCE),
        ("hdoc", OWN, {"alpha": 0.05}, REFERENCE),
        ("lsa", OWN, {"in_flight": 3}, REFERENCE),
        (Alternate(), GAUSSIAN, {}, REFERENCE),
    ],
)
def test_which_engine_plays(policy: object, problem: Problem, more: dict[str, float], engine: str) -> None:
    options = SimulationOptions((60.0,), **more)  # type: ignore[arg-type]
    assert bind_policy(find_policy(policy), problem, options).engine == engine


@pytest.mark.parametrize(
    ("work", "is_on_disk", "problem", "more", "engine"),
    [
        (INTERPRETED_PULLS, False, GAUSSIAN, {}, REFERENCE),
        (INTERPRETED_PULLS, False, GAUSSIAN, {"recommend": "peak"}, REFERENCE),
        (INTERPRETED_PULLS, False, Problem.bounded([0.2, 0.7], thresholds=0.5), {}, DRIVER),
        (INTERPRETED_PULLS, True, GAUSSIAN, {}, SWEEP),
        (INTERPRETED_PULLS, False, GAUSSIAN, {"in_flight": 4}, REFERENCE),
        (INTERPRETED_PULLS, True, GAUSSIAN, {"in_flight": 4}, DRIVER),
        (DRIVEN_PULLS, False, GAUSSIAN, {}, DRIVER),
        (DRIVEN_PULLS, False, GAUSSIAN, {"recommend": "peak"}, SWEEP),
        (DRIVEN_PULLS + 1, False, GAUSSIAN, {}, SWEEP),
    ],
)
def test_what_is_not_compiled_yet_is_compiled_where_that_pays(
    work: float, is_on_disk: bool, problem: Problem, more: dict[str, bool], engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Compilable, "is_on_disk", is_on_disk)
    options = SimulationOptions((20.0, 60.0), **more)  # type: ignore[arg-type]
    assert bind_policy(find_policy("lsa"), problem, options, work=work).engine == engine


def test_one_pass_serves_all_budgets_unless_the_run_to_the_larger_one_does_not_lead_past_the_smaller() -> None:
    plain, flying = SimulationOptions((20.0, 60.0)), SimulationOptions((20.0, 60.0), in_flight=2)
    dear = Problem.gaussian([1.0, -1.0], pull_costs=[1.0, 2.0])
    for name in ("lsa", "evt-pf", "uniform-iid"):
        assert plain.parts(find_policy(name), GAUSSIAN) == [(20.0, 60.0)]
        assert flying.parts(find_policy(name), GAUSSIAN) == [(20.0,), (60.0,)]
        assert plain.parts(find_policy(name), dear) == [(20.0,), (60.0,)]
    for name in ("csar", "oracle", "ucbe"):
        assert plain.parts(find_policy(name), GAUSSIAN) == [(20.0,), (60.0,)]
    assert SimulationOptions((20.0, 60.0), in_flight=1).parts(find_policy("lsa"), GAUSSIAN) == [(20.0, 60.0)]


@pytest.mark.parametrize("name", ["lsa", "stopping", "evt-pf", "uniform-iid", "csar", "tts"])
@pytest.mark.parametrize("in_flight", [0, 3])
def test_a_row_does_not_depend_on_the_other_budgets(name: str, in_flight: int) -> None:
    problem, budgets = Problem.gaussian([0.1, -0.2, 0.4], pull_costs=[0.5, 7.0, 2.0]), (31.0, 36.5, 90.0)
    policy = find_policy(name)
    if not policy.traits.in_flight:
        in_flight = 0
    together = run_policy(policy, problem, SimulationOptions(budgets, in_flight=in_flight), seed=4, runs=20)
    assert (together.spent > np.array([ticks_of(budget - 0.5) for budget in budgets])).all() or name == "csar"
    for b, budget in enumerate(budgets):
        alone = run_policy(policy, problem, SimulationOptions((budget,), in_flight=in_flight), seed=4, runs=20)
        assert alone.losses[:, 0].tolist() == together.losses[:, b].tolist()
        assert alone.spent[:, 0].tolist() == together.spent[:, b].tolist()
        assert alone.pulls[0].tolist() == together.pulls[b].tolist()


def test_a_rule_is_told_the_budget_the_price_and_the_error_rate() -> None:
    options = SimulationOptions((20.0, 60.0), stop_price=0.1)
    assert options.bind(find_policy("stopping"), GAUSSIAN, 60.0).known.ceiling == pytest.approx(-np.log(0.1))
    assert SimulationOptions((60.0,)).bind(find_policy("csar"), GAUSSIAN, 60.0).known.horizon == 60
    assert SimulationOptions((60.0,), alpha=0.05).bind(find_policy("hdoc"), GAUSSIAN, 60.0).known.alpha == 0.05


def test_every_budget_is_checked() -> None:
    options = SimulationOptions((3.0, 60.0))
    with pytest.raises(InvalidInputError, match="budget for 'evt-pf' on 4 arms is 3; must be at least 8"):
        bind_policy(find_policy("evt-pf"), GAUSSIAN, options)
    bind_policy(find_policy("evt-pf"), GAUSSIAN, SimulationOptions((8.0, 60.0)))


def test_how_the_driver_plays_a_rule() -> None:
    def schedule(name: str, **more: Any) -> tuple[object, ...]:
        options = SimulationOptions((60.0,), **more)
        policy = find_policy(name)
        rule = options.bind(policy, GAUSSIAN, 60.0)
        return tuple(options.schedule(policy, rule, (60.0,)))[4:]

    assert schedule("evt-pf") == (1, False, 0, 0, 2, 4, False, False)
    assert schedule("evt-pf", in_flight=5, delays="random") == (5, True, 0, 0, 2, 4, False, False)
    assert schedule("lsa", keep_mistakes=True) == (1, False, 0, 4, 0, 8, False, False)  # it opens the arms by itself
    assert schedule("hdoc", alpha=0.1)[2:] == (4, 0, 1, 4, True, False)
    assert schedule("jj-fdr", alpha=0.1)[6:] == (True, True)


@pytest.mark.parametrize("loss", [*LOSSES, "more-than:m=1"])
@pytest.mark.parametrize(
    ("name", "problem", "more"),
    [
        ("lsa", GAUSSIAN, {}),
        ("apt", GAUSSIAN, {"recommend": "peak"}),
        ("stopping", GAUSSIAN, {"stop_price": 0.05}),
        ("lsa", GAUSSIAN, {"in_flight": 3, "delays": "random"}),
        ("csar", GAUSSIAN, {}),
        ("evt-pf", GAUSSIAN, {"in_flight": 4}),
        ("lsa", OWN, {"recommend": "peak"}),
        ("tts", OWN, {"in_flight": 3, "delays": "random"}),
        ("stopping", OWN, {"stop_price": 0.05}),
    ],
)
def test_every_engine_gives_run_by_run_what_the_readable_loop_gives(
    name: str, problem: Problem, more: dict[str, float], loss: str
) -> None:
    options = SimulationOptions((20.0, 60.0), loss=loss, tolerance=0.15, **more)  # type: ignore[arg-type]
    found = run_policy(find_policy(name), problem, options, seed=9, first_run=2, runs=5)
    expected = np.zeros((2, problem.n_arms), np.int64)
    for i in range(5):
        for b, budget in enumerate(options.budgets):
            slow = played(
                name, problem, budget=budget, seed=9, run=2 + i, price=options.stop_price, at_peak=options.at_peak,
                in_flight=max(options.in_flight, 1), asynchronous=options.delays == "random",
            )  # fmt: skip
            judged = judge(arms_of(problem), slow.means, slow.state.verdicts, options.loss_of(find_policy(name)).code)
            assert (found.losses[i, b], found.any_mistakes[i, b]) == judged
            assert found.spent[i, b] == ticks_of(budget) - slow.left
            assert found.stopped[i, b] == slow.stopped
            expected[b] += slow.state.counts
    assert found.pulls.tolist() == expected.tolist()


@pytest.mark.parametrize(
    "problem",
    [Problem.gaussian([1.2, -1.0, 0.0]), Problem.custom([above, below, above], [1.0, -1.0, 1.0])],
    ids=["driver", "reference"],
)
def test_outputs_are_counted_for_policies_that_stop(problem: Problem) -> None:
    policy, stopped = find_policy("hdoc"), 0
    options = SimulationOptions((150.0,), alpha=0.1)
    found = run_policy(policy, problem, options, seed=9, runs=4)
    assert found.outputs.shape == (4, 3)
    for i in range(4):
        slow = played(policy, problem, budget=150.0, alpha=0.1, seed=9, run=i)
        assert slow.outputs
        assert found.outputs[i].tolist() == slow.outputs + [0] * (3 - len(slow.outputs))
        assert found.stopped[i, 0] == slow.stopped
        stopped += slow.stopped
    assert stopped == (4 if problem.truth.samplers else 0)  # an arm on its bar stays open
    assert run_policy(find_policy("lsa"), problem, SimulationOptions((50.0,)), seed=9).outputs.shape == (1, 0)


@pytest.mark.parametrize(
    ("name", "problem", "is_compiled"),
    [("lsa", GAUSSIAN, False), ("evt-pf", OWN, False), ("evt-pf", GAUSSIAN, True), ("hdoc", GAUSSIAN, True)],
)
def test_only_what_the_driver_plays_is_compiled_beforehand(
    monkeypatch: pytest.MonkeyPatch, name: str, problem: Problem, is_compiled: bool
) -> None:
    called = list[Rule]()
    monkeypatch.setattr(Rule, "pointers", lambda rule: called.append(rule))
    bind_policy(find_policy(name), problem, SimulationOptions((60.0,), alpha=0.1 if name == "hdoc" else None)).compile()
    assert bool(called) == is_compiled
