"""``thresher report``: a campaign as one file for people or for another program."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thresher.cli.campaigns import DEFAULT, Database, Json, Name, campaign_at

if TYPE_CHECKING:
    from thresher.live import Campaign

Out = Annotated[Path, typer.Option("--out", "-o", help="A file .html, .md, .csv or .xml (junit).")]
Pass = Annotated[str, typer.Option("--pass", help="above or below: on which side an arm passes, in .md and .xml.")]


def report(out: Out, campaign: Name = None, passes: Pass = "above", db: Database = DEFAULT, json: Json = False) -> None:
    """Write what is known of a campaign to one file: a page with pictures, a summary, a table, or junit XML.

    Example: thresher report coins --out coins.html
    """
    from json import dumps

    from thresher.cli.show import answer
    from thresher.errors import InvalidInputError

    if out.suffix.lower() not in WRITERS:
        raise typer.BadParameter(f"--out {str(out)!r}: give it a file {', '.join(WRITERS)}")
    if passes not in ("above", "below"):
        raise typer.BadParameter(f"--pass {passes!r}: give above or below")
    with campaign_at(db, campaign) as found:
        text = WRITERS[out.suffix.lower()](found, passes)
    try:
        out.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise InvalidInputError("--out", str(out), rule=f"cannot be written: {error.strerror}") from error
    answer(dumps({"campaign": found.name, "file": str(out)}) if json else f"The report is in {out}.")


def html_of(campaign: Campaign, passes: str = "above") -> str:  # noqa: ARG001
    """Return a campaign as a page that needs nothing but itself."""
    from datetime import UTC, datetime

    from thresher.live.overview import overview_of
    from thresher.live.trajectory import Trajectory
    from thresher.report.page import CampaignPage, html_page

    trajectory = Trajectory(campaign.terms)
    trajectory.catch_up(campaign.history)
    glance = overview_of(campaign.standing, campaign.verdicts(), trajectory.points)
    standing, verdicts = glance.standing, glance.verdicts
    return html_page(
        CampaignPage(
            name=standing.name,
            state=standing.status,
            budget=standing.budget,
            spent=standing.spent,
            outstanding=standing.outstanding,
            rows=verdicts,
            expected_mistakes=verdicts.expected_mistakes,
            points=glance.points,
            end=glance.end,
            warnings=verdicts.notes,
            terms=_terms(campaign),
            written=f"written {datetime.now(UTC):%Y-%m-%d %H:%M} UTC, as of event {standing.events:,}",
        )
    )


def _terms(campaign: Campaign) -> dict[str, str]:
    from thresher.report.words import share

    terms = campaign.terms
    return {
        "Outcomes": terms.family,
        "Policy": terms.policy,
        "An interval misses its mean": f"in at most {share(terms.confidence)} of all arms, at any time",
    }


def _markdown(campaign: Campaign, passes: str) -> str:
    from thresher.runner.run import Finished
    from thresher.runner.summaries import markdown_summary

    return markdown_summary(Finished(campaign.verdicts(), campaign.standing, 0, {}), passes=passes)


def _junit(campaign: Campaign, passes: str) -> str:
    from thresher.runner.run import Finished
    from thresher.runner.summaries import junit_xml

    return junit_xml(Finished(campaign.verdicts(), campaign.standing, 0, {}), passes=passes)


def _csv(campaign: Campaign, _: str) -> str:
    from thresher.report.csv_table import csv_lines

    rows = campaign.verdicts().to_dicts()
    return "".join(csv_lines(list(rows[0]), rows))


WRITERS: dict[str, Callable[[Campaign, str], str]] = {
    ".html": html_of,
    ".md": _markdown,
    ".csv": _csv,
    ".xml": _junit,
}
