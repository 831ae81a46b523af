"""The backend of a campaign in a database that this process opens."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from thresher.campaign.allocation import Allocation, allocate
from thresher.campaign.amendments import Corrections
from thresher.campaign.arguments import checked
from thresher.campaign.arms import ArmRow
from thresher.campaign.control_arms import ArmsWithControl
from thresher.campaign.inputs import (
    batch_of,
    history_range,
    key_of,
    lookup_name,
    name_of,
    repeat_of,
    ticket_count,
)
from thresher.campaign.ledger import (
    OPEN,
    TOLD,
    Aggregate,
    Arm,
    CampaignState,
    Event,
    ImportCommand,
    ImportLog,
    PastArm,
    Pull,
    Score,
    cost_of,
    decisions,
    details_of,
    import_decisions,
    item_decisions,
    outcome_of,
    signal_decisions,
)
from thresher.campaign.ledger import events as e
from thresher.campaign.messages import Entry, Receipt, Standing, Ticket, ToldItem, moment
from thresher.campaign.storage import Heading, RowsToRead, Storage, TransactionResult
from thresher.campaign.stored_campaign import StoredCampaign
from thresher.campaign.told_items import Refits, item_receipts
from thresher.campaign.verbs import Verb
from thresher.errors import (
    ConflictingOutcomeError,
    CorruptionError,
    InvalidInputError,
    UnknownNameError,
)
from thresher.problem import amount_of, ticks_of

if TYPE_CHECKING:
    from thresher.campaign.stored_verdicts import CampaignJudging


class LocalBackend:
    """One campaign in a storage, which stays open unless the campaign owns it."""

    lines_in_an_import = 10**9  # an import is one transaction

    def __init__(self, storage: Storage, heading: Heading, *, owns_storage: bool = False) -> None:
        self._owns_storage = owns_storage
        self.stored = stored = StoredCampaign(storage, heading)
        self.name, self.terms, self._machine = stored.name, stored.terms, stored.machine
        self._corrections, self._refits = Corrections(stored), Refits(stored)
        self._arms_with_control = ArmsWithControl(stored.machine)

    @cached_property
    def judging(self) -> CampaignJudging:
        """What is concluded from the stored rows; a process that only asks and tells does not load it."""
        from thresher.campaign.stored_verdicts import CampaignJudging

        return CampaignJudging(self.stored)

    @property
    def _ranks_with_control(self) -> bool:
        """Whether keys depend on all arms, so that they are computed at an ask and not stored."""
        return bool(self.terms.control) and self._machine.is_policy_available and self._machine.sort_keys.needs_all_arms

    def perform(self, verb: Verb, given: Mapping[str, Any]) -> Any:
        """Perform a verb by the method of its name; return what it returns."""
        return getattr(self, verb.name)(**checked(self, given))

    def ask(self, n: int, *, key: str | None = None) -> list[Ticket]:
        """Return up to `n` tickets."""
        return self.take(n, key=key)[0]

    def take(self, n: int, *, key: str | None = None) -> tuple[list[Ticket], bool]:
        """Return up to `n` tickets, and whether they are new: with a key that was used before, they are not."""
        n, key = ticket_count(n), key_of(key)
        if self.terms.stop_mistakes and self.judging.has_enough(self.stored.look(RowsToRead(key=key))):
            return [], False
        secrets = [token_hex(16) for _ in range(n)]
        arms = self._arms_with_control if self._ranks_with_control else None
        need = self._need_least(n)._replace(key=key)

        def plan(state: CampaignState) -> Event | None:
            ready = state if arms is None else arms.complete(state)
            return decisions.ask(self._machine, ready, secrets=secrets, key=key)

        state, change = self.stored.transact(need, plan)
        if change is not None:
            issued = [pull for pull in change.pulls.values() if pull.since == change.ledger.seq]
            return self._tickets(issued, change.arms), True
        if key is None or key not in state.requests:
            return [], False
        self._check_repeat(state, e.Asked((), key=key))
        numbers = state.requests[key].numbers
        if not state.pulls.keys() >= {*numbers}:
            raise CorruptionError(self.name, ["the pulls of an ask are missing"], was_audited=False)
        return self._tickets([state.pulls[number] for number in numbers], state.arms), False

    def _need_least(self, n: int) -> RowsToRead:
        """Return what is needed to choose `n` arms to ask next."""
        reissue = self.terms.expiry == "reissue"
        if self._ranks_with_control:
            return RowsToRead(reissue=reissue, arms_since=self._arms_with_control.seq)
        return RowsToRead(least=n, reissue=reissue)

    def look_least(self) -> CampaignState:
        """Return the ledger, the expired pulls, and the arm of least sort key that the budget can pay."""
        need = self._need_least(1)
        state = self.stored.look(need)
        if need.arms_since is None:
            return state
        return self._arms_with_control.with_least(state, reissue=need.reissue)

    def allocate(self, budget: Any) -> Allocation:
        """Return how a batch of that cost should be split over the arms."""
        return allocate(self.stored, self.judging, budget)

    def _tickets(self, pulls: Sequence[Pull], arms: Mapping[int, Arm]) -> list[Ticket]:
        """Return the tickets of pulls."""
        names = self.stored.names_of_items(pull.item for pull in pulls)
        return [
            Ticket(
                pull.ticket,
                arms[pull.arm].name,
                moment(pull.expires),
                None if pull.item is None else names[pull.item],
                None if pull.item is None else pull.repeat,
            )
            for pull in pulls
        ]

    def tell(self, outcomes: Sequence[tuple[str, Any, Any]], *, batch: str | None = None) -> list[Receipt]:
        """Record (ticket, outcome, cost or None) triples, all or none; return their receipts."""
        name, terms, batch = self.name, self.terms, batch_of(batch)
        told = [
            decisions.TicketOutcome(
                ticket, decisions.number_in(name, ticket), outcome_of(terms, value), cost_of(cost, terms)
            )
            for ticket, value, cost in outcomes
        ]
        if not told:
            return []
        need = RowsToRead(pulls=tuple({outcome.number for outcome in told}), items=self.stored.has_items)
        try:
            done = self.stored.transact(need, lambda state: decisions.tell(self.name, state, told, batch=batch))
        except ConflictingOutcomeError:
            # A worker that lost the answer may repeat its tell after the outcome was amended.
            first = self.stored.first_outcomes(need)
            done = self.stored.transact(need, lambda state: decisions.tell(self.name, state, told, first, batch=batch))
        self._refits.after(done)
        fresh = dict({} if done.change is None else done.change.pulls)
        return [
            self._receipt(done, outcome.number, is_first=fresh.pop(outcome.number, None) is not None, cost=outcome.cost)
            for outcome in told
        ]

    def tell_items(self, outcomes: Sequence[ToldItem], *, paid: bool, batch: str | None = None) -> list[Receipt]:
        """Record outcomes by arm, item and ordinal, all or none; return their receipts."""
        told = [
            item_decisions.ItemOutcome(
                lookup_name("arm", arm), lookup_name("item", item), outcome_of(self.terms, value), repeat_of(repeat)
            )
            for arm, item, value, repeat in outcomes
        ]
        if not told:
            return []
        if not self.stored.has_items:
            raise InvalidInputError("items", rule="the campaign has none", fix="tell outcomes by ticket, or as counts")
        given: dict[str, Any] = {"paid": paid, "secret": token_hex(16), "batch": batch_of(batch)}
        need = RowsToRead(item_pairs=tuple((one.arm, one.item) for one in told))
        try:
            done = self.stored.transact(need, lambda state: item_decisions.tell_items(self.name, state, told, **given))
        except UnknownNameError as error:
            raise self._unknown(error) from None
        self._refits.after(done)
        return item_receipts(done, told)

    def tell_history(self, past: Sequence[PastArm]) -> None:
        """Store outcomes of past arms; an arm that is stored already is not stored again."""
        given = [PastArm(name_of("past arm", arm.name), arm.outcomes) for arm in past]
        done = self.stored.transact(
            RowsToRead(everything=True),
            lambda state: signal_decisions.history(self.terms, state.ledger.items, given, state),
        )
        self._refits.after(done)

    def tell_proxy(self, scores: Sequence[Score]) -> None:
        """Store scores of answers; a score that is stored already is not stored again."""

        def plan(state: CampaignState) -> Event | None:
            arms = {arm.name: arm.position for arm in state.arms.values()}
            items = {item.name: item.position for item in state.items.values()}
            return signal_decisions.scores(self.name, arms, items, scores, state)

        self._refits.after(self.stored.transact(RowsToRead(everything=True), plan))

    def _check_repeat(self, state: CampaignState, command: e.Asked | e.CountsTold | e.Extended) -> None:
        """Check that a call repeats the first call with its idempotency key."""
        assert command.key is not None
        decisions.check_repeat(state, self.stored.event(state.requests[command.key].seq), command)

    def _receipt(self, done: TransactionResult, number: int, *, is_first: bool, cost: int | None = None) -> Receipt:
        state, change = done
        pull = state.pulls[number] if change is None or number not in change.pulls else change.pulls[number]
        unpaid = 0 if cost is None or pull.charged is None else max(cost - pull.charged, 0)
        arm, is_used = state.arms[pull.arm].name, pull.state == TOLD
        return Receipt(pull.ticket, arm, not is_first, bool(pull.late), is_used, amount_of(unpaid))

    def tell_counts(self, arm: str, sums: Aggregate, *, paid: bool, key: str | None, batch: str | None) -> Receipt:
        """Record aggregated outcomes of one arm; return the receipt."""
        arm, key, batch = lookup_name("arm", arm), key_of(key), batch_of(batch)
        given: dict[str, Any] = {"paid": paid, "secret": token_hex(16), "key": key, "batch": batch}

        def command(state: CampaignState) -> e.CountsTold:
            return decisions.counted(self.terms, state, self._arm(state, arm), sums, **given)

        need = RowsToRead(names=(arm,), key=key)
        done = self.stored.transact(need, lambda state: decisions.count(state, command(state)))
        if done.change is None:
            self._check_repeat(done.state, command(done.state))
        number = next(iter(done.state.pulls if done.change is None else done.change.pulls))
        return self._receipt(done, number, is_first=done.change is not None)

    def imports(self) -> ImportLog:
        """Return what imports told."""
        return self.stored.imports()

    def store_import(self, command: ImportCommand) -> int:
        """Write an import in one transaction; return the number of its event."""
        corrected = (*command.voided, *(one.number for one in command.reduced))
        need = RowsToRead(
            names=tuple({lookup_name("arm", one.arm): None for one in command.added}),
            item_pairs=tuple((lookup_name("arm", one.arm), lookup_name("item", one.item)) for one in command.outcomes),
            pulls=corrected,
            arm_pulls=bool(corrected),
            items=self.stored.has_items,
            key=command.key,
            since=command.after,
        )
        given: dict[str, Any] = {"command": command, "secret": token_hex(16)}
        done = self.stored.transact(need, lambda state: import_decisions.store_import(self.terms, state, **given))
        self._refits.after(done)
        return done.change.ledger.seq if done.change is not None else done.state.requests[command.key or ""].seq

    def _arm(self, state: CampaignState, name: str) -> Arm:
        for arm in state.arms.values():
            if arm.name == name:
                return arm
        raise self._unknown(UnknownNameError("arm", name[:60], ()))

    def _unknown(self, error: UnknownNameError) -> UnknownNameError:
        """Return an error with the names that the campaign has: a transaction reads only those that it needs."""
        with self.stored.snapshot() as now:
            known = now.items(limit=1000) if error.kind.startswith("item") else now.arms(limit=1000)
        return UnknownNameError(error.kind, error.name, (one.name for one in known))

    def fail(self, ticket: str, reason: str) -> None:
        """Give up a pull."""
        number = decisions.number_in(self.name, ticket)
        self.stored.transact(
            RowsToRead(pulls=(number,)),
            lambda state: decisions.fail(decisions.find_pull(self.name, state, number, ticket), reason=reason),
        )

    def measure_by(self, parts: Sequence[tuple[str, str]]) -> None:
        """Note how a run measures: parts and their hashes, once."""
        command = e.MeasuredBy(tuple(parts))
        self.stored.transact(RowsToRead(key=command.key), lambda state: decisions.measure_by(state, command))

    def void(self, ticket: str, reason: str) -> None:
        """Remove an outcome from the statistics."""
        self._corrections.void(ticket, reason=reason)

    def amend(self, ticket: str, outcome: float, n: Any, squares: Any, reason: str) -> None:
        """Replace an outcome, or the numbers of an aggregate."""
        sums = Aggregate.of(n, outcome, squares) if n is not None else None
        self._corrections.amend(ticket, outcome, sums, reason=reason)

    def void_import(self, batch: str, reason: str) -> int:
        """Remove the outcomes of an import from the statistics; return how many counted before."""
        return self._corrections.void_import(batch, reason=reason)

    def heartbeat(self, tickets: Sequence[str]) -> list[Ticket | None]:
        """Renew leases; return the tickets, None for each expired one."""
        numbers = [decisions.number_in(self.name, ticket) for ticket in tickets]

        def plan(state: CampaignState) -> Event | None:
            pairs = zip(numbers, tickets, strict=True)
            return decisions.renew({decisions.find_pull(self.name, state, *pair) for pair in pairs})

        state, change = self.stored.transact(RowsToRead(pulls=tuple(numbers)), plan)
        renewed = {} if change is None else change.pulls
        made = dict(zip(renewed, self._tickets([*renewed.values()], state.arms), strict=True))
        return [made.get(number) for number in numbers]

    def add_arms(self, rows: Sequence[ArmRow], *, measured: Mapping[str, int] | None = None) -> None:
        """Add arms; `measured` has the number of outcomes that are told next, by arm."""
        names = {row[0] for row in rows}
        lacked = 0
        if not decisions.fits_opening(self.terms, self.stored.storage.ledger(self.stored.heading.id), rows):
            with self.stored.snapshot() as now:
                lacked = decisions.lacking(self.terms, now.arms())

        def plan(state: CampaignState) -> Event | None:
            if (taken := next((arm.name for arm in state.arms.values() if arm.name in names), None)) is not None:
                raise InvalidInputError("name of a new arm", taken, rule="must not be that of another arm")
            return decisions.add_arms(self.terms, self.name, state.ledger, rows, measured=measured, lacked=lacked)

        self.stored.transact(RowsToRead(names=tuple(names)), plan)

    def add_items(self, names: Sequence[str]) -> None:
        """Add items."""
        self.stored.transact(
            RowsToRead(everything=True), lambda state: item_decisions.add_items(self.terms, self.name, state, names)
        )

    def retire(self, arm: str) -> None:
        """Issue no more tickets for an arm."""
        self.stored.transact(
            RowsToRead(names=(arm,)), lambda state: decisions.retire(self.terms, self._arm(state, arm))
        )

    def extend(self, budget: float, key: str | None) -> None:
        """Add to the budget."""
        command = e.Extended(ticks_of(budget), key, decided=self.judging.decided_at_end())
        # A forfeited cost is spent already: what is unused then has no item left.
        need = RowsToRead(key=command.key, unused=self.terms.expiry == "reissue", items=self.stored.has_items)
        costs: dict[int, int] = {}
        done = None
        while done is None:
            try:
                done = self.stored.transact(
                    need, partial(decisions.extend, self.name, command=command, told_costs=costs)
                )
            except decisions.CostsNeededError as error:
                costs.update(self.stored.told_costs(error.pulls))
        if done.change is None:
            self._check_repeat(done.state, command)

    def pause(self) -> None:
        """Issue no tickets until the campaign is resumed."""
        self.stored.transact(RowsToRead(), lambda state: decisions.pause(self.name, state.ledger))

    def resume(self) -> None:
        """Issue tickets again."""
        self.stored.transact(RowsToRead(), lambda state: decisions.resume(self.name, state.ledger))

    def close(self, reason: str) -> None:
        """Issue no more tickets."""
        self.stored.transact(RowsToRead(), lambda state: decisions.close(state.ledger, reason=reason))

    def archive(self, reason: str) -> None:
        """Hide the campaign from lists and refuse every change."""
        self.stored.archive(reason=reason)

    def unarchive(self) -> None:
        """Undo :meth:`archive`."""
        self.stored.unarchive()

    def standing(self) -> Standing:
        """Return status, budget and counts of the campaign."""
        return self.standing_in(self.look_least())

    def standing_in(self, state: CampaignState) -> Standing:
        """Return status, budget and counts in a state with its arm of least sort key."""
        ledger, least = state.ledger, state.arms[state.least[0]] if state.least else None
        is_open = decisions.is_open(self.terms, ledger, least) and not self.judging.has_enough(state)
        return Standing(
            name=self.name,
            status="ended" if ledger.state == OPEN and not is_open else ledger.state,
            is_open=is_open,
            budget=amount_of(ledger.budget),
            spent=amount_of(ledger.spent),
            outstanding=amount_of(ledger.reserved),
            arms=ledger.arms,
            told=ledger.told,
            late=ledger.late,
            events=ledger.seq,
            note=self.note,
            items=ledger.items,
        )

    @property
    def note(self) -> str:
        """Why the campaign can be neither measured nor judged in this process; empty if it can."""
        if self._machine.is_policy_available:
            return ""
        return f"policy not available here (import it with --plugin): {self.terms.policy!r}"

    def history(self, *, after: int = 0, limit: int | None = None, size: int | None = None) -> list[Entry]:
        """Return the log in order, up to `limit` events and up to the one that makes `size` bytes full."""
        first, most = history_range(after, limit)
        log = self.stored.storage.events(self.stored.heading.id, after=first, limit=most, size=size)
        return [Entry(entry.seq, moment(entry.at), entry.kind, details_of(self.name, entry)) for entry in log]

    def verify(self) -> None:
        """Replay the log and compare the stored rows with it."""
        if findings := self.findings():
            raise CorruptionError(self.name, findings)

    def findings(self) -> list[str]:
        """Return the differences between stored rows and the log; empty if there are none."""
        from thresher.campaign.storage import audit

        heading = self.stored.heading
        return self.stored.storage.verify(heading.id, partial(audit, heading))

    def wait(self, seconds: float) -> None:
        """Sleep for that time."""
        time.sleep(seconds)

    def disconnect(self) -> None:
        """Close files and connections, unless the storage belongs to the caller."""
        if self._owns_storage:
            self.stored.storage.close()
