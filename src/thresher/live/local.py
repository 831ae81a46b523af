"""The backend of a campaign in a database that this process opens."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from secrets import token_hex
from typing import Any

from thresher.campaign import (
    OPEN,
    TOLD,
    Arm,
    CampaignState,
    Event,
    Ledger,
    Machine,
    Pull,
    Terms,
    Urgency,
    amount_of,
    count_of,
    decisions,
    details_of,
    number_of,
    outcome_of,
    read_event,
    ticks_of,
)
from thresher.campaign import events as e
from thresher.errors import ConflictingOutcomeError, CorruptionError, InvalidInputError, UnknownNameError
from thresher.live.arms import ArmRow
from thresher.live.dependence_check import DependenceCheck
from thresher.live.judge import judge
from thresher.live.messages import Entry, Receipt, Standing, Ticket, moment
from thresher.live.sizes import history_range, ticket_count
from thresher.live.spread import spread_warnings
from thresher.live.texts import key_of, lookup_name, name_of, reason_of
from thresher.live.verdicts import Verdicts
from thresher.storage import Done, Heading, Need, Storage
from thresher.storage.audit import audit

ARMS_IN_AN_EVENT = 1000


def first_events(name: str, terms: Terms, rows: Sequence[ArmRow], *, budget: float) -> list[Event]:
    """Return the first events of a campaign, checked before a database is opened or created.

    Raises
    ------
    InvalidInputError
        If the budget cannot pay the first pulls of every arm, or the policy does not fit.
    """
    urgency = Urgency(terms)
    ticks = ticks_of(budget)
    created = e.Created(name_of("campaign", name), terms.to_json(), ticks)
    whole = decisions.add_arms(terms, name, Ledger(budget=ticks), rows)
    parts = [whole.arms[i : i + ARMS_IN_AN_EVENT] for i in range(0, len(whole.arms), ARMS_IN_AN_EVENT)]
    urgency.rule_of(Arm(0, *rows[0]))  # raises if the policy does not fit the family
    return [created, *(e.ArmsAdded(part) for part in parts)]


def create_campaign(storage: Storage, name: str, terms: Terms, events: Sequence[Event]) -> Heading:
    """Write a new campaign; return its heading.

    Raises
    ------
    CampaignExistsError
        If the name is taken.
    """
    return storage.create(name, terms.to_json(), Machine(terms), events)


class LocalBackend:
    """One campaign in a storage.

    Parameters
    ----------
    storage : Storage
    heading : Heading
    """

    def __init__(self, storage: Storage, heading: Heading) -> None:
        self._storage, self._heading = storage, heading
        self._machine = Machine(Terms.from_json(heading.terms))
        self._next_look, self._looked_at, self._is_enough = 0, -1, False
        self._dependence_check = DependenceCheck(self.terms)

    @property
    def name(self) -> str:
        """The name of the campaign."""
        return self._heading.name

    @property
    def terms(self) -> Terms:
        """The terms, fixed when the campaign was created."""
        return self._machine.terms

    def _do(self, need: Need, plan: Callable[[CampaignState], Event | None]) -> Done:
        return self._storage.transact(self._heading.id, self._machine, need, plan)

    def ask(self, n: int, *, key: str | None = None) -> list[Ticket]:
        """Return up to `n` tickets."""
        return self.take(n, key=key)[0]

    def take(self, n: int, *, key: str | None = None) -> tuple[list[Ticket], bool]:
        """Return up to `n` tickets, and whether they are new: with a key that was used before, they are not."""
        n, key = ticket_count(n), key_of(key)
        if self.terms.stop_mistakes and self._has_enough(self._storage.look(self._heading.id, Need(key=key))):
            return [], False
        secrets = [token_hex(16) for _ in range(n)]
        need = Need(least=n, reissue=self.terms.expiry == "reissue", key=key)
        done = self._do(need, lambda state: decisions.ask(self._machine, state, secrets=secrets, key=key))
        state, change = done
        if change is not None:
            issued = [pull for pull in change.pulls.values() if pull.since == change.ledger.seq]
            return [_ticket(pull, change.arms) for pull in issued], True
        if key is None or key not in state.requests:
            return [], False
        self._check_repeat(state, e.Asked((), key=key))
        numbers = state.requests[key].numbers
        if not state.pulls.keys() >= {*numbers}:
            raise CorruptionError(self.name, ["the pulls of an ask are missing"], was_audited=False)
        return [_ticket(state.pulls[number], state.arms) for number in numbers], False

    def _has_enough(self, state: CampaignState) -> bool:
        """Return whether no more mistakes are expected than the terms allow, so that no ticket is issued.

        This reads every arm, so it is done only after a tenth more outcomes: of the arms, or of the outcomes so far;
        where it was so, at every change, because a correction may make it otherwise.
        """
        ledger = state.ledger
        if not self.terms.stop_mistakes or state.requests or ledger.status != OPEN or ledger.told < ledger.arms:
            return False
        if ledger.seq != self._looked_at and (self._is_enough or ledger.told >= self._next_look):
            self._looked_at, self._next_look = ledger.seq, ledger.told + 1 + max(ledger.arms, ledger.told) // 10
            found = self.quick_verdicts()
            is_measured = all(row.pulls or row.retired for row in found)
            self._is_enough = is_measured and found.expected_mistakes <= self.terms.stop_mistakes
        return self._is_enough

    def tell(self, outcomes: Sequence[tuple[str, Any]]) -> list[Receipt]:
        """Record outcomes by ticket, all or none; return their receipts."""
        name, terms = self.name, self.terms
        told = [
            decisions.TicketOutcome(ticket, decisions.number_in(name, ticket), outcome_of(terms, value))
            for ticket, value in outcomes
        ]
        if not told:
            return []
        need = Need(pulls=tuple({outcome.number for outcome in told}))
        try:
            done = self._do(need, lambda state: decisions.tell(self.name, state, told))
        except ConflictingOutcomeError:
            # A worker that lost the answer may repeat its tell after the outcome was amended.
            first = self._first_outcomes(need)
            done = self._do(need, lambda state: decisions.tell(self.name, state, told, first))
        fresh = dict({} if done.change is None else done.change.pulls)
        return [
            self._receipt(done, outcome.number, is_first=fresh.pop(outcome.number, None) is not None)
            for outcome in told
        ]

    def _first_outcomes(self, need: Need) -> dict[int, float]:
        """Return the first outcomes of pulls, by number."""
        pulls = self._storage.look(self._heading.id, need).pulls.values()
        events = {pull.told: self._event(pull.told) for pull in pulls if pull.told}
        told = [event.outcomes for event in events.values() if isinstance(event, e.Told)]
        return {number: value for outcomes in told for number, value in outcomes}

    def _event(self, seq: int) -> Event:
        """Return the event of that number."""
        for entry in self._storage.events(self._heading.id, after=seq - 1, limit=1):
            return read_event(entry.kind, entry.body)
        raise CorruptionError(self.name, [f"event {seq} is missing"], was_audited=False)

    def _check_repeat(self, state: CampaignState, command: e.Asked | e.CountsTold | e.Extended) -> None:
        """Check that a call repeats the first call with its idempotency key."""
        assert command.key is not None
        decisions.check_repeat(state, self._event(state.requests[command.key].seq), command)

    def _receipt(self, done: Done, number: int, *, is_first: bool) -> Receipt:
        state, change = done
        pull = state.pulls[number] if change is None or number not in change.pulls else change.pulls[number]
        return Receipt(pull.ticket, state.arms[pull.arm].name, not is_first, bool(pull.late), pull.state == TOLD)

    def tell_counts(
        self, arm: str, *, n: int, total: Any, squares: Any = None, paid: bool = True, key: str | None = None
    ) -> Receipt:
        """Record aggregated outcomes of one arm; return the receipt."""
        arm, key = lookup_name("arm", arm), key_of(key)
        count, sum_, secret = count_of(n), number_of(total), token_hex(16)
        square = None if squares is None else number_of(squares)

        def command(state: CampaignState) -> e.CountsTold:
            found = self._arm(state, arm)
            return decisions.counted(
                self.terms, state, found, count=count, total=sum_, squares=square, paid=paid, secret=secret, key=key
            )

        need = Need(names=(arm,), key=key)
        done = self._do(need, lambda state: decisions.count(state, self._arm(state, arm), command(state)))
        if done.change is None:
            self._check_repeat(done.state, command(done.state))
        number = next(iter(done.state.pulls if done.change is None else done.change.pulls))
        return self._receipt(done, number, is_first=done.change is not None)

    def _arm(self, state: CampaignState, name: str) -> Arm:
        for arm in state.arms.values():
            if arm.name == name:
                return arm
        with self._storage.snapshot(self._heading.id) as now:
            known = now.arms(limit=1000)
        raise UnknownNameError("arm", name[:60], (arm.name for arm in known))

    def fail(self, ticket: str, *, reason: str = "") -> None:
        """Give up a pull."""
        self._on_pull(ticket, reason, lambda pull: decisions.fail(pull, reason=reason))

    def void(self, ticket: str, *, reason: str = "") -> None:
        """Remove an outcome from the statistics."""
        self._on_pull(ticket, reason, lambda pull: decisions.void(pull, reason=reason), beside=True)

    def amend(self, ticket: str, value: Any, *, reason: str = "") -> None:
        """Replace an outcome."""
        new = outcome_of(self.terms, value)
        self._on_pull(
            ticket, reason, lambda pull: decisions.amend(self.terms, pull, value=new, reason=reason), beside=True
        )

    def _on_pull(
        self, ticket: str, reason: str, decide: Callable[[Pull], Event | None], *, beside: bool = False
    ) -> None:
        reason_of(reason)
        number = decisions.number_in(self.name, ticket)
        self._do(
            Need(pulls=(number,), beside=beside),
            lambda state: decide(decisions.find_pull(self.name, state, number, ticket)),
        )

    def heartbeat(self, tickets: Sequence[str]) -> list[Ticket | None]:
        """Renew leases; return the tickets, None for each expired one."""
        numbers = [decisions.number_in(self.name, ticket) for ticket in tickets]

        def plan(state: CampaignState) -> Event | None:
            pairs = zip(numbers, tickets, strict=True)
            return decisions.renew({decisions.find_pull(self.name, state, *pair) for pair in pairs})

        state, change = self._do(Need(pulls=tuple(numbers)), plan)
        renewed = {} if change is None else change.pulls
        return [_ticket(renewed[number], state.arms) if number in renewed else None for number in numbers]

    def add_arms(self, rows: Sequence[ArmRow]) -> None:
        """Add arms."""

        def plan(state: CampaignState) -> Event | None:
            if state.arms:
                taken = next(iter(state.arms.values())).name
                raise InvalidInputError("name of a new arm", taken, rule="must not be that of another arm")
            return decisions.add_arms(self.terms, self.name, state.ledger, rows)

        self._do(Need(names=tuple(row[0] for row in rows)), plan)

    def retire(self, arm: str) -> None:
        """Issue no more tickets for an arm."""
        name = lookup_name("arm", arm)
        self._do(Need(names=(name,)), lambda state: decisions.retire(self._arm(state, name)))

    def extend(self, amount: float, *, key: str | None = None) -> None:
        """Add to the budget."""
        command = e.Extended(ticks_of(amount, what="budget"), key_of(key))
        done = self._do(Need(key=command.key), lambda state: decisions.extend(self.name, state, command))
        if done.change is None:
            self._check_repeat(done.state, command)

    def pause(self) -> None:
        """Issue no tickets until the campaign is resumed."""
        self._do(Need(), lambda state: decisions.pause(self.name, state.ledger))

    def resume(self) -> None:
        """Issue tickets again."""
        self._do(Need(), lambda state: decisions.resume(self.name, state.ledger))

    def close(self, *, reason: str = "") -> None:
        """Issue no more tickets."""
        why = reason_of(reason)
        self._do(Need(), lambda state: decisions.close(state.ledger, reason=why))

    def standing(self) -> Standing:
        """Return status, budget and counts of the campaign."""
        return self.standing_in(self._storage.look(self._heading.id, Need(least=1)))

    def standing_in(self, state: CampaignState) -> Standing:
        """Return status, budget and counts in a state with its arm of least urgency."""
        ledger, least = state.ledger, state.arms[state.least[0]] if state.least else None
        is_open = decisions.is_open(self.terms, ledger, least) and not self._has_enough(state)
        return Standing(
            name=self.name,
            status="ended" if ledger.status == OPEN and not is_open else ledger.status,
            is_open=is_open,
            budget=amount_of(ledger.budget),
            spent=amount_of(ledger.spent),
            outstanding=amount_of(ledger.reserved),
            arms=ledger.arms,
            told=ledger.told,
            late=ledger.late,
            events=ledger.seq,
            note=self.note,
        )

    @property
    def note(self) -> str:
        """Why the campaign can be neither measured nor judged in this process; empty if it can."""
        if self._machine.is_policy_available:
            return ""
        return f"policy not available here (import it with --plugin): {self.terms.policy!r}"

    def quick_verdicts(self) -> Verdicts:
        """Return one row for each arm, without the check of independence, in half the time."""
        with self._storage.snapshot(self._heading.id) as now:
            arms = now.arms()
        return judge(self._machine, arms)

    def verdicts(self, **given: Any) -> Verdicts:
        """Return one row for each arm, and a note if outcomes do not behave as independent samples.

        Parameters
        ----------
        **given
            Adjustable terms: see :func:`thresher.live.judge.judge`.
        """
        return self.verdicts_as_of(**given)[1]

    def verdicts_as_of(self, **given: Any) -> tuple[int, Verdicts]:
        """Return the number of the last event, and the verdicts after it."""
        with self._storage.snapshot(self._heading.id) as now:
            events, arms = now.ledger().seq, now.arms()
            pulls = self._dependence_check.pulls(now, arms)
        found, warnings = judge(self._machine, arms, **given), self._dependence_check.warnings(arms, pulls)
        return events, found.noting([*warnings, *spread_warnings(self.terms, arms)])

    def history(self, *, after: int = 0, limit: int | None = None, size: int | None = None) -> list[Entry]:
        """Return the log in order, up to `limit` events and up to the one that makes `size` bytes full."""
        first, most = history_range(after, limit)
        log = self._storage.events(self._heading.id, after=first, limit=most, size=size)
        return [Entry(entry.seq, moment(entry.at), entry.kind, details_of(self.name, entry)) for entry in log]

    def verify(self) -> None:
        """Replay the log and compare the stored rows with it.

        Raises
        ------
        CorruptionError
            If stored rows differ from the log.
        """
        findings = self._storage.verify(self._heading.id, lambda contents: audit(self._heading, contents))
        if findings:
            raise CorruptionError(self.name, findings)

    def wait(self, seconds: float) -> None:
        """Sleep for that time."""
        time.sleep(seconds)

    def disconnect(self) -> None:
        """Close files and connections."""
        self._storage.close()


def _ticket(pull: Pull, arms: Mapping[int, Arm]) -> Ticket:
    """Return the ticket of a pull."""
    return Ticket(pull.ticket, arms[pull.arm].name, moment(pull.expires))
