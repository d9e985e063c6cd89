#!/usr/bin/env python3
"""Makes the bindings and the type stubs from the public headers, so that no name stands in two places.

usage: headers.py INCLUDE_FOLDER OUT.inc OUT.pyi [MODEL.py]

MODEL.py (python/cartan/model.py) tells which options methods of Model take without a name.

Read are the headers of include/cartan, which keep to one style: every struct is a record of plain members or, where
its name ends in `Options`, a list of options; every function that takes a Model and options does the work of a
command. Comments become docstrings.
"""

import ast
import keyword
import re
import sys
from pathlib import Path

HAND_WRITTEN = {"Watch", "Model", "Error", "Problem"}  # in bindings/*.cpp
PYTHON_NAME = {"follow": "continue_"}  # `continue` is a word of C++ and of Python


def split_type(declaration):
    """"std::array<double, 3> a, b = {}" -> ("std::array<double, 3>", ["a", "b"])"""
    depth = 0
    for i, letter in enumerate(declaration):
        depth += letter == "<"
        depth -= letter == ">"
        if letter == " " and depth == 0 and not declaration[:i].endswith("const"):
            break
    kind, rest, names, depth, begin = declaration[:i], declaration[i + 1 :], [], 0, 0
    for k, letter in enumerate(rest + ","):
        depth += letter in "<{("
        depth -= letter in ">})"
        if letter == "," and depth == 0:
            names.append(re.match(r"\s*(\w+)", rest[begin:k]).group(1))
            begin = k + 1
    return kind, names


def read_members(body):
    """The members of a struct with the comments beside them."""
    members, statement, note, braces = [], "", "", 0
    for line in body.splitlines():
        code, _, comment = line.partition("//")
        if not code.strip():
            if members and not statement and comment and line.startswith("   " * 5):  # a comment goes on
                members[-1][2] = (members[-1][2] + " " + comment.strip()).strip()
            continue
        statement = (statement + " " + code.strip()).strip()
        note = (note + " " + comment.strip()).strip()
        if not statement.endswith(";"):
            continue
        if "(" not in statement and not re.match(r"(enum|struct|using|friend|private|public)\b", statement):
            kind, names = split_type(statement.rstrip(";").strip())
            members += [[kind, name, note] for name in names]
        statement, note = "", ""
    return members


def comment_before(text, at):
    lines = []
    for line in reversed(text[:at].rstrip("\n").split("\n")):
        if not line.startswith("//"):
            break
        lines.insert(0, line[2:].strip())
    return " ".join(lines)


class Header:
    def __init__(self, path):
        text = path.read_text(encoding="utf-8")
        self.records, self.enums, self.functions = [], [], []
        for match in re.finditer(r"^struct (\w+) \{\n(.*?)^\};", text, re.M | re.S):
            self.records.append((match.group(1), comment_before(text, match.start()), read_members(match.group(2))))
        for match in re.finditer(r"^enum class (\w+) \{\n(.*?)^\};", text, re.M | re.S):
            self.enums.append((match.group(1), re.findall(r"^\s+(\w+),", match.group(2), re.M)))
        flat = re.sub(r"\n +", " ", text)
        for match in re.finditer(
            r"^CARTAN_API (\S.*?) (\w+)\(const Model& model, const (\w+)Options& options(?: = \{\})?\);", flat, re.M
        ):
            self.functions.append((*match.groups(), comment_before(flat, match.start())))


def python_type(kind):
    kind = kind.replace("const ", "")
    simple = {"std::string": "str", "double": "float", "bool": "bool", "int": "int", "long": "int", "void": "None"}
    if kind in simple:
        return simple[kind]
    if kind in ("std::vector<NamedNumber>",):
        return "dict[str, float]"
    inner = re.match(r"std::(vector|optional|array)<(.*?)(?:, \d+)?>$", kind)
    if not inner:
        return kind
    outer, inside = inner.groups()
    if outer == "optional":
        return python_type(inside) + " | None"
    if inside in ("double", "std::complex<double>") or inside.startswith("std::vector<double"):
        return "numpy.ndarray"
    return f"list[{python_type(inside)}]"


def option_type(kind):
    return {
        "std::string": "str | float | State",
        "std::vector<std::string>": "str | list[str] | dict[str, float]",
        "std::optional<double>": "float",
        "std::optional<int>": "int",
    }.get(kind, python_type(kind))


