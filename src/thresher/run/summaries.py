"""What a run found, as files for other programs: junit XML and a Markdown summary."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Any

from thresher.report import MARKDOWN, exit_code, in_order, markdown_table, sentence_about, sentence_of, table_of
from thresher.run.run import Finished

NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
SPECIAL = re.compile(r"([\\`*_\[\]~#])")
KINDS = {"pass": None, "fail": "failure", "open": "skipped"}  # elements of junit


def junit_xml(finished: Finished) -> str:
    """Return a junit document: the summary, and one test case for each arm.

    An undecided arm is skipped; one that was given up is an error.
    """
    said = finished.verdicts.said
    root = ET.Element("testsuites")
    suite = ET.SubElement(root, "testsuite", name=_legal(finished.standing.name), tests=str(len(finished.verdicts)))
    properties = ET.SubElement(suite, "properties")
    ET.SubElement(properties, "property", name="summary", value=_legal(finished.verdicts.summary))
    for row in in_order(finished.verdicts, said.passes):
        case = ET.SubElement(suite, "testcase", classname=_legal(finished.standing.name), name=_legal(row.arm))
        tag = "error" if row.arm in finished.given_up else KINDS[row.decision]
        if tag is not None:
            message = finished.given_up.get(row.arm) or sentence_about(row, said)
            ET.SubElement(case, tag, message=_legal(message))
    if finished.verdicts.notes:
        notes = "\n".join(sentence_of(note) for note in finished.verdicts.notes)
        ET.SubElement(suite, "system-out").text = _legal(notes)
    for key, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(key, str(len(suite.findall(f"testcase/{kind}"))))
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _legal(text: str) -> str:
    """Return a text without the characters that no XML document may have."""
    return NO_XML.sub("\ufffd", text)


def markdown_summary(finished: Finished, step: str) -> str:
    """Return a page: the summary, one line for each arm, and the next step."""
    verdicts, standing = finished.verdicts, finished.standing
    table = table_of(verdicts, verdicts.said, MARKDOWN)
    rows = [[_plain(arm), *rest] for arm, *rest in table.rows]
    lines = [
        f"# {_plain(standing.name)}",
        "",
        *(line for text in verdicts.paragraphs for line in (_plain(text), "")),
        markdown_table(table.heads, rows, left=table.left),
    ]
    lines += [f"\n{_plain(note[:1].upper() + note[1:])}." for note in verdicts.notes]
    lines += [f"\nGiven up: {_plain(arm)} {_plain(reason)}." for arm, reason in finished.given_up.items()]
    return "\n".join([*lines, "", f"**Next:** {_plain(step)}"]) + "\n"


def _plain(text: str) -> str:
    """Return a text that Markdown shows as it is."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return SPECIAL.sub(r"\\\1", text)


def document(finished: Finished) -> dict[str, Any]:
    """Return what ``run --json`` prints."""
    standing, verdicts = finished.standing, finished.verdicts
    return {
        "campaign": standing.name,
        "pass": verdicts.said.passes,
        "exit_code": exit_code(verdicts),
        "budget": standing.budget,
        "spent": standing.spent,
        "measured": finished.measured,
        "given_up": finished.given_up,
        **({} if finished.scored is None else {"scored": finished.scored.done}),
        **verdicts.to_document(),
    }
