"""Sentences on how well a judge agrees with the truth, for every surface."""

from __future__ import annotations

from thresher.inference import Agreement, ArmAgreement
from thresher.report.numbers import NO_BREAK

FEW = 30  # labels from which the question can be answered


def judge_sentences(found: Agreement) -> list[str]:
    """Return what is known of a judge: its agreement, what it leaves of the variance, and the labels that it saves."""
    if found.labels == 0 or found.value != found.value:
        return [f"{found.labels} answers have a score and an outcome: too few to say how well they agree."]
    if found.is_binary:
        first = (
            f"The judge agrees with the truth on {percent(found.value)} of {found.labels} answers "
            f"(95 % interval {percent(found.low)} to {percent(found.high)}; chance gives {percent(found.chance)})."
        )
    else:
        first = (
            f"Scores and outcomes of an arm correlate with {found.value:.2f} on {found.labels} answers "
            f"(95 % interval {found.low:.2f} to {found.high:.2f}; chance gives 0)."
        )
    shares = percent(found.share), percent(found.share_without)
    left = f"It leaves {shares[0]} of the variance of outcomes; without it {shares[1]} is left."
    return [first, left, _saved(found), answer_of(found)]


def judge_note(found: Agreement) -> list[str]:
    """Return one line on a judge for a list of notes; nothing before there are enough labels."""
    if found.labels < FEW or found.value != found.value:
        return []
    if found.is_binary:
        how = f"the judge agrees with the truth on {percent(found.value)} of {found.labels} answers"
    else:
        how = f"the scores of the judge correlate with outcomes by {found.value:.2f} on {found.labels} answers"
    low, high = (percent(end) if found.is_binary else f"{end:.2f}" for end in (found.low, found.high))
    return [f"{how} (95 % interval {low} to {high}); it saves {percent(found.saved)} of the labels"]


def _saved(found: Agreement) -> str:
    extra = round(found.labels * (found.share_without / found.share - 1.0))
    if extra < 1:
        return "It saves no labels so far."
    more = f"{extra} more label{'s' if extra > 1 else ''}"
    return f"The same precision without it would take about {more}: it saves {percent(found.saved)} of all labels."


def answer_of(found: Agreement) -> str:
    """Return the answer to the question whether a judge is good enough to be used."""
    if found.labels < FEW:
        return f"Is it good enough? Too early to say: wait for {FEW} labels."
    if found.is_chance:
        return "Is it good enough? No: it may agree no better than chance. It costs nothing, and saves nothing."
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
            f"the judge agrees with the truth on {percent(worst.agreement)} of the answers of {worst.arm!r} and on "
            f"{percent(best.agreement)} of those of {best.arm!r}: each arm has its own weight, so verdicts stay right, "
            f"but do not compare the scores of these arms"
        )
    return warnings


def percent(share: float) -> str:
    """Return a share in whole per cent."""
    return f"{100.0 * share:.0f}{NO_BREAK}%"


def _agreement(arm: ArmAgreement) -> float:
    return arm.agreement
