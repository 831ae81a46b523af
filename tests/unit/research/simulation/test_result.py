import importlib
import json
import math
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

from thresher.errors import ExperimentError, UnknownNameError
from thresher.problem import Problem
from thresher.report import frames
from thresher.research.engine import RunCounts, SimulationOptions
from thresher.research.simulation import Result
from thresher.research.simulation.result import Differences, Rows


def counted(losses: list[list[float]], pulls: list[list[list[int]]]) -> RunCounts:
    """Return what runs with these losses (runs, budgets) and pulls (runs, budgets, arms) would have counted."""
    each = np.array(losses, dtype=float)
    by_run = np.array(pulls, dtype=np.int64)
    return RunCounts(
        losses=each,
        any_mistakes=(each > 0).astype(float),
        spent=by_run.sum(axis=2) * 10**6,
        stopped=np.zeros(each.shape, dtype=np.int64),
        outputs=np.zeros((len(losses), 0), dtype=np.int64),
        pulls=by_run.sum(axis=0),
        pulls_squared=(by_run**2).sum(axis=0),
        halves=np.zeros((*each.shape, 0), np.uint8),
        gaps=np.zeros((len(losses), 0)),
    )


ONE = counted(
    [[3, 1], [2, 0], [0, 0], [1, 0]], [[[4, 6], [10, 10]], [[6, 4], [12, 8]], [[5, 5], [9, 11]], [[5, 5], [9, 11]]]
)
OTHER = counted([[4, 1], [2, 2], [2, 0], [0, 1]], [[[5, 5], [10, 10]]] * 4)
RESULT = Result(
    problem=Problem.gaussian([0.5, 0.0], name="two"),
    asked=SimulationOptions((10.0, 20.0)),
    runs=4,
    seed=7,
    counted={"one": ONE, "other": OTHER},
    about={"thresher": "0"},
)


def test_a_row_by_hand() -> None:
    row = RESULT.rows()[0]
    assert (row.policy, row.budget, row.recommend, row.loss) == ("one", 10.0, "final", "costs")
    # 3, 2, 0, 1: mean 1.5; variance (2.25 + 0.25 + 2.25 + 0.25)/3; quartiles of 0, 1, 2, 3 at places 0.75, 1.5, 2.25
    assert row.mean == 1.5
    assert row.stderr == pytest.approx(math.sqrt(5 / 3) / 2)
    assert (row.q25, row.median, row.q75) == (0.75, 1.5, 2.25)
    assert row.any_mistake == 0.75
    assert row.spent == pytest.approx(10.0)


def test_there_is_one_row_for_each_policy_and_budget() -> None:
    assert [(row.policy, row.budget) for row in RESULT.rows()] == [
        ("one", 10.0),
        ("one", 20.0),
        ("other", 10.0),
        ("other", 20.0),
    ]
    assert RESULT.policies == ["one", "other"]


def test_mean_pulls_and_their_errors_by_hand() -> None:
    assert RESULT.pulls("one").tolist() == [[5.0, 5.0], [10.0, 10.0]]
    # Pulls 4, 6, 5, 5 of the first arm: variance 2/3 with 1/(n-1), over 4 runs
    assert RESULT.pulls_stderr("one")[0] == pytest.approx([math.sqrt(2 / 3 / 4)] * 2)
    assert RESULT.pulls_stderr("other").tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_a_comparison_is_paired() -> None:
    first, second = RESULT.compare("one", "other")
    assert (first.first, first.second, first.budget, second.budget) == ("one", "other", 10.0, 20.0)
    # Differences -1, 0, -2, 1: mean -0.5, variance (0.25 + 0.25 + 2.25 + 2.25)/3
    assert first.difference == -0.5
    assert first.stderr == pytest.approx(math.sqrt(5 / 3 / 4))
    assert first.low == pytest.approx(-0.5 - 1.96 * first.stderr)
    assert first.high == pytest.approx(-0.5 + 1.96 * first.stderr)
    # Unpaired, the error would be sqrt(5/3/4 + 8/3/4).
    assert first.stderr < math.sqrt(5 / 3 / 4 + 8 / 3 / 4)
    # 6/8; residuals one - 0.75 other: 0, 0.5, -1.5, 1: variance 3.5/3
    assert first.ratio == 0.75
    half = 1.96 * math.sqrt(3.5 / 3 / 4) / 2
    assert (first.ratio_low, first.ratio_high) == pytest.approx((0.75 - half, 0.75 + half))


