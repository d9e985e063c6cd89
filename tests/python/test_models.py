"""Models: read, built, changed, pickled; what goes wrong says so."""

import copy
import gc
import math
import os
import pickle
import signal
import threading
import time
import unittest

import cartan
import numpy

ROOT = os.environ["CARTAN_ROOT"]
TOP = os.path.join(ROOT, "examples", "heavy_top.toml")
OSCILLATOR = """
name = "oscillator"
[parameters]
w = 2
[variables]
x = { initial = 1, rate = "y" }
y = { initial = 0, rate = "-w^2*x" }
"""


def pendulum(length=0.5):
    m = cartan.Machine("pendulum")
    m.parameters(L=length, m=1.2)
    m.body("bob", mass="m", com=[0, 0, "-L"], inertia=[1e-6, 1e-6, 1e-6])
    m.joint("hinge", type="revolute", parent={"body": "world"}, child={"body": "bob"}, axis=[0, 1, 0], position=0.1)
    return m


class Models(unittest.TestCase):
    def test_a_machine_built_in_python(self):
        model = pendulum().build()
        self.assertEqual((model.bodies, model.joints), (["bob"], ["hinge"]))
        check = model.check()
        self.assertEqual(check.dof, 1)
        self.assertIn("hinge (revolute) -&gt; bob", check._repr_html_())
        now = model.eval()
        # (m L^2 + J) a = -m g L sin q
        inertia, weight = 1.2 * 0.25 + 1e-6, 1.2 * 9.81 * 0.5
        self.assertAlmostEqual(now.acceleration[0].values[0], -weight * math.sin(0.1) / inertia, places=12)

    def test_parameters(self):
        model = pendulum().build()
        self.assertEqual(model.parameters["L"], 0.5)
        self.assertEqual(model.with_(L=0.7).parameters.L, 0.7)
        self.assertEqual(model.parameters.L, 0.5)
        with self.assertRaisesRegex(cartan.InputError, "'L'"):
            model.parameters["l"]
        with self.assertRaises(cartan.InputError):
            model.with_(mass=3)

    def test_pickle(self):
        model = pendulum().build().with_(L=0.8)
        again = pickle.loads(pickle.dumps(model))
        self.assertEqual(dict(again.parameters), dict(model.parameters))
        numpy.testing.assert_array_equal(model.run(0.2)["hinge.q"], again.run(0.2)["hinge.q"])

    def test_pickles_keep_what_was_given(self):
        text = "name='x'\n[inputs]\nf = 0\n[parameters]\nk = 1\n[variables]\nx = { initial = 0, rate = 'k*f' }\n"
        model = cartan.load_text(text, input={"f": "2"}).with_(k="1 + 2")
        self.assertEqual(dict(model.parameters), {"k": 3})
        for again in (pickle.loads(pickle.dumps(model)), copy.copy(model), copy.deepcopy(model)):
            self.assertAlmostEqual(again.run(1).final["x"], 6, places=12)

    def test_models_of_other_tools(self):
        urdf = """<robot name="r"><link name="base"/><link name="arm"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j" type="continuous">
<parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>"""
        with open("robot.urdf", "w", encoding="utf-8") as file:
            file.write(urdf)
        model = cartan.load("robot.urdf")
        os.remove("robot.urdf")  # what was read is what is used
        start = model.eval().state.with_({"j.q": 0.4})
        want = model.run(0.5, from_=start)["j.q"]
        self.assertLess(want[-1], 0.4)
        model.save("robot.toml")
        for again in (cartan.load("robot.toml"), pickle.loads(pickle.dumps(model))):
            numpy.testing.assert_array_equal(again.run(0.5, from_=start)["j.q"], want)

    def test_states_by_name(self):
        model = pendulum().build()
        state = model.eval().state
        self.assertEqual((state.names, state["hinge.q"]), (["hinge.q", "hinge.v"], 0.1))
        self.assertEqual(model.run(0.01, from_=state.with_({"hinge.v": 2}))["hinge.v"][0], 2)
        with self.assertRaisesRegex(cartan.InputError, "did you mean 'hinge.q'"):
            state["hing.q"]
        with self.assertRaisesRegex(cartan.InputError, "expected 1 numbers"):
            state.with_({"hinge.q": [1, 2]})
        s = model.system()
        self.assertEqual(s.state(0.0, s.start)["hinge.q"], 0.1)
        numpy.testing.assert_array_equal(s.numbers(state), s.start)

    def test_errors_have_places(self):
        with self.assertRaises(cartan.InputError) as caught:
            cartan.load_text('name = "x"\n[[body]]\nname = "a"\nmas = 3\n', file="bad.toml")
        problems = caught.exception.problems
        self.assertTrue(problems)
        self.assertEqual((problems[0].file, problems[0].line > 0), ("bad.toml", True))
        self.assertIsInstance(caught.exception, ValueError)
        with self.assertRaises(cartan.Error):
            cartan.load("no_such_file.toml")

    def test_wrong_calls(self):
        model = cartan.load_text(OSCILLATOR)
        for call in (
            lambda: model.run("ten"),
            lambda: model.run(duration=True),
            lambda: model.run(float("nan")),
            lambda: model.run(1, step=[1, 2]),
            lambda: model.run(1, 2),
            lambda: model.run(1, duration=2),
            lambda: model.run(every=1.5),
            lambda: model.run(every=2**40),
            lambda: model.run(estimate="yes"),
            lambda: model.run(integrator=object()),
        ):
            with self.assertRaises(TypeError):
                call()
        with self.assertRaisesRegex(TypeError, "did you mean 'integrator'"):
            model.run(1, integrater="gl3")
        for call in (
            lambda: model.run(1, integrator="gl33"),
            lambda: model.run(-1),
            lambda: model.run(1, step=0),
            lambda: model.run(1)["z"],
            lambda: model.run(1).table("bodies.csv"),
            lambda: model.orbit(),
            lambda: model.generate("cobol"),
        ):
            with self.assertRaises(cartan.InputError):
                call()

    def test_interrupt(self):
        model = cartan.load_text(OSCILLATOR)
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        begin = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            model.run(1e6, step=0.001, estimate=False)
        self.assertLess(time.monotonic() - begin, 20)

    def test_other_threads_go_on(self):
        model = cartan.load_text(OSCILLATOR)
        counts = []
        done = threading.Event()

        def count():
            n = 0
            while not done.is_set():
                n += 1
                time.sleep(0.001)
            counts.append(n)

        thread = threading.Thread(target=count)
        thread.start()
        model.run(200, step=0.001, estimate=False)
        done.set()
        thread.join()
        self.assertGreater(counts[0], 3)

    def test_closed_form(self):
        run = cartan.load_text(OSCILLATOR).run(3, step=0.01)
        numpy.testing.assert_allclose(run["x"], numpy.cos(2 * run.t), atol=1e-10)


