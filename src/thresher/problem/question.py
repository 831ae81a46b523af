"""The question: arms, their thresholds, the costs of mistakes and pulls, and the family of the outcomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, partial

import numpy as np
from numpy.typing import ArrayLike

from thresher.errors import InvalidInputError
from thresher.number_text import exact
from thresher.problem.arrays import demand_positive, finite, numbers_of, per_arm
from thresher.problem.bars import Control, ProblemBar, control_of, kind_of_bar
from thresher.problem.combinations import Combination
from thresher.problem.families import FAMILIES, Family
from thresher.problem.families import family as family_named
from thresher.problem.keywords import suggests_keywords
from thresher.problem.numbers import MOST_MONEY, SMALLEST_COST
from thresher.problem.sampling import Sampling, sampling_of
from thresher.problem.structure import Structure
from thresher.types import Floats, Ints

NEAREST = 1e-9  # of the range, from a bar to an end of it


@dataclass(frozen=True, eq=False, kw_only=True)
class Question:
    r"""Whether the mean of each of K arms is above its threshold, and all that is known before the first outcome.

    A scalar stands for all arms. :meth:`of` fills in what is left out.

    Parameters
    ----------
    family : str
        A name of ``thresher.problem.FAMILIES``.
    thresholds : ndarray of float64, shape (K,)
        :math:`\theta_k`. The right answer is ``above`` iff :math:`\mu_k > \theta_k`; where they are equal no answer
        is a mistake. With a control they are only where squares of outcomes are counted from.
    sigma : ndarray of float64, shape (K,)
        :math:`\sigma_k > 0`; follows from the family except for the two Gaussian ones.
    costs, pull_costs : ndarray of float64, shape (K,)
        :math:`a_k > 0`, what a mistake costs; :math:`m_k > 0`, what a pull takes from the budget (counted in
        millionths).
    low, high : float
        Range of the outcomes of ``bounded``.
    arms : tuple of str
        Names of the arms; unless given ``"1"``, ``"2"``, …, one for each threshold.
    structure : Structure, optional
        The pool of items behind each arm; None for independent draws.
    control : Control, optional
        The arm whose mean, with a margin, is the bar of all others; None where the thresholds are.

    Raises
    ------
    UnknownNameError
        If there is no such family.
    InvalidInputError
        If a number is not finite or out of its range, a length is not K, or two arms have one name.
    """

    family: str
    thresholds: Floats
    sigma: Floats
    costs: Floats
    pull_costs: Floats
    low: float = 0.0
    high: float = 1.0
    arms: tuple[str, ...] = ()
    structure: Structure | None = None
    control: Control | None = None

    def __post_init__(self) -> None:
        family_named(self.family)
        arms = tuple(self.arms) or numbered(numbers_of("thresholds", self.thresholds).size)
        object.__setattr__(self, "arms", arms)
        for key in ("low", "high"):
            object.__setattr__(self, key, finite(key, getattr(self, key)))
        for key in ("thresholds", "sigma", "costs", "pull_costs"):
            object.__setattr__(self, key, per_arm(key, getattr(self, key), self.n_arms))
        self._check_ranges()
        self.kind.check_thresholds(self)
        self._check_names()
        self._check_structure()
        if self.control is not None:
            object.__setattr__(self, "control", control_of(self.control, 0.0, self.arms))
        self.bar.check()

    def __reduce__(self) -> tuple[Callable[[], Question], tuple[()]]:
        """Travel through the constructor: frozen arrays stay frozen, the type that kernels were compiled for."""
        return partial(Question, **{each.name: getattr(self, each.name) for each in fields(self)}), ()

    @classmethod
    @suggests_keywords
    def of(
        cls,
        family: str,
        *,
        thresholds: ArrayLike | None = None,
        sigma: ArrayLike | None = None,
        costs: ArrayLike | None = None,
        pull_costs: ArrayLike | None = None,
        low: float = 0.0,
        high: float = 1.0,
        arms: Sequence[str] = (),
        structure: Structure | None = None,
        control: int | str | Control | None = None,
        margin: float | str = 0.0,
    ) -> Question:
        """Return a question about arms of any family, with the family's own σ where none is given.

        Either `thresholds` are given, or a `control` (the place or the name of an arm) and perhaps a `margin`: a
        number, or per cent of the control's mean, such as ``"-2%"``.
        """
        kind, (low, high) = family_named(family), (finite("low", low), finite("high", high))
        return cls(
            family=family,
            thresholds=_bars_of(kind, thresholds, control, margin, low=low, high=high),
            sigma=kind.sigma_of(sigma, low=low, high=high),
            costs=numbers_of("costs", 1.0 if costs is None else costs),
            pull_costs=numbers_of("pull_costs", 1.0 if pull_costs is None else pull_costs),
            low=low,
            high=high,
            arms=tuple(arms),
            structure=structure,
            control=None if control is None else control_of(control, margin, arms),
        )

    @cached_property
    def judged(self) -> Ints:
        """The arms that get a verdict: all but the control."""
        return self.bar.judged

    @property
    def known_control(self) -> Control:
        """The control.

        Raises
        ------
        InvalidInputError
            If there is none.
        """
        if self.control is None:
            raise InvalidInputError("control", rule="the question has none", fix="compare with the thresholds")
        return self.control

    @cached_property
    def kind(self) -> Family:
        """The family of the outcomes."""
        return FAMILIES[self.family]

    @cached_property
    def range(self) -> tuple[float, float]:
        """Between which numbers outcomes are; infinite if the family has no range."""
        return self.kind.range_of(self.low, self.high)

    def inside(self, bars: ArrayLike) -> Floats:
        """Return bars moved into the range of the family, next to its ends at the most."""
        low, high = self.range
        nearest = NEAREST * (high - low) if high < np.inf else 0.0
        return np.clip(bars, low + nearest, high - nearest)

    @cached_property
    def _kind_of_bar(self) -> type[ProblemBar]:
        return kind_of_bar(self)

    @property
    def bar(self) -> ProblemBar:
        """What the arms are compared with: thresholds, or a control."""
        return self._kind_of_bar(self)

    @property
    def has_known_bar(self) -> bool:
        """Whether policies are given the bar: it is not the mean of a control."""
        return self.bar.is_known

    @cached_property
    def sampling(self) -> Sampling:
        """How outcomes are drawn: independently, or from a pool of items."""
        return sampling_of(self.structure)

    @cached_property
    def n_arms(self) -> int:
        """K, the number of arms."""
        return len(self.arms)

    @property
    def ticks(self) -> Ints:
        """Pull costs in whole millionths, shape (K,)."""
        return np.rint(self.pull_costs / SMALLEST_COST).astype(np.int64)

    @property
    def least_budget(self) -> float:
        """The cost of the initial pulls of every arm."""
        return float(self.ticks.sum() * self.kind.first_pulls) * SMALLEST_COST

    def _check_ranges(self) -> None:
        if not self.low < self.high:
            raise InvalidInputError("range [low, high]", [self.low, self.high], rule="low must be below high")
        for key in ("sigma", "costs", "pull_costs"):
            demand_positive(key, getattr(self, key), self.arms)
        if (self.pull_costs < SMALLEST_COST).any():
            raise InvalidInputError(
                "smallest pull cost",
                float(self.pull_costs.min()),
                rule=f"must be at least {exact(SMALLEST_COST)}",
                fix="use a smaller unit of money",
            )
        if self.pull_costs.sum() > MOST_MONEY:
            raise InvalidInputError(
                "sum of the pull costs",
                float(self.pull_costs.sum()),
                rule=f"must be at most {exact(MOST_MONEY)}",
                fix="use a larger unit of money",
            )

    def _check_structure(self) -> None:
        n_sizes = self.sampling.sizes(self.n_arms).size
        if n_sizes != self.n_arms:
            raise InvalidInputError("number of pool sizes", n_sizes, rule=f"must be {self.n_arms}, one for each arm")

    def _check_names(self) -> None:
        if not self.arms:
            raise InvalidInputError("number of arms", 0, rule="must be at least 1")
        if len(set(self.arms)) != self.n_arms:
            [(twice, _)] = Counter(self.arms).most_common(1)
            raise InvalidInputError("name of two arms", twice, rule="must be unique")


def numbered(n_arms: int) -> tuple[str, ...]:
    """Return the names of arms that were given none: their numbers, from 1."""
    return tuple(str(k) for k in range(1, n_arms + 1))


def _bars_of(
    kind: Family, thresholds: ArrayLike | None, control: object, margin: float | str, *, low: float, high: float
) -> Floats:
    """Return the thresholds that are given; with a control, where squares of outcomes are counted from."""
    Combination(has_control=control not in (None, ""), bar=thresholds, margin=margin).check(bar="thresholds")
    if control is None:
        if thresholds is None:
            raise InvalidInputError("thresholds", rule="thresholds or a control are needed")
        return numbers_of("thresholds", thresholds)
    return np.array(kind.origin_of_squares(low, high))
