"""An endpoint on this machine gives one outcome, or it is said why not."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from thresher.errors import InvalidInputError
from thresher.run.endpoint import EndpointMeasurement
from thresher.run.measurement import MeasurementError
from thresher.run.reading import Reading

JSON = Reading("json", "outcome")
ENDED = threading.Event()  # set when all tests are over: until then some answers never come


class Handler(BaseHTTPRequestHandler):
    """Answers by the name of the arm."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        arm = asked["arm"]
        self.send_response(503 if arm == "busy" else 200)
        self.end_headers()
        while arm == "hang" and not ENDED.wait(0.05):
            pass
        with suppress(OSError):  # the caller hangs up
            while arm == "drip" and not ENDED.wait(0.05):
                self.wfile.write(b" ")
        self.wfile.write(json.dumps({"outcome": asked["parameters"].get("size", 0.5), "path": self.path}).encode())

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing."""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """Start a server; return its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/measure?x=1"
    ENDED.set()
    server.shutdown()
    server.server_close()
    thread.join()


def test_arm_and_parameters_go_and_the_outcome_comes(url: str) -> None:
    measurement = EndpointMeasurement(url, JSON)
    assert measurement.measure("x", {}).value == 0.5
    assert measurement.measure("x", {"size": 3}).value == 3.0
    assert EndpointMeasurement(url, Reading("regex", 'x=(1)"')).measure("x", {}).value == 1.0


def test_the_duration_is_an_outcome(url: str) -> None:
    measured = EndpointMeasurement(url, Reading("duration")).measure("x", {})
    assert 0.0 < measured.value == measured.seconds


@pytest.mark.parametrize("arm", ["hang", "drip"])
def test_an_answer_that_does_not_come_in_time_is_given_up(url: str, arm: str) -> None:
    with pytest.raises(MeasurementError, match=r"took longer than 0\.3 s"):
        EndpointMeasurement(url, JSON, timeout=0.3).measure(arm, {})
    assert EndpointMeasurement(url, JSON, timeout=0.3, timeout_outcome=9.0).measure(arm, {}).value == 9.0


def test_what_is_no_success_has_no_outcome(url: str) -> None:
    with pytest.raises(MeasurementError, match="answered 503"):
        EndpointMeasurement(url, JSON).measure("busy", {})
    with pytest.raises(MeasurementError, match="no JSON field 'score'"):
        EndpointMeasurement(url, Reading("json", "score")).measure("x", {})


def test_an_endpoint_that_cannot_be_reached_is_an_error() -> None:
    with pytest.raises(MeasurementError, match="cannot be reached"):
        EndpointMeasurement("http://localhost:9/", JSON).measure("x", {})


def stop_once_connected(measurement: EndpointMeasurement) -> None:
    """Stop a measurement that waits for its answer."""
    while not measurement._running:
        time.sleep(0.01)
    measurement.stop()


def test_stop_hangs_up(url: str) -> None:
    measurement = EndpointMeasurement(url, JSON)
    stopper = threading.Thread(target=stop_once_connected, args=(measurement,))
    stopper.start()
    with pytest.raises(MeasurementError):
        measurement.measure("hang", {})
    stopper.join()
    with pytest.raises(MeasurementError, match="was stopped"):
        measurement.measure("x", {})


@pytest.mark.parametrize(
    "address",
    [
        "http://example.com/", "https://127.0.0.1/", "http://10.0.0.1/", "127.0.0.1:80", "http://127.0.0.1:99999/",
        "http://127.0.0.1.example.com/", "http://[::2]/", "ftp://localhost/",
    ],
)  # fmt: skip
def test_an_address_elsewhere_is_refused(address: str) -> None:
    with pytest.raises(InvalidInputError, match=r"http://127\.0\.0\.1:PORT"):
        EndpointMeasurement(address, JSON)


def test_an_exit_code_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="json:FIELD"):
        EndpointMeasurement("http://[::1]:80/", Reading("exit"))
