"""Every interleaving of calls, on every storage, against a model: 600 steps each, 2,000 in `make chaos`."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.support.contracts.campaign_contract import Place
from tests.support.contracts.campaign_machine import CampaignMachine
from tests.support.places import MemoryPlace, PostgresPlace, SqlitePlace

RUNS, MORE_RUNS = 15, 48
SETTINGS: dict[str, Any] = {
    "stateful_step_count": 50,
    "suppress_health_check": list(HealthCheck),
    "deadline": None,
    "print_blob": True,
}


@pytest.fixture
def run_machine(
    record_property: Callable[[str, object], None], request: pytest.FixtureRequest
) -> Callable[[Callable[[], Place]], None]:
    """Run the machine on campaigns of a place; the steps are counted for the table of `make chaos`."""

    def run(make: Callable[[], Place]) -> None:
        steps = 0

        class Machine(CampaignMachine):
            def make_place(self) -> Place:
                return make()

            def teardown(self) -> None:
                nonlocal steps
                steps += getattr(self, "steps", 1) - 1  # the beginning is none
                super().teardown()

        runs = MORE_RUNS if request.config.option.full else RUNS
        run_state_machine_as_test(Machine, settings=settings(max_examples=runs, **SETTINGS))
        where = request.node.name.rpartition("_")[2]
        record_property("figure", f"every interleaving\t{where}: {steps} steps compared with a model, no difference")
        assert steps >= 40 * runs

    return run


@pytest.mark.nightly
def test_in_memory(run_machine: Callable[[Callable[[], Place]], None]) -> None:
    run_machine(MemoryPlace)


def test_on_sqlite(run_machine: Callable[[Callable[[], Place]], None], sqlite_place: SqlitePlace) -> None:
    run_machine(lambda: sqlite_place)


@pytest.mark.xdist_group("postgres")
def test_on_postgres(run_machine: Callable[[Callable[[], Place]], None], postgres_place: PostgresPlace) -> None:
    run_machine(lambda: postgres_place)
