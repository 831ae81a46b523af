"""The notebooks run in a real kernel, and show summaries, tables and a progress bar."""

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.support.checkout import CHECKOUT

NOTEBOOKS = CHECKOUT / "examples" / "notebooks"


def executed(notebook: Any, folder: Path) -> Any:
    """Return a notebook after all of its cells have run."""
    NotebookClient(
        notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    ).execute()
    return notebook


def shown(notebook: Any, kind: str) -> list[str]:
    """Return what its cells show, of one kind."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    if kind == "text":
        return [output.text for output in outputs if output.output_type == "stream" and output.name == "stdout"]
    return [output.data[kind] for output in outputs if kind in output.get("data", {})]


@pytest.mark.nightly
def test_the_evaluation(tmp_path: Path) -> None:
    done = executed(nbformat.read(NOTEBOOKS / "evaluation.ipynb", as_version=4), tmp_path)
    result, campaign = [text for text in shown(done, "text/html") if "<table>" in text]
    assert result.startswith('<div class="thresher-output"><p>At budget 2,400 stopping has the least mean loss: ')
    assert " undecided (" in campaign.partition("</p>")[0]
    assert campaign.count("<td>model ") == 12
    compared, ended = shown(done, "text")
    assert "of the variance of the answers" in ended
    assert compared.count("mistakes (") == 3
    assert " of 12 verdicts are wrong; 1200 of 4800 answers were needed" in ended


@pytest.mark.nightly
def test_a_policy_against_the_league(tmp_path: Path) -> None:
    done = executed(nbformat.read(NOTEBOOKS / "own_policy.ipynb", as_version=4), tmp_path)
    result, plan = [text for text in shown(done, "text/html") if "<table>" in text]  # a slow machine shows progress too
    assert result.startswith('<div class="thresher-output"><p>At budget 400 ')
    assert result.count("<td>thompson</td>") == 3
    (latex,) = [text for text in shown(done, "text") if "tabular" in text]
    assert r"\toprule" in latex
    assert "× fewer measurements than even sampling" in plan
    assert "thompson" not in plan


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_is_stored_with_its_outputs(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert path.stat().st_size < 400_000
    assert any('class="strip"' in text for text in shown(notebook, "text/html"))
    assert len(shown(notebook, "image/png")) == 2
    assert not [
        output for cell in notebook.cells for output in cell.get("outputs", []) if output.output_type == "error"
    ]
    counts = [cell.execution_count for cell in notebook.cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))  # run once, from top to bottom


def test_a_kernel_shows_a_progress_bar_and_removes_it(tmp_path: Path) -> None:
    setup = (
        "from thresher.report import notebook\nnotebook.PATIENCE = -1.0\nbar = notebook.notebook_progress('Working')\n"
    )
    cells = [f"{setup}bar(1, 4)", f"{setup}bar(1, 4)\nbar(4, 4)"]
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    during, after = shown(executed(made, tmp_path), "text/html")
    assert during.startswith('<p>Working <progress max="4" value="1"></progress> 1 of 4, about ')
    assert after == ""
