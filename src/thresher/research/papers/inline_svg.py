"""Inline SVG for a page: colours that follow the light or dark theme, unique identifiers, fewer digits."""

from __future__ import annotations

import re

from thresher.report import BLACK, BLUE, BROWN, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION

#: The colours of the pictures on a light and on a dark ground, as CSS variables.
SHADES = {
    BLUE: ("blue", "#4aa8e8"),
    VERMILION: ("vermilion", "#ff8a4c"),
    GREEN: ("green", "#2fc79a"),
    PURPLE: ("purple", "#e59fc8"),
    ORANGE: ("orange", "#f0b429"),
    SKY: ("sky", "#7cc8f2"),
    BROWN: ("brown", "#c9a866"),
    GREY: ("grey", "#a0a6ad"),
}


def shades_css() -> tuple[str, str]:
    """Return the declarations of the colours for a light page and for a dark one."""
    light = "".join(f"--{name}:{colour};" for colour, (name, _) in SHADES.items())
    dark = "".join(f"--{name}:{bright};" for name, bright in SHADES.values())
    return light, dark


def inline(svg: str, *, prefix: str, description: str) -> str:
    """Return an SVG document as an element of a page.

    Parameters
    ----------
    svg : str
        As matplotlib writes it.
    prefix : str
        Put before every identifier, so that several pictures of one page do not share them.
    description : str
        The text for screen readers; plain text.
    """
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = re.sub(r'\sid="([^"]+)"', rf' id="{prefix}-\1"', body)
    body = re.sub(r'(xlink:href="#|url\(#)', rf"\1{prefix}-", body)
    body = re.sub(r"font: ([\d.]+px) [^;\"]+", r"font-size: \1", body)
    body = re.sub(r"font-family: [^;\"]+;? ?", "", body)
    body = re.sub(r"\d+\.\d{3,}", lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), body)
    for colour, (name, _) in SHADES.items():
        body = re.sub(colour, f"var(--{name})", body, flags=re.IGNORECASE)
    body = re.sub(BLACK, "currentColor", body)
    head, rest = body.split(">", 1)
    view = re.search(r'viewBox="([^"]+)"', head)
    assert view is not None
    label = description.replace('"', "'")
    links = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f'<svg {links} viewBox="{view[1]}" role="img" aria-label="{label}">{rest}'
