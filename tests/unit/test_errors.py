"""Errors travel between processes with their message and their facts."""

import pickle

import pytest

from thresher.errors import (
    LONGEST_VALUE,
    CampaignArchivedError,
    CampaignClosedError,
    CampaignExistsError,
    ConflictingOutcomeError,
    InvalidIndexError,
    InvalidInputError,
    InvalidPolicyError,
    MissingExtraError,
    ThresherError,
    UnknownCampaignError,
    UnknownNameError,
    UnknownTicketError,
)

LONG = "\x1b[31m\u202e<b>" + "x" * 300
QUOTING = [
    InvalidInputError("budget", LONG, rule="must be a number"),
    UnknownNameError("policy", LONG, ["lsa"]),
    UnknownCampaignError(LONG, ["c"]),
    CampaignExistsError(LONG),
    CampaignArchivedError(LONG),
    CampaignClosedError(LONG, "be extended"),
    UnknownTicketError("c", LONG),
]
ERRORS = [
    InvalidInputError("budget", 0, rule="must be positive"),
    InvalidInputError("arms", rule="name some").at("run.toml line 3: arms"),
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


def test_a_wrong_value_is_told_with_its_rule_and_its_fix() -> None:
    error = InvalidInputError("threshold of arm 'b'", 1.5, rule="must be between 0 and 1 (exclusive)")
    assert str(error) == "threshold of arm 'b' is 1.5; must be between 0 and 1 (exclusive)"
    missing = InvalidInputError("threshold", rule="every arm needs one", fix="add --bar 0.8")
    assert str(missing) == "threshold is missing; every arm needs one; add --bar 0.8"


def test_a_long_value_is_cut() -> None:
    assert len(str(InvalidInputError("name", "x" * 10_000, rule="must be short"))) < 100


def test_a_number_of_thousands_of_digits_is_not_written_out() -> None:
    assert str(InvalidInputError("n", 10**5000, rule="must be at most 9")) == "n is too large; must be at most 9"


def test_the_same_error_at_another_place_names_that_place() -> None:
    moved = InvalidInputError("bar", 2.0, rule="must be below 1", fix="give 0.5").at("run.toml line 3: bar")
    assert str(moved) == "run.toml line 3: bar is 2; must be below 1; give 0.5"
    assert (moved.where, moved.value, moved.rule, moved.fix) == (
        "run.toml line 3: bar",
        "2",
        "must be below 1",
        "give 0.5",
    )


@pytest.mark.parametrize("error", QUOTING, ids=lambda error: type(error).__name__)
def test_a_message_repeats_sixty_characters_at_most_and_escapes_them(error: ThresherError) -> None:
    said = str(error)
    assert said.isprintable()
    assert 0 < said.count("x" * 20) * 20 <= said.count("x") <= LONGEST_VALUE


@pytest.mark.parametrize(
    ("name", "known", "text"),
    [
        ("", [], "no campaign is named; there is none yet: create one first"),
        ("", ["b", "a"], "no campaign is named; name one of 'a', 'b'"),
        ("", list("gfedcba"), "no campaign is named; name one of 'a', 'b', 'c', 'd', 'e' and 2 more"),
        ("coin", ["coins", "dice"], "no campaign 'coin'; existing: 'coins'"),
        ("x", ["coins", "dice"], "no campaign 'x'; existing: 'coins', 'dice'"),
    ],
)
def test_a_campaign_that_is_not_found_comes_with_those_that_there_are(name: str, known: list[str], text: str) -> None:
    assert str(UnknownCampaignError(name, known)) == text
