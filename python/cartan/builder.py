"""Machines described in Python, with the names of the model file's keys."""

import json
import math
import os

from . import _cartan
from .errors import nearest

_LISTS = ("body", "joint", "force", "constraint", "output", "event", "point", "contact", "contacts",
          "cut", "part")
_TABLES = ("parameters", "variables", "inputs", "definitions", "functions", "simulate", "speeds")


def _key(name):
    return name if name.replace("_", "").replace("-", "").isalnum() and name.isascii() else json.dumps(name)


def _value(value, where):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, os.PathLike):
        return json.dumps(os.fspath(value), ensure_ascii=False)
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(k)} = {_value(v, where)}" for k, v in value.items()) + " }"
    if hasattr(value, "tolist"):  # NumPy arrays and numbers
        return _value(value.tolist(), where)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(v, where) for v in value) + "]"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{where}: {value} is no number of a machine; expected a finite one")
        return repr(value)
    raise TypeError(f"{where}: {value!r} has no place in a model file; numbers, texts, lists and dicts have")


class Machine:
    """A model in the making.

    >>> m = Machine("pendulum")
    >>> m.parameters(L=0.5, m=1.2)
    >>> m.body("rod", mass="m", com=[0, 0, "-L"], inertia=[0.01, 0.01, 1e-4])
    >>> m.joint("hinge", type="revolute", axis=[0, 1, 0], position=0.4,
    ...         parent={"body": "world"}, child={"body": "rod"})
    >>> m.build().check().dof
    1
    """

    def __init__(self, name, **settings):
        self._top = {"name": name, **settings}
        self._tables = {}
        self._lists = []

    def __getattr__(self, key):
        if key in _LISTS:
            return lambda name=None, **keys: self._add(key, name, keys)
        if key in _TABLES:
            return lambda **entries: self._put(key, entries)
        raise AttributeError(f"a machine has no {key!r}: {nearest(key, _LISTS + _TABLES)}")

    def __dir__(self):
        return [*super().__dir__(), *_LISTS, *_TABLES]

    def _add(self, kind, name, keys):
        # `from` is a word of Python: from_ stands for it.
        keys = {key.rstrip("_"): value for key, value in keys.items()}
        self._lists.append((kind, {**({} if name is None else {"name": name}), **keys}))

    def _put(self, table, entries):
        self._tables.setdefault(table, {}).update({key.rstrip("_"): value for key, value in entries.items()})

    @property
    def text(self):
        """The model file."""
        lines = [f"{_key(k)} = {_value(v, k)}" for k, v in self._top.items()]
        for table, entries in self._tables.items():
            lines += ["", f"[{table}]", *(f"{_key(k)} = {_value(v, f'{table}.{k}')}" for k, v in entries.items())]
        for kind, entries in self._lists:
            where = f"{kind} {entries.get('name', '')!r}"
            lines += ["", f"[[{kind}]]", *(f"{_key(k)} = {_value(v, f'{where}, {k}')}" for k, v in entries.items())]
        return "\n".join(lines) + "\n"

    def build(self, **options):
        """Checks it; a Model."""
        return _cartan.load_text(self.text, file=f"{self._top['name']}.toml", **options)
