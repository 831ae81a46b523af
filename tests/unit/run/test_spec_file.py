"""A file and flags say the same, and a wrong line is named."""

from pathlib import Path
from typing import Any

import pytest

from thresher.errors import InvalidInputError
from thresher.run.spec import KEYS, RunSpec
from thresher.run.spec_file import line_of, load_spec

GOOD = """# which prompts are good enough
bar = 0.8
budget = 100
command = "grade {arm}"
pass = "below"

[matrix]
model = ["small", "large"]
"""


def write(folder: Path, text: str) -> Path:
    """Write a spec file."""
    (folder / "prompts.toml").write_text(text)
    return folder / "prompts.toml"


def test_a_file_and_flags_are_the_same_thing(tmp_path: Path) -> None:
    flags: dict[str, Any] = {
        "name": "prompts", "bar": 0.8, "budget": 100, "command": "grade {arm}", "pass": "below",
        "matrix": {"model": ["small", "large"]}, "timeout": None,
    }  # fmt: skip
    from_file = load_spec(write(tmp_path, GOOD))
    from_flags = load_spec(flags=flags)
    assert {k: v for k, v in vars(from_file).items() if k != "folder"} == {
        k: v for k, v in vars(from_flags).items() if k != "folder"
    }
    assert from_file.folder == tmp_path


def test_a_flag_goes_before_the_file(tmp_path: Path) -> None:
    made = load_spec(write(tmp_path, GOOD), {"bar": 0.5, "name": "other"})
    assert (made.bar, made.name, made.budget) == (0.5, "other", 100.0)


def test_every_field_is_a_key() -> None:
    fields = {"pass" if name == "passes" else name for name in RunSpec.__dataclass_fields__}
    assert set(KEYS) == fields - {"folder", "abstain", "confidence", "is_median_by_default"}


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("budget", "budgte", r"prompts\.toml line 3: key is 'budgte'; .*; did you mean 'budget'\?"),
        ("[matrix]", "[matrixes]", r"line 7: key is 'matrixes'"),
        ("bar = 0.8", "bar = 1.8", r"line 2: bar is 1\.8; must be between 0 and 1"),
        ("bar = 0.8", 'bar = "x"', "line 2: bar is 'x'; must be a finite number"),
        ("bar = 0.8", "bar = nan", "line 2: bar is nan"),
        ("bar = 0.8", "", "bar is missing; give --bar, or bar = "),
        ('pass = "below"', "pass = 1", "line 5: pass is 1; must be a text"),
        ('pass = "below"', 'url = "http://localhost/"', "line 5: url is .*command is there too"),
        ("budget = 100", "budget = ", r"must be TOML: .*line 3"),
        ("budget = 100", "bar = 0.8", "must be TOML: .*line 3"),
    ],
)
def test_what_is_wrong_in_a_file_is_said_with_its_line(tmp_path: Path, old: str, new: str, says: str) -> None:
    assert old in GOOD
    with pytest.raises(InvalidInputError, match=says):
        load_spec(write(tmp_path, GOOD.replace(old, new)))


def test_what_is_wrong_with_a_flag_is_said_with_the_flag(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"^--on-error is 'x'; must be stop or retire"):
        load_spec(write(tmp_path, GOOD), {"on_error": "x"})


def test_a_file_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="cannot be read"):
        load_spec(tmp_path / "nothing.toml")


def test_a_quoted_key_has_a_line_too() -> None:
    assert line_of('a = 1\n  "b" = 2\n', "b") == 2
    assert line_of("a = 1\n", "b") == 0


@pytest.mark.parametrize(
    ("line", "where", "complaint"),
    [
        ('arms = ["a", "a"]', "line 4: arms: arm 2, name", "is 'a'; must be unique: arm 1 has it too"),
        ('arms = ["a"]\noutcome = "regex:("', "line 5: outcome: pattern of the outcome", "missing )"),
        ('arms = ["a"]\nrate = "often"', "line 5: rate", "must be written as 30/minute"),
        ('arms_file = "absent.csv"', "line 4: arms_file: file", "absent.csv"),
        ('arms_file = "bars.csv"', "line 4: arms_file: bars.csv, line 3: threshold", "is 1.5; must be between 0 and 1"),
        (
            'arms_file = "costs.csv"',
            "line 4: arms_file: costs.csv, line 2, column 'pull_cost'",
            "must be a positive number",
        ),
        ('arms_file = "broken.csv"', "line 4: arms_file: broken.csv, line 3, text", "must"),
        ('arms_glob = "*.nothing"', "line 4: arms_glob", "must match a file"),
        ('matrix = {"a b" = [1]}', "line 4: matrix: name of a parameter", "'a b'"),
        ('arms = ["a"]\nfamily = "normal"', "line 5: family", "is 'normal'; must be one of bernoulli"),
        ('arms = ["a"]\nrisk = 3', "line 5: risk", "is 3; must be between 0 and 0.5"),
    ],
)
def test_what_another_part_reads_is_refused_with_its_line(
    tmp_path: Path, line: str, where: str, complaint: str
) -> None:
    (tmp_path / "bars.csv").write_text("arm,threshold\na,0.5\nb,1.5\n")
    (tmp_path / "costs.csv").write_text("arm,pull_cost\na,-1\n")
    (tmp_path / "broken.csv").write_text('arm,x\na,1\n"b"c,1\n')
    spec = tmp_path / "spec.toml"
    spec.write_text(f'bar = 0.5\nbudget = 9\ncommand = "true"\n{line}\n')
    with pytest.raises(InvalidInputError) as caught:
        load_spec(spec)
    assert caught.value.where.startswith(f"{spec} {where}")
    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    ("measurement", "key", "complaint"),
    [
        ('command = "echo {x}"', "command", "unknown placeholder in the command 'x'"),
        ('function = "grade"', "function", "is 'grade'; must be written module:function"),
        ('url = "http://example.org/"', "url", "'http://example.org/'; must be http://127.0.0.1:PORT/PATH"),
    ],
)
def test_a_measurement_that_cannot_be_is_refused_with_its_line(
    tmp_path: Path, measurement: str, key: str, complaint: str
) -> None:
    spec = tmp_path / "spec.toml"
    spec.write_text(f'bar = 0.5\nbudget = 9\narms = ["a"]\n{measurement}\n')
    with pytest.raises(InvalidInputError) as caught:
        load_spec(spec)
    assert caught.value.where == f"{spec} line 4: {key}"
    assert complaint in str(caught.value)


def test_a_flag_is_refused_by_its_name() -> None:
    with pytest.raises(InvalidInputError, match=r"^--arm: arm 2, name is 'a'; must be unique"):
        load_spec(flags={"bar": 0.5, "budget": 9.0, "command": "true", "arms": ["a", "a"]})
