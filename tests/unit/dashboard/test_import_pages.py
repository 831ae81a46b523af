"""The page that imports a log: a preview that stores nothing, and an import of just what was shown."""

import html
import random
import re
import zipfile
import zlib
from base64 import urlsafe_b64encode
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from thresher.campaign import Campaign
from thresher.dashboard import import_pages
from thresher.run.importers import Columns, map_log

DATA = Path(__file__).parents[1] / "run" / "importers" / "data"
WORKERS = DATA / "label-studio-workers.json"
BIRDS = {
    "campaign": "birds",
    "arm": "data.clip",
    "item": "annotator",
    "create": "on",
    "threshold": "0.5",
    "budget": "20",
}


def upload(client: TestClient, path: Path, **given: str) -> Any:
    return client.post("/import", data=given, files={"file": (path.name, path.read_bytes())})


def confirm(client: TestClient, text: str) -> Any:
    """Press the button of the preview."""
    return press(client, text[text.index('class="card preview"') :], "import")


def press(client: TestClient, text: str, action: str) -> Any:
    """Send the hidden fields of the first form."""
    form = text[text.index("<form") :].split("</form>")[0]
    given: dict[str, Any] = {"action": action}
    for name, value in re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', form):
        given.setdefault(name, []).append(html.unescape(value))
    return client.post("/import", data=given, files={"nothing": b""})


def names(app: FastAPI) -> set[str]:
    return {heading.name for heading in app.state.registry.storage.headings()}


def test_a_preview_stores_nothing_and_the_import_stores_what_it_showed(admin: TestClient, app: FastAPI) -> None:
    shown = upload(admin, WORKERS, **BIRDS)
    assert shown.status_code == 200
    assert "read as label-studio" in shown.text
    assert "the campaign 'birds', 5 arms, 3 items" in html.unescape(shown.text)
    assert "<bdi>yes</bdi> counts as 1 (7)" in shown.text
    assert "birds" not in names(app)
    done = confirm(admin, shown.text)
    assert (done.status_code, done.headers["location"]) == (303, "/campaigns/birds")
    campaign = Campaign.open(app.state.registry.storage, "birds")
    assert [row.pulls for row in campaign.verdicts()] == [3] * 5
    assert campaign.items().names == ("1", "2", "3")
    assert confirm(admin, shown.text).status_code == 303  # a form that is sent twice counts once
    assert campaign.standing.told == 15


def test_the_id_in_the_preview_undoes_the_import(admin: TestClient, app: FastAPI) -> None:
    shown = upload(admin, WORKERS, **BIRDS)
    confirm(admin, shown.text)
    found = re.search(r"--import (\w+)", shown.text)
    assert found is not None
    assert Campaign.open(app.state.registry.storage, "birds").void_import(found[1]) == 15


def test_one_bad_annotator_is_left_out(admin: TestClient, app: FastAPI) -> None:
    shown = upload(admin, WORKERS, **BIRDS, leave_out="annotator=3")
    assert "5 left out as asked" in shown.text
    confirm(admin, shown.text)
    campaign = Campaign.open(app.state.registry.storage, "birds")
    assert campaign.items().names == ("1", "2")
    assert [row.raw_mean for row in campaign.verdicts()] == [1.0, 1.0, 0.0, 0.0, 0.5]


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"arm": "clip"}, "has no column 'clip'; it has task, annotator, data.clip, bird"),
        ({"campaign": ""}, "name the one that gets the outcomes"),
        ({"campaign": "c/d", "create": "", "item": ""}, "the campaign has no arm 'clip 1'"),
        ({"budget": ""}, "Budget is missing"),
        ({"budget": "much"}, "Budget is 'much'; must be a number"),
        ({"leave_out": "annotator"}, "must be a column and a value"),
        ({"format": "promptfoo"}, "is not a log of promptfoo"),
        ({"campaign": "c/d", "item": "", "risk": "0.2"}, "Risk is 0.2; must be 0.05"),
    ],
)
def test_what_is_wrong_is_said_and_changes_nothing(
    admin: TestClient, app: FastAPI, campaign: Campaign, changed: dict[str, str], complaint: str
) -> None:
    events = campaign.standing.events
    answer = upload(admin, WORKERS, **BIRDS | changed)
    assert answer.status_code == 422
    assert complaint in html.unescape(answer.text)
    assert (names(app), campaign.standing.events) == ({"c/d"}, events)


