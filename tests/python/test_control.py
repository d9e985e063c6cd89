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
            "no number": (cartan.InputError, lambda: model.run(1, control=lambda t, s: [0, float("nan")], control_step=0.5)),
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
        """Every solution of a closed chain takes minutes; a signal ends the search at once."""
        import os
        import signal
        import threading

        model = cartan.load(os.path.join(os.environ["CARTAN_ROOT"], "examples/stewart.toml"))
        body = model.bodies[0]
        begin = time.monotonic()
        timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        try:
            with self.assertRaises(KeyboardInterrupt):
                for _ in range(1000):
                    model.ik(f"{body}.z = {body}.z", all=True, starts=100000)
        finally:
            timer.cancel()
        self.assertLess(time.monotonic() - begin, 30)


if __name__ == "__main__":
    unittest.main()
