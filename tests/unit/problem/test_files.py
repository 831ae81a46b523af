import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InvalidInputError, ThresherError, UnknownNameError
from thresher.problem import Population, Problem, find_problem, from_dict, load


def written(folder: Path, name: str, text: str | bytes) -> Path:
    """Return a file with that text."""
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def refusal(path: Path | str) -> str:
    """Return the sentence with which a file is refused."""
    with pytest.raises(ThresherError) as caught:
        find_problem(str(path))
    assert "\n" not in str(caught.value)
    return str(caught.value)


# JSON and TOML


def test_json_and_toml_have_the_same_keys(tmp_path: Path) -> None:
    table = {"family": "bounded", "means": [2.0, 3.0], "thresholds": 2.5, "low": 1.0, "high": 4.0, "concentration": 7.0}
    table |= {"costs": [1.0, 2.0], "pull_costs": 0.5, "arms": ["x", "y"]}
    toml = "\n".join(f"{key} = {json.dumps(value)}" for key, value in table.items())
    one = load(written(tmp_path, "p.json", json.dumps(table)))
    other = load(written(tmp_path, "p.toml", toml))
    assert one.fingerprint() == other.fingerprint() == from_dict(table).fingerprint()
    assert (one.name, other.name) == ("p.json", "p.toml")
    assert one.arms == other.arms == ("x", "y")
    assert one.sigma.tolist() == [1.5, 1.5]
    assert (one.truth.concentration, one.costs.tolist(), one.pull_costs.tolist()) == (7.0, [1.0, 2.0], [0.5, 0.5])


def test_the_family_is_gaussian_unless_given() -> None:
    problem = from_dict({"means": [0.5, -0.2, 0.1], "thresholds": 0.0, "sigma": 2.0})
    assert problem.family == "gaussian"
    assert problem.sigma.tolist() == [2.0, 2.0, 2.0]


def test_what_a_file_leaves_out_is_stated(tmp_path: Path) -> None:
    assert from_dict({"means": [0.5, -0.2]}).assumptions == "gaussian outcomes, sigma 1, bar 0"
    assert from_dict({"family": "gaussian", "means": [0.5], "thresholds": 0.1}).assumptions == "sigma 1"
    assert from_dict({"family": "bernoulli", "means": [0.5], "thresholds": 0.1}).assumptions == ""
    assert from_dict({"means": [0.5, 0.1], "control": "1"}).assumptions == "gaussian outcomes, sigma 1"
    table = load(written(tmp_path, "p.csv", "arm,mean,sigma\nx,0.5,2\ny,0.1,3\n"))
    assert table.assumptions == "gaussian outcomes, bar 0"
    assert table.with_control("x").assumptions == "gaussian outcomes"


@pytest.mark.parametrize("family", ["bernoulli", "bounded"])
def test_rates_without_a_threshold_are_refused(family: str, tmp_path: Path) -> None:
    missing = f"threshold is missing; the family '{family}' needs one between 0 and 1 (exclusive); give thresholds"
    assert refusal(written(tmp_path, "p.json", json.dumps({"family": family, "means": [0.5]}))).startswith(missing)
    assert refusal(written(tmp_path, "p.csv", f"arm,mean,family\nx,0.5,{family}\n")).startswith(missing)
    assert from_dict({"family": "bounded", "means": [0.5], "low": -1.0}).assumptions == "bar 0"


def test_a_population_comes_as_a_table() -> None:
    table = {"means": [0.0, 0.0], "population": {"kind": "gaussian", "first": 0.5, "second": 2}}
    assert from_dict(table).population == Population("gaussian", 0.5, 2.0)


numbers = st.floats(-1e9, 1e9, allow_subnormal=False)
sizes = st.floats(1e-3, 1e3)


