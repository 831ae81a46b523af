"""Reading the outcome or the cost of a measurement: exit code, last line, pattern, JSON field or duration."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any

from thresher.errors import InvalidInputError
from thresher.problem import number_in
from thresher.run.measurement import MeasurementError

WORDS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}  # accepted as outcomes by every command
CHOICES = {  # of what is read
    "outcome": ("exit", "last-line", "duration", "regex:PATTERN", "json:FIELD"),
    "cost": ("returned", "last-line", "duration", "regex:PATTERN", "json:FIELD"),
}


@dataclass(frozen=True)
class Reading:
    """How to read the outcome or the cost of a measurement.

    Parameters
    ----------
    kind : str
        ``last-line``, ``regex``, ``json`` or ``duration`` (seconds); for an outcome also ``exit`` (1 if the command
        succeeded, else 0), for a cost ``returned`` (by a function, with its outcome).
    detail : str
        The pattern, with one group, or the path of the field, with dots.
    what : str
        ``outcome`` or ``cost``.

    Raises
    ------
    InvalidInputError
        If the kind is unknown, or its detail is missing or invalid.
    """

    kind: str
    detail: str = ""
    what: str = "outcome"

    def __post_init__(self) -> None:
        needs_detail = {choice.partition(":")[0]: ":" in choice for choice in CHOICES[self.what]}
        if needs_detail.get(self.kind) is not bool(self.detail):
            text = f"{self.kind}:{self.detail}" if self.detail or needs_detail.get(self.kind) else self.kind
            *most, last = CHOICES[self.what]
            raise InvalidInputError(self.what, text, rule=f"must be {', '.join(most)} or {last}")
        if self.kind == "regex":
            _check_pattern(self.what, self.detail)

    @classmethod
    def parse(cls, text: str, what: str = "outcome") -> Reading:
        """Return the reading that a text such as ``json:score`` describes."""
        kind, _, detail = text.partition(":")
        return cls(kind, detail, what)

    def of(self, output: str, seconds: float = math.nan) -> float:
        """Return the number in the output of a measurement that took that long.

        Raises
        ------
        MeasurementError
            If it contains no number in that place.
        """
        if self.kind == "duration":
            return seconds
        if self.kind == "json":
            return _number(_field(_document(output), self.detail), f"has in its JSON field {self.detail!r}")
        if self.kind == "regex":
            matches = re.findall(self.detail, output, re.MULTILINE)
            if not matches:
                raise MeasurementError(f"printed nothing that matches {self.detail!r}")
            return _number(matches[-1], f"printed for {self.detail!r}")
        return _number(_last_line(output), "printed as its last line")


def _check_pattern(what: str, pattern: str) -> None:
    where = f"pattern of the {what}"
    try:
        groups = re.compile(pattern).groups
    except re.error as error:
        raise InvalidInputError(where, pattern, rule=f"must be a regular expression: {error}") from error
    if groups != 1:
        raise InvalidInputError(where, pattern, rule="must have one group", fix="put the number alone in parentheses")


def _last_line(output: str) -> str:
    lines = [line for line in output.split("\n") if line.strip()]
    if not lines:
        raise MeasurementError("printed nothing")
    return lines[-1]


def _document(output: str) -> Any:
    for text in (output, _last_line(output)):
        try:
            return json.loads(text)
        except ValueError:
            continue
    raise MeasurementError("printed no JSON, neither as a whole nor as its last line")


def _field(document: Any, path: str) -> Any:
    for name in path.split("."):
        try:
            document = document[int(name)] if isinstance(document, list) else document[name]
        except (LookupError, TypeError, ValueError) as error:
            raise MeasurementError(f"has no JSON field {path!r}") from error
    return document


def as_number(value: Any) -> float | None:
    """Return a value as a float; None if it is not a finite number, True, False or one of `WORDS`."""
    if isinstance(value, bool):
        return float(value)
    text = str(value).strip()
    return WORDS.get(text.lower(), number_in(text))


def _number(value: Any, where: str) -> float:
    number = as_number(value)
    if number is None:
        raise MeasurementError(f"{where} {str(value).strip()[:60]!r}, which is not a number")
    return number
