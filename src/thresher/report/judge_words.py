"""Sentences on how well a judge agrees with the truth, for every surface."""

from __future__ import annotations

from thresher.policy.agreement import Agreement, ArmAgreement

FEW = 30  # labels from which the question can be answered


def judge_sentences(found: Agreement) -> list[str]:
    """Return what is known of a judge: its agreement, what it leaves of the variance, and the labels that it saves."""
    if found.labels == 0 or found.value != found.value:
        return [f"{found.labels} answers have a score and an outcome: too few to say how well they agree."]
    if found.is_binary:
        first = (
            f"The judge agrees with the truth on {found.value:.0%} of {found.labels} answers "
            f"(95 % interval {found.low:.0%} to {found.high:.0%}; chance gives {found.chance:.0%})."
        )
    else:
        first = (
            f"Scores and outcomes of an arm correlate with {found.value:.2f} on {found.labels} answers "
            f"(95 % interval {found.low:.2f} to {found.high:.2f}; chance gives 0)."
        )
    left = f"It leaves {found.share:.0%} of the variance of outcomes; without it {found.share_without:.0%} are left."
    return [first, left, f"The same precision without it would take {_more(found)}.", answer_of(found)]


def judge_note(found: Agreement) -> list[str]:
    """Return one line on a judge for a list of notes; nothing before there are enough labels."""
    if found.labels < FEW or found.value != found.value:
        return []
    how = f"agrees with the truth on {found.value:.0%}" if found.is_binary else f"correlates by {found.value:.2f}"
    low, high = (f"{end:.0%}" if found.is_binary else f"{end:.2f}" for end in (found.low, found.high))
    return [f"the judge {how} of {found.labels} answers ({low} to {high}) and saves {found.saved:.0%} of the labels"]


def _more(found: Agreement) -> str:
    extra = found.labels * (found.share_without / found.share - 1.0)
    return f"about {max(extra, 0.0):.0f} more labels: it saves {found.saved:.0%} of them"


def answer_of(found: Agreement) -> str:
    """Return the answer to the question whether a judge is good enough to be used."""
    if found.labels < FEW:
        return f"Is it good enough? Too early to say: wait for {FEW} labels."
    if found.is_chance:
        return "Is it good enough? No: it may agree no better than chance. It costs nothing, and saves nothing."
    if found.saved < 0.05:
        return "Is it good enough? It agrees better than chance, but saves fewer than 5 % of the labels."
    return "Is it good enough? Yes, beside labels: verdicts stay about the truth, and need fewer of them."


def judge_warnings(found: Agreement) -> list[str]:
    """Return what a person should look into."""
    warnings = []
    if found.labels >= FEW and found.is_chance:
        warnings.append("the judge may agree with the truth no better than chance")
    if found.differs:
        known = [arm for arm in found.arms if arm.agreement == arm.agreement and arm.labels]
        worst, best = (choose(known, key=_agreement) for choose in (min, max))
        warnings.append(
            f"the judge agrees with the truth on {worst.agreement:.0%} of the answers of {worst.arm!r} and on "
            f"{best.agreement:.0%} of those of {best.arm!r}: each arm has its own weight, so verdicts stay right, but "
            f"do not compare the scores of these arms"
        )
    return warnings


def _agreement(arm: ArmAgreement) -> float:
    return arm.agreement
