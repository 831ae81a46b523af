"""Templates escape whatever they are given."""

from datetime import UTC, datetime

import pytest
from jinja2 import UndefinedError

from thresher.dashboard.rendering import campaign_url, environment, moment


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("prompts", "/campaigns/prompts"),
        ("a/b c", "/campaigns/a%2Fb%20c"),
        ("../..", "/campaigns/..%2F.."),
        ("?x=1#y", "/campaigns/%3Fx%3D1%23y"),
        ("ü", "/campaigns/%C3%BC"),
        ("javascript:alert(1)", "/campaigns/javascript%3Aalert%281%29"),
    ],
)
def test_any_name_is_one_part_of_an_address(name: str, url: str) -> None:
    assert campaign_url(name) == url
    assert campaign_url(name, "arms", 3) == f"{url}/arms/3"


def test_what_is_given_is_escaped_and_what_is_missing_is_an_error() -> None:
    made = environment()
    assert (
        made.from_string('<b title="{{ x }}">{{ x }}</b>').render(x='"<i>')
        == '<b title="&#34;&lt;i&gt;">&#34;&lt;i&gt;</b>'
    )
    with pytest.raises(UndefinedError):
        made.from_string("{{ nobody }}").render()


def test_only_pictures_are_markup() -> None:
    marked = [
        (name, line.strip())
        for name in environment().list_templates()
        for line in (environment().loader.get_source(environment(), name)[0]).splitlines()  # type: ignore[union-attr]
        if "drawn(" in line or "|safe" in line or "autoescape" in line
    ]
    assert len(marked) == 9
    assert all("|safe" not in line for _, line in marked)


def test_a_moment() -> None:
    assert moment(datetime(2026, 11, 15, 9, 5, 1, 999, tzinfo=UTC)) == "2026-11-15 09:05:01"
