"""The terms of a campaign, declared once.

Everything that lists terms reads this declaration: the checks and the JSON of :class:`thresher.campaign.ledger.Terms`,
the keywords of ``Campaign.create``, the options of ``thresher new`` and ``thresher run``, the keys of a run's spec, the
body of ``POST /campaigns``, the dashboard's form and the table in the docs.

To add a term, add a field to :class:`DeclaredTerms`, with `since`. To retire one, set `retired`: stored campaigns keep
it, and no surface offers it. A default never changes: stored campaigns rely on it.

``thresher --help`` imports this module, so it imports neither NumPy nor Numba.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from thresher.registries import FAMILIES, GUARANTEES

MOST_REPEATS = 1000
LONGEST_LEASE = 10 * 365 * 86_400.0  # seconds
LIMITS = {"gt": "above {}", "ge": "at least {}", "lt": "below {}", "le": "at most {}"}  # as Pydantic names them


@dataclass(frozen=True, kw_only=True)
class Term:
    """One term of a campaign.

    Parameters
    ----------
    name : str
        The keyword in Python and the key in JSON.
    default : str, float or int
        Its type is the type of the term.
    help : str
        What it does, in one sentence.
    gt, ge, lt, le : float, optional
        A number must be greater than, at least, less than or at most this.
    choices : tuple of str
        A text must be one of these, if there are any.
    words : tuple of str
        What pages and reports show for each of the choices.
    spelling : str
        The option and the file key, where they differ from the name.
    short : str
        The option of one letter.
    label : str
        In the dashboard's form; without one the form does not ask for the term.
    run_default : str or float, optional
        The default of ``thresher run``, where it differs; an empty text depends on the outcome.
    stored_lt : float, optional
        The limit `lt` of campaigns that earlier versions stored, where it was wider.
    since : str
        The version that added the term. It is stored and sent only where it differs from its default: older versions
        then open the campaign if they can run it unchanged.
    adjustable : bool
        It can be changed when verdicts are read, without changing the campaign.
    retired : bool
        It is read in stored campaigns and in requests of older clients, and offered nowhere.
    or_number : bool
        A text that may be given as a number, too.
    is_rate : bool
        A number that may be given in per cent, too: ``"5%"``.
    """

    name: str = ""
    default: str | float
    help: str
    gt: float | None = None
    ge: float | None = None
    lt: float | None = None
    le: float | None = None
    choices: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    spelling: str = ""
    short: str = ""
    label: str = ""
    run_default: str | float | None = None
    stored_lt: float | None = None
    since: str = ""
    adjustable: bool = False
    retired: bool = False
    or_number: bool = False
    is_rate: bool = False

    @property
    def only_for(self) -> tuple[str, ...]:
        """The families that alone use the term; empty if all do."""
        return tuple(name for name, family in FAMILIES.items() if self.name in family.terms)

    def is_used_by(self, family: str) -> bool:
        """Return whether a family uses the term."""
        return not self.only_for or family in self.only_for

    @property
    def kind(self) -> type[str] | type[float]:
        """The type of the value: text or a number."""
        return type(self.default)

    @property
    def accepted(self) -> Any:
        """The type of what may be given."""
        return str | float if self.or_number or self.is_rate else self.kind

    @property
    def limits(self) -> dict[str, float]:
        """The limits that are given, by name."""
        return {name: limit for name in LIMITS if (limit := getattr(self, name)) is not None}

    @property
    def stored_limits(self) -> dict[str, float]:
        """The limits of stored values, by name."""
        return self.limits | ({} if self.stored_lt is None else {"lt": self.stored_lt})

    @property
    def options(self) -> dict[str, str]:
        """The words for each of the choices."""
        return dict(zip(self.choices, self.words or self.choices, strict=True))

    @property
    def is_text(self) -> bool:
        """Whether its values are text, not numbers."""
        return issubclass(self.kind, str)

    @property
    def is_whole(self) -> bool:
        """Whether its values are whole numbers."""
        return issubclass(self.kind, int)

    @property
    def rule(self) -> str:
        """What a value must be, as error messages and the docs say it."""
        if self.is_whole:
            return rule_of(self.limits).replace("must be", "must be a whole number,", 1)
        if self.choices:
            return f"must be {' or '.join(filter(None, (', '.join(self.choices[:-1]), self.choices[-1])))}"
        if self.limits:
            return rule_of(self.limits)
        return "must be text" if self.is_text else "must be a finite number"

    @property
    def key(self) -> str:
        """The key in a run's spec."""
        return self.spelling or self.name

    @property
    def flags(self) -> list[str]:
        """The options on the command line."""
        return [f"--{self.key.replace('_', '-')}", *filter(None, [self.short])]


