"""``thresher new``: begin a campaign."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thresher.cli.campaigns import DEFAULT, Database, Json

if TYPE_CHECKING:
    from thresher.live import Campaign

Name = Annotated[str, typer.Argument(help="What to call the campaign.")]
Arm = Annotated[list[str] | None, typer.Option("--arm", "-a", help="What is to be judged. Repeatable.")]
ArmsFile = Annotated[
    Path | None,
    typer.Option(
        "--arms", help="A CSV file with a column arm and, if wished, threshold, sigma, cost, pull_cost; or names."
    ),
]
Threshold = Annotated[float | None, typer.Option("--threshold", "-t", help="The bar, where the file has none.")]
Budget = Annotated[float, typer.Option("--budget", "-b", help="What may be spent, in the unit of the pull costs.")]
Family = Annotated[str, typer.Option("--family", help="bernoulli, bounded, gaussian or gaussian-unknown-variance.")]
Policy = Annotated[str, typer.Option("--policy", "-p", help="Which arm next, see 'thresher policies'.")]
Lease = Annotated[float, typer.Option("--lease", help="Seconds that a worker has before its ticket may go to another.")]
Expiry = Annotated[str, typer.Option("--expiry", help="reissue a unit whose lease ran out, or forfeit it.")]
Sigma = Annotated[float | None, typer.Option("--sigma", help="Standard deviation of gaussian outcomes.")]
Low = Annotated[float, typer.Option("--low", help="Least outcome of bounded ones.")]
High = Annotated[float, typer.Option("--high", help="Largest outcome of bounded ones.")]
StopPrice = Annotated[
    float, typer.Option("--stop-price", help="Stop once a measurement saves less than this; 0: never.")
]
StopMistakes = Annotated[
    float, typer.Option("--stop-mistakes", help="Stop once fewer mistakes are expected; 0: never.")
]
FalsePass = Annotated[float, typer.Option("--false-pass", help="What an arm wrongly called above costs.")]
FalseFail = Annotated[float, typer.Option("--false-fail", help="What an arm wrongly called below costs.")]
Abstain = Annotated[
    float, typer.Option("--abstain", help="Leave an arm open that is wrong with more than this chance.")
]
Confidence = Annotated[float, typer.Option("--confidence", help="Chance that an interval ever misses its mean.")]


def new(
    campaign: Name,
    budget: Budget,
    arm: Arm = None,
    arms: ArmsFile = None,
    threshold: Threshold = None,
    family: Family = "bernoulli",
    policy: Policy = "stopping",
    lease: Lease = 600.0,
    expiry: Expiry = "reissue",
    sigma: Sigma = None,
    low: Low = 0.0,
    high: High = 1.0,
    stop_price: StopPrice = 0.0,
    stop_mistakes: StopMistakes = 0.0,
    false_pass: FalsePass = 1.0,
    false_fail: FalseFail = 1.0,
    abstain: Abstain = 1.0,
    confidence: Confidence = 0.05,
    db: Database = DEFAULT,
    json: Json = False,
) -> None:
    """Begin a campaign.

    Example: thresher new coins --arm fair --arm bent --threshold 0.5 --budget 200
    """
    from thresher.live import Campaign

    terms: dict[str, Any] = {
        "family": family,
        "policy": policy,
        "lease": lease,
        "expiry": expiry,
        "low": low,
        "high": high,
    }
    terms |= {"stop_price": stop_price, "stop_mistakes": stop_mistakes, "abstain": abstain, "confidence": confidence}
    terms |= {"false_pass": false_pass, "false_fail": false_fail, "threshold": threshold, "sigma": sigma}
    _show(Campaign.create(db, campaign, arms=_arms(arm, arms), budget=budget, **terms), json=json)


def _arms(names: list[str] | None, file: Path | None) -> Any:
    if (names is None) == (file is None):
        raise typer.BadParameter("give arms by --arm, each once, or in a file by --arms")
    if file is None:
        return names
    from thresher.problem.arms_table import read_file

    return read_file(file)


def _show(campaign: Campaign, *, json: bool) -> None:
    from thresher.cli.show import answer, say

    standing = campaign.standing
    campaign.disconnect()
    if json:
        from json import dumps

        answer(dumps(standing.to_dict()))
        return
    answer(f"{standing.name}: {standing.arms} arms, a budget of {standing.budget:g}")
    say("Type 'thresher ask' for a ticket, and 'thresher tell TICKET OUTCOME' for what came out.")
