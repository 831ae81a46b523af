"""A name that is put into a command stays a name."""

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InvalidProblemError, UnknownNameError
from thresher.runner.placeholders import environment_of, shell_command, words_of

NASTY = ["; exit 7", "$(exit 7)", "`exit 7`", "'", '"', "a b", "*", "-n", "\\", "é ü", "|| exit 7", "&", "{arm}"]
names = st.text(st.characters(blacklist_categories=("Cc", "Cs")), min_size=1)


def test_a_worked_case() -> None:
    assert shell_command("grade {arm} --model {model}", ["arm", "model"]) == (
        'grade "$THRESHER_ARM" --model "$THRESHER_PARAMETER_MODEL"'
    )


@pytest.mark.parametrize("command", ["awk '{print $1}' f", "echo ${HOME} {a,b} \\{arm\\}", 'echo "{x}"', "cat <<X\nX"])
def test_what_is_no_placeholder_is_left_alone(command: str) -> None:
    assert shell_command(command, ["arm"]) == command


@pytest.mark.parametrize("name", NASTY)
def test_a_hostile_name_reaches_the_program_as_one_word(name: str) -> None:
    script = shell_command("printf '%s|' {arm} x{arm}", ["arm"])
    done = subprocess.run(["/bin/sh", "-c", script], env=environment_of(name, {}), capture_output=True)
    assert (done.returncode, done.stdout.decode()) == (0, f"{name}|x{name}|")


@pytest.mark.parametrize("command", ["sh -c 'run {arm}'", 'ssh host "run {arm}"', 'x "a\\"{arm}"'])
def test_a_placeholder_inside_quotes_is_refused(command: str) -> None:
    with pytest.raises(InvalidProblemError, match="inside quotes"):
        shell_command(command, ["arm"])


def test_a_quote_without_an_end_is_refused() -> None:
    with pytest.raises(InvalidProblemError, match="quote without an end"):
        shell_command("echo 'a {arm}", ["arm"])


def test_an_unknown_placeholder_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'model'"):
        shell_command("grade {modle}", ["arm", "model"])


@given(name=names, value=names)
def test_words_are_filled_in_once_and_whole(name: str, value: str) -> None:
    filled = words_of(["run", "--x={model}", "{arm}", "{other}"], {"arm": name, "model": value})
    assert filled == ["run", f"--x={value}", name, "{other}"]
