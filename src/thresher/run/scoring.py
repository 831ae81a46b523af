"""Cheap scores of answers, before the first measurement: a command or a function scores each (arm, item) once.

Scores are stored as they come, and a score that is stored is not computed again: a run that is killed goes on where it
was. The answers are scored in a random order, arm by arm in turn: with a budget that does not pay for all,
every arm has its share of scores, of items that were not chosen by anything.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from thresher.campaign import Campaign
from thresher.errors import InvalidOutcomeError
from thresher.run.attempts import Attempts
from thresher.run.measurement import MeasurementError
from thresher.types import Floats

Answer: TypeAlias = tuple[str, str]  # an arm and an item
POLL = 0.2  # seconds between calls of `watch`
STORED_EVERY, MOST_UNSTORED = 1.0, 500  # seconds, and scores, after which computed scores are stored at the latest
STORING_SHARE = 0.1  # of the time: scores are stored at once unless they come faster than that
MOST_FAILURES = 10  # answers in a row without a score, after which the judge is taken to be wrong


class Scored(NamedTuple):
    """How far the scoring of a run is.

    Attributes
    ----------
    done, wanted : int
        Answers that have a score, and those that will have one if none fails.
    failed : int
        Answers that the judge gave no score: they count as average ones.
    reason : str
        Of the last failure.
    """

    done: int = 0
    wanted: int = 0
    failed: int = 0
    reason: str = ""


class AnswerScoring:
    """Scores the answers of a campaign that have no score yet.

    Parameters
    ----------
    campaign : Campaign
    attempts : Attempts
        The judge.
    parameters : mapping
        Arguments of each arm, as for a measurement.
    known : ndarray of float64, shape (K, N)
        The scores that are stored; NaN where there is none.
    arms, items : sequence of str
        Names, in the order of `known`.
    budget : int, optional
        Answers that may have a score, those of earlier runs among them; all unless given.
    jobs : int
        Scores at a time.
    """

    def __init__(
        self,
        campaign: Campaign,
        attempts: Attempts,
        parameters: Mapping[str, Mapping[str, Any]],
        known: Floats,
        arms: Sequence[str],
        items: Sequence[str],
        *,
        budget: int | None,
        jobs: int,
    ) -> None:
        self._campaign, self._attempts, self._parameters, self._jobs = campaign, attempts, parameters, jobs
        there = int((known == known).sum())
        room = known.size - there if budget is None else max(budget - there, 0)
        self._answers = list(islice(_in_turn(known, arms, items), room))
        self.scored = Scored(there, there + len(self._answers))
        self._fresh: list[tuple[str, str, float]] = []
        self._failures_in_a_row, self._store_at = 0, time.monotonic()

    def go(self, watch: Callable[[], None] | None = None) -> Scored:
        """Score the answers, and call `watch` at intervals.

        Raises
        ------
        InvalidOutcomeError
            If the judge cannot work, or gave ten answers in a row no score; all scores so far are stored.
        """
        waiting, answers = dict[Future[float], Answer](), iter(self._answers)
        with ThreadPoolExecutor(self._jobs) as pool:
            try:
                while True:
                    for arm, item in islice(answers, self._jobs - len(waiting)):
                        waiting[pool.submit(self._score, arm, item)] = (arm, item)
                    if not waiting:
                        break
                    for done in wait(waiting, timeout=POLL, return_when=FIRST_COMPLETED).done:
                        self._note(waiting.pop(done), done)
                    self._store_if_due()
                    if watch is not None:
                        watch()
            finally:
                self._attempts.stop()
                self._store()
        return self.scored

    def _score(self, arm: str, item: str) -> float:
        return self._attempts.measure(arm, self._parameters.get(arm, {}), item).value

    def _note(self, answer: Answer, done: Future[float]) -> None:
        """Note the score of an answer, or that it has none."""
        try:
            value = done.result()
        except MeasurementError as error:
            self._failures_in_a_row += 1
            self.scored = self.scored._replace(failed=self.scored.failed + 1, reason=error.reason)
            if not error.is_retryable or self._failures_in_a_row >= MOST_FAILURES:
                arm, item = answer
                raise InvalidOutcomeError(
                    f"no score for the answer of {arm!r} to {item!r}: {self._attempts.measurement} {error.reason}",
                    instead="fix the judge and run again: all scores so far are stored, and nothing was measured",
                ) from error
            return
        self._failures_in_a_row = 0
        self._fresh.append((*answer, value))
        self.scored = self.scored._replace(done=self.scored.done + 1)

    def _store_if_due(self) -> None:
        if len(self._fresh) >= MOST_UNSTORED or time.monotonic() >= self._store_at:
            self._store()

    def _store(self) -> None:
        if not self._fresh:
            return
        began = time.monotonic()
        self._campaign.tell_scores(self._fresh)
        self._fresh, ended = [], time.monotonic()
        self._store_at = ended + min((ended - began) / STORING_SHARE, STORED_EVERY)


def _in_turn(known: Floats, arms: Sequence[str], items: Sequence[str]) -> list[Answer]:
    """Return the answers without a score: one of each arm in turn, those of an arm in a random order of its own.

    The order does not depend on what is stored: a run that was killed asks for the same answers again, which the judge
    may have in a cache.
    """
    rows = []
    for arm, scores in zip(arms, known.tolist(), strict=True):
        row = [(arm, item, score) for item, score in zip(items, scores, strict=True)]
        random.Random(arm).shuffle(row)  # noqa: S311 - an order, not a secret
        rows.append(row)
    return [(arm, item) for turn in zip(*rows, strict=True) for arm, item, score in turn if score != score]
