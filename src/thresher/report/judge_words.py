"""Sentences on how well a judge agrees with the truth, for every surface."""

from __future__ import annotations

from thresher.inference import Agreement, ArmAgreement
from thresher.number_text import counted, figure, whole_percent

FEW = 30  # labels from which the question can be answered


def judge_sentences(found: Agreement) -> list[str]:
    """Return sentences on a judge: its agreement, the variance that it leaves, and the labels that it saves."""
    if found.labels == 0 or found.value != found.value:
        return [f"{found.labels} answers have a score and an outcome: too few to say how well they agree."]
    if found.is_binary:
        first = (
            f"The judge agrees with the truth on {whole_percent(found.value)} of {found.labels} answers "
            f"(95 % interval {whole_percent(found.low)} to {whole_percent(found.high)}; "
            f"chance gives {whole_percent(found.chance)})."
        )
    else:
        first = (
            f"Scores and outcomes of an arm correlate with {figure(found.value)} on {found.labels} answers "
            f"(95 % interval {figure(found.low)} to {figure(found.high)}; chance gives 0)."
        )
    shares = whole_percent(found.share), whole_percent(found.share_without)
    left = f"It leaves {shares[0]} of the variance of outcomes; without it {shares[1]} is left."
    return [first, left, _saved(found), answer_of(found)]


def judge_note(found: Agreement) -> list[str]:
    """Return one line on a judge for a list of notes; nothing before there are enough labels."""
    if found.labels < FEW or found.value != found.value:
        return []
    if found.is_binary:
        how = f"the judge agrees with the truth on {whole_percent(found.value)} of {found.labels} answers"
    else:
        how = f"the scores of the judge correlate with outcomes by {figure(found.value)} on {found.labels} answers"
    low, high = (whole_percent(end) if found.is_binary else figure(end) for end in (found.low, found.high))
    saved = f"for the same precision it saves {whole_percent(found.saved)} of the labels"
    return [f"{how} (95 % interval {low} to {high}); {saved}"]


def _saved(found: Agreement) -> str:
    extra = round(found.labels * (found.share_without / found.share - 1.0))
    if extra < 1:
        return "It saves no labels so far."
    more, saved = counted(extra, "more label"), whole_percent(found.saved)
    return f"The same precision without it would take about {more}: it saves {saved} of all labels."


def answer_of(found: Agreement) -> str:
    """Return the answer to the question whether a judge is good enough to be used."""
    if found.labels < FEW:
        return f"Is it good enough? Too early to say: wait for {FEW} labels."
    if found.is_chance:
        return (
            "Is it good enough? No: it may agree no better than chance, and what it seems to save may be chance, too."
        )
    if found.saved < 0.05:
        return "Is it good enough? It agrees better than chance, but saves fewer than 5 % of the labels."
    return "Is it good enough? Yes, together with labels: verdicts stay about the truth, and need fewer of them."


def judge_warnings(found: Agreement) -> list[str]:
    """Return what a person should look into."""
    warnings = []
    if found.labels >= FEW and found.is_chance:
        warnings.append("the judge may agree with the truth no better than chance")
    if found.differs:
        known = [arm for arm in found.arms if arm.agreement == arm.agreement and arm.labels]
        worst, best = (choose(known, key=_agreement) for choose in (min, max))
        warnings.append(
            f"the judge agrees with the truth on {whole_percent(worst.agreement)} of the answers of {worst.arm!r} "
            f"and on {whole_percent(best.agreement)} of those of {best.arm!r}: each arm has its own weight, so "
            f"verdicts stay right, but do not compare the scores of these arms"
        )
    return warnings


def _agreement(arm: ArmAgreement) -> float:
    return arm.agreement
