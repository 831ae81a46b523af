"""Tables and the progress bar of notebooks."""

from typing import Any

from thresher.report.notebook import PATIENCE, NotebookBar, notebook_progress, notebook_table


class Screen:
    """Stands for IPython's display: keeps what is shown and updated."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def __call__(self, thing: Any, *, display_id: bool) -> "Screen":
        assert display_id
        self.update(thing)
        return self

    def update(self, thing: Any) -> None:
        self.shown.append(thing._repr_html_())


def test_a_table_begins_with_its_summary_and_escapes_everything() -> None:
    shown = notebook_table("a < b", ["<arm>"], [["<x>"]], ["<note>"])
    assert shown.startswith('<div class="thresher-output"><p>a &lt; b</p><table>')
    for text in ("<th>&lt;arm&gt;</th>", "<td>&lt;x&gt;</td>", "<p>&lt;note&gt;</p>"):
        assert text in shown


def test_strips_are_a_column_of_their_own() -> None:
    shown = notebook_table("", ["arm", "mean"], [["a", "1"], ["b", "2"]], strips=["<svg>1</svg>", "<svg>2</svg>"])
    assert "<th>arm</th><th></th><th>mean</th>" in shown
    assert "<td>b</td><td><svg>2</svg></td><td>2</td>" in shown
    worded = notebook_table("", ["arm", "decision"], [["a", "pass"]], strips=["<svg>1</svg>"], words=2)
    assert '<td>a</td><td><svg>1</svg></td><td class="words">pass</td>' in worded


def test_a_long_table_is_cut() -> None:
    shown = notebook_table("", ["arm"], [[str(i)] for i in range(130)])
    assert shown.count("<td>") == 100
    assert "<p>… and 30 more</p>" in shown


def test_a_bar_appears_late_says_the_time_left_and_goes() -> None:
    now, screen = [0.0], Screen()
    bar = NotebookBar("Simulating", screen, clock=lambda: now[0])
    bar(0, 10)
    now[0] = 0.5 * PATIENCE
    bar(1, 10)
    assert screen.shown == []
    now[0] = 2.0 * PATIENCE
    bar(4, 10)
    bar(10, 10)
    assert len(screen.shown) == 2
    assert 'value="4"' in screen.shown[0]
    assert f"4 of 10, about {2.0 * PATIENCE * 6 / 4:.0f} s left" in screen.shown[0]
    assert screen.shown[1] == ""


def test_a_short_job_shows_no_bar() -> None:
    screen = Screen()
    bar = NotebookBar("Simulating", screen, clock=lambda: 0.0)
    bar(0, 2)
    bar(2, 2)
    assert screen.shown == []


def test_outside_a_notebook_there_is_no_bar() -> None:
    assert notebook_progress("Simulating") is None
