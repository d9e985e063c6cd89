"""Pieces of model files in the pages; see snippets_test.sh."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

root, build = map(Path, sys.argv[1:])
PARAMETERS = "[parameters]\nthrust = 3\ngain = 2\nmu = 1\nwind = 4\n"


def blocks(page):
    return re.findall(r"^```toml\n(.*?)^```", (root / "docs" / page).read_text(encoding="utf-8"), re.M | re.S)


def body(name):
    return f'[[body]]\nname = "{name}"\nmass = 1\ninertia = [1, 1, 1]\n'


def joint(name, kind, child):
    axis = "axis = [0, 0, 1]\n" if kind == "revolute" else ""
    return f'[[joint]]\nname = "{name}"\ntype = "{kind}"\n{axis}parent = {{ body = "world" }}\nchild = {{ body = "{child}" }}\n'


def with_bodies(piece):
    """A joint of the page, with bodies for both of its sides."""
    parent, child = (re.search(side + r' = \{ body = "(\w+)"', piece).group(1) for side in ("parent", "child"))
    text = PARAMETERS + body(child)
    if parent != "world":
        text += body(parent) + joint("holder", "free", parent)
    return text + piece


def with_machine(piece):
    """A force of the page, on bodies and joints of the names it uses."""
    text = PARAMETERS
    for name in sorted(set(re.findall(r'body = "(\w+)"', piece)) | set(re.findall(r"(\w+)\.x\b", piece))):
        if name != "world":
            text += body(name) + joint(name + "_place", "free", name)
    for name in re.findall(r'^joint = "(\w+)"', piece, re.M):
        text += body("arm") + joint(name, "revolute", "arm")
    return text + piece


models = [("joints.md", with_bodies(piece)) for piece in blocks("joints.md")]
models += [("forces.md", with_machine(piece)) for piece in blocks("forces.md")]
models.append(("model-file.md", blocks("model-file.md")[0]))
problems = [] if len(models) >= 18 else [f"only {len(models)} pieces were found"]
for page, text in models:
    with tempfile.NamedTemporaryFile("w", suffix=".toml", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        answer = subprocess.run([build / "cartan", "check", file.name], capture_output=True, text=True)
        if answer.returncode != 0:
            problems.append(f"docs/{page}: {answer.stderr}in\n{text}")
for problem in problems:
    print(problem)
sys.exit(f"FAILED: {len(problems)} pieces" if problems else 0)
