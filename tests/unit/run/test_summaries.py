"""What a run found can be read by other programs, whatever the names are."""

import json
import math
import xml.etree.ElementTree as ET
from dataclasses import replace

from thresher.campaign import Standing, Verdict, Verdicts
from thresher.campaign.verdicts import Spending
from thresher.run.run import Finished
from thresher.run.summaries import document, junit_xml, markdown_summary

NASTY = '<b>&"\ufffe|*_x_*</b>'


def row(arm: str, verdict: str, decision: str, *, pulls: int = 4) -> Verdict:
    """Return a verdict."""
    return Verdict(
        arm=arm, verdict=verdict, decision=decision, mean=0.75 if pulls else None, pulls=pulls, low=0.5, high=math.inf,
        p_wrong=0.125, price=math.nan, threshold=0.6, outstanding=0, retired=False,
    )  # fmt: skip


FINISHED = Finished(
    Verdicts(
        [
            row("good", "above", "pass"), row(NASTY, "below", "fail"), row("near", "above", "open"),
            row("gone", "undecided", "open", pulls=0),
        ],
        expected_mistakes=0.5,
        spending=Spending(20, 12, 12),
    ),
    Standing("night", "open", False, 20, 12, 0, 4, 12, 0, 30),
    measured=7,
    given_up={"gone": "was killed"},
)  # fmt: skip


def test_junit_has_a_case_for_each_arm() -> None:
    suite = ET.fromstring(junit_xml(FINISHED))[0]
    assert [suite.get(key) for key in ("name", "tests", "failures", "skipped", "errors")] == [
        "night",
        "4",
        "1",
        "1",
        "1",
    ]
    cases = suite.findall("testcase")
    kinds = {case.get("name"): [part.tag for part in case] for case in cases}
    assert kinds == {"good": [], NASTY.replace("\ufffe", "\ufffd"): ["failure"], "near": ["skipped"], "gone": ["error"]}
    assert cases[3][0].get("message") == "was killed"
    assert cases[2][0].get("message") == (
        "leaning pass: mean 0.750 over 4 measurements, chance of error 12\u00a0%, bar 0.6"
    )
    assert suite[0][0].get("name") == "summary"
    assert suite[0][0].get("value") == FINISHED.verdicts.summary


def test_junit_has_the_order_of_the_table() -> None:
    rows = [row("near", "above", "open"), row("bad", "below", "fail"), row("good", "above", "pass")]
    suite = ET.fromstring(junit_xml(replace(FINISHED, verdicts=Verdicts(rows, expected_mistakes=0.5))))[0]
    assert [case.get("name") for case in suite.findall("testcase")] == ["good", "bad", "near"]


def test_markdown_shows_names_as_they_are() -> None:
    page = markdown_summary(FINISHED, "Start a *worker*.")
    lead = "1 pass, 1 fail, 2 undecided (1 leaning pass, 1 not measured). Bar: above 0.6. 12 of 20 measurements spent."
    assert f"{lead}\n\nIf you acted on all 4 now, expect about 0.5 mistakes. Decided at" in page
    assert "| good | ✔ pass | 0.750 | – | 4 | 12\u00a0% |" in page
    assert '&lt;b&gt;&amp;"' in page
    assert r"\|\*\_x\_\*" in page
    assert "Given up: gone was killed." in page
    assert page.endswith("**Next:** Start a \\*worker\\*.\n")


def test_the_document_has_no_number_that_json_has_not() -> None:
    made = json.loads(json.dumps(document(FINISHED), allow_nan=False))
    assert (made["exit_code"], made["measured"], made["expected_mistakes"]) == (1, 7, 0.5)
    first = made["verdicts"][0]
    assert (first["decision"], first["high"], first["p_wrong"]) == ("pass", None, 0.125)


def test_the_document_has_the_notes_on_the_verdicts() -> None:
    noted = replace(FINISHED, verdicts=FINISHED.verdicts.noting(["outcomes drift"]))
    assert document(noted)["notes"] == ["outcomes drift"]
