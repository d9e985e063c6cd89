"""The pieces of Python in docs/python.md run as they stand there."""

import os
import re
import unittest

ROOT = os.environ["CARTAN_ROOT"]


class Documents(unittest.TestCase):
    def test_pieces_of_the_page(self):
        with open(os.path.join(ROOT, "docs", "python.md"), encoding="utf-8") as file:
            pieces = re.findall(r"^```python\n(.*?)^```", file.read(), re.M | re.S)
        self.assertGreaterEqual(len(pieces), 2)
        self.assertLessEqual(len([line for line in pieces[0].splitlines() if line.strip()]), 20)
        names = {}
        for piece in pieces:
            try:
                exec(compile(piece, "docs/python.md", "exec"), names)  # noqa: S102
            except ModuleNotFoundError as error:
                if error.name not in ("scipy", "matplotlib"):
                    raise
        self.assertLess(names["r"].energy.drift, 1e-6)
        self.assertTrue(names["at"].stable)


if __name__ == "__main__":
    unittest.main()
