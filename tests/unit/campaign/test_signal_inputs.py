"""History and proxy of a campaign: where they come from, what is refused, and that they are stored."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thresher.campaign import Campaign
from thresher.campaign.ledger import known_of
from thresher.campaign.storage.memory import MemoryStorage
from thresher.errors import CorruptionError, InvalidInputError, InvalidOutcomeError, UnknownNameError

ITEMS = ("q1", "q2", "q3", "q4")
PAST: dict[str, dict[str, Any]] = {"old": {"q1": 1, "q2": 0, "elsewhere": 1}, "older": {"q1": 1, "q4": 0}}
JUDGE: dict[str, dict[str, Any]] = {"a": {"q1": 0.9, "q2": 0.1, "q3": None}, "b": {"q4": 0.5}}


def campaign(address: Any = None, name: str = "judged", **given: Any) -> Campaign:
    settings: dict[str, Any] = {"arms": ["a", "b"], "items": ITEMS, "threshold": 0.5, "budget": 8}
    return Campaign.create(address or MemoryStorage(), name, **settings | given)


def stored(made: Campaign) -> Any:
    with made._backend.stored.snapshot() as now:  # type: ignore[union-attr]
        return known_of(now.signals(), 2, len(ITEMS))


def as_csv(path: Path, table: dict[str, dict[str, Any]], column: str = "value") -> Path:
    lines = [
        f"{arm},{item},{'' if value is None else value}" for arm, row in table.items() for item, value in row.items()
    ]
    path.write_text("\n".join([f"arm,item,{column}", *lines]))
    return path


def test_a_mapping_a_frame_and_a_file_say_the_same(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        [(arm, item, value) for arm, row in PAST.items() for item, value in row.items()],
        columns=["arm", "item", "value"],
    )
    judge = as_csv(tmp_path / "judge.csv", JUDGE)
    for past, scores in ((PAST, JUDGE), (frame, judge), (str(as_csv(tmp_path / "past.csv", PAST)), str(judge))):
        made = campaign(history=past, proxy=scores)
        found = stored(made)
        np.testing.assert_array_equal(found.history, [[1, 0, np.nan, np.nan], [1, np.nan, np.nan, 0]])
        np.testing.assert_array_equal(found.proxy, [[0.9, 0.1, np.nan, np.nan], [np.nan, np.nan, np.nan, 0.5]])
        assert found.past_arms == ("old", "older")
        made.verify()


def test_the_column_of_scores_is_value_or_score_and_never_both(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    files = (as_csv(tmp_path / "judge.csv", JUDGE, column) for column in ("value", "score"))
    by_value, by_score = (stored(campaign(proxy=path)).proxy for path in files)
    np.testing.assert_array_equal(by_score, by_value)
    frame = pandas.read_csv(tmp_path / "judge.csv")
    np.testing.assert_array_equal(stored(campaign(proxy=frame)).proxy, by_value)
    message = "number of columns 'value' and 'score' of .* is 2; must be 1; .*--proxy-column score"
    for both in (frame.assign(value=1), as_csv(tmp_path / "both.csv", {"a": {"q1": "1,1"}}, "value,score")):
        with pytest.raises(InvalidInputError, match=message):
            campaign(proxy=both)
    (tmp_path / "neither.csv").write_text("arm,item,grade\na,q1,1\n")
    with pytest.raises(InvalidInputError, match="the columns must be arm, item and value or score"):
        campaign(proxy=tmp_path / "neither.csv")
    with pytest.raises(InvalidInputError, match=r"the columns must be arm, item and value$"):
        campaign(history=str(tmp_path / "judge.csv"))  # outcomes are values, not scores


def test_the_history_can_be_another_campaign_of_the_same_database(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path}/campaigns.db"
    last_month = campaign(address, "last month")
    last_month.tell_items([("a", "q1", 1), ("a", "q2", 0), ("b", "q3", 1)])
    found = stored(campaign(address, "tonight", arms=["new"], budget=4, history="last month"))
    np.testing.assert_array_equal(found.history, [[1, 0, np.nan, np.nan], [np.nan, np.nan, 1, np.nan]])


def test_a_history_that_comes_later_is_that_of_a_campaign_created_with_it(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path}/campaigns.db"
    past = campaign(address, "last month")
    past.tell_items([("a", "q1", 1), ("a", "q2", 0), ("b", "q3", 1)])
    made = campaign(address, "tonight")
    for _ in range(2):
        made.tell_history(past.items())
        made.tell_history(str(as_csv(tmp_path / "past.csv", PAST)))
    found = stored(made)
    np.testing.assert_array_equal(found.history[:2], stored(campaign(address, "new", history="last month")).history)
    np.testing.assert_array_equal(found.history[2:], stored(campaign(address, "newer", history=PAST)).history)
    assert found.past_arms == ("a", "b", "old", "older")
    made.verify()
    events = made.standing.events
    for history, message in (
        ("last month", r"history is 'last month'; must be a file that exists; .*\.items\(\)"),
        ({"old": {"elsewhere": 1}}, "must have an outcome of a past arm"),
        (None, "shape of the history"),
    ):
        with pytest.raises(InvalidInputError, match=message):
            made.tell_history(history)
    assert made.standing.events == events
    with pytest.raises(InvalidInputError, match="items"):
        campaign(address, "no items", items=None).tell_history(PAST)


def test_scores_that_come_later_are_added_and_a_repeat_changes_nothing() -> None:
    made = campaign(proxy={"a": {"q1": 1}})
    made.tell_proxy("a", {"q2": 0, "q3": float("nan")})
    made.tell_proxy("b", {"q1": 0.5})
    events = made.standing.events
    made.tell_proxy("a", {"q1": 1, "q2": 0})
    assert made.standing.events == events
    np.testing.assert_array_equal(stored(made).proxy, [[1, 0, np.nan, np.nan], [0.5, np.nan, np.nan, np.nan]])
    made.verify()


def test_scores_and_a_history_of_items_that_are_asked_several_times(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path}/c.db"
    past = {"old": {str(i): i % 2 for i in range(1, 21)}}
    judge = {arm: {str(i): i % 2 for i in range(1, 21)} for arm in "ab"}
    made = campaign(address, history=past, proxy=judge, items=20, repeats=3, budget=90)
    made.verdicts()
    for ticket in made.tickets():
        made.tell(ticket, (int(ticket.item or 0) % 2) != (ticket.arm == "b" and ticket.repeat == 2))
    found = made.judge_agreement()
    assert (found.labels, found.is_binary) == (40, False), "an item of b has several outcomes, which differ"
    assert found.low > 0.5, "its mean still follows the score"
    assert any("judge" in note for note in made.verdicts().notes)
    again = Campaign.open(address, "judged")
    again.verify()
    assert again.verdicts().to_dicts() == made.verdicts().to_dicts()


def test_scores_that_come_between_outcomes_count_and_replay(tmp_path: Path) -> None:
    made = campaign(f"sqlite:///{tmp_path}/c.db", items=20, budget=30)
    for told, ticket in enumerate(made.tickets(), start=1):
        made.tell(ticket, int(ticket.item or 0) % 2)
        if told in (6, 15):
            made.tell_proxy("ab"[told // 10], {str(i): i % 2 for i in range(1, 21)})
    made.void(next(entry for entry in made.history() if entry.kind == "asked").details["pulls"][0][1], reason="try")
    made.verify()
    again = Campaign.open(f"sqlite:///{tmp_path}/c.db", "judged")
    mean = next(iter(again.verdicts())).mean
    assert mean is not None
    assert abs(mean - 0.5) < 0.1  # the scores are the truth


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"items": None, "history": PAST}, InvalidInputError, "items"),
        ({"items": None, "proxy": JUDGE}, InvalidInputError, "items"),
        ({"history": {"old": {"elsewhere": 1}}}, InvalidInputError, "must have an outcome of a past arm"),
        ({"history": {"old": {}}}, InvalidInputError, "^history is .*must have an outcome of a past arm"),
        ({"history": {"old": {"q1": 0.5}}}, InvalidOutcomeError, "past arm 'old': the outcome 0.5"),
        ({"history": PAST, "quantile": 0.5}, InvalidInputError, r"history is \['old', 'older'\]; .*quantile"),
        ({"proxy": {"c": {"q1": 1}}}, UnknownNameError, "'c'"),
        ({"proxy": {"a": {"q9": 1}}}, UnknownNameError, "'q9'"),
        ({"proxy": {"a": {"q1": "good"}}}, InvalidInputError, "finite number"),
        ({"proxy": {"a": {"q1": None}}}, InvalidInputError, "^proxy is .*must have a score"),
        ({"proxy": np.zeros((2, 3))}, InvalidInputError, "shape of the proxy"),
        ({"history": "no such thing"}, InvalidInputError, "'no such thing'; must be a file, or a campaign"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_created(
    given: dict[str, Any], error: type[Exception], message: str, tmp_path: Path
) -> None:
    address = f"sqlite:///{tmp_path}/c.db"
    campaign(address, "there")
    with pytest.raises(error, match=message):
        campaign(address, "new", **given)
    assert [standing.name for standing in Campaign.list(address)] == ["there"]


def test_another_score_or_an_unknown_name_is_refused_and_changes_nothing() -> None:
    made = campaign(proxy={"a": {"q1": 1}})
    events = made.standing.events
    with pytest.raises(InvalidInputError, match="told before"):
        made.tell_proxy("a", {"q2": 1, "q1": 0})
    for arm, scores in (("c", {"q1": 1}), ("a", {"q9": 1})):
        with pytest.raises(UnknownNameError):
            made.tell_proxy(arm, scores)
    with pytest.raises(InvalidInputError, match="mapping"):
        made.tell_proxy("a", [1, 0])  # type: ignore[arg-type]
    for wrong in (float("inf"), 1e200, "high"):
        with pytest.raises(InvalidInputError, match=r"score of arm 'a' on item 'q2' is .*; must be a number"):
            made.tell_proxy("a", {"q3": 1, "q2": wrong})  # type: ignore[dict-item]
    with pytest.raises(InvalidInputError, match="must be a triple: arm, item and score"):
        made.tell_scores([("a", "q2")])  # type: ignore[list-item]
    assert made.standing.events == events


def test_verify_finds_a_score_that_was_changed_in_the_database(tmp_path: Path) -> None:
    import sqlite3

    made = campaign(f"sqlite:///{tmp_path}/c.db", proxy={"a": {"q1": 1}})
    made.verify()
    made.disconnect()
    with sqlite3.connect(tmp_path / "c.db") as database:
        database.execute("UPDATE signal SET numbers = 'AAAAAAAAAAA='")
    database.close()
    with pytest.raises(CorruptionError, match="signal"):
        Campaign.open(f"sqlite:///{tmp_path}/c.db", "judged").verify()
