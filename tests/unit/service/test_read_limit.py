"""Reads take turns: so many run, so many wait, one more is refused."""

import asyncio

import pytest

from thresher.service.problem_details import BusyError
from thresher.service.read_limit import ReadLimit


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
