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
    "reproduce": "a report about the source documents, not about a model",
    "python": "is Python",
    "notebook": "is Python",
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

    def same(self, result, *words):
        """Equal but for what no two runs share."""

        def timeless(value):
            if isinstance(value, dict):
                return {k: timeless(v) for k, v in value.items() if k not in ("wall_seconds", "seconds")}
            return [timeless(v) for v in value] if isinstance(value, list) else value

        told = json.loads(command(*words, "--json"))
        self.assertEqual(timeless(json.loads(result.json)), timeless(told), words)

    def test_inverse_kinematics(self):
        model = cartan.load(example("four_bar"))
        self.same(model.ik("motor.q = pi/3"), "ik", example("four_bar"), "--target", "motor.q = pi/3")
        all_of_them = model.ik({"motor.q": "pi/3"}, all=True)
        self.same(all_of_them, "ik", example("four_bar"), "--target", "motor.q = pi/3", "--all")
        self.assertEqual(len(all_of_them.solutions), 2)
        self.assertTrue(all_of_them.complete)
        # the answer goes on: a run from it begins there
        self.assertAlmostEqual(model.run(0.01, from_=all_of_them.solutions[1].state)["motor.q"][0], numpy.pi / 3, 12)
        beyond = model.ik("crank.x = 100")
        self.same(beyond, "ik", example("four_bar"), "--target", "crank.x = 100")
        self.assertFalse(beyond.found)
        self.assertIn("no configuration found", beyond.problem)

    def test_inverse_kinematics_along_a_path(self):
        t = numpy.linspace(0, 1, 21)
        numpy.savetxt("path.csv", numpy.column_stack([t, 0.3 + 0.5 * t]), delimiter=",", header="t,motor.q", comments="")
        model = cartan.load(example("four_bar"))
        followed = model.ik(path="path.csv")
        self.same(followed, "ik", example("four_bar"), "--path", "path.csv")
        numpy.testing.assert_allclose(followed.path["motor.q0"], 0.3 + 0.5 * t, atol=1e-10)
        self.assertEqual(followed.csv.splitlines()[0].split(","), followed.path.names)

    def test_optimise(self):
        words = ("--free", "L=0.5", "--minimise", "(period - 1)^2", "--bounds", "L=[0.1, 2]", "--at", "equilibrium")
        model = cartan.load(example("pendulum"))
        best = model.optimise("L=0.5", "(period - 1)^2", bounds={"L": [0.1, 2]}, at="equilibrium")
        self.same(best, "optimise", example("pendulum"), *words)
        self.assertTrue(best.converged)
        # a rod about its end: T = 2 pi sqrt((L^2/3 + w^2/12) / (g L/2))
        L, w = best.parameters["L"], 0.2
        self.assertAlmostEqual(2 * numpy.pi * numpy.sqrt((L**2 / 3 + w**2 / 12) / (9.81 * L / 2)), 1, 6)

    def test_study(self):
        words = ("--vary", "tilt=uniform(0.1,1.5)", "--keep", "lowest=min(potential)", "--runs", "32", "--duration", "0.5")
        model = cartan.load(example("pendulum"))
        s = model.study({"tilt": "uniform(0.1,1.5)"}, {"lowest": "min(potential)"}, runs=32, duration=0.5)
        self.same(s, "study", example("pendulum"), *words)
        command("study", example("pendulum"), *words, "--out", "studied")
        with open("studied/runs.csv", encoding="utf-8") as file:
            rows = [line.strip().split(",") for line in file]
        for name in ("tilt", "lowest"):
            column = [float(row[rows[0].index(name)]) for row in rows[1:]]
            numpy.testing.assert_array_equal(s.table[name], column)
        self.assertEqual(s.table.columns[-1].words, ["completed"] * 32)

    def test_a_study_file(self):
        path = os.path.join(EXAMPLES, "studies", "pendulum_period.toml")
        self.same(cartan.study(path, runs=16), "study", path, "--runs", "16")
        with self.assertRaises(TypeError):
            cartan.study(3)

    def test_equations_are_those_of_the_command(self):
        model = cartan.load(example("planar_double"))
        self.assertEqual(model.equations(), command("equations", example("planar_double")))
        self.assertEqual(model.equations().latex, command("equations", example("planar_double"), "--format", "latex"))
        self.assertIn("\\begin{align*}", model.equations()._repr_latex_())

    def test_a_view_is_the_exported_page(self):
        model = cartan.load(example("four_bar"))
        command("view", example("four_bar"), "--export", "page.html", "--force")
        with open("page.html", encoding="utf-8") as file:
            self.assertEqual(model.view().html, file.read())
        run = model.run(0.1)
        run.save("viewed")
        self.assertEqual(len(cartan.view("viewed").html), len(run.view().html) - len(run.model) + len("viewed"))
        self.assertIn("srcdoc=", run._repr_html_())
        self.assertIn("degrees of freedom", model._repr_html_())


if __name__ == "__main__":
    unittest.main()
