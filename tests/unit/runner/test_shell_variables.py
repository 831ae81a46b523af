"""A variable of bash that /bin/sh leaves empty is refused, not read as nothing."""

import pytest

from thresher.errors import InvalidInputError
from thresher.runner import shell_variables
from thresher.runner.shell_variables import check_variables


@pytest.mark.parametrize(
    "command", ["test $RANDOM -gt 3", "test $((RANDOM % 2)) = 0", 'echo "${RANDOM}"', 'bash -c "echo $RANDOM"']
)
def test_a_variable_that_the_shell_leaves_empty_is_refused(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shell_variables, "_is_set", lambda _: False)
    with pytest.raises(InvalidInputError, match=r"^\$RANDOM in the command is missing; /bin/sh does not set it"):
        check_variables(command)


@pytest.mark.parametrize(
    "command",
    ["bash -c 'echo $RANDOM'", "RANDOM=$(date +%N); echo $RANDOM", r"echo \$RANDOM", "echo $RANDOMISED", "./RANDOM"],
)
def test_other_commands_are_left_alone(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shell_variables, "_is_set", lambda _: False)
    check_variables(command)


def test_the_shell_itself_says_what_it_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THRESHER_TEST_SET", "1")
    assert shell_variables._is_set("THRESHER_TEST_SET")
    assert not shell_variables._is_set("THRESHER_TEST_UNSET")
