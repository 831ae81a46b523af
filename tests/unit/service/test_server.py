"""The process that serves: a port of its own, and no second Ctrl-C that waits."""

import signal
import socket

import pytest
from fastapi import FastAPI

from thresher.errors import StorageUnavailableError
from thresher.service.server import Server


def test_a_port_that_is_taken_is_said_in_words(app: FastAPI) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(StorageUnavailableError, match="choose another with --port"):
            Server(app, host="127.0.0.1", port=taken.getsockname()[1])


@pytest.mark.parametrize(
    ("signals", "is_forced"),
    [
        ([signal.SIGTERM], False),
        ([signal.SIGINT], False),
        ([signal.SIGTERM, signal.SIGTERM], False),
        ([signal.SIGINT, signal.SIGINT], True),
    ],
)
def test_a_signal_ends_the_waits_and_only_a_second_ctrl_c_is_impatient(
    app: FastAPI, signals: list[int], is_forced: bool
) -> None:
    server = Server(app, host="127.0.0.1", port=0)
    assert server.port > 0
    for one in signals:
        server.handle_exit(one, None)
    assert (server.should_exit, server.force_exit, app.state.watch.is_stopping) == (True, is_forced, True)
    server._socket.close()
