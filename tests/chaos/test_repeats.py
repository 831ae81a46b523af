"""Outcomes told again and again, in any order, by any worker: the statistics are those of a clean run."""

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.chaos.workers import begin
from thresher.campaign import Campaign

STORES = ["sqlite", pytest.param("postgresql", marks=pytest.mark.xdist_group("postgres"))]
THREADS, BATCH = 8, 20


@pytest.mark.parametrize("database", STORES, indirect=True)
def test_repeats_leave_the_statistics_of_a_clean_run(
    database: str, often: Callable[[int, int], int], figure: Callable[[str, str], None], rng: random.Random
) -> None:
    budget, sent = often(60, 1000), 0
    clean, noisy = begin(database, "clean", budget=budget), begin(database, "noisy", budget=budget)
    others = [Campaign.open(database, "noisy") for _ in range(THREADS)]
    with ThreadPoolExecutor(THREADS) as pool:
        for _ in range(budget // BATCH):
            pairs = [(one, two, eighths(rng)) for one, two in zip(clean.ask(BATCH), noisy.ask(BATCH), strict=True)]
            assert [one.arm for one, _, _ in pairs] == [two.arm for _, two, _ in pairs]
            clean.tell_many([(one, value) for one, _, value in pairs])
            tells = [(two, value) for _, two, value in pairs for _ in range(rng.randint(2, 5))]
            rng.shuffle(tells)
            receipts = list(pool.map(lambda told: rng.choice(others).tell(*told), tells))
            assert sum(not receipt.replayed for receipt in receipts) == BATCH
            sent += len(tells)
    rows = [[(row.arm, row.pulls, row.mean) for row in campaign.verdicts()] for campaign in (clean, noisy)]
    assert rows[0] == rows[1]  # bit for bit
    assert (noisy.spent, noisy.outstanding) == (budget, 0)
    for campaign in (clean, noisy, *others):
        campaign.verify()
        campaign.disconnect()
    store = database.partition(":")[0]
    figure("repeats", f"{store}: {budget} outcomes told {sent} times by {THREADS} threads: the same bit for bit")


def eighths(rng: random.Random) -> float:
    """Return an outcome whose sums are exact, so they do not depend on the order of outcomes."""
    return rng.randint(-16, 16) / 8.0