def test_after_a_complaint_the_file_need_not_be_chosen_again(admin: TestClient) -> None:
    wrong = upload(admin, WORKERS, **BIRDS | {"arm": "clip"})
    assert "<bdi>data.clip</bdi>" in wrong.text  # the columns in the file
    fields = dict(re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', wrong.text))
    assert admin.post("/import", data=BIRDS | fields, files={"nothing": b""}).status_code == 200


def test_a_binary_file_arrives_whole(admin: TestClient, app: FastAPI) -> None:
    given = {"campaign": "models", "create": "on", "threshold": "0.5", "budget": "9"}
    assert confirm(admin, upload(admin, DATA / "inspect.eval", **given).text).status_code == 303
    [row] = Campaign.open(app.state.registry.storage, "models").verdicts()
    assert (row.arm, row.pulls) == ("echo/small", len(map_log(DATA / "inspect.eval", Columns()).outcomes))


@pytest.mark.parametrize("name", ["..", "../../x.csv", "a\\b.csv", "é\u202e.csv", "x" * 300 + ".csv"])
def test_the_name_of_a_file_leads_nowhere(admin: TestClient, tmp_path: Path, name: str) -> None:
    given = {"campaign": "c/d", "format": "csv"}
    answer = admin.post("/import", data=given, files={"file": (name, b"arm,outcome\na,1\n")})
    assert answer.status_code == 200
    assert "1 (1)" in answer.text
    assert not (tmp_path.parent / "x.csv").exists()


def test_a_file_that_is_damaged_on_the_way_is_refused(admin: TestClient) -> None:
    packed = urlsafe_b64encode(zlib.compress(b"arm,outcome\nc,1\n" * 100)).decode()
    for damaged in ("!!!", "AAAA", packed[:-8]):
        answer = admin.post(
            "/import", data={"campaign": "c/d", "file_name": "x.csv", "packed": damaged}, files={"n": b""}
        )
        assert answer.status_code == 422
        assert "did not arrive whole" in html.unescape(answer.text)


def test_a_complaint_names_the_file_without_a_folder_of_the_server(admin: TestClient) -> None:
    for name, content in (("x.xlsx", b"PK\xff"), ("x.json", b"{}"), ("x.eval", b""), ("x.parquet", b"")):
        answer = admin.post("/import", data={"campaign": "c/d"}, files={"file": (name, content)})
        assert answer.status_code == 422
        complaint = re.search(r'class="complaint" role="alert">(.*?)</p>', answer.text, re.DOTALL)
        assert complaint is not None
        assert name in complaint[1].lower()
        assert "/" not in complaint[1]


def test_a_file_that_is_too_large_when_it_is_unpacked_is_refused(
    admin: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_pages, "LARGEST_FILE", 1_000)
    for size in (1_001, 500_000):
        packed = urlsafe_b64encode(zlib.compress(b"\n" * size)).decode()
        answer = admin.post("/import", data={"file_name": "x.csv", "packed": packed}, files={"n": b""})
        assert answer.status_code == 422
        assert "must have at most 1,000 bytes, together with the others" in answer.text


def test_an_archive_in_the_file_has_the_same_limit(
    admin: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_pages, "LARGEST_FILE", 10_000)
    with zipfile.ZipFile(tmp_path / "x.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", " " * 10_001)
    answer = upload(admin, tmp_path / "x.eval", campaign="c/d")
    assert answer.status_code == 422
    assert "x.eval is too large when it is unpacked; must be at most 10,000 bytes" in answer.text


def test_a_file_that_the_page_cannot_carry_is_refused(admin: TestClient, tmp_path: Path) -> None:
    (tmp_path / "large.csv").write_bytes(b"arm,outcome\n" + random.Random(1).randbytes(800_000))
    answer = upload(admin, tmp_path / "large.csv", campaign="c/d")
    assert answer.status_code == 422
    assert "thresher tell --from" in answer.text


def test_markup_in_a_log_is_text(admin: TestClient, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text('arm,outcome\n"<script>alert(1)</script>",1\n')
    answer = upload(admin, tmp_path / "x.csv", campaign="new", create="on", threshold="0.5", budget="9")
    assert answer.status_code == 200
    assert "<script>alert" not in answer.text


def test_only_an_admin_may(stranger: TestClient, app: FastAPI, campaign: Campaign) -> None:
    assert stranger.get("/import").status_code in (303, 401)
    assert upload(stranger, WORKERS, **BIRDS).status_code in (303, 401)
    assert names(app) == {"c/d"}


def test_a_page_of_another_site_cannot_import(admin: TestClient, app: FastAPI) -> None:
    answer = admin.post(
        "/import", data=BIRDS | {"action": "import"}, files={"file": (WORKERS.name, WORKERS.read_bytes())},
        headers={"Sec-Fetch-Site": "cross-site"},
    )  # fmt: skip
    assert answer.status_code == 403
    assert names(app) == {"c/d"}


def test_the_form_names_the_campaign_it_was_opened_from(admin: TestClient) -> None:
    assert 'value="c/d"' in admin.get("/import?campaign=c%2Fd").text
    assert 'href="/import?campaign=c/d"' in admin.get("/campaigns/c%2Fd").text


def test_versions_and_counts_are_imported_as_on_the_command_line(
    admin: TestClient, app: FastAPI, tmp_path: Path
) -> None:
    days, labels = tmp_path / "days.csv", tmp_path / "labels.csv"
    days.write_text("variant,day,visitors,conversions\na,1,1000,26\nb,1,1010,31\n")
    counts = {"campaign": "pages", "arm": "variant", "outcome": "conversions", "count": "visitors"}
    new = {"create": "on", "threshold": "0.02", "budget": "9"}
    shown = upload(admin, days, **counts, **new)
    assert "2,010 in 2 counts" in shown.text
    assert confirm(admin, shown.text).status_code == 303
    days.write_text("variant,day,visitors,conversions\na,1,1000,26\nb,1,1015,33\n")
    assert "an earlier import has 31 of 1,010" in html.unescape(upload(admin, days, **counts).text)
    assert confirm(admin, upload(admin, days, **counts, replace="on").text).status_code == 303
    pages = Campaign.open(app.state.registry.storage, "pages")
    assert [row.pulls for row in pages.verdicts()] == [1000, 1015]
    lines = [f"a,{i % 2},{i}" for i in range(20)]
    labels.write_text("\n".join(["arm,outcome,worker", *lines]) + "\n")
    assert (
        confirm(admin, upload(admin, labels, campaign="labels", **new | {"threshold": "0.5"}).text).status_code == 303
    )
    labels.write_text("\n".join(["arm,outcome,worker", "a,1,corrected", *lines[:0:-1]]) + "\n")
    shown = upload(admin, labels, campaign="labels", replace="on")
    assert "19 were told before and are not counted again" in shown.text
    assert "1 line of earlier versions is voided" in shown.text
    assert confirm(admin, shown.text).status_code == 303
    copy = tmp_path / "copy.csv"
    copy.write_bytes(labels.read_bytes())
    asked = upload(admin, copy, campaign="labels").text
    assert "20 of the 20 lines in 'copy.csv' are in the source 'labels.csv' too." in html.unescape(asked)
    question = asked[asked.index('id="copy-heading"') :]
    shown = press(admin, question, "preview")
    assert "20 were told before" in shown.text
    assert confirm(admin, shown.text).status_code == 303
    campaign = Campaign.open(app.state.registry.storage, "labels")
    assert campaign.standing.told == 20
    shown = press(admin, question[question.index("</form>") :], "preview")
    assert "Import 20 outcomes" in shown.text
    assert confirm(admin, shown.text).status_code == 303
    assert campaign.standing.told == 40
    campaign.verify()


def test_several_files_are_one_import_with_one_preview_and_one_id(
    admin: TestClient, app: FastAPI, tmp_path: Path
) -> None:
    nights = [("file", (f"{i}.csv", f"arm,item,outcome\nx,{i},1\ny,{i},0\n".encode())) for i in range(3)]
    given = {"campaign": "nights", "item": "item", "create": "on", "threshold": "50%", "budget": "6"}
    shown = admin.post("/import", data=given, files=nights)
    assert "0.csv, 1.csv, 2.csv" in shown.text
    assert "Import 6 outcomes" in shown.text
    assert confirm(admin, shown.text).status_code == 303
    campaign = Campaign.open(app.state.registry.storage, "nights")
    assert [(row.pulls, row.raw_mean, row.threshold) for row in campaign.verdicts()] == [(3, 1.0, 0.5), (3, 0.0, 0.5)]
    # A corrected file: its line is reported, and replaced if that is chosen.
    (tmp_path / "2.csv").write_text("arm,item,outcome\nx,2,1\n")
    shown = upload(admin, tmp_path / "2.csv", campaign="nights")
    assert "1 line of earlier versions is not in this one and still counts" in shown.text
    (tmp_path / "2.csv").write_text("arm,item,outcome\nx,2,0\n")
    assert "the campaign has 1; if this file is right" in upload(admin, tmp_path / "2.csv", campaign="nights").text
    assert confirm(admin, upload(admin, tmp_path / "2.csv", campaign="nights", replace="on").text).status_code == 303
    assert [(row.pulls, row.raw_mean) for row in campaign.verdicts()] == [(3, 2 / 3), (2, 0.0)]
    batch = next(entry.details["batch"] for entry in campaign.history() if entry.kind == "imported")
    assert campaign.void_import(batch) == 4
    campaign.verify()


GRADED = "".join(
    [
        "model,question,run,human,judge\n",
        *(f"{arm},q{i},{run},{(i + run) % 2},{i % 2}\n" for arm in ("a", "b") for i in range(4) for run in (2, 1)),
    ]
)
COLUMNS = {"arm": "model", "item": "question"}


@pytest.fixture
def graded(app: FastAPI, tmp_path: Path) -> Campaign:
    """A campaign in which each item may be asked twice, and the grades of a person and a judge in a file."""
    (tmp_path / "graded.csv").write_text(GRADED)
    items, storage = [f"q{i}" for i in range(4)], app.state.registry.storage
    return Campaign.create(storage, "graded", arms=["a", "b"], items=items, repeats=2, threshold=0.5, budget=16)


def test_one_column_is_the_outcome_another_the_score_and_a_third_the_repeat(
    admin: TestClient, graded: Campaign, tmp_path: Path
) -> None:
    given = {"campaign": "graded", **COLUMNS, "outcome": "human", "proxy": "judge", "repeat": "run"}
    shown = upload(admin, tmp_path / "graded.csv", **given)
    assert "<dt>Repeat</dt><dd>column <bdi>run</bdi>" in shown.text
    assert "16 scores of 2 arms, column <bdi>judge</bdi>" in shown.text
    assert "Import 16 outcomes and 16 scores into" in shown.text
    assert graded.standing.told == 0
    assert confirm(admin, shown.text).status_code == 303
    assert graded.standing.told == 16
    assert graded.items()[1].repeated == ((0.0, 1.0), (0.0, 1.0))  # not in the order of the lines alone
    assert graded.judge_agreement().labels == 8  # answers, each with two outcomes


def test_without_an_outcome_column_only_scores_are_stored(admin: TestClient, graded: Campaign, tmp_path: Path) -> None:
    shown = upload(admin, tmp_path / "graded.csv", campaign="graded", **COLUMNS, proxy="judge")
    assert "Import 16 scores into" in shown.text
    assert "To undo the import" not in shown.text
    assert confirm(admin, shown.text).status_code == 303
    assert graded.standing.told == 0
    assert graded.judge_agreement().labels == 0
    (tmp_path / "more.csv").write_text("model,question,judge\na,q4,1\n")
    more = {"campaign": "graded", **COLUMNS, "proxy": "judge"}
    refused = html.unescape(upload(admin, tmp_path / "more.csv", **more).text)
    assert "Item is 'q4'; must be an item of 'graded'" in refused
    assert "the field 'Create what is missing'" in refused
    shown = upload(admin, tmp_path / "more.csv", **more, create="on")
    assert "1 score of 1 arm, column <bdi>judge</bdi>; creates 1 item" in shown.text
    assert confirm(admin, shown.text).status_code == 303
    assert graded.items().names[-1] == "q4"


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"proxy": "jugde"}, "it has model, question, run, human, judge: choose one by the field 'Score'"),
        ({"repeat": "nun", "outcome": "human"}, "choose one by the field 'Repeat'"),
        ({"campaign": "c/d"}, "must come with items"),
        ({"campaign": "new"}, "o campaign 'new'; existing"),
        ({"arm": "run", "proxy": "judge"}, "nknown arm '2' of 'graded'"),
    ],
)
def test_wrong_scores_are_refused_before_anything_is_stored(
    admin: TestClient, graded: Campaign, tmp_path: Path, changed: dict[str, str], complaint: str
) -> None:
    events = graded.standing.events
    given = {"campaign": "graded", **COLUMNS, "proxy": "judge", "action": "import"}
    answer = upload(admin, tmp_path / "graded.csv", **given | changed)
    assert answer.status_code == 422
    assert complaint in html.unescape(answer.text)
    assert graded.standing.events == events
