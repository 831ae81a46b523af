"""The numbers of a table of arms: points below each other."""

from thresher.report.cells import aligned


def test_points_are_below_each_other() -> None:
    found = aligned(["0.0181", "1.00", "870", "–"])
    assert len({len(text) - text.replace("\u2008", ".").find(".") for text in found}) == 1
    assert [text.rstrip("\u2007\u2008") for text in found] == ["0.0181", "1.00", "870", "–"]


def test_whole_numbers_need_no_room_for_decimals() -> None:
    assert aligned(["870", "12"]) == ["870", "12"]
    assert aligned([]) == []
