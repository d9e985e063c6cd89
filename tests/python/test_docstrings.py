"""The examples in docstrings run and give what they say."""

import doctest
import os
import unittest

import cartan
from cartan import builder, equations, errors, model, results, symbols, view

ROOT = os.environ["CARTAN_ROOT"]


class Docstrings(unittest.TestCase):
    def test_every_example(self):
        here = os.getcwd()
        os.chdir(ROOT)  # examples/..
        try:
            tried = 0
            for module in (cartan, builder, equations, errors, model, results, symbols, view):
                names = {**vars(module), "cartan": cartan, **{k: getattr(symbols, k) for k in ("Kane", "sqrt")}}
                outcome = doctest.testmod(module, extraglobs=names, optionflags=doctest.NORMALIZE_WHITESPACE)
                self.assertEqual(outcome.failed, 0, module.__name__)
                tried += outcome.attempted
            self.assertGreater(tried, 60)
        finally:
            os.chdir(here)

    def test_every_function_has_an_example(self):
        for name in model._FIRST:
            self.assertIn(">>>", getattr(cartan.Model, name).__doc__, f"Model.{name}")


if __name__ == "__main__":
    unittest.main()
