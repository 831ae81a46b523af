"""The specification of a run: one frozen value, whether it comes from a file or from flags."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from thresher.campaign import item_names, read_items
from thresher.campaign.ledger import Terms
from thresher.campaign.storage import hide_password
from thresher.errors import InvalidInputError
from thresher.problem import Combination, finite_or_none, percent_in, real, whole
from thresher.report import exact
from thresher.run.arms import PlannedArm, arms_from_glob, arms_from_matrix, arms_from_names, read_arms
from thresher.run.installed import function_of
from thresher.run.promptfoo import BATCH
from thresher.run.promptfoo_suite import PromptfooSuite, read_suite
from thresher.run.reading import Reading
from thresher.terms import TERMS, DeclaredTerms, run_default

MEASUREMENTS = ("command", "function", "url", "promptfoo")
ARMS = ("arms", "arms_file", "arms_glob", "matrix", "promptfoo")
PROXIES = ("proxy", "proxy_command", "proxy_function")
NOT_WITH_PROMPTFOO = ("items", "cost", "timeout_outcome")  # it has the items, and reports no cost before its end
NO_BAR = "give --bar, or bar = … in a spec file, or a column 'bar' in the file of arms"
ON_ERROR = ("stop", "retire")
MOST_JOBS = 1000
RATES = ("bar", *(term.name for term in TERMS if term.is_rate))  # may be given in per cent, such as "80%"


@dataclass(frozen=True, kw_only=True)
class RunSpec(DeclaredTerms):
    """A run: what is measured how, against which bar, with which budget.

    The keys of a spec file are these names and the terms of the campaign, see
    :class:`thresher.campaign.ledger.Terms`; each is a flag too.

    Parameters
    ----------
    name : str
        Of the campaign in the database; a run with the name of an earlier one goes on with it.
    bar : float
        The threshold of every arm that has none of its own; left out with a control.
    budget : float
        Measurements, or the unit of `cost`, or that of the arms' ``pull_cost``.
    command, function, url, promptfoo
        One of them: a shell command (or words, without a shell), ``module:function`` or the name of an installed
        measurement, an HTTP address on this machine, or a configuration of promptfoo: its prompts × providers are the
        arms, its test cases the items.
    outcome : str
        ``exit``, ``last-line``, ``regex:PATTERN``, ``json:FIELD`` or ``duration``. Unless given: the exit code of a
        command, what a function returns, the field ``outcome`` of an endpoint's answer. Of promptfoo ``success``
        (the default), ``score`` or ``scores.METRIC``.
    arms, arms_file, arms_glob, matrix
        One of them: names, a file, a pattern of files, or lists of parameters to be combined.
    items : int, str or list of str
        The items that every arm answers, once unless `repeats` says more: how many, a file with one name on each line,
        or names.
    history : str
        Outcomes of past arms on the same items: the name of a campaign in the database, or a CSV file with the
        columns ``arm``, ``item`` and ``value``. For a campaign that is created.
    proxy : str
        A cheap score of every answer: a CSV file with the same columns, or ``score`` in place of ``value``. For a
        campaign that is created.
    proxy_command, proxy_function
        In place of `proxy`: a command or ``module:function`` that scores an answer, such as an LLM judge. It is called
        once for each arm and item, before the first measurement; scores that are stored are not computed again.
    proxy_outcome : str
        Where the score stands, as for `outcome`; ``last-line`` for a command unless given.
    proxy_budget : int
        How many answers are scored at most; all unless given.
    sigma : float
        Standard deviation of ``gaussian`` outcomes.
    cost : str
        What a measurement costs, if that is known only after it: ``duration`` (seconds), ``json:FIELD``,
        ``regex:PATTERN`` or ``last-line``, or ``returned`` by a function as the second of a pair. An arm without a
        ``pull_cost`` is measured once first, and that cost is reserved for each further measurement.
    jobs : int
        Measurements at a time: 1, with promptfoo 20, unless given.
    timeout, timeout_outcome : float
        Seconds after which a measurement is ended, and its outcome then; without the latter it gives no outcome,
        except that a duration counts as the timeout.
    retries : int
        How often a measurement without an outcome is tried again before `on_error`.
    rate : str
        Maximum rate of measurements, such as ``30/minute``.
    on_error : str
        ``stop`` the run, or ``retire`` the arm and go on.
    db : str
        Address of the database, not of a service.
    junit, markdown : str
        Files to write in the end.
    folder : Path
        What paths of arms and the measurement are relative to: where the spec file is.
    unit : str
        Unless given ``s`` for a duration.
    family : str
        Unless given ``bernoulli``, or ``gaussian-unknown-variance`` for the mean of a duration (`quantile` 0).
    quantile : float
        Unless given, or a family is, 0.5 for a duration: the median is compared with the bar.
    lease : float
        Seconds until the tickets of a run that was killed expire; a run renews its leases.

    Attributes
    ----------
    is_median_by_default : bool
        Whether the median of a duration is compared because neither `family` nor `quantile` was given.

    Raises
    ------
    InvalidInputError, UnknownNameError
        If a key is missing, of the wrong type or out of range.
    """

    name: str = ""
    bar: float | None = None
    budget: float
    command: str | tuple[str, ...] = ""
    function: str = ""
    url: str = ""
    promptfoo: str = ""
    outcome: str = ""
    arms: tuple[str, ...] = ()
    arms_file: str = ""
    arms_glob: str = ""
    matrix: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    items: int | str | tuple[str, ...] = ""
    history: str = ""
    proxy: str = ""
    proxy_command: str | tuple[str, ...] = ""
    proxy_function: str = ""
    proxy_outcome: str = ""
    proxy_budget: int | None = None
    sigma: float | None = None
    cost: str = ""
    jobs: int | None = None  # a number from __post_init__ on: `n_jobs`
    timeout: float | None = None
    timeout_outcome: float | None = None
    retries: int = 2
    rate: str = ""
    on_error: str = "stop"
    db: str = "sqlite:///thresher.db"
    junit: str = ""
    markdown: str = ""
    folder: Path = field(default_factory=Path)
    family: str = run_default("family")
    quantile: float | None = None  # type: ignore[assignment]  # a number from __post_init__ on
    lease: float = run_default("lease")
    is_median_by_default: bool = field(init=False, repr=False, default=False)

    def __post_init__(self) -> None:
        for each in (each for each in fields(self) if each.init):
            object.__setattr__(self, each.name, _typed(each.name, str(each.type), getattr(self, each.name)))
        self._choose_one("a measurement", MEASUREMENTS)
        if self.function:
            object.__setattr__(self, "function", function_of(self.function))
        self._choose_one("arms", ARMS)
        is_duration = self.outcome == "duration"
        self._check_promptfoo()
        if self.jobs is None:
            object.__setattr__(self, "jobs", BATCH if self.promptfoo else 1)
        if self.quantile is None:
            object.__setattr__(self, "is_median_by_default", is_duration and not self.family)
            object.__setattr__(self, "quantile", 0.5 if self.is_median_by_default else 0.0)
        if not self.family:
            object.__setattr__(self, "family", self._default_family())
        if is_duration and not self.unit:
            object.__setattr__(self, "unit", "s")
        if self.on_error not in ON_ERROR:
            raise InvalidInputError("on_error", self.on_error, rule=f"must be {' or '.join(ON_ERROR)}")
        if self.db.startswith(("http://", "https://")):
            rule = "must be a database: a campaign behind a service is measured by thresher work"
            fix = "write thresher work URL CAMPAIGN --command …"
            raise InvalidInputError("db", hide_password(self.db), rule=rule, fix=fix)
        self._check_numbers()
        self._check_cost()
        self._check_proxy()
        object.__setattr__(self, "margin", self.terms.margin)  # raises if a term breaks its rule
        self._check_control()
        if self.bar is not None:
            self._check_bar("bar", self.bar)

    def _check_control(self) -> None:
        """Raise unless there is either a bar or a control, and with a control no cost that is known only afterwards."""
        if not self.control and self.bar is None and not self.arms_file:  # the file may have a bar for each arm
            raise InvalidInputError("bar", rule=NO_BAR)
        Combination(has_control=bool(self.control), bar=self.bar, cost=self.cost).check()

    def _default_family(self) -> str:
        if self.promptfoo and self.outcome not in ("", "success"):
            return "bounded"
        return "gaussian-unknown-variance" if self.outcome == "duration" and not self.quantile else "bernoulli"

    def _check_promptfoo(self) -> None:
        """Raise if something is given that the configuration of promptfoo has, or that promptfoo does not report."""
        given = [key for key in NOT_WITH_PROMPTFOO if getattr(self, key) not in ("", (), None)]
        if self.promptfoo and given:
            raise InvalidInputError(given[0], getattr(self, given[0]), rule="must be left out with promptfoo")
        if self.promptfoo and self.repeats > 1:
            rule = "must be 1 with promptfoo, which answers a case that is asked again from its cache"
            raise InvalidInputError("repeats", self.repeats, rule=rule)

    def _choose_one(self, what: str, keys: tuple[str, ...]) -> None:
        given = [key for key in keys if getattr(self, key)]
        rule = f"give {what} by exactly one of {', '.join(map(key_of, keys))}"
        if not given:
            raise InvalidInputError(keys[0], rule=rule)
        if len(given) > 1:
            raise InvalidInputError(given[-1], getattr(self, given[-1]), rule=f"{rule}; {given[0]} is there too")

    def _check_numbers(self) -> None:
        for key in ("budget", "timeout"):
            if (value := getattr(self, key)) is not None and not value > 0:
                raise InvalidInputError(key, value, rule="must be above 0")
        if not 1 <= self.n_jobs <= MOST_JOBS:
            raise InvalidInputError("jobs", self.jobs, rule=f"must be at least 1 and at most {MOST_JOBS}")
        if self.retries < 0:
            raise InvalidInputError("retries", self.retries, rule="must be at least 0")
        if self.timeout_outcome is not None and self.timeout is None:
            raise InvalidInputError("timeout", rule="timeout_outcome needs a timeout")

    def _check_cost(self) -> None:
        reading, is_function = self.cost_reading, self.kind == "function"
        if reading is not None and reading.kind not in ("duration", "returned") and is_function:
            raise InvalidInputError("cost", self.cost, rule="must be duration or returned if a function measures")
        if reading is not None and reading.kind == "returned" and not is_function:
            raise InvalidInputError("cost", self.cost, rule="must not be 'returned' without a function")

    def _check_proxy(self) -> None:
        """Raise unless scores come from one place, with items, and what is said of a judge has a judge."""
        given = [key for key in PROXIES if getattr(self, key)]
        if len(given) > 1:
            rule = f"give scores by at most one of {', '.join(PROXIES)}; {given[0]} is there too"
            raise InvalidInputError(given[-1], getattr(self, given[-1]), rule=rule)
        for key in ("proxy_outcome", "proxy_budget"):
            if getattr(self, key) not in ("", None) and not self.judge:
                raise InvalidInputError(key, getattr(self, key), rule="must come with proxy_command or proxy_function")
        if self.judge:
            has_items = self.items not in ("", ()) or bool(self.promptfoo)
            Combination(has_items=has_items, proxy=getattr(self, self.judge)).check(proxy=self.judge)
        if self.proxy_outcome and self.judge == "proxy_function":
            raise InvalidInputError(
                "proxy_outcome", self.proxy_outcome, rule="must be left out: the score is what the function returns"
            )
        if self.proxy_budget is not None and self.proxy_budget < 1:
            raise InvalidInputError("proxy_budget", self.proxy_budget, rule="must be at least 1")

    @property
    def judge(self) -> str:
        """What scores answers before the first measurement: the name of a key; empty if nothing does."""
        return next((key for key in PROXIES[1:] if getattr(self, key)), "")

    @property
    def n_jobs(self) -> int:
        """Measurements at a time."""
        assert self.jobs is not None
        return self.jobs

    @cached_property
    def suite(self) -> PromptfooSuite:
        """What the configuration of promptfoo asks; the first access starts promptfoo."""
        return read_suite(self.folder / self.promptfoo)

    @property
    def terms(self) -> Terms:
        """The terms of the campaign."""
        return Terms.of_new(**{term.name: getattr(self, term.name) for term in TERMS})

    def _check_bar(self, where: str, bar: float) -> None:
        """Raise unless a bar is between the least and the largest outcome."""
        ranges = {} if self.quantile else {"bernoulli": (0.0, 1.0), "bounded": (self.low, self.high)}
        low, high = ranges.get(self.family, (-math.inf, math.inf))
        if self.outcome == "duration":
            low, high = max(low, 0.0), min(high, self.timeout or math.inf)
        if not low < bar < high:
            raise InvalidInputError(where, bar, rule=_between(low, high))

    @property
    def reading(self) -> Reading | None:
        """Where the outcome stands; None for what a function returns, and for a result of promptfoo."""
        if self.promptfoo:
            return None
        text = self.outcome or {"command": "exit", "url": "json:outcome"}.get(self.kind, "")
        return Reading.parse(text) if text else None

    @property
    def cost_reading(self) -> Reading | None:
        """Where the cost stands; None if a measurement costs the pull cost of its arm."""
        return Reading.parse(self.cost, "cost") if self.cost else None

    @property
    def score_reading(self) -> Reading:
        """Where the score of an answer stands in what a command prints."""
        return Reading.parse(self.proxy_outcome or "last-line")

    @property
    def kind(self) -> str:
        """What measures: ``command``, ``function``, ``url`` or ``promptfoo``."""
        return next(key for key in MEASUREMENTS if getattr(self, key))

    @property
    def censored_at(self) -> float | None:
        """The outcome of a measurement that took too long: what was given, or the timeout if time is measured."""
        return self.timeout if self.timeout_outcome is None and self.outcome == "duration" else self.timeout_outcome

    def planned_items(self) -> list[str]:
        """Return the names of the items; none if arms do not answer items.

        Raises
        ------
        InvalidInputError
            If the file cannot be read, or a name is not valid or is given twice.
        """
        if self.promptfoo:
            return list(self.suite.items)
        if self.items in ("", ()):
            return []
        items = read_items(self.items, self.folder) if isinstance(self.items, str) else item_names(self.items)
        arms = self.planned_arms()
        for key in ("item", *(("repeat",) if self.repeats > 1 else ())):
            if any(key in arm.parameters for arm in arms):
                raise InvalidInputError(
                    "items", rule=f"no arm must have a parameter {key!r}", fix="rename the parameter"
                )
        if self.cost and any("pull_cost" not in arm.numbers for arm in arms):
            rule = "with items, every arm must have a pull_cost, which is reserved for each measurement"
            raise InvalidInputError("cost", self.cost, rule=rule, fix="add the column pull_cost to the table of arms")
        return items

    def planned_signals(self) -> dict[str, Any]:
        """Return where history and proxy are, by keyword of a new campaign: files are relative to the folder."""
        given = {key: getattr(self, key) for key in ("history", "proxy") if getattr(self, key)}
        is_file = {key: key == "proxy" or (self.folder / value).exists() for key, value in given.items()}
        return {key: str(self.folder / value) if is_file[key] else value for key, value in given.items()}

    def planned_arms(self) -> list[PlannedArm]:
        """Return the arms.

        Raises
        ------
        InvalidInputError
            If there is none, or two share a name, or their file is wrong.
        """
        if self.promptfoo:
            return list(self.suite.arms)
        if self.arms_file:
            arms = read_arms(self.folder / self.arms_file)
            for arm in arms:
                bar = arm.numbers.get("threshold", self.bar)
                if self.control:
                    Combination(has_control=True, bar=bar).check(bar=f"{arm.place}: threshold")
                elif bar is None:
                    raise InvalidInputError(f"{arm.place}: bar of {arm.name!r}", rule=NO_BAR)
                else:
                    self._check_bar(f"{arm.place}: threshold", bar)
            return arms
        if self.arms_glob:
            return arms_from_glob(self.arms_glob, self.folder)
        return arms_from_matrix(self.matrix) if self.matrix else arms_from_names(self.arms)


SPELLED = {term.name: term.key for term in TERMS}
NO_KEYS = {"folder", *(term.name for term in TERMS if term.retired)}
KEYS = {
    SPELLED.get(each.name, each.name): each.name for each in fields(RunSpec) if each.init and each.name not in NO_KEYS
}


def key_of(name: str) -> str:
    """Return the key of a spec file that stands for a field."""
    return SPELLED.get(name, name)


def _typed(key: str, kind: str, value: Any) -> Any:
    """Return a value as its field holds it."""
    if kind == "Path" or (value is None and kind.endswith("None")):
        return value
    if key in RATES and (rate := percent_in(value)) is not None:
        return rate
    words, readers = next((words, readers) for start, words, *readers in _TYPES if kind.startswith(start))
    for read in readers:
        if (found := read(value)) is not None:
            return found
    raise InvalidInputError(key, value, rule=f"must be {words}")


def _as_number(value: Any) -> float | None:
    return finite_or_none(real(value))


def _as_text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _as_list(value: Any) -> tuple[Any, ...] | None:
    return tuple(value) if isinstance(value, (list, tuple)) else None


def _as_words(value: Any) -> tuple[str, ...] | None:
    words = _as_list(value)
    return words if words is not None and all(isinstance(word, str) for word in words) else None


def _as_count(value: Any) -> int | None:
    """Return a whole number, which a flag gives as a text."""
    if isinstance(value, str):
        return int(value) if value.strip().isascii() and value.strip().isdigit() and len(value) < 10 else None
    return whole(value)


def _as_table(value: Any) -> dict[str, tuple[Any, ...]] | None:
    if not isinstance(value, Mapping) or not all(isinstance(each, (list, tuple)) for each in value.values()):
        return None
    return {name: tuple(each) for name, each in value.items()}


# How the annotation of a field begins, what a value must be, and its readers; the first that returns a value is used.
_TYPES: tuple[tuple[Any, ...], ...] = (
    ("float", "a finite number", _as_number),
    ("int | str", "a number, a file, or a list of names", _as_count, _as_text, _as_list),
    ("int", "a whole number", whole),
    ("str | float", "a number, or a text", _as_text, _as_number),
    ("str | tuple", "a text, or a list of words", _as_text, _as_words),
    ("str", "a text", _as_text),
    ("tuple", "a list", _as_list),
    ("Mapping", "a table of lists", _as_table),
)


def _between(low: float, high: float) -> str:
    """Return the rule for a number between two others, of which the second may be infinite."""
    return (
        f"must be between {exact(low)} and {exact(high)} (exclusive)"
        if math.isfinite(high)
        else f"must be above {exact(low)}"
    )
