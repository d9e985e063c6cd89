# One qualified name, one thing. The linker merges two types of one name (or two inline functions of
# one signature) without a word, and code made for one layout then works on the other. Found here:
#   - two definitions of a type, or two inline or template functions of one signature;
#   - a function of one signature declared in two headers;
#   - one name for things of different kinds (type, function, variable).
# Folders of src/ have namespaces of their own (namespaces.py), which the linker keeps apart; a reader
# does not, so their names are compared without the folder: cartan::lie::Motion with
# cartan::model::Motion. The public names, cartan::api, are meant to be those of what they stand for.
# A template that a header declares and its *_impl.h defines is one thing, and so are equal aliases.
# Checked: src/, include/, reproduction/, tests/support and examples/derivations together, and each other folder of tests and
# benchmarks with them. What stands in an unnamed namespace belongs to its file alone.
# usage: names.py [FILE...], in the root of the tree; with files, only those
import collections, pathlib, re, sys

from declarations import read

COMMON = ("src", "include", "reproduction", "tests/support", "examples/derivations")


def group(path):
    folder = path.parent.as_posix()
    return "" if folder.startswith(COMMON) else folder


def plain(path, name):
    """The name without the namespace of its folder of src/."""
    folder = path.parts[1] if path.parts[0] == "src" and len(path.parts) > 2 else "reproduction"
    return name if folder == "api" else re.sub(f"^cartan::{folder}::", "cartan::", name)


paths = [pathlib.Path(p) for p in sys.argv[1:]]
for folder in () if paths else ("src", "include", "reproduction", "tests", "bench", "examples/derivations"):
    paths += sorted(p for p in pathlib.Path(folder).rglob("*") if p.suffix in (".h", ".cpp"))
known = collections.defaultdict(list)
for path in paths:
    for name, *rest in read(path):
        known[plain(path, name)].append(rest)

problems = []
for name, entries in sorted(known.items()):
    for n, (kind, signature, merged, path, line) in enumerate(entries):
        for other_kind, other_signature, other_merged, other, other_line in entries[:n]:
            if other == path or (group(path) and group(other) and group(path) != group(other)):
                continue
            headers = path.suffix == ".h" and other.suffix == ".h"
            if kind != other_kind:
                what = f"'{name}' is a {kind} here and a {other_kind} there"
            elif kind == "function":
                behind = merged != other_merged and (path if merged else other).stem.endswith("_impl")
                if signature != other_signature or behind or not (headers or (merged and other_merged)):
                    continue
                what = f"the function '{name}({signature})' is declared here and there"
            elif merged and other_merged and not (signature and signature == other_signature):
                what = f"the {kind} '{name}' is defined here and there"
            else:
                continue
            problems.append(f"{path}:{line}: {what}, {other}:{other_line}; rename one of them")
print("\n".join(problems + [f"{len(known)} names in {len(paths)} files, {len(problems)} meant twice"]))
if not known:
    sys.exit("no declaration was seen")
sys.exit(bool(problems))
