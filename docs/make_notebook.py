"""Run notebook.ipynb in Jupyter, in an empty folder, and write what its cells show.

python docs/make_notebook.py            write it
python docs/make_notebook.py --check    exit with 1 where the notebook shows anything else
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import nbformat
from kept import keep
from nbclient import NotebookClient

PAGE = Path(__file__).with_name("notebook.ipynb")


def shown() -> str:
    """Return the notebook with the outputs of its cells, which must not fail."""
    notebook = nbformat.read(PAGE, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": folder}}
        )
        client.execute()
    for number, cell in enumerate(notebook.cells, start=1):
        cell.id = f"cell-{number}"
        cell.metadata.clear()  # when it was run
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook.metadata = nbformat.from_dict({"kernelspec": kernel})
    return nbformat.writes(notebook, version=4, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
    sys.exit(keep(PAGE, shown(), "make_notebook.py", check="--check" in sys.argv[1:]))