@given(
    st.lists(st.tuples(numbers, numbers, sizes, sizes, sizes), min_size=1, max_size=5),
    st.sampled_from(["json", "toml", "csv"]),
)
def test_a_problem_written_to_a_file_comes_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[float, ...]], kind: str
) -> None:
    keys = ("means", "thresholds", "sigma", "costs", "pull_costs")
    columns: Any = dict(zip(keys, (list(column) for column in zip(*rows, strict=True)), strict=True))
    if kind == "csv":
        head = ",".join(keys) + "\n"
        text = head + "".join(",".join(map(repr, row)) + "\n" for row in rows)
    elif kind == "toml":
        text = "".join(f"{key} = {json.dumps(values)}\n" for key, values in columns.items())
    else:
        text = json.dumps(columns)
    path = written(tmp_path_factory.mktemp("problems"), f"p.{kind}", text)
    assert load(path).fingerprint() == Problem.gaussian(**columns).fingerprint()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"means": [1, 2],\n "sigma": }', "must be JSON: Expecting value"),
        ("", "must be JSON: Expecting value"),
        ("[1, 2]", "must be a table with the keys family, means"),
        ("7", "must be a table with the keys"),
        ('{"sigma": 1}', "is missing; must be one mean for each arm"),
        ('{"means": [1], "sigmas": 1}', "unknown key 'sigmas' of "),
        ('{"means": [1], "sigma": 1, "sigma": 2}', "the key 'sigma' stands there twice"),
        ('{"means": [1, NaN]}', "means[1] is nan; must be a finite number"),
        ('{"means": [1, 1e999]}', "means[1] is inf; must be a finite number"),
        ('{"means": [1, null]}', "means[1] is nan; must be a finite number"),
        ('{"means": [1, "1"]}', "means[1] is '1'; must be a number"),
        ('{"means": [1, true]}', "means[1] is True; must be a number"),
        ('{"means": [1], "thresholds": true}', "thresholds is True; must be a number"),
        ('{"means": {"x": 1}}', "must hold numbers only"),
        ('{"means": "x"}', "means is 'x'; must be a number"),
        ('{"means": [1, 2], "thresholds": [0, 0, 0]}', "shape of thresholds is (3,)"),
        ('{"means": [1], "sigma": 0}', "sigma of arm '1' is 0"),
        ('{"means": [1], "family": 3}', "unknown family '3'"),
        ('{"means": [1], "family": ["gaussian"]}', "unknown family"),
        ('{"means": [0.5], "family": "bounded", "low": "0"}', "must be a finite number"),
        ('{"means": [0.5], "family": "bounded", "high": null}', "must be a finite number"),
        ('{"means": [0.5], "concentration": [1]}', "must be a finite number"),
        ('{"means": [1, 2], "arms": 3}', "'arms' of "),
        ('{"means": [1, 2], "arms": "xy"}', "'arms' of "),
        ('{"means": [1], "population": 3}', "must have the keys kind, first and second"),
        ('{"means": [1], "population": {"kind": "beta", "first": "1", "second": 1}}', "must have numbers as first and"),
        (
            '{"means": [1], "population": {"kind": "beta", "first": true, "second": 1}}',
            "must have numbers as first and",
        ),
        ('{"means": [' + "9" * 5000 + "]}", "must be JSON"),
        ("[" * 200_000, "must be JSON"),
    ],
)
def test_a_malformed_json_file_is_refused_and_the_line_or_key_named(tmp_path: Path, text: str, sentence: str) -> None:
    assert sentence in refusal(written(tmp_path, "p.json", text))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("means = [1, 2]\nsigma = = 3", "line 2"),
        ("means = [1]\nmeans = [2]\n", "line 2"),
        ("sigma = 1.0", "is missing; must be one mean for each arm"),
        ("means = [1.0]\ncost = 2", "unknown key 'cost' of "),
        ("means = [" + "9" * 5000 + "]", "must be TOML"),
        ("means = " + "[" * 200_000, "must be TOML"),
    ],
)
def test_a_malformed_toml_file_is_refused_and_the_line_or_key_named(tmp_path: Path, text: str, sentence: str) -> None:
    assert sentence in refusal(written(tmp_path, "p.toml", text))


# CSV of arms


def test_a_csv_of_arms(tmp_path: Path) -> None:
    text = "\ufeffarm, mean ,threshold,sigma,cost,pull_cost\r\nx,0.4,0.5,1,2,3\r\ny,0.7,0.5,2,1,1\r\n"
    problem = load(written(tmp_path, "arms.csv", text))
    expected = Problem.gaussian([0.4, 0.7], 0.5, [1, 2], costs=[2, 1], pull_costs=[3, 1])
    assert problem.fingerprint() == expected.fingerprint()
    assert problem.arms == ("x", "y")


def test_a_csv_of_arms_may_have_the_keys_of_other_files(tmp_path: Path) -> None:
    lines = "0.4,0.5,1,2,3\n0.7,0.5,2,1,1\n"
    by_keys = load(written(tmp_path, "keys.csv", "means,thresholds,sigma,costs,pull_costs\n" + lines))
    by_words = load(written(tmp_path, "words.csv", "mean,threshold,sigma,cost,pull_cost\n" + lines))
    mixed = load(written(tmp_path, "mixed.csv", "means,threshold,sigma,costs,pull_cost\n" + lines))
    assert by_keys.fingerprint() == by_words.fingerprint() == mixed.fingerprint()
    assert by_keys.costs.tolist() == [2.0, 1.0]


