"""Schemathesis over the OpenAPI document: no server error, no status, type or shape that the document does not name."""

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode, checks

from tests.support.service_place import served
from thresher.campaign import Campaign
from thresher.campaign.storage import MemoryStorage
from thresher.service import Settings, create_app
from thresher.service.openapi import openapi_document

checks.load_all_checks()
CHECKS: Any = checks.CHECKS.get_by_names(
    [
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_headers_conformance",
        "response_schema_conformance",
        "negative_data_rejection",
        "missing_required_header",
        "unsupported_method",
        "ignored_auth",
    ]
)
PATIENCE = 300.0  # seconds: the first offer compiles what it simulates with
EXAMPLES = pytest.mark.parametrize("examples", [1, pytest.param(60, marks=pytest.mark.nightly)])


def operations() -> dict[str, Any]:
    """Return the operations of the document by name."""
    schema: Any = schemathesis.openapi.from_dict(openapi_document(create_app(MemoryStorage())))
    found: list[Any] = [operation.ok() for operation in schema.get_all_operations()]
    return {operation.label: operation for operation in found}


OPERATIONS = operations()


# Where random ones stand in a request, these do in most cases, or nearly every answer would be 404 or 422.
SANE = {
    "name": "new",
    "arms": ["x", "y"],
    "arm": "a",
    "item": "3",
    "items": ["x", "y"],
    "outcome": 1,
    "n": 1,
    "total": 1,
    "squares": None,
    "amount": 1.5,
    "threshold": 0.5,
    "sigma": None,
    "costs": 2.0,
    "pull_costs": None,
    "budget": 100.0,
    "family": "bernoulli",
    "policy": "lsa",
    "lease": 60.0,
    "expiry": "forfeit",
    "low": 0.0,
    "high": 1.0,
    "stop_price": 0.0,
    "stop_mistakes": 0.0,
    "false_pass": 1.0,
    "false_fail": 1.0,
    "abstain": 1.0,
    "confidence": 0.05,
    "risk": 0.1,
    "guarantee": "fdr",
    "goal": "mistakes",
    "passes": "below",
    "tolerance": 0.0,
    "unit": "ms",
    "batch": "file",
    "counts": [{"arm": "a", "key": "monday", "n": 10, "total": 3}],
    "sources": [{"name": "runs.csv", "form": "lines"}],
    "added": [
        {"source": 0, "arm": "a", "n": 1, "total": 1, "lines": [{"outcome": 1, "times": 1, "hashes": "AAECAwQFBgc="}]}
    ],
    "voided": [],
    "reduced": [],
    "after": 10**9,
    "scope": "read",
    "campaign": None,
    "days": 30,
    "scores": [{"arm": "a", "item": "1", "score": 0.5}],
}


class Service:
    """A real server with one campaign, and what a caller says to it.

    Parameters
    ----------
    address : str
    app : FastAPI
    """

    def __init__(self, address: str, app: FastAPI, *, items: int | None = None, proxy: Any = None) -> None:
        self._address = address
        self._keyring = app.state.keyring
        self._headers = {"Authorization": f"Bearer {app.state.keyring.new_token('admin')}"}
        self._name = f"campaign {len(app.state.registry.names())}"
        self._campaign = Campaign.create(
            app.state.registry.storage,
            self._name,
            arms=["a", "b"],
            items=items,
            proxy=proxy,
            threshold=0.5,
            budget=2000 if proxy is None else 6,
        )
        if items is None:
            self._campaign.tell_counts("a", n=1, total=1, paid=False, batch=str(SANE["batch"]))
        self.seen: Counter[int] = Counter()

    def plant(self, case: Case[Any], rng: random.Random) -> None:
        """Put what exists or makes sense where random values stand, in most cases."""
        if "campaign" in case.path_parameters and rng.random() < 0.8:
            case.path_parameters["campaign"] = self._name
        if "token" in case.path_parameters:
            case.path_parameters["token"] = self._keyring.new_token("read").split("_")[1]
        if "budget" in (case.query or {}) and rng.random() < 0.8:
            case.query["budget"] = SANE["budget"]
        if isinstance(case.body, dict) and rng.random() < 0.7:
            must = {"threshold": None} if "arms" in case.body and "/history" not in case.path else {}
            case.body = self._sane(must | case.body, rng)

    def _sane(self, value: Any, rng: random.Random, key: str = "") -> Any:
        if key == "ticket" and self._campaign.is_open:
            [ticket] = self._campaign.ask(1)
            if rng.random() < 0.6:
                self._campaign.tell(ticket, 1)
            return ticket.id
        if key == "arms" and isinstance(value, list) and any(isinstance(part, dict) for part in value):
            return [{"name": f"past {rng.randint(1, 9)}", "outcomes": [1, 0, None]}]
        if isinstance(value, dict):
            return {name: self._sane(part, rng, name) for name, part in value.items()}
        if key in ("outcomes", "tickets") and isinstance(value, list):
            return [self._sane(part, rng, "ticket" if isinstance(part, str) else "") for part in value]
        return SANE.get(key, value)

    def answer(self, case: Case[Any]) -> None:
        """Send a case and hold the answer against the document."""
        answer = case.call(base_url=self._address, headers=self._headers, timeout=PATIENCE)
        self.seen[answer.status_code] += 1
        # A body that is too large is refused as such: to Schemathesis, 413 does not refuse wrong data.
        checks = [check for check in CHECKS if answer.status_code != 413 or check.__name__ != "negative_data_rejection"]
        case.validate_response(answer, checks=checks, headers=self._headers)


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[str, FastAPI]]:
    # Without limits: on a fast machine, requests of other tests would have this one refused with 429.
    app = create_app(MemoryStorage(), Settings(token_rate=0, address_rate=0))
    app.state.watch.stop()  # so that streams and waits end at once
    with served(app) as address:
        yield address, app


@pytest.fixture
def service(server: tuple[str, FastAPI], label: str) -> Service:
    """Return a service whose campaign has items if the route is about items."""
    if label.endswith(("/history", "/proxy", "/judge")) and not label.startswith(
        "GET /api/v1/campaigns/{campaign}/history"
    ):
        return Service(*server, items=3, proxy={"a": {"1": 0.5, "2": 1.0}})
    return Service(*server, items=1000 if "/items" in label else None)


def fuzz(service: Service, label: str, mode: GenerationMode, examples: int) -> None:
    """Send random cases of one route, right or wrong ones."""

    @settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(case=OPERATIONS[label].as_strategy(generation_mode=mode), rng=st.randoms(use_true_random=False))
    def answers(case: Case[Any], rng: random.Random) -> None:
        if mode is GenerationMode.POSITIVE:
            service.plant(case, rng)
        service.answer(case)

    answers()


@EXAMPLES
@pytest.mark.parametrize("label", OPERATIONS)
def test_what_the_document_allows_is_answered_as_it_says(service: Service, label: str, examples: int) -> None:
    fuzz(service, label, GenerationMode.POSITIVE, examples)
    assert service.seen.keys() & {200, 201}, f"no call of {label} came through: {service.seen}"


@EXAMPLES
@pytest.mark.parametrize("label", [label for label, one in OPERATIONS.items() if one.definition.raw["security"]])
def test_what_the_document_forbids_is_refused_as_it_says(service: Service, label: str, examples: int) -> None:
    fuzz(service, label, GenerationMode.NEGATIVE, examples)
    assert any(400 <= status < 500 for status in service.seen), service.seen
