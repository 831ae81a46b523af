"""A campaign in a database that this process reaches itself."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from typing import Any

from thresher.campaign import (
    OPEN,
    TOLD,
    Arm,
    Happening,
    Ledger,
    Machine,
    Pull,
    State,
    Terms,
    Urgency,
    amount_of,
    count_of,
    decisions,
    details_of,
    number_of,
    outcome_of,
    read_happening,
    ticks_of,
)
from thresher.campaign import events as e
from thresher.campaign.rows import make
from thresher.errors import ConflictingOutcomeError, CorruptionError, InvalidProblemError, UnknownNameError
from thresher.live.arms import ArmRow
from thresher.live.judge import judge
from thresher.live.messages import Entry, Receipt, Standing, Ticket, moment
from thresher.live.sizes import lines_of, tickets_of
from thresher.live.suspicion import Suspicion
from thresher.live.texts import key_of, name_of, reason_of, sought
from thresher.live.verdicts import Verdicts
from thresher.storage import Done, Heading, Need, Storage
from thresher.storage.audit import audit

ARMS_IN_AN_EVENT = 1000


def first_events(name: str, terms: Terms, rows: Sequence[ArmRow], *, budget: float) -> list[Happening]:
    """Return what a new campaign begins with, checked before anything is opened or made.

    Raises
    ------
    InvalidProblemError
        If the budget cannot pull every arm as often as it must be first, or the policy does not fit.
    """
    urgency = Urgency(terms)
    ticks = ticks_of(budget)
    created = e.Created(name_of("campaign", name), terms.to_json(), ticks)
    whole = decisions.add_arms(terms, name, Ledger(budget=ticks), rows)
    parts = [whole.arms[i : i + ARMS_IN_AN_EVENT] for i in range(0, len(whole.arms), ARMS_IN_AN_EVENT)]
    urgency.rule_of(Arm(0, *rows[0]))  # a policy that does not fit the family says so now
    return [created, *(e.ArmsAdded(part) for part in parts)]


def create_campaign(storage: Storage, name: str, terms: Terms, happenings: Sequence[Happening]) -> Heading:
    """Write a new campaign; return how its storage knows it.

    Raises
    ------
    CampaignExistsError
        If the name is taken.
    """
    return storage.create(name, terms.to_json(), Machine(terms), happenings)


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
        self._next_look = 0
        self._suspicion = Suspicion(self.terms)

    @property
    def name(self) -> str:
        """The name of the campaign."""
        return self._heading.name

    @property
    def terms(self) -> Terms:
        """What was fixed when it was created."""
        return self._machine.terms

    def _do(self, need: Need, plan: Callable[[State], Happening | None]) -> Done:
        return self._storage.transact(self._heading.id, self._machine, need, plan)

    def ask(self, n: int, *, key: str | None = None) -> list[Ticket]:
        """Return up to `n` tickets."""
        return self.take(n, key=key)[0]

    def take(self, n: int, *, key: str | None = None) -> tuple[list[Ticket], bool]:
        """Return up to `n` tickets, and whether they are new: under a key that was used they are those of then."""
        n, key = tickets_of(n), key_of(key)
        self._stop_if_enough()
        luck = secrets.token_hex(16 * n)
        fresh = [luck[i : i + 32] for i in range(0, 32 * n, 32)]
        done = self._do(
            Need(least=n, key=key), lambda state: decisions.ask(self._machine, state, secrets=fresh, key=key)
        )
        state = done.view.state
        if done.change is None and key is not None and key in state.requests:
            request = state.requests[key]
            self._check_repeat(state, e.Asked((), key=key))
            end = request.first + request.made
            pulls = [state.pulls[i] for i in sorted(state.pulls) if request.first <= i < end]
            if len(pulls) != request.made:
                raise CorruptionError(self.name, ["the pulls of an ask are missing"], was_audited=False)
            ends = done.view.expires
            return [Ticket(pull.ticket, state.arms[pull.arm].name, moment(ends[pull.number])) for pull in pulls], False
        if done.change is None:
            return [], False
        expires, arms = moment(done.at + self.terms.lease_micros), done.change.arms
        made = [pull for pull in done.change.pulls.values() if pull.since == done.change.ledger.seq]
        return [Ticket(pull.ticket, arms[pull.arm].name, expires) for pull in made], True

    def _stop_if_enough(self) -> None:
        """Close the campaign once no more mistakes are expected than its terms allow.

        Every arm is looked at for that, so it is done when a tenth as many outcomes have come as there are arms, or as
        came before, and not at each ask.
        """
        if not self.terms.stop_mistakes:
            return
        ledger = self._storage.look(self._heading.id, Need()).state.ledger
        if ledger.status != OPEN or ledger.told < max(self._next_look, ledger.arms):
            return
        self._next_look = ledger.told + 1 + max(ledger.arms, ledger.told) // 10
        verdicts = self.quick_verdicts()
        if verdicts.expected_mistakes <= self.terms.stop_mistakes and all(row.pulls or row.retired for row in verdicts):
            self.close(reason=f"{verdicts.expected_mistakes:.3g} mistakes expected, as few as wished")

    def tell(self, outcomes: Sequence[tuple[str, Any]]) -> list[Receipt]:
        """Take outcomes by ticket, all or none."""
        name, terms = self.name, self.terms
        told = [
            make(decisions.Outcome, (ticket, decisions.number_in(name, ticket), outcome_of(terms, value)))
            for ticket, value in outcomes
        ]
        if not told:
            return []
        need = Need(pulls=tuple({outcome.number for outcome in told}))
        try:
            done = self._do(need, lambda state: decisions.tell(self.name, state, told))
        except ConflictingOutcomeError:
            # An outcome that was amended since is still what its worker told, who may not have heard the answer.
            first = self._first_outcomes(need)
            done = self._do(need, lambda state: decisions.tell(self.name, state, told, first))
        fresh = dict({} if done.change is None else done.change.pulls)
        return [
            self._receipt(done, outcome.number, is_first=fresh.pop(outcome.number, None) is not None)
            for outcome in told
        ]

    def _first_outcomes(self, need: Need) -> dict[int, float]:
        """Return what pulls were told first, by number."""
        pulls = self._storage.look(self._heading.id, need).state.pulls.values()
        events = {pull.told: self._happening(pull.told) for pull in pulls if pull.told}
        told = [event.outcomes for event in events.values() if isinstance(event, e.Told)]
        return {number: value for outcomes in told for number, value in outcomes}

    def _happening(self, seq: int) -> Happening:
        """Return what the event of that number says."""
        for event in self._storage.events(self._heading.id, after=seq - 1, limit=1):
            return read_happening(event.kind, event.body)
        raise CorruptionError(self.name, [f"event {seq} is missing"], was_audited=False)

    def _check_repeat(self, state: State, wish: e.Asked | e.Counted | e.Extended) -> None:
        """Check that a call whose key was used wishes what the first one did."""
        assert wish.key is not None
        decisions.check_repeat(state, self._happening(state.requests[wish.key].seq), wish)

    def _receipt(self, done: Done, number: int, *, is_first: bool) -> Receipt:
        state, change = done.view.state, done.change
        pull = state.pulls[number] if change is None or number not in change.pulls else change.pulls[number]
        return Receipt(pull.ticket, state.arms[pull.arm].name, not is_first, bool(pull.late), pull.state == TOLD)

    def tell_counts(
        self, arm: str, *, n: int, total: Any, squares: Any = None, paid: bool = True, key: str | None = None
    ) -> Receipt:
        """Take aggregated outcomes of one arm."""
        arm, key = sought("arm", arm), key_of(key)
        count, sum_, secret = count_of(n), number_of(total), secrets.token_hex(16)
        square = None if squares is None else number_of(squares)

        def wish(state: State) -> e.Counted:
            found = self._arm(state, arm)
            return decisions.counted(
                self.terms, state, found, count=count, total=sum_, squares=square, paid=paid, secret=secret, key=key
            )

        need = Need(names=(arm,), key=key)
        done = self._do(need, lambda state: decisions.count(state, self._arm(state, arm), wish(state)))
        if done.change is None:
            self._check_repeat(done.view.state, wish(done.view.state))
        number = next(iter(done.view.state.pulls if done.change is None else done.change.pulls))
        return self._receipt(done, number, is_first=done.change is not None)

    def _arm(self, state: State, name: str) -> Arm:
        for arm in state.arms.values():
            if arm.name == name:
                return arm
        with self._storage.snapshot(self._heading.id) as now:
            known = now.arms(limit=1000)
        raise UnknownNameError("arm", name[:60], (arm.name for arm in known))

    def fail(self, ticket: str, *, reason: str = "") -> None:
        """Give a pull up."""
        self._on_pull(ticket, reason, lambda pull: decisions.fail(pull, reason=reason))

    def void(self, ticket: str, *, reason: str = "") -> None:
        """Take an outcome out of the statistics."""
        self._on_pull(ticket, reason, lambda pull: decisions.void(pull, reason=reason), beside=True)

    def amend(self, ticket: str, value: Any, *, reason: str = "") -> None:
        """Replace an outcome."""
        new = outcome_of(self.terms, value)
        self._on_pull(
            ticket, reason, lambda pull: decisions.amend(self.terms, pull, value=new, reason=reason), beside=True
        )

    def _on_pull(
        self, ticket: str, reason: str, decide: Callable[[Pull], Happening | None], *, beside: bool = False
    ) -> None:
        reason_of(reason)
        number = decisions.number_in(self.name, ticket)
        self._do(
            Need(pulls=(number,), beside=beside),
            lambda state: decide(decisions.find_pull(self.name, state, number, ticket)),
        )

    def heartbeat(self, tickets: Sequence[str]) -> list[Ticket | None]:
        """Renew leases; None stands for one that was lost."""
        numbers = [decisions.number_in(self.name, ticket) for ticket in tickets]

        def plan(state: State) -> Happening | None:
            pairs = zip(numbers, tickets, strict=True)
            return decisions.renew({decisions.find_pull(self.name, state, *pair) for pair in pairs})

        done = self._do(Need(pulls=tuple(numbers)), plan)
        renewed = {} if done.change is None else done.change.pulls
        expires, arms = moment(done.at + self.terms.lease_micros), done.view.state.arms
        return [
            Ticket(renewed[i].ticket, arms[renewed[i].arm].name, expires) if i in renewed else None for i in numbers
        ]

    def add_arms(self, rows: Sequence[ArmRow]) -> None:
        """Add arms."""

        def plan(state: State) -> Happening | None:
            if state.arms:
                taken = next(iter(state.arms.values())).name
                raise InvalidProblemError(f"there is an arm {taken[:60]!r} already", instead="give it another name")
            return decisions.add_arms(self.terms, self.name, state.ledger, rows)

        self._do(Need(names=tuple(row[0] for row in rows)), plan)

    def retire(self, arm: str) -> None:
        """Ask an arm no more."""
        name = sought("arm", arm)
        self._do(Need(names=(name,)), lambda state: decisions.retire(self._arm(state, name)))

    def extend(self, amount: float, *, key: str | None = None) -> None:
        """Add to the budget."""
        wish = e.Extended(ticks_of(amount, what="budget"), key_of(key))
        done = self._do(Need(key=wish.key), lambda state: decisions.extend(self.name, state, wish))
        if done.change is None:
            self._check_repeat(done.view.state, wish)

    def pause(self) -> None:
        """Hand out no tickets until further notice."""
        self._do(Need(), lambda state: decisions.pause(self.name, state.ledger))

    def resume(self) -> None:
        """Hand out tickets again."""
        self._do(Need(), lambda state: decisions.resume(self.name, state.ledger))

    def close(self, *, reason: str = "") -> None:
        """Hand out no tickets any more."""
        why = reason_of(reason)
        self._do(Need(), lambda state: decisions.close(state.ledger, reason=why))

    def standing(self) -> Standing:
        """Return how the campaign stands."""
        state = self._storage.look(self._heading.id, Need(least=1)).state
        ledger, least = state.ledger, state.arms[state.least[0]] if state.least else None
        is_open = decisions.is_open(self.terms, ledger, least)
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
        """Return one row for each arm, without a look at how outcomes follow each other: in half the time."""
        with self._storage.snapshot(self._heading.id) as now:
            arms = now.arms()
        return judge(self._machine, arms)

    def verdicts(self) -> Verdicts:
        """Return one row for each arm, and a note if outcomes do not behave as independent samples."""
        return self.verdicts_as_of()[1]

    def verdicts_as_of(self) -> tuple[int, Verdicts]:
        """Return the number of the last event, and the verdicts after it."""
        with self._storage.snapshot(self._heading.id) as now:
            events, arms = now.ledger().seq, now.arms()
            pulls = self._suspicion.pulls(now, arms)
        found, warnings = judge(self._machine, arms), self._suspicion.warnings(arms, pulls)
        return events, found.noting(warnings)

    def history(self, *, after: int = 0, limit: int | None = None) -> list[Entry]:
        """Return what happened, by number."""
        first, most = lines_of(after, limit)
        events = self._storage.events(self._heading.id, after=first, limit=most)
        return [Entry(event.seq, moment(event.at), event.kind, details_of(self.name, event)) for event in events]

    def verify(self) -> None:
        """Replay the log and compare everything with it.

        Raises
        ------
        CorruptionError
            If anything stored is not what was written.
        """
        findings = self._storage.verify(self._heading.id, lambda contents: audit(self._heading, contents))
        if findings:
            raise CorruptionError(self.name, findings)

    def wait(self, seconds: float) -> None:
        """Wait so long."""
        time.sleep(seconds)

    def disconnect(self) -> None:
        """Let go of files and connections."""
        self._storage.close()
