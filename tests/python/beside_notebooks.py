"""The notebooks run from the first cell to the last, in kernels of Jupyter; each draws something.

What they found is kept in `runs/python/notebooks/`, from where the site shows it.
"""

import importlib.util
import pathlib
import unittest
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
EXECUTED = ROOT / "runs/python/notebooks"
NEEDED = ("ipykernel", "ipywidgets", "matplotlib", "nbclient", "pandas")


@unittest.skipUnless(all(map(importlib.util.find_spec, NEEDED)), "without Jupyter")
class Notebooks(unittest.TestCase):
    """All of them."""

    def executed(self, path):
        """With the outputs of its cells."""
        import nbformat
        from nbclient import NotebookClient

        notebook = nbformat.read(path, 4)
        # In a folder of its own: it must find all it needs in the package.
        EXECUTED.mkdir(parents=True, exist_ok=True)
        resources = {"metadata": {"path": str(EXECUTED)}}
        quiet = ["--log-level=40"]
        NotebookClient(notebook, timeout=120, resources=resources, extra_arguments=quiet).execute()
        nbformat.write(notebook, EXECUTED / path.name)
        return notebook

    def test_they_run_and_draw(self):
        self.assertEqual(len(NOTEBOOKS), 6)
        # Kernels take long to start and little to run.
        with ThreadPoolExecutor(3) as some:
            executed = list(some.map(self.executed, NOTEBOOKS))
        for path, notebook in zip(NOTEBOOKS, executed):
            with self.subTest(path.stem):
                cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
                outputs = [output for cell in cells for output in cell.outputs]
                drawn = [output for output in outputs if "image/png" in output.get("data", {})]
                self.assertTrue(drawn, "no figure")

    def test_a_cell_that_fails_is_seen(self):
        import nbformat
        from nbclient.exceptions import CellExecutionError

        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 / 0")])
        EXECUTED.mkdir(parents=True, exist_ok=True)
        broken = EXECUTED / "broken.ipynb"
        nbformat.write(notebook, broken)
        try:
            with self.assertRaisesRegex(CellExecutionError, "ZeroDivisionError"):
                self.executed(broken)
        finally:
            broken.unlink()

    def test_they_are_stored_without_outputs(self):
        import nbformat

        for path in NOTEBOOKS:
            for cell in nbformat.read(path, 4).cells:
                self.assertFalse(cell.get("outputs"), path.stem)


if __name__ == "__main__":
    unittest.main()
