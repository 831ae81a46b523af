"""What an index is: a formula, its name, its parameter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from thresher.jit import plain

Formula = Callable[..., float]
USER_CODE = 1000  # every index of the user's own; compiled code finds it by a pointer


@dataclass(frozen=True)
class Index:
    r"""An index: a number for each arm, a function of that arm alone; the arm of the least index is pulled next.

    Parameters
    ----------
    name : str
        As on the command line and in databases.
    code : int
        The code of a built-in formula in compiled functions (:mod:`thresher.policy.index.dispatch`); lives in memory
        only. ``USER_CODE`` for an index of the user's own.
    formula : callable
        ``formula(count, evidence, cost)`` or ``formula(count, evidence, cost, parameter)``, compiled.
    source : str
        Key in ``docs/references.bib`` and place in that paper.
    parameter, default : str, float
        Name and default of the parameter, if the formula takes one.
    scales_with_noise : bool
        The parameter is in the unit of the outcomes, so that each arm's is divided by :math:`\sqrt{2\sigma_k^2}`.
    needs_gaps : bool
        The parameter of each arm is its true gap :math:`\Delta_k`: refused in a live campaign.
    bernoulli_evidence : str
        Which evidence the index takes for 0/1 outcomes unless told otherwise: ``"squared"`` or ``"kl"``.
    uses_structure : bool
        It is minus the logarithm of a price up to a constant, so that effective samples can stand for pulls
        (:mod:`thresher.inference.effective_samples`).
    ignores_outcomes : bool
        It depends on the number of pulls alone.
    """

    name: str
    code: int
    formula: Formula
    source: str
    parameter: str | None = None
    default: float = 0.0
    scales_with_noise: bool = False
    needs_gaps: bool = False
    bernoulli_evidence: str = "squared"
    uses_structure: bool = False
    ignores_outcomes: bool = False

    @property
    def summary(self) -> str:
        """The first line of the formula's docstring."""
        function = getattr(self.formula, "py_func", self.formula)
        return next(iter((function.__doc__ or "").strip().splitlines()), "An index of the user's own.")

    def __reduce__(self) -> tuple[Callable[..., Index], tuple[object, ...]]:
        """Pickle a built-in index by name, a user-defined one by its function; each process compiles its own copy."""
        from thresher.policy.index.registry import arrive, find_index

        if self.is_user_defined:
            return arrive, (self.name, getattr(self.formula, "py_func", self.formula), self.source)
        return find_index, (self.name,)

    @property
    def is_user_defined(self) -> bool:
        """Whether this is a custom index."""
        return self.code == USER_CODE

    def __call__(self, count: float, evidence: float, cost: float, parameter: float | None = None) -> float:
        """Return the index of one arm."""
        value = self.default if parameter is None else parameter
        if self.parameter is None and not self.needs_gaps:
            return float(plain(self.formula)(count, evidence, cost))
        return float(plain(self.formula)(count, evidence, cost, value))
