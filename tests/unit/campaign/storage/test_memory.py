"""Memory, where it differs from a file: it lives with its process, and reads and writes share one connection."""

import os

from thresher.campaign import Campaign
from thresher.campaign.storage import MemoryStorage, open_storage


def test_a_memory_lives_as_long_as_the_process() -> None:
    assert open_storage("memory://same") is open_storage("memory://same")
    assert open_storage("memory://same") is not open_storage("memory://other")


def test_a_closed_memory_keeps_its_campaigns() -> None:
    storage = MemoryStorage()
    Campaign.create(storage, "c", arms=["a"], threshold=0.5, budget=2).disconnect()
    assert Campaign.open(storage, "c").ask()


def test_a_campaign_is_read_while_its_thread_holds_a_snapshot() -> None:
    storage = MemoryStorage()
    campaign = Campaign.create(storage, "c", arms=["a"], threshold=0.5, budget=2)
    with storage.snapshot(storage.find("c").id) as now:
        assert campaign.standing.arms == len(now.arms()) == 1


def test_a_forked_process_goes_on_with_its_copy() -> None:
    storage = MemoryStorage()
    campaign = Campaign.create(storage, "c", arms=["a"], threshold=0.5, budget=2)
    child = os.fork()
    if child == 0:
        os._exit(0 if campaign.ask() and campaign.standing.outstanding == 1 else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert campaign.standing.outstanding == 0
