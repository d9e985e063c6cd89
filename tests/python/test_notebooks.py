"""Every notebook of examples/notebooks runs from top to bottom, and what its cells show can be shown."""

import ast
import json
import os
import unittest
from pathlib import Path

import matplotlib.pyplot

matplotlib.use("agg")

FOLDER = Path(os.environ["CARTAN_ROOT"]) / "examples" / "notebooks"


def run_cell(source, names, file):
    """Executes a cell; the value of its last line, as a notebook shows it."""
    tree = ast.parse(source, file)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, file, "exec"), names)  # noqa: S102
    return eval(compile(ast.Expression(last.value), file, "eval"), names) if last else None  # noqa: S307


def show(value):
    """What a notebook would draw of it."""
    shown = [repr(value)]
    for kind in ("_repr_html_", "_repr_latex_"):
        if hasattr(value, kind):
            shown.append(getattr(value, kind)())
    return shown


class Notebooks(unittest.TestCase):
    def test_there_are_ten(self):
        self.assertGreaterEqual(len(list(FOLDER.glob("*.ipynb"))), 10)

    def test_they_are_kept_without_outputs(self):
        for path in FOLDER.glob("*.ipynb"):
            for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
                self.assertFalse(cell.get("outputs"), path.name)
                self.assertIsNone(cell.get("execution_count"), path.name)

    def test_every_cell_runs(self):
        here = os.getcwd()
        try:
            os.chdir(FOLDER)  # where Jupyter would run it
            for path in sorted(FOLDER.glob("*.ipynb")):
                names = {"__name__": "__main__"}
                for k, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
                    if cell["cell_type"] != "code":
                        continue
                    with self.subTest(notebook=path.name, cell=k):
                        value = run_cell("".join(cell["source"]), names, f"{path.name}, cell {k}")
                        for text in show(value):
                            self.assertNotIn("No picture", str(text)[:2000])
                matplotlib.pyplot.close("all")
        finally:
            os.chdir(here)

    def test_a_kernel_runs_one(self):
        """The same by Jupyter itself, where it is installed."""
        try:
            import nbclient
            import nbformat
        except ImportError:
            self.skipTest("nbclient is not installed")
        book = nbformat.read(FOLDER / "first_machine.ipynb", as_version=4)
        drawing = os.environ.pop("MPLBACKEND", None)  # the kernel has its own way
        self.addCleanup(lambda: drawing and os.environ.__setitem__("MPLBACKEND", drawing))
        client = nbclient.NotebookClient(book, timeout=120, resources={"metadata": {"path": str(FOLDER)}})
        client.execute()
        outputs = [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]
        kinds = {kind for output in outputs for kind in output.get("data", {})}
        self.assertLessEqual({"text/html", "image/png"}, kinds)


if __name__ == "__main__":
    unittest.main()
