"""The campaign of one task, without a run of inspect_ai."""

from types import SimpleNamespace
from typing import Any

from thresher.campaign import Campaign
from thresher.campaign.storage import MemoryStorage
from thresher.inspect_ai.task_campaign import TaskCampaign, campaign_name

ITEMS = [f"q{i}" for i in range(10)]


def board(storage: MemoryStorage, arm: str) -> TaskCampaign:
    return TaskCampaign(storage, "c", threshold=0.5, samples=ITEMS, epochs=1, arm=arm, terms={})


def name_of(**arguments: Any) -> str:
    return campaign_name("inspect_ai", SimpleNamespace(task="t", task_args_passed=arguments))  # type: ignore[arg-type]


def test_other_arguments_give_another_name_however_long_they_are() -> None:
    assert name_of() == "inspect_ai/t"
    assert name_of(system="short") == 'inspect_ai/t {"system": "short"}'
    long = [name_of(system="x" * 600 + end) for end in "ab"]
    assert [len(name) for name in long] == [500, 500]
    assert long[0] != long[1]


def test_a_model_has_its_budget_even_if_a_run_ended_while_it_was_added() -> None:
    storage = MemoryStorage()
    board(storage, "first").join("first", ITEMS, 1)
    Campaign.open(storage, "c").add_arms(["second"], threshold=0.5)  # and no extension
    for _ in range(2):
        again = board(storage, "second")
        again.join("second", ITEMS, 1)
        assert again.campaign.budget == 20
    assert again.tell("second", again.place("q1", 1), 1.0, paid=True)
