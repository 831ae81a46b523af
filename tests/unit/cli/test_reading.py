"""Files as people type them: what is an item, what an outcome is, which names are one; alike on the dashboard."""

import json
import re
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from thresher.campaign import Campaign
from thresher.campaign.similar_names import SimilarNamesWarning
from thresher.campaign.storage import open_storage
from thresher.dashboard import create_app
from thresher.service import Settings

DB = "sqlite:///thresher.db"
CREATE = ("--create", "--bar", "80%", "--budget", 100)
Thresher = Callable[..., Any]


@pytest.fixture
def preview_page(in_folder: Path) -> Iterator[Callable[..., str]]:
    """Upload a file of the folder on the dashboard; give the text of the page that comes back."""
    app = create_app(open_storage("memory://", create=True), Settings(hosts=("testserver",), pause=0.01))
    headers = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}
    with TestClient(app, headers=headers, follow_redirects=False) as client:
        assert client.post("/login", data={"code": app.state.keyring.new_code()}).status_code == 303

        def upload(name: str, **given: str) -> str:
            terms = {"campaign": "new", "create": "on", "threshold": "80%", "budget": "100"}
            answer = client.post("/import", data=terms | given, files={"file": (name, (in_folder / name).read_bytes())})
            return " ".join(unescape(re.sub(r"<[^>]+>", "", answer.text)).split())

        yield upload


def counts(name: str) -> dict[str, Any]:
    campaign = Campaign.open(DB, name)
    found = {row.arm: (row.pulls, row.mean) for row in campaign.verdicts()}
    campaign.disconnect()
    return found


def test_a_column_called_item_makes_items_only_if_it_is_asked_for(
    thresher: Thresher, in_folder: Path, preview_page: Callable[..., str]
) -> None:
    rows = [f"{arm},q{i},1" for arm in ("a", "b") for i in range(50)]
    (in_folder / "answers.csv").write_text("\n".join(["arm,item,outcome", *rows]))
    free = (
        "verdicts are about the mean that each arm has in the long run; for verdicts about these 50 items alone add "
        "--item-column item"
    )
    said = thresher("tell", "free", "--from", "answers.csv", *CREATE, "--dry-run")
    assert free in said.out
    assert "item:" not in said.out
    asked = thresher("tell", "fixed", "--from", "answers.csv", *CREATE, "--item-column", "item", "--dry-run")
    assert "  item: item\n" in asked.out
    assert "verdicts are about these 50 items alone\n" in asked.out
    assert free in preview_page("answers.csv").replace("Verdicts", "verdicts")
    assert "Verdicts are about these 50 items alone" in preview_page("answers.csv", item="item")
    assert thresher("tell", "free", "--from", "answers.csv", *CREATE).code == 0
    assert thresher("tell", "fixed", "--from", "answers.csv", *CREATE, "--item-column", "item").code == 0
    free_one, fixed = Campaign.open(DB, "free"), Campaign.open(DB, "fixed")
    assert (free_one.standing.items, fixed.standing.items) == (0, 50)
    assert [row.proven for row in fixed.verdicts()] == [True, True]
    free_one.disconnect()
    fixed.disconnect()
    # A campaign that has items reads a column of that name as the item; one without refuses to be asked.
    assert thresher("tell", "fixed", "--from", "answers.csv").out.startswith("answers.csv: nothing new, all 100")
    refused = thresher("tell", "free", "--from", "answers.csv", "--item-column", "item")
    assert (refused.code, "campaign 'free' was created without items" in refused.err) == (3, True)


def test_workers_are_judged_by_whether_they_agree_with_the_gold(
    thresher: Thresher, in_folder: Path, preview_page: Callable[..., str]
) -> None:
    labels = ["worker,clip,label,truth", "ann,1,bird,bird", "ann,2,none,none", "ann,3,bird,none", "bob,1, bird ,bird"]
    labels += ["bob,2,1.0,1", "bob,3,bird,", "bob,4,,none"]  # numbers agree as numbers; the last two have no outcome
    (in_folder / "labels.csv").write_text("\n".join(labels))
    words = ["--from", "labels.csv", "--arm-column", "worker", "--outcome-column", "label", "--gold-column", "truth"]
    said = thresher("tell", "workers", *words, *CREATE)
    assert "5 outcomes of 2 arms told" in said.out
    assert "Note: left out 2 measurements without an outcome or a right answer." in said.err
    assert counts("workers") == {"ann": (3, pytest.approx(2 / 3)), "bob": (2, 1.0)}
    shown = preview_page("labels.csv", arm="worker", outcome="label", gold="truth")
    assert "column truth" in shown
    assert "2 without an outcome or a right answer left out" in shown
    assert "none counts as 1 (1)" in shown
    both = thresher("tell", "workers", *words, "--success", "bird")
    assert (both.code, "either --gold-column or --success" in both.err) == (3, True)


