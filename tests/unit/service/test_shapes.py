"""What travels: arms by name or with numbers, numbers that JSON has, pages that end."""

import math

import pytest
from pydantic import ValidationError

from thresher.service.shapes import NewArms, NewCampaign, TellRequest


def test_arms_are_names_or_rows_with_blanks() -> None:
    assert NewArms.model_validate({"arms": ["a", "b"], "threshold": 0.5}).given()["arms"] == ["a", "b"]
    rows = [{"arm": "a", "threshold": 0.1}, {"arm": "b", "cost": 2.0}]
    columns = NewArms.model_validate({"arms": rows}).given()["arms"]
    assert columns == {
        "arm": ["a", "b"], "threshold": [0.1, None], "sigma": [None] * 2, "cost": [None, 2.0], "pull_cost": [None] * 2,
    }  # fmt: skip


def test_what_is_not_given_is_the_campaigns() -> None:
    given = NewCampaign.model_validate({"name": "c", "arms": ["a"], "threshold": 0.5, "budget": 9}).given()
    assert (given["policy"], given["family"], given["lease"], given["sigma"]) == ("stopping", "bernoulli", 600.0, None)
    assert "name" not in given


@pytest.mark.parametrize("wrong", ["1", None, [1], math.nan, math.inf, {}])
def test_an_outcome_is_a_number_or_a_truth(wrong: object) -> None:
    with pytest.raises(ValidationError):
        TellRequest.model_validate({"outcomes": [{"ticket": "1-a", "outcome": wrong}]})
    for right in (True, 1, 0.5):
        [told] = TellRequest.model_validate({"outcomes": [{"ticket": "1-a", "outcome": right}]}).outcomes
        assert told.outcome is right
