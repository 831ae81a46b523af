"""Committed files are about the project only, and its parts agree with each other."""

import re
import subprocess

import pytest

import thresher
from tests.support.checkout import CHECKOUT

# Written in pieces, so that this file does not find itself.
PATHS = "/" + r"(?:work|root|farm|home/\w+|Users/\w+)" + "/"
HOSTS = "|".join(["py" + "pi.org", "python" + "hosted.org", "registry.npm" + "js", "index-" + "url", "_auth" + "Token"])
FORBIDDEN = re.compile(rf"(?<![\w.]){PATHS}|{HOSTS}")


def committed() -> list[str]:
    """Return what Git tracks, relative to the checkout."""
    listed = subprocess.run(["git", "ls-files"], cwd=CHECKOUT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a Git checkout")
    return [name for name in listed.stdout.splitlines() if (CHECKOUT / name).is_file()]


def test_no_file_names_a_path_of_a_machine_or_a_registry() -> None:
    found = []
    for name in committed():
        text = (CHECKOUT / name).read_bytes().decode(errors="ignore")
        found += [
            f"{name}:{number}: {line}" for number, line in enumerate(text.splitlines(), 1) if FORBIDDEN.search(line)
        ]
    assert not found


def test_nothing_advises_to_install_from_a_registry_that_does_not_have_the_package() -> None:
    advice = re.compile(r"pip install[^\n]*thresher-" + "bandits|default: thresher-" + "bandits")
    texts = {name: (CHECKOUT / name).read_bytes().decode(errors="ignore") for name in committed()}
    assert [name for name, text in texts.items() if name != "CHANGELOG.md" and advice.search(text)] == []


def test_the_pattern_finds_what_it_is_for() -> None:
    assert FORBIDDEN.search("see /" + "work/main/x")
    assert FORBIDDEN.search("https://py" + "pi.org/simple")
    assert not FORBIDDEN.search("a framework/rooted path")


def test_the_citation_names_this_version() -> None:
    cited = re.search(r"^version: (.+)$", (CHECKOUT / "CITATION.cff").read_text(), re.MULTILINE)
    assert cited
    assert cited[1] == thresher.__version__


def test_every_changelog_fragment_has_a_kind_and_a_text() -> None:
    fragments = [path for path in (CHECKOUT / "changelog.d").iterdir() if path.name != "README.md"]
    for path in fragments:
        assert re.fullmatch(r"(\d+|\+\w+)\.(added|changed|fixed)(\.\d+)?\.md", path.name), path.name
        assert path.read_text().strip(), path.name


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_every_relative_link_leads_somewhere(page: str) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", (CHECKOUT / page).read_text())
    assert links
    assert [link for link in links if not (CHECKOUT / link).exists()] == []
