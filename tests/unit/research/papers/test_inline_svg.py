import re
import xml.etree.ElementTree as ET

from thresher.report.panel_drawing import svg_of
from thresher.report.panels import Line, Panel
from thresher.research.papers.inline_svg import SHADES, inline, shades_css

PANEL = Panel(
    "t", "x", "y", (Line("lsa", (1.0, 2.0), (1.0, 2.0), (0.5, 1.5), (1.5, 2.5)), Line("oracle", (1.0, 2.0), (2.0, 1.0)))
)
SVG = inline(svg_of(PANEL, salt="a"), prefix="first", description='says "so"')


def test_it_is_an_element_that_a_screen_reader_can_name() -> None:
    root = ET.fromstring(SVG)
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-label"] == "says 'so'"
    assert {"viewBox"} <= set(root.attrib)
    assert not {"width", "height"} & set(root.attrib)


def test_colours_follow_the_page() -> None:
    assert not [colour for colour in SHADES if colour.lower() in SVG.lower()]
    assert "#000000" not in SVG
    assert "var(--vermilion)" in SVG
    assert "currentColor" in SVG


def test_light_and_dark_declare_the_same_colours() -> None:
    light, dark = (set(re.findall(r"--(\w+):", css)) for css in shades_css())
    assert light == dark == {name for name, _ in SHADES.values()}


def test_identifiers_are_its_own_and_every_reference_finds_one() -> None:
    names = set(re.findall(r'\sid="([^"]+)"', SVG))
    assert all(name.startswith("first-") for name in names)
    used = set(re.findall(r'(?:xlink:href="#|url\(#)([^")]+)', SVG))
    assert used
    assert used <= names


def test_fonts_are_those_of_the_page_and_numbers_are_short() -> None:
    assert "DejaVu" not in SVG
    assert not re.search(r"\d\.\d{3}", SVG)
