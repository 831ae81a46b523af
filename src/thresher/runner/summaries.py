"""What a run found, as files for other programs: junit XML and a Markdown summary."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from typing import Any

from thresher.live import Verdict
from thresher.report.markdown import markdown_table
from thresher.runner.judgement import FAIL, PASS, UNSURE, exit_code, judgement
from thresher.runner.run import Finished

NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
HEADERS = ["arm", "result", "verdict", "mean", "interval", "bar", "measurements", "chance of error"]
SPECIAL = re.compile(r"([\\`*_\[\]~#])")


def sentence(row: Verdict) -> str:
    """Return what is known of an arm in one sentence."""
    if row.mean is None:
        return f"no outcome, bar {row.threshold:g}"
    sure = "sure" if row.sure else "not sure"
    return (
        f"mean {row.mean:.4g} over {row.pulls} measurements, {row.verdict} the bar {row.threshold:g}, {sure}"
        f" (interval {row.low:.4g} to {row.high:.4g})"
    )


def junit_xml(finished: Finished, *, passes: str) -> str:
    """Return a junit document: one test case for each arm; what is not sure is skipped, what was given up an error."""
    suite = ET.Element("testsuite", name=_legal(finished.standing.name))
    counts = {"tests": len(finished.verdicts), "failures": 0, "errors": 0, "skipped": 0}
    for row in finished.verdicts:
        case = ET.SubElement(suite, "testcase", classname=_legal(finished.standing.name), name=_legal(row.arm))
        kind = _kind(row, finished, passes)
        if kind is not None:
            counts[{"failure": "failures", "error": "errors"}.get(kind, kind)] += 1
            message = finished.given_up.get(row.arm) or sentence(row)
            ET.SubElement(case, kind, message=_legal(message))
    for key, value in counts.items():
        suite.set(key, str(value))
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _kind(row: Verdict, finished: Finished, passes: str) -> str | None:
    if row.arm in finished.given_up:
        return "error"
    return {PASS: None, FAIL: "failure", UNSURE: "skipped"}[judgement(row, passes)]


def _legal(text: str) -> str:
    """Return a text without the characters that no XML document may have."""
    return NO_XML.sub("\ufffd", text)


def markdown_summary(finished: Finished, *, passes: str) -> str:
    """Return a page: how many arms pass, what was spent, one line for each arm."""
    standing = finished.standing
    found = [judgement(row, passes) for row in finished.verdicts]
    lines = [
        f"# {_plain(standing.name)}",
        "",
        f"{found.count(PASS)} of {len(found)} pass, {found.count(FAIL)} fail, {found.count(UNSURE)} are not sure;"
        f" {standing.spent:g} of {standing.budget:g} spent.{_mistakes(finished)}",
        "",
        markdown_table(HEADERS, [_markdown_cells(row, passes) for row in finished.verdicts], left=(0, 1, 2)),
    ]
    lines += [f"\nGiven up: {_plain(arm)} {_plain(reason)}." for arm, reason in finished.given_up.items()]
    return "\n".join(lines) + "\n"


def _markdown_cells(row: Verdict, passes: str) -> list[str]:
    arm, *rest = verdict_cells(row, passes)
    return [_plain(arm), *rest]


def _mistakes(finished: Finished) -> str:
    expected = finished.verdicts.expected_mistakes
    return f" {expected:.2g} verdicts are expected to be wrong." if math.isfinite(expected) else ""


def verdict_cells(row: Verdict, passes: str) -> list[str]:
    """Return a row of a table, under :data:`HEADERS`."""
    mean = "" if row.mean is None else f"{row.mean:.4g}"
    interval = f"{row.low:.4g} to {row.high:.4g}" if row.pulls else ""
    wrong = f"{row.p_wrong:.2g}" if row.p_wrong >= 0.001 else "" if math.isnan(row.p_wrong) else "< 0.001"
    return [row.arm, judgement(row, passes), row.verdict, mean, interval, f"{row.threshold:g}", str(row.pulls), wrong]


def _plain(text: str) -> str:
    """Return a text that Markdown shows as it is."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return SPECIAL.sub(r"\\\1", text)


def document(finished: Finished, *, passes: str) -> dict[str, Any]:
    """Return what ``run --json`` prints; a number that nobody knows is None."""
    standing = finished.standing
    return {
        "campaign": standing.name,
        "pass": passes,
        "exit_code": exit_code(finished.verdicts, passes),
        "budget": standing.budget,
        "spent": standing.spent,
        "measured": finished.measured,
        "expected_mistakes": _known(finished.verdicts.expected_mistakes),
        "given_up": finished.given_up,
        "verdicts": [
            {key: _known(value) for key, value in row.to_dict().items()} | {"result": judgement(row, passes)}
            for row in finished.verdicts
        ],
    }


def _known(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
