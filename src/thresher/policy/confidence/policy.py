"""A policy that stops by itself, once it is sure enough."""

from __future__ import annotations

from dataclasses import dataclass

from thresher.errors import InvalidProblemError
from thresher.policy.confidence.trial import JJ_FDR, JJ_FWER, LIL_HDOC, Demand
from thresher.policy.confidence.warm_up import first_rounds
from thresher.problem import Problem
from thresher.problem.family import TWO_POINT, UNKNOWN_VARIANCE

ANY_MISTAKE, FALSE_SHARE, ANY_FALSE = "any mistake", "share of false outputs", "any false output"
PROMISES = (ANY_MISTAKE, FALSE_SHARE, ANY_FALSE)


@dataclass(frozen=True)
class ConfidencePolicy:
    """A sampling rule with a rule for when to stop and what to output, at a given confidence.

    Parameters
    ----------
    name : str
        What results call it.
    code : int
        Which rule, for compiled code.
    promise : str
        What has a probability, or an expectation, of at most δ: ``"any mistake"`` (an arm output or given up on the
        wrong side), ``"share of false outputs"`` (of the arms output, those not above the bar) or ``"any false
        output"``.
    source : str
        Where it comes from.
    first, second : float
        Its parameters.
    runs_on : bool
        It has no stopping rule of its own: a simulation ends when every arm above the bar has been output.
    """

    name: str
    code: int
    promise: str
    source: str
    first: float = 0.0
    second: float = 0.0
    runs_on: bool = False
    needs_truth: bool = False

    def __post_init__(self) -> None:
        assert self.promise in PROMISES

    def demand(self, problem: Problem, confidence: float) -> Demand:
        """Return this policy bound to a problem and to the chance δ of an error that is allowed.

        Raises
        ------
        InvalidProblemError
            If the confidence is no probability, or the rule does not fit the problem.
        """
        if not 0.0 < confidence < 1.0:
            raise InvalidProblemError(
                f"confidence {confidence:g}", instead="give the chance of an error that is allowed, such as 0.05"
            )
        self._check(problem)
        if self.code in (JJ_FDR, JJ_FWER) and self.first == 1.0 and confidence >= 0.25:
            raise InvalidProblemError(
                f"confidence {confidence:g} for {self.name!r}", instead="give less than 0.25, or find=most"
            )
        rounds = 1
        if self.code == LIL_HDOC:
            rounds = int(self.second) or first_rounds(self.first, problem.n_arms, confidence)
        return Demand(
            code=self.code,
            rounds=rounds,
            delta=float(confidence),
            first=self.first,
            second=self.second,
            is_beta=problem.family == "bernoulli",
        )

    def _check(self, problem: Problem) -> None:
        if problem.kind in (UNKNOWN_VARIANCE, TWO_POINT):
            raise InvalidProblemError(
                f"{self.name!r} on the family {problem.family!r}",
                instead="use a family with known σ or a range: 'gaussian', 'bernoulli' or 'bounded'",
            )
        if problem.pool is not None and not problem.pool.replacement:
            raise InvalidProblemError(
                f"{self.name!r} on samples that run dry", instead="draw them with replacement=yes"
            )
        if (problem.pull_costs != 1.0).any():
            raise InvalidProblemError(f"{self.name!r} with pull costs", instead="leave them out: it counts pulls")
