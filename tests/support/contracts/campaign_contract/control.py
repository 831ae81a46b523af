"""A control as the bar: its keys move with every outcome, it has no verdict, and wrong input is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support.contracts.campaign_contract.place import Place
from thresher.campaign import Campaign
from thresher.errors import InvalidInputError, ThresherError, UnknownNameError

RATES = {"today": 0.5, "better": 0.9, "worse": 0.1}


def make_variants(place: Place, **given: Any) -> Campaign:
    """Return a campaign of two variants with a control."""
    usual: dict[str, Any] = {"name": "variants", "arms": [*RATES], "control": "today", "budget": 300, "lease": 60}
    return place.create(**(usual | given))


class ControlContract:
    """A control as the bar of all other arms."""

    @pytest.mark.parametrize(
        ("margin", "shown"), [(0, "0"), (-0.05, "-0.05"), ("-2%", "-2%"), ("+0.10", "0.1"), ("1e-2", "0.01")]
    )
    def test_a_margin_is_kept_as_a_plain_number_or_share(self, place: Place, margin: Any, shown: str) -> None:
        assert make_variants(place, margin=margin).terms.margin == shown
        assert place.open("variants").terms.margin == shown

    @pytest.mark.parametrize(("margin", "shown"), [(-0.05, "-0.05"), ("-2%", "-2%")])
    def test_variants_are_compared_with_the_control_which_has_no_row(
        self, place: Place, margin: Any, shown: str
    ) -> None:
        campaign, rng = make_variants(place, margin=margin), np.random.default_rng(1)
        for ticket in campaign.tickets():
            campaign.tell(ticket, bool(rng.random() < RATES[ticket.arm]))
        found = campaign.verdicts()
        assert [(row.arm, row.verdict) for row in found] == [("better", "above"), ("worse", "below")]
        assert found.control is not None
        assert (found.control.arm, found.control.margin) == ("today", shown)
        assert found.control.pulls + sum(row.pulls for row in found) == 300
        assert found.control.mean is not None
        for row in found:
            assert row.mean is not None
            assert row.difference is not None
            assert row.lift is not None
            assert row.difference == pytest.approx(row.mean - found.control.mean)
            assert row.lift == pytest.approx(100 * (row.mean / found.control.mean - 1))
            compared = row.lift if shown.endswith("%") else row.difference
            assert row.low < compared < row.high
            assert row.lift_low is not None
            assert row.lift_low < row.lift < (row.lift_high or float("inf"))
        assert place.open("variants").terms.margin == shown
        campaign.verify()

    def test_tickets_corrections_and_expired_leases_leave_rows_that_the_log_gives(self, place: Place) -> None:
        campaign, rng, told = make_variants(place, margin=-0.1), np.random.default_rng(2), list[str]()
        for step in range(40):
            tickets = campaign.ask(int(rng.integers(1, 4)))
            for ticket in tickets[int(rng.integers(2)) :]:
                campaign.tell(ticket, bool(rng.random() < RATES[ticket.arm]))
                told.append(ticket.id)
            if step % 5 == 0:
                campaign.void(told[int(rng.integers(len(told)))])
            if step % 7 == 0:
                campaign.amend(told[int(rng.integers(len(told)))], 1)
            if step % 11 == 0:
                place.advance(61)
        campaign.tell_counts("today", n=5, total=2, paid=False)
        campaign.add_arms(["late"])
        campaign.retire("worse")
        assert {ticket.arm for ticket in campaign.ask(20)} <= {"today", "better", "late"}
        campaign.verify()
        assert [row.arm for row in campaign.verdicts()] == ["better", "worse", "late"]

    def test_who_stays_open_asks_what_one_who_comes_anew_would_ask(self, place: Place) -> None:
        asked = []
        for name, stays in (("staying", True), ("anew", False)):
            first = make_variants(place, name=name, arms=[*RATES, *"abcdefgh"], pull_costs=[2, 1, 1, *[1.5] * 8])
            handles, rng, arms = [first, place.open(name)], np.random.default_rng(3), list[list[str]]()
            for step in range(40):
                mine = handles[int(rng.integers(2))]
                held = mine if stays else place.open(name)
                tickets = held.ask(int(rng.integers(1, 9)))
                arms.append([ticket.arm for ticket in tickets])
                for ticket in tickets[int(rng.integers(3)) :]:
                    held.tell(ticket, bool(rng.random() < RATES.get(ticket.arm, 0.5)))
                if step == 10:
                    held.tell_counts("today", n=7, total=5)
                if step == 20:
                    held.add_arms(["late"])
                    held.retire("b")
                if step == 30:
                    place.advance(61)
                assert first.standing.is_open
            asked.append(arms)
        assert asked[0] == asked[1]
        assert {arm for arms in asked[0] for arm in arms} >= {"today", "late"}

    def test_items_that_arms_and_control_share_adjust_their_means(self, place: Place) -> None:
        rng = np.random.default_rng(4)
        easy = rng.random(60) < 0.5
        campaign = make_variants(place, arms=["today", *"abcdefg"], items=60, budget=300)
        for ticket in campaign.tickets():
            assert ticket.item is not None
            chance = 0.9 if easy[int(ticket.item) - 1] else 0.1
            campaign.tell(ticket, bool(rng.random() < chance))
        assert "refitted" in [entry.kind for entry in campaign.history()]
        found = campaign.verdicts()
        assert found.control is not None
        assert any(row.mean != row.raw_mean for row in found)
        for row in found:
            assert row.mean is not None
            assert row.difference is not None
            assert found.control.mean is not None
            assert row.difference == pytest.approx(row.mean - found.control.mean)
            assert row.certain or row.verdict == ("above" if row.difference > 0.0 else "below")
        campaign.verify()

    @pytest.mark.parametrize(
        "given",
        [
            {"control": "tomorrow"},
            {"arms": ["today"]},
            {"margin": "a lot"},
            {"margin": "-100%"},
            {"margin": float("nan")},
            {"margin": None},
            {"margin": 1.0},
            {"threshold": 0.5},
            {"arms": {"arm": ["today", "a"], "threshold": [0.5, None]}},
            {"control": "", "margin": 0.1, "threshold": 0.5},
            {"control": ""},
            {"family": "two-point"},
            {"goal": "decide"},
            {"policy": "apt"},
            {"policy": "stopping:prior_a=1,prior_b=1"},
        ],
        ids=str,
    )
    def test_a_control_that_cannot_be_one_is_refused(self, place: Place, given: dict[str, Any]) -> None:
        with pytest.raises(ThresherError):
            make_variants(place, **given)
        assert place.standings() == []

    def test_the_control_cannot_be_retired_and_no_bar_can_be_added(self, place: Place) -> None:
        campaign = make_variants(place)
        events = campaign.standing.events
        with pytest.raises(InvalidInputError, match="must not be the control"):
            campaign.retire("today")
        with pytest.raises(InvalidInputError, match="left out with a control"):
            campaign.add_arms(["late"], threshold=0.5)
        with pytest.raises(UnknownNameError):
            campaign.tell_counts("tomorrow", n=1, total=1)
        assert campaign.standing.events == events

    def test_before_the_control_is_measured_there_is_no_verdict(self, place: Place) -> None:
        campaign = make_variants(place)
        campaign.tell_counts("better", n=10, total=9)
        found = campaign.verdicts()
        assert [(row.verdict, row.difference) for row in found] == [("undecided", None)] * 2
        assert found.control is not None
        assert found.control.mean is None
        assert "not measured" in found.summary
