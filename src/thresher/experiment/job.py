"""One policy on one problem: what a worker needs to know to run a range of runs."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from thresher.engine import (
    LOSSES,
    Arms,
    Counted,
    Question,
    arms_of,
    run_allocation,
    run_at_random,
    run_in_flight,
    run_index_policy,
    ticks_of,
)
from thresher.engine.coupled import run_coupled_policy
from thresher.engine.field import Rules, run_field_policy
from thresher.engine.field_in_flight import run_field_in_flight
from thresher.errors import InvalidProblemError, ThresherError, UnknownNameError
from thresher.experiment.given import number_from_zero, seed_of, whole_number
from thresher.policy import (
    ConfidencePolicy,
    CoupledPolicy,
    FieldPolicy,
    IndexPolicy,
    Policy,
    StaticPolicy,
    find_policy,
)
from thresher.problem import MOST_MONEY, SMALLEST_COST, Problem
from thresher.problem.budget import budget_of
from thresher.types import Ints

PULLS_PER_CHUNK = 5_000_000  # a few tenths of a second: short enough for progress, long enough to be worth sending


@dataclass(frozen=True)
class Asked:
    """What is asked of every run, in the words of the command line.

    Parameters
    ----------
    budgets : tuple of float
        Increasing, in the unit of the pull costs.
    recommend : str
        ``"final"``, or ``"peak"`` for the paper's t_max.
    loss : str
        ``"costs"``, ``"gaps"``, ``"any"``, or ``"more-than:m=2"``: 1 where there are more than 2 mistakes, an arm
        without a verdict being half a mistake.
    tolerance : float
        Arms within it of the bar are forgiven.
    stop_price : float
        Stop once no measurement saves that much cost per unit of budget; 0 spends the whole budget.
    in_flight : int
        Pulls that may be outstanding at a time; 0 waits for each.
    delays : str
        How outstanding pulls come back: ``"batch"``, all before the next are asked for, or ``"random"``, one at a time,
        each equally likely.

    Raises
    ------
    InvalidProblemError, UnknownNameError
        If one of them is not what it should be.
    """

    budgets: tuple[float, ...]
    recommend: str = "final"
    loss: str = "costs"
    tolerance: float = 0.0
    stop_price: float = 0.0
    in_flight: int = 0
    delays: str = "batch"

    def __post_init__(self) -> None:
        for kind, word, known in (
            ("kind of delays", self.delays, ["batch", "random"]),
            ("recommendation", self.recommend, ["final", "peak"]),
            ("loss", self.loss, [*LOSSES, "more-than"]),
        ):
            if word not in known and not (kind == "loss" and self.forgiven is not None):
                raise UnknownNameError(kind, str(word), known)
        if not self.budgets:
            raise InvalidProblemError("no budget", instead="give at least one")
        object.__setattr__(self, "budgets", tuple(map(budget_of, self.budgets)))
        if any(second <= first for first, second in pairwise(self.budgets)):
            raise InvalidProblemError("budgets that do not increase", instead="give each once, in order")
        object.__setattr__(self, "tolerance", number_from_zero("tolerance", self.tolerance))
        object.__setattr__(self, "stop_price", number_from_zero("stop price", self.stop_price))
        object.__setattr__(self, "in_flight", whole_number("in_flight", self.in_flight))
        if self.in_flight and self.recommend == "peak":
            raise InvalidProblemError("no peak while pulls are in flight", instead="use recommend='final'")
        if self.in_flight and self.stop_price:
            raise InvalidProblemError("a stop price with pulls in flight", instead="give one of the two")

    def check_against(self, problem: Problem) -> None:
        """Raise unless every budget pays for the first pulls of all arms."""
        least = problem.least_budget
        for budget in self.budgets:
            if budget < least - SMALLEST_COST / 2:
                raise InvalidProblemError(
                    f"budget {budget:g} for {problem.n_arms} arms",
                    instead=f"every arm is pulled first, which costs {least:g}: give at least that",
                )
            if budget > MOST_MONEY:
                raise InvalidProblemError(f"budget {budget:g}", instead=f"give at most {MOST_MONEY:g}")

    @property
    def forgiven(self) -> int | None:
        """How many mistakes the loss ``more-than`` forgives; None for any other loss."""
        # The loss is named as the policy that is made for it.
        policy = find_policy(self.loss) if str(self.loss).partition(":")[0] == "more-than" else None
        return policy.coupling.most if isinstance(policy, CoupledPolicy) else None

    @property
    def has_total(self) -> bool:
        """Whether mistakes and budget are paid in the same unit, so that they can be added up."""
        return self.stop_price > 0 and self.loss == "costs"

    def question(self) -> Question:
        """Return this in the form that kernels take."""
        return Question(
            budgets=np.array([ticks_of(budget) for budget in self.budgets], dtype=np.int64),
            at_peak=self.recommend == "peak",
            loss=LOSSES["costs" if self.forgiven is not None else self.loss],
            tolerance=float(self.tolerance),
            # The rule is "stop when the price falls below": the first index above, not at, its logarithm.
            ceiling=math.nextafter(-math.log(self.stop_price), math.inf) if self.stop_price else math.inf,
        )


@dataclass(frozen=True)
class Job:
    """Runs of one policy on one problem."""

    problem: Problem
    policy: Policy
    asked: Asked
    seed: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "seed", seed_of(self.seed))
        if isinstance(self.policy, ConfidencePolicy):
            raise InvalidProblemError(
                f"{self.policy.name!r} stops by itself, whatever the budget",
                instead="type --confidence 0.05 (in Python: thresher.experiment.stopping_times)",
            )
        self.asked.check_against(self.problem)
        if self.policy.needs_truth and self.problem.population is not None:
            raise InvalidProblemError(
                f"{self.policy.name!r} needs the true means", instead="use it on a problem with fixed means"
            )
        if self.asked.stop_price and not isinstance(self.policy, IndexPolicy):
            raise InvalidProblemError(
                f"{self.policy.name!r} has no price", instead="use a stop price with an index policy such as 'stopping'"
            )

        if self.asked.in_flight and not isinstance(self.policy, IndexPolicy | FieldPolicy):
            raise InvalidProblemError(
                f"{self.policy.name!r} with pulls in flight", instead="use an index policy such as 'stopping'"
            )
        if self.asked.in_flight and isinstance(self.policy, FieldPolicy) and self.policy.has_phases:
            raise InvalidProblemError(
                f"{self.policy.name!r} with pulls in flight: it cannot tell when its phases end",
                instead="use a policy without phases, such as 'stopping' or 'evt'",
            )
        if self.asked.recommend == "peak" and isinstance(self.policy, CoupledPolicy | FieldPolicy):
            raise InvalidProblemError(
                f"{self.policy.name!r} has no peak: its indices move without a pull", instead="use recommend='final'"
            )
        if isinstance(self.policy, CoupledPolicy) and (reason := self.policy.why_not(self.problem)):
            raise InvalidProblemError(
                f"{self.policy.name!r} {reason}", instead="use another policy, such as 'stopping'"
            )
        if isinstance(self.policy, FieldPolicy):
            self.policy.brief(self.problem)
            self._rules(self.policy)

    @property
    def key(self) -> str:
        """Under what results of this policy are kept: its name, and a hash where the name does not say what it does."""
        policy = self.policy
        own = [index for index in policy.indices if index.is_user_defined] if isinstance(policy, IndexPolicy) else []
        if not own and _is_known(policy):
            return policy.name
        code = [_code_of(index.formula) for index in own]
        if isinstance(policy, IndexPolicy):
            names = [index.name for index in policy.indices]
            said = repr((names, policy.parameters, policy.evidence, policy.prior, code))
        else:
            assert not isinstance(policy, ConfidencePolicy)
            said = repr(_said_by(policy))
        return f"{policy.name}#{hashlib.sha256(said.encode()).hexdigest()[:16]}"

    def chunk_size(self) -> int:
        """Return how many runs make one piece of work; it does not depend on who works."""
        pulls = self.asked.budgets[-1] / float(self.problem.pull_costs.mean())
        return max(1, int(PULLS_PER_CHUNK / max(pulls, 1.0)))

    def run(self, first_run: int, runs: int) -> Counted:
        """Return what came out of a range of runs."""
        most = self.asked.forgiven
        if most is None:
            return self._run(arms_of(self.problem), first_run, runs)
        # Mistakes are counted, whatever they cost, and then it is asked whether they are too many.
        counted = self._run(arms_of(self.problem)._replace(costs=np.ones(self.problem.n_arms)), first_run, runs)
        return counted._replace(losses=(counted.losses > most).astype(np.float64))

    def _run(self, arms: Arms, first_run: int, runs: int) -> Counted:
        question, policy = self.asked.question(), self.policy
        in_flight, random = self.asked.in_flight, self.asked.delays == "random"
        if isinstance(policy, IndexPolicy) and in_flight:
            ranking = policy.rank(self.problem)
            return run_in_flight(ranking, arms, question, in_flight, random, self.seed, first_run, runs)
        if isinstance(policy, IndexPolicy):
            return run_index_policy(policy.rank(self.problem), arms, question, self.seed, first_run, runs)
        if isinstance(policy, CoupledPolicy):
            ranking = _index_policy("stopping").rank(self.problem)
            if policy.ignores_costs:
                ranking = ranking._replace(costs=1.0 / self.problem.pull_costs)
            return run_coupled_policy(ranking, policy.coupling, arms, question, self.seed, first_run, runs)
        if isinstance(policy, FieldPolicy):
            rules, known = self._rules(policy), policy.brief(self.problem)
            if in_flight:
                return run_field_in_flight(rules, known, arms, question, in_flight, random, self.seed, first_run, runs)
            return run_field_policy(rules, known, arms, question, self.seed, first_run, runs)
        assert not isinstance(policy, ConfidencePolicy)
        judging = judging_policy().rank(self.problem)
        if policy.allocate is None:
            return run_at_random(judging, arms, question, self.seed, first_run, runs)
        return run_allocation(judging, arms, question, self._allocations(policy, arms), self.seed, first_run, runs)

    def _rules(self, policy: FieldPolicy) -> Rules:
        return Rules(
            code=policy.algorithm.code,
            first_pulls=policy.first_pulls(self.problem),
            restarts=policy.needs_horizon,
            memory=policy.memory(self.problem),
            horizons=np.array([policy.horizon(self.problem, budget) for budget in self.asked.budgets], dtype=np.int64),
        )

    def _allocations(self, policy: StaticPolicy, arms: Arms) -> Ints:
        assert policy.allocate is not None
        pulls = np.array([policy.allocate(self.problem, budget) for budget in self.asked.budgets], dtype=np.int64)
        paid = pulls @ arms.ticks * SMALLEST_COST
        assert (paid <= np.array(self.asked.budgets) * (1 + 1e-9)).all(), "an allocation costs more than its budget"
        return pulls


def _is_known(policy: Policy) -> bool:
    try:
        return find_policy(policy.name) == policy
    except ThresherError:
        return False


def _said_by(policy: StaticPolicy | CoupledPolicy | FieldPolicy) -> object:
    """Return what tells a policy without an index from another one of its name."""
    if isinstance(policy, StaticPolicy):
        return _code_of(policy.allocate)
    return policy.coupling if isinstance(policy, CoupledPolicy) else (policy.algorithm.name, policy.parameters)


def _code_of(function: object) -> object:
    """Return what tells one Python function from another, the same in every process."""
    plain = getattr(function, "py_func", function)
    code = getattr(plain, "__code__", None)
    return (code.co_code, code.co_consts, code.co_names) if code is not None else type(function).__qualname__


def judging_policy() -> IndexPolicy:
    """Return the policy by whose verdicts static policies are judged: the sign of the mean."""
    return _index_policy("uniform")


def _index_policy(name: str) -> IndexPolicy:
    found = find_policy(name)
    assert isinstance(found, IndexPolicy)
    return found
