"""One call for all who want the same at the same time."""

import asyncio
from functools import partial

import pytest

from thresher.service.single_flight import SingleFlight


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