def test_a_csv_of_arms_may_name_their_family(tmp_path: Path) -> None:
    text = "mean,threshold,family\n0.4,0.5,bernoulli\n0.7,0.5,bernoulli\n"
    assert load(written(tmp_path, "arms.csv", text)).family == "bernoulli"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "line 1, number of arms is 0; must be at least 1"),
        ("arm,threshold\nx,1\n", "line 1, column 'mean' is missing; the first row must name the columns: arm, mean"),
        (
            "mean,tresholds\n1,2\n",
            "line 1, column 2 is 'tresholds'; must be a known column; did you mean 'thresholds'?",
        ),
        ("mean,means\n1,2\n", "line 1, column 2 is 'means'; must not repeat the column 'mean'"),
        (
            "mean,pull_costs,pull_cost\n1,2,2\n",
            "line 1, column 3 is 'pull_cost'; must not repeat the column 'pull_costs'",
        ),
        ("mean,mean\n1,2\n", "line 1, column 2 is 'mean'; must not repeat the column 'mean'"),
        ("mean\n", "line 1, number of arms is 0; must be at least 1"),
        ("mean,sigma\n1,1\n\n2,x\n", "line 4, column 'sigma' is 'x'; must be a number"),
        ("mean,sigma\n1,1\n2\n", "line 3, number of cells is 1; must be 2"),
        ("mean,sigma\n1,1,7\n", "line 2, number of cells is 3; must be 2"),
        ("mean,sigma\n1,1\nnan,1\n", "line 3, column 'mean' is 'nan'; must be a number"),
        ("mean,sigma\n1,1\n1,-inf\n", "line 3, column 'sigma' is '-inf'"),
        ("mean\n\n", "line 1, number of arms is 0; must be at least 1"),
        ("mean,family\n1,gaussian\n1,bernoulli\n", "is ['bernoulli', 'gaussian']; must be the same for all arms"),
        ("arm,mean\nx,\ny,\n", "column 'mean' of arms.csv is missing; every arm needs one"),
        ("arm,mean\nx,1\ny,\n", "line 3, column 'mean' is missing; every arm needs one"),
        ('mean\n"1\n', "line 2"),
        ("mean\n" + "1" * 200_000 + "\n", "must be CSV: field larger than field limit"),
        ("arm,mean\nx,1\nx,2\n", "line 3, column 'arm' is 'x'; must be unique: line 2 has it too"),
        ("arm,mean\n,1\ny,2\n", "line 2, column 'arm' is ''; must have 1 to 500"),
    ],
)
def test_a_malformed_csv_is_refused_and_the_line_or_column_named(tmp_path: Path, text: str, sentence: str) -> None:
    assert sentence in refusal(written(tmp_path, "arms.csv", text))


# CSV of samples


SAMPLES = "arm,value\nx,1\ny,0\nx,0\nx,1\ny,0\n"


def test_other_columns_of_samples_are_left_alone(tmp_path: Path) -> None:
    path = written(tmp_path, "samples.csv", "# one night\nday;arm;value\n1;x;1\n2;x;0\n1;y;1\n")
    expected = Problem.replay({"x": [1, 0], "y": [1]}, 0.4)
    assert find_problem(f"{path}:threshold=0.4").fingerprint() == expected.fingerprint()


def test_a_csv_of_samples_is_replayed_without_replacement_unless_told_otherwise(tmp_path: Path) -> None:
    path = written(tmp_path, "samples.csv", SAMPLES)
    problem = find_problem(f"{path}:threshold=0.4")
    assert problem.fingerprint() == Problem.replay({"x": [1, 0, 1], "y": [0, 0]}, 0.4).fingerprint()
    assert (problem.arms, problem.name) == (("x", "y"), "samples.csv")
    again = find_problem(f"{path}:threshold=0.4,replacement=yes")
    assert again.pool is not None
    assert again.pool.replacement
    other = find_problem(f"{path}:threshold=0.4,replacement=no,family=gaussian")
    assert other.pool is not None
    assert not other.pool.replacement
    assert other.family == "gaussian"


@pytest.mark.parametrize(
    ("text", "parameters", "sentence"),
    [
        (SAMPLES, "", "is missing; samples need a bar; type "),
        (SAMPLES, ":threshold=high", "is 'high'; must be a number"),
        (SAMPLES, ":threshold=nan", "thresholds is nan; must be a finite number"),
        (SAMPLES, ":threshold=0.5,replacement=perhaps", "is 'perhaps'; must be yes or no"),
        (SAMPLES, ":treshold=0.5", "unknown parameter 'treshold' of "),
        (SAMPLES, ":threshold=0.5,family=bernouli", "did you mean 'bernoulli'"),
        (SAMPLES, ":threshold=2", "threshold of arm 'x' is 2"),
        ("arm,value\n", ":threshold=0.5", "must have at least one arm"),
        ("arm,value\nx,1\n\nx,one\n", ":threshold=0.5", "line 4, column 'value' is 'one'"),
        ("arm,value\nx,1\ny\n", ":threshold=0.5", "line 3, number of cells is 1; must be 2"),
        ("arm,value\nx,1\ny,\n", ":threshold=0.5", "line 3, column 'value' is ''"),
        ("arm,value\nx,inf\n", ":threshold=0.5", "line 2, column 'value' is 'inf'"),
        (
            "arm,value\nx,1\ny,0.5\n",
            ":threshold=0.5,family=bernoulli",
            "arm 'y' is 0.5; must fit the family 'bernoulli': 0.5 is neither 0 nor 1",
        ),
        ("arm,value\n,1\n", ":threshold=0.5", "line 2, column 'arm' is ''; must have 1 to 500"),
    ],
)
def test_malformed_samples_are_refused_and_the_line_named(
    tmp_path: Path, text: str, parameters: str, sentence: str
) -> None:
    path = written(tmp_path, "samples.csv", text)
    assert sentence in refusal(f"{path}{parameters}")


