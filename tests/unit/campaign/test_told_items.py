"""Outcomes of items that are damaged in the database are reported as such."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from thresher.campaign import Campaign
from thresher.campaign.ledger import table_of
from thresher.campaign.ledger.refits import Answer
from thresher.errors import CorruptionError


@pytest.mark.parametrize("damage", ["value = NULL", "value = 'many'", "value = x'00ff'", "item = 99", "arm = -1"])
def test_a_damaged_answer_is_corruption(tmp_path: Path, damage: str) -> None:
    address = f"sqlite:///{tmp_path / 'c.db'}"
    campaign = Campaign.create(address, "c", arms=["a", "b"], items=4, threshold=0.5, budget=8)
    campaign.tell_items([("a", "1", 1), ("b", "2", 0)])
    campaign.disconnect()
    with closing(sqlite3.connect(tmp_path / "c.db")) as file:
        file.execute("PRAGMA ignore_check_constraints = ON")
        try:
            file.execute(f"UPDATE pull SET {damage} WHERE number = 1")
        except sqlite3.IntegrityError as error:
            pytest.skip(f"the database refuses it: {error}")
        file.commit()
    campaign = Campaign.open(address, "c")
    for read in (campaign.items, campaign.verdicts):
        with pytest.raises(CorruptionError, match="pulls"):
            read()
    campaign.disconnect()


@pytest.mark.parametrize("place", [(-1, 0), (2, 0), (0, 3), (0.5, 0)])
def test_an_answer_beyond_the_table_is_refused(place: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="no arm, no item"):
        table_of([Answer(*place, 1.0)], 2, 3)
