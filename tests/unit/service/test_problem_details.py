"""Every error has a status and a document, and the document turns back into the error."""

import json

import pytest
from starlette.requests import Request

from thresher import errors
from thresher.campaign.wire import ERRORS, error_of, type_of
from thresher.service import create_app
from thresher.service.problem_details import LONGEST_DETAIL, STATUS, answer_to_error, problem_response
from thresher.service.tokens import Caller

WITH_TOKEN = Request({"type": "http", "app": create_app("memory://"), "state": {"caller": Caller("id", "read", None)}})
MADE: list[tuple[errors.ThresherError, int]] = [
    (errors.InvalidInputError("limit", 20_000, rule="must be at most 10000", fix="ask for less"), 422),
    (errors.UnknownNameError("policy", "lsb", ["lsa"]), 422),
    (errors.InvalidIndexError("a", "b"), 422),
    (errors.InvalidPolicyError("a", "b", instead="c"), 422),
    (errors.MissingExtraError("a", "b"), 501),
    (errors.ExperimentError("a", instead="b"), 422),
    (errors.UnknownCampaignError("a", ["b"]), 404),
    (errors.CampaignExistsError("a"), 409),
    (errors.UnknownTicketError("a", "1-x"), 404),
    (errors.InvalidOutcomeError("a", instead="b"), 422),
    (errors.ConflictingOutcomeError("1-x", stored=1.0, told=0.0), 409),
    (errors.ConflictingKeyError(stored="5 more to spend"), 409),
    (errors.ImportConflictError("line 7", instead="add --replace"), 409),
    (errors.LikelyCopyError("b.csv repeats a.csv", source="a.csv", instead="add --new-source"), 409),
    (errors.ImportOvertakenError(), 409),
    (errors.NoOutcomeError("1-x", state="out"), 409),
    (errors.BudgetSpentError(cost=2, left=1), 409),
    (errors.CampaignArchivedError("a"), 409),
    (errors.CampaignClosedError("a", "be extended"), 409),
    (errors.PolicyUnavailableError("a", "b"), 409),
    (errors.AccessDeniedError("a", instead="b"), 403),
    (errors.StorageUnavailableError("a", instead="b"), 503),
    (errors.SchemaVersionError("a", found=9, known=2), 503),
    (errors.CorruptionError("a", ["b"]), 503),
]


@pytest.mark.parametrize(("error", "status"), MADE, ids=lambda value: type(value).__name__)
def test_an_error_travels_and_arrives_as_itself(error: errors.ThresherError, status: int) -> None:
    answer = answer_to_error(WITH_TOKEN, error)
    assert answer.status_code == status
    arrived = error_of(answer.status_code, json.loads(bytes(answer.body)))
    assert type(arrived) is type(error)
    assert str(arrived) == str(error)
    for fact in ("stored", "told", "state", "cost", "left", "known", "where", "value", "rule", "fix"):
        assert getattr(arrived, fact, None) == getattr(error, fact, None)


def test_no_error_is_without_a_status() -> None:
    kinds = {getattr(errors, name) for name in errors.__all__}
    assert all(any(issubclass(kind, one) for one, _ in STATUS) for kind in kinds)
    assert {type(error) for error, _ in MADE} >= kinds - {
        errors.ThresherError,
        errors.CampaignError,
        errors.StorageError,
    }
    assert len(ERRORS) == len(errors.__all__)


def test_the_type_of_a_problem_is_its_name() -> None:
    assert type_of("UnknownCampaignError") == "urn:thresher:unknown-campaign"
    assert type_of("") == "about:blank"


def test_invalid_input_names_the_field_and_the_rule() -> None:
    document = json.loads(
        bytes(answer_to_error(WITH_TOKEN, errors.InvalidInputError("n", 0, rule="must be at least 1")).body)
    )
    assert (document["field"], document["rule"], document["title"]) == ("n", "must be at least 1", "Invalid input")
    unknown = json.loads(
        bytes(answer_to_error(WITH_TOKEN, errors.UnknownNameError("expiry", "x", ["forfeit", "reissue"])).body)
    )
    assert (unknown["field"], unknown["rule"]) == ("expiry", "must be one of forfeit, reissue")


def test_the_problem_of_an_older_service_is_invalid_input_too() -> None:
    arrived = error_of(422, {"type": "urn:thresher:of-long-ago", "detail": "a budget of 0; give more"})
    assert isinstance(arrived, errors.InvalidInputError)
    assert (str(arrived), arrived.where, arrived.rule) == ("a budget of 0; give more", "", "")


def test_a_database_that_is_away_is_to_be_tried_again() -> None:
    assert problem_response(503, "x").headers["retry-after"] == "2"
    assert problem_response(401, "x").headers["www-authenticate"] == "Bearer"


def test_a_document_has_no_markup_no_control_characters_and_an_end() -> None:
    text = bytes(problem_response(422, "<b>&\x1b[31m\u2028\ud800" + "x" * 10_000).body).decode("ascii")
    assert not set("<>&\x1b") & set(text)
    document = json.loads(text)
    assert document["detail"].startswith("<b>&�[31m��xxx")
    assert len(document["detail"]) == LONGEST_DETAIL + 1


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, errors.AccessDeniedError),
        (403, errors.AccessDeniedError),
        (413, errors.InvalidInputError),
        (422, errors.InvalidInputError),
        (503, errors.StorageUnavailableError),
        (404, errors.StorageError),
        (500, errors.StorageError),
    ],
)
def test_an_answer_of_something_in_between_becomes_an_error_too(status: int, kind: type[errors.ThresherError]) -> None:
    assert type(error_of(status, {})) is kind
