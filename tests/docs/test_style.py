"""User-facing text uses the terms of the field: no private vocabulary, no talk of programs as people."""

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.checkout import CHECKOUT

# Each pattern with the reason, or what to write instead. Code is not searched; comments in examples are.
FORBIDDEN = {
    r"\bK things\b|\bcandidates?\b": "arm, or what it is on that page: a prompt, a test",
    r"\bluck\w*|\bunlucky|\bluckily": "random numbers, chance; common random numbers",
    r"\bwish\w*": "target, request",
    r"\bhappenings?\b": "event",
    r"\bwhoever\b|\bnobody\b|\bsomebody\b|\banybody\b|\beverybody\b": "name the role, or use the passive",
    r"\bas many \w*\s?as\b": "the number of, up to",
    r"\bof ours\b|\bof our own\b": "thresher's, or drop it",
    r"(?<!there )\b(?:is|are|was) no (?!longer|more|fewer|less|greater|smaller|larger|wider|\w+er than)": "is not a",
    r"\bhanded out\b|\bhanding.out\b|\bhands? out\b": "issue (a ticket)",
    r"\blapsed?\b|\bcame after\b": "expired lease, late outcome",
    r"(?<!how )(?<![.-])\bsure\b|(?<!almost )\bsurely\b": "proven, decided",
    r"\bhow manieth\b": "ordinal",
    r"\bspeaks? of\b|\bknows of\b": "describes, has",
    r"\b(?:run|runs|ran) dry\b": "is exhausted",
    r"\bfor ever\b|\bin vain\b|\btoo dear\b|\bdearest\b": "forever, wasted, expensive",
    r"\bhow (?:it|they|one|the campaigns?|a campaign|each) stands?\b": "the state of",
    r"\bcame out of\b|\bcomes out of\b|\bwhat came out\b": "the outcome, the result",
    r"\bis away\b|\bwas away\b": "is unavailable",
    r"\bto the last bit\b": "bit for bit",
    r"\bmeets? the same\b|\bmet the same\b": "use common random numbers",
    r"\btells? off\b|\blooks? away\b|\bdoes not like\b": "programs are not people",
    r"\bso that [^.:;|]{0,120}\bwhich\b": "two sentences",
    r"\bbeside\b": "next to, with, in addition to, compared with",
    r"\bso many\b": "this many, that many",
    r"\b(?:is|are) worth most\b|\bwhat [^.:;|]{0,60} (?:is|are) worth\b": "the most valuable, the value of",
}
# Pages that are not searched.
EXEMPT = {"docs/reference/wrong-inputs.md"}  # generated; it quotes wrong input


def sources() -> Iterator[Path]:
    """Yield the modules whose docstrings, comments and messages are searched: all of them."""
    yield from sorted((CHECKOUT / "src" / "thresher").rglob("*.py"))


def words_in_source(text: str) -> str:
    """Return the comments of a module and its strings of several words, without names in code and in docstrings."""
    kept = list[str]()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        kind = tokenize.tok_name[token.type]
        if kind == "COMMENT" or (kind in {"STRING", "FSTRING_MIDDLE"} and " " in token.string):
            kept.append(token.string)
    parameters, code = r"^ *[\w, *]+ : .*$", r"`+[^`]*`+|\{[^{}]*\}"
    return re.sub(code, "…", re.sub(parameters, "", "\n\n".join(kept), flags=re.MULTILINE))


def texts() -> Iterator[tuple[str, str]]:
    """Yield the path and the prose of every text that users read."""
    markdown = [*CHECKOUT.glob("*.md"), *(CHECKOUT / "docs").rglob("*.md"), *(CHECKOUT / "changelog.d").glob("*.md")]
    examples = [path for path in (CHECKOUT / "examples").rglob("*") if path.suffix in {".md", ".py", ".toml"}]
    for path in [*markdown, *examples, CHECKOUT / "Makefile", CHECKOUT / "pyproject.toml", CHECKOUT / "mkdocs.yml"]:
        yield path.relative_to(CHECKOUT).as_posix(), prose(path)


def prose(path: Path) -> str:
    """Return the text of a file; of code in Markdown only the comments."""
    text = path.read_text()
    if path.suffix != ".md":
        return text
    text = re.sub(r"^```.*?^```$", lambda block: _comments(block[0]), text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"\]\([^)]*\)", "]", text)  # addresses of links
    return re.sub(r"`[^`\n]*`", "`…`", text)


def _comments(block: str) -> str:
    return "\n".join(re.findall(r"(?<=# ).*", block))


def found(text: str) -> list[str]:
    """Return the forbidden words of a text, each with what to write instead; a phrase may span two lines."""
    text = re.sub(r"(?<!\n)\n[ #]*(?=[^\n\s])", " ", text)
    return [
        f"{match[0]!r}: {instead}"
        for pattern, instead in FORBIDDEN.items()
        for match in re.finditer(pattern, text, re.IGNORECASE)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "All policies meet the same luck.",
        "Whoever runs it",
        "up to as many tickets as there are",
        "That is no slip.",
        "A fault of ours",
        "a ticket is handed out",
        "2 arms are not sure",
        "It keeps a log, so that the events can be read, which helps.",
        "They agree to the last\n    bit.",
        "the limit beside it, after so many pulls",
        "Return what a pull of the arm is worth.",
    ],
)
def test_a_forbidden_word_is_found(text: str) -> None:
    assert found(text)


def test_plain_words_and_code_are_fine(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "[How sure a verdict is](how-sure.md) has `row.sure`; there is no other.\n\n```python\nluck = 1  # seed\n```\n"
    )
    assert found(prose(page)) == []


def test_no_text_has_a_forbidden_word() -> None:
    words = {name: found(text) for name, text in texts() if name not in EXEMPT}
    assert {name: hits for name, hits in words.items() if hits} == {}


def test_comments_and_messages_of_a_module_are_searched() -> None:
    module = 'lapsed = 1  # by luck\nraise ValueError(f"nobody has {lapsed}", "lapsed")\n'
    assert [hit.split(":")[0] for hit in found(words_in_source(module))] == ["'luck'", "'nobody'"]


def test_no_module_has_a_forbidden_word() -> None:
    words = {path.relative_to(CHECKOUT).as_posix(): found(words_in_source(path.read_text())) for path in sources()}
    assert {name: hits for name, hits in words.items() if hits} == {}


def test_every_exempt_page_exists() -> None:
    assert {name for name in EXEMPT if not (CHECKOUT / name).is_file()} == set()
