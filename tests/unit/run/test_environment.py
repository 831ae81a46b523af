"""A measurement is given the arm, and no credentials of the process that started it."""

import os

import pytest

from thresher.run.environment import drop_credentials, environment_of


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THRESHER_TOKEN", "secret")
    monkeypatch.setenv("THRESHER_DB", "postgresql://me:secret@host/db")
    monkeypatch.setenv("KEPT", "yes")


def test_the_environment_of_a_command_holds_the_arm_and_no_credentials() -> None:
    made = environment_of("a b", {"size": 3})
    assert made["THRESHER_ARM"] == "a b"
    assert made["THRESHER_PARAMETER_SIZE"] == "3"
    assert made["KEPT"] == "yes"
    assert "THRESHER_TOKEN" not in made
    assert "THRESHER_DB" not in made
    assert os.environ["THRESHER_TOKEN"] == "secret"


def test_dropped_credentials_are_gone_from_this_process_and_may_be_dropped_again() -> None:
    for _ in range(2):
        drop_credentials()
        assert "THRESHER_TOKEN" not in os.environ
        assert "THRESHER_DB" not in os.environ