# What python/cartan adds to records.
TABLE_METHODS = """    def __getitem__(self, column: str) -> numpy.ndarray: ...
    names: list[str]
    def frame(self) -> Any: ...
    def xarray(self) -> Any: ...
    def plot(self, *columns: str, axes: Any = None, **style: Any) -> Any: ...
"""
MORE_METHODS = {
    "Table": TABLE_METHODS + "    numbers: dict[str, numpy.ndarray]\n    def __len__(self) -> int: ...\n",
    "Run": TABLE_METHODS.replace("(self)", '(self, name: str = "trajectory.csv")')
    + """    t: numpy.ndarray
    def table(self, name: str) -> Table: ...
    def save(self, folder: str, force: bool = False) -> None: ...
    def view(self, **options: Any) -> View: ...
""",
    "State": "    names: list[str]\n    def json(self) -> str: ...\n    def __getitem__(self, name: str) -> Any: ...\n"
    "    def with_(self, values: Mapping[str, Any] | None = None, **more: Any) -> str: ...\n",
    "EnergyFigures": "    drift: float\n",
    "CodeFile": "    bytes: Any\n    def save(self, folder: str, force: bool = False) -> str: ...\n",
    "GeneratedCode": "    def save(self, folder: str, force: bool = False) -> list[str]: ...\n",
}


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


headers = [Header(path) for path in sorted(Path(sys.argv[1]).glob("*.h"))]
bindings = ["// Made by python/tools/headers.py from include/cartan; not to be edited.", ""]
stubs = [
    '"""Made by python/tools/headers.py from include/cartan; not to be edited."""',
    "from __future__ import annotations",
    "",
    "from collections.abc import Callable, Mapping, Sequence",
    "from typing import Any",
    "",
    "import numpy",
    "",
    "from .typeset import Equations",
    "from .viewing import View",
    "",
]
records = [r for h in headers for r in h.records if r[0] not in HAND_WRITTEN]

for name, _, members in records:
    if name.endswith("Options"):
        bindings.append(f"template <>\nvoid visit_options<{name}>([[maybe_unused]] const OptionVisitor<{name}>& visit) {{")
        for kind, member, note in members:
            if kind != "Watch":
                bindings.append(f"  visit({quoted(member)}, {quoted(note)}, put<&{name}::{member}>);")
        bindings.append("}\n")
bindings.append("namespace {\n")
bindings.append("// What a model was loaded with.\npy::dict dict_of(const LoadOptions& options) {\n  py::dict dict;")
for name, _, members in records:
    if name == "LoadOptions":
        bindings += [f"  dict[{quoted(m)}] = value_of(options.{m}, {{}});" for kind, m, _ in members if kind != "Watch"]
bindings.append("  return dict;\n}\n")
bindings.append("void bind_enums(py::module_& m) {")
for header in headers:
    for name, values in header.enums:
        bindings.append(f"  py::enum_<{name}>(m, {quoted(name)})")
        bindings += [f"      .value({quoted(v)}, {name}::{v})" for v in values]
        bindings[-1] += ";"
bindings.append("}\n")
bindings.append("void bind_records(py::module_& m) {")
made = [r for r in records if not r[0].endswith("Options")]
for name, note, _ in made:  # all of them before any member: members are records, too
    bindings.append(f"  py::class_<{name}, std::shared_ptr<{name}>> class_{name}(m, {quoted(name)}, {quoted(note)});")
for name, note, members in made:
    bindings.append(f"  class_{name}")
    for kind, member, remark in members:
        bindings.append(f"      .def_property_readonly({quoted(member)}, member<&{name}::{member}>, {quoted(remark)})")
    bindings[-1] += ";"
    shown = [member for kind, member, _ in members if kind in ("std::string", "double", "int", "long", "bool") and member not in ("json", "text", "csv")]
    bindings.append(f"  class_{name}.def(\"__repr__\", [](py::object self) {{ return describe(self, {quoted(name)}, {{{', '.join(quoted(s) for s in shown[:6])}}}); }});")
    bindings.append(f"  extend(class_{name});")
    stubs.append(f"class {name}:\n    {quoted(note)}\n" + "".join(
        f"    @property\n    def {member}(self) -> {python_type(kind)}:\n        {quoted(remark)}\n" for kind, member, remark in members)
        + MORE_METHODS.get(name, ""))
