"""A name that is put into a command stays a name."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InvalidInputError, UnknownNameError
from thresher.run import placeholders
from thresher.run.environment import environment_of
from thresher.run.placeholders import (
    check_values,
    check_variables,
    check_words,
    leading_in_shell,
    leading_in_words,
    shell_command,
    words_of,
)

NASTY = [
    "; touch x", "$(touch x)", "`touch x`", "'", '"', "a  b", "-n", "\\", "é ü", "|| touch x", "& touch x", "{arm}",
    "*", "a[$(touch x)]", "'; touch x; '", '"; touch x; "', ") touch x", "$THRESHER_ARM", "} ; touch x", "# x", "a\\",
]  # fmt: skip
names = st.text(st.characters(blacklist_categories=("Cc", "Cs")), min_size=1)


def test_a_worked_case() -> None:
    assert shell_command("grade {arm} --model {model}", ["arm", "model"]) == (
        'grade "$THRESHER_ARM" --model "$THRESHER_PARAMETER_MODEL"'
    )


@pytest.mark.parametrize("command", ["awk '{print $1}' f", "echo ${HOME} {a,b} \\{arm\\}", 'echo "{x}"', "cat <<X\nX"])
def test_what_is_no_placeholder_is_left_alone(command: str) -> None:
    assert shell_command(command, ["arm"]) == command


# What a command must print with each name, in angle brackets; or None: the placeholder is refused there.
WRITTEN = {
    "printf '<%s>' {arm}": "<{}>",
    "printf '<%s>' x{arm}'y z'": "<x{}y z>",
    "X={arm}; printf '<%s>' \"$X\"": "<{}>",
    "# don't\nprintf '<%s>' {arm} # isn't": "<{}>",
    "printf '<%s>' \"$(printf %s {arm})\"": "<{}>",
    "printf '<%s>' \"$(printf '%s' \"$(printf %s {arm})\")\"": "<{}>",
    "case {arm} in *) printf '<%s>' {arm};; esac": "<{}>",
    "(printf '<%s>' {arm}) | cat": "<{}>",
    'sh -c \'printf "<%s>" "$1"\' sh {arm}': "<{}>",
    'printf \'<%s>\' "$(printf %s "{arm}")"': None,
    'printf \'<%s>\' "a\\"{arm}"': None,
    "printf '<%s>' \"a $(true) {arm}\"": None,
    "printf '<%s>' `printf %s {arm}`": None,
    "printf '<%s>' ${X:-{arm}}": None,
    "printf '<%s>' \"${X:-'}\" {arm} \"'}\"": None,
    "printf '<%s>' $(({arm}))": None,
    "printf '<%s>' $((1 + ({arm} * 2)))": None,
    "cat <<X\n<{arm}>\nX": None,
    "printf '<%s>' $'\\' {arm} \\''": None,
    "printf '%s' \"$(case a in a) printf '<%s>' \"{arm}\";; esac)\"": None,
    "sh -c 'printf \"<%s>\" {arm}'": None,
    "sh -c 'printf \"<%s>\" '{arm}": None,
    "sh -c \"printf '<%s>' \"{arm}": None,
    'sh -c "$(printf \'printf "<%%s>"\') "{arm}': None,
    "true && X=1 eval printf '\"<%s>\"' {arm}": None,
}


@pytest.mark.parametrize("shell", [["dash"], ["bash"], ["bash", "--posix"]], ids=" ".join)
def test_a_hostile_name_reaches_the_program_as_one_word_or_is_refused(shell: list[str], tmp_path: Path) -> None:
    if shutil.which(shell[0]) is None:
        pytest.skip(f"no {shell[0]} here")
    for command, expected in WRITTEN.items():
        if expected is None:
            with pytest.raises(InvalidInputError, match=r"must not (be (inside|after)|contain \{arm\}|have)"):
                shell_command(command, ["arm"])
            continue
        script = shell_command(command, ["arm"])
        for name in NASTY:
            words, given = [*shell, "-c", script], environment_of(name, {})
            done = subprocess.run(words, env=given, cwd=tmp_path, capture_output=True, check=False)
            assert (done.returncode, done.stdout.decode()) == (0, expected.format(name)), (command, name)
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("command", ["sh -c 'run {arm}'", 'ssh host "run {arm}"', 'x "a\\"{arm}"'])
def test_a_placeholder_inside_quotes_is_refused(command: str) -> None:
    with pytest.raises(InvalidInputError, match="must not be inside quotes"):
        shell_command(command, ["arm"])


def test_a_command_called_eval_is_not_the_eval_of_the_shell() -> None:
    assert shell_command("inspect eval t.py --model {arm}", ["arm"]) == 'inspect eval t.py --model "$THRESHER_ARM"'


def test_a_quote_without_an_end_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="every quote must be closed"):
        shell_command("echo 'a {arm}", ["arm"])


def test_an_unknown_placeholder_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'model'"):
        shell_command("grade {modle}", ["arm", "model"])


@given(name=names, value=names)
def test_words_are_filled_in_once_and_whole(name: str, value: str) -> None:
    filled = words_of(["run", "--x={model}", "{arm}", "{other}"], {"arm": name, "model": value})
    assert filled == ["run", f"--x={value}", name, "{other}"]


@pytest.mark.parametrize(
    ("command", "leading"),
    [
        ("python3 {arm}", [("arm",)]),
        ("{arm}", [("arm",)]),
        ("grade {model} ./{arm} --size={size}", [("model",)]),
        ("grade {arm}.txt -{model}", [("arm",)]),
        ("grade {model}{arm} x{arm}", [("model", "arm")]),
        ("grade ''{arm} \"\"{model}", [("arm",), ("model",)]),
        ('grade $PREFIX{arm} ${PREFIX}{model} "$PREFIX"{size}', [("arm",), ("model",), ("size",)]),
        ("grade $DIR/{arm} \\x{model} 'a b'{size}", []),
        ("a|{arm}&&{model};(cat <{size})", [("arm",), ("model",), ("size",)]),
        ("grade \\\n{arm}\n{model}", [("arm",), ("model",)]),
        ('x=$({arm}) "$(cat {model})"{size}', [("arm",), ("model",), ("size",)]),
        ("x={arm} grade", []),
    ],
)
def test_placeholders_at_the_start_of_an_argument_are_found_in_shell_text(
    command: str, leading: list[tuple[str, ...]]
) -> None:
    assert leading_in_shell(command) == leading


def test_placeholders_at_the_start_of_a_word_are_found() -> None:
    words = ["python3", "{arm}", "./{arm}", "--x={arm}", "{model}{arm}.txt", "{other}{arm}", "-{arm}"]
    assert leading_in_words(words, ["arm", "model"]) == [("arm",), ("model", "arm")]


@pytest.mark.parametrize(
    "values", [{"arm": "-c print(1)"}, {"arm": "a", "size": -1}, {"arm": "--help"}, {"arm": "a", "size": "-"}]
)
def test_a_value_that_begins_an_argument_with_a_hyphen_is_refused(values: dict[str, object]) -> None:
    with pytest.raises(InvalidInputError, match=r"must not begin with '-' .*; rename it, or write text before"):
        check_values([("arm",), ("size",)], values)


@pytest.mark.parametrize("values", [{"arm": "a-b", "size": 1}, {"arm": "", "size": "x-"}, {"arm": "\u2212c"}])
def test_a_hyphen_elsewhere_is_taken(values: dict[str, object]) -> None:
    check_values([("arm",), ("size",)], values)


def test_an_empty_value_leaves_the_start_to_the_next_one() -> None:
    with pytest.raises(InvalidInputError, match="arm is '-x'"):
        check_values([("model", "arm")], {"model": "", "arm": "-x"})
    check_values([("model", "arm")], {"model": "m", "arm": "-x"})


@pytest.mark.parametrize(
    "words",
    [
        ["sh", "-c", "run {arm}"],
        ["/bin/bash", "-euo", "pipefail", "-c", "run {arm}"],
        ["env", "X=1", "dash", "-ec", "{arm} | x"],
    ],
)
def test_a_placeholder_within_the_script_of_a_shell_is_refused(words: list[str]) -> None:
    with pytest.raises(InvalidInputError, match=r"run as code; read \"\$THRESHER_ARM\" there"):
        check_words(words, ["arm"])


@pytest.mark.parametrize(
    "words",
    [
        ["sh", "-c", 'run "$1"', "sh", "{arm}"],
        ["sh", "-c", "{arm}"],
        ["bash", "grade.sh", "-c", "of-{arm}"],
        ["grep", "-c", "x{arm}"],
        ["sh", "-c"],
        ["sh"],
    ],
)
def test_a_placeholder_that_is_no_part_of_a_script_is_taken(words: list[str]) -> None:
    check_words(words, ["arm"])


@pytest.mark.parametrize(
    "command", ["test $RANDOM -gt 3", "test $((RANDOM % 2)) = 0", 'echo "${RANDOM}"', 'bash -c "echo $RANDOM"']
)
def test_a_variable_that_the_shell_leaves_empty_is_refused(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placeholders, "_is_set", lambda _: False)
    with pytest.raises(InvalidInputError, match=r"^\$RANDOM in the command is missing; /bin/sh does not set it"):
        check_variables(command)


@pytest.mark.parametrize(
    "command",
    ["bash -c 'echo $RANDOM'", "RANDOM=$(date +%N); echo $RANDOM", r"echo \$RANDOM", "echo $RANDOMISED", "./RANDOM"],
)
def test_other_commands_are_left_alone(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placeholders, "_is_set", lambda _: False)
    check_variables(command)


def test_the_shell_itself_says_what_it_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THRESHER_TEST_SET", "1")
    assert placeholders._is_set("THRESHER_TEST_SET")
    assert not placeholders._is_set("THRESHER_TEST_UNSET")
