"""Many workers at once: exactly the budget is told, in every setting."""

from collections.abc import Callable

import pytest

from tests.support.chaos.account import Account
from tests.support.chaos.nursery import Nursery
from tests.support.chaos.workers import begin

STORES = ["sqlite", pytest.param("postgresql", marks=pytest.mark.xdist_group("postgres"))]
PROCESSES = 8


@pytest.mark.parametrize("database", STORES, indirect=True)
@pytest.mark.parametrize("workers", [8, 64, 256])
def test_exactly_the_budget_is_told(
    workers: int, database: str, nursery: Nursery, often: Callable[[int, int], int], figure: Callable[[str, str], None]
) -> None:
    budget, threads = often(80, 1000), workers // PROCESSES
    campaign = begin(database, budget=budget)
    target = "tests.support.chaos.workers:work_as_crowd"
    crowds = [nursery.start(target, database, "c", threads=threads) for _ in range(PROCESSES)]
    account, told = Account(), list[str]()
    for crowd in crowds:
        crowd.wait_for("end")
        account.take(crowd.join())
        told += [report["told"] for report in crowd.reports if "told" in report]
    findings = account.compare(campaign, is_complete=False)
    assert (findings.lost, findings.doubled, findings.told) == (0, 0, budget)
    assert len(told) == len(set(told)) == budget
    assert (campaign.spent, campaign.outstanding, campaign.ask()) == (budget, 0, None)
    campaign.disconnect()
    store = database.partition(":")[0]
    figure("budget", f"{store}: {workers} workers in {PROCESSES} processes, budget {budget}: {findings.told} told")
