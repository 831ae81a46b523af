"""JSON that is read strictly."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

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
