"""Waiting: one poll for all waiting requests, which do not affect each other and end when the server stops."""

import asyncio
import time
from collections.abc import Coroutine
from typing import Any

import pytest

from thresher.campaign import Campaign
from thresher.campaign.storage import MemoryStorage
from thresher.errors import StorageUnavailableError, UnknownCampaignError
from thresher.service import Settings
from thresher.service.authentication import UnauthenticatedError
from thresher.service.campaign_registry import CampaignRegistry, Glimpse, ServedCampaign
from thresher.service.request_log import Metrics
from thresher.service.tokens import REMEMBERED
from thresher.service.watch import Watch

PAUSE = 0.02
LONG = 60.0  # longer than any wait in these tests


class Setting:
    """A campaign whose budget is in flight, and its watch."""

    def __init__(self) -> None:
        storage = MemoryStorage()
        self.campaign = Campaign.create(storage, "c", arms=["a", "b"], threshold=0.5, budget=2)
        self.held = self.campaign.ask(2)
        self.registry, self.numbers = CampaignRegistry(storage), Metrics()
        self.served = self.registry.open("c")
        self.watch = Watch(self.numbers, pause=PAUSE)

    @property
    def watchers(self) -> float:
        return float(self.numbers.watchers._value.get())


@pytest.fixture
def setting() -> Setting:
    return Setting()


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """Return what comes of some work, which does not take long."""
    return asyncio.run(asyncio.wait_for(work, LONG))


async def admit() -> None:
    """Admit every caller."""


class Admission:
    """Lets callers stay until they are revoked."""

    is_revoked = False

    async def __call__(self) -> None:
        if self.is_revoked:
            raise UnauthenticatedError


async def until(is_so: Any) -> None:
    """Wait until something is so."""
    while not is_so():
        await asyncio.sleep(0.005)


def test_all_who_wait_share_one_look(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = 0
    glimpse = ServedCampaign.glimpse

    def counted(served: ServedCampaign) -> Glimpse:
        nonlocal looks
        looks += 1
        return glimpse(served)

    monkeypatch.setattr(ServedCampaign, "glimpse", counted)

    async def work() -> list[Glimpse]:
        waits = [
            asyncio.create_task(setting.watch.until_ready(setting.served, seconds=LONG, admit=admit)) for _ in range(50)
        ]
        await until(lambda: setting.watchers == 50)
        begun, started = looks, time.monotonic()
        await until(lambda: looks >= begun + 5)
        assert looks - begun <= (time.monotonic() - started) / PAUSE + 2  # each would look 50 times as often
        assert not any(wait.done() for wait in waits)
        setting.campaign.fail(setting.held[0])
        return list(await asyncio.gather(*waits))

    found = run(work())
    assert all(one.is_ready for one in found)
    assert setting.watchers == 0


def test_one_who_hangs_up_does_not_end_the_wait_of_the_others(setting: Setting) -> None:
    async def work() -> Glimpse:
        gone, stays = (
            asyncio.create_task(setting.watch.until_ready(setting.served, seconds=LONG, admit=admit)) for _ in range(2)
        )
        await until(lambda: setting.watchers == 2)
        gone.cancel()
        await until(lambda: setting.watchers == 1)
        setting.campaign.fail(setting.held[0])
        return await stays

    assert run(work()).is_ready


def test_a_wait_ends_when_its_time_is_up_and_when_the_server_stops(setting: Setting) -> None:
    assert not run(setting.watch.until_ready(setting.served, seconds=0.05, admit=admit)).is_ready

    async def work() -> tuple[list[Any], bool]:
        served = setting.served
        wait = asyncio.create_task(setting.watch.ask(served, 1, key=None, seconds=LONG, admit=admit))
        await until(lambda: setting.watchers == 1)
        setting.watch.stop()
        return await wait

    assert run(work()) == ([], True)


def test_an_ask_that_waits_is_counted_once_it_has_its_ticket(setting: Setting) -> None:
    async def work() -> tuple[list[Any], bool]:
        wait = asyncio.create_task(setting.watch.ask(setting.served, 5, key="k", seconds=LONG, admit=admit))
        await until(lambda: setting.watchers == 1)
        setting.campaign.fail(setting.held[1])
        return await wait

    tickets, is_open = run(work())
    assert ([ticket.arm for ticket in tickets], is_open) == (["b"], True)
    assert setting.numbers.tickets._value.get() == 1


def test_a_stream_ends_when_the_database_goes_away(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(_: ServedCampaign) -> Glimpse:
        raise StorageUnavailableError("gone", instead="wait")

    async def work() -> list[int]:
        seen = []
        async for glimpse in setting.watch.changes(setting.served, admit=admit):
            assert glimpse is not None
            seen.append(glimpse.standing.events)
            monkeypatch.setattr(ServedCampaign, "glimpse", away)
        return seen

    assert run(work()) == [3]
    assert setting.watchers == 0


def test_a_campaign_that_is_not_there_is_not_waited_for(setting: Setting) -> None:
    with pytest.raises(UnknownCampaignError):
        run(setting.watch.until_ready(setting.registry.open("nothing"), seconds=LONG, admit=admit))


def test_a_revoked_caller_waits_no_longer_and_gets_no_ticket(setting: Setting) -> None:
    async def work() -> list[Any]:
        admission = Admission()
        ask = setting.watch.ask(setting.served, 2, key=None, seconds=LONG, admit=admission)
        read = setting.watch.until_ready(setting.served, seconds=LONG, admit=admission)
        waits = [asyncio.create_task(one) for one in (ask, read)]
        await until(lambda: setting.watchers == 2)
        admission.is_revoked = True
        setting.campaign.fail(setting.held[0])  # a ticket is to be had at the same moment
        return await asyncio.gather(*waits, return_exceptions=True)

    assert [type(one) for one in run(work())] == [UnauthenticatedError, UnauthenticatedError]
    assert setting.campaign.standing.outstanding == 1
    assert setting.watchers == 0


def test_a_stream_ends_when_its_caller_is_revoked(setting: Setting) -> None:
    async def work() -> list[int]:
        admission, seen = Admission(), []
        async for glimpse in setting.watch.changes(setting.served, admit=admission):
            assert glimpse is not None
            seen.append(glimpse.standing.events)
            admission.is_revoked = True
            setting.campaign.fail(setting.held[0])
        return seen

    assert run(work()) == [3]
    assert setting.watchers == 0


def test_a_revocation_is_noticed_within_a_second() -> None:
    assert REMEMBERED + Settings().pause < 1  # at most: just looked up, and just looked at the campaign
