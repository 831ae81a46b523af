"""Executors: threads, processes, a Dask cluster, or any ``concurrent.futures.Executor``."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

from thresher.errors import ExperimentError, MissingExtraError, UnknownNameError

EXECUTORS = ("threads", "processes", "dask")
PATIENCE = 10  # seconds for a Dask scheduler to answer


@contextlib.contextmanager
def executor_of(name: str | Executor, *, workers: int | None = None, address: str | None = None) -> Iterator[Executor]:
    """Yield the executor of a name and close it at the end; an executor of the caller is left open.

    Parameters
    ----------
    name : str or concurrent.futures.Executor
        ``"threads"`` (kernels release the GIL), ``"processes"``, ``"dask"``, or an executor.
    workers : int, optional
        How many; one for each core unless given. Results do not depend on it.
    address : str, optional
        Of a Dask scheduler (``tcp://host:8786`` or ``tls://host:8786``); without one a local cluster is started.

    Raises
    ------
    UnknownNameError, MissingExtraError, ExperimentError
        If there is no such executor, its packages are missing, or no scheduler answers.
    """
    if workers is not None and workers < 1:
        raise ExperimentError(f"{workers} workers", instead="ask for at least one")
    if address is not None and name != "dask":
        raise ExperimentError("an address without the Dask executor", instead="name the executor 'dask' too")
    if isinstance(name, Executor):
        yield name
    elif name == "threads":
        with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
            yield pool
    elif name == "processes":
        with _process_pool(workers) as pool:
            yield pool
    elif name == "dask":
        with _dask_client(workers, address) as client:
            yield DaskExecutor(client)
    else:
        raise UnknownNameError("executor", str(name), EXECUTORS)


@contextlib.contextmanager
def _process_pool(workers: int | None) -> Iterator[Executor]:
    context = multiprocessing.get_context("spawn")
    pool = _Processes(workers, mp_context=context)
    try:
        yield pool
    except BrokenExecutor as error:
        raise ExperimentError(f"a worker process crashed: {error}", instead="start it again") from error
    finally:
        # A pool whose shutdown is interrupted never ends. It waits for the pieces that are under way, which is short.
        with _ctrl_c_waits():
            pool.shutdown(cancel_futures=True)


class _Processes(ProcessPoolExecutor):
    """Processes that ignore Ctrl-C, also while they start.

    It reaches every process of a terminal, and is for the one that waits for the others. A process is born with the
    signal mask of its parent.
    """

    def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submit a call; processes are started by that.

        What is sent may be the user's own, from a prompt or from inside a function: it travels by value if no module
        has it.
        """
        from numba import cloudpickle

        try:
            call = cloudpickle.dumps((function, args, kwargs))
        except Exception as error:
            raise ExperimentError(
                f"this cannot be sent to another process: {error}", instead="use the executor 'threads'"
            ) from error
        with _ctrl_c_waits():  # a process that is half started complains
            heard = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            try:
                return super().submit(_call, call)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, heard)


def _call(work: bytes) -> Any:
    """Return what a call that was sent to this process returns."""
    function, args, kwargs = pickle.loads(work)  # noqa: S301 - it comes from the process that started this one
    return function(*args, **kwargs)


@contextlib.contextmanager
def _ctrl_c_waits() -> Iterator[None]:
    """Delay Ctrl-C, which reaches the main thread only, until the end."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    missed: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, _: missed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if missed:
        signal.raise_signal(signal.SIGINT)


class DaskExecutor(Executor):
    """A Dask client as an executor: tasks are pure, so that a lost worker's are run again elsewhere."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Send one call to the cluster; the future is done when its result is here."""
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        remote = self._client.submit(function, *args, **kwargs, pure=False, retries=10)

        def deliver(done: Any) -> None:
            # Fetch the result here: its worker can die before the result has arrived, and only this call reports it.
            try:
                future.set_result(done.result())
            except BaseException as error:
                future.set_exception(_lost(error) if _is_loss(done.status, error) else error)

        remote.add_done_callback(deliver)
        return future


def _is_loss(status: str, error: BaseException) -> bool:
    return status != "error" or type(error).__name__ == "KilledWorker"


def _lost(error: BaseException) -> ExperimentError:
    lost = ExperimentError(f"the Dask cluster gave up a piece of work: {error}", instead="start it again")
    lost.__cause__ = error
    return lost


@contextlib.contextmanager
def _dask_client(workers: int | None, address: str | None) -> Iterator[Any]:
    try:
        from distributed import Client, LocalCluster  # untyped
    except ImportError as error:
        raise MissingExtraError("the Dask executor", "dask") from error
    if address is None:
        # Loopback and no dashboard: a scheduler runs the code of every client. Its HTTP server takes any free port.
        cluster = LocalCluster(
            n_workers=workers or os.cpu_count(),
            threads_per_worker=1,
            host="127.0.0.1",
            scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
            silence_logs=40,
        )
        with cluster, Client(cluster) as client:
            yield client
        return
    with _connect(Client, address) as client:
        yield client


def _connect(client_class: Any, address: str) -> Any:
    """Return a client of the scheduler at an address; one that cannot connect is closed before this raises."""
    # Not `Client(address)`: if its constructor fails, only the garbage collector can close the client. Its `__del__`
    # waits for a lock that the constructor of the next client holds, in the same thread: a deadlock.
    client = client_class.__new__(client_class)
    try:
        client.__init__(address, timeout=PATIENCE)
    except BaseException as error:
        client.close()
        client._loop_runner.stop()  # `close` leaves the thread running if the client has closed itself
        if not isinstance(error, (OSError, ValueError, TypeError)):
            raise
        raise ExperimentError(
            f"no Dask scheduler answers at {address!r}: {error}", instead="give tcp://host:port or tls://host:port"
        ) from error
    return client
