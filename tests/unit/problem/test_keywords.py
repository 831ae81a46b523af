import inspect

import pytest

from thresher.errors import UnknownNameError
from thresher.problem.keywords import suggests_keywords


@suggests_keywords
def example(means: float, *, costs: float = 1.0) -> float:
    """Return their product."""
    return means * costs


def test_known_keywords_pass() -> None:
    assert example(2.0, costs=3.0) == 6.0
    assert example(means=2.0) == 2.0


def test_an_unknown_one_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown keyword 'cost' of example; did you mean 'costs'"):
        example(2.0, cost=3.0)  # type: ignore[call-arg]


def test_help_shows_the_function_as_it_was_written() -> None:
    assert str(inspect.signature(example)) == "(means: float, *, costs: float = 1.0) -> float"
    assert example.__doc__ == "Return their product."