def rule_of(limits: Mapping[str, float]) -> str:
    """Return the sentence of a range: ``must be at least 1 and at most 10000``."""
    if limits.keys() == {"gt", "lt"}:
        return f"must be between {_plain(limits['gt'])} and {_plain(limits['lt'])} (exclusive)"
    return "must be " + " and ".join(
        text.format(_plain(limits[name])) for name, text in LIMITS.items() if name in limits
    )


def _plain(number: float) -> str:
    return str(int(number)) if float(number).is_integer() else f"{number:g}"


def declare(**given: Any) -> Any:
    """Return the dataclass field of a term; :class:`Term` has the arguments."""
    return field(default=given["default"], metadata={"term": Term(**given)})


@dataclass(frozen=True, kw_only=True)
class DeclaredTerms:
    """The declaration: one field for each term."""

    family: str = declare(
        default="bernoulli",
        run_default="",
        choices=tuple(sorted(FAMILIES)),
        words=tuple(FAMILIES[name].words for name in sorted(FAMILIES)),
        help="Distribution of the outcomes.",
        label="Outcomes",
    )
    policy: str = declare(
        default="stopping",
        short="-p",
        help="Policy that chooses the next arm; 'thresher policies' lists them.",
        label="Policy",
    )
    lease: float = declare(
        default=600.0,
        run_default=30.0,
        ge=0.001,
        le=LONGEST_LEASE,
        help="Seconds until a ticket without an outcome expires.",
        label="Lease, in seconds",
    )
    expiry: str = declare(
        default="reissue",
        choices=("reissue", "forfeit"),
        words=("is measured again", "counts as spent"),
        help="Whether the budget of an expired ticket is issued again or counts as spent.",
        label="An expired ticket",
    )
    low: float = declare(
        default=0.0,
        help="Smallest possible outcome.",
        label="Smallest possible outcome",
        is_rate=True,
    )
    high: float = declare(
        default=1.0,
        help="Largest possible outcome.",
        label="Largest possible outcome",
        is_rate=True,
    )
    stop_price: float = declare(
        default=0.0,
        ge=0,
        help="Stop when no measurement saves this many mistakes per unit of budget; 0 never stops.",
        label="Stop at this saving per measurement",
    )
    stop_mistakes: float = declare(
        default=0.0,
        ge=0,
        help="Stop when at most this many mistakes are expected; 0 never stops.",
        label="Stop at expected mistakes",
    )
    false_pass: float = declare(
        default=1.0,
        gt=0,
        help="Cost of calling an arm above its bar by mistake, in units of the arm's cost.",
        label="Cost of a wrong “above”",
    )
    false_fail: float = declare(
        default=1.0,
        gt=0,
        help="Cost of calling an arm below its bar by mistake, in units of the arm's cost.",
        label="Cost of a wrong “below”",
    )
    abstain: float = declare(
        default=1.0, gt=0, le=1, help="Leave an arm undecided if its chance of error is above this.", retired=True
    )
    confidence: float = declare(default=0.05, gt=0, lt=1, help="The former name of risk.", retired=True)
    risk: float = declare(
        default=0.05,
        gt=0,
        lt=0.5,
        stored_lt=1,
        help="Highest chance of error at which an arm is decided; the level of the intervals.",
        label="Risk (chance of error)",
        since="0.2",
        adjustable=True,
        is_rate=True,
    )
    guarantee: str = declare(
        default="calibrated",
        choices=tuple(GUARANTEES),
        words=tuple(guarantee.words for guarantee in GUARANTEES.values()),
        help="Whether the risk applies to each decision, or to all together.",
        label="The risk applies to",
        since="0.2",
        adjustable=True,
    )
    goal: str = declare(
        default="mistakes",
        choices=("mistakes", "decide"),
        words=("few mistakes", "many decided arms"),
        help="Whether to make few mistakes or to decide many arms.",
        label="Goal",
        since="0.2",
    )
    passes: str = declare(
        default="above",
        choices=("above", "below"),
        words=("above its bar", "at or below its bar"),
        help="On which side of its bar an arm passes.",
        spelling="pass",
        label="An arm passes",
        since="0.2",
        adjustable=True,
    )
    tolerance: float = declare(
        default=0.0,
        ge=0,
        help="How far beyond the bar a mean must be for a verdict to be wrong.",
        label="Tolerance around the bar",
        since="0.2",
        is_rate=True,
    )
    target: str = declare(
        default="items",
        choices=("items", "population"),
        words=("these items", "items like these"),
        help="Whether a verdict is about the items of the campaign, or about a population that they are a sample of.",
        label="A verdict is about",
        since="0.3",
    )
    repeats: int = declare(
        default=1,
        ge=1,
        le=MOST_REPEATS,
        help="How often an arm may be asked each item; the truth of an arm is then the mean of its expected outcomes.",
        label="Times an item may be asked",
        since="0.3",
    )
    pass_k: int = declare(
        default=1,
        ge=1,
        le=100,
        help="Compare with the bar the chance that all of this many trials succeed; with items and repeats, report it.",
        label="Trials that must all succeed",
        since="0.3",
    )
    quantile: float = declare(
        default=0.0,
        run_default="",
        ge=0,
        lt=1,
        help="Compare this quantile of the outcomes with the bar, such as 0.95, whatever their distribution; "
        "0 compares the mean.",
        label="Quantile to compare with the bar",
        since="0.3",
    )
    sigma_check: str = declare(
        default="withhold",
        choices=("withhold", "warn"),
        words=("decides nothing", "is only warned of"),
        help="Whether arms are decided before sigma is checked, and while outcomes vary more than it allows.",
        label="A standard deviation that does not fit",
        since="0.3",
        adjustable=True,
    )
    unit: str = declare(
        default="",
        run_default="",
        help="Unit of the outcomes, such as ms.",
        label="Unit of the outcomes",
        since="0.2",
        adjustable=True,
    )
    control: str = declare(
        default="",
        help="Name of the arm whose mean, with the margin, is the bar of all others; without one, thresholds are.",
        since="0.2",
    )
    margin: str | float = declare(
        default="0",
        help="How far above the control's mean the bar is: a number, or per cent of that mean, such as '-2%'.",
        since="0.2",
        or_number=True,
    )
    least_cost: float = declare(
        default=0.0,
        ge=0,
        help="Least cost that may be told with an outcome, in the unit of the budget.",
        label="Least cost of a measurement",
        since="0.3",
    )
    most_cost: float = declare(
        default=0.0,
        ge=0,
        help="Largest cost that may be told with an outcome; with 0, a token of scope work must not tell costs.",
        label="Largest cost of a measurement",
        since="0.3",
    )


