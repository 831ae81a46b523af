"""A Hypothesis state machine that makes the same calls to a campaign and to a model, and compares them at each step."""

from __future__ import annotations

from typing import Any, ClassVar
from unittest.mock import patch

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.support.contracts.campaign_contract import Place
from tests.support.contracts.campaign_model import CampaignModel, ModelPull
from thresher.campaign import Ticket, creation
from thresher.campaign.creation import SEED_BITS
from thresher.errors import CampaignArchivedError, ConflictingOutcomeError, InvalidOutcomeError, NoOutcomeError

LEASE = 60.0
outcomes = st.sampled_from([0.1, 0.7, -0.3, 1.1, -2.3, 0.5, 1e8 + 0.1])  # sums of these depend on their order
told_costs = st.sampled_from([None, None, 0, 0.25, 1, 2.5, 7])  # exact in binary: the model adds floats
bars = st.sampled_from([-0.5, 0.0, 0.5])


class CampaignMachine(RuleBasedStateMachine):
    """A campaign and its model; a subclass provides the place of the campaign."""

    names: ClassVar[int] = 0

    def make_place(self) -> Place:
        raise NotImplementedError

    @initialize(
        arms=st.lists(st.tuples(bars, st.sampled_from([1, 1, 3])), min_size=1, max_size=3),
        spare=st.integers(0, 3),
        expiry=st.sampled_from(["forfeit", "reissue"]),
        policy=st.sampled_from(["lsa", "apt", "stopping"]),
        items=st.sampled_from([0, 0, 1, 3, 8]),
        repeats=st.sampled_from([1, 1, 2, 3]),
        structure=st.sampled_from(["", ":structure=pool"]),
        seed=st.integers(0, 2**SEED_BITS - 1),
    )
    def begin(
        self,
        arms: list[tuple[float, int]],
        spare: int,
        expiry: str,
        policy: str,
        items: int,
        repeats: int,
        structure: str,
        seed: int,
    ) -> None:
        CampaignMachine.names += 1
        self.name, self.place = f"campaign {CampaignMachine.names}", self.make_place()
        self.keys: dict[str, list[Ticket]] = {}
        self.steps = 0
        names, thresholds, costs = (
            [f"arm {k}" for k in range(len(arms))],
            [bar for bar, _ in arms],
            [c for _, c in arms],
        )
        policy += structure if items and policy != "apt" else ""
        repeats = repeats if items else 1
        budget = min(sum(costs) + spare, items * repeats * sum(costs) if items else 10**9)
        self.model = CampaignModel(names, thresholds, costs, budget, LEASE, expiry, policy)
        terms: dict[str, Any] = {"lease": LEASE, "expiry": expiry, "policy": policy, "family": "gaussian"}
        # The order of the items decides which calls are possible: a run can be repeated only if Hypothesis draws it.
        with patch.object(creation, "randbits", lambda _: seed):
            self.campaign = self.place.create(
                self.name,
                arms=names,
                threshold=list(thresholds),
                pull_costs=costs,
                budget=self.model.budget,
                sigma=1.0,
                items=items or None,
                repeats=repeats,
                **terms,
            )
        if items:
            self.model.seed, self.model.pools = self.campaign.history(limit=1)[0].details.get("seed", 0), [items]
            self.model.repeats = repeats

    @rule(data=st.data())
    def step(self, data: st.DataObject) -> None:
        """Make a call that is possible now; ask and tell more often than the others."""
        model, actions = self.model, []
        # Hypothesis prefers the first of a list, so the rarest comes first.
        for states, doing in (
            (("unused",), [self.touch_the_unused]),
            (("lapsed", "forfeited"), [self.tell_late] * 3 + [self.heartbeat_of_the_expired]),
            (("out",), [self.tell] * 3 + [self.tell_many] * 2 + [self.let_time_pass] * 2 + [self.fail, self.heartbeat]),
            (("told", "void"), [self.void, self.amend, self.tell_again]),
        ):
            actions += doing if model.pulls_in(*states) else []
        actions += [self.resume] * 4 if model.status == "paused" else [self.ask] * 5
        actions += [self.ask, self.restart, self.verify, self.pause, self.archive]
        actions += [self.extend] if model.next_arm() is None else []
        actions += [self.add_arm] if len(model.arms) < 5 and sum(model.costs) < model.budget else []
        actions += [self.tell_items, self.tell_items_again] if model.pools else []
        actions += [self.add_items] if model.pools and model.pools[-1] < 12 else []
        actions += [self.retire] if len(model.retired) < len(model.arms) - 1 else []
        data.draw(st.sampled_from(actions), label="action")(data)

    def pick(self, data: st.DataObject, *states: str) -> str:
        return data.draw(st.sampled_from(self.model.pulls_in(*states)), label="ticket")

    def ask(self, data: st.DataObject) -> None:
        n, key = data.draw(st.integers(1, 4)), data.draw(st.sampled_from([None, None, "k1", "k2", "k3"]))
        tickets = self.campaign.ask(n, key=key)
        if key in self.keys:
            assert [ticket.id for ticket in tickets] == [ticket.id for ticket in self.keys[key]]
            return
        if self.model.status == "open":
            self.model.expire()
        for ticket in tickets:
            arm = self.model.next_arm()
            assert arm is not None
            if self.model.shares_items:
                arm = self.model.arms.index(ticket.arm)
                assert arm in self.model.payable()
            assert ticket.arm == self.model.arms[arm]
            item, repeat = self.model.free_items(arm)[0] if self.model.pools else (None, 1)
            expected = (None, None) if item is None else (self.item_name(item), repeat)
            assert (ticket.item, ticket.repeat) == expected
            self.model.pulls[ticket.id] = ModelPull(arm, self.model.now + LEASE, item=item, repeat=repeat)
        # With unequal pull costs a batch may end early, but not before it began.
        assert len(tickets) == n or self.model.next_arm() is None or (tickets and len({*self.model.costs}) > 1)
        if key is not None and tickets:
            self.keys[key] = tickets

    def tell(self, data: st.DataObject) -> None:
        self._tell_one(self.pick(data, "out"), data.draw(outcomes), data.draw(told_costs))

    def tell_late(self, data: st.DataObject) -> None:
        self._tell_one(self.pick(data, "lapsed", "forfeited"), data.draw(outcomes), data.draw(told_costs))

    def _tell_one(self, ticket: str, value: float, cost: float | None) -> None:
        receipt = self.campaign.tell(ticket, value, cost)
        assert not receipt.replayed
        assert (receipt.late, receipt.used, receipt.unpaid) == self.model.tell(ticket, value, cost)
        again = self.campaign.tell(ticket, value, cost)  # charges nothing, and says the same
        assert (again.replayed, again.used, again.unpaid) == (True, receipt.used, receipt.unpaid)

    def tell_many(self, data: st.DataObject) -> None:
        waiting = data.draw(st.permutations(self.model.pulls_in("out", "lapsed")))[:4]
        told = [(ticket, data.draw(outcomes), data.draw(told_costs)) for ticket in waiting]
        self.campaign.tell_many(told)
        for one in sorted(told, key=lambda one: int(one[0].split("-")[0])):  # in the order of asking
            self.model.tell(*one)

    def tell_again(self, data: st.DataObject) -> None:
        ticket = self.pick(data, "told", "void")
        value = self.model.pulls[ticket].value
        assert value is not None
        first = self.model.first[ticket]  # what its worker told, whatever it was amended to
        assert self.campaign.tell(ticket, value).replayed
        assert self.campaign.tell(ticket, first).replayed
        with pytest.raises(ConflictingOutcomeError):
            self.campaign.tell(ticket, max(value, first) + 1.0)

    def touch_the_unused(self, data: st.DataObject) -> None:
        ticket = self.pick(data, "unused")
        value = self.model.pulls[ticket].value
        assert value is not None
        assert self.campaign.tell(ticket, value).replayed
        with pytest.raises(NoOutcomeError):
            self.campaign.void(ticket)

    def let_time_pass(self, data: st.DataObject) -> None:
        seconds = data.draw(st.sampled_from([61.0, 10.0]))
        self.place.advance(seconds)
        self.model.now += seconds

    def fail(self, data: st.DataObject) -> None:
        ticket = self.pick(data, "out")
        self.campaign.fail(ticket, reason="no reason")
        self.model.pulls[ticket].state = "lapsed" if self.model.expiry == "reissue" else "forfeited"

    def heartbeat(self, data: st.DataObject) -> None:
        ticket = self.pick(data, "out")
        [renewed] = self.campaign.heartbeat(ticket)
        assert renewed is not None
        self.model.pulls[ticket].ends = self.model.now + LEASE

    def heartbeat_of_the_expired(self, data: st.DataObject) -> None:
        assert self.campaign.heartbeat(self.pick(data, "lapsed", "forfeited")) == [None]

    def void(self, data: st.DataObject) -> None:
        ticket = self.pick(data, "told", "void")
        self.campaign.void(ticket)
        self.model.pulls[ticket].state = "void"

    def amend(self, data: st.DataObject) -> None:
        ticket, value = self.pick(data, "told", "void"), data.draw(outcomes)
        pull = self.model.pulls[ticket]
        if pull.state == "void" and pull.item is not None and self.model.holder(pull.arm, pull.item, pull.repeat):
            with pytest.raises(InvalidOutcomeError, match="issued again"):
                self.campaign.amend(ticket, value)
            return
        self.campaign.amend(ticket, value)
        self.model.pulls[ticket].state, self.model.pulls[ticket].value = "told", value

    def add_arm(self, data: st.DataObject) -> None:
        self.model.arms.append(f"arm {len(self.model.arms)}")
        self.model.thresholds.append(data.draw(bars))
        self.model.costs.append(1)
        self.campaign.add_arms([self.model.arms[-1]], threshold=self.model.thresholds[-1], sigma=1.0)

    def item_name(self, item: int) -> str:
        """Return the name of an item: its number from 1, or as it was added."""
        return str(item + 1) if item < self.model.pools[0] else f"item {item}"

    def add_items(self, data: st.DataObject) -> None:
        first, more = self.model.pools[-1], data.draw(st.integers(1, 4))
        self.model.pools.append(first + more)
        self.campaign.add_items([self.item_name(item) for item in range(first, first + more)])

    def tell_items(self, data: st.DataObject) -> None:
        free = [(arm, *turn) for arm in range(len(self.model.arms)) for turn in self.model.free_items(arm)]
        chosen = data.draw(st.lists(st.sampled_from(free), max_size=2, unique=True)) if free else []
        rows = [(self.model.arms[arm], self.item_name(item), data.draw(outcomes), r) for arm, item, r in chosen]
        receipts = self.campaign.tell_items(rows, paid=False)
        assert not any(receipt.replayed for receipt in receipts)
        # Those of one call are stored in the order of arms and items.
        for (arm, item, repeat), receipt, row in sorted(
            zip(chosen, receipts, rows, strict=True), key=lambda each: each[0]
        ):
            pull = ModelPull(arm, self.model.now, "told", row[2], item, repeat, is_paid=False)
            self.model.pulls[receipt.ticket] = pull
            self.model.told.append(receipt.ticket)
            self.model.first[receipt.ticket] = row[2]

    def tell_items_again(self, data: st.DataObject) -> None:
        told = [ticket for ticket in self.model.pulls_in("told") if self.model.pulls[ticket].value is not None]
        if told:
            pull = self.model.pulls[data.draw(st.sampled_from(told))]
            assert pull.item is not None
            assert pull.value is not None
            arm, item = self.model.arms[pull.arm], self.item_name(pull.item)
            again = self.campaign.tell_items([(arm, item, pull.value, pull.repeat)])
            assert [receipt.replayed for receipt in again] == [True]
            with pytest.raises(ConflictingOutcomeError):
                self.campaign.tell_items([(arm, item, pull.value + 1.0, pull.repeat)])

    def retire(self, data: st.DataObject) -> None:
        arm = data.draw(st.integers(0, len(self.model.arms) - 1))
        self.campaign.retire(self.model.arms[arm])
        self.model.retired.add(arm)

    def extend(self, data: st.DataObject) -> None:
        more = data.draw(st.integers(1, 4))
        self.campaign.extend(more)
        self.model.extend(more)

    def pause(self, data: st.DataObject) -> None:
        self.campaign.pause()
        self.model.status = "paused"

    def resume(self, data: st.DataObject) -> None:
        self.campaign.resume()
        self.model.status = "open"

    def archive(self, data: st.DataObject) -> None:
        self.campaign.archive()
        for call in (self.campaign.ask, self.campaign.pause, lambda: self.campaign.retire(self.model.arms[0])):
            with pytest.raises(CampaignArchivedError):
                call()
        self.campaign.unarchive()

    def restart(self, data: st.DataObject) -> None:
        self.campaign.disconnect()
        self.campaign = self.place.open(self.name)

    def verify(self, data: st.DataObject) -> None:
        self.campaign.verify()

    def teardown(self) -> None:
        if hasattr(self, "campaign"):
            self.campaign.disconnect()

    @invariant()
    def campaign_equals_model(self) -> None:
        now = self.campaign.standing
        assert (now.budget, now.spent, now.outstanding) == (self.model.budget, self.model.spent, self.model.outstanding)
        assert now.spent + now.outstanding <= now.budget
        self.steps += 1
        if self.steps % 5 == 0:
            self.compare_verdicts()

    def compare_verdicts(self) -> None:
        for arm, row in enumerate(self.campaign.verdicts()):
            values = self.model.values(arm)
            total = 0.0
            for value in values:
                total += value
            assert (row.arm, row.pulls) == (self.model.arms[arm], len(values))
            mean = total / len(values) if values else None
            if self.model.pools:  # added in the order of the items
                assert row.raw_mean == (None if mean is None else pytest.approx(mean, abs=1e-6))
            else:
                assert row.mean == mean  # bit for bit
