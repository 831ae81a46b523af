"""An import that creates what is missing: a preview first, all of it afterwards, or nothing."""

from pathlib import Path

import pytest

from tests.support.places import MemoryPlace
from tests.support.service_place import service_place
from thresher.campaign import Campaign
from thresher.campaign.storage import MemoryStorage, Storage
from thresher.errors import (
    CampaignClosedError,
    ImportConflictError,
    InvalidInputError,
    InvalidOutcomeError,
    UnknownCampaignError,
)
from thresher.run.importers import Columns, Creation, LogImport, Preview, map_log

DATA = Path(__file__).parent / "data"
WORKERS = DATA / "label-studio-workers.json"
BY_CLIP = Columns(arm=("data.clip",), item=("annotator",))
NEW = Creation(threshold=0.5, budget=20)


def bring(
    storage: Storage, path: Path, columns: Columns | None = None, creation: Creation | None = NEW, name: str = "logs"
) -> Preview:
    planned = LogImport(storage, name, map_log(path, columns), creation)
    preview = planned.preview
    planned.store()
    return preview


def table(folder: Path, *lines: str) -> Path:
    path = folder / "runs.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def pulls(storage: Storage, name: str = "logs") -> dict[str, tuple[int, float | None]]:
    return {row.arm: (row.pulls, row.raw_mean) for row in Campaign.open(storage, name).verdicts()}


def test_a_preview_stores_nothing_and_says_what_the_import_then_does() -> None:
    storage = MemoryStorage()
    planned = LogImport(storage, "birds", map_log(WORKERS, BY_CLIP), NEW)
    preview = planned.preview
    assert storage.headings() == []
    assert (preview.format, preview.measurements, preview.new_campaign) == ("label-studio", 15, True)
    assert preview.columns == {"arm": ["data.clip"], "item": ["annotator"], "outcome": ["bird"]}
    assert {*preview.values} == {("yes", 1.0, 7), ("no", 0.0, 8)}
    assert preview.new_arms == [f"clip {i}" for i in range(1, 6)]
    assert preview.new_items == ["1", "2", "3"]
    assert preview.rows[0] == ("label-studio-workers.json task 1 annotation 1", "clip 1", "1", "yes", 1.0)
    done = planned.store()
    assert (done.told, done.before, done.batch) == (15, 0, preview.batch)
    campaign = Campaign.open(storage, "birds")
    assert {row.arm: row.pulls for row in campaign.verdicts()} == {row.arm: row.measurements for row in preview.arms}
    assert campaign.spent == 0
    campaign.verify()
    again = bring(storage, WORKERS, BY_CLIP, name="birds")
    assert (again.before, again.new_arms, again.new_items, again.new_campaign) == (15, [], [], False)
    assert campaign.void_import(done.batch) == 15


def test_without_one_bad_annotator_the_verdicts_are_those_of_the_others() -> None:
    storage = MemoryStorage()
    bring(storage, WORKERS, BY_CLIP, name="all")
    without = Columns(arm=BY_CLIP.arm, item=BY_CLIP.item, leave_out=(("annotator", "3"),))
    preview = bring(storage, WORKERS, without, name="two")
    assert (preview.excluded, preview.measurements, preview.new_items) == (5, 10, ["1", "2"])
    assert [value for _, value in pulls(storage, "all").values()] == pytest.approx([2 / 3, 2 / 3, 1 / 3, 1 / 3, 1 / 3])
    assert [value for _, value in pulls(storage, "two").values()] == [1.0, 1.0, 0.0, 0.0, 0.5]
    effects = {row.item: row.effect for row in Campaign.open(storage, "all").items()}
    assert effects.keys() == {"1", "2", "3"}


@pytest.mark.parametrize("item", [(), ("annotator",)])
def test_what_was_told_cannot_be_left_out_without_voiding_it(item: tuple[str, ...]) -> None:
    storage = MemoryStorage()
    preview = bring(storage, WORKERS, Columns(arm=("data.clip",), item=item))
    without = Columns(arm=("data.clip",), item=item, leave_out=(("annotator", "3"),))
    with pytest.raises(InvalidOutcomeError, match="5 of the measurements to leave out were told before"):
        bring(storage, WORKERS, without)
    Campaign.open(storage, "logs").void_import(preview.batch)
    bring(storage, WORKERS, without)
    assert [value for _, value in pulls(storage).values()] == [1.0, 1.0, 0.0, 0.0, 0.5]


def test_of_a_table_the_rows_that_were_left_out_can_be_told_later(tmp_path: Path) -> None:
    # The rows of one arm are stored as aggregates: none of them may reach over a row that was left out.
    path = table(tmp_path, "arm,outcome,by", "a,1,x", "a,1,x", "a,0,y", "a,1,x", "a,0,x")
    storage = MemoryStorage()
    bring(storage, path, Columns(leave_out=(("by", "y"),)))
    assert pulls(storage) == {"a": (4, 0.75)}
    assert bring(storage, path).before == 4
    assert pulls(storage) == {"a": (5, 0.6)}
    assert bring(storage, path).before == 5
    assert pulls(storage) == {"a": (5, 0.6)}


