"""The question: arms, their thresholds, what mistakes and pulls cost, and the family of the outcomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from thresher.errors import InvalidInputError
from thresher.problem import family as families
from thresher.problem.arrays import demand_inside, demand_positive, finite, numbers_of, per_arm
from thresher.problem.control import Control, control_of
from thresher.problem.family import Family
from thresher.problem.keywords import suggests_keywords
from thresher.problem.money import MOST_MONEY, SMALLEST_COST
from thresher.problem.structure import Structure
from thresher.types import Floats, Ints

LEAST_SIGMA = 1e-300  # of a two-point arm whose mean is 0 or not known


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
        families.family(self.family)
        arms = tuple(self.arms) or numbered(numbers_of("thresholds", self.thresholds).size)
        object.__setattr__(self, "arms", arms)
        for key in ("low", "high"):
            object.__setattr__(self, key, finite(key, getattr(self, key)))
        for key in ("thresholds", "sigma", "costs", "pull_costs"):
            object.__setattr__(self, key, per_arm(key, getattr(self, key), self.n_arms))
        self._check_ranges()
        self._check_thresholds()
        self._check_names()
        self._check_structure()
        self._check_control()

    def __reduce__(self) -> tuple[Callable[[], Question], tuple[()]]:
        """Travel through the constructor: frozen arrays stay frozen, the type that kernels were compiled for."""
        return partial(Question, **vars(self)), ()

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
        bars = _bars_of(families.family(family), thresholds, control, margin, low=low, high=high)
        return cls(
            family=family,
            thresholds=bars,
            sigma=_sigma_of(families.family(family), sigma, low=low, high=high),
            costs=numbers_of("costs", 1.0 if costs is None else costs),
            pull_costs=numbers_of("pull_costs", 1.0 if pull_costs is None else pull_costs),
            low=low,
            high=high,
            arms=tuple(arms),
            structure=structure,
            control=None if control is None else control_of(control, margin, arms),
        )

    @property
    def judged(self) -> Ints:
        """The arms that get a verdict: all but the control."""
        places = np.arange(self.n_arms)
        return places if self.control is None else places[places != self.control.arm]

    @property
    def kind(self) -> Family:
        """The family of the outcomes."""
        return families.FAMILIES[self.family]

    @property
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
                rule=f"must be at least {SMALLEST_COST:g}",
                fix="use a smaller unit of money",
            )
        if self.pull_costs.sum() > MOST_MONEY:
            raise InvalidInputError(
                "sum of the pull costs",
                float(self.pull_costs.sum()),
                rule=f"must be at most {MOST_MONEY:g}",
                fix="use a larger unit of money",
            )

    def _check_thresholds(self) -> None:
        if self.kind is families.BERNOULLI:
            demand_inside("thresholds", self.thresholds, 0.0, 1.0, closed=False, arms=self.arms)
        elif self.kind is families.BOUNDED:
            demand_inside("thresholds", self.thresholds, self.low, self.high, closed=False, arms=self.arms)
        elif self.kind is families.TWO_POINT and (self.thresholds != 0).any():
            raise InvalidInputError("thresholds", self.thresholds.tolist(), rule="must be 0 in a two-point problem")

    def _check_structure(self) -> None:
        if self.structure is not None and self.structure.sizes.size != self.n_arms:
            raise InvalidInputError(
                "number of pool sizes", self.structure.sizes.size, rule=f"must be {self.n_arms}, one for each arm"
            )

    def _check_control(self) -> None:
        if self.control is None:
            return
        object.__setattr__(self, "control", control_of(self.control, 0.0, self.arms))
        if self.kind is families.TWO_POINT:
            raise InvalidInputError("family", self.family, rule="must not be 'two-point' with a control")
        margin, width = self.control.margin, self.high - self.low
        if self.kind.has_range and abs(margin) >= width:
            rule = (
                f"must be between {-width:g} and {width:g} (exclusive): outcomes are from {self.low:g} to {self.high:g}"
            )
            raise InvalidInputError("margin", margin, rule=rule)

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
    if control is None:
        if margin != 0.0:
            raise InvalidInputError("margin", margin, rule="must come with a control", fix="name the control")
        if thresholds is None:
            raise InvalidInputError("thresholds", rule="thresholds or a control are needed")
        return numbers_of("thresholds", thresholds)
    if thresholds is not None:
        raise InvalidInputError(
            "thresholds", thresholds, rule="must be left out with a control, whose mean is the bar",
            fix="give a margin in their place",
        )  # fmt: skip
    return np.array(origin_of_squares(kind, low=low, high=high))


def origin_of_squares(kind: Family, *, low: float, high: float) -> float:
    """Return where squares of outcomes are counted from if the bar is a control."""
    return 0.5 * (finite("low", low) + finite("high", high)) if kind.has_range else 0.0


def _sigma_of(kind: Family, sigma: ArrayLike | None, *, low: float, high: float) -> Floats:
    """Return the σ that is given, or the family's own."""
    if kind.noise == "given":
        return numbers_of("sigma", 1.0 if sigma is None else sigma)
    if sigma is not None:
        raise InvalidInputError(
            "sigma", sigma, rule=f"must be left out for the family {kind.name!r}, which determines it"
        )
    half = max(0.5 * (finite("high", high) - finite("low", low)), LEAST_SIGMA)
    return np.array({"half": 0.5, "range": half, "mean": LEAST_SIGMA}[kind.noise])