def test_names_lose_outer_blanks_and_those_that_look_alike_are_pointed_out(
    thresher: Thresher, in_folder: Path, preview_page: Callable[..., str]
) -> None:
    (in_folder / "runs.csv").write_text(" arm ,outcome\ncontrol ,1\n control,0\nControl,1\nnew  one,1\nnew one,0\n")
    note = "names that differ only by case or blanks are different arms: 'control' and 'Control'; 'new one' and"
    note = note.replace("'new one'", "'new  one'")
    said = thresher("tell", "runs", "--from", "runs.csv", *CREATE)
    assert note in " ".join(said.err.split("\n"))
    assert counts("runs") == {"control": (2, 0.5), "Control": (1, 1.0), "new  one": (1, 1.0), "new one": (1, 0.0)}
    preview = json.loads(thresher("tell", "x", "--from", "runs.csv", *CREATE, "--dry-run", "--json").out)
    assert preview["alike"] == [["control", "Control"], ["new  one", "new one"]]
    assert preview["renamed"] == {"control": "control "} or preview["renamed"] == {"control": " control"}
    assert "'control' and 'Control'" in preview_page("runs.csv")
    # The names of a campaign count, too; and Python reads a name as a file does.
    Campaign.create(DB, "python", arms=[" Fair"], threshold=0.5, budget=9).disconnect()
    (in_folder / "more.csv").write_text("arm,outcome\nfair,1\nFair,1\n")
    more = thresher("tell", "python", "--from", "more.csv", "--create")
    assert "'Fair' and 'fair'" in " ".join(more.err.split("\n"))
    new = ("--arm", "fair", "--arm", "Fair", "--bar", "80%", "--budget", "9")
    assert "'fair' and 'Fair'" in " ".join(thresher("new", "by hand", *new).err.split("\n"))
    assert "'fair' and 'Fair'" in json.loads(thresher("new", "again", *new, "--json").out)["notes"][0]
    with pytest.warns(SimilarNamesWarning, match="'fair' and 'Fair'"):
        Campaign.create(DB, "both", arms=["fair", "Fair"], threshold="80%", budget=9).disconnect()


def test_blank_outcomes_are_skipped_and_counted_or_refused(
    thresher: Thresher, in_folder: Path, preview_page: Callable[..., str]
) -> None:
    (in_folder / "runs.csv").write_text("arm,outcome\na,1\na,\nb, \n,\nb,0\n")
    refused = thresher("tell", "runs", "--from", "runs.csv", *CREATE, "--blank", "error")
    assert (refused.code, "runs.csv line 3 has an empty column 'outcome'" in refused.err) == (3, True)
    assert thresher("tell", "runs", "--from", "runs.csv", *CREATE, "--blank", "maybe").code == 3
    assert "left out, without an outcome: 3" in thresher("tell", "runs", "--from", "runs.csv", *CREATE, "--dry-run").out
    assert "3 without an outcome left out" in preview_page("runs.csv")
    assert "has an empty column 'outcome'" in preview_page("runs.csv", blank="error")
    said = thresher("tell", "runs", "--from", "runs.csv", *CREATE, "--json")
    assert json.loads(said.out)["left_out"] == 3
    assert counts("runs") == {"a": (1, 1.0), "b": (1, 0.0)}


def test_a_log_whose_run_crashed_shows_the_error_of_that_run(
    thresher: Thresher, in_folder: Path, preview_page: Callable[..., str]
) -> None:
    # As inspect_ai 0.3 writes it if a solver raises.
    heading = {"eval_id": "e", "task": "sums", "model": "m"}
    error = {"message": "ValueError('the endpoint\n refused the key')", "traceback": "…"}
    failed: dict[str, Any] = {"id": "q1", "epoch": 1, "scores": None, "error": error}
    log: dict[str, Any] = {"status": "error", "eval": heading, "error": error, "samples": [failed]}
    (in_folder / "crashed.json").write_text(json.dumps(log))
    said = thresher("tell", "x", "--from", "crashed.json", *CREATE)
    sentence = "its run ended with an error: ValueError('the endpoint refused the key')"
    assert (said.code, sentence in said.err) == (3, True)
    assert sentence in preview_page("crashed.json")
    log["samples"].append({"id": "q2", "epoch": 1, "scores": {"match": {"value": "C"}}})
    (in_folder / "crashed.json").write_text(json.dumps(log))
    assert "the run of the tool ended with an error: ValueError" in " ".join(
        thresher("tell", "x", "--from", "crashed.json", *CREATE).err.split("\n")
    )


def test_an_error_names_the_option_that_would_help(thresher: Thresher, in_folder: Path) -> None:
    (in_folder / "runs.csv").write_text("prompt,passed,why\na,1,x\n")
    words = ["tell", "runs", "--from", "runs.csv", *CREATE]
    columns = "it has prompt, passed, why: choose one by"
    for more, sentence in (
        ([], f"no column 'outcome'; {columns} --outcome-column"),
        (["--outcome-column", "passed"], f"no column 'arm'; {columns} --arm-column"),
        (["--outcome-column", "passed", "--arm-column", "prompt", "--key-column", "id"], f"{columns} --key-column"),
        (["--outcome-column", "why", "--arm-column", "prompt"], "or choose another column by --outcome-column"),
    ):
        said = thresher(*words, *more)
        assert (said.code, sentence in said.err) == (3, True), said.err
