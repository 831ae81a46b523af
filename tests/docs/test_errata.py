"""The errata page shows what its script prints."""

import contextlib
import io
import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "explanation" / "errata.md").read_text()
ENTRY = re.compile(r"^### (\d+)\. .*?(?=^##|\Z)", re.MULTILINE | re.DOTALL)
EXAMPLE = re.compile(r"^```python\n(?P<code>.*?)^```\n\n```text\n(?P<shown>.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def printed() -> list[str]:
    """Return what each block prints; they are one script, so that a later one may use an earlier one's names."""
    outputs: list[str] = []
    names: dict[str, object] = {}
    for example in EXAMPLE.finditer(PAGE):
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(example["code"], names)
        outputs.append(output.getvalue())
    return outputs


SHOWN = [example["shown"] for example in EXAMPLE.finditer(PAGE)]


@pytest.mark.parametrize("place", range(len(SHOWN)))
def test_a_block_prints_what_the_page_shows(place: int, printed: list[str]) -> None:
    assert printed[place] == SHOWN[place]


def test_every_entry_is_numbered_and_has_a_demonstration() -> None:
    entries = list(ENTRY.finditer(PAGE))
    assert [int(entry[1]) for entry in entries] == list(range(1, 21))
    assert [entry[1] for entry in entries if not EXAMPLE.search(entry[0])] == []


def test_no_block_is_without_its_output() -> None:
    assert PAGE.count("```python") == len(SHOWN) == 21
