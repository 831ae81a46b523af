"""Limits on requests: how many run at a time, and in a second."""

import asyncio
from functools import partial
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from thresher.campaign import Campaign
from thresher.campaign.storage import MemoryStorage
from thresher.campaign.storage.tokens import token_table
from thresher.errors import InvalidInputError
from thresher.service import Settings, create_app
from thresher.service.problem_details import BusyError, TokenLimitError
from thresher.service.request_limits import RateLimit, ReadLimit, SingleFlight, TokenLimit
from thresher.service.settings import API
from thresher.service.tokens import Keyring


def test_those_who_wait_for_one_key_share_a_call_and_the_next_one_starts_another() -> None:
    started: list[str] = []
    flights: SingleFlight[int] = SingleFlight()

    async def call(key: str) -> int:
        started.append(key)
        await asyncio.sleep(0)
        return len(started)

    async def work() -> None:
        keys = ["a", "a", "b", "a"]
        assert await asyncio.gather(*(flights.run(key, partial(call, key)) for key in keys)) == [2, 2, 2, 2]
        assert started == ["a", "b"]
        assert await flights.run("a", lambda: call("a")) == 3

    asyncio.run(work())


def test_one_who_is_cancelled_leaves_the_call_to_the_others() -> None:
    flights: SingleFlight[int] = SingleFlight()

    async def work() -> int:
        end: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        async def call() -> int:
            return await end

        gone, stays = (asyncio.create_task(flights.run("a", call)) for _ in range(2))
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.sleep(0)
        end.set_result(7)
        assert (await asyncio.gather(gone, return_exceptions=True))[0].__class__ is asyncio.CancelledError
        return await stays

    assert asyncio.run(work()) == 7


def test_everyone_gets_the_error_of_a_call() -> None:
    flights: SingleFlight[int] = SingleFlight()

    async def call() -> int:
        raise LookupError("gone")

    async def work() -> None:
        with pytest.raises(LookupError):
            await flights.run("a", call)
        with pytest.raises(LookupError):
            await flights.run("a", call)

    asyncio.run(work())


def test_reads_beyond_the_limits_wait_or_are_refused() -> None:
    async def play() -> None:
        limit, begun, go_on = ReadLimit(running=2, waiting=1), list[int](), asyncio.Event()

        async def read(number: int) -> None:
            async with limit.read():
                begun.append(number)
                await go_on.wait()

        tasks = [asyncio.create_task(read(number)) for number in range(3)]
        await asyncio.sleep(0)
        assert begun == [0, 1]
        with pytest.raises(BusyError, match="2 such reads are running"):
            await read(3)
        go_on.set()
        await asyncio.gather(*tasks)
        assert begun == [0, 1, 2]
        await read(4)

    asyncio.run(play())


def test_one_who_gives_up_waiting_makes_room() -> None:
    async def play() -> None:
        limit = ReadLimit(running=1, waiting=1)

        async def read() -> str:
            async with limit.read():
                return "done"

        async with limit.read():
            waiter = asyncio.create_task(read())
            await asyncio.sleep(0)
            waiter.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiter
            successor = asyncio.create_task(read())
            await asyncio.sleep(0)
            assert not successor.done()
        assert await successor == "done"

    asyncio.run(play())


def test_a_token_has_its_part_of_the_connections_and_others_have_theirs() -> None:
    limit = TokenLimit(8, parts=4, what="streams")
    with limit.hold("a"), limit.hold("a"):
        with pytest.raises(TokenLimitError) as refused, limit.hold("a"):
            pass
        assert (refused.value.status_code, refused.value.detail[:30]) == (429, "2 streams of this token are op")
        with limit.hold("b"):
            limit.connections = 4  # fewer file descriptors than hoped for
            with pytest.raises(TokenLimitError), limit.hold("b"):
                pass
    with limit.hold("a"):
        pass
    assert not limit._open


def test_sessions_share_the_limits_of_the_token_that_opened_them() -> None:
    keyring = Keyring(token_table(MemoryStorage()))
    token = keyring.new_token("read")
    sessions = [keyring.open_session(token) or "" for _ in range(2)]
    callers = [keyring.check(token, kind="token"), *(keyring.check(one, kind="session") for one in sessions)]
    assert {caller and caller.owner for caller in callers} == {token.split("_")[1]}


def app_with(**rates: Any) -> FastAPI:
    app = create_app(MemoryStorage(), Settings(hosts=("testserver",), **rates))
    Campaign.create(app.state.registry.storage, "c", arms=["a"], threshold=0.5, budget=9)
    return app


def statuses(client: TestClient, times: int, token: str = "", path: str = "/campaigns/c") -> list[int]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return [client.get(API + path, headers=headers).status_code for _ in range(times)]


@pytest.fixture(autouse=True)
def _stopped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no second pass between the requests of a test."""
    monkeypatch.setattr("limits.storage.memory.time.time", lambda: 1e9)


def test_a_token_is_limited_by_itself_with_its_sessions() -> None:
    app = app_with(token_rate=3)
    first, second = (app.state.keyring.new_token("admin") for _ in range(2))
    session = app.state.keyring.open_session(first)
    with TestClient(app) as client:
        assert statuses(client, 4, first) == [200, 200, 200, 429]
        assert statuses(client, 1, second) == [200]
        answer = client.get(f"{API}/campaigns/c", headers={"Authorization": f"Bearer {first}"})
        assert (answer.headers["retry-after"], answer.headers["content-type"]) == ("1", "application/problem+json")
        assert "More than 3 requests of this token in a second" in answer.json()["detail"]
        client.cookies.set("thresher_session_80", session)
        assert statuses(client, 1) == [429]


def test_requests_without_a_valid_token_are_limited_and_do_not_lock_out_the_others() -> None:
    app = app_with(address_rate=3)
    token = app.state.keyring.new_token("read")
    with TestClient(app) as client:
        assert statuses(client, 1, token) == [200]  # from now on the server knows it
        assert statuses(client, 2, "wrong") + statuses(client, 2) == [401, 401, 401, 429]
        assert statuses(client, 4, token) == [200] * 4
        assert statuses(client, 1, app.state.keyring.new_token("read")) == [429]
        # Probes are counted by themselves.
        assert statuses(client, 4, path="/health") == [200, 200, 200, 429]
        assert statuses(client, 1, path="/ready") == [200]


def test_a_revoked_token_is_a_stranger_again() -> None:
    app = app_with(address_rate=1)
    token = app.state.keyring.new_token("read")
    with TestClient(app) as client:
        assert statuses(client, 1, token) == [200]
        app.state.keyring.revoke(token.split("_")[1])
        assert statuses(client, 2, token) == [401, 429]


def test_zero_is_no_limit() -> None:
    app = app_with(token_rate=0, address_rate=0)
    with TestClient(app) as client:
        assert set(statuses(client, 50)) == {401}
        assert set(statuses(client, 50, app.state.keyring.new_token("read"))) == {200}
    assert RateLimit(0).hit("x")


@pytest.mark.parametrize("wrong", [{"token_rate": -1}, {"address_rate": 100_001}])
def test_a_rate_out_of_range_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError, match="must be a number of requests per second"):
        Settings(**wrong)
