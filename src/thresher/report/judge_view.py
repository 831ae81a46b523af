"""A judge against the truth, for a page: sentences, a picture of all arms, and a table of its agreement on each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from thresher.inference import Agreement, ArmAgreement
from thresher.number_text import counted, figure, rate, whole_percent
from thresher.report.decision_table import shortened
from thresher.report.judge_words import judge_sentences, judge_warnings
from thresher.report.svg import Scale, axis_below, axis_left, overlap, picture, span_of, tag, text
from thresher.report.words import sentence_of

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 400, 56, 24, 36, 48
MOST_NAMED = 12  # arms whose names are in the picture
LONGEST = 18  # characters of a name
LETTER = 7.0  # pixels of a character


def judge_view(found: Agreement) -> str:
    """Return the agreement of a judge as markup.

    The picture has a dot for each arm: its mean score against its mean outcome, on the answers that have both. Dots on
    the line are arms of which the judge has the right mean; a judge need not be right there to save labels.
    """
    warnings = [sentence_of(warning) for warning in judge_warnings(found)]
    words = "".join(tag("p", escape(each)) for each in [*judge_sentences(found), *warnings])
    arms = [arm for arm in found.arms if arm.labels]
    if not arms:
        return words
    caption = "Judge against truth: mean score and mean outcome of each arm, on answers that have both"
    drawn = tag("div", judge_picture(found, arms), class_="scroll large", tabindex=0, role="region", aria_label=caption)
    return f"{words}<figure><figcaption>{caption}</figcaption>{drawn}</figure>{_table(found, arms)}"


def judge_picture(found: Agreement, arms: Sequence[ArmAgreement]) -> str:
    """Return the picture of all arms with labels."""
    ends = [value for arm in arms for value in (arm.score, arm.outcome)]
    low, high = (0.0, 1.0) if found.is_binary else span_of(ends)
    across = Scale(low, high, LEFT, WIDTH - RIGHT)
    up = Scale(low, high, HEIGHT - BOTTOM, TOP)
    parts = [
        axis_left(up, LEFT, WIDTH - RIGHT, "mean outcome"),
        axis_below(across, HEIGHT - BOTTOM, "mean score of the judge"),
        tag("line", x1=across.start, x2=across.end, y1=up.start, y2=up.end, class_="axis"),
    ]
    for arm in arms:
        x, y = across(arm.score), up(arm.outcome)
        says = f"{arm.arm}: mean score {figure(arm.score, 3)}, mean outcome {figure(arm.outcome, 3)}"
        title = tag("title", escape(f"{says}, {arm.labels} answers"))
        parts.append(tag("circle", title, cx=x, cy=y, r=4, class_="cells"))
    places = {arm.arm: (across(arm.score), up(arm.outcome)) for arm in arms}
    parts += _names(places) if len(arms) <= MOST_NAMED else []
    label = f"Mean score of the judge against mean outcome of {counted(len(arms), 'arm')}."
    return picture("".join(parts), width=WIDTH, height=HEIGHT, label=label)


def _names(places: Mapping[str, tuple[float, float]]) -> list[str]:
    """Return the names of arms at one side of their dots, where they overlap neither each other nor a dot."""
    taken = [(x - 4.0, y - 4.0, x + 4.0, y + 4.0) for x, y in places.values()]
    names = []
    for arm, (x, y) in places.items():
        name = shortened(arm, LONGEST)
        wide = LETTER * len(name)
        for left, start, anchor in ((x - 8.0 - wide, x - 8.0, "end"), (x + 8.0, x + 8.0, "start")):
            box = (left, y - 15.0, left + wide, y - 3.0)
            if left >= LEFT and left + wide <= WIDTH and not any(overlap(box, other) for other in taken):
                taken.append(box)
                names.append(text(name, start, y - 4, anchor=anchor, class_="tick"))
                break
    return names


def _table(found: Agreement, arms: Sequence[ArmAgreement]) -> str:
    """Return the agreement on each arm with its interval; the worst first."""
    agreement = ["Agreement", "95 % interval"] if found.is_binary else []
    heads = ["Arm", "Answers", "Mean score", "Mean outcome", *agreement]
    first = "".join(tag("th", escape(head), scope="col", class_="n" if i else "") for i, head in enumerate(heads))
    rows, show = [], rate if found.is_binary else figure
    for arm in sorted(arms, key=lambda arm: arm.agreement if found.is_binary else arm.slope):
        cells = [f"{arm.labels:,}", show(arm.score), show(arm.outcome)]
        if found.is_binary:
            cells += [whole_percent(arm.agreement), f"{whole_percent(arm.low)} to {whole_percent(arm.high)}"]
        name = tag("th", tag("bdi", escape(arm.arm)), scope="row", class_="name")
        numbers = zip(heads[1:], cells, strict=True)
        drawn = (tag("td", escape(cell), class_="n", data_label=head.lower()) for head, cell in numbers)
        rows.append(tag("tr", name + "".join(drawn)))
    table = tag("table", tag("thead", tag("tr", first)) + tag("tbody", "".join(rows)))
    return tag("div", table, class_="scroll", tabindex=0, role="region", aria_label="Table of the judge's agreement")