def test_new_arms_get_the_bar_that_the_others_share(tmp_path: Path) -> None:
    storage = MemoryStorage()
    Campaign.create(storage, "logs", arms=["a"], threshold=0.7, budget=9)
    bring(storage, table(tmp_path, "arm,outcome", "a,1", "b,0"), creation=Creation())
    assert [(row.arm, row.threshold) for row in Campaign.open(storage, "logs").verdicts()] == [("a", 0.7), ("b", 0.7)]
    Campaign.create(storage, "two", arms={"arm": ["a", "b"], "threshold": [0.1, 0.2]}, budget=9)
    path = table(tmp_path, "arm,outcome", "c,1")
    with pytest.raises(InvalidInputError, match="different bars; add --bar"):
        bring(storage, path, creation=Creation(), name="two")
    bring(storage, path, creation=Creation(threshold=0.3), name="two")
    assert Campaign.open(storage, "two").verdicts()[2].threshold == 0.3


def test_a_control_gets_its_outcomes_from_a_log(tmp_path: Path) -> None:
    storage = MemoryStorage()
    Campaign.create(storage, "logs", arms=["today", "a"], control="today", budget=9)
    bring(storage, table(tmp_path, "arm,outcome", "today,1", "a,0", "b,1"), creation=Creation())
    verdicts = Campaign.open(storage, "logs").verdicts()
    assert verdicts.control is not None
    assert (verdicts.control.pulls, [(row.arm, row.pulls) for row in verdicts]) == (1, [("a", 1), ("b", 1)])


def test_several_columns_name_an_item(tmp_path: Path) -> None:
    path = table(tmp_path, "arm,q,epoch,outcome", "a,x,1,1", "a,x,2,0", "a,y,1,1")
    storage = MemoryStorage()
    with pytest.raises(ImportConflictError, match="line 3: arm 'a' on item 'x' has outcome 0, and in"):
        bring(storage, path, Columns(item=("q",)))
    assert storage.headings() == []
    bring(storage, path, Columns(item=("q", "epoch")))
    assert Campaign.open(storage, "logs").items().names == ("q=x epoch=1", "q=x epoch=2", "q=y epoch=1")


@pytest.mark.parametrize(
    ("lines", "creation", "complaint"),
    [
        (["arm,outcome", "a,1"], Creation(threshold=0.5), "budget is missing; there is no campaign 'logs'"),
        (["arm,outcome", "a,1"], Creation(budget=9), "threshold is missing; every arm needs one"),
        (["arm,outcome", "a,1"], Creation(threshold=2.0, budget=9), "must be between 0 and 1"),
        (["arm,outcome", "a,1", "b,1"], Creation(threshold=0.5, budget=0), "budget"),
        (["arm,outcome", "a,3"], NEW, "line 2: the outcome 3 is neither 0 nor 1"),
        (["ticket,outcome", "1-ab,1"], NEW, "no campaign 'logs'"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_created(
    tmp_path: Path, lines: list[str], creation: Creation, complaint: str
) -> None:
    storage = MemoryStorage()
    with pytest.raises((InvalidInputError, InvalidOutcomeError, UnknownCampaignError), match=complaint):
        bring(storage, table(tmp_path, *lines), creation=creation)
    assert storage.headings() == []


def test_nothing_is_created_unless_asked(tmp_path: Path) -> None:
    storage, path = MemoryStorage(), table(tmp_path, "arm,outcome", "a,1")
    with pytest.raises(UnknownCampaignError):
        bring(storage, path, creation=None)
    Campaign.create(storage, "logs", arms=["b"], threshold=0.5, budget=9)
    with pytest.raises(InvalidOutcomeError, match="the campaign has no arm 'a'"):
        bring(storage, path, creation=None)
    assert pulls(storage) == {"b": (0, None)}


def test_a_campaign_with_other_terms_or_closed_is_left_alone(tmp_path: Path) -> None:
    storage, path = MemoryStorage(), table(tmp_path, "arm,outcome", "b,1")
    campaign = Campaign.create(storage, "logs", arms=["a"], threshold=0.5, budget=9)
    with pytest.raises(InvalidInputError, match=r"risk is 0.2; must be 0.05, as in the campaign 'logs'"):
        bring(storage, path, creation=Creation(terms={"risk": 0.2}))
    campaign.close()
    with pytest.raises(CampaignClosedError, match="cannot take new arms or items"):
        bring(storage, path)
    assert campaign.standing.arms == 1


def test_a_file_that_is_not_there_is_not_made_by_a_preview(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'new.db'}"
    planned = LogImport(address, "logs", map_log(table(tmp_path, "arm,outcome", "a,1")), NEW)
    assert planned.preview.new_campaign
    assert not (tmp_path / "new.db").exists()
    planned.store()
    planned.close()
    campaign = Campaign.open(address, "logs")
    assert [row.pulls for row in campaign.verdicts()] == [1]
    campaign.disconnect()


def test_behind_a_service_arms_and_items_are_created_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = table(tmp_path, "arm,item,outcome", "a,x,1", "b,x,0")
    more = tmp_path / "more.csv"
    more.write_text("arm,item,outcome\na,x,1\nb,y,1\nc,x,1\n")
    with service_place(MemoryPlace()) as place:
        monkeypatch.setenv("THRESHER_TOKEN", place.token)
        campaign = place.create("logs", arms=["a"], items=["u", "v", "w"], threshold=0.5, budget=3)
        for source in (path, more, more):
            planned = LogImport(place.address, "logs", map_log(source), Creation())
            planned.store()
            planned.close()
        assert {row.arm: row.pulls for row in campaign.verdicts()} == {"a": 1, "b": 2, "c": 1}
        assert campaign.items().names == ("u", "v", "w", "x", "y")