bindings.append("}\n")
bindings.append("void bind_functions(py::module_& m) {")
options = {name: members for name, _, members in records}
first_options = {}
if len(sys.argv) > 4:
    for node in ast.parse(Path(sys.argv[4]).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "_FIRST":
            first_options = ast.literal_eval(node.value)


def spelled(option):
    return option + "_" if keyword.iskeyword(option) else option


methods = []
for header in headers:
    for result, name, which, note in header.functions:
        shown = PYTHON_NAME.get(name, name)
        bindings.append(f"  bind_work<{which}Options>(m, {quoted(shown)}, {quoted(note)}, &{name});")
        kinds = {m: option_type(kind) for kind, m, _ in options[which + "Options"] if kind != "Watch"}
        takes = [f"{spelled(m)}: {kind} = ..." for m, kind in kinds.items()]
        gives = "View" if name == "view" else "Equations" if name == "equations" else python_type(result)
        stubs.append(f"def {shown}({', '.join(['model: Model', *(['*', *takes] if takes else [])])}) -> {gives}:\n    {quoted(note)}\n")
        first = list(first_options.get(shown, ()))
        placed = [f"{spelled(m)}: {kinds[m]} = ..." for m in first]
        rest = [f"{spelled(m)}: {kind} = ..." for m, kind in kinds.items() if m not in first]
        if shown == "run":  # python/cartan/model.py
            rest += ["control: Callable[[float, State], Any] = ...", "control_step: float = ..."]
        named = ["*", *rest] if rest else []
        methods.append(f"    def {shown}({', '.join(['self', *placed, *named])}) -> {gives}:\n        {quoted(note)}\n")
bindings.append("}\n\n}  // namespace")
NAMES = ("bodies", "joints", "forces", "constraints", "variables", "inputs", "outputs", "events")
load = ", ".join(f"{spelled(m)}: {option_type(kind)} = ..." for kind, m, _ in options["LoadOptions"] if kind != "Watch")
stubs.append(
    f'''class Problem:
    file: str
    line: int
    column: int
    message: str
    warning: bool

class Model:
    "A machine: read from a file or a text, never changed."
    name: str
    file: str
    text: str
    is_mechanism: bool
    warnings: list[Problem]
{"".join(f"    {name}: list[str]{chr(10)}" for name in NAMES)}    @property
    def parameters(self) -> Mapping[str, float]: ...
    def with_(self, parameters: Mapping[str, float | str] | None = None, **more: float | str) -> Model: ...
    def system(self, formulation: str = "") -> System: ...
    def save(self, path: str, force: bool = False) -> None: ...
{"".join(methods)}
class System:
    "x' = f(t, x) of a model; arrays may have axes before that of the state."
    size: int
    speeds: int
    names: list[str]
    start: numpy.ndarray
    start_time: float
    def derivative(self, t: float, x: Any, out: numpy.ndarray | None = None) -> numpy.ndarray: ...
    def __call__(self, t: float, x: Any, out: numpy.ndarray | None = None) -> numpy.ndarray: ...
    def jacobian(self, t: float, x: Any, out: numpy.ndarray | None = None) -> numpy.ndarray: ...
    def parameter_jacobian(self, t: float, x: Any, parameters: str | list[str]) -> numpy.ndarray: ...
    def jvp(self, t: float, x: Any, u: Any, out: numpy.ndarray | None = None) -> numpy.ndarray: ...
    def vjp(self, t: float, x: Any, w: Any, out: numpy.ndarray | None = None) -> numpy.ndarray: ...
    def second_derivative(self, t: float, x: Any, u: Any, w: Any) -> numpy.ndarray: ...
    def inverse_dynamics(self, t: float, x: Any, a: Any) -> numpy.ndarray: ...
    def inverse_jacobian(self, t: float, x: Any, a: Any) -> numpy.ndarray: ...
    def take_steps(self, t: float, x: Any, step: float, steps: int, out: numpy.ndarray | None = None) -> numpy.ndarray: ...
    def steps_gradient(
        self, t: float, x: Any, w: Any, step: float, steps: int, parameters: str | Sequence[str] = ()
    ) -> tuple[numpy.ndarray, numpy.ndarray]: ...
    def mass_matrix(self, t: float, x: Any) -> numpy.ndarray: ...
    def bias(self, t: float, x: Any) -> numpy.ndarray: ...
    def acceleration(self, t: float, x: Any) -> numpy.ndarray: ...
    def energies(self, t: float, x: Any) -> tuple[numpy.ndarray, numpy.ndarray]: ...
    def state(self, t: float, x: Any) -> State: ...
    def numbers(self, state: State) -> numpy.ndarray: ...

def load(path: str, *, {load}) -> Model: ...
def load_text(text: str, file: str = "model.toml", *, {load}) -> Model: ...
def plot(paths: str | list[str], **options: Any) -> list[str]: ...
'''
)
Path(sys.argv[2]).write_text("\n".join(bindings) + "\n", encoding="utf-8")
Path(sys.argv[3]).write_text("\n".join(stubs) + "\n", encoding="utf-8")
