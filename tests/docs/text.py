"""The form of the pages in docs/; see text_test.sh."""

import json
import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
problems = []
pages = sorted((root / "docs").rglob("*.md"))
if len(pages) < 25:
    problems.append(f"only {len(pages)} pages were found")
for page in pages:
    fenced = formula = False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        place = f"{page.relative_to(root)}:{number}"
        if line.lstrip().startswith("```"):
            fenced = not fenced
            continue
        if re.search(r"\b(source|document) 00[0-4]\b", line, re.I):
            problems.append(f"{place}: cites a source document by number; docs/bibliography.md has their names")
        if line.strip() == "$$":
            formula = not formula
        free = fenced or formula or line.startswith(("|", "    ", "!["))
        if len(line) >= 120 and not free:
            problems.append(f"{place}: {len(line)} columns")

settings = json.loads((root / "tools" / "site" / "gallery.json").read_text())
named = sorted(name for _, _, names in settings["groups"] for name in names)
found = sorted(path.stem for path in (root / "examples").glob("*.toml"))
if named != found:
    problems.append(f"tools/site/gallery.json and examples/ differ: {sorted(set(named) ^ set(found))}")

nav = (root / "tools" / "site" / "mkdocs.yml").read_text()
for page in pages:
    name = str(page.relative_to(root / "docs"))
    if f" {name}\n" not in nav:
        problems.append(f"docs/{name} is not in the navigation of tools/site/mkdocs.yml")

for problem in problems:
    print(problem)
sys.exit(f"FAILED: {len(problems)} problems" if problems else 0)
