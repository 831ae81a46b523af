"""A real Dask cluster on loopback: a scheduler and workers, each a process of its own."""

import gc
import importlib
import json
import math
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thresher.errors import ExperimentError
from thresher.policy.index import INDICES, register_index
from thresher.research.simulation import Result, executors, job, simulate

DASK = str(Path(sys.executable).parent / "dask")
pytestmark = pytest.mark.xdist_group("dask")  # one cluster for all of them


class Cluster:
    """A scheduler and its workers."""

    def __init__(self, folder: Path, *options: str, workers: int) -> None:
        self._folder, self._options = folder, options
        self._file = folder / "scheduler.json"
        self.processes = [self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-show")]
        self.address = str(json.loads(self._wait_for(self._file))["address"])
        for _ in range(workers):
            self.add_worker()

    def _start(self, what: str, *words: str) -> subprocess.Popen[bytes]:
        # Loopback only, also for the HTTP server that --no-dashboard leaves: it would listen on every interface.
        quiet = ["--no-dashboard", "--dashboard-address", "127.0.0.1:0"]
        command = [DASK, what, *words, "--scheduler-file", str(self._file), *quiet, *self._options]
        log = (self._folder / f"{what}-{time.monotonic_ns()}.log").open("wb")
        with log:
            return subprocess.Popen(command, cwd=self._folder, stdout=log, stderr=subprocess.STDOUT)

    def _wait_for(self, file: Path) -> str:
        deadline = time.monotonic() + 60
        while not (file.is_file() and file.read_text().endswith("}")):
            logs = "\n".join(path.read_text() for path in self._folder.glob("*.log"))
            assert time.monotonic() < deadline, logs
            time.sleep(0.05)
        return file.read_text()

    def add_worker(self) -> subprocess.Popen[bytes]:
        """Start a worker of one thread, without a nanny that would start it again."""
        worker = self._start("worker", "--host", "127.0.0.1", "--nthreads", "1", "--no-nanny")
        self.processes.append(worker)
        return worker

    def close(self) -> None:
        """End every process of the cluster."""
        for process in reversed(self.processes):
            process.kill()
            process.wait()


@contextmanager
def cluster_in(folder: Path, *options: str, workers: int) -> Iterator[Cluster]:
    """Give a cluster, and end it."""
    made = Cluster(folder, *options, workers=workers)
    try:
        yield made
    finally:
        made.close()


@pytest.fixture(autouse=True)
def expected(small_pieces: None) -> Result:
    """Give what threads say; asked first, so that the workers find the kernels compiled."""
    return run()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Give a cluster of two workers."""
    with cluster_in(tmp_path_factory.mktemp("cluster"), workers=2) as made:
        yield made


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut the work into pieces of 250 runs; the workers take them as they come."""
    monkeypatch.setattr(job, "PULLS_PER_CHUNK", 250 * 1000)


def run(**options: Any) -> Result:
    """Return a simulation of 24 pieces."""
    policies = ["lsa", "stopping"]
    return simulate("linear", policies, budgets=[200, 1000], runs=3000, seed=1, **options)


def assert_same(one: Result, other: Result) -> None:
    """Compare every number of two results, bit for bit."""
    assert one.policies == other.policies
    for policy in one.policies:
        for ours, theirs in zip(one.counted[policy], other.counted[policy], strict=True):
            np.testing.assert_array_equal(ours, theirs)
            assert np.asarray(ours).dtype == np.asarray(theirs).dtype


def test_a_cluster_gives_the_same_bits_as_threads(cluster: Cluster, expected: Result) -> None:
    assert_same(run(executor="dask", address=cluster.address), expected)


def killing(victim: subprocess.Popen[bytes], at: int) -> Callable[[int, int], None]:
    """Return a progress callback that kills a worker after this many pieces."""

    def progress(done: int, whole: int) -> None:
        assert whole == 24
        if done == at:
            os.kill(victim.pid, signal.SIGKILL)
            victim.wait()

    return progress


def test_all_results_arrive_when_a_worker_is_killed_in_mid_run(
    cluster: Cluster, expected: Result, tmp_path: Path
) -> None:
    out = tmp_path / "results.db"
    victim = cluster.processes[-1]  # the other one is enough for the tests that follow
    seen: list[int] = []
    kill = killing(victim, at=3)

    def progress(done: int, whole: int) -> None:
        seen.append(done)
        kill(done, whole)

    result = run(executor="dask", address=cluster.address, progress=progress, out=out)
    assert victim.returncode == -signal.SIGKILL
    assert seen == list(range(25))
    assert_same(result, expected)
    assert_same(run(out=out), expected)


def test_a_users_index_travels_with_its_policy(cluster: Cluster) -> None:
    @register_index("test-dask")
    def formula(count: float, evidence: float, cost: float, alpha: float = 1.0) -> float:
        return alpha * evidence + math.log(count / cost)

    def losses(policy: str, **options: Any) -> Any:
        return simulate("linear", policy, budgets=[1000], runs=500, seed=1, **options).losses(policy)

    try:
        far = losses("test-dask:alpha=1.35", executor="dask", address=cluster.address)
    finally:
        del INDICES["test-dask"]
    np.testing.assert_array_equal(far, losses("lsa:alpha=1.35"))


def test_a_fault_in_a_task_comes_back_as_itself(cluster: Cluster) -> None:
    with executors.executor_of("dask", address=cluster.address) as pool:
        future = pool.submit(divmod, 1, 0)
        with pytest.raises(ZeroDivisionError):
            future.result(timeout=60)


@pytest.mark.nightly
def test_a_task_that_kills_its_workers_is_given_up_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES", "0")  # one death is enough, not four
    with (
        cluster_in(tmp_path, workers=1) as doomed,
        executors.executor_of("dask", address=doomed.address) as pool,
        pytest.raises(ExperimentError, match=r"the Dask cluster gave up a piece of work: .*; start it again"),
    ):
        pool.submit(os._exit, 1).result(timeout=120)


def unused_port() -> int:
    """Return a port on which nothing listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def test_a_scheduler_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "PATIENCE", 1)
    for address in (
        f"tcp://127.0.0.1:{unused_port()}",
        "nonsense",
        "tcp://127.0.0.1:port",
        "carrier-pigeon://127.0.0.1:1",
    ):
        with pytest.raises(ExperimentError) as caught:
            run(executor="dask", address=address)
        assert f"no Dask scheduler answers at {address!r}" in str(caught.value)


def test_a_client_that_cannot_connect_is_closed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    # What is left to the garbage collector deadlocks: `Client.__del__` takes a lock that the next constructor holds.
    monkeypatch.setattr(executors, "PATIENCE", 1)
    before = set(threading.enumerate())
    for address in (f"tcp://127.0.0.1:{unused_port()}", "nonsense"):
        with pytest.raises(ExperimentError) as caught, executors.executor_of("dask", address=address):
            pass
        assert caught.value.__cause__ is not None  # its traceback keeps the client alive
        clients = [each for each in gc.get_objects() if type(each).__name__ == "Client" and hasattr(each, "scheduler")]
        assert {client.status for client in clients} == {"closed"}
        assert not [thread for thread in set(threading.enumerate()) - before if thread.name == "IO loop"]


def listening() -> set[str]:
    """Return the addresses on which this process and its children listen."""
    psutil: Any = importlib.import_module("psutil")
    here = psutil.Process()
    sockets = [each for process in (here, *here.children(recursive=True)) for each in process.net_connections("inet")]
    return {each.laddr.ip for each in sockets if each.status == psutil.CONN_LISTEN}


def test_without_an_address_a_cluster_of_this_machine_is_started_on_loopback_only(expected: Result) -> None:
    opened: set[str] = set()

    def look(done: int, whole: int) -> None:
        if done == 12:
            opened.update(listening())

    assert_same(run(executor="dask", workers=1, progress=look), expected)
    assert opened == {"127.0.0.1"}


@pytest.fixture
def certificates(tmp_path: Path) -> dict[str, str]:
    """Give an authority, a certificate that it signed and its key."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")

    def openssl(*words: str) -> None:
        subprocess.run(["openssl", *words], cwd=tmp_path, check=True, capture_output=True)

    new = ("-newkey", "rsa:2048", "-nodes")
    openssl("req", "-x509", *new, "-days", "1", "-subj", "/CN=authority", "-keyout", "ca.key", "-out", "ca.pem")
    openssl("req", *new, "-subj", "/CN=cluster", "-keyout", "key.pem", "-out", "request.pem")
    openssl("x509", "-req", "-in", "request.pem", "-CA", "ca.pem", "-CAkey", "ca.key", "-days", "1", "-out", "cert.pem")
    return {name: str(tmp_path / f"{name}.pem") for name in ("ca", "cert", "key")}


@pytest.mark.nightly
def test_a_cluster_behind_tls_is_reached_with_its_certificates_and_not_without(
    certificates: dict[str, str], expected: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import dask

    options = ["--protocol", "tls", "--tls-ca-file", certificates["ca"]]
    options += ["--tls-cert", certificates["cert"], "--tls-key", certificates["key"]]
    keys = {"ca-file": "ca", "client.cert": "cert", "client.key": "key"}
    known = {f"distributed.comm.tls.{key}": certificates[name] for key, name in keys.items()}
    with cluster_in(tmp_path, *options, workers=1) as guarded:
        assert guarded.address.startswith("tls://127.0.0.1:")
        with dask.config.set(known):
            assert_same(run(executor="dask", address=guarded.address), expected)
        monkeypatch.setattr(executors, "PATIENCE", 2)
        for address in (guarded.address, guarded.address.replace("tls", "tcp")):
            with pytest.raises(ExperimentError, match="no Dask scheduler answers"):
                run(executor="dask", address=address)
