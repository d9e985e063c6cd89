"""Every command of the command line has its function, and both give the same numbers."""

import json
import os
import re
import subprocess
import unittest

import cartan
import numpy

ROOT = os.environ["CARTAN_ROOT"]
COMMAND = os.environ["CARTAN_COMMAND"]
EXAMPLES = os.path.join(ROOT, "examples")

# Commands without a function, and why.
NOT_A_FUNCTION = {
    "new": "writes a template for an editor; Machine and load_text make models in Python",
    "view": "a server for the browser",
    "reproduce": "a report about the source documents, not about a model",
    "python": "is Python",
    "notebook": "is Python",
    "study": "not yet: its work is still part of the command",
    "ik": "not yet: its work is still part of the command",
    "optimise": "not yet: its work is still part of the command",
    "import": "load() reads the files of other tools, Model.save() writes the model file",
}


def command(*arguments):
    result = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, check=False)
    return result.stdout


def example(name):
    return os.path.join(EXAMPLES, name + ".toml")


class Commands(unittest.TestCase):
    def test_every_command_has_a_function(self):
        words = re.findall(r"^  ([a-z]+)  ", command("--help"), re.M)
        self.assertGreater(len(words), 10)
        for word in words:
            if word in NOT_A_FUNCTION:
                continue
            name = "continue_" if word == "continue" else word
            self.assertTrue(callable(getattr(cartan, name, None)), f"no cartan.{name}")

    def test_run_gives_the_numbers_of_the_command(self):
        for name in ("heavy_top", "four_bar", "vanderpol"):
            if not os.path.exists(example(name)):
                continue
            run = cartan.load(example(name)).run(0.5)
            folder = os.path.join(os.getcwd(), name)
            command("run", example(name), "--duration", "0.5", "--out", folder)
            with open(os.path.join(folder, "trajectory.csv"), encoding="utf-8") as file:
                names = file.readline().strip().split(",")
                rows = numpy.loadtxt(file, delimiter=",")
            table = run.table("trajectory.csv")
            self.assertEqual(table.names, names)
            for k, column in enumerate(names):
                numpy.testing.assert_array_equal(table[column], rows[:, k], err_msg=f"{name}: {column}")

    def test_records_equal_the_json_of_the_command(self):
        model = cartan.load(example("heavy_top"))
        for name, result in (("check", model.check()), ("eval", model.eval())):
            told = json.loads(command(name, example("heavy_top"), "--json"))
            self.assertEqual(json.loads(result.json), told, name)
        told = json.loads(command("linearize", example("double_pendulum"), "--at", "equilibrium", "--json"))
        result = cartan.load(example("double_pendulum")).linearize(at="equilibrium")
        self.assertEqual(json.loads(result.json), told)
        self.assertEqual(result.eigenvalues.dtype, complex)


if __name__ == "__main__":
    unittest.main()
