"""What pages show is computed no more often than it is worth, and soon enough."""

import math
import threading
import time
from collections.abc import Callable

import pytest

from thresher.campaign import Campaign, Verdict, Verdicts
from thresher.campaign.storage import MemoryStorage
from thresher.dashboard import board as module
from thresher.dashboard.board import KINDS, ORDERS, Board, Boards, Choice
from thresher.errors import StorageUnavailableError
from thresher.service.campaign_registry import CampaignRegistry


def row(arm: str, mean: float | None, *, pulls: int = 10, decision: str = "open", p_wrong: float = 0.1) -> Verdict:
    """Return what is known of an arm whose bar is a half."""
    side = "undecided" if mean is None else "above" if mean > 0.5 else "below"
    proven = decision == "pass"
    return Verdict(arm, side, mean, pulls, 0.0, 1.0, p_wrong, 0.0, 0.5, 0, False, decision, proven)


ROWS = Verdicts(
    [
        row("Zoe", 0.9, pulls=3, decision="pass", p_wrong=0.01),
        row("anna", 0.45, pulls=40, p_wrong=0.3),
        row("new", None, pulls=0, p_wrong=0.5),
        row("bob", 0.1, pulls=7, decision="fail", p_wrong=math.nan),
    ]
)


@pytest.mark.parametrize(
    ("order", "places"),
    [
        ("decision", [0, 3, 1, 2]),
        ("nearest", [2, 1, 0, 3]),
        ("mean", [0, 1, 3, 2]),
        ("pulls", [1, 3, 0, 2]),
        ("wrong", [2, 1, 0, 3]),
        ("name", [1, 3, 2, 0]),
    ],
)
def test_every_order(order: str, places: list[int]) -> None:
    assert order in ORDERS
    assert [place for place, _ in Choice(order=order).of(ROWS)] == places


@pytest.mark.parametrize(
    ("kind", "places"),
    [("all", [0, 1, 2, 3]), ("pass", [0]), ("fail", [3]), ("open", [1, 2]), ("proven", [0])],
)
def test_every_kind(kind: str, places: list[int]) -> None:
    assert kind in KINDS
    assert sorted(place for place, _ in Choice(kind=kind).of(ROWS)) == places


def test_search_forgives_capitals_and_ties_go_to_the_first_arm() -> None:
    assert [entry.arm for _, entry in Choice(search="N", order="name").of(ROWS)] == ["anna", "new"]
    twins = Verdicts([row("x", 0.6), row("y", 0.6)])
    assert [place for place, _ in Choice().of(twins)] == [0, 1]


@pytest.fixture
def campaign() -> Campaign:
    return Campaign.create(MemoryStorage(), "c", arms=["a", "b"], threshold=0.5, budget=100, policy="lsa")


@pytest.fixture
def registry(campaign: Campaign) -> CampaignRegistry:
    return CampaignRegistry(campaign._backend.stored.storage)  # type: ignore[union-attr]


def until(is_so: Callable[[], bool]) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_quick_verdicts_are_those_of_now(
    campaign: Campaign, registry: CampaignRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    monkeypatch.setattr(module, "LONG", 1e9)
    board = Board(registry.open("c"))
    assert board.verdicts()[0].pulls == 0
    campaign.tell_counts("a", n=4, total=4)
    assert board.verdicts()[0].pulls == 4
    assert not board.is_behind


def test_slow_verdicts_do_not_hold_up_a_page(
    campaign: Campaign, registry: CampaignRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    monkeypatch.setattr(module, "LONG", -1.0)  # everything is slow
    board = Board(registry.open("c"))
    assert board.verdicts()[0].pulls == 0
    campaign.tell_counts("a", n=4, total=4)
    assert board.verdicts()[0].pulls == 0
    assert board.is_behind
    board.catch_up()
    assert board.verdicts()[0].pulls == 4
    assert not board.is_behind


def test_the_first_view_of_a_large_campaign_does_not_wait_for_the_notes(
    campaign: Campaign, registry: CampaignRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SMALL", 0)
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    monkeypatch.setattr(module, "LONG", -1.0)
    campaign.tell_counts("a", n=4, total=4)
    board = Board(registry.open("c"))
    noted = Verdicts(campaign.verdicts(), expected_mistakes=0.5, notes=["the outcomes drift"])
    events = campaign.standing.events
    monkeypatch.setattr(board.served.backend.judging, "verdicts_as_of", lambda: (events, noted))
    assert list(board.verdicts()) == list(noted)
    assert board.verdicts().notes == ()
    assert board.is_behind
    board.catch_up()
    assert board.verdicts().notes == ("the outcomes drift",)
    assert not board.is_behind


def test_the_curve_is_taken_in_once_and_goes_on(
    campaign: Campaign, registry: CampaignRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    board = Board(registry.open("c"))
    campaign.tell_counts("a", n=10, total=10)
    board.catch_up()
    campaign.tell_counts("b", n=10, total=0)
    board.catch_up()
    points = board.glance().points
    assert [point.spent for point in points] == [10, 20]
    assert points[-1].mistakes < points[0].mistakes


def test_viewers_share_one_board_and_it_updates_in_the_background(
    campaign: Campaign, registry: CampaignRegistry
) -> None:
    boards = Boards(registry)
    served = registry.open("c")
    assert boards.of(served) is boards.of(served)
    campaign.tell_counts("a", n=10, total=10)
    boards.warm_up()
    until(lambda: not boards.of(served).is_catching_up)
    assert [point.spent for point in boards.of(served).glance().points] == [10]
    boards.stop()


def test_boards_that_are_stopped_leave_off_and_start_nothing(campaign: Campaign, registry: CampaignRegistry) -> None:
    before = threading.enumerate()
    boards = Boards(registry)
    board = boards.of(registry.open("c"))
    campaign.tell_counts("a", n=10, total=10)
    board.catch_up(lambda: True)
    boards.stop()
    boards.freshen(board)
    assert not board.is_catching_up
    assert board._trajectory.points == []
    assert not [thread for thread in threading.enumerate() if thread not in before]


def test_a_database_that_is_away_is_tried_again(
    campaign: Campaign, registry: CampaignRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    boards = Boards(registry)
    board = boards.of(registry.open("c"))

    def away(**_: object) -> None:
        raise StorageUnavailableError("the database is away", instead="wait")

    with monkeypatch.context() as patch:
        patch.setattr(board.served.backend, "history", away)
        boards.freshen(board)
        until(lambda: not board.is_catching_up)
    campaign.tell_counts("a", n=10, total=10)
    boards.freshen(board)
    until(lambda: not board.is_catching_up)
    assert len(board.glance().points) == 1
    boards.stop()


def test_unused_boards_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    storage = MemoryStorage()
    for name in "abc":
        Campaign.create(storage, name, arms=["x"], threshold=0.5, budget=5, policy="lsa")
    monkeypatch.setattr(module, "MOST_BOARDS", 2)
    registry = CampaignRegistry(storage)
    boards = Boards(registry)
    kept, dropped = boards.of(registry.open("a")), boards.of(registry.open("b"))
    boards.of(registry.open("a"))
    boards.of(registry.open("c"))
    assert boards.of(registry.open("a")) is kept
    assert boards.of(registry.open("b")) is not dropped
