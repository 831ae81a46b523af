"""From the scores of a sample to its outcome."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from thresher.errors import InvalidOutcomeError
from thresher.run import as_number
from thresher.run.importers import values_of

if TYPE_CHECKING:
    from inspect_ai.scorer import SampleScore

ScoreReader = Callable[[dict[str, "SampleScore"]], float]


def outcome_in(place: str, scores: Mapping[str, SampleScore], score: str | ScoreReader | None) -> float | None:
    """Return the outcome of a sample; None if its scorer marked it as unscored.

    Parameters
    ----------
    place : str
        Task, model and sample, for error messages.
    scores : mapping of str to SampleScore
        By scorer.
    score : str or callable, optional
        The scorer (``judge``), or one of its values (``judge.style``); or a function of all scores. Without it there
        must be one value.

    Raises
    ------
    InvalidOutcomeError
        If there is no such score, or it is not a number, a grade (C, P, I, N) or yes or no.
    """
    if callable(score):
        return _number(place, "the function", score(dict(scores)))
    values = values_of({scorer: each.score.value for scorer, each in scores.items()})
    name = next(iter(values)) if score is None and len(values) == 1 else score
    if name not in values:
        what = "several scores" if score is None and values else f"no score {name!r}" if name else "no score"
        known = ", ".join(values) or "none"
        raise InvalidOutcomeError(
            f"{place} has {what}; it has: {known}", instead="choose one by Bar(score=…), or give a function"
        )
    return _number(place, f"score {name!r}", values[name])


def _number(place: str, what: str, value: Any) -> float | None:
    if isinstance(value, float) and math.isnan(value):
        return None
    number = as_number(value)
    if number is None:
        raise InvalidOutcomeError(
            f"{place}: {what} is {str(value)[:40]!r}",
            instead="a score is a number, C, P, I or N, or yes or no; else give Bar(score=…) a function",
        )
    return number
