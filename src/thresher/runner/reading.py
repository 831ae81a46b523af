"""Reading the outcome of a measurement: exit code, last line, regular expression, JSON field or duration."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from thresher.errors import InvalidInputError
from thresher.problem.numbers import number_in
from thresher.runner.measurement import MeasurementError

KINDS = ("exit", "last-line", "regex", "json", "duration")
WORDS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}  # accepted as outcomes by every command
CHOICES = "exit, last-line, duration, regex:PATTERN or json:FIELD"


@dataclass(frozen=True)
class Reading:
    """How to read the outcome of a measurement.

    Parameters
    ----------
    kind : str
        ``exit`` (1 if the command succeeded, else 0), ``last-line``, ``regex``, ``json`` or ``duration`` (seconds).
    detail : str
        The pattern, with one group, or the path of the field, with dots.

    Raises
    ------
    InvalidInputError
        If the kind is unknown, or its detail is missing or invalid.
    """

    kind: str
    detail: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InvalidInputError("outcome", self.kind, rule=f"must be {CHOICES}")
        if (self.kind in ("regex", "json")) != bool(self.detail):
            raise InvalidInputError("outcome", f"{self.kind}:{self.detail}", rule=f"must be {CHOICES}")
        if self.kind == "regex":
            _check_pattern(self.detail)

    @classmethod
    def parse(cls, text: str) -> Reading:
        """Return the reading that a text such as ``json:score`` describes."""
        kind, _, detail = text.partition(":")
        return cls(kind, detail)

    def of(self, output: str) -> float:
        """Return the outcome in an output.

        Raises
        ------
        MeasurementError
            If it contains no number in that place.
        """
        if self.kind == "json":
            return _number(_field(_document(output), self.detail), f"has in its JSON field {self.detail!r}")
        if self.kind == "regex":
            matches = re.findall(self.detail, output, re.MULTILINE)
            if not matches:
                raise MeasurementError(f"printed nothing that matches {self.detail!r}")
            return _number(matches[-1], f"printed for {self.detail!r}")
        return _number(_last_line(output), "printed as its last line")


def _check_pattern(pattern: str) -> None:
    try:
        groups = re.compile(pattern).groups
    except re.error as error:
        raise InvalidInputError(
            "pattern of the outcome", pattern, rule=f"must be a regular expression: {error}"
        ) from error
    if groups != 1:
        raise InvalidInputError(
            "pattern of the outcome", pattern, rule="must have one group", fix="put the number alone in parentheses"
        )


def _last_line(output: str) -> str:
    lines = output.split("\n")
    for line in reversed(lines):
        if line.strip():
            return line
    raise MeasurementError("printed nothing")


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
