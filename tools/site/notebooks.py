#!/usr/bin/env python3
"""Notebooks as pages of the gallery: text and code as they stand in the files.

usage: notebooks.py NOTEBOOKS GALLERY      (after gallery.py: adds to its index)
"""

import html
import json
import sys
from pathlib import Path

notebooks, gallery = map(Path, sys.argv[1:])
cards = []
for path in sorted(notebooks.glob("*.ipynb")):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells]
    title = texts[0].splitlines()[0].lstrip("# ")
    about = " ".join(texts[0].split("\n\n")[1].split()) if "\n\n" in texts[0] else ""
    lines = []
    for cell, text in zip(cells, texts):
        lines += [text, ""] if cell["cell_type"] == "markdown" else ["```python", text, "```", ""]
        if len(lines) == 2:
            lines += ["```sh", f"./cartan notebook examples/notebooks/{path.name}", "```", ""]
    lines += ["[All examples](index.md)", ""]
    (gallery / f"notebook_{path.stem}.md").write_text("\n".join(lines), encoding="utf-8")
    cards.append(f'<a href="notebook_{path.stem}.html"><b>{html.escape(title)}</b><span>{html.escape(about[:200])}</span></a>')
index = gallery / "index.md"
group = ["## Notebooks", "", "Derivations and computations in Python, cell by cell.", "", '<div class="gallery">', *cards, "</div>", ""]
index.write_text(index.read_text(encoding="utf-8") + "\n".join(group), encoding="utf-8")