def test_a_comparison_with_nothing_has_no_ratio() -> None:
    none = Result(
        RESULT.problem,
        SimulationOptions((10.0,)),
        1,
        0,
        {"one": counted([[1]], [[[1, 1]]]), "none": counted([[0]], [[[1, 1]]])},
    )
    (difference,) = none.compare("one", "none")
    assert difference.difference == 1.0
    assert math.isnan(difference.ratio)


ALONE = Result(
    RESULT.problem,
    SimulationOptions((10.0,)),
    runs=1,
    seed=0,
    counted={"one": counted([[1]], [[[4, 6]]]), "other": counted([[2]], [[[5, 5]]])},
)


def test_one_run_shows_no_spread() -> None:
    (difference,) = ALONE.compare("one", "other")
    assert (difference.difference, difference.ratio) == (-1.0, 0.5)
    unknown = (difference.stderr, difference.low, difference.high, difference.ratio_low, difference.ratio_high)
    assert all(map(math.isnan, unknown))
    assert math.isnan(ALONE.rows()[0].stderr)
    assert np.isnan(ALONE.pulls_stderr("one")).all()
    row = json.loads(ALONE.to_json(), parse_constant=pytest.fail)["results"][0]
    assert (row["mean"], row["stderr"], row["spent"], row["spent_stderr"]) == (1.0, None, 10.0, None)
    assert ALONE.to_frame()["stderr"].dtype == float


def test_one_run_is_drawn_without_a_band() -> None:
    (axes,) = ALONE.plot().axes
    assert all(not np.isfinite(path.vertices).any() for band in axes.collections for path in band.get_paths())


def test_the_total_cost_is_mistakes_and_price_times_spent() -> None:
    priced = Result(RESULT.problem, SimulationOptions((10.0, 20.0), stop_price=0.5), 4, 7, RESULT.counted)
    row = priced.rows()[0]
    # Losses 3, 2, 0, 1 and 10 spent in every run at 0.5: totals 8, 7, 5, 6
    assert row.total == pytest.approx(6.5)
    assert row.total_stderr == pytest.approx(math.sqrt(5 / 3 / 4))
    assert (row.spent, row.spent_stderr) == pytest.approx((10.0, 0.0))
    assert row.to_dict()["total"] == row.total
    assert "total" not in RESULT.rows()[0].to_dict()
    gaps = Result(RESULT.problem, SimulationOptions((10.0, 20.0), loss="gaps", stop_price=0.5), 4, 7, RESULT.counted)
    assert gaps.rows()[0].total is None


def test_a_policy_that_was_not_asked_for_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown policy 'oner' of this result; did you mean 'one'"):
        RESULT.compare("oner", "other")


def test_the_document_has_the_documented_keys() -> None:
    document = json.loads(RESULT.to_json())
    assert (document["runs"], document["seed"]) == (4, 7)
    assert document["problem"] == {"name": "two", "family": "gaussian", "arms": 2}
    assert document["notes"] == ["1 arm(s) sit exactly on the bar (2): their mistakes count for nothing"]
    assert document["about"] == {"thresher": "0"}
    row = document["results"][0]
    wanted = {"policy", "budget", "recommend", "loss", "mean", "stderr", "q25", "median", "q75", "any_mistake"}
    assert wanted <= set(row)
    assert row["budget"] == 10
    assert isinstance(row["budget"], int)


