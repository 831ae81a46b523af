from thresher.papers.line_styles import LINE_STYLES, line_style
from thresher.report.curves import COLOURS


def test_the_other_reading_has_the_colour_of_the_first_and_dashes() -> None:
    assert line_style("lsa, Δ = |μ|").colour == line_style("lsa").colour
    assert line_style("lsa, Δ = |μ|").dashes == "--"
    assert line_style("apt, published").colour == line_style("apt").colour


def test_policies_differ_in_colour_and_marker() -> None:
    policies = ["apt", "lsa", "fwt-sqrt", "fwt", "stopping", "uniform"]
    assert (
        len({LINE_STYLES[name].colour for name in policies})
        == len({LINE_STYLES[name].marker for name in policies})
        == len(policies)
    )
    assert {LINE_STYLES[name].colour for name in policies} <= set(COLOURS)
