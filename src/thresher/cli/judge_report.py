"""``thresher judge-report``: how well a judge agrees with the truth, and whether that is enough."""

from __future__ import annotations

from thresher.cli.campaigns import DEFAULT, Database, Json, Name, campaign_at


def judge_report(campaign: Name = None, db: Database = DEFAULT, json: Json = False) -> None:
    """Show how well a judge agrees with the outcomes.

    Scores are told by --proxy of 'thresher new', or by 'thresher tell --from FILE --proxy-column COLUMN'. Example:

        thresher judge-report answers
    """
    from json import dumps

    from thresher.campaign import judge_document
    from thresher.cli.show import answer, say, table, wrapped
    from thresher.number_text import NONE, figure, whole_percent

    with campaign_at(db, campaign) as found:
        agreement = found.judge_agreement()
    document = judge_document(agreement)
    if json:
        answer(dumps(document))
        return
    for sentence in document["sentences"]:
        answer(wrapped(sentence))
    answer("")
    rows = [
        [
            arm.arm,
            str(arm.labels),
            whole_percent(arm.agreement) if arm.agreement == arm.agreement else NONE,
            figure(arm.slope),
        ]
        for arm in agreement.arms
    ]
    table(["arm", "labels", "agreement", "weight of a score"], rows)
    for warning in document["warnings"]:
        say(wrapped(f"Warning: {warning}."))