TERMS: tuple[Term, ...] = tuple(replace(each.metadata["term"], name=each.name) for each in fields(DeclaredTerms))
OFFERED: tuple[Term, ...] = tuple(term for term in TERMS if not term.retired)
ADJUSTABLE: tuple[Term, ...] = tuple(term for term in OFFERED if term.adjustable)


def in_words(name: str, value: str) -> str:
    """Return the words for a choice of a term."""
    return next(term.options[value] for term in TERMS if term.name == name)


def run_default(name: str) -> Any:
    """Return the default of a term in ``thresher run``."""
    term = next(term for term in TERMS if term.name == name)
    return term.default if term.run_default is None else term.run_default


def list_terms() -> str:
    """Return the offered terms as parameters of a numpydoc docstring."""
    return "\n".join(
        f"{term.name} : {term.kind.__name__}, default {term.default!r}\n    {_sentence(term)}" for term in OFFERED
    )


def _sentence(term: Term) -> str:
    rule = f" It {term.rule}." if term.choices or term.limits else ""
    return f"{term.help}{rule}{_for_whom(term)}"


def _for_whom(term: Term) -> str:
    return f" For {' and '.join(term.only_for)} outcomes only." if term.only_for else ""


def terms_table() -> str:
    """Return the offered terms as a Markdown table, for the docs."""
    rows = [
        f"| `{term.name}` | `{term.flags[0]}` | `{term.default!r}` | {_sentence(term)}{_in_run(term)} |"
        for term in OFFERED
    ]
    return "\n".join(["| term | option | default | meaning |", "|---|---|---|---|", *rows])


def _in_run(term: Term) -> str:
    if term.run_default is None:
        return ""
    return f" Default of `thresher run`: {term.run_default or 'depends on the outcome'}."


def accept_terms(function: Any, annotation: Callable[[Term], Any], *, default: Callable[[Term], Any]) -> None:
    """Replace ``**terms`` in the signature of a function by one keyword for each offered term.

    Parameters
    ----------
    function : callable
        Typer, FastAPI, editors and ``help`` read its signature.
    annotation : callable
        From a term to the annotation of its keyword.
    default : callable
        From a term to the default of its keyword.
    """
    known = inspect.signature(function, eval_str=True)
    own = [each for each in known.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
    terms = [
        inspect.Parameter(term.name, inspect.Parameter.KEYWORD_ONLY, default=default(term), annotation=annotation(term))
        for term in OFFERED
    ]
    function.__signature__ = known.replace(parameters=own + terms)
