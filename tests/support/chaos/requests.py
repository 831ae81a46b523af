"""Requests of every kind to a service, right and wrong, drawn at random; the status of each answer is counted."""

from __future__ import annotations

import random
import re
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from httpx2 import Client, Response

MOST_HELD = 50  # tickets that a client keeps
C = "/campaigns/c"
READS = (
    C, f"{C}/verdicts", f"{C}/history?limit=50", f"{C}/arms/0/pulls", "/campaigns", "/health", "/ready", "/metrics",
    "/openapi.json", "/tokens",
)  # fmt: skip


class MixedClient:
    """One client of a campaign ``c``: it asks, tells, corrects, reads, exports and makes mistakes.

    It makes small campaigns with items, too, which it pauses and closes.

    Parameters
    ----------
    client : httpx2.Client
    rng : random.Random
    name : str
        Of the arms and the campaigns that it adds.
    """

    def __init__(self, client: Client, rng: random.Random, name: str) -> None:
        self._client, self._rng, self._name = client, rng, name
        self._held: list[str] = []
        self._told: list[str] = []
        self._arms = self._made = 0
        self.seen: Counter[int] = Counter()
        self.failed: list[str] = []
        #: Requests by how often they are drawn.
        self._mix: dict[Callable[[], Response], int] = {
            self._ask: 20, self._tell: 20, self._heartbeat: 3, self._give_up: 2, self._counts: 2, self._add_arms: 3,
            self._count_table: 2, self._import: 1, self._void: 2, self._amend: 2, self._extend: 1, self._retire: 1,
            self._verify: 2, self._export: 3, self._offer: 1, self._allocate: 1, self._stream: 1, self._create: 1,
            self._add_items: 1, self._tell_items: 3, self._void_import: 1, self._read_items: 2, self._pause: 1,
            self._history: 1, self._proxy: 2, self._judge: 1, self._resume: 1, self._close: 1, self._read: 20,
            self._err: 24, self._archive: 1, self._unarchive: 2, self._new_token: 1, self._revoke: 1,
        }  # fmt: skip

    def send_each(self) -> set[tuple[str, str]]:
        """Send each kind of request once, each read and each wrong request; return methods and paths without these."""
        reads: list[Callable[[], Response]] = [partial(self._get, path) for path in READS]
        right = [self._send(kind).request for kind in [self._create, *self._mix, *reads] if kind != self._err]
        for kind in self._wrong:
            self._send(kind)
        return {(request.method.lower(), request.url.path) for request in right}

    def send(self, times: int) -> None:
        """Send that many requests."""
        for kind in self._rng.choices(list(self._mix), list(self._mix.values()), k=times):
            self._send(kind)

    def _send(self, kind: Callable[[], Response]) -> Response:
        answer = kind()
        self.seen[answer.status_code] += 1
        if answer.status_code >= 500:
            self.failed.append(f"{kind}: {answer.status_code} {answer.text[:300]}")
        return answer

    def _post(self, what: str, **body: Any) -> Response:
        return self._client.post(f"{C}/{what}", json=body)

    def _get(self, path: str) -> Response:
        return self._client.get(path)

    @property
    def _own(self) -> str:
        return f"/campaigns/{self._name}, {self._made}"

    def _post_own(self, what: str, **body: Any) -> Response:
        return self._client.post(f"{self._own}/{what}", json=body)

    def _ask(self) -> Response:
        answer = self._post("ask", n=self._rng.randint(1, 5))
        if answer.status_code == 200:
            self._held = [*self._held, *(ticket["id"] for ticket in answer.json()["tickets"])][-MOST_HELD:]
        return answer

    def _tell(self) -> Response:
        tickets = [self._held.pop() for _ in range(min(len(self._held), self._rng.randint(1, 5)))]
        self._told = [*self._told, *tickets][-MOST_HELD:]
        return self._post("tell", outcomes=[{"ticket": one, "outcome": self._rng.randint(0, 1)} for one in tickets])

    def _any(self, tickets: list[str]) -> str:
        return self._rng.choice(tickets) if tickets else "1-0"

    def _heartbeat(self) -> Response:
        return self._post("heartbeat", tickets=self._held[:5])

    def _give_up(self) -> Response:
        return self._post("fail", ticket=self._any(self._held), reason="chaos")

    def _counts(self) -> Response:
        return self._post("counts", arm="arm 0", n=4, total=self._rng.randint(0, 4), paid=False)

    def _count_table(self) -> Response:
        row = {
            "arm": "arm 0",
            "key": f"{self._name} {self._rng.randint(1, 20)}",
            "n": 4,
            "total": self._rng.randint(0, 4),
        }
        return self._post("counts/table", counts=[row], source=self._name)

    def _import(self) -> Response:
        return self._post("import", batch=self._name, sources=[], added=[], after=self._rng.randint(0, 9))

    def _add_arms(self) -> Response:
        self._arms += 1
        return self._post("arms", arms=[f"{self._name} {self._arms}"], threshold=0.5, sigma=1.0)

    def _void(self) -> Response:
        return self._post("void", ticket=self._any(self._told))

    def _amend(self) -> Response:
        return self._post("amend", ticket=self._any(self._told), outcome=1)

    def _extend(self) -> Response:
        return self._post("extend", amount=10)

    def _retire(self) -> Response:
        return self._post("retire", arm=f"{self._name} {self._rng.randint(1, 50)}")

    def _verify(self) -> Response:
        return self._post("verify")

    def _export(self) -> Response:
        return self._client.get(f"{C}/export/{self._rng.choice(['log.jsonl', 'verdicts.csv', 'outcomes.csv'])}")

    def _offer(self) -> Response:
        return self._get(f"{C}/offer{self._rng.choice(['', '?risk=0.2', '?guarantee=anytime'])}")

    def _allocate(self) -> Response:
        return self._get(f"{C}/allocation?budget={self._rng.randint(1, 9)}")

    def _stream(self) -> Response:
        with self._client.stream("GET", f"{C}/events") as answer:
            if answer.status_code == 200:
                next(line for line in answer.iter_lines() if line.startswith("data:"))
        return answer

    def _create(self) -> Response:
        self._made += 1
        named = {"name": f"{self._name}, {self._made}", "arms": ["a", "b"], "items": ["p", "q"]}
        return self._client.post("/campaigns", json={**named, "threshold": 0.5, "budget": 4})

    def _add_items(self) -> Response:
        return self._post_own("items", items=[f"item {self._rng.randint(1, 20)}"])

    def _tell_items(self) -> Response:
        one = {"arm": self._rng.choice("ab"), "item": self._rng.choice("pq"), "outcome": self._rng.randint(0, 1)}
        return self._post_own("items/tell", outcomes=[one], batch="import")

    def _history(self) -> Response:
        past = {"name": f"past {self._rng.randint(1, 3)}", "outcomes": [1, 0]}
        return self._post_own("history", arms=[past])

    def _proxy(self) -> Response:
        score = {"arm": self._rng.choice("ab"), "item": self._rng.choice("pq"), "score": self._rng.random()}
        return self._post_own("proxy", scores=[score])

    def _judge(self) -> Response:
        return self._get(f"{self._own}/judge")

    def _void_import(self) -> Response:
        return self._post_own("void-import", batch="import")

    def _read_items(self) -> Response:
        return self._get(f"{self._own}/items")

    def _pause(self) -> Response:
        return self._post_own("pause")

    def _resume(self) -> Response:
        return self._post_own("resume")

    def _close(self) -> Response:
        return self._post_own("close", reason="chaos")

    def _archive(self) -> Response:
        return self._post_own("archive", reason="chaos")

    def _unarchive(self) -> Response:
        return self._post_own("unarchive")

    def _new_token(self) -> Response:
        return self._client.post("/tokens", json={"scope": "work", "campaign": "c"})

    def _revoke(self) -> Response:
        return self._client.post(f"/tokens/{self._new_token().json()['id']}/revoke")

    def _read(self) -> Response:
        return self._get(self._rng.choice(READS))

    def _err(self) -> Response:
        return self._rng.choice(self._wrong)()

    @property
    def _wrong(self) -> list[Callable[[], Response]]:
        return [
            lambda: self._post("ask", n=0),
            lambda: self._post("ask", n="many"),
            lambda: self._post("tell", outcomes=[{"ticket": "1-0", "outcome": 1}]),
            lambda: self._post("tell", outcomes=[{"ticket": self._any(self._held), "outcome": "high"}]),
            lambda: self._post("tell", outcomes=[{"ticket": "x" * 400, "outcome": 1e308}]),
            lambda: self._post("extend", amount=-5),
            lambda: self._post("arms", arms=["arm 0"], threshold=0.5, sigma=1.0),
            lambda: self._post("arms", arms=[""], threshold=9.0, sigma=1.0),
            lambda: self._post("counts", arm="nobody", n=1, total=1),
            lambda: self._post("nothing"),
            lambda: self._client.post(f"{C}/ask", content=b"{\xff"),
            lambda: self._client.post(f"{C}/tell", content=b"[" * 5000),
            lambda: self._client.get("/campaigns/nothing"),
            lambda: self._client.get(f"{C}/history?after=-1"),
            lambda: self._client.get(f"{C}/export/secrets.txt"),
            lambda: self._client.delete(C),
            lambda: self._get(f"{C}/offer?risk=2"),
            lambda: self._get(f"{C}/allocation?budget=0"),
            lambda: self._get(f"{C}/offer?guarantee=sure"),
            lambda: self._client.post("/campaigns", json={"name": "c", "arms": ["a"], "threshold": 0.5, "budget": 4}),
            lambda: self._post("void-import", batch="nothing"),
            lambda: self._post("items/tell", outcomes=[{"arm": "arm 0", "item": "p", "outcome": 1}]),
            lambda: self._client.get(C, headers={"Authorization": "Bearer nobody"}),
        ]


def send_all(clients: list[MixedClient], times: int) -> None:
    """Let all clients send requests at the same time, `times` in all."""
    shares = [times // len(clients) + (i < times % len(clients)) for i in range(len(clients))]
    threads = [threading.Thread(target=one.send, args=(n,)) for one, n in zip(clients, shares, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def routes_in(document: Mapping[str, Any]) -> dict[tuple[str, str], re.Pattern[str]]:
    """Return the routes of an OpenAPI document: method and path, with the pattern of the paths that it serves."""
    return {
        (method, path): re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path)))
        for path, operations in document["paths"].items()
        for method in operations
    }
