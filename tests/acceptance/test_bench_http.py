"""The figures of the service, by its own benchmark."""

import json
import subprocess
import sys

import pytest

from tests.support.checkout import CHECKOUT


@pytest.mark.nightly
def test_a_pair_and_a_batch_are_as_fast_as_promised_compared_with_a_bare_endpoint() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.service.bench_http", "--json"],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["ask_and_tell_by_two_bare_posts"] <= 3.0
    assert found["batch_gain"] >= 20.0
