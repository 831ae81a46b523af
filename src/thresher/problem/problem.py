"""Simulated problems: a question, its truth and a name."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from thresher.errors import InvalidInputError
from thresher.number_text import exact
from thresher.problem.arrays import finite, means_of
from thresher.problem.bars import Control, is_tied
from thresher.problem.combinations import Combination
from thresher.problem.crossed import crossed_of
from thresher.problem.families import Family
from thresher.problem.families import family as family_named
from thresher.problem.keywords import suggests_keywords
from thresher.problem.pool import Pool, crossed_pool, pool_of, repeated_pool
from thresher.problem.population import Population
from thresher.problem.question import Question, numbered
from thresher.problem.sampler import Sampler, samplers_of
from thresher.problem.sampling import Sampling
from thresher.problem.signal_tables import with_signals
from thresher.problem.structure import Structure
from thresher.problem.truth import Truth
from thresher.types import Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class Problem:
    """A question to be simulated: K arms with their bars, and the distributions of their outcomes.

    Use the constructors (:meth:`gaussian`, :meth:`bernoulli`, …), :func:`thresher.problem.load` for a file or
    :func:`thresher.problem.named` for a problem of the literature. What is in the question and in the truth can be read
    here too.

    Parameters
    ----------
    question : Question
        Family, thresholds, σ, costs, names of the arms.
    truth : Truth
        Means, and a population, a pool or samplers; policies do not see it.
    name : str
        What results call this problem.
    assumed : tuple of str
        What was assumed or left to defaults: ``family``, ``sigma``, ``thresholds`` or ``population``.

    Raises
    ------
    InvalidInputError
        If the truth is not one of this question: another number of arms, means or outcomes that the family cannot have.
    """

    question: Question
    truth: Truth
    name: str = "problem"
    assumed: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.truth.check_against(self.question)

    @property
    def family(self) -> str:
        """Name of the family of the outcomes."""
        return self.question.family

    @property
    def kind(self) -> Family:
        """The family of the outcomes."""
        return self.question.kind

    @property
    def arms(self) -> tuple[str, ...]:
        """Names of the arms."""
        return self.question.arms

    @property
    def n_arms(self) -> int:
        """K, the number of arms."""
        return self.question.n_arms

    @property
    def thresholds(self) -> Floats:
        r""":math:`\theta_k`, shape (K,)."""
        return self.question.thresholds

    @property
    def sigma(self) -> Floats:
        r""":math:`\sigma_k`, shape (K,)."""
        return self.question.sigma

    @property
    def costs(self) -> Floats:
        """:math:`a_k`, shape (K,)."""
        return self.question.costs

    @property
    def pull_costs(self) -> Floats:
        """:math:`m_k`, shape (K,)."""
        return self.question.pull_costs

    @property
    def ticks(self) -> Ints:
        """Pull costs in whole millionths, shape (K,)."""
        return self.question.ticks

    @property
    def least_budget(self) -> float:
        """The cost of the initial pulls of every arm."""
        return self.question.least_budget

    @property
    def low(self) -> float:
        """Least outcome of ``bounded``."""
        return self.question.low

    @property
    def high(self) -> float:
        """Largest outcome of ``bounded``."""
        return self.question.high

    @property
    def means(self) -> Floats:
        r""":math:`\mu_k`, shape (K,)."""
        return self.truth.means

    @property
    def population(self) -> Population | None:
        """Where every run draws its own means from, if it does."""
        return self.truth.population

    @property
    def pool(self) -> Pool | None:
        """Recorded samples to draw from, if there are any."""
        return self.truth.pool

    @property
    def structure(self) -> Structure | None:
        """The finite pool behind each arm, if draws are not independent."""
        return self.question.structure

    @property
    def has_known_bar(self) -> bool:
        """Whether policies are given the bar: it is not the mean of a control."""
        return self.question.has_known_bar

    @property
    def sampling(self) -> Sampling:
        """How outcomes are drawn."""
        return self.question.sampling

    @property
    def control(self) -> Control | None:
        """The arm whose mean is the bar of all others, if there is one."""
        return self.question.control

    @property
    def bars(self) -> Floats:
        """What each mean is compared with, shape (K,): thresholds, or what the control's mean and the margin give."""
        return self.question.bar.heights(self.means)

    @property
    def gaps(self) -> Floats:
        r"""Normalised gaps :math:`\Delta_k = |\mu_k - \theta_k| / \sqrt{2 \sigma_k^2}`, shape (K,)."""
        return np.abs(self.means - self.bars) / np.sqrt(2.0 * self.sigma**2)

    @property
    def is_above(self) -> Bools:
        """The right answers, shape (K,); the entry of a control has no meaning."""
        return self.means > self.bars

    def known_bar(self) -> Problem:
        """Return the same arms with the bar that the control's mean gives, and without the control."""
        if self.question.bar.is_known:
            return self
        judged, asked = self.question.judged, self.question
        pool, samplers = self.pool, self.truth.samplers
        if pool is not None or samplers is not None:
            raise InvalidInputError("problem", self.name, rule="must have means alone for a bar that is known")
        question = replace(
            asked, thresholds=self.bars[judged], sigma=asked.sigma[judged], costs=asked.costs[judged],
            pull_costs=asked.pull_costs[judged], arms=tuple(asked.arms[k] for k in judged), control=None,
        )  # fmt: skip
        return replace(self, question=question, truth=replace(self.truth, means=self.means[judged]))

    @property
    def notes(self) -> list[str]:
        """Notes on this problem for readers of results."""
        if self.population is not None:
            return []
        tied = [self.arms[k] for k in self.question.judged if is_tied(float(self.means[k]), float(self.bars[k]))]
        shown = ", ".join(tied[:5]) + (", …" if len(tied) > 5 else "")
        return (
            [f"{len(tied)} arm(s) sit exactly on the bar ({shown}): their mistakes count for nothing"] if tied else []
        )

    @property
    def assumptions(self) -> str:
        """The values of what is `assumed`, such as ``gaussian outcomes, sigma 1, bar 0``."""
        drawn = self.population
        said = {
            "family": f"{self.family} outcomes",
            "sigma": f"sigma {_range(self.sigma)}" if self.kind.takes_sigma else "",
            "thresholds": f"bar {_range(self.bars)}",
            "population": "" if drawn is None else f"centre {exact(drawn.mean)}, spread {exact(drawn.spread)}",
        }
        return ", ".join(text for key, text in said.items() if key in self.assumed and text)

    def fingerprint(self) -> str:
        """Return a hash of the content of the problem; the name is not included."""
        return hashlib.sha256(repr(self.digests()).encode()).hexdigest()

    def digests(self) -> dict[str, str]:
        """Return the family and a hash of everything else that is in the problem, part by part."""
        parts = {key: getattr(self, key).tobytes() for key in ("means", "thresholds", "sigma", "costs", "pull_costs")}
        parts["range"] = repr((self.low, self.high, self.truth.concentration)).encode()
        parts |= self.truth.sources()
        if self.pool is None and not self.sampling.is_independent:
            parts["pool sizes"] = self.sampling.whole_sizes.tobytes()
        for key in ("history", "proxy"):
            table = getattr(self.structure, key, None)
            parts |= {} if table is None else {key: table.tobytes()}
        parts |= self.question.bar.digest()
        return {"family": self.family} | {key: hashlib.sha256(part).hexdigest()[:32] for key, part in parts.items()}

    def summary(self) -> dict[str, Any]:
        """Name, family and number of arms, for results and logs; with a control, which arm it is and the margin."""
        said = {"name": self.name, "family": self.family, "arms": self.n_arms}
        return said | self.question.bar.summary()

    def with_control(self, control: int | str, margin: float | str = 0.0) -> Problem:
        """Return the same arms with one of them as the control, whose mean takes the place of the thresholds."""
        asked = self.question
        given = {key: getattr(asked, key) for key in ("costs", "pull_costs", "low", "high", "arms", "structure")}
        if asked.kind.takes_sigma:
            given["sigma"] = asked.sigma
        assumed = tuple(key for key in self.assumed if key != "thresholds")
        return replace(
            self, question=Question.of(asked.family, control=control, margin=margin, **given), assumed=assumed
        )

    @classmethod
    @suggests_keywords
    def gaussian(
        cls,
        means: ArrayLike,
        thresholds: ArrayLike | None = None,
        sigma: ArrayLike = 1.0,
        costs: ArrayLike | None = None,
        *,
        pull_costs: ArrayLike | None = None,
        arms: Sequence[str] = (),
        population: Population | None = None,
        control: int | str | None = None,
        margin: float | str = 0.0,
        name: str = "problem",
    ) -> Problem:
        """Return a problem with normal outcomes of known σ.

        The bar is 0 unless `thresholds` are given, or a `control`: the place or the name of an arm whose mean is the
        bar of all others, with a `margin`, a number or per cent of the control's mean such as ``"-2%"``.
        """
        return cls.of(
            "gaussian", means=means, thresholds=thresholds, sigma=sigma, costs=costs, pull_costs=pull_costs,
            arms=arms, population=population, control=control, margin=margin, name=name,
        )  # fmt: skip

    @classmethod
    @suggests_keywords
    def gaussian_unknown_variance(
        cls,
        means: ArrayLike,
        thresholds: ArrayLike | None = None,
        sigma: ArrayLike = 1.0,
        costs: ArrayLike | None = None,
        *,
        pull_costs: ArrayLike | None = None,
        arms: Sequence[str] = (),
        population: Population | None = None,
        control: int | str | None = None,
        margin: float | str = 0.0,
        name: str = "problem",
    ) -> Problem:
        """Return a problem with normal outcomes whose σ is unknown to the policies; bars as in :meth:`gaussian`."""
        return cls.of(
            "gaussian-unknown-variance", means=means, thresholds=thresholds, sigma=sigma, costs=costs,
            pull_costs=pull_costs, arms=arms, population=population, control=control, margin=margin, name=name,
        )  # fmt: skip

    @classmethod
    @suggests_keywords
    def bernoulli(
        cls,
        means: ArrayLike,
        thresholds: ArrayLike | None = None,
        costs: ArrayLike | None = None,
        *,
        pull_costs: ArrayLike | None = None,
        arms: Sequence[str] = (),
        population: Population | None = None,
        control: int | str | None = None,
        margin: float | str = 0.0,
        name: str = "problem",
    ) -> Problem:
        """Return a problem with outcomes 0 and 1; the bar is ½ unless `thresholds` or a `control` are given."""
        return cls.of(
            "bernoulli", means=means, thresholds=_half(thresholds, control), costs=costs, pull_costs=pull_costs,
            arms=arms, population=population, control=control, margin=margin, name=name,
        )  # fmt: skip

    @classmethod
    @suggests_keywords
    def bounded(
        cls,
        means: ArrayLike,
        thresholds: ArrayLike | None = None,
        costs: ArrayLike | None = None,
        *,
        low: float = 0.0,
        high: float = 1.0,
        concentration: float = 4.0,
        pull_costs: ArrayLike | None = None,
        arms: Sequence[str] = (),
        population: Population | None = None,
        control: int | str | None = None,
        margin: float | str = 0.0,
        name: str = "problem",
    ) -> Problem:
        """Return a problem with outcomes in [low, high]; the bar is ½ unless `thresholds` or a `control` are given."""
        return cls.of(
            "bounded", means=means, thresholds=_half(thresholds, control), costs=costs, pull_costs=pull_costs,
            low=low, high=high, concentration=concentration, arms=arms, population=population, control=control,
            margin=margin, name=name,
        )  # fmt: skip

    @classmethod
    @suggests_keywords
    def two_point(
        cls,
        means: ArrayLike,
        costs: ArrayLike | None = None,
        *,
        pull_costs: ArrayLike | None = None,
        arms: Sequence[str] = (),
        name: str = "problem",
    ) -> Problem:
        """Return the paper's toy: outcome 0 or 2μ, each with probability ½; the threshold is 0."""
        return cls.of(
            "two-point", means=means, thresholds=0.0, costs=costs, pull_costs=pull_costs, arms=arms, name=name
        )

    @staticmethod
    def named(text: str) -> Problem:
        """Return a problem of the literature by its name, such as ``linear:K=200``."""
        from thresher.problem.catalogue import named

        return named(text)

    @staticmethod
    def load(path: Path | str) -> Problem:
        """Return the problem in a JSON, TOML or CSV file."""
        from thresher.problem.files import load

        return load(path)

    @classmethod
    @suggests_keywords
    def replay(
        cls,
        samples: Mapping[str, Sequence[float]],
        thresholds: ArrayLike | None = None,
        *,
        family: str | None = None,
        replacement: bool = False,
        sigma: ArrayLike | None = None,
        costs: ArrayLike | None = None,
        pull_costs: ArrayLike | None = None,
        low: float | None = None,
        high: float | None = None,
        control: int | str | None = None,
        margin: float | str = 0.0,
        name: str = "problem",
    ) -> Problem:
        """Return a problem that draws from real samples, given arm by arm.

        Unless a family is named it is ``bernoulli`` if every sample is 0 or 1, else ``gaussian`` with the σ of each
        arm's samples. The truth is the mean of each arm's samples, the range of ``bounded`` that of all samples. Give
        `thresholds`, or a `control` (the name of an arm) and perhaps a `margin`.
        """
        if thresholds is None and control is None:
            raise InvalidInputError("thresholds", rule="thresholds or a control are needed")
        pool = pool_of(samples, replacement=replacement)
        family = family or ("bernoulli" if np.isin(pool.values, (0.0, 1.0)).all() else "gaussian")
        if family.startswith("gaussian") and sigma is None:
            sigma = np.maximum(pool.deviations, 1e-9)
        if family_named(family).ranges_over_samples:
            low = float(pool.values.min()) if low is None else low
            high = float(pool.values.max()) if high is None else high
        return cls.of(
            family, means=pool.means, thresholds=thresholds, sigma=sigma, costs=costs, pull_costs=pull_costs,
            low=0.0 if low is None else low, high=1.0 if high is None else high, pool=pool, arms=tuple(samples),
            control=control, margin=margin, name=name,
        )  # fmt: skip

    @classmethod
    @suggests_keywords
    def crossed(
        cls,
        table: Any,
        thresholds: ArrayLike | None = None,
        *,
        family: str | None = None,
        costs: ArrayLike | None = None,
        pull_costs: ArrayLike | None = None,
        low: float = 0.0,
        high: float = 1.0,
        arms: Sequence[str] = (),
        control: int | str | None = None,
        margin: float | str = 0.0,
        history: Any = None,
        proxy: Any = None,
        name: str = "problem",
    ) -> Problem:
        """Return a problem that replays recorded answers: every arm answered the same items.

        The truth of an arm is the mean of its row. Runs draw without replacement, each arm in a random order of its
        own; an arm with nothing left to draw is not pulled again.

        Parameters
        ----------
        table : array, data frame, or path
            An array of shape (K, N), NaN where nothing was recorded; or a data frame or CSV file with the columns
            ``arm``, ``item`` and ``value``. With a column ``repeat`` an arm may have several outcomes on an item, each
            0 or 1: every measurement is then one of those recorded, at random, and the truth the mean over items of
            their means, as in :meth:`repeated`.
        thresholds : float or array of float
            One for all arms, or one for each, in the order of the rows (of first appearance in a long table).
        family : str, optional
            ``"bernoulli"`` for outcomes 0 and 1, ``"bounded"`` for numbers from `low` to `high`; what the values are
            unless given.
        arms : sequence of str
            Names for the rows of an array.
        control, margin
            In place of thresholds: the row whose mean is the bar of all others. Policies then use the pools, and not
            what arms that share items say about each other.
        history : array, data frame, mapping or path, optional
            Outcomes of past arms on the same items, which are neither measured nor judged: an array of shape (H, N), or
            by names as in `table` or as a mapping from arms to items to outcomes. Items that are not in `table` are
            left out.
        proxy : array, data frame, mapping or path, optional
            A cheap score of the answer of every arm to every item, such as that of an LLM judge; any numbers, NaN or
            left out where there is none. A table has them in a column ``value`` or ``score``.
        costs, pull_costs, name
            As in the other constructors.

        Raises
        ------
        InvalidInputError, UnknownNameError
            If a column is missing or unknown, an outcome is given twice or out of range, or an arm has no item.
        """
        if thresholds is None and control is None:
            raise InvalidInputError("thresholds", rule="thresholds or a control are needed")
        found = crossed_of(table, arms)
        if found.repeats > 1:
            has_control = control is not None
            Combination(family or "bernoulli", has_control, repeats=found.repeats, is_table=True).check()
            return cls.repeated(
                found, thresholds, repeats=found.repeats, costs=costs, pull_costs=pull_costs, name=name
            )  # fmt: skip
        pool = crossed_pool(found.values)
        family = family or ("bernoulli" if np.isin(pool.values, (0.0, 1.0)).all() else "bounded")
        Combination(family, is_table=True).check()
        problem = cls.of(
            family, means=pool.means, thresholds=thresholds, costs=costs, pull_costs=pull_costs, low=low, high=high,
            pool=pool, arms=found.arms, control=control, margin=margin, name=name,
        )  # fmt: skip
        if history is None and proxy is None:
            return problem
        structure = with_signals(problem.question, found, history=history, proxy=proxy)
        return replace(problem, question=replace(problem.question, structure=structure))

    @classmethod
    @suggests_keywords
    def repeated(
        cls,
        rates: Any,
        thresholds: ArrayLike | None = None,
        *,
        repeats: int,
        costs: ArrayLike | None = None,
        pull_costs: ArrayLike | None = None,
        arms: Sequence[str] = (),
        name: str = "problem",
    ) -> Problem:
        """Return a problem whose arms may be asked the same items several times, with 0/1 outcomes.

        The truth of an arm is the mean of its success rates over all items. New items come first, in a random order of
        each arm, then the same items again (:mod:`thresher.problem.sampling.repeats`).

        Parameters
        ----------
        rates : array, data frame, or path
            Success rates: an array of shape (K, N), NaN where an arm does not have the item; or a data frame or CSV
            file with the columns ``arm``, ``item`` and ``value``.
        thresholds : float or array of float
            One for all arms, or one for each; 0.5 unless given.
        repeats : int
            How often an arm may be asked an item.
        costs, pull_costs, arms, name
            As in the other constructors.

        Raises
        ------
        InvalidInputError, UnknownNameError
            If a rate is not from 0 to 1, or an arm has no item.
        """
        found = crossed_of(rates, arms)
        pool = repeated_pool(found.values, repeats)
        return cls.of(
            "bernoulli", means=pool.means, thresholds=_half(thresholds, None), costs=costs, pull_costs=pull_costs,
            pool=pool, arms=found.arms, name=name,
        )  # fmt: skip

    @classmethod
    @suggests_keywords
    def custom(
        cls,
        samplers: Sampler | Sequence[Sampler],
        means: ArrayLike,
        thresholds: ArrayLike | None = None,
        *,
        family: str = "gaussian",
        sigma: ArrayLike | None = None,
        costs: ArrayLike | None = None,
        pull_costs: ArrayLike | None = None,
        low: float = 0.0,
        high: float = 1.0,
        arms: Sequence[str] = (),
        control: int | str | None = None,
        margin: float | str = 0.0,
        name: str = "problem",
    ) -> Problem:
        """Return a problem whose outcomes are drawn by custom functions.

        Parameters
        ----------
        samplers : callable, or sequence of callable
            One for each arm, or one for all. ``sampler(rng)`` returns one number, drawn with the
            `numpy.random.Generator` it is given and with nothing else: every arm of every run has a generator of its
            own, so all policies see the same outcomes.
        means : array of float
            The true means of what the samplers draw; mistakes are counted against them.
        thresholds : float or array of float
            0 unless given.
        family, sigma
            The family that the *policies* assume; the samplers draw the outcomes. Evidence is computed for
            this family: ``gaussian`` with this `sigma` (1 unless given), ``gaussian-unknown-variance``, ``bernoulli``
            (samplers return 0 or 1) or ``bounded`` (they return numbers from `low` to `high`).
        costs, pull_costs, low, high, arms, control, margin, name
            As in the other constructors.

        Raises
        ------
        InvalidInputError
            If a sampler is not a function of one argument, or its first outcome is not a number of the family.
        """
        truth = Truth(means=means_of(means))
        question = _question_of(
            truth, family, thresholds=thresholds, sigma=sigma, costs=costs, pull_costs=pull_costs, low=low, high=high,
            arms=arms, control=control, margin=margin,
        )  # fmt: skip
        return cls(question, replace(truth, samplers=samplers_of(samplers, question.arms)), name)

    @classmethod
    @suggests_keywords
    def of(
        cls,
        family: str,
        *,
        means: ArrayLike,
        thresholds: ArrayLike | None = None,
        sigma: ArrayLike | None = None,
        costs: ArrayLike | None = None,
        pull_costs: ArrayLike | None = None,
        low: float = 0.0,
        high: float = 1.0,
        concentration: float = 4.0,
        pool: Pool | None = None,
        population: Population | None = None,
        arms: Sequence[str] = (),
        control: int | str | None = None,
        margin: float | str = 0.0,
        name: str = "problem",
    ) -> Problem:
        """Return a problem of any family, with the family's own σ where none is given; bars as in :meth:`gaussian`."""
        truth = Truth(means=means_of(means), concentration=concentration, population=population, pool=pool)
        question = _question_of(
            truth, family, thresholds=thresholds, sigma=sigma, costs=costs, pull_costs=pull_costs, low=low, high=high,
            arms=arms, control=control, margin=margin,
        )  # fmt: skip
        return cls(question, truth, name)


