"""The examples in docstrings run and give what they say."""

import doctest
import os
import unittest

import cartan
from cartan import adjoint, builder, errors, model, results, states, symbols, typeset, viewing

ROOT = os.environ["CARTAN_ROOT"]


class Docstrings(unittest.TestCase):
    def test_every_example(self):
        here = os.getcwd()
        os.chdir(ROOT)  # examples/..
        try:
            tried = 0
            for module in (cartan, adjoint, builder, errors, model, results, states, symbols, typeset, viewing):
                names = {**vars(module), "cartan": cartan, **{k: getattr(symbols, k) for k in ("Kane", "sqrt")}}
                outcome = doctest.testmod(module, extraglobs=names, optionflags=doctest.NORMALIZE_WHITESPACE)
                with self.subTest(module=module.__name__):
                    self.assertEqual(outcome.failed, 0)
                tried += outcome.attempted
            for name in model._FIRST:  # made when the module was loaded
                parsed = doctest.DocTestParser().get_doctest(
                    getattr(cartan.Model, name).__doc__, {"cartan": cartan}, f"Model.{name}", None, None
                )
                with self.subTest(method=name):
                    self.assertEqual(doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(parsed).failed, 0)
                tried += len(parsed.examples)
            self.assertGreater(tried, 70)
        finally:
            os.chdir(here)

    def test_every_function_has_an_example(self):
        for name in model._FIRST:
            self.assertIn(">>>", getattr(cartan.Model, name).__doc__, f"Model.{name}")


if __name__ == "__main__":
    unittest.main()
