"""A test is known by what it is made of."""

import pytest

from thresher.pytest_plugin.source import fingerprint

pytest_plugins = ["pytester"]


@pytest.fixture(autouse=True)
def no_other_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Collect with no other plugin than ours."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


TEXT = """
import pytest

@pytest.fixture
def used():
    return 1

@pytest.fixture
def unused():
    return 1

class TestIt:
    def setup_method(self):
        self.x = 1

    def test_it(self, used, tmp_path):
        assert used == 1

def helper():
    return 1
"""


def of(pytester: pytest.Pytester, name: str, text: str) -> str:
    """Return the fingerprint of the one test in a text; `name` is that of its file, each for one text."""
    [item], _ = pytester.inline_genitems(pytester.makepyfile(**{name: text}))
    return fingerprint(item)


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ("assert used == 1", "assert used == 1  # now", True),
        ("self.x = 1", "self.x = 2", True),
        ("def used():\n    return 1", "def used():\n    return 2", True),
        ("def unused():\n    return 1", "def unused():\n    return 2", False),
        ("def helper():\n    return 1", "def helper():\n    return 2", False),
        ("import pytest", "import pytest\nimport os", False),
    ],
)
def test_only_what_a_test_is_made_of_counts(pytester: pytest.Pytester, old: str, new: str, changes: bool) -> None:
    assert old in TEXT
    before, after = of(pytester, "test_1", TEXT), of(pytester, "test_2", TEXT.replace(old, new, 1))
    assert (before != after) is changes


def test_an_item_that_is_no_function_is_known_by_its_file(pytester: pytest.Pytester) -> None:
    def doctest(name: str, text: str) -> str:
        [item], _ = pytester.inline_genitems(pytester.maketxtfile(**{name: text}))
        return fingerprint(item)

    first = doctest("test_1", ">>> 1 + 1\n2\n")
    assert first != doctest("test_2", ">>> 1 + 2\n3\n")
    assert first == doctest("test_3", ">>> 1 + 1\n2\n")
