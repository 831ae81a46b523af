"""Policies: which arm next, and which verdict at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from thresher.errors import InvalidProblemError, UnknownNameError
from thresher.index.assumption import check_assumption
from thresher.index.base import Index
from thresher.index.dispatch import no_user_index
from thresher.index.evidence import EVIDENCES, KL, SQUARED, STUDENT, TWO_POINT
from thresher.index.registry import INDICES, find_index, pointer_of
from thresher.policy.confidence import CONFIDENCE, ConfidencePolicy
from thresher.policy.coupled import COUPLED, CoupledPolicy
from thresher.policy.field import FIELD, FieldPolicy, field_policy
from thresher.policy.ranking import Ranking
from thresher.policy.static import STATIC, StaticPolicy
from thresher.problem import Problem, Question, bind, parse_spec
from thresher.types import Floats


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
            raise InvalidProblemError("half a prior", instead="give prior_mean and prior_sd, or prior_a and prior_b")
        if any(v is not None and not v > 0 for v in (self.sd, self.a, self.b)):
            raise InvalidProblemError(
                "a prior without spread", instead="prior_sd, prior_a and prior_b must be positive"
            )

    def pseudo_samples(self, problem: Problem | Question) -> tuple[Floats, Floats]:
        r"""Return the worth of the prior in samples of each arm, :math:`\sigma^2/\tau^2` or `a + b`, and their mean."""
        if self.a is not None and self.b is not None:
            if problem.family != "bernoulli":
                raise InvalidProblemError(
                    "a Beta prior on outcomes that are not 0 or 1", instead="give prior_mean and prior_sd"
                )
            return np.full(problem.n_arms, self.a + self.b), np.full(problem.n_arms, self.a / (self.a + self.b))
        assert self.mean is not None
        assert self.sd is not None
        return problem.sigma**2 / self.sd**2, np.full(problem.n_arms, self.mean)


@dataclass(frozen=True)
class IndexPolicy:
    """Algorithm 1 of the paper: every arm once, then the arm of least index; ties go to the lowest arm.

    :cite:p:`ouhamma2021`, Algorithm 1.

    Parameters
    ----------
    name : str
        What results call it.
    indices : tuple of Index
        One for all arms, or one for each (the paper's appendix D).
    parameters : tuple of float
        As many as indices.
    evidence : str, optional
        ``"squared"`` or ``"kl"`` for 0/1 outcomes; each index has its own default.
    prior : Prior, optional
        Pseudo-samples that enter the index and the verdict.
    """

    name: str
    indices: tuple[Index, ...]
    parameters: tuple[float, ...]
    evidence: str | None = None
    prior: Prior | None = None
    needs_truth: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "needs_truth", any(index.needs_gaps for index in self.indices))
        if not self.indices or len(self.indices) != len(self.parameters):
            raise InvalidProblemError(
                f"{len(self.indices)} indices and {len(self.parameters)} parameters",
                instead="give at least one index and as many parameters",
            )
        if self.evidence not in (None, "squared", "kl"):
            raise UnknownNameError("evidence", str(self.evidence), ["squared", "kl"])

    def rank(self, problem: Problem | Question) -> Ranking:
        """Return this policy bound to a problem.

        Raises
        ------
        InvalidProblemError
            If the policy does not fit the family, or needs means that the problem does not fix.
        """
        n_arms = problem.n_arms
        if len(self.indices) not in (1, n_arms):
            raise InvalidProblemError(
                f"{len(self.indices)} indices for {n_arms} arms", instead="give one index, or one for each arm"
            )
        if self.needs_truth and (isinstance(problem, Question) or problem.population is not None):
            raise InvalidProblemError(
                f"{self.name!r} needs the true means", instead="use it on a problem with fixed means"
            )
        kind = self._evidence_of(problem)
        pseudo_counts, pseudo_means = self._pseudo_samples(problem, kind)
        return Ranking(
            codes=_spread([index.code for index in self.indices], n_arms).astype(np.int64),
            parameters=self._parameters_of(problem),
            user=self._user_pointer(),
            evidence=kind,
            thresholds=problem.thresholds,
            precisions=1.0 / (2.0 * problem.sigma**2),
            costs=problem.costs / problem.pull_costs,
            pseudo_counts=pseudo_counts,
            pseudo_totals=pseudo_counts * pseudo_means,
        )

    def _evidence_of(self, problem: Problem | Question) -> int:
        if self.evidence == "kl" and problem.family != "bernoulli":
            raise InvalidProblemError(
                f"evidence=kl on the family {problem.family!r}", instead="use it with 'bernoulli'"
            )
        if problem.family == "two-point":
            if any(index.bernoulli_evidence == "kl" for index in self.indices):
                raise InvalidProblemError(f"{self.name!r} on a two-point problem", instead="use 'apt' or 'uniform'")
            return TWO_POINT
        if problem.family == "gaussian-unknown-variance":
            return STUDENT
        if problem.family == "bernoulli":
            return EVIDENCES[self.evidence or self.indices[0].bernoulli_evidence]
        return SQUARED

    def _pseudo_samples(self, problem: Problem | Question, kind: int) -> tuple[Floats, Floats]:
        if self.prior is not None:
            if kind in (STUDENT, TWO_POINT):
                raise InvalidProblemError(f"a prior on the family {problem.family!r}", instead="leave the prior out")
            return self.prior.pseudo_samples(problem)
        # One pseudo-sample at the bar keeps a lucky first outcome from locking a 0/1 arm.
        return np.full(problem.n_arms, 1.0 if kind == KL else 0.0), problem.thresholds

    def _parameters_of(self, problem: Problem | Question) -> Floats:
        values = _spread(list(self.parameters), problem.n_arms)
        for k, index in enumerate(self.indices if len(self.indices) > 1 else self.indices * problem.n_arms):
            if index.needs_gaps:
                assert isinstance(problem, Problem)
                values[k] = problem.gaps[k]
            elif index.scales_with_noise and values[k] != 0.0:
                if problem.family == "gaussian-unknown-variance":
                    raise InvalidProblemError(
                        f"{self.name!r} needs σ", instead="use it on a family with known σ, or set the parameter to 0"
                    )
                values[k] /= np.sqrt(2.0) * problem.sigma[k]
        return values

    def _user_pointer(self) -> Any:
        own = {index.name for index in self.indices if index.is_user_defined}
        if len(own) > 1:
            raise InvalidProblemError(
                f"{len(own)} indices of your own in one policy", instead="use at most one beside the built-in ones"
            )
        return pointer_of(INDICES[own.pop()]) if own else no_user_index


Policy: TypeAlias = IndexPolicy | StaticPolicy | CoupledPolicy | FieldPolicy | ConfidencePolicy

# Those of thresher.feasible, which is above this package: known here to say where they play.
SEVERAL_COORDINATES = {"md-apt": "apt", "md-sar": "csar", "md-ucbe": "ucbe"}  # and the likes of them on one

PRIOR_KEYS = {"prior_mean": "mean", "prior_sd": "sd", "prior_a": "a", "prior_b": "b"}


def find_policy(text: str | Policy) -> Policy:
    """Return the policy of a name such as ``lsa`` or ``lsa:alpha=1.35,evidence=kl``.

    Raises
    ------
    UnknownNameError
        If there is no such policy or parameter; the message suggests the nearest.
    InvalidProblemError
        If a parameter cannot be read, it is neither a name nor a policy, or it is for arms of several coordinates.
    """
    if isinstance(text, Policy):
        return text
    if not isinstance(text, str):
        raise InvalidProblemError(f"{text!r} as a policy", instead="give a name such as 'lsa', or a policy")
    spec = parse_spec(text)
    if spec.name in STATIC:
        for key in spec.parameters:
            raise UnknownNameError(f"parameter of {spec.name!r}", key, [])
        return replace(STATIC[spec.name], name=text)
    if spec.name in COUPLED:
        return replace(COUPLED[spec.name](**bind(COUPLED[spec.name], spec)), name=text)
    if spec.name in FIELD:
        return field_policy(text, spec)
    if spec.name in CONFIDENCE:
        return replace(CONFIDENCE[spec.name](**bind(CONFIDENCE[spec.name], spec)), name=text)
    if spec.name in SEVERAL_COORDINATES:
        raise InvalidProblemError(
            f"{spec.name!r} is for arms with several coordinates",
            instead="play it in Python with thresher.feasible.simulate_feasible; with one coordinate use "
            f"{SEVERAL_COORDINATES[spec.name]!r}",
        )
    if spec.name not in INDICES:
        raise UnknownNameError("policy", spec.name, policy_names())
    return _index_policy(text, find_index(spec.name), dict(spec.parameters))


def policy_names() -> list[str]:
    """Return the names of all policies."""
    return [*INDICES, *STATIC, *COUPLED, *FIELD, *CONFIDENCE]


def per_arm(policies: Sequence[str], *, name: str = "per-arm") -> IndexPolicy:
    """Return the policy that ranks each arm by an index of its own (the paper's appendix D)."""
    parts = [find_policy(text) for text in policies]
    if not all(isinstance(part, IndexPolicy) and (part.prior, part.evidence) == (None, None) for part in parts):
        raise InvalidProblemError(
            "a policy without an index, or with a prior or an evidence of its own, among those of the arms",
            instead="name a plain index for each arm",
        )
    indices = tuple(part.indices[0] for part in parts if isinstance(part, IndexPolicy))
    parameters = tuple(part.parameters[0] for part in parts if isinstance(part, IndexPolicy))
    return IndexPolicy(name, indices, parameters, evidence="squared")


def _index_policy(text: str, index: Index, parameters: dict[str, str]) -> IndexPolicy:
    evidence = parameters.pop("evidence", None)
    prior = {PRIOR_KEYS[key]: _float(text, key, parameters.pop(key)) for key in PRIOR_KEYS if key in parameters}
    value = index.default
    if index.parameter in parameters and not index.needs_gaps:
        value = _float(text, index.parameter, parameters.pop(index.parameter))
        _check_parameter(text, index, value)
    for key in parameters:
        own = [] if index.parameter is None or index.needs_gaps else [index.parameter]
        raise UnknownNameError(f"parameter of {index.name!r}", key, [*own, "evidence", *PRIOR_KEYS])
    return IndexPolicy(text, (index,), (value,), evidence, Prior(**prior) if prior else None)


def _check_parameter(text: str, index: Index, value: float) -> None:
    if index.is_user_defined:  # it was registered with its default: what another value does is not known yet
        check_assumption(text, lambda count, evidence, cost: index(count, evidence, cost, value))
    elif not (value > 0 or (value == 0 and index.default == 0)):
        wanted = "give 0 or more" if index.default == 0 else "give a positive number"
        raise InvalidProblemError(f"{index.parameter}={value:g} of {index.name!r}", instead=wanted)


def _float(text: str, key: str | None, value: str) -> float:
    try:
        number = float(value)
    except ValueError as error:
        raise InvalidProblemError(f"{key}={value!r} of {text!r} cannot be read", instead="give a number") from error
    if not np.isfinite(number):
        raise InvalidProblemError(f"{key}={value!r} of {text!r}", instead="give a finite number")
    return number


def _spread(values: Sequence[float], n_arms: int) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    return np.full(n_arms, array[0]) if array.size == 1 else array.copy()
