"""From a file to a campaign: all or nothing, and each outcome once."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.places import MemoryPlace
from tests.support.service_place import service_place
from thresher.campaign import Campaign, Imported
from thresher.campaign.storage.memory import MemoryStorage
from thresher.errors import ConflictingOutcomeError, InvalidOutcomeError, UnknownNameError, UnknownTicketError
from thresher.run.importers import Columns, read_log, tell_log

DATA = Path(__file__).parent / "data"


def campaign_of(*arms: str, family: Any = "bernoulli") -> Campaign:
    return Campaign.create(MemoryStorage(), "logs", arms=list(arms), threshold=0.5, budget=100, family=family)


def bring(campaign: Campaign, path: Path, columns: Columns | None = None) -> Imported:
    return tell_log(campaign, read_log(path, columns)[0])


def counts(done: Imported) -> tuple[int, int, int]:
    """Return the outcomes told now, those told before, and the arms."""
    return done.told, done.before, done.arms


def numbers(campaign: Campaign) -> dict[str, tuple[int, float | None]]:
    return {row.arm: (row.pulls, row.mean) for row in campaign.verdicts()}


def test_a_file_told_twice_counts_once_and_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text("arm,outcome\na,1\na,1\nb,0\na,0\n")
    campaign = campaign_of("a", "b")
    assert counts(bring(campaign, tmp_path / "runs.csv")) == (4, 0, 2)
    once = numbers(campaign)
    assert once == {"a": (3, 2 / 3), "b": (1, 0.0)}
    assert counts(bring(campaign, tmp_path / "runs.csv")) == (0, 4, 2)
    assert numbers(campaign) == once
    assert campaign.spent == 0
    campaign.verify()


def test_of_a_file_that_has_grown_only_the_new_rows_count(tmp_path: Path) -> None:
    campaign = campaign_of("a")
    (tmp_path / "runs.csv").write_text("arm,outcome\na,1\na,1\n")
    bring(campaign, tmp_path / "runs.csv")
    (tmp_path / "runs.csv").write_text("arm,outcome\na,1\na,0\na,1\n")
    assert counts(bring(campaign, tmp_path / "runs.csv")) == (1, 2, 1)
    assert numbers(campaign) == {"a": (3, 2 / 3)}


def test_a_table_is_told_at_once_and_goes_on_arm_by_arm(tmp_path: Path) -> None:
    campaign = campaign_of("a", "b")
    rows = [f"{'ab'[i % 2]},{int(i % 3 == 0)}\n" for i in range(600)]
    for end in (400, 600, 600):
        (tmp_path / "runs.csv").write_text("arm,outcome\n" + "".join(rows[:end]))
        bring(campaign, tmp_path / "runs.csv")
    assert numbers(campaign) == {"a": (300, 100 / 300), "b": (300, 100 / 300)}
    assert campaign.standing.events == 2 + 2  # two that create it, then one for each import with new lines
    campaign.verify()


def test_with_keys_the_order_of_rows_does_not_matter(tmp_path: Path) -> None:
    campaign = campaign_of("a")
    (tmp_path / "one.csv").write_text("arm,outcome,run\na,1,x\na,0,y\n")
    (tmp_path / "two.csv").write_text("arm,outcome,run\na,0,z\na,0,y\na,1,x\n")
    bring(campaign, tmp_path / "one.csv", Columns(key=("run",)))
    assert counts(bring(campaign, tmp_path / "two.csv", Columns(key=("run",)))) == (1, 2, 1)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (
            "c,1",
            "line 4: the campaign has no arm 'c'; it has 'a', 'b'; add --create to add new arms; nothing was stored",
        ),
        ("b,2", r"runs.csv line 4: the outcome .*2"),
        ("b,0.5", "runs.csv line 4: the outcome"),
        ("b,many", "runs.csv line 4: outcome is 'many'"),
    ],
)
def test_one_wrong_line_and_nothing_is_stored(tmp_path: Path, line: str, complaint: str) -> None:
    (tmp_path / "runs.csv").write_text(f"arm,outcome\na,1\nb,0\n{line}\n")
    campaign = campaign_of("a", "b")
    with pytest.raises(InvalidOutcomeError, match=complaint):
        bring(campaign, tmp_path / "runs.csv")
    assert numbers(campaign) == {"a": (0, None), "b": (0, None)}


def test_tickets_are_told_all_or_none(tmp_path: Path) -> None:
    campaign = campaign_of("a", "b")
    tickets = campaign.ask(2)
    text = "ticket,outcome\n" + "".join(f"{ticket.id},1\n" for ticket in tickets)
    (tmp_path / "wrong.csv").write_text(text + f"{tickets[0].id[:-1]}x,1\n")
    (tmp_path / "right.csv").write_text(text)
    columns = Columns(ticket="ticket")
    with pytest.raises(UnknownTicketError):
        bring(campaign, tmp_path / "wrong.csv", columns)
    assert campaign.spent == 0
    assert counts(bring(campaign, tmp_path / "right.csv", columns)) == (2, 0, 2)
    assert counts(bring(campaign, tmp_path / "right.csv", columns)) == (0, 2, 2)
    assert campaign.spent == 2


def test_a_ticket_told_otherwise_is_refused(tmp_path: Path) -> None:
    campaign = campaign_of("a")
    ticket = campaign.ask(1)[0]
    campaign.tell(ticket, 1)
    (tmp_path / "x.csv").write_text(f"ticket,outcome\n{ticket.id},0\n")
    with pytest.raises(ConflictingOutcomeError):
        bring(campaign, tmp_path / "x.csv", Columns(ticket="ticket"))


def test_squares_are_kept_where_the_variance_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text("arm,outcome\n" + "".join(f"a,{value}\n" for value in (1.0, 2.0, 4.0)))
    logged, asked = (campaign_of("a", family="gaussian-unknown-variance") for _ in range(2))
    bring(logged, tmp_path / "runs.csv")
    for value in (1.0, 2.0, 4.0):
        ticket = asked.ask()
        assert ticket is not None
        asked.tell(ticket, value)
    one, other = logged.verdicts()[0], asked.verdicts()[0]
    assert (one.valid_low, one.valid_high) == pytest.approx((other.valid_low, other.valid_high))


def test_a_log_of_a_tool_judges_its_arms() -> None:
    campaign = campaign_of("prompt=polite provider=echo", "prompt=terse provider=echo")
    assert counts(bring(campaign, DATA / "promptfoo.json")) == (4, 0, 2)
    assert [row.verdict for row in campaign.verdicts()] == ["above", "below"]
    assert bring(campaign, DATA / "promptfoo.json").told == 0


def test_behind_a_service_a_table_counts_once_too(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text("arm,outcome\na,1\nb,0\na,0\n")
    with service_place(MemoryPlace()) as place:
        campaign = place.create("logs", arms=["a", "b"], threshold=0.5, budget=10)
        assert counts(bring(campaign, tmp_path / "runs.csv")) == (3, 0, 2)
        assert counts(bring(campaign, tmp_path / "runs.csv")) == (0, 3, 2)
        (tmp_path / "runs.csv").write_text("arm,outcome\na,1\nb,0\na,0\na,1\n")
        assert counts(bring(campaign, tmp_path / "runs.csv")) == (1, 3, 2)
        assert numbers(campaign) == {"a": (3, 2 / 3), "b": (1, 0.0)}


def test_an_undone_import_counts_no_more_and_can_be_repeated(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text("arm,label\na,cat\na,dog\nb,cat\n")
    campaign = campaign_of("a", "b")
    campaign.tell_counts("a", n=1, total=1)
    done = bring(campaign, tmp_path / "runs.csv", Columns(outcome="label", success=("dog",)))
    assert numbers(campaign) == {"a": (3, 2 / 3), "b": (1, 0.0)}
    assert campaign.void_import(done.batch, reason="the wrong word") == 3
    assert campaign.void_import(done.batch) == 0
    assert numbers(campaign) == {"a": (1, 1.0), "b": (0, None)}
    again = bring(campaign, tmp_path / "runs.csv", Columns(outcome="label", success=("cat",)))
    assert (counts(again), again.batch != done.batch) == ((3, 0, 2), True)
    assert numbers(campaign) == {"a": (3, 2 / 3), "b": (1, 1.0)}
    assert bring(campaign, tmp_path / "runs.csv", Columns(outcome="label", success=("cat",))).told == 0
    campaign.verify()


@pytest.mark.parametrize("key", [(), ("run",)])
def test_of_a_growing_file_one_import_can_be_undone(tmp_path: Path, key: tuple[str, ...]) -> None:
    campaign, rows = campaign_of("a"), ["a,1,u\n", "a,1,v\n", "a,0,w\n", "a,0,x\n", "a,1,y\n"]
    done = []
    for end in (2, 4, 5):
        (tmp_path / "runs.csv").write_text("arm,outcome,run\n" + "".join(rows[:end]))
        done.append(bring(campaign, tmp_path / "runs.csv", Columns(key=key)))
    assert [one.told for one in done] == [2, 2, 1]
    assert len({one.batch for one in done}) == 3
    campaign.void_import(done[1].batch)
    assert numbers(campaign) == {"a": (3, 1.0)}
    assert bring(campaign, tmp_path / "runs.csv", Columns(key=key)).told == 2
    assert numbers(campaign) == {"a": (5, 3 / 5)}
    campaign.verify()


def test_an_unknown_import_is_refused(tmp_path: Path) -> None:
    campaign = campaign_of("a")
    (tmp_path / "runs.csv").write_text("arm,outcome\na,1\n")
    done = bring(campaign, tmp_path / "runs.csv")
    with pytest.raises(UnknownNameError, match=f"unknown import 'abc'; known: {done.batch}"):
        campaign.void_import("abc")
    assert numbers(campaign) == {"a": (1, 1.0)}


def test_an_import_is_undone_behind_a_service_too(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text("arm,outcome\na,1\nb,0\na,0\n")
    with service_place(MemoryPlace()) as place:
        campaign = place.create("logs", arms=["a", "b"], threshold=0.5, budget=10)
        done = bring(campaign, tmp_path / "runs.csv")
        tickets = campaign.ask(2)
        campaign.tell_many([(ticket, 1) for ticket in tickets], batch="mine")
        assert (campaign.void_import(done.batch), campaign.void_import("mine")) == (3, 2)
        assert numbers(campaign) == {"a": (0, None), "b": (0, None)}
        with pytest.raises(UnknownNameError):
            campaign.void_import("other")


@pytest.mark.parametrize(
    ("columns", "complaint"),
    [
        (
            Columns(success=("Cat",)),
            r"runs.csv: 0 of 3 rows match 'Cat' in 'outcome'; values found: cat \(2\), not cat \(1\)",
        ),
        (Columns(success=("cat", "Cat")), "0 of 3 rows match 'Cat'"),
        (Columns(success=("cat",), failure=("dog",)), "runs.csv line 3: outcome is 'not cat'; name every word by"),
    ],
)
def test_a_word_that_never_occurs_stores_nothing(tmp_path: Path, columns: Columns, complaint: str) -> None:
    (tmp_path / "runs.csv").write_text("arm,outcome\na,cat\na,not cat\na, cat \n")
    campaign = campaign_of("a")
    with pytest.raises(InvalidOutcomeError, match=complaint):
        bring(campaign, tmp_path / "runs.csv", columns)
    assert numbers(campaign) == {"a": (0, None)}


def test_a_file_of_failures_alone_names_their_word(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text("arm,outcome\na,failed\na,failed\n")
    campaign = campaign_of("a")
    bring(campaign, tmp_path / "runs.csv", Columns(success=("passed",), failure=("failed",)))
    assert numbers(campaign) == {"a": (2, 0.0)}
