"""Corrections of outcomes that were told: void, amend, and the undoing of an import."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from thresher.campaign.ledger import (
    TOLD,
    Aggregate,
    Arm,
    CampaignState,
    Event,
    Pull,
    corrections,
    decisions,
    read_event,
)
from thresher.campaign.ledger import events as e
from thresher.campaign.storage import RowsToRead
from thresher.campaign.stored_campaign import StoredCampaign
from thresher.errors import InvalidOutcomeError

CORRECTIONS = 3  # attempts to sum the outcomes of an arm outside the lock


class Corrections:
    """The corrections of one campaign; each sums the outcomes of its arm again."""

    def __init__(self, campaign: StoredCampaign) -> None:
        self._campaign = campaign

    def void(self, ticket: str, *, reason: str) -> None:
        """Remove an outcome from the statistics."""
        self._correct_pull(ticket, lambda pull, _: corrections.void(pull, reason=reason))

    def amend(self, ticket: str, value: float, sums: Aggregate | None, *, reason: str) -> None:
        """Replace an outcome, or the sums of an aggregate."""
        terms = self._campaign.terms
        self._check_not_lines(ticket, sums)
        self._correct_pull(
            ticket, lambda pull, state: corrections.amend(terms, state, pull, value=value, sums=sums, reason=reason)
        )

    def _check_not_lines(self, ticket: str, sums: Aggregate | None) -> None:
        """Raise InvalidOutcomeError if a ticket is the sum of several lines of a file."""
        number = decisions.number_in(self._campaign.name, ticket)
        pull = self._campaign.imports().pulls.get(number) if sums is not None else None
        if pull is not None and pull.count is None:
            raise InvalidOutcomeError(
                f"ticket {ticket} is the sum of {pull.size:,} lines of {pull.source[:60]!r} and cannot be amended",
                instead="correct the file and import it with --replace",
            )

    def void_import(self, batch: str, *, reason: str) -> int:
        """Remove the outcomes of an import from the statistics, arm by arm; return how many counted before.

        Raises
        ------
        UnknownNameError
            If no import has that id.
        """
        arms: dict[int, list[Pull]] = {}
        for pull in self._campaign.pulls_numbered(self._campaign.numbers_in(batch)):
            arms.setdefault(pull.arm, []).append(pull)
        for pulls in arms.values():
            mine = [pull.number for pull in pulls]
            self._correct(mine, partial(corrections.void_all, numbers=mine, reason=reason))
        return sum(pull.size for pulls in arms.values() for pull in pulls if pull.state == TOLD)

    def _correct_pull(self, ticket: str, decide: Callable[[Pull, CampaignState], Event | None]) -> None:
        name = self._campaign.name
        number = decisions.number_in(name, ticket)
        self._correct((number,), lambda state: decide(decisions.find_pull(name, state, number, ticket), state))

    def _correct(self, numbers: Sequence[int], decide: Callable[[CampaignState], Event | None]) -> None:
        """Void or amend outcomes of one arm; its outcomes are summed again outside the lock of the campaign.

        The time in the lock does not depend on the pulls of the arm: outcomes that were told since are added there. If
        another correction of the arm comes in between, the sums are computed again; in the end in the lock.
        """
        need = RowsToRead(pulls=tuple(numbers), items=self._campaign.has_items)
        for _ in range(CORRECTIONS):
            seen = self._campaign.look(need._replace(arm_pulls=True))
            event = decide(seen)
            if event is None:
                return
            summed = self._campaign.machine.apply(seen, event).arms
            plan = partial(_plan_after, seen.ledger.seq, summed, decide)
            try:
                self._campaign.transact(need._replace(since=seen.ledger.seq), plan)
            except _OvertakenError:
                continue
            return
        self._campaign.transact(need._replace(arm_pulls=True), decide)


class _OvertakenError(Exception):
    """Another correction of the same arm came first."""


def _plan_after(
    seq: int, summed: Mapping[int, Arm], decide: Callable[[CampaignState], Event | None], state: CampaignState
) -> Event | None:
    """Decide a correction, given the sums of its arm as of event `seq`.

    Raises
    ------
    _OvertakenError
        If an outcome of the arm was corrected since: those sums are outdated.
    """
    since = (read_event(entry.kind, entry.body) for entry in state.log)
    if any(state.pulls[number].arm in summed for event in since for number in e.corrected_pulls(event)):
        raise _OvertakenError
    state.summed, state.summed_to = summed, seq
    return decide(state)
