# Namespaces follow folders: what a file of src/FOLDER declares or defines stands in cartan::FOLDER
# (and namespaces in it). Found here:
#   - a namespace of another name that is opened; one of another folder may hold forward declarations;
#   - a name outside of all namespaces, but for main;
#   - a header that includes nothing of ours, core/folders.h not either: then names of the folders it
#     may use would have to be qualified in every file that starts with it.
# Of tests, benchmarks and reproduction/ the namespaces are test, bench and reproduction; those of
# derivations by hand (examples/derivations) may stand in that of what they test.
# usage: namespaces.py [FILE...], in the root of the tree; with files, only those
import pathlib, re, sys

from declarations import read

BESIDE = {"tests": "test", "bench": "bench", "reproduction": "reproduction"}
# Texts that are compiled by themselves (kernels of studies, FMUs), and programs against the public
# headers, or against other engines.
APART = re.compile(r"src/study/kernel/(?!sampling_functions)|src/codegen/fmi/runtime/|tests/(unit/api|outside)/|bench/peers/")
# Alone in a shared library with Ceres; core/dense.h has no names of ours.
ALONE = {"src/analysis/fits/ceres/minimiser.h", "src/core/dense.h"}
FORWARD = re.compile(r"\s*((template <[^;{]*>\s*)?(class|struct|enum class) \w+;\s*(//[^\n]*\s*)?)*")


def home(path):
    return path.parts[1] if path.parts[0] == "src" else BESIDE[path.parts[0]]


def opened(text):
    """Outermost namespaces: name, line, text inside."""
    depth = 0
    for m in re.finditer(r"^(?:inline )?namespace\s*([\w:]*) ?\{\n|^\}  // namespace[^\n]*", text, re.M):
        if m[0].startswith("}"):
            depth -= 1
            if depth == 0:
                yield name, line, text[start:m.start()]
            continue
        if depth == 0:
            name, line, start = m[1], text.count("\n", 0, m.start()) + 1, m.end()
        depth += 1


paths = [pathlib.Path(p) for p in sys.argv[1:]]
for folder in () if paths else ("src", *BESIDE):
    paths += sorted(p for p in pathlib.Path(folder).rglob("*") if p.suffix in (".h", ".cpp"))
problems, seen = [], 0
for path in paths:
    if APART.match(path.as_posix()) or len(path.parts) < 3 and path.parts[0] == "src":
        continue
    text = path.read_text()
    wanted = f"cartan::{home(path)}"
    for name, line, inside in opened(text):
        seen += 1
        ours = name == wanted or name.startswith(wanted + "::")
        if path.parts[0] != "src" and (not name.startswith("cartan") or name == "cartan::derivations"):
            continue  # a test may stand in none
        if not ours and name != "Eigen" and not (name.startswith("cartan::") and FORWARD.fullmatch(inside)):
            problems.append(f"{path}:{line}: namespace {name or '(unnamed)'}: expected {wanted}")
    if path.parts[0] != "src":
        continue
    for name, kind, signature, merged, _, line in read(path):
        if "::" not in name and name != "main":
            problems.append(f"{path}:{line}: the {kind} {name} stands in no namespace: expected {wanted}")
    if path.suffix == ".h" and path.as_posix() not in ALONE and not re.search(r'^\s*#include "', text, re.M):
        problems.append(f'{path}: a header that includes nothing of ours: expected #include "core/folders.h"')
print("\n".join(problems + [f"{seen} namespaces in {len(paths)} files, {len(problems)} problems"]))
if not seen:
    sys.exit("no namespace was seen")
sys.exit(bool(problems))
