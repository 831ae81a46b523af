import os
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool

import pytest

from thresher.errors import ExperimentError, MissingExtraError, UnknownNameError
from thresher.research.simulation import EXECUTORS, executor_of


def test_the_executors_are_those_of_the_documentation() -> None:
    assert EXECUTORS == ("threads", "processes", "dask")


def test_a_named_executor_is_closed_at_the_end() -> None:
    with executor_of("threads", workers=2) as pool:
        assert pool.submit(os.getpid).result() == os.getpid()
    with pytest.raises(RuntimeError, match="after shutdown"):
        pool.submit(os.getpid)


def test_an_executor_of_ones_own_is_left_open() -> None:
    with ThreadPoolExecutor(1) as mine:
        with executor_of(mine) as pool:
            assert pool is mine
        assert mine.submit(os.getpid).result() == os.getpid()


def test_processes_are_others_and_leave_ctrl_c_alone() -> None:
    with executor_of("processes", workers=1) as pool:
        assert pool.submit(os.getpid).result() != os.getpid()
        assert signal.SIGINT in pool.submit(signal.pthread_sigmask, signal.SIG_BLOCK, []).result()
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_processes_are_sent_what_they_could_not_import() -> None:
    def made_here(value: int) -> int:
        return value + len(ERROR)

    with executor_of("processes", workers=1) as pool:
        assert pool.submit(made_here, 3).result() == 3 + len(ERROR)
        assert pool.submit(lambda: os.getpid()).result() != os.getpid()
        assert isinstance(pool.submit(fail).exception(), ExperimentError)


ERROR = "this fails"


def fail() -> None:
    """Raise an error of ours, in another process."""
    raise ExperimentError(ERROR, instead="do something else")


def test_what_cannot_be_sent_is_a_sentence() -> None:
    with (
        pytest.raises(ExperimentError, match=r"this cannot be sent to another process: .*; use the executor 'threads'"),
        executor_of("processes", workers=1) as pool,
    ):
        pool.submit(print, threading.Lock())


def test_a_process_that_dies_is_named() -> None:
    with (
        pytest.raises(ExperimentError, match=r"a worker process crashed.*; start it again") as caught,
        executor_of("processes", workers=1) as pool,
    ):
        pool.submit(os._exit, 1).result()
    assert isinstance(caught.value.__cause__, BrokenProcessPool)


def test_without_dask_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"pip install '\.\[dask\]'"), executor_of("dask"):
        pass


def test_an_unknown_executor_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'processes'"), executor_of("process"):
        pass
