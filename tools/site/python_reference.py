#!/usr/bin/env python3
"""The reference page of the Python module, from the public headers and the docstrings of python/cartan.

usage: python_reference.py ROOT OUT.md
"""

import ast
import subprocess
import sys
import tempfile
from pathlib import Path

root, out = Path(sys.argv[1]), Path(sys.argv[2])
package = root / "python" / "cartan"


def text_of(node):
    return (ast.get_docstring(node) or "").strip()


def signature(node):
    """The words in brackets, without types."""
    a = node.args
    names = [each.arg for each in a.args if each.arg not in ("self", "model")]
    if a.vararg:
        names.append("*" + a.vararg.arg)
    elif a.kwonlyargs:
        names.append("*")
    names += [each.arg for each in a.kwonlyargs]
    return ", ".join(names + (["**" + a.kwarg.arg] if a.kwarg else []))


def with_examples(docstring):
    """Markdown: examples as code, the rest as it stands."""
    lines, inside = [], False
    for line in docstring.splitlines():
        code = line.startswith((">>>", "...")) or (inside and line.strip())
        if code != inside:
            lines += ["```pycon"] if code else ["```"]
            inside = code
        lines.append(line)
    return lines + (["```"] if inside else [])


def made_stubs():
    with tempfile.TemporaryDirectory() as folder:
        stub = Path(folder) / "stub.pyi"
        subprocess.run(
            [sys.executable, root / "python/tools/headers.py", root / "include/cartan", Path(folder) / "x.inc", stub, package / "model.py"],
            check=True,
        )
        return ast.parse(stub.read_text(encoding="utf-8"))


def example_of(name):
    for node in ast.parse((package / "model.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("_TOP", "_PENDULUM", "_DECAY", "_EXAMPLES"):
            exec(compile(ast.Module([node], []), "model.py", "exec"), examples)  # noqa: S102: our own text
    return examples["_EXAMPLES"].get(name, "")


examples = {}
stubs = made_stubs()
lines = ["# Python reference", "", "Made from the public headers and from the docstrings of `python/cartan`. [Python](python.md) is the guide.", ""]
for node in stubs.body:
    if not isinstance(node, ast.ClassDef) or node.name not in ("Model", "System"):
        continue
    lines += [f"## {node.name}", "", text_of(node), ""]
    for entry in node.body:
        if isinstance(entry, ast.FunctionDef) and not entry.name.startswith("__"):
            lines += [f"### {node.name}.{entry.name}", "", f"`{entry.name}({signature(entry)})`", "", text_of(entry), ""]
            if node.name == "Model" and example_of(entry.name):
                lines += ["```pycon", example_of(entry.name), "```", ""]

for path in (package / "builder.py", package / "viewing.py", package / "typeset.py", package / "results.py", package / "states.py", package / "adjoint.py", package / "symbols.py"):
    module = ast.parse(path.read_text(encoding="utf-8"))
    lines += [f"## cartan.{path.stem}", "", *with_examples(text_of(module)), ""]
    for node in module.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and text_of(node):
            name = node.name.lstrip("_")
            words = f"({signature(node)})" if isinstance(node, ast.FunctionDef) else ""
            lines += [f"### {name}", "", *([f"`{name}{words}`", ""] if words else []), *with_examples(text_of(node)), ""]

lines += ["## Records", "", "What functions give back; members are read-only, arrays are views.", ""]
for node in stubs.body:
    if isinstance(node, ast.ClassDef) and node.name not in ("Model", "System", "Problem"):
        lines += [f"### {node.name}", "", text_of(node), "", "| member | meaning |", "| --- | --- |"]
        for entry in node.body:
            if isinstance(entry, ast.FunctionDef) and entry.decorator_list:
                lines.append(f"| `{entry.name}` | {text_of(entry).replace('|', chr(92) + '|')} |")
        lines.append("")
out.write_text("\n".join(lines) + "\n", encoding="utf-8")
