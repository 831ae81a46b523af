"""The campaigns of a server: opened once, looked at once, forgotten when there are too many."""

import pytest

from thresher.campaign import Campaign
from thresher.campaign.storage import MemoryStorage
from thresher.errors import UnknownCampaignError
from thresher.service import campaign_registry as module
from thresher.service.campaign_registry import CampaignRegistry
from thresher.service.problem_details import MissingError


@pytest.fixture
def storage() -> MemoryStorage:
    storage = MemoryStorage()
    for name in ("c", "d", "e"):
        Campaign.create(storage, name, arms=["a", "b"], threshold=0.5, budget=4)
    return storage


def test_a_campaign_is_opened_once(storage: MemoryStorage) -> None:
    registry = CampaignRegistry(storage)
    assert registry.recall("c") is None
    assert registry.open("c") is registry.open("c") is registry.recall("c")
    with pytest.raises(UnknownCampaignError):
        registry.open("nothing")
    assert registry.names() == ["c", "d", "e"]


def test_the_one_that_was_not_used_for_longest_is_forgotten(
    storage: MemoryStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_OPEN", 2)
    registry = CampaignRegistry(storage)
    for name in ("c", "d", "c", "e"):
        registry.open(name)
    assert [registry.recall(name) is not None for name in ("c", "d", "e")] == [True, False, True]


def test_verdicts_are_computed_once_for_each_event(storage: MemoryStorage) -> None:
    served = CampaignRegistry(storage).open("c")
    first = served.verdicts()
    assert served.verdicts()[1] is first[1]
    campaign = Campaign.open(storage, "c")
    campaign.tell(campaign.ask(1)[0], 1)
    second = served.verdicts()
    assert (second[0], second[1][0].pulls) == (first[0] + 2, 1)


def test_a_glimpse_says_whether_an_ask_would_give_a_ticket(storage: MemoryStorage) -> None:
    served, campaign = CampaignRegistry(storage).open("c"), Campaign.open(storage, "c")
    assert served.glimpse().is_ready
    held = campaign.ask(4)
    glimpse = served.glimpse()
    assert (glimpse.is_ready, glimpse.standing.is_open, glimpse.standing.outstanding) == (False, True, 4)
    campaign.fail(held[0])
    assert served.glimpse().is_ready
    campaign.pause()
    assert not served.glimpse().is_ready
    campaign.resume()
    campaign.tell_many([(ticket, 1) for ticket in [*held[1:], *campaign.ask(1)]])
    glimpse = served.glimpse()
    assert (glimpse.is_ready, glimpse.standing.is_open) == (False, False)


def test_arms_and_pulls_are_found_by_place(storage: MemoryStorage) -> None:
    served, campaign = CampaignRegistry(storage).open("c"), Campaign.open(storage, "c")
    campaign.ask(3)
    assert (served.arm(1).name, served.arm_names()) == ("b", ["a", "b"])
    with pytest.raises(MissingError, match="no arm 2; the arms of this campaign are numbered 0 to 1"):
        served.arm(2)
    assert [pull.number for pull in served.pulls(after=1, limit=1)] == [2]
    assert [pull.arm for pull in served.pulls(0)] == [0, 0]
    assert served.backend.findings() == []