def test_frames_hold_the_rows_in_pandas_and_in_polars(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [row.to_dict() for row in RESULT.rows()]
    frame = RESULT.to_frame()
    assert isinstance(frame, importlib.import_module("pandas").DataFrame)
    assert frame.to_dict("records") == rows
    monkeypatch.setattr(frames, "LIBRARIES", ("polars",))
    other = RESULT.to_frame()
    assert isinstance(other, pl.DataFrame)
    assert other.to_dicts() == rows


# With an error rate


def timed(times: list[int], errors: list[float], stopped: list[int], outputs: list[list[int]]) -> RunCounts:
    """Return what runs of one policy that stops by itself would have counted on two arms."""
    pulls = [[[time - 1, 1]] for time in times]
    found = counted([[error] for error in errors], pulls)
    return found._replace(stopped=np.array(stopped)[:, None], outputs=np.array(outputs))


TIMES = Result(
    problem=Problem.gaussian([0.5, 0.25], name="two <b>"),
    asked=SimulationOptions((1000.0,), alpha=0.05),
    runs=4,
    seed=7,
    counted={
        "<i>": timed([100, 200, 400, 1000], [0, 0, 1, 0], [1, 1, 1, 0], [[50, 100], [60, 0], [0, 0], [70, 900]]),
        "other": timed([300, 300, 300, 300], [0, 0, 0, 0], [1, 1, 1, 1], [[0, 0]] * 4),
    },
    promises={"<i>": "any mistake", "other": "share of false outputs"},
)


def test_a_row_with_an_error_rate_by_hand() -> None:
    row, other = TIMES.rows()
    assert (row.policy, row.budget, row.loss, row.any_mistake) == ("<i>", 1000.0, "any mistake", None)
    # Errors 0, 0, 1, 0: mean 1/4, variance (3/16 + 9/16)/3
    assert (row.mean, row.stderr) == pytest.approx((0.25, 0.25))
    # 100, 200, 400, 1000: quartiles at places 0.75, 1.5, 2.25; variance 485,000/3
    assert row.spent == pytest.approx(425.0)
    assert row.spent_stderr == pytest.approx(math.sqrt(487_500 / 3) / 2)
    assert (row.spent_q25, row.spent_median, row.spent_q75) == pytest.approx((175.0, 300.0, 550.0))
    assert row.stopped == 0.75
    assert (other.loss, other.stopped, other.outputs) == ("share of false outputs", 1.0, ())
    first, second = TIMES.outputs("<i>")
    assert (first.nth, first.runs, first.mean) == (1, 3, 60.0)
    assert first.stderr == pytest.approx(10.0 / math.sqrt(3.0))
    assert (second.nth, second.runs, second.mean) == (2, 2, 500.0)
    assert row.outputs == (first, second)


def test_with_an_error_rate_pulls_are_compared() -> None:
    (difference,) = TIMES.compare("<i>", "other")
    # 425 - 300 pulls, and not the errors, 1/4 - 0
    assert difference.difference == pytest.approx(125.0)
    assert difference.stderr == pytest.approx(TIMES.rows()[0].spent_stderr)
    assert difference.ratio == pytest.approx(425.0 / 300.0)
    assert difference.ratio_low < difference.ratio < difference.ratio_high


def test_the_document_with_an_error_rate_has_the_documented_keys() -> None:
    document = json.loads(TIMES.to_json(), parse_constant=pytest.fail)
    assert document["alpha"] == 0.05
    row = document["results"][0]
    assert list(row) == [
        *("policy", "budget", "recommend", "loss", "mean", "stderr", "q25", "median", "q75", "spent", "spent_stderr"),
        *("spent_q25", "spent_median", "spent_q75", "stopped", "outputs"),
    ]
    assert row["outputs"][1] == {"nth": 2, "runs": 2, "mean": 500.0, "stderr": pytest.approx(400.0)}
    assert document["results"][1]["outputs"] == []


def test_frames_with_an_error_rate_hold_the_rows_without_the_single_outputs(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{key: value for key, value in row.to_dict().items() if key != "outputs"} for row in TIMES.rows()]
    assert TIMES.to_frame().to_dict("records") == rows
    monkeypatch.setattr(frames, "LIBRARIES", ("polars",))
    assert TIMES.to_frame().to_dicts() == rows


def test_the_picture_with_an_error_rate_has_a_named_row_for_each_policy() -> None:
    pulls, errors = TIMES.plot().axes
    assert pulls.get_title(loc="left") == "two <b>: 2 arms, 4 runs"
    assert [label.get_text() for label in pulls.get_yticklabels()] == ["<i>", "other"]
    assert [text.get_text() for text in pulls.texts] == ["300", "300"]
    assert [text.get_text() for text in errors.texts] == ["α = 0.05"]


# Shown


def test_a_result_says_in_one_line_what_was_simulated() -> None:
    assert repr(RESULT) == "<Result: one, other on 'two' (2 arms), budgets 10, 20, 4 runs>"
    assert repr(TIMES) == "<Result: <i>, other on 'two <b>' (2 arms), alpha 0.05, 4 runs>"
    many = Result(RESULT.problem, SimulationOptions((10.0, 20.0, 30.0, 40.0, 50.5)), 4, 7, RESULT.counted)
    assert repr(many) == "<Result: one, other on 'two' (2 arms), budgets 10, 20, …, 50.5, 4 runs>"


def test_a_result_is_printed_as_a_table() -> None:
    assert str(RESULT).splitlines() == [
        "two: 2 arms, 4 runs, loss 'costs' (final)",
        "policy  budget  mean  stderr  median  any mistake",
        "one         10   1.5  0.6455     1.5         0.75",
        "one         20  0.25    0.25       0         0.25",
        "other       10     2  0.8165       2         0.75",
        "other       20     1  0.4082       1         0.75",
    ]
    assert str(RESULT.rows()) == str(RESULT).partition("\n")[2]
    assert str(TIMES).splitlines()[:3] == [
        "two <b>: 2 arms, 4 runs, error rate 0.05",
        "policy  spent  spent stderr  spent median  mean  stderr                    loss  stopped",
        "<i>       425         201.6           300  0.25    0.25             any mistake     0.75",
    ]
    assert str(ALONE.rows()).splitlines()[1] == "one         10     1       –       1            1"


def test_a_comparison_is_a_list_that_is_printed_as_a_table() -> None:
    found = RESULT.compare("one", "other")
    assert isinstance(found, list)
    assert str(found).splitlines()[:2] == [
        "first  second  budget  difference     95 % interval  ratio  interval of ratio",
        "one    other       10        -0.5  -1.765 to 0.7652   0.75    0.2207 to 1.279",
    ]
    assert str(ALONE.compare("one", "other")).splitlines()[1].split() == ["one", "other", "10", "-1", "–", "0.5", "–"]
    assert str(Differences()) == str(Rows()) == "[]"


def cells_of(table: str) -> list[list[str]]:
    """Return the cells of a table in HTML, row by row, the head first."""
    rows = ElementTree.fromstring(table).iter("tr")
    return [[cell.text or "" for cell in row] for row in rows]


def test_a_notebook_shows_the_rows() -> None:
    shown = RESULT._repr_html_()
    assert shown.startswith(f'<div class="thresher-output"><p>{RESULT.summary}</p>')
    assert RESULT.summary.startswith("At budget 20 ")
    head, *rows = cells_of(shown)
    assert head == ["policy", "", "budget", "mean", "stderr", "median", "any mistake"]
    assert rows[0] == ["one", "", "10", "1.5", "0.6455", "1.5", "0.75"]
    assert [[row[0], row[2]] for row in rows] == [["one", "10"], ["one", "20"], ["other", "10"], ["other", "20"]]
    assert shown.count('class="strip"') == 4


def test_rows_as_a_latex_table() -> None:
    lines = RESULT.to_latex().splitlines()
    assert lines[0] == r"\begin{tabular}{lrrrrr}"
    assert lines[2] == r"policy & budget & mean & stderr & median & any mistake \\"
    assert lines[4] == r"one & 10 & 1.5 & 0.6455 & 1.5 & 0.75 \\"


def test_a_notebook_shows_times_and_escapes_names() -> None:
    table = TIMES._repr_html_()
    assert "<i>" not in table
    assert "<b>" not in table
    assert [line.text for line in ElementTree.fromstring(table).iter("p")] == [TIMES.summary, repr(TIMES)[1:-1]]
    assert " stops first: after " in TIMES.summary
    head, first, _ = cells_of(table)
    assert head == ["policy", "spent", "spent stderr", "spent median", "mean", "stderr", "loss", "stopped"]
    assert first == ["<i>", "425", "201.6", "300", "0.25", "0.25", "any mistake", "0.75"]


def test_a_notebook_shows_large_budgets_whole() -> None:
    large = Result(RESULT.problem, SimulationOptions((123457.0, 2000000.0)), 4, 7, RESULT.counted)
    assert [row[2] for row in cells_of(large._repr_html_())[1:3]] == ["123,457", "2,000,000"]


def test_without_a_library_of_frames_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "LIBRARIES", ("no_such_library",))
    with pytest.raises(ExperimentError, match="no library of data frames is installed; type: pip install pandas"):
        RESULT.to_frame()
