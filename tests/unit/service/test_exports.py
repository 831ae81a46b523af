"""Files of a campaign: whole, however many pages they take."""

import csv
import json

import pytest

from thresher.campaign import Campaign
from thresher.campaign.storage import MemoryStorage
from thresher.service import exports
from thresher.service.campaign_registry import CampaignRegistry
from thresher.service.exports import EXPORTS, Export


@pytest.mark.parametrize("page", [1, 2, 5, 1000])
def test_a_file_has_every_row_once(page: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exports, "PAGE", page)
    storage = MemoryStorage()
    campaign = Campaign.create(storage, "c", arms=["a", "b"], threshold=0.5, budget=9)
    for ticket in campaign.ask(5):
        campaign.tell(ticket, ticket.arm == "a")
    served = CampaignRegistry(storage).open("c")
    outcomes = list(csv.DictReader("".join(EXPORTS[Export.outcomes][1](served)).splitlines()))
    assert [int(row["number"]) for row in outcomes] == [1, 2, 3, 4, 5]
    assert {(row["arm"], row["value"], row["late"]) for row in outcomes} == {("a", "1.0", "no"), ("b", "0.0", "no")}
    log = [json.loads(line) for line in "".join(EXPORTS[Export.log][1](served)).splitlines()]
    assert [entry["seq"] for entry in log] == list(range(1, 9))
    verdicts = list(csv.DictReader("".join(EXPORTS[Export.verdicts][1](served)).splitlines()))
    assert [(row["arm"], row["verdict"]) for row in verdicts] == [("a", "above"), ("b", "below")]
