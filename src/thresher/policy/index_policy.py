"""Index policies: Algorithm 1 of the paper with any index."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.errors import InvalidInputError, UnknownNameError
from thresher.inference import EVIDENCES, KL, STUDENT, TWO_POINT, signals_of
from thresher.jit import formula
from thresher.policy.control_items import control_items_rule
from thresher.policy.control_rule import control_rule, judge_by_difference
from thresher.policy.index import INDICES, NO_USER_INDEX, Index, check_assumption, pointer_of
from thresher.policy.policy import NO_CONTROL_PLAY, Policy, Stop, Traits
from thresher.policy.ranking import Ranking, index_in_flight, rule_of
from thresher.policy.repeated_items import repeated_items_rule
from thresher.policy.rule import Rule, RuleSetup, State, Turn, judge_by_mean, step
from thresher.policy.shared_items import shared_items_rule
from thresher.policy.tournament import leaves_of, play_again, start, winner
from thresher.problem import ITEMS, NONE, STRUCTURES, Question, code_of
from thresher.problem.bars import NO_CONTROL
from thresher.problem.sampling import INDEPENDENT
from thresher.types import Floats

if TYPE_CHECKING:
    from thresher.problem import Problem

PRIOR_KEYS = {"prior_mean": "mean", "prior_sd": "sd", "prior_a": "a", "prior_b": "b"}


@dataclass(frozen=True)
class Prior:
    """What was known of every mean before: N(mean, sd²), or Beta(a, b) for 0/1 outcomes."""

    mean: float | None = None
    sd: float | None = None
    a: float | None = None
    b: float | None = None

    def __post_init__(self) -> None:
        gaussian, beta = (self.mean, self.sd), (self.a, self.b)
        if (None in gaussian) == (None in beta) or any(
            (v is None) != (None in pair) for pair in (gaussian, beta) for v in pair
        ):
            given = ", ".join(f"prior_{key}" for key in ("mean", "sd", "a", "b") if getattr(self, key) is not None)
            raise InvalidInputError(
                "prior", given, rule="must be both prior_mean and prior_sd, or both prior_a and prior_b"
            )
        for key in ("sd", "a", "b"):
            value = getattr(self, key)
            if value is not None and not value > 0:
                raise InvalidInputError(f"prior_{key}", value, rule="must be positive")

    def pseudo_samples(self, problem: Problem | Question) -> tuple[Floats, Floats]:
        r"""Return the prior as pseudo-samples: their number, :math:`\sigma^2/\tau^2` or `a + b`, and their mean."""
        if self.a is not None and self.b is not None:
            if not problem.kind.is_coin:
                raise InvalidInputError(
                    "family",
                    problem.family,
                    rule="must be 'bernoulli' with a Beta prior",
                    fix="give prior_mean and prior_sd",
                )
            return np.full(problem.n_arms, self.a + self.b), np.full(problem.n_arms, self.a / (self.a + self.b))
        assert self.mean is not None
        assert self.sd is not None
        return problem.sigma**2 / self.sd**2, np.full(problem.n_arms, self.mean)


@dataclass(frozen=True)
class IndexPolicy(Policy):
    """Algorithm 1 of the paper: every arm once, then the arm of least index; ties go to the lowest arm.

    :cite:p:`ouhamma2021`, Algorithm 1.

    Parameters
    ----------
    name : str
        What results call it.
    indices : tuple of Index
        One for all arms, or one for each (the paper's appendix D).
    parameters : tuple of float
        The number of indices.
    evidence : str, optional
        ``"squared"`` or ``"kl"`` for 0/1 outcomes; each index has its own default.
    prior : Prior, optional
        Pseudo-samples that enter the index and the verdict.
    structure : str, optional
        ``"items"``, ``"pool"`` or ``"none"``: how much of the structure of a problem to use; all of it unless given.
    """

    name: str
    indices: tuple[Index, ...]
    parameters: tuple[float, ...]
    evidence: str | None = None
    prior: Prior | None = None
    structure: str | None = None

    def __post_init__(self) -> None:
        if not self.indices or len(self.indices) != len(self.parameters):
            raise InvalidInputError(
                "number of parameters",
                len(self.parameters),
                rule=f"must be the number of indices, {len(self.indices)}, and positive",
            )
        if self.evidence not in (None, "squared", "kl"):
            raise UnknownNameError("evidence", str(self.evidence), ["squared", "kl"])
        if self.structure not in (None, *STRUCTURES):
            raise UnknownNameError("structure", str(self.structure), STRUCTURES)
        if self.structure not in (None, NONE) and not self._uses_structure:
            raise InvalidInputError(
                f"structure of {self.name!r}", self.structure, rule="must be 'none' for this index",
                fix=f"use one of {', '.join(name for name, index in INDICES.items() if index.uses_structure)}",
            )  # fmt: skip

    @property
    def traits(self) -> Traits:
        """What it needs and what it can do."""
        needs_truth = any(index.needs_gaps for index in self.indices)
        return Traits(needs_truth=needs_truth, needs_all_arms=False, peak=True, price=True)

    @property
    def is_own(self) -> bool:
        """Whether one of the indices is the user's own."""
        return any(index.is_user_defined for index in self.indices)

    @property
    def _uses_structure(self) -> bool:
        return all(index.uses_structure for index in self.indices)

    def structure_of(self, problem: Problem | Question) -> str:
        """Return how much of the structure of a problem it uses: ``"items"``, ``"pool"`` or ``"none"``.

        Raises
        ------
        InvalidInputError
            If `structure` is not one of the problem.
        """
        found = problem.sampling.kind
        if self.structure is None:
            return found if self._uses_structure else NONE
        if STRUCTURES.index(self.structure) < STRUCTURES.index(found):
            has = "independent draws" if found == NONE else "a pool without shared items"
            raise InvalidInputError(
                f"structure of {self.name!r}", self.structure, rule=f"the problem has {has}",
                fix=f"use structure={found}, or Problem.crossed for arms that answer the same items",
            )  # fmt: skip
        return self.structure

    def why_not(self, problem: Problem) -> str | None:
        """Return why it cannot play a problem, or None."""
        try:
            self.rank(problem)
        except InvalidInputError as error:
            return str(error)
        return None

    def bind(self, problem: Problem, stop: Stop) -> Rule:
        """Return the rule that pulls the arm of least index."""
        known, has_control = self._known(problem, stop), not problem.has_known_bar
        if has_control and self._uses_structure:
            known = known._replace(parameters=np.array(problem.pull_costs))
            rule = control_items_rule if self.structure_of(problem) == ITEMS else control_rule
            return rule(known, first_pulls=problem.kind.first_pulls)
        structure = self.structure_of(problem)
        if problem.sampling.repeats > 1 and structure != NONE:
            return repeated_items_rule(known, problem.sampling.repeats, shares_items=structure == ITEMS)
        if structure == ITEMS:
            return shared_items_rule(known)
        return Rule(
            choose=least_index,
            known=known,
            origin=np.zeros(problem.n_arms),
            conclude=judge_by_difference if has_control else judge_by_mean,
            first_pulls=0,
            memory=2 * leaves_of(problem.n_arms),
            by_level=not has_control,
        )

    def _known(self, problem: Problem, stop: Stop) -> RuleSetup:
        """Return the inputs of the rule."""
        return RuleSetup(
            is_binary=problem.kind.is_coin,
            thresholds=np.array(problem.thresholds),
            sigma=np.array(problem.sigma),
            gaps=np.zeros(problem.n_arms),
            width=1.0,
            parameters=np.array([float(problem.kind.first_pulls)]),
            horizon=0,
            alpha=0.0,
            # The rule is "stop when the price falls below": the first index above, not at, its logarithm.
            ceiling=math.nextafter(-math.log(stop.price), math.inf) if stop.price else math.inf,
            ranking=self.rank(problem),
            items=problem.sampling.layout,
            signals=signals_of(problem.sampling),
            control=problem.control or NO_CONTROL,
        )

    def identity(self) -> object:
        """Return what distinguishes it from other policies of the same name."""
        code = [code_of(index.formula) for index in self.indices if index.is_user_defined]
        return [index.name for index in self.indices], self.parameters, self.evidence, self.prior, code, self.structure

    def rank(self, problem: Problem | Question) -> Ranking:
        """Return how this policy ranks and judges each arm of a problem.

        Raises
        ------
        InvalidInputError
            If the policy does not fit the family, or needs means that the problem does not fix.
        """
        n_arms = problem.n_arms
        if len(self.indices) not in (1, n_arms):
            raise InvalidInputError(
                "number of indices", len(self.indices), rule=f"must be 1, or the number of arms ({n_arms})"
            )
        if self.traits.needs_truth and (isinstance(problem, Question) or problem.population is not None):
            raise InvalidInputError(
                "policy", self.name, rule="it needs the true means", fix="use it on a problem with fixed means"
            )
        self._check_control(problem)
        kind = self._evidence_of(problem)
        pseudo_counts, pseudo_means = self._pseudo_samples(problem, kind)
        sampling = problem.sampling if self.structure_of(problem) != NONE else INDEPENDENT
        low, high = problem.kind.range_of(problem.low, problem.high)
        return Ranking(
            codes=_spread([index.code for index in self.indices], n_arms).astype(np.int64),
            parameters=self._parameters_of(problem),
            user=self._user_pointer(),
            evidence=kind,
            # Copies: compiled code takes arrays that may be written and frozen ones for two types.
            thresholds=np.array(problem.thresholds),
            precisions=1.0 / (2.0 * problem.sigma**2),
            costs=problem.costs / problem.pull_costs,
            pseudo_counts=pseudo_counts,
            pseudo_totals=pseudo_counts * pseudo_means,
            sizes=sampling.sizes(n_arms),
            low=low,
            high=high,
        )

    def _check_control(self, problem: Problem | Question) -> None:
        """Raise if the bar is a control and this policy does not rank arms by the value of a pull."""
        if problem.has_known_bar:
            return
        if not self._uses_structure and not all(index.ignores_outcomes for index in self.indices):
            raise InvalidInputError("policy", self.name, rule=NO_CONTROL_PLAY[0], fix=NO_CONTROL_PLAY[1])
        if self.prior is not None:
            raise InvalidInputError(
                "policy", self.name, rule="it has a prior, and with a control it is the difference that counts",
                fix="leave the prior out",
            )  # fmt: skip

    def _evidence_of(self, problem: Problem | Question) -> int:
        known = problem.kind.evidences
        if self.evidence == "kl" and "kl" not in known:
            raise InvalidInputError("family", problem.family, rule="must be 'bernoulli' for evidence=kl")
        if problem.kind.tells_all and any(index.bernoulli_evidence == "kl" for index in self.indices):
            raise InvalidInputError(
                "policy", self.name, rule="it does not play two-point problems", fix="use 'apt' or 'uniform'"
            )
        wanted = self.evidence or self.indices[0].bernoulli_evidence
        return EVIDENCES[wanted if wanted in known else known[0]]

    def _pseudo_samples(self, problem: Problem | Question, kind: int) -> tuple[Floats, Floats]:
        if self.prior is not None:
            if kind in (STUDENT, TWO_POINT):
                raise InvalidInputError(
                    "family", problem.family, rule="must be one that supports priors", fix="leave the prior out"
                )
            return self.prior.pseudo_samples(problem)
        # One pseudo-sample at the bar: otherwise a chance first outcome can stop the sampling of a 0/1 arm.
        return np.full(problem.n_arms, 1.0 if kind == KL else 0.0), problem.thresholds

    def _parameters_of(self, problem: Problem | Question) -> Floats:
        values = _spread(list(self.parameters), problem.n_arms)
        for k, index in enumerate(self.indices if len(self.indices) > 1 else self.indices * problem.n_arms):
            if index.needs_gaps:
                assert not isinstance(problem, Question), "a policy that needs the gaps plays simulations only"
                values[k] = problem.gaps[k]
            elif index.scales_with_noise and values[k] != 0.0:
                if not problem.kind.knows_sigma:
                    raise InvalidInputError(
                        "policy",
                        self.name,
                        rule="it needs to know σ",
                        fix="use it on a family with known σ, or set the parameter to 0",
                    )
                values[k] /= np.sqrt(2.0) * problem.sigma[k]
        return values

    def _user_pointer(self) -> Any:
        own = {index.name for index in self.indices if index.is_user_defined}
        if len(own) > 1:
            raise InvalidInputError(
                "number of your own indices in a policy", len(own), rule="must be at most 1, next to built-in ones"
            )
        return pointer_of(INDICES[own.pop()]) if own else NO_USER_INDEX


@step
def least_index(known: RuleSetup, state: State, turn: Turn) -> int:
    """Return the arm of least index once its outstanding pulls have come back, or -1 if all are at the ceiling."""
    leaves = state.memory.size // 2
    if turn.is_first:
        start(state, leaves)
    for i in range(turn.n_changed):
        k = state.changed[i]
        state.keys[k] = _key_of(known, state, k)
        play_again(state, leaves, k)
    return winner(state, known.ceiling)


@formula
def _key_of(known: RuleSetup, state: State, k: int) -> float:
    """Return the index of an arm: infinite once all its samples were asked for, minus infinite during first pulls."""
    if not state.is_open[k]:
        return math.inf
    if state.asked[k] < known.parameters[0]:
        return -math.inf
    told, outstanding = float(state.counts[k]), float(state.asked[k] - state.counts[k])
    return index_in_flight(rule_of(known.ranking, k), told, state.totals[k], state.squares[k], outstanding)


def index_policy(text: str, index: Index, parameters: dict[str, str]) -> IndexPolicy:
    """Return the policy of an index with the parameters given after its name.

    Raises
    ------
    UnknownNameError, InvalidInputError
        If there is no such parameter, or its value cannot be read or used.
    """
    given = dict(parameters)
    evidence = given.pop("evidence", None)
    prior = {PRIOR_KEYS[key]: _float(text, key, given.pop(key)) for key in PRIOR_KEYS if key in given}
    value = index.default
    if index.parameter in given and not index.needs_gaps:
        value = _float(text, index.parameter, given.pop(index.parameter))
        _check_parameter(text, index, value)
    structure = given.pop("structure", None)
    for key in given:
        own = [] if index.parameter is None or index.needs_gaps else [index.parameter]
        raise UnknownNameError(f"parameter of {index.name!r}", key, [*own, "evidence", "structure", *PRIOR_KEYS])
    return IndexPolicy(text, (index,), (value,), evidence, Prior(**prior) if prior else None, structure)


def _check_parameter(text: str, index: Index, value: float) -> None:
    if index.is_user_defined:  # it was registered with its default: what another value does is not known yet
        check_assumption(text, lambda count, evidence, cost: index(count, evidence, cost, value))
    elif not (value > 0 or (value == 0 and index.default == 0)):
        rule = "must be at least 0" if index.default == 0 else "must be positive"
        raise InvalidInputError(f"{index.parameter} of {index.name!r}", value, rule=rule)


def _float(text: str, key: str | None, value: str) -> float:
    try:
        number = float(value)
    except ValueError as error:
        raise InvalidInputError(f"{key} of {text!r}", value, rule="must be a number") from error
    if not np.isfinite(number):
        raise InvalidInputError(f"{key} of {text!r}", number, rule="must be a finite number")
    return number


def _spread(values: Sequence[float], n_arms: int) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    return np.full(n_arms, array[0]) if array.size == 1 else array.copy()
