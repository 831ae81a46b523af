"""Run the notebooks of the examples and store them with their outputs: ``python tools/run_notebooks.py``.

Readers on a code host then see the tables and pictures without running anything.
"""

import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).resolve().parents[1] / "examples" / "notebooks"


def _is_passing(output: nbformat.NotebookNode) -> bool:
    """Return whether an output is a message on standard error or what is left of a progress bar."""
    return output.get("name") == "stderr" or (output.output_type == "display_data" and not output.data.get("image/png"))


def main() -> None:
    """Run each notebook in an empty folder; what it prints on standard error is not stored."""
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
        with tempfile.TemporaryDirectory() as folder:
            NotebookClient(notebook, timeout=600, resources={"metadata": {"path": folder}}).execute()
        for cell in notebook.cells:
            cell.metadata.pop("execution", None)  # times
            if "outputs" in cell:
                cell.outputs = [output for output in cell.outputs if not _is_passing(output)]
        notebook.metadata.language_info = {"name": "python"}
        nbformat.write(notebook, path)  # type: ignore[no-untyped-call]
        print(path.name)


if __name__ == "__main__":
    main()
