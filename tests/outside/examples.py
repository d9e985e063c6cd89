"""Makes one program of all examples: those at the heads of the public headers, and those of docs/api.md.

usage: examples.py ROOT OUT.cpp
"""

import re
import sys
from pathlib import Path

root, out = Path(sys.argv[1]), Path(sys.argv[2])


def header_examples(path):
    """Blocks of the head comment that are indented by three spaces."""
    lines, blocks = [], []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[2:])
    for block in re.split(r"\n *\n", "\n".join(lines)):
        code = [line for line in block.splitlines() if line.startswith("   ")]
        if code and not all(line.strip().startswith("#include") for line in code):
            blocks.append("\n".join(code))
    return blocks


functions = []
for header in sorted((root / "include/cartan").glob("*.h")):
    for block in header_examples(header):
        functions.append((f"{header.name}", block))
page = (root / "docs/api.md").read_text(encoding="utf-8")
whole = []  # blocks that are programs by themselves
for block in re.findall(r"^```cpp\n(.*?)^```", page, re.M | re.S):
    if "int main" in block:
        whole.append(block)
    else:
        functions.append(("docs/api.md", block))
if len(functions) < 20 or not whole:
    sys.exit(f"FAILED: only {len(functions)} examples, {len(whole)} programs were found")

text = "#include <cartan/cartan.h>\n\n#include <atomic>\n#include <cstdio>\n#include <fstream>\n\n"
for k, (place, code) in enumerate(functions):
    text += f"// {place}\nstatic void example_{k}() {{\n{code}\n}}\n\n"
text += "int main() {\n"
for k, (place, _) in enumerate(functions):
    text += f'  std::puts("-- {place}");\n  example_{k}();\n'
out.write_text(text + '  std::puts("all examples ran");\n}\n', encoding="utf-8")
for k, code in enumerate(whole):
    out.with_name(f"program_{k}.cpp").write_text(code, encoding="utf-8")
