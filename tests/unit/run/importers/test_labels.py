"""Names of arms from a log: one line, short enough, and never one name for two texts."""

import pytest

from thresher.errors import InvalidOutcomeError
from thresher.problem.names import LONGEST_NAME, broken_rule
from thresher.run.importers.labels import Labels, label_of


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a  b", "a  b"),  # a name that a campaign can have stays as it is
        ("Answer.\n\nQuestion: x\r\n", "Answer. Question: x"),
        ("\ta\x1b[2Jb\0", "a [2Jb"),
    ],
)
def test_a_name_of_several_lines_becomes_one(text: str, name: str) -> None:
    assert label_of({"prompt": text}, ["prompt"]) == name
    assert not broken_rule(name)


def test_long_names_stay_different_and_can_be_names() -> None:
    texts = ["x" * 600 + end for end in "ab"]
    made = [label_of({"prompt": text, "model": f"m{text[-1]}"}, ["prompt", "model"]) for text in texts]
    alone = [label_of({"prompt": text}, ["prompt"]) for text in texts]
    for names in (made, alone):
        assert len({*names}) == 2
        assert not any(map(broken_rule, names))
        assert max(map(len, names)) <= LONGEST_NAME
    assert [name[-2:] for name in made] == ["ma", "mb"]  # the model is not cut off


def test_two_texts_with_one_name_are_refused_and_equal_ones_are_not() -> None:
    labels = Labels()
    assert labels.add("line 2", {"p": "a\nb"}, ["p"]) == labels.add("line 3", {"p": "a\nb"}, ["p"]) == "a b"
    assert labels.changed == {"a b": "a\nb"}
    with pytest.raises(InvalidOutcomeError, match=r"line 4: 'a b' has on one line the name of 'a\\nb' in line 2"):
        labels.add("line 4", {"p": "a b"}, ["p"])
