import numpy as np
import pytest

from thresher.campaign import Campaign
from thresher.campaign.ledger import Arm, Ledger
from thresher.campaign.ledger.rows import CLOSED
from thresher.campaign.verdict_pipeline import Progress, progress_of


def arm(position: int, pulls: int = 0, *, cost: int = 1_000_000, retired: int = 0) -> Arm:
    return Arm(position, f"arm {position}", 0.5, 1.0, 1.0, cost, pulls=pulls, retired=retired)


def share(arms: list[Arm], **ledger: object) -> float:
    told = sum(each.pulls for each in arms)
    return progress_of(Ledger(arms=len(arms), told=told, **ledger), arms).share  # type: ignore[arg-type]


def test_the_share_told_counts_what_the_rest_of_the_budget_can_pay_for() -> None:
    two = [arm(0, 10), arm(1, 10)]
    assert share(two, budget=80_000_000, spent=20_000_000) == pytest.approx(0.25)
    # Tickets in flight are not told; outcomes that were told for free count.
    assert share(two, budget=80_000_000, spent=20_000_000, reserved=30_000_000) == pytest.approx(0.25)
    assert share([arm(0, 30), arm(1, 30)], budget=80_000_000, spent=20_000_000) == pytest.approx(0.5)
    # At the mean cost of the arms that can be measured; a rest that pays for none of them is nothing.
    assert share([arm(0, 10), arm(1, 10, cost=3_000_000)], budget=80_000_000, spent=40_000_000) == pytest.approx(0.5)
    assert share([arm(0, 10), arm(1, 10, cost=3_000_000, retired=1)], budget=60_000_000, spent=40_000_000) == 0.5
    assert share(two, budget=20_500_000, spent=20_000_000) == 1.0


def test_nothing_more_can_be_told_in_a_closed_campaign_without_arms_to_measure_or_without_items() -> None:
    two = [arm(0, 10), arm(1, 10)]
    assert share(two, budget=80_000_000, spent=20_000_000, status=CLOSED) == 1.0
    assert share([each.retire() for each in two], budget=80_000_000, spent=20_000_000) == 1.0
    assert share(two, budget=80_000_000, spent=20_000_000, pools="10") == 1.0
    assert share(two, budget=80_000_000, spent=20_000_000, pools="12") == pytest.approx(20 / 24)


def test_arms_decided_at_the_end_of_a_budget_keep_the_risk_as_their_level() -> None:
    assert Progress(0.5).level(0.05) == 0.025
    assert Progress().level(0.05) == 0.05
    np.testing.assert_allclose(Progress(0.5, (0, 2)).levels(0.05, np.arange(3)), [0.05, 0.025, 0.05])
    assert Progress(0.0).level(0.05) > 0.0


def test_outcomes_that_cost_nothing_leave_the_level_below_the_risk_until_the_campaign_is_closed() -> None:
    campaign = Campaign.create("memory://", "imported", arms=["a", "b"], threshold=0.5, budget=40)
    campaign.tell_counts("a", n=20, total=19, paid=False)
    assert "5\u00a0% when the campaign is closed." in campaign.verdicts().summary
    [ticket] = campaign.ask(1)
    assert "5\u00a0% when the budget is spent." in campaign.verdicts().summary
    campaign.tell(ticket, 1)
    assert "5\u00a0% when the budget is spent." in campaign.verdicts().summary
    campaign.close()
    assert "Decided at a chance of error of at most 5\u00a0%." in campaign.verdicts().summary
