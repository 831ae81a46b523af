"""What a run found can be read by other programs, whatever the names are."""

import json
import math
import xml.etree.ElementTree as ET

from thresher.live import Standing, Verdict, Verdicts
from thresher.runner.run import Finished
from thresher.runner.summaries import document, junit_xml, markdown_summary, sentence

NASTY = '<b>&"\ufffe|*_x_*</b>'


def row(arm: str, verdict: str, *, sure: bool, pulls: int = 4) -> Verdict:
    """Return a verdict."""
    return Verdict(
        arm=arm, verdict=verdict, sure=sure, mean=0.75 if pulls else None, pulls=pulls, low=0.5, high=math.inf,
        p_wrong=0.125, price=math.nan, threshold=0.6, outstanding=0, retired=False,
    )  # fmt: skip


FINISHED = Finished(
    Verdicts(
        [
            row("good", "above", sure=True), row(NASTY, "below", sure=True), row("near", "above", sure=False),
            row("gone", "undecided", sure=False, pulls=0),
        ],
        expected_mistakes=0.5,
    ),
    Standing("night", "open", False, 20, 12, 0, 4, 12, 0, 30),
    measured=7,
    given_up={"gone": "was killed"},
)  # fmt: skip


def test_a_sentence_about_an_arm() -> None:
    assert (
        sentence(FINISHED.verdicts[0]) == "mean 0.75 over 4 measurements, above the bar 0.6, sure (interval 0.5 to inf)"
    )
    assert sentence(FINISHED.verdicts[3]) == "no outcome, bar 0.6"


def test_junit_has_a_case_for_each_arm() -> None:
    suite = ET.fromstring(junit_xml(FINISHED, passes="above"))[0]
    assert [suite.get(key) for key in ("name", "tests", "failures", "skipped", "errors")] == [
        "night",
        "4",
        "1",
        "1",
        "1",
    ]
    kinds = {case.get("name"): [part.tag for part in case] for case in suite}
    assert kinds == {"good": [], NASTY.replace("\ufffe", "\ufffd"): ["failure"], "near": ["skipped"], "gone": ["error"]}
    assert suite[3][0].get("message") == "was killed"


def test_what_passes_above_fails_below() -> None:
    suite = ET.fromstring(junit_xml(FINISHED, passes="below"))[0]
    assert [[part.tag for part in case] for case in suite][:2] == [["failure"], []]


def test_markdown_shows_names_as_they_are() -> None:
    page = markdown_summary(FINISHED, passes="above")
    assert "1 of 4 pass, 1 fail, 2 are not sure; 12 of 20 spent. 0.5 verdicts are expected to be wrong." in page
    assert "| good | pass | above | 0.75 | 0.5 to inf | 0.6 | 4 | 0.12 |" in page
    assert '&lt;b&gt;&amp;"' in page
    assert r"\|\*\_x\_\*" in page
    assert "Given up: gone was killed." in page


def test_the_document_has_no_number_that_json_has_not() -> None:
    made = json.loads(json.dumps(document(FINISHED, passes="above"), allow_nan=False))
    assert (made["exit_code"], made["measured"], made["expected_mistakes"]) == (1, 7, 0.5)
    first = made["verdicts"][0]
    assert (first["result"], first["high"], first["p_wrong"]) == ("pass", None, 0.125)
