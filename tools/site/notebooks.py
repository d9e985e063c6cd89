#!/usr/bin/env python3
"""Notebooks as pages of the gallery: text and code as they stand in the files; with --run also what they draw and show.

usage: notebooks.py [--run] NOTEBOOKS GALLERY      (after gallery.py: adds to its index)

--run: the cells are executed; Python must find the module (PYTHONPATH).
"""

import ast
import html
import json
import os
import sys
from pathlib import Path

run = "--run" in sys.argv
notebooks, gallery = (Path(word).resolve() for word in sys.argv[1:] if word != "--run")


def execute(source, names, file):
    """The value of a cell's last line."""
    tree = ast.parse(source, file)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, file, "exec"), names)  # noqa: S102: our own notebooks
    return eval(compile(ast.Expression(last.value), file, "eval"), names) if last else None  # noqa: S307


def shown(value, name):
    """Lines of Markdown for a value: formulas, text, pictures; pages of the viewer are left to Jupyter."""
    import matplotlib.pyplot

    lines = []
    figures = [matplotlib.pyplot.figure(number) for number in matplotlib.pyplot.get_fignums()]
    for k, figure in enumerate(figures):
        figure.savefig(gallery / f"{name}_{k}.svg")
        lines += [f"![what this cell draws]({name}_{k}.svg)", ""]
    matplotlib.pyplot.close("all")
    latex = value._repr_latex_() if hasattr(value, "_repr_latex_") else None
    if latex:
        lines += ["$$", latex.strip("$"), "$$", ""]
    elif value is not None and not figures and not hasattr(value, "_repr_html_"):
        lines += ["```text", repr(value), "```", ""]
    return lines


cards = []
for path in sorted(notebooks.glob("*.ipynb")):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells]
    title = texts[0].splitlines()[0].lstrip("# ")
    about = " ".join(texts[0].split("\n\n")[1].split()) if "\n\n" in texts[0] else ""
    lines, names, picture = [], {"__name__": "__main__"}, ""
    os.chdir(notebooks)  # where Jupyter runs them
    for k, (cell, text) in enumerate(zip(cells, texts)):
        lines += [text, ""] if cell["cell_type"] == "markdown" else ["```python", text, "```", ""]
        if k == 0:
            lines += ["```sh", f"./cartan notebook examples/notebooks/{path.name}", "```", ""]
        if run and cell["cell_type"] == "code":
            drawn = shown(execute(text, names, path.name), f"notebook_{path.stem}_{k}")
            lines += drawn
            if not picture and drawn and drawn[0].startswith("!["):
                picture = f'<img src="notebook_{path.stem}_{k}_0.svg" alt="">'
    lines += ["[All examples](index.md)", ""]
    (gallery / f"notebook_{path.stem}.md").write_text("\n".join(lines), encoding="utf-8")
    cards.append(
        f'<a href="notebook_{path.stem}.html">{picture}<b>{html.escape(title)}</b><span>{html.escape(about[:200])}</span></a>'
    )
index = gallery / "index.md"
group = ["## Notebooks", "", "Derivations and computations in Python, cell by cell.", "", '<div class="gallery">', *cards, "</div>", ""]
index.write_text(index.read_text(encoding="utf-8") + "\n".join(group), encoding="utf-8")
