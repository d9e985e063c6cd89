"""A controller in Python: inputs that hold from one call to the next."""

import time
import unittest

import cartan
import numpy

CART = """name = 'cart'
[inputs]
u = 0
w = 0.25
[variables]
x = { initial = 1, rate = 'v' }
v = { initial = 0, rate = 'u + w' }
"""


class Control(unittest.TestCase):
    def test_held_feedback_is_the_sampled_system(self):
        """x, v under u held over h: x += h v + h^2/2 u, v += h u exactly."""
        h, model = 0.1, cartan.load_text(CART)
        asked = []

        def control(t, state):
            asked.append((t, state["x"], state["v"]))
            return {"u": -2 * state["x"] - state["v"], "w": 0.0}

        r = model.run(2, step=0.05, control=control, control_step=h, integrator="gl2")
        x, v, sampled = 1.0, 0.0, []
        for k in range(20):
            sampled.append((k * h, x, v))
            u = -2 * x - v
            x, v = x + h * v + h * h / 2 * u, v + h * u
        numpy.testing.assert_allclose(asked, sampled, atol=1e-12)
        self.assertAlmostEqual(r["x"][-1], x, delta=1e-12)  # of the run itself, after twenty intervals
        self.assertAlmostEqual(r["v"][-1], v, delta=1e-12)
        self.assertEqual(r["u"][0], -2.0)
        self.assertEqual(r["w"][0], 0.0)

    def test_a_machine(self):
        m = cartan.Machine("arm")
        m.inputs(torque=0)
        m.body("rod", mass=1, com=[0, 0, -0.5], inertia=[0.1, 0.1, 0.1])
        m.joint("hinge", type="revolute", axis=[0, 1, 0], position=0.5, child={"body": "rod"}, parent={"body": "world"})
        m.force(type="joint", joint="hinge", value="torque")
        model = m.build()
        self.assertEqual(list(model.inputs), ["torque"])
        r = model.run(5, step=0.005, control=lambda t, s: -20 * s["hinge.q"] - 6 * s["hinge.v"], control_step=0.01)
        self.assertLess(abs(r["hinge.q"][-1]), 1e-3)
        self.assertGreater(abs(r["torque"]).max(), 9)
        # the same motion as with the table of the inputs: what `run` gives is a run like any other
        self.assertEqual(r.status, "completed")
        self.assertGreater(len(r.table("bodies.csv")["rod.x"]), 100)

    def test_what_is_wrong(self):
        model = cartan.load_text(CART)
        wrong = {
            "no function": (TypeError, lambda: model.run(1, control=3, control_step=0.1)),
            "no step": (TypeError, lambda: model.run(1, control=lambda t, s: [0, 0])),
            "a step of zero": (cartan.InputError, lambda: model.run(1, control=lambda t, s: [0, 0], control_step=0)),
            "too few": (cartan.InputError, lambda: model.run(1, control=lambda t, s: [0], control_step=0.5)),
            "a name too much": (ValueError, lambda: model.run(1, control=lambda t, s: {"u": 1, "w": 2, "z": 3}, control_step=0.5)),
            "a name too few": (ValueError, lambda: model.run(1, control=lambda t, s: {"u": 1}, control_step=0.5)),
            "no number": (TypeError, lambda: model.run(1, control=lambda t, s: [0, float("nan")], control_step=0.5)),
            "a word": (TypeError, lambda: model.run(1, control=lambda t, s: ["a", 0], control_step=0.5)),
            "nothing": (TypeError, lambda: model.run(1, control=lambda t, s: None, control_step=0.5)),
            "its own error": (ZeroDivisionError, lambda: model.run(1, control=lambda t, s: 1 / 0, control_step=0.5)),
            "no inputs": (
                cartan.InputError,
                lambda: cartan.load_text("name='o'\n[variables]\nx={initial=1,rate='-x'}\n").run(
                    1, control=lambda t, s: 0, control_step=0.5
                ),
            ),
        }
        for name, (kind, call) in wrong.items():
            with self.subTest(name), self.assertRaises(kind):
                call()


class Interrupts(unittest.TestCase):
    def test_ik_ends_with_ctrl_c(self):
        """A path of half a million rows takes half a minute of CPU time; a signal ends it at once."""
        import os
        import signal
        import tempfile
        import threading

        model = cartan.load(os.path.join(os.environ["CARTAN_ROOT"], "examples/four_bar.toml"))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "path.csv")
            with open(path, "w", encoding="utf-8") as file:
                file.write("t,motor.q\n" + "".join(f"{k * 1e-6},{0.1 + k * 1e-6}\n" for k in range(500000)))
            begin = time.process_time()
            timer = threading.Timer(2, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            try:
                with self.assertRaises(KeyboardInterrupt):
                    model.ik(path=path)
            finally:
                timer.cancel()
            self.assertLess(time.process_time() - begin, 12)


if __name__ == "__main__":
    unittest.main()
