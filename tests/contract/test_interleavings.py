"""Every interleaving of calls, on every storage, against a model: 2,000 steps each."""

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from thresher.testing.campaign_contract import Place
from thresher.testing.campaign_machine import CampaignMachine
from thresher.testing.places import MemoryPlace, PostgresPlace, SqlitePlace

STEPS = settings(
    max_examples=40, stateful_step_count=50, suppress_health_check=list(HealthCheck), deadline=None, print_blob=True
)


def run_machine(make: Callable[[], Place]) -> None:
    class Machine(CampaignMachine):
        def make_place(self) -> Place:
            return make()

    run_state_machine_as_test(Machine, settings=STEPS)


def test_in_memory() -> None:
    run_machine(MemoryPlace)


def test_on_sqlite(sqlite_place: SqlitePlace) -> None:
    run_machine(lambda: sqlite_place)


@pytest.mark.xdist_group("postgres")
def test_on_postgres(postgres_place: PostgresPlace) -> None:
    run_machine(lambda: postgres_place)
