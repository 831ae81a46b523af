import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InvalidInputError, UnknownNameError
from thresher.problem import Spec, bind, parse_spec

words = st.text(string.ascii_letters + string.digits + "-_.", min_size=1, max_size=8)


def build(K: int = 3, gap: float = 1.0, family: str = "bernoulli", is_open: bool = False) -> None:
    """Take one parameter of each type."""


@given(words, st.dictionaries(words, words, max_size=4))
def test_what_was_typed_is_read_back(name: str, parameters: dict[str, str]) -> None:
    text = name + (":" if parameters else "") + ",".join(f"{key}={value}" for key, value in parameters.items())
    assert parse_spec(text) == Spec(name, parameters)


def test_spaces_and_a_colon_without_parameters_do_no_harm() -> None:
    assert parse_spec(" lsa : alpha = 2 , evidence=kl ") == Spec("lsa", {"alpha": "2", "evidence": "kl"})
    assert parse_spec("lsa:") == Spec("lsa", {})


@pytest.mark.parametrize("text", ["lsa:alpha", "lsa:alpha=", "lsa:=2", "lsa:alpha=1,alpha=2"])
def test_a_parameter_that_is_no_key_and_value_is_refused(text: str) -> None:
    with pytest.raises(InvalidInputError, match=r"parameter of .*; must be written key=value, each key once"):
        parse_spec(text)


def test_values_are_read_as_the_type_of_the_default() -> None:
    bound = bind(build, parse_spec("x:K=7,gap=0.5,family=gaussian,is_open=yes"))
    assert bound == {"K": 7, "gap": 0.5, "family": "gaussian", "is_open": True}
    assert isinstance(bound["K"], int)
    assert bind(build, parse_spec("x:is_open=FALSE")) == {"is_open": False}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("x:K=2.5", "K of 'x' is '2.5'; must be a whole number"),
        ("x:gap=far", "gap of 'x' is 'far'; must be a number"),
        ("x:is_open=perhaps", "is_open of 'x' is 'perhaps'; must be yes or no"),
    ],
)
def test_a_value_of_another_type_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        bind(build, parse_spec(text))
    assert str(caught.value) == sentence


def test_an_unknown_parameter_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown parameter 'gaps' of 'x'; did you mean 'gap'"):
        bind(build, parse_spec("x:gaps=1"))
