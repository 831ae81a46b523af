"""How outcomes count: as themselves, or as above their bar or not."""

from typing import Any

import numpy as np
import pytest

from thresher.campaign.ledger import Aggregate, Arm, Terms, outcome_of
from thresher.campaign.ledger.outcomes import squares_of
from thresher.campaign.ledger.scoring import QuantileScoring, scoring_of
from thresher.errors import InvalidInputError, InvalidOutcomeError

ARM = Arm(0, "a", 200.0, 0.5, 1.0, 1_000_000)


def test_an_outcome_above_the_bar_counts_and_a_tie_does_not() -> None:
    arm, scoring = ARM, scoring_of(0.95)
    for outcome in (150.0, 200.0, 200.5, 1e6):
        arm = scoring.add(arm, outcome)
    assert (arm.pulls, arm.total) == (4, 2.0)
    assert arm.squares == pytest.approx(2 * 0.95**2 + 2 * 0.05**2)
    scores = scoring.scores(np.array([150.0, 200.0, np.nan, 201.0]), 200.0)
    np.testing.assert_array_equal(scores, [0.0, 0.0, np.nan, 1.0])


def test_the_bar_of_the_share_above_is_one_less_the_quantile_without_rounding_error() -> None:
    # 1 - 0.9 is 0.09999999999999998 in floating point: one of ten outcomes above the bar would be too many.
    for quantile, bar in ((0.9, 0.1), (0.95, 0.05), (0.99, 0.01), (0.5, 0.5), (0.3, 0.7)):
        assert QuantileScoring(quantile).bar == bar
    assert QuantileScoring(0.9).bars([1.0, 2.0]) == [0.1, 0.1]
    assert scoring_of(0.0).bars([1.0, 2.0]) == [1.0, 2.0]


def test_any_finite_number_is_an_outcome_and_a_sum_of_several_is_not() -> None:
    terms = Terms(quantile=0.5)
    assert outcome_of(terms, -3.5) == -3.5
    with pytest.raises(InvalidOutcomeError, match="tell a finite number"):
        outcome_of(terms, float("nan"))
    assert squares_of(terms, ARM, Aggregate.of(1, 203.0)) == 9.0
    with pytest.raises(InvalidOutcomeError, match="the sum of 2 outcomes in a campaign that compares a quantile"):
        squares_of(terms, ARM, Aggregate.of(2, 400.0))


def test_what_a_quantile_cannot_be_combined_with_is_refused_with_the_reason() -> None:
    wrong: tuple[tuple[dict[str, Any], str], ...] = (
        ({"family": "gaussian"}, "family is 'gaussian'; must be left out with a quantile"),
        ({"control": "today"}, "quantile is 0.5; must be left out with a control"),
    )
    for given, words in wrong:
        with pytest.raises(InvalidInputError, match=words):
            Terms(quantile=0.5, **given)
    for quantile in (-0.1, 1.0, 95.0):
        with pytest.raises(InvalidInputError, match=r"quantile is .*; must be at least 0 and below 1"):
            Terms(quantile=quantile)


def test_stored_terms_without_a_quantile_are_as_before() -> None:
    assert "quantile" not in Terms().to_dict()
    assert Terms.from_json(Terms(quantile=0.95).to_json()).quantile == 0.95