def _demand_default_bar(name: str, *, low: float, high: float) -> None:
    """Raise unless the default bar, 0, is one that the family can have."""
    low, high = family_named(name).range_of(finite("low", low), finite("high", high))
    if not low < 0.0 < high:
        raise InvalidInputError(
            "threshold",
            rule=f"the family {name!r} needs one between {exact(low)} and {exact(high)} (exclusive)",
            fix="give thresholds (in a CSV file a column 'threshold'), or a control",
        )


def _half(thresholds: ArrayLike | None, control: int | str | None) -> ArrayLike | None:
    """Return the thresholds that are given, or ½ if there is no control."""
    return 0.5 if thresholds is None and control is None else thresholds


def _range(values: Floats) -> str:
    """Return the value that all arms share, or the least and the largest."""
    low, high = float(values.min()), float(values.max())
    return f"{exact(low)}" if low == high else f"{exact(low)} to {exact(high)}"


def _question_of(truth: Truth, family: str, *, arms: Sequence[str], **given: Any) -> Question:
    """Return the question whose arms are those of the truth; the bar is 0 unless something else is given."""
    if given["thresholds"] is None and given["control"] is None:
        _demand_default_bar(family, low=given["low"], high=given["high"])
        given["thresholds"] = 0.0
    names = tuple(arms) or numbered(truth.n_arms)
    if len(names) != truth.n_arms:
        raise InvalidInputError("number of names", len(names), rule=f"must be the number of arms, {truth.n_arms}")
    structure = None if truth.pool is None else truth.pool.structure
    question = Question.of(family, arms=names, structure=structure, **given)
    return replace(question, sigma=question.kind.true_sigma(question, truth.means))
