"""Decisions on the terminal."""

from typing import Any

import pytest

from thresher.campaign import Campaign, Standing, Verdicts
from thresher.campaign.storage import MemoryStorage
from thresher.cli.decisions import next_step_of, show_decisions
from thresher.policy import Offer


@pytest.fixture
def judged() -> tuple[Verdicts, Standing]:
    """What is known of thirty arms with long names, some decided, some not."""
    names = [f"model-{i:02}/temperature=0.{i % 10}/system-prompt-{i:02}" for i in range(30)]
    terms: dict[str, Any] = {"family": "gaussian-unknown-variance", "unit": "s", "passes": "below"}
    campaign = Campaign.create(MemoryStorage(), "prompts", arms=names, threshold=0.0077, budget=90, **terms)
    for i, name in enumerate(names):
        for k in range(3):
            value = 0.004 + 0.0002 * i + 0.0001 * k
            campaign.tell_counts(name, n=1, total=value, squares=value * value)
    return campaign.verdicts(), campaign.standing


@pytest.mark.parametrize("columns", [60, 80, 100, 200])
def test_no_line_is_wider_than_the_terminal_and_no_word_is_broken(
    judged: tuple[Verdicts, Standing],
    columns: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    show_decisions(*judged, step="Nothing left to do.", all_rows=True)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= columns
    rows = [line for line in lines if line.startswith("model-")]
    assert len(rows) == 30
    assert all(any(word in row for word in ("✔ pass", "✘ fail", "leaning", "too close to call")) for row in rows)
    assert all(row.rstrip().endswith("%") for row in rows) or columns == 60
    assert all(" to " in row or "–" in row for row in rows), "the interval is kept"
    assert "inf" not in "".join(rows)
    assert "Bar: at most 7.7 ms." in " ".join(lines)


def test_what_to_type_next_names_the_database_but_no_password(judged: tuple[Verdicts, Standing]) -> None:
    verdicts, standing = judged
    verdicts = Verdicts(list(verdicts), said=verdicts.said, offer=lambda: Offer(40.0, 1.0, 1))
    assert "--db sqlite:///x.db)" in next_step_of(verdicts, standing, "sqlite:///x.db")
    assert "secret" not in next_step_of(verdicts, standing, "postgresql://me:secret@host/db")
    assert "--db" not in next_step_of(verdicts, standing, "sqlite:///thresher.db")