# Which file, which name


def test_a_name_stands_wherever_a_file_does() -> None:
    assert find_problem("linear:K=3").fingerprint() == Problem.named("linear:K=3").fingerprint()


def test_a_file_that_is_not_there_or_no_file_is_named(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.json") == (
        f"file {tmp_path / 'none.json'} is missing; must be a text file that can be read"
    )
    (tmp_path / "folder.csv").mkdir()
    assert "is a directory" in refusal(tmp_path / "folder.csv")
    assert "is missing; must be a file or the name of a problem" in refusal(tmp_path / "none")
    assert "file 'linear.yaml' is missing; must be a file or the name of a problem: linear," in refusal("linear.yaml")
    assert "is '.yaml'; must be .json, .toml or .csv" in refusal(written(tmp_path, "p.yaml", "means: [1]"))
    assert refusal("x" * 5000).startswith("unknown problem")


@pytest.mark.parametrize(
    ("name", "text"), [("p.json", '{"means": [1, 2]}'), ("p.toml", "means = [1, 2]\r\n"), ("p.csv", "mean\n1\n2\n")]
)
def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path, name: str, text: str) -> None:
    assert load(written(tmp_path, name, b"\xef\xbb\xbf" + text.encode())).means.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    "text", ['\n{"means": [1, 2]}', "means = [1, 2]\n", "# mine\nmeans = [1, 2]\n", "mean,sigma\n1,1\n2,1\n"]
)
def test_a_stream_is_known_by_its_first_line(tmp_path: Path, text: str) -> None:
    stream = tmp_path / "stream"
    os.mkfifo(stream)
    writer = threading.Thread(target=stream.write_text, args=(text,))
    writer.start()
    problem = find_problem(str(stream))
    writer.join()
    assert (problem.name, problem.means.tolist()) == ("stream", [1.0, 2.0])


def test_a_problem_stands_for_itself_and_a_path_for_its_file(tmp_path: Path) -> None:
    problem = Problem.gaussian([1.0])
    assert find_problem(problem) is problem
    assert find_problem(written(tmp_path, "p.json", '{"means": [3]}')).means.tolist() == [3.0]


@pytest.mark.parametrize("wrong", [[0.3, -0.1], 5, None])
def test_what_is_no_problem_is_refused_and_said_what_would_be_one(wrong: Any) -> None:
    with pytest.raises(InvalidInputError, match=r"problem is .*; must be a Problem, such as"):
        find_problem(wrong)
    with pytest.raises(InvalidInputError, match="must be a path"):
        load(wrong)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    for name in ("p.json", "p.toml", "p.csv"):
        assert "must be UTF-8" in refusal(written(tmp_path, name, b"\xff\xfe\x00mean\n"))


@pytest.mark.parametrize("name", ["p.json", "p.toml", "p.csv"])
def test_parameters_of_a_file_that_takes_none_are_refused(tmp_path: Path, name: str) -> None:
    texts = {"p.json": '{"means": [1]}', "p.toml": "means = [1]", "p.csv": "mean\n1\n"}
    path = written(tmp_path, name, texts[name])
    with pytest.raises(UnknownNameError, match=r"unknown parameter 'K' of .*; known: none"):
        find_problem(f"{path}:K=3")


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=6,
    ),
    st.sampled_from(["means", "thresholds", "costs", "family", "low", "concentration", "arms", "population"]),
)
def test_whatever_stands_under_a_key_is_a_problem_or_refused_as_one(value: Any, key: str) -> None:
    table = {"means": [0.5, 0.6], "family": "bounded"} | {key: value}
    try:
        problem = from_dict(table)
    except ThresherError:
        return
    # What is accepted is a problem, and the same one every time.
    assert problem.fingerprint() == from_dict(table).fingerprint()


def test_a_file_is_refused_as_bad_input_whatever_is_in_it(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError):
        load(written(tmp_path, "p.csv", b"mean\n\x00\n"))
