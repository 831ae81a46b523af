"""From a file to a campaign: all or nothing, and each outcome once."""

from pathlib import Path

import pytest

from tests.support.places import MemoryPlace
from tests.support.service_place import service_place
from thresher.errors import ConflictingOutcomeError, InvalidOutcomeError, UnknownTicketError
from thresher.live import Campaign
from thresher.runner.adapters import Columns, Imported, read_log, tell_log
from thresher.storage.memory import MemoryStorage

DATA = Path(__file__).parent / "data"


def campaign_of(*arms: str, family: str = "bernoulli") -> Campaign:
    return Campaign.create(MemoryStorage(), "logs", arms=list(arms), threshold=0.5, budget=100, family=family)


def bring(campaign: Campaign, path: Path, columns: Columns | None = None) -> Imported:
    return tell_log(campaign, read_log(path, columns)[0])


def numbers(campaign: Campaign) -> dict[str, tuple[int, float | None]]:
    return {row.arm: (row.pulls, row.mean) for row in campaign.verdicts()}


def test_a_file_told_twice_counts_once_and_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text("arm,outcome\na,1\na,1\nb,0\na,0\n")
    campaign = campaign_of("a", "b")
    assert bring(campaign, tmp_path / "runs.csv") == Imported(told=4, before=0, arms=2)
    once = numbers(campaign)
    assert once == {"a": (3, 2 / 3), "b": (1, 0.0)}
    assert bring(campaign, tmp_path / "runs.csv") == Imported(told=0, before=4, arms=2)
    assert numbers(campaign) == once
    assert campaign.spent == 0
    campaign.verify()


def test_of_a_file_that_has_grown_only_the_new_rows_count(tmp_path: Path) -> None:
    campaign = campaign_of("a")
    (tmp_path / "runs.csv").write_text("arm,outcome\na,1\na,1\n")
    bring(campaign, tmp_path / "runs.csv")
    (tmp_path / "later.csv").write_text("arm,outcome\na,1\na,1\na,0\n")
    assert bring(campaign, tmp_path / "later.csv") == Imported(told=1, before=2, arms=1)
    assert numbers(campaign) == {"a": (3, 2 / 3)}


def test_a_table_is_told_at_once_and_goes_on_arm_by_arm(tmp_path: Path) -> None:
    campaign = campaign_of("a", "b")
    rows = [f"{'ab'[i % 2]},{int(i % 3 == 0)}\n" for i in range(600)]
    for end in (400, 600, 600):
        (tmp_path / "runs.csv").write_text("arm,outcome\n" + "".join(rows[:end]))
        bring(campaign, tmp_path / "runs.csv")
    assert numbers(campaign) == {"a": (300, 100 / 300), "b": (300, 100 / 300)}
    assert campaign.standing.events == 2 + 4  # two that create it, then one for each arm and each time
    campaign.verify()


def test_a_table_that_went_in_by_halves_is_completed(tmp_path: Path) -> None:
    # As if the database had gone away after the first arm.
    (tmp_path / "runs.csv").write_text("arm,outcome\na,1\nb,0\na,0\nb,1\n")
    campaign = campaign_of("a", "b")
    outcomes, _ = read_log(tmp_path / "runs.csv")
    tell_log(campaign, [one for one in outcomes if one.arm == "a"])
    assert tell_log(campaign, outcomes) == Imported(told=2, before=2, arms=2)
    assert numbers(campaign) == {"a": (2, 0.5), "b": (2, 0.5)}


def test_with_keys_the_order_of_rows_does_not_matter(tmp_path: Path) -> None:
    campaign = campaign_of("a")
    (tmp_path / "one.csv").write_text("arm,outcome,run\na,1,x\na,0,y\n")
    (tmp_path / "two.csv").write_text("arm,outcome,run\na,0,z\na,0,y\na,1,x\n")
    bring(campaign, tmp_path / "one.csv", Columns(key="run"))
    assert bring(campaign, tmp_path / "two.csv", Columns(key="run")) == Imported(told=1, before=2, arms=1)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("c,1", "runs.csv line 4: the campaign has no arm 'c'; it has 'a', 'b'; nothing was stored"),
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
    assert bring(campaign, tmp_path / "right.csv", columns) == Imported(told=2, before=0, arms=2)
    assert bring(campaign, tmp_path / "right.csv", columns) == Imported(told=0, before=2, arms=2)
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
    assert (one.low, one.high) == pytest.approx((other.low, other.high))


def test_a_log_of_a_tool_judges_its_arms() -> None:
    campaign = campaign_of("prompt=polite provider=echo", "prompt=terse provider=echo")
    assert bring(campaign, DATA / "promptfoo.json") == Imported(told=4, before=0, arms=2)
    assert [row.verdict for row in campaign.verdicts()] == ["above", "below"]
    assert bring(campaign, DATA / "promptfoo.json").told == 0


def test_progress_is_told(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text("arm,outcome,key\na,1,x\na,0,y\n")
    steps: list[tuple[int, int]] = []
    tell_log(
        campaign_of("a"),
        read_log(tmp_path / "runs.csv", Columns(key="key"))[0],
        progress=lambda done, whole: steps.append((done, whole)),
    )
    assert steps == [(1, 2), (2, 2)]


def test_behind_a_service_a_table_counts_once_too(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text("arm,outcome\na,1\nb,0\na,0\n")
    (tmp_path / "more.csv").write_text("arm,outcome\na,1\nb,0\na,0\na,1\n")
    with service_place(MemoryPlace()) as place:
        campaign = place.create("logs", arms=["a", "b"], threshold=0.5, budget=10)
        assert bring(campaign, tmp_path / "runs.csv") == Imported(told=3, before=0, arms=2)
        assert bring(campaign, tmp_path / "runs.csv") == Imported(told=0, before=3, arms=2)
        assert bring(campaign, tmp_path / "more.csv") == Imported(told=1, before=3, arms=2)
        assert numbers(campaign) == {"a": (3, 2 / 3), "b": (1, 0.0)}
