"""The terms of a campaign."""

import math

import pytest

from thresher.campaign import Terms
from thresher.errors import InvalidProblemError, StorageError, UnknownNameError


def test_they_are_stored_and_read_again() -> None:
    terms = Terms(family="bounded", low=1, high=5, lease=0.5, stop_price=0.01, expiry="forfeit")
    assert Terms.from_json(terms.to_json()) == terms
    assert (terms.low, terms.lease_micros) == (1.0, 500_000)
    assert terms.ceiling == pytest.approx(-math.log(0.01))
    assert Terms(family="gaussian").ceiling == math.inf


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"family": "coin"}', '{"family": "gaussian", "more": 1}', '{"family": 3}']
)
def test_damaged_terms_are_a_storage_error(text: str) -> None:
    with pytest.raises(StorageError, match="cannot be read"):
        Terms.from_json(text)


@pytest.mark.parametrize(
    "given",
    [
        {"lease": 0.0}, {"lease": 1e12}, {"lease": "600"}, {"lease": True}, {"low": 1.0}, {"stop_mistakes": -1.0},
        {"false_pass": 0.0}, {"abstain": 0.0}, {"abstain": 1.1}, {"confidence": 1.0}, {"stop_price": math.nan},
    ],
    ids=str,
)  # fmt: skip
def test_numbers_out_of_range_are_refused(given: dict[str, float]) -> None:
    with pytest.raises(InvalidProblemError):
        Terms(family="bounded", **given)  # type: ignore[arg-type]


def test_unknown_names_are_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="'reissue'"):
        Terms(family="gaussian", expiry="reisue")
    with pytest.raises(UnknownNameError, match="'gaussian'"):
        Terms(family="gausian")
