"""The type stubs name what is there: every class, member and function, and nothing else."""

import ast
import os
import unittest
from pathlib import Path

import cartan
from cartan import _cartan, symbols

PACKAGE = Path(cartan.__file__).parent


def read(name):
    return ast.parse((PACKAGE / name).read_text(encoding="utf-8"))


def members(node):
    for entry in node.body:
        if isinstance(entry, ast.FunctionDef):
            yield entry.name
        elif isinstance(entry, ast.AnnAssign):
            yield entry.target.id


class Stubs(unittest.TestCase):
    def compare(self, tree, module, also=()):
        told = {node.name: node for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        for name, node in told.items():
            self.assertTrue(hasattr(module, name), name)
            if isinstance(node, ast.ClassDef):
                for member in members(node):
                    fields = getattr(getattr(module, name), "_fields", ())
                    self.assertTrue(hasattr(getattr(module, name), member) or member in fields, f"{name}.{member}")
        return told

    def test_of_the_compiled_part(self):
        told = self.compare(read("_cartan.pyi"), _cartan)
        for name, value in vars(_cartan).items():
            if isinstance(value, type) and not hasattr(value, "__members__"):
                self.assertIn(name, told)
                for member in vars(value):
                    if not member.startswith("_"):
                        self.assertIn(member, list(members(told[name])), name)

    def test_of_the_symbols(self):
        told = self.compare(read("symbols.pyi"), symbols)
        for name, value in vars(_cartan.symbols).items():
            if not name.startswith("_"):
                self.assertIn(name, told)
                for member in vars(value) if isinstance(value, type) else ():
                    if not member.startswith("_"):
                        self.assertIn(member, list(members(told[name])), name)

    def test_options_of_methods(self):
        model = next(node for node in read("_cartan.pyi").body if getattr(node, "name", "") == "Model")
        run = next(node for node in model.body if getattr(node, "name", "") == "run")
        self.assertEqual([a.arg for a in run.args.args], ["self", "duration"])
        self.assertIn("from_", [a.arg for a in run.args.kwonlyargs])
        self.assertTrue(os.path.exists(PACKAGE / "py.typed"))


if __name__ == "__main__":
    unittest.main()
