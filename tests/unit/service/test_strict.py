"""JSON that is read strictly."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from thresher.campaign.wire import error_of
from thresher.errors import InvalidInputError, UnknownNameError
from thresher.service.strict import read_json

DOCUMENTS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(DOCUMENTS)
def test_what_json_writes_is_read_as_json_reads_it(document: object) -> None:
    text = json.dumps(document).encode()
    assert read_json(text) == json.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        "NaN",
        "[Infinity]",
        "-Infinity",
        "1e999",
        "-1e999",
        '{"a":1,"a":1}',
        '[{"a":{"b":1,"b":2}}]',
        "9" * 5000,
        "[" * 10**5,
    ],
    ids=lambda text: text[:20],
)
def test_what_is_no_number_and_what_stands_twice_is_refused(text: str) -> None:
    with pytest.raises(json.JSONDecodeError):
        read_json(text.encode())


def test_only_utf_8_is_read() -> None:
    for encoding in ("utf-16", "utf-32", "utf-8-sig"):
        with pytest.raises(json.JSONDecodeError):
            read_json('{"a": 1}'.encode(encoding))


@pytest.mark.parametrize(
    ("query", "status"), [("limit=2", 200), ("limt=2", 422), ("limit=1&limit=2", 422), ("", 200), ("=1", 422)]
)
def test_a_query_that_would_be_ignored_is_refused(client: TestClient, query: str, status: int) -> None:
    answer = client.get(f"/api/v1/campaigns/c/history?{query}")
    assert answer.status_code == status
    assert "limt" not in answer.text


C = "/api/v1/campaigns/c"
NEW = {"name": "d", "arms": ["a"], "threshold": 0.5, "budget": 9}


@pytest.mark.parametrize(
    ("path", "body", "field", "rule"),
    [
        (f"{C}/history?limit=20000", None, "limit", "must be at most 10000"),
        (f"{C}/history?after=-1", None, "after", "must be at least 0"),
        (f"{C}/history?limit=few", None, "limit", "must be a whole number"),
        (f"{C}/history?limt=5", None, "query", "must not have an unknown key"),
        (f"{C}/export/all.csv", None, "what", "must be 'verdicts.csv', 'outcomes.csv' or 'log.jsonl'"),
        (f"{C}/ask", {"n": 0}, "n", "must be at least 1"),
        (f"{C}/ask", {"many": 3}, "body", "must not have an unknown key"),
        (f"{C}/ask", [], "body", "must be an object"),
        (f"{C}/pause", {"until": "noon"}, "body", "must be empty: this request takes nothing"),
        ("/api/v1/campaigns", NEW | {"items": 0}, "items", "must be a list or at least 1"),
        (f"{C}/tell", {"outcomes": [{"ticket": "1-a"}]}, "outcomes.0.outcome", "must be given"),
        (f"{C}/tell", {"outcomes": [{"ticket": "1-a", "outcome": "1"}]}, "outcomes.0.outcome",
         "must be true or false or a whole number or a number"),
        (f"{C}/fail", {"ticket": "1-a", "reason": "x" * 201}, "reason", "must have at most 200 characters"),
        ("/api/v1/campaigns", NEW | {"lease": 0}, "lease", "must be at least 0.001"),
        ("/api/v1/campaigns", NEW | {"confidence": 1}, "confidence", "must be below 1"),
        ("/api/v1/campaigns", NEW | {"name": ""}, "name", "must not be empty"),
        ("/api/v1/campaigns", NEW | {"name": "a\0"}, "name", "must not contain NUL"),
        ("/api/v1/campaigns", NEW | {"arms": []}, "arms", "must not be empty"),
        ("/api/v1/campaigns", NEW | {"arms": [1]}, "arms.0", "must be text or an object"),
        ("/api/v1/campaigns", NEW | {"expiry": "never"}, "expiry", "must be one of forfeit, reissue"),
        ("/api/v1/campaigns", NEW | {"high": -1}, "high", "must be above low, which is 0"),
    ],
)  # fmt: skip
def test_invalid_input_is_told_by_field_and_rule_and_arrives_as_the_same_error(
    client: TestClient, path: str, body: object, field: str, rule: str
) -> None:
    answer = client.get(path) if body is None else client.post(path, json=body)
    document = answer.json()
    assert (answer.status_code, document["field"], document["rule"]) == (422, field, rule)
    error = error_of(422, document)
    assert isinstance(error, InvalidInputError | UnknownNameError)
    assert str(error) == document["detail"]
    if isinstance(error, InvalidInputError):
        assert (error.where, error.rule) == (field, rule)


def test_everything_that_is_wrong_is_listed(client: TestClient) -> None:
    document = client.get(f"{C}/history?limit=few&after=-1").json()
    assert document["detail"] == "after must be at least 0; limit must be a whole number"
    assert document["errors"] == [
        {"field": "after", "rule": "must be at least 0"}, {"field": "limit", "rule": "must be a whole number"},
    ]  # fmt: skip


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "text/plain", "application/gzip"])
def test_a_body_of_another_content_type_is_named(client: TestClient, kind: str) -> None:
    # What curl -d sends: the body is an object, and its header denies it.
    answer = client.post(f"{C}/ask", content=b'{"n": 1}', headers={"Content-Type": kind})
    assert answer.status_code == 422
    assert answer.json()["detail"] == "body must be JSON, with the header Content-Type: application/json"


@pytest.mark.parametrize("body", [b"", b"{}", b" {}\n"])
def test_a_request_that_takes_nothing_may_have_an_empty_body(client: TestClient, body: bytes) -> None:
    assert client.post(f"{C}/pause", content=body).json()["status"] == "paused"
