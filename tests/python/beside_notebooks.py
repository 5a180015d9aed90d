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

    def test_results_and_tables_are_shown_as_pages(self):
        import nbformat
        from nbclient import NotebookClient

        begin = "import backwater as bw\nresult = bw.example('fig17-two-switches').run()\n"
        shown = ["result", "result.flows", "result.flows[:2]", "result.series['VC2']", "result.plots"]
        cells = [begin + "0", *shown]
        notebook = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, cells)))
        NotebookClient(notebook, timeout=120, extra_arguments=["--log-level=40"]).execute()
        data = [cell.outputs[0]["data"] for cell in notebook.cells[1:]]
        for page, wanted in zip(data, ["<svg", "<table>", "<table>", "more of", None], strict=True):
            if wanted:
                self.assertIn(wanted, page["text/html"])
        self.assertIn("<plots:", data[-1]["text/plain"])

    def test_a_notebook_completes_names(self):
        from ipykernel.ipkernel import IPythonKernel  # noqa: F401
        from IPython.core.completer import provisionalcompleter
        from IPython.core.interactiveshell import InteractiveShell

        import backwater as bw

        shell = InteractiveShell.instance()
        shell.user_ns["result"] = bw.example("fig17-two-switches").run()
        shell.user_ns["flows"] = shell.user_ns["result"].flows
        shell.user_ns["two"] = bw.example("fig17-two-switches")
        shell.Completer.use_jedi = False
        with provisionalcompleter():
            for text, wanted in [("result.fl", ".flows"), ('result["fl', "flows"),
                                 ("flows['thr", "throughput_mbps"), ('two["run.du', "run.duration"),
                                 ("two.uns", ".unset")]:  # fmt: skip
                found = [one.text for one in shell.Completer.completions(text, len(text))]
                self.assertTrue(any(wanted in one for one in found), (text, found))

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