class Results(unittest.TestCase):
    def test_columns_are_views_that_outlive_the_model(self):
        run = cartan.load(TOP).run(0.2)
        column = run.tables[0].columns[1]
        first, second = run[column.name], run[column.name]
        self.assertEqual(first.__array_interface__["data"], second.__array_interface__["data"])
        self.assertFalse(first.flags.writeable)
        with self.assertRaises(ValueError):
            first[0] = 1
        kept = first.copy()
        del run, column, second
        gc.collect()
        numpy.testing.assert_array_equal(first, kept)

    def test_frame_and_plot(self):
        run = cartan.load_text(OSCILLATOR).run(1)
        try:
            import pandas
        except ImportError:
            pandas = None
        if pandas:
            frame = run.frame()
            self.assertEqual(list(frame.columns), ["x", "y"])
            numpy.testing.assert_array_equal(frame["x"].to_numpy(), run["x"])
        self.assertIn("<td>", run.table("trajectory.csv")._repr_html_())
        try:
            import xarray  # noqa: F401
        except ImportError:
            pass
        else:
            numpy.testing.assert_array_equal(run.xarray()["x"].to_numpy(), run["x"])
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            return
        axes = run.plot("*")
        self.assertEqual(len(axes.lines), 2)

    def test_a_state_goes_on(self):
        model = cartan.load_text(OSCILLATOR)
        half = model.run(1, step=0.01)
        rest = model.run(1, step=0.01, from_=half.final)
        self.assertAlmostEqual(rest["x"][-1], math.cos(4), places=10)


class System(unittest.TestCase):
    def test_derivatives(self):
        s = pendulum().build().system()
        self.assertEqual(s.size, 2)
        x = s.start
        rates = s.derivative(0.0, x)
        J = s.jacobian(0.0, x)
        inertia, weight = 1.2 * 0.25 + 1e-6, 1.2 * 9.81 * 0.5
        numpy.testing.assert_allclose(rates, [0, -weight * math.sin(0.1) / inertia], rtol=1e-13)
        numpy.testing.assert_allclose(J, [[0, 1], [-weight * math.cos(0.1) / inertia, 0]], rtol=1e-13, atol=1e-15)
        u = numpy.array([0.3, -0.7])
        numpy.testing.assert_allclose(s.jvp(0.0, x, u), J @ u, rtol=1e-14)
        numpy.testing.assert_allclose(s.vjp(0.0, x, u), u @ J, rtol=1e-14)
        numpy.testing.assert_allclose(s.mass_matrix(0.0, x), [[inertia]], rtol=1e-14)
        kinetic, potential = s.energies(0.0, x)
        self.assertEqual(kinetic, 0)
        self.assertEqual(s.acceleration(0.0, x).shape, (1,))

    def test_many_states_at_once(self):
        s = cartan.load(TOP).system()
        states = s.start + 0.01 * numpy.random.default_rng(1).standard_normal((5, 7, s.size))
        together = s.derivative(0.0, states)
        out = numpy.empty_like(states)
        self.assertIs(s.derivative(0.0, states, out=out), out)
        numpy.testing.assert_array_equal(out, together)
        for i in range(5):
            for k in range(7):
                numpy.testing.assert_allclose(together[i, k], s.derivative(0.0, states[i, k]), rtol=1e-12, atol=1e-12)

    def test_wrong_shapes(self):
        s = cartan.load(TOP).system()
        x = s.start
        for call in (
            lambda: s.derivative(0.0, x[:-1]),
            lambda: s.derivative(0.0, x, out=numpy.empty(3)),
            lambda: s.derivative(numpy.zeros(4), numpy.tile(x, (3, 1))),
            lambda: s.derivative(0.0, 1.0),
            lambda: s.jvp(0.0, x, numpy.zeros((2, s.size))),
        ):
            with self.assertRaises(ValueError):
                call()
        with self.assertRaises(TypeError):
            s.derivative(0.0, x, out=[0] * s.size)

    def test_two_threads(self):
        s = cartan.load(TOP).system()
        want = s.derivative(0.0, numpy.tile(s.start, (2000, 1)))
        results = []
        threads = [
            threading.Thread(target=lambda: results.append(s.derivative(0.0, numpy.tile(s.start, (2000, 1)))))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for result in results:
            numpy.testing.assert_array_equal(result, want)


if __name__ == "__main__":
    unittest.main()
