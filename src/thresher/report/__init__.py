"""Tables and pictures, for simulations and campaigns alike.

A :class:`Line` is a name and its values, drawn by :func:`draw_curves` against budget into a file and by
:func:`terminal_picture` into the terminal; :func:`picture_path` checks beforehand whether a picture can be written.
A :class:`PlannedCurve` belongs to the plan of a budget, drawn by :func:`draw_plan`. A :class:`StoppingTime` is how long
a policy took until it stopped, drawn by :func:`draw_stopping_times`. :class:`Dots` are values by row, drawn by
:func:`draw_dots`; :func:`markdown_table` writes rows as Markdown, and :func:`frame_of` gives them to whichever
data-frame library is installed.
"""

from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.number_text import NONE, amount, chance, counted, duration, exact, figure, rate, signed
    from thresher.report.allocation import allocation_picture
    from thresher.report.arm_sentence import sentence_about
    from thresher.report.cells import cells_of
    from thresher.report.columns import (
        COLUMNS,
        DASHBOARD,
        MARKDOWN,
        MARKUP,
        NOTEBOOK,
        STRIP,
        View,
        numbers_of,
    )
    from thresher.report.csv_table import csv_lines
    from thresher.report.curves import curves_of, draw_curves, picture_path
    from thresher.report.decision_rows import HasSpending
    from thresher.report.decision_table import DecisionTable, ordered_table, some_of, table_of
    from thresher.report.decisions import (
        SIGNS,
        WORDS,
        bar_mark,
        bar_of,
        control_sentence,
        decided_clause,
        decided_counts,
        decision_cell,
        essence,
        exit_code,
        in_order,
        interval_cell,
        lead,
        leaning_counts,
        level_sentence,
        mistakes_sentence,
        passing_rule,
        rank_of,
        standing_of,
        these_items,
    )
    from thresher.report.dot_plot import Dots, draw_dots
    from thresher.report.flips import KEPT, flips_clause
    from thresher.report.frames import frame_of
    from thresher.report.item_view import item_view
    from thresher.report.judge_view import judge_view
    from thresher.report.judge_words import judge_note, judge_sentences, judge_warnings
    from thresher.report.latex import latex_table
    from thresher.report.loss_strips import loss_strips
    from thresher.report.markdown import markdown_table
    from thresher.report.method import method_of
    from thresher.report.next_step import is_spent, next_step
    from thresher.report.notebook import MOST_ROWS, notebook_progress, notebook_table
    from thresher.report.page import BIAS, CampaignPage, badge_of, breakable, html_page
    from thresher.report.panel_drawing import legend_svg, shares_legend, svg_of, write_pictures
    from thresher.report.panels import Line, Panel, Panels
    from thresher.report.picture_style import BLACK, BLUE, BROWN, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION, plotting
    from thresher.report.plan_picture import PlannedCurve, draw_plan
    from thresher.report.progress import progress_picture
    from thresher.report.quantile_words import quantile_name
    from thresher.report.running import running_picture
    from thresher.report.stopping_times import StoppingTime, draw_stopping_times
    from thresher.report.svg import span_of, without_outliers
    from thresher.report.terminal import terminal_picture
    from thresher.report.text_table import text_cell, text_table
    from thresher.report.text_terms import Measure, TextTerms
    from thresher.report.timeline import timeline_picture
    from thresher.report.verdict_picture import draw_verdicts
    from thresher.report.verdict_rows import Strips, distance
    from thresher.report.words import sentence_case, sentence_of

import_lazily(__name__)

__all__ = [
    "BIAS",
    "BLACK",
    "BLUE",
    "BROWN",
    "COLUMNS",
    "DASHBOARD",
    "GREEN",
    "GREY",
    "KEPT",
    "MARKDOWN",
    "MARKUP",
    "MOST_ROWS",
    "NONE",
    "NOTEBOOK",
    "ORANGE",
    "PURPLE",
    "SIGNS",
    "SKY",
    "STRIP",
    "VERMILION",
    "WORDS",
    "CampaignPage",
    "DecisionTable",
    "Dots",
    "HasSpending",
    "Line",
    "Measure",
    "Panel",
    "Panels",
    "PlannedCurve",
    "StoppingTime",
    "Strips",
    "TextTerms",
    "View",
    "allocation_picture",
    "amount",
    "badge_of",
    "bar_mark",
    "bar_of",
    "breakable",
    "cells_of",
    "chance",
    "control_sentence",
    "counted",
    "csv_lines",
    "curves_of",
    "decided_clause",
    "decided_counts",
    "decision_cell",
    "distance",
    "draw_curves",
    "draw_dots",
    "draw_plan",
    "draw_stopping_times",
    "draw_verdicts",
    "duration",
    "essence",
    "exact",
    "exit_code",
    "figure",
    "flips_clause",
    "frame_of",
    "html_page",
    "in_order",
    "interval_cell",
    "is_spent",
    "item_view",
    "judge_note",
    "judge_sentences",
    "judge_view",
    "judge_warnings",
    "latex_table",
    "lead",
    "leaning_counts",
    "legend_svg",
    "level_sentence",
    "loss_strips",
    "markdown_table",
    "method_of",
    "mistakes_sentence",
    "next_step",
    "notebook_progress",
    "notebook_table",
    "numbers_of",
    "ordered_table",
    "passing_rule",
    "picture_path",
    "plotting",
    "progress_picture",
    "quantile_name",
    "rank_of",
    "rate",
    "running_picture",
    "sentence_about",
    "sentence_case",
    "sentence_of",
    "shares_legend",
    "signed",
    "some_of",
    "span_of",
    "standing_of",
    "svg_of",
    "table_of",
    "terminal_picture",
    "text_cell",
    "text_table",
    "these_items",
    "timeline_picture",
    "without_outliers",
    "write_pictures",
]
