"""What a run is told: one frozen value, whether it comes from a file or from flags."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from thresher.errors import InvalidProblemError, SpecError
from thresher.problem.family import FAMILIES, family
from thresher.runner.arms import PlannedArm, crossed, globbed, listed, read_arms
from thresher.runner.reading import Reading

MEASUREMENTS = ("command", "function", "url")
ARMS = ("arms", "arms_file", "arms_glob", "matrix")
ON_ERROR = ("stop", "retire")
PASSES = ("above", "below")


@dataclass(frozen=True, kw_only=True)
class RunSpec:
    """A run: what is measured how, against which bar, with which budget.

    The keys of a spec file are these names (``passes`` is written ``pass``), and every one is a flag too.

    Parameters
    ----------
    name : str
        Of the campaign in the database; a run with the name of an earlier one goes on with it.
    bar : float
        The threshold of every arm that has none of its own.
    budget : float
        Measurements, or seconds if `cost` is ``duration``, or the unit of the arms' ``pull_cost``.
    command, function, url
        One of them: a shell command (or words, without a shell), ``module:function``, or an HTTP address on this
        machine.
    outcome : str
        ``exit``, ``last-line``, ``regex:PATTERN``, ``json:FIELD`` or ``duration``. Unless given: the exit code of a
        command, what a function returns, the field ``outcome`` of an endpoint's answer.
    arms, arms_file, arms_glob, matrix
        One of them: names, a file, a pattern of files, or lists of parameters to be combined.
    passes : str
        ``above`` or ``below``: on which side of the bar an arm passes.
    family : str
        Unless given ``gaussian-unknown-variance`` for a duration, else ``bernoulli``.
    sigma, low, high : float
        Of ``gaussian`` and ``bounded`` outcomes.
    cost : str
        ``duration``: a measurement costs the seconds that the first one of its arm took.
    policy, stop_price, stop_mistakes, false_pass, false_fail, confidence
        Terms of the campaign, see :class:`thresher.campaign.Terms`.
    jobs : int
        Measurements at a time.
    timeout, timeout_outcome : float
        Seconds after which a measurement is ended, and its outcome then; without the latter it is no observation,
        except that a duration counts as the timeout.
    retries : int
        How often a measurement without an outcome is tried again before `on_error`.
    rate : str
        At most so many measurements, such as ``30/minute``.
    on_error : str
        ``stop`` the run, or ``retire`` the arm and go on.
    lease : float
        Seconds after which the unit of a run that was killed is handed out again; a run that lives renews its leases.
    db : str
        Address of the database.
    junit, markdown : str
        Files to write in the end.
    folder : Path
        What paths of arms and the measurement are relative to: where the spec file is.

    Raises
    ------
    SpecError
        If a key is missing, of the wrong type or out of range.
    """

    name: str = ""
    bar: float
    budget: float
    command: str | tuple[str, ...] = ""
    function: str = ""
    url: str = ""
    outcome: str = ""
    arms: tuple[str, ...] = ()
    arms_file: str = ""
    arms_glob: str = ""
    matrix: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    passes: str = "above"
    family: str = ""
    sigma: float | None = None
    low: float = 0.0
    high: float = 1.0
    cost: str = ""
    policy: str = "stopping"
    stop_price: float = 0.0
    stop_mistakes: float = 0.0
    false_pass: float = 1.0
    false_fail: float = 1.0
    confidence: float = 0.05
    jobs: int = 1
    timeout: float | None = None
    timeout_outcome: float | None = None
    retries: int = 2
    rate: str = ""
    on_error: str = "stop"
    lease: float = 30.0
    db: str = "sqlite:///thresher.db"
    junit: str = ""
    markdown: str = ""
    folder: Path = field(default_factory=Path)

    def __post_init__(self) -> None:
        for each in fields(self):
            object.__setattr__(self, each.name, _typed(each.name, str(each.type), getattr(self, each.name)))
        self._choose_one("measurement", MEASUREMENTS)
        self._choose_one("source of arms", ARMS)
        object.__setattr__(self, "family", self._family())
        for key, choices in (("passes", PASSES), ("on_error", ON_ERROR), ("cost", ("", "duration"))):
            if getattr(self, key) not in choices:
                _refuse(key, f"{key_of(key)} is {getattr(self, key)!r}", f"write {' or '.join(filter(None, choices))}")
        self._check_numbers()
        self._check_bar()

    def _choose_one(self, what: str, keys: tuple[str, ...]) -> None:
        given = [key for key in keys if getattr(self, key)]
        if len(given) != 1:
            _refuse(
                given[-1] if given else keys[0],
                f"more than one {what}: {' and '.join(given)}" if given else f"no {what}",
                f"give one of {', '.join(keys)}",
            )

    def _family(self) -> str:
        if self.family:
            try:
                return family(self.family).name
            except LookupError as error:
                raise SpecError("family", f"family is {self.family!r}", instead=f"use {', '.join(FAMILIES)}") from error
        return "gaussian-unknown-variance" if self.outcome == "duration" else "bernoulli"

    def _check_numbers(self) -> None:
        for key in ("budget", "timeout", "lease"):
            if (value := getattr(self, key)) is not None and not value > 0:
                _refuse(key, f"{key} is {value:g}", "give a positive number")
        if self.jobs < 1 or self.jobs > 1000:
            _refuse("jobs", f"{self.jobs} jobs", "give 1 to 1000")
        if self.retries < 0:
            _refuse("retries", f"{self.retries} retries", "give 0 or more")
        if self.timeout_outcome is not None and self.timeout is None:
            _refuse("timeout_outcome", "timeout_outcome without a timeout", "give both")

    @property
    def range(self) -> tuple[float, float]:
        """Between which numbers the outcomes lie, and so the bar."""
        low, high = {"bernoulli": (0.0, 1.0), "bounded": (self.low, self.high)}.get(self.family, (-math.inf, math.inf))
        if self.outcome == "duration":
            return max(low, 0.0), min(high, self.timeout or math.inf)
        return low, high

    def _check_bar(self) -> None:
        low, high = self.range
        if not low < self.bar < high:
            _refuse(
                "bar",
                f"the bar {self.bar:g} is outside the range of the outcomes",
                f"give a number between {low:g} and {high:g}",
            )

    @property
    def reading(self) -> Reading | None:
        """Where the outcome stands; None for what a function returns."""
        default = {"command": "exit", "url": "json:outcome"}[self.kind] if self.kind != "function" else ""
        text = self.outcome or default
        return Reading.parse(text) if text else None

    @property
    def kind(self) -> str:
        """What measures: ``command``, ``function`` or ``url``."""
        return next(key for key in MEASUREMENTS if getattr(self, key))

    @property
    def censored_at(self) -> float | None:
        """The outcome of a measurement that took too long: what was given, or the timeout if time is measured."""
        return self.timeout if self.timeout_outcome is None and self.outcome == "duration" else self.timeout_outcome

    def planned_arms(self) -> list[PlannedArm]:
        """Return the arms.

        Raises
        ------
        InvalidProblemError
            If there is none, or two share a name, or their file is wrong.
        """
        if self.arms_file:
            arms = read_arms(self.folder / self.arms_file)
            self._check_bars(arms)
            return arms
        if self.arms_glob:
            return globbed(self.arms_glob, self.folder)
        return crossed(self.matrix) if self.matrix else listed(self.arms)

    def _check_bars(self, arms: list[PlannedArm]) -> None:
        low, high = self.range
        for arm in arms:
            if not low < (bar := arm.numbers.get("threshold", self.bar)) < high:
                raise InvalidProblemError(
                    f"{arm.place}: the threshold {bar:g} is outside the range of the outcomes",
                    instead=f"give a number between {low:g} and {high:g}",
                )


KEYS = tuple("pass" if each.name == "passes" else each.name for each in fields(RunSpec) if each.name != "folder")


def key_of(name: str) -> str:
    """Return the key of a spec file that stands for a field."""
    return "pass" if name == "passes" else name


def _refuse(key: str, what: str, instead: str) -> None:
    raise SpecError(key, what, instead=instead)


def _typed(key: str, kind: str, value: Any) -> Any:
    """Return a value as its field holds it."""
    if kind == "Path" or (value is None and kind.endswith("None")):
        return value
    words, fit = next((words, fit) for start, words, fit in _TYPES if kind.startswith(start))
    if (fitted := fit(value)) is None:
        raise SpecError(key, f"{key_of(key)} is {value!r}", instead=f"give {words}")
    return fitted


def _as_number(value: Any) -> float | None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) else None


def _as_whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _as_text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _as_list(value: Any) -> tuple[Any, ...] | None:
    return tuple(value) if isinstance(value, (list, tuple)) else None


def _as_words(value: Any) -> str | tuple[Any, ...] | None:
    if isinstance(value, str):
        return value
    return tuple(value) if isinstance(value, (list, tuple)) and all(isinstance(word, str) for word in value) else None


def _as_table(value: Any) -> dict[str, tuple[Any, ...]] | None:
    if not isinstance(value, Mapping) or not all(isinstance(each, (list, tuple)) for each in value.values()):
        return None
    return {name: tuple(each) for name, each in value.items()}


_TYPES: tuple[tuple[str, str, Callable[[Any], Any]], ...] = (
    ("float", "a finite number", _as_number),
    ("int", "a whole number", _as_whole),
    ("str | tuple", "a text, or a list of words", _as_words),
    ("str", "a text", _as_text),
    ("tuple", "a list", _as_list),
    ("Mapping", "a table of lists", _as_table),
)
