"""Reading outcomes: the configured place, and numbers only."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InvalidInputError
from thresher.run.measurement import MeasurementError
from thresher.run.reading import Reading


@pytest.mark.parametrize(
    ("text", "output", "value"),
    [
        ("last-line", "warming up\n0.25\n\n", 0.25),
        ("last-line", "true", 1.0),
        ("last-line", "False\n", 0.0),
        ("regex:score: ([0-9.]+)", "score: 1\nscore: 2.5\ndone", 2.5),
        ("regex:^(\\d+) passed", "12 passed\nbye", 12.0),
        ("json:score", '{"score": -1e-3}', -0.001),
        ("json:results.0.ok", 'log\n{"results": [{"ok": true}]}', 1.0),
        ("json:a:b", '{"a:b": "7"}', 7.0),
    ],
)
def test_a_worked_case(text: str, output: str, value: float) -> None:
    assert Reading.parse(text).of(output) == value


@pytest.mark.parametrize(
    ("text", "output", "says"),
    [
        ("last-line", "", "printed nothing"),
        ("last-line", " \n\t\n", "printed nothing"),
        ("last-line", "nan", "'nan', which is not a number"),
        ("last-line", "inf", "not a number"),
        ("last-line", "1e999", "not a number"),
        ("last-line", "1_000", "not a number"),
        ("last-line", "0.5 %", "not a number"),
        ("regex:x=(\\d+)", "y=1", "nothing that matches"),
        ("json:score", "score: 1", "printed no JSON"),
        ("json:score", '{"scores": 1}', "no JSON field 'score'"),
        ("json:a.b", '{"a": 1}', "no JSON field 'a.b'"),
        ("json:a.9", '{"a": [1]}', "no JSON field 'a.9'"),
        ("json:score", '{"score": null}', "'None', which is not a number"),
        ("json:score", '{"score": NaN}', "'nan', which is not a number"),
    ],
)
def test_what_is_no_number_is_no_outcome(text: str, output: str, says: str) -> None:
    with pytest.raises(MeasurementError, match=says):
        Reading.parse(text).of(output)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("stdout", "must be exit, last-line"),
        ("regex", "outcome is .regex:.; must be"),
        ("exit:0", "outcome is .exit:0.; must be"),
        ("regex:(", "must be a regular expression: missing"),
        ("regex:\\d+", "must have one group"),
        ("regex:(a)(b)", "must have one group"),
    ],
)
def test_a_reading_that_cannot_be_is_refused(text: str, says: str) -> None:
    with pytest.raises(InvalidInputError, match=says):
        Reading.parse(text)


@given(value=st.floats(allow_nan=False, allow_infinity=False), noise=st.text())
def test_a_printed_float_is_read_back_bit_for_bit(value: float, noise: str) -> None:
    assert Reading("last-line").of(f"{noise}\n{value!r}\n") == value
    assert Reading("json", "x").of(f"noise\n{json.dumps({'x': value})}") == value
