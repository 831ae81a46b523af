from collections import Counter

from thresher.policy.listing import list_policies
from thresher.report.picture_style import BLACK, GREY, POLICY_STYLES, PURPLE, line_styles


def test_every_built_in_policy_has_a_look_of_its_own() -> None:
    assert {entry.name for entry in list_policies()} <= set(POLICY_STYLES)
    looks = Counter((style.colour, style.dashes, style.marker) for style in POLICY_STYLES.values())
    assert [look for look, count in looks.items() if count > 1] == []


def test_a_policy_looks_the_same_with_any_others() -> None:
    alone = line_styles(["stopping"])["stopping"]
    for others in (["a", "b", "stopping"], ["uniform", "lsa", "stopping"], ["stopping", "stopping:structure=pool"]):
        assert line_styles(others)["stopping"] == alone
    assert line_styles(["thresher (stopping)"])["thresher (stopping)"] == alone
    assert alone.colour == PURPLE


def test_variants_have_the_colour_of_their_policy_and_dashes_of_their_own() -> None:
    names = ["lsa", "lsa, Δ = |μ|", "lsa:alpha=2", "lsa ≤", "lsa, published"]
    styles = line_styles(names)
    assert {style.colour for style in styles.values()} == {styles["lsa"].colour}
    assert len({(style.dashes, style.marker) for style in styles.values()}) >= 4
    assert styles["lsa, Δ = |μ|"].dashes == "--"
    assert styles["lsa, Δ = |μ|"].is_open
    assert (styles["lsa, published"].dashes, styles["lsa, published"].marker) == ("", "x")


def test_other_names_differ_from_each_other_and_are_neither_black_nor_purple() -> None:
    styles = line_styles([f"mine-{i}" for i in range(12)])
    assert not {BLACK, PURPLE, GREY} & {style.colour for style in styles.values()}
    assert len({(style.colour, style.marker) for style in styles.values()}) == 12
    assert line_styles(["mine", "lsa"])["mine"] == line_styles(["lsa", "mine"])["mine"]


def test_limits_are_grey_and_told_apart_by_their_dashes() -> None:
    names = ["adaptive limit", "integer limit", "Bayes limit", "lower bound"]
    styles = line_styles(names)
    assert {style.colour for style in styles.values()} == {GREY}
    assert len({style.dashes for style in styles.values()}) == 4
