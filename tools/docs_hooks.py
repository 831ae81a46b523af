"""What MkDocs does for our pages beyond Markdown: citations, formulas without a script, commands' help, the terms.

Docstrings are numpydoc with a few roles of reStructuredText; pages may use them too. All of it happens when the site is
built, so that a page loads nothing from other servers.
"""

import html
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

from latex2mathml.converter import convert
from markdown import Extension, Markdown
from markdown.preprocessors import Preprocessor
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page
from pybtex.database import Entry, parse_file

from thresher.terms import terms_table

BIBLIOGRAPHY = Path(__file__).resolve().parent.parent / "docs" / "references.bib"

_CITE = re.compile(r":cite:p:`([^`]+)`")
_MATH = re.compile(r":math:`([^`]+)`")
_NAME = re.compile(r":(?:mod|class|meth|func|attr|data|exc):`~?([^`]+)`")
_MATH_BLOCK = re.compile(
    r"^(?P<indent> *)\.\. math::(?P<first>.*)(?P<rest>(?:\n *$|\n(?P=indent) +\S.*)*)", re.MULTILINE
)
_LITERAL_BLOCK = re.compile(r"^ *::$\n?", re.MULTILINE)
_FORMULA = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.DOTALL)


@cache
def references() -> dict[str, Entry]:
    """Return the entries of `docs/references.bib` by key."""
    return dict(parse_file(str(BIBLIOGRAPHY)).entries)


def label(key: str) -> str:
    """Return how a text cites `key`: `Tao et al. (2019)`; an unknown key stands for itself."""
    entry = references().get(key)
    if entry is None:
        return key
    names = [" ".join(person.prelast_names + person.last_names) for person in entry.persons["author"]]
    who = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
    return f"{who} ({entry.fields['year']})"


def to_markdown(text: str) -> str:
    """Return `text` with its roles and blocks as Markdown; a citation links to the bibliography."""
    text = _MATH_BLOCK.sub(_display, text)
    text = _LITERAL_BLOCK.sub("", text)
    text = _MATH.sub(r"\\(\1\\)", text)
    text = _NAME.sub(r"`\1`", text)
    # A cross-reference, not a path: it is found from any page, and `--strict` refuses a key that is not in the list.
    return _CITE.sub(lambda role: ", ".join(f"[{label(key)}][{key}]" for key in re.split(r",\s*", role[1])), text)


def _display(block: re.Match[str]) -> str:
    formula = " ".join((block["first"] + block["rest"]).split())
    return f"\n{block['indent']}\\[{formula}\\]\n"


def to_mathml(page: str) -> str:
    """Return the HTML `page` with every formula as MathML, which browsers draw by themselves."""

    def drawn(formula: re.Match[str]) -> str:
        if formula[1] == "span":
            return convert(html.unescape(formula[2]), display="inline")
        # In a box of its own, which scrolls on a phone, by touch and by keyboard.
        return f'<div class="formula" tabindex="0">{convert(html.unescape(formula[2]), display="block")}</div>'

    return _FORMULA.sub(drawn, page)


def bibliography() -> str:
    """Return the reference list as Markdown, by author and year; each entry is a heading that its key links to."""
    return "\n\n".join(_listed(key) for key in sorted(references(), key=lambda key: label(key).casefold()))


def _listed(key: str) -> str:
    entry = references()[key]
    authors = ", ".join(
        " ".join(person.first_names + person.middle_names + person.prelast_names + person.last_names)
        for person in entry.persons["author"]
    )
    fields = {name: re.sub(r"[{}\\\\]", "", value).replace("--", "–") for name, value in entry.fields.items()}
    where = fields.get("journal") or fields.get("booktitle") or fields.get("publisher") or fields.get("school", "")
    numbers = "".join(f", {name} {fields[name]}" for name in ("volume", "number", "pages") if name in fields)
    eprint = f" arXiv:{fields['eprint']}." if "eprint" in fields else ""
    return f"### {label(key)} {{ #{key} }}\n\n{authors}. **{fields['title']}**. {where}{numbers}.{eprint}"


def commands() -> str:
    """Return the help of every command as Markdown, from the command line itself."""
    typer = [sys.executable, "-m", "typer", "thresher.cli.main", "utils", "docs", "--name", "thresher"]
    return subprocess.run(typer, check=True, capture_output=True, text=True).stdout  # noqa: S603 - our own arguments


class _Roles(Preprocessor):
    def run(self, lines: list[str]) -> list[str]:
        return to_markdown("\n".join(lines)).split("\n")


class RolesExtension(Extension):
    """The roles, in pages and docstrings alike; after fenced code (priority 25) is out of the way."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - the name that Markdown calls
        """Register the preprocessor."""
        md.preprocessors.register(_Roles(md), "roles", 24)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Read the roles wherever Markdown is read."""
    config.markdown_extensions.append(RolesExtension())  # type: ignore[arg-type]  # Markdown takes instances too
    return config


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Fill in what is generated."""
    generated = {
        "reference/references.md": bibliography,
        "reference/cli.md": commands,
        "reference/terms.md": terms_table,
    }
    make = generated.get(page.file.src_uri)
    return f"{markdown}\n\n{make()}" if make else markdown


def on_page_content(html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Draw the formulas."""
    return to_mathml(html)


def on_post_page(output: str, *, page: Page, config: MkDocsConfig) -> str:  # noqa: ARG001
    """Name the search dialog, which the theme leaves without a name for screen readers."""
    dialog = 'data-md-component="search" role="dialog"'
    return output.replace(f"{dialog}>", f'{dialog} aria-label="Search">')
