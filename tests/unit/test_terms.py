"""The declaration of the terms, and that one more term declared there is on every surface."""

import json
import os
import subprocess
import sys
from dataclasses import fields
from typing import Any

import pytest

from tests.support.checkout import CHECKOUT
from thresher.campaign.ledger import Terms
from thresher.problem.families import FAMILIES
from thresher.terms import OFFERED, TERMS, DeclaredTerms, Term, rule_of, run_default, terms_table

pytestmark = pytest.mark.xdist_group("terms")  # one worker starts the program with one term more, for all of them

# What stored campaigns rely on: a default never changes, and a term never goes.
STORED = {
    "family": "bernoulli", "policy": "stopping", "lease": 600.0, "expiry": "reissue", "low": 0.0, "high": 1.0,
    "stop_price": 0.0, "stop_mistakes": 0.0, "false_pass": 1.0, "false_fail": 1.0, "abstain": 1.0, "confidence": 0.05,
}  # fmt: skip


def test_the_terms_of_the_first_version_keep_their_names_and_defaults() -> None:
    assert {term.name: term.default for term in TERMS if not term.since} == STORED
    assert json.loads(Terms().to_json()) == STORED
    assert Terms.from_json('{"family": "gaussian"}') == Terms(family="gaussian")


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.name)
def test_a_term_is_declared_in_full(term: Term) -> None:
    assert term.help.endswith(".")
    assert term.rule.startswith("must be ")
    assert term.choices == () or term.default in term.choices
    assert [field.name for field in fields(DeclaredTerms)] == [term.name for term in TERMS]


def test_the_families_are_those_of_problems() -> None:
    [family] = (term for term in TERMS if term.name == "family")
    assert set(family.choices) == set(FAMILIES)


def test_a_rule_says_the_range() -> None:
    assert rule_of({"gt": 0, "lt": 1}) == "must be between 0 and 1 (exclusive)"
    assert rule_of({"gt": 0.0, "le": 1.0}) == "must be above 0 and at most 1"
    assert rule_of({"ge": 0.001, "le": 10_000}) == "must be at least 0.001 and at most 10000"
    assert rule_of({"le": 2**53}) == "must be at most 9007199254740992"
    assert Term(default="a", help="x", choices=("a", "b", "c")).rule == "must be a, b or c"
    assert Term(default="", help="x").rule == "must be text"


def test_a_run_has_defaults_of_its_own() -> None:
    assert (run_default("lease"), run_default("family"), run_default("policy")) == (30.0, "", "stopping")


def test_the_table_of_the_docs_has_a_row_for_each_offered_term() -> None:
    rows = terms_table().splitlines()[2:]
    assert [row.split("`")[1] for row in rows] == [term.name for term in OFFERED]


# One term more, and one that is retired, written into the source of the declaration before anything else is imported.
ONE_MORE = """
import importlib.util, sys
from pathlib import Path

spec = importlib.util.find_spec("thresher.terms")
source = Path(spec.origin).read_text()
before = "\\n\\nTERMS: tuple"
assert source.count(before) == 1
more = '''
    shade: float = declare(
        default=0.25, gt=0, le=2, help="How dark an arm is.", spelling="tone", label="Shade of the arms", since="9.9"
    )
    hue: str = declare(default="red", help="What it was before.", retired=True)
'''
module = sys.modules["thresher.terms"] = importlib.util.module_from_spec(spec)
exec(compile(source.replace(before, more + before), spec.origin, "exec"), vars(module))
"""

