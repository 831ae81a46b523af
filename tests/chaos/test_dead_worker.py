"""A worker killed in mid-measurement: its ticket is issued again within a second of the end of its lease."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from tests.support.chaos.nursery import PATIENCE
from tests.support.chaos.workers import begin
from thresher.campaign import Campaign

THRESHER = str(Path(sys.executable).parent / "thresher")
LEASE = 2.0


def test_the_ticket_of_a_dead_worker_is_issued_again(
    tmp_path: Path, often: Callable[[int, int], int], figure: Callable[[str, str], None]
) -> None:
    waits = [time_without_worker(f"sqlite:///{tmp_path}/{i}.db") for i in range(often(1, 10))]
    found = f"median {median(waits):.2f} s, longest {max(waits):.2f} s after {len(waits)} kills, lease {LEASE:.0f} s"
    figure("dead worker", f"sqlite: issued again {found}")
    if often(0, 1):  # a busy machine may be late: only `make chaos` has the promise as a figure
        assert median(waits) <= LEASE + 1.0


def time_without_worker(address: str) -> float:
    """Return how long the only ticket of a campaign is unavailable after its worker was killed."""
    campaign = begin(address, arms=1, budget=1, lease=LEASE)
    words = [THRESHER, "work", address, "c", "--command", "sleep 30; echo {arm}"]
    worker = subprocess.Popen(words, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for_heartbeat(campaign)
    held = [entry.details["pulls"][0][1] for entry in campaign.history() if entry.kind == "asked"]
    begun = time.monotonic()
    os.killpg(worker.pid, signal.SIGKILL)
    worker.wait()
    ticket = next(campaign.tickets())
    seconds = time.monotonic() - begun
    assert ticket.id not in held
    assert campaign.outstanding == 1
    campaign.disconnect()
    return seconds


def wait_for_heartbeat(campaign: Campaign) -> None:
    """Wait until the worker has kept its unit beyond what the first lease gave it a reason to."""
    end = time.monotonic() + PATIENCE
    while not any(entry.kind == "renewed" for entry in campaign.history()):
        assert time.monotonic() < end
        time.sleep(0.02)
