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

    def test_pieces_of_the_guide(self):
        with open(os.path.join(ROOT, "docs", "guide.md"), encoding="utf-8") as file:
            pieces = re.findall(r"^```python\n(.*?)^```", file.read(), re.M | re.S)
        self.assertTrue(pieces)
        here, names = os.getcwd(), {}
        os.chdir(ROOT)
        try:
            for piece in pieces:
                exec(compile(piece, "docs/guide.md", "exec"), names)  # noqa: S102
        finally:
            os.chdir(here)
        self.assertLess(names["r"].energy.drift, 1e-6)

    def test_the_commands_of_the_thesis(self):
        """Every command of the table in docs/vector_language.md has a row here, and every entry runs."""

        def rows(page, heading):
            with open(os.path.join(ROOT, "docs", page), encoding="utf-8") as file:
                text = file.read().split(heading, 1)[1]
            table = re.search(r"^\|.*?\n\n", text + "\n\n", re.M | re.S).group()
            return {line.split(" | ")[0].strip("| "): line.split(" | ", 1)[1] for line in table.splitlines()[2:] if line}

        from cartan import symbols

        here, there = rows("python.md", "appendix A has"), rows("vector_language.md", "## The commands of the thesis")
        self.assertEqual(list(here), list(there))
        ran = 0
        for command, cell in here.items():
            for entry in re.findall(r"`([^`]*)`", cell):
                d = symbols.Derivation()
                x, y, z = d.constants("x y z", samples=[1.5, 0.7, 2])
                (q1, q2), (u1, u2) = d.standard(2)
                N = d.frame("N")
                A = N.rotate("A", 3, q1)
                B = A.rotate("B", 1, q2)
                a, b = x * A.x + q1 * N.y, u1 * N.x + u2 * B.z
                D = A.inertia(1, 2, 3, 0, x, 0)
                k = symbols.Kane(N)
                k.particle(x, (q1 * N.x + q2 * N.y).dt(N), y * N.x)
                k.particle(y, (q1 * N.x).dt(N), y * N.x)
                names = {**vars(symbols), **locals(), "V": symbols.SystemVector(k.velocities)}
                names["inertia"] = symbols.SystemInertia([x, y])
                names["sx"] = symbols.Subexpressions(d)
                with self.subTest(command=command, entry=entry):
                    eval(entry, names)  # noqa: S307
                ran += 1
        self.assertGreater(ran, 70)


if __name__ == "__main__":
    unittest.main()
