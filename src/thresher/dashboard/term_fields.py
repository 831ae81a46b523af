"""The terms of a campaign in a form: which are asked, in which part, and their values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Form

from thresher.errors import InvalidInputError
from thresher.problem import percent_in
from thresher.terms import OFFERED, Term, accept_terms

Word = Annotated[str, Form(max_length=500)]
Number = Annotated[str, Form(max_length=40)]

ASKED = tuple(term for term in OFFERED if term.label)  # terms in the form
HIDDEN = "two-point"  # the toy of the paper: a family for simulations
# The terms in the order of the form, by its parts; those that no part names are among the further options.
PARTS = {
    "outcomes": ("family", "unit", "low", "high"),
    "bar": ("passes", "pass_k", "quantile", "tolerance"),
    "stop": ("stop_mistakes", "stop_price"),
    "decisions": ("target", "repeats", "risk", "guarantee", "goal"),
}
NUMBERS = ("threshold", "budget", "sigma")  # in the form in addition to the terms
RATES = ("threshold", *(term.name for term in ASKED if term.is_rate))
BLANK = dict.fromkeys(("name", "arms", "items", *NUMBERS), "") | {
    term.name: str(term.default) if term.is_text else f"{term.default:g}" for term in ASKED
}


def accept_term_fields(handler: Callable[..., Any]) -> None:
    """Make every term a field of the form that a handler with ``**terms`` receives."""
    accept_terms(handler, lambda term: Word if term.is_text else Number, default=lambda term: BLANK.get(term.name, ""))


def terms_in(given: dict[str, str]) -> dict[str, Any]:
    """Return the terms of a form; one that is blank, or that the family does not use, keeps its default.

    With a quantile outcomes are any numbers, whatever family the form has.
    """
    used = [term for term in ASKED if given[term.name].strip() and term.is_used_by(given["family"])]
    texts = {term.name: given[term.name] for term in used}
    terms = texts | {term.name: number_in(term.name, texts[term.name]) for term in used if not term.is_text}
    return {name: value for name, value in terms.items() if name != "family"} if terms.get("quantile") else terms


def number_in(where: str, text: str) -> float:
    """Return a number of a form, in per cent where it is a rate; raise InvalidInputError if it is none."""
    rate = percent_in(text) if where in RATES else None
    try:
        return float(text) if rate is None else rate
    except ValueError as error:
        raise InvalidInputError(where, text, rule="must be a number") from error


def parts() -> dict[str, list[Term]]:
    """Return the terms of the form by its parts."""
    terms = {term.name: term for term in ASKED}
    found = {part: [terms[name] for name in names] for part, names in PARTS.items()}
    placed = {name for names in PARTS.values() for name in names}
    return found | {"further": [term for term in ASKED if term.name not in placed]}
