"""How long an ask takes beside thousands of idle connections and hundreds of event streams, on loopback.

The median of an ask beside 2,000 idle connections and 500 streams must be at most 3 times that of an idle service, and
the memory of the service must stay flat while it answers. About a minute.
"""

import argparse
import json
import os
import platform
import resource
import selectors
import socket
import statistics
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from threading import Event, Thread

from benchmarks.service.bench_http import ARMS, BUDGET, Caller
from tests.support.service_process import ServiceProcess, keyring_of
from thresher.campaign import Campaign
from thresher.campaign.storage import open_storage

IDLE, STREAMS, ASKS, WARM_UP = 2000, 500, 10_000, 30
AT_MOST = 3.0
SPARE = 200  # file descriptors besides those of connections
SECONDS = 60  # in which a client must send a request, so that idle connections stay open


class Streams:
    """Open event streams, read by a thread so that the service can write on.

    Parameters
    ----------
    sockets : list of socket.socket
    """

    def __init__(self, sockets: list[socket.socket]) -> None:
        self._selector, self._ended = selectors.DefaultSelector(), Event()
        for each in sockets:
            self._selector.register(each, selectors.EVENT_READ)
        self.bytes, self.closed = 0, 0
        self._thread = Thread(target=self._read)
        self._thread.start()

    def _read(self) -> None:
        while not self._ended.is_set():
            for key, _ in self._selector.select(0.1):
                assert isinstance(key.fileobj, socket.socket)
                found = key.fileobj.recv(65_536)
                self.bytes += len(found)
                if not found:
                    self.closed += 1
                    self._selector.unregister(key.fileobj)

    def close(self) -> None:
        """Read no more."""
        self._ended.set()
        self._thread.join()


def times_of_asks(caller: Caller, asks: int) -> tuple[float, float]:
    """Return the median and the 99th percentile of the time of an ask for one ticket, in milliseconds."""
    times = []
    for _ in range(asks):
        start = time.perf_counter()
        assert len(caller.post("/api/v1/campaigns/c/ask", {"n": 1})["tickets"]) == 1
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times), statistics.quantiles(times, n=100)[98]


def resident_megabytes(process: int) -> float:
    """Return the resident memory of a process."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def connect(port: int, request: bytes = b"") -> socket.socket:
    """Return an open connection on which that much was sent."""
    made = socket.create_connection(("127.0.0.1", port), timeout=30)
    made.sendall(request)
    return made


def measure(folder: Path, *, idle: int, streams: int, asks: int) -> dict[str, float]:
    """Return the medians of asks without and with the load, and the memory of the service."""
    db = f"sqlite:///{folder}/campaigns.db"
    storage = open_storage(db, create=True)
    Campaign.create(storage, "c", arms=[f"arm {k}" for k in range(ARMS)], threshold=0.5, budget=BUDGET)
    token = keyring_of(storage).new_token("work", campaign="c")
    storage.close()
    limit = idle + streams + SPARE
    words = [
        "--log-level",
        "warning",
        "--token-rate",
        "0",
        "--max-connections",
        str(limit),
        "--request-timeout",
        str(SECONDS),
    ]
    with ExitStack() as stack:
        server = stack.enter_context(ServiceProcess(db, folder, *words, descriptors=2 * limit + SPARE))
        caller = Caller(server.port, token)
        times_of_asks(caller, WARM_UP)
        alone, alone_99 = times_of_asks(caller, asks)
        head = f"GET /api/v1/campaigns/c/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\r\n"
        opened = [stack.enter_context(connect(server.port, head.encode())) for _ in range(streams)]
        reading = Streams(opened)
        stack.callback(reading.close)
        waiting = [stack.enter_context(connect(server.port)) for _ in range(idle)]
        times_of_asks(caller, WARM_UP)
        memory, read = [resident_megabytes(server.process.pid)], reading.bytes
        loaded, loaded_99 = times_of_asks(caller, asks)
        memory.append(resident_megabytes(server.process.pid))
        times_of_asks(caller, asks)
        memory.append(resident_megabytes(server.process.pid))
        return {
            "idle_service_ms": alone,
            "loaded_service_ms": loaded,
            "idle_service_99_ms": alone_99,
            "loaded_service_99_ms": loaded_99,
            "ratio": loaded / alone,
            "memory_before_mb": memory[0],
            "memory_after_mb": memory[1],
            "memory_after_twice_mb": memory[2],
            "stream_bytes": reading.bytes - read,
            "closed_streams": reading.closed,
            "closed_idle": sum(_is_closed(each) for each in waiting),
        }


def _is_closed(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False


def main() -> None:
    """Print the figures, or one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--idle", type=int, default=IDLE)
    parser.add_argument("--streams", type=int, default=STREAMS)
    parser.add_argument("--asks", type=int, default=ASKS)
    given = parser.parse_args()
    needed = given.idle + given.streams + SPARE
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(max(2 * needed + SPARE, 1024), hard), hard))
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), idle=given.idle, streams=given.streams, asks=given.asks)
    if given.json:
        print(json.dumps({"python": platform.python_version(), "cores": os.cpu_count()} | vars(given) | found))
        return
    print(f"{given.asks} asks beside {given.idle:,} idle connections and {given.streams} streams:")
    print(f"  median, idle service    {found['idle_service_ms']:8.2f} ms")
    print(f"  median, loaded service  {found['loaded_service_ms']:8.2f} ms {found['ratio']:6.2f} x   at most {AT_MOST}")
    print(f"  99th percentile, idle   {found['idle_service_99_ms']:8.2f} ms")
    print(f"  99th percentile, loaded {found['loaded_service_99_ms']:8.2f} ms")
    memory = ", ".join(f"{found[f'memory_{when}_mb']:.1f}" for when in ("before", "after", "after_twice"))
    print(f"  memory of the service   {memory} MB before, after these asks and after as many again")
    print(f"  sent on streams         {found['stream_bytes'] / 1e6:8.1f} MB")
    print(
        f"  closed by the service   {found['closed_streams']:.0f} streams, {found['closed_idle']:.0f} idle connections"
    )


if __name__ == "__main__":
    main()
