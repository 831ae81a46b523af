"""Who works: threads, processes, a Dask cluster, or any ``concurrent.futures.Executor``."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

from thresher.errors import ExperimentError, MissingExtraError, UnknownNameError

EXECUTORS = ("threads", "processes", "dask")


@contextlib.contextmanager
def executor_of(name: str | Executor, *, workers: int | None = None, address: str | None = None) -> Iterator[Executor]:
    """Give the executor of a name, closed at the end; an executor of the caller's own is left open.

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
    if isinstance(name, Executor):
        yield name
    elif name == "threads":
        with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
            yield pool
    elif name == "processes":
        with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
            yield pool
    elif name == "dask":
        with _dask_client(workers, address) as client:
            yield DaskExecutor(client)
    else:
        raise UnknownNameError("executor", str(name), EXECUTORS)


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
            if done.status == "finished":
                future.set_result(done.result())
            else:
                future.set_exception(
                    done.exception() or ExperimentError("a task was cancelled", instead="run it again")
                )

        remote.add_done_callback(deliver)
        return future


@contextlib.contextmanager
def _dask_client(workers: int | None, address: str | None) -> Iterator[Any]:
    try:
        from distributed import Client, LocalCluster  # untyped
    except ImportError as error:
        raise MissingExtraError("the Dask executor", "dask") from error
    if address is None:
        # Loopback and no dashboard: a scheduler runs code for whoever reaches it.
        cluster = LocalCluster(
            n_workers=workers or os.cpu_count(),
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=None,
            silence_logs=40,
        )
        with cluster, Client(cluster) as client:
            yield client
        return
    try:
        client = Client(address, timeout=10)
    except (OSError, TimeoutError, ValueError) as error:
        raise ExperimentError(
            f"no Dask scheduler answers at {address!r}", instead="give tcp://host:port or tls://host:port"
        ) from error
    with client:
        yield client
