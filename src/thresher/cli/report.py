"""``thresher report``: write a report of a campaign to one file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thresher.cli.campaigns import DEFAULT, Database, Json, Name, campaign_at
from thresher.cli.decisions import Guarantee, Pass, Risk, SigmaCheck, next_step_of
from thresher.cli.output_file import Force, check_new_file, writing

if TYPE_CHECKING:
    from thresher.campaign import Campaign, Standing, Verdicts

Out = Annotated[Path, typer.Option("--out", "-o", help="A file .html, .md, .csv or .xml (junit).")]


def report(
    out: Out,
    campaign: Name = None,
    passes: Pass = None,
    risk: Risk = None,
    guarantee: Guarantee = None,
    sigma_check: SigmaCheck = None,
    force: Force = False,
    db: Database = DEFAULT,
    json: Json = False,
) -> None:
    """Write the decisions as HTML, Markdown, CSV or JUnit XML.

    Example: thresher report coins --out coins.html
    """
    from json import dumps

    from thresher.cli.show import answer, wrapped

    if out.suffix.lower() not in WRITERS:
        raise typer.BadParameter(f"--out {str(out)!r}: give it a file {', '.join(WRITERS)}")
    check_new_file(out, force=force)
    under: dict[str, Any] = {"risk": risk, "guarantee": guarantee, "passes": passes, "sigma_check": sigma_check}
    with campaign_at(db, campaign) as found:
        verdicts = found.verdicts(**under)
        text = WRITERS[out.suffix.lower()](found, verdicts, db)
    with writing(out):
        out.write_text(text, encoding="utf-8", newline="")
    if json:
        answer(dumps({"campaign": found.name, "file": str(out), "summary": verdicts.summary}))
    else:
        answer(f"{wrapped(verdicts.summary)}\nThe report is in {out}.")


def html_of(campaign: Campaign, verdicts: Verdicts, db: str = DEFAULT) -> str:
    """Return a campaign as a self-contained HTML page."""
    from datetime import UTC, datetime

    from thresher.campaign import Trajectory, overview_of, view_of_items, view_of_judge
    from thresher.report import CampaignPage, counted, html_page, method_of

    trajectory = Trajectory(campaign.terms)
    trajectory.catch_up(campaign.history)
    glance = overview_of(campaign.standing, verdicts, trajectory.points, trajectory.settled)
    standing = glance.standing
    judge = view_of_judge(campaign) if standing.items else ""
    return html_page(
        CampaignPage(
            name=standing.name,
            state=standing.status,
            budget=standing.budget,
            rows=verdicts,
            scaled=verdicts.drawn,
            said=verdicts.said,
            summary=verdicts.paragraphs,
            next_step=_step(campaign, verdicts, standing, db),
            points=glance.points,
            end=glance.end,
            settled=glance.settled,
            warnings=verdicts.notes,
            method=method_of(campaign.terms, verdicts.said),
            written=f"written {datetime.now(UTC):%Y-%m-%d %H:%M} UTC, after {counted(standing.told, 'measurement')}",
            items=view_of_items(campaign.items(), campaign.terms, is_judged=bool(judge)) if standing.items else "",
            judge=judge,
        )
    )


def _step(campaign: Campaign, verdicts: Verdicts, standing: Standing, db: str) -> str:
    from thresher.campaign import are_imported

    place = (
        db if db.startswith(("http://", "https://")) else DEFAULT
    )  # a report is sent to others: no path of this machine
    return next_step_of(verdicts, standing, place, is_imported=are_imported(campaign.history, standing))


def _markdown(campaign: Campaign, verdicts: Verdicts, db: str) -> str:
    from thresher.run import Finished, markdown_summary

    standing = campaign.standing
    return markdown_summary(Finished(verdicts, standing, 0, {}), _step(campaign, verdicts, standing, db))


def _junit(campaign: Campaign, verdicts: Verdicts, _: str) -> str:
    from thresher.run import Finished, junit_xml

    return junit_xml(Finished(verdicts, campaign.standing, 0, {}))


def _csv(_: Campaign, verdicts: Verdicts, __: str) -> str:
    from thresher.report import csv_lines

    rows = verdicts.to_dicts()
    return "".join(csv_lines(list(rows[0]), rows))


WRITERS: dict[str, Callable[[Campaign, Verdicts, str], str]] = {
    ".html": html_of,
    ".md": _markdown,
    ".csv": _csv,
    ".xml": _junit,
}
