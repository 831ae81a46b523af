import numpy as np
import pytest

from thresher.errors import InvalidInputError
from thresher.problem import Population


@pytest.mark.parametrize(
    ("kind", "first", "second"),
    [("uniform", 0.0, 1.0), ("gaussian", 0.0, 0.0), ("beta", 0.0, 1.0), ("beta", 1.0, -1.0), ("gaussian", np.nan, 1.0)],
)
def test_a_population_without_spread_or_of_another_kind_is_refused(kind: str, first: float, second: float) -> None:
    with pytest.raises(InvalidInputError):
        Population(kind, first, second)


def test_mean_and_spread_of_a_population() -> None:
    assert (Population("gaussian", 0.5, 2.0).mean, Population("gaussian", 0.5, 2.0).spread) == (0.5, 2.0)
    rates, values = Population("beta", 2.0, 6.0), Population("table", values=(0.0, 4.0))
    assert (rates.mean, rates.spread) == pytest.approx((0.25, (0.25 * 0.75 / 9.0) ** 0.5))
    assert (values.mean, values.spread) == (2.0, 2.0)


@pytest.mark.parametrize(("kind", "values"), [("table", ()), ("table", (0.1, np.inf)), ("gaussian", (0.1, 0.2))])
def test_a_table_has_finite_values_and_nothing_else_has_any(kind: str, values: tuple[float, ...]) -> None:
    with pytest.raises(InvalidInputError, match="must be finite numbers for a table, and none otherwise"):
        Population(kind, 0.0, 1.0, values)
