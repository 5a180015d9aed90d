"""The notebooks run from the first cell to the last, in kernels of Jupyter; each draws something.

What they found is kept in `runs/python/notebooks/`, from where the site shows it.
"""

import importlib.util
import pathlib
import unittest
from concurrent.futures import ThreadPoolExecutor
from textwrap import dedent

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

    def test_the_law_of_figure_17_holds_and_is_near(self):
        """No circuit exceeds the dashed line; one of N3 alone would be exceeded."""
        import nbformat
        from nbclient.exceptions import CellExecutionError

        notebook = nbformat.read(ROOT / "notebooks/kung-figure-17.ipynb", 4)
        held = """
        pairs = [(n3, rate, most) for name in rates
                 for n3, rate, most in zip(sizes, rates[name], law)]
        assert len(pairs) == 4 * len(sizes)
        assert all(rate <= most for _, rate, most in pairs), pairs
        near = [rate / most for n3, rate, most in pairs if n3 <= 40]
        assert min(near) > 0.8, near
        """
        wrong = "assert all(rate <= n3 / round_trip * link for n3, rate, _ in pairs)"
        EXECUTED.mkdir(parents=True, exist_ok=True)
        copy = EXECUTED / "law.ipynb"
        for check, is_held in [(held, True), (held + "\n        " + wrong, False)]:
            notebook.cells = notebook.cells[:6] + [nbformat.v4.new_code_cell(dedent(check))]
            nbformat.write(notebook, copy)
            try:
                if is_held:
                    self.executed(copy)
                else:
                    with self.assertRaisesRegex(CellExecutionError, "AssertionError"):
                        self.executed(copy)
            finally:
                copy.unlink()

    def test_they_are_stored_without_outputs(self):
        import nbformat

        for path in NOTEBOOKS:
            for cell in nbformat.read(path, 4).cells:
                self.assertFalse(cell.get("outputs"), path.stem)


if __name__ == "__main__":
    unittest.main()