SURFACES = """
import contextlib, inspect, io, json
import thresher as th
from starlette.testclient import TestClient
from thresher.campaign.ledger import Terms
from thresher.cli.main import main
from thresher.dashboard import create_app
from thresher.run import load_spec
from thresher.campaign.storage import MemoryStorage

found = {}

def typed(*words):
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
        with contextlib.suppress(SystemExit):
            main(list(words))
    return out.getvalue()

def error(call):
    try:
        call()
    except th.ThresherError as wrong:
        return str(wrong)

# Python
given = {"arms": ["a", "b"], "threshold": 0.5, "budget": 9}
made = th.Campaign.create("memory://", "python", **given, shade=0.5)
found["python"] = {
    "signature": str(inspect.signature(th.Campaign.create).parameters["shade"]),
    "doc": "shade : float, default 0.25" in th.Campaign.create.__doc__ and "shade : float" in Terms.__doc__,
    "value": made.terms.shade,
    "too large": error(lambda: th.Campaign.create("memory://", "d", **given, shade=3)),
    "retired": error(lambda: th.Campaign.create("memory://", "d", **given, hue="red")),
}
found["stored"] = {
    "default": json.loads(Terms().to_json()),
    "other": json.loads(Terms(shade=0.5).to_json())["shade"],
    "old log": Terms.from_json('{"family": "gaussian", "hue": "blue"}').hue,
}

# Command line and files
found["new --help"], found["run --help"] = typed("new", "--help"), typed("run", "--help")
typed("new", "cli", "-a", "x", "-t", "0.5", "-b", "9", "--tone", "0.5")
found["new"] = th.Campaign.open("sqlite:///thresher.db", "cli").terms.shade
Path("run.toml").write_text('bar = 0.5\\nbudget = 4\\narms = ["a"]\\ncommand = "true"\\ntone = 0.5\\n')
found["toml"] = load_spec(Path("run.toml")).terms.shade
typed("run", "run.toml", "--tone", "1.5")
found["run"] = th.Campaign.open("sqlite:///thresher.db", "run").terms.shade
Path("run.toml").write_text(Path("run.toml").read_text().replace("tone = 0.5", "tone = 5"))
found["toml error"] = error(lambda: load_spec(Path("run.toml")))
Path("run.toml").write_text(Path("run.toml").read_text().replace("tone = 5", "hue = 'red'"))
found["retired key"] = error(lambda: load_spec(Path("run.toml")))

# HTTP and the dashboard
app = create_app(MemoryStorage())
token = app.state.keyring.new_token("admin")
headers = {"Authorization": f"Bearer {token}"}
client = TestClient(app, base_url="http://127.0.0.1", headers=headers, follow_redirects=False)
url = "/api/v1/campaigns"
found["http"] = {
    "value": client.post(url, json=given | {"name": "far", "shade": 0.5}).json()["terms"]["shade"],
    "default": client.post(url, json=given | {"name": "plain", "hue": "red"}).json()["terms"],
    "too large": client.post(url, json=given | {"name": "d", "shade": 3}).json()["detail"],
    "retired": client.post(url, json=given | {"name": "d", "hue": "blue"}).status_code,
}
schemas = client.get("/api/v1/openapi.json").json()["components"]["schemas"]
found["openapi"] = schemas["NewCampaign"]["properties"]
found["answer"] = list(schemas["CampaignShape"]["properties"]["terms"]["properties"])
found["form"] = client.get("/new").text
form = {"name": "form", "threshold": "0.5", "budget": "9", "arms": "a", "shade": "0.75", "action": "create"}
found["created"] = client.post("/new", data=form).status_code
found["form value"] = app.state.registry.open("form").terms.shade

# The docs
import docs_hooks
from types import SimpleNamespace
page = SimpleNamespace(file=SimpleNamespace(src_uri="reference/terms.md"))
found["docs"] = docs_hooks.on_page_markdown("", page=page, config=None, files=None)
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def surfaces(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return what a program shows in whose declaration there is one term more."""
    environment = os.environ | {"PYTHONPATH": str(CHECKOUT / "tools"), "COLUMNS": "200"}
    environment.pop("THRESHER_DB", None)
    done = subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning", "-c", ONE_MORE + SURFACES],
        cwd=tmp_path_factory.mktemp("surfaces"),
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_one_more_term_is_a_keyword_in_python(surfaces: Any) -> None:
    found = surfaces["python"]
    assert (found["signature"], found["doc"], found["value"]) == ("shade: float = 0.25", True, 0.5)
    assert found["too large"] == "shade is 3; must be above 0 and at most 2"
    assert found["retired"].startswith("unknown keyword 'hue' of a campaign")


def test_one_more_term_is_stored_where_it_is_not_at_its_default(surfaces: Any) -> None:
    # Older versions refuse a term that they do not know: they open the campaign if it is not there.
    assert surfaces["stored"]["default"] == STORED | {"hue": "red"}
    assert (surfaces["stored"]["other"], surfaces["stored"]["old log"]) == (0.5, "blue")


def test_one_more_term_is_an_option_and_a_key(surfaces: Any) -> None:
    for command in ("new --help", "run --help"):
        assert "--tone" in surfaces[command]
        assert "How dark an arm is." in surfaces[command]
        assert "--hue" not in surfaces[command]
    assert (surfaces["new"], surfaces["toml"], surfaces["run"]) == (0.5, 0.5, 1.5)
    assert surfaces["toml error"] == "run.toml line 5: tone is 5; must be above 0 and at most 2"
    assert surfaces["retired key"].startswith("run.toml line 5: key is 'hue'; must be a key of a spec")


def test_one_more_term_is_in_requests_answers_and_the_openapi_document(surfaces: Any) -> None:
    found = surfaces["http"]
    assert found["value"] == 0.5
    assert found["default"] == STORED | {"hue": "red"}
    assert found["too large"] == "shade must be at most 2"
    assert found["retired"] == 422
    shade, hue = surfaces["openapi"]["shade"], surfaces["openapi"]["hue"]
    assert (shade["description"], shade["default"]) == ("How dark an arm is.", 0.25)
    assert (shade["exclusiveMinimum"], shade["maximum"]) == (0, 2)
    assert hue["deprecated"]
    assert "shade" in surfaces["answer"]


def test_one_more_term_is_in_the_form_and_in_the_docs(surfaces: Any) -> None:
    assert '<label for="shade">Shade of the arms</label>' in surfaces["form"]
    assert 'name="shade"' in surfaces["form"]
    assert 'name="hue"' not in surfaces["form"]
    assert (surfaces["created"], surfaces["form value"]) == (303, 0.75)
    row = "| `shade` | `--tone` | `0.25` | How dark an arm is. It must be above 0 and at most 2. |"
    assert row in surfaces["docs"]
    assert "`hue`" not in surfaces["docs"]
