"""Errors travel between processes with their message and their facts."""

import pickle

import pytest

from thresher.errors import (
    ConflictingOutcomeError,
    InvalidIndexError,
    InvalidPolicyError,
    InvalidProblemError,
    MissingExtraError,
    SpecError,
    ThresherError,
    UnknownNameError,
)

ERRORS = [
    InvalidProblemError("budget 0", instead="give more"),
    SpecError("arms", "no arms", instead="name some", place="line 3"),
    UnknownNameError("policy", "lsb", ["lsa", "apt"]),
    InvalidIndexError("mine", "it decreases"),
    InvalidPolicyError("mine", "choose returned None", instead="return a number"),
    MissingExtraError("a plot", "plots"),
    ConflictingOutcomeError("t1", stored=1.0, told=0.0),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_that_travelled_is_still_itself(error: ThresherError) -> None:
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is type(error)
    assert (str(back), back.args, vars(back)) == (str(error), error.args, vars(error))
