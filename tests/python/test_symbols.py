"""Derivations by hand in Python, against closed forms, SymPy and the model files of the same machines."""

import math
import unittest

import cartan
import numpy
from cartan.symbols import Derivation, Kane, cos, from_sympy, lagrange, sin, to_sympy


def cart_and_pendulum(d):
    M, m, L, k, g = d.constants("M m L k g")
    q, u = d.standard(2)
    N = d.frame("N")
    A = N.rotate("A", 3, q[1])
    cart = q[0] * N.y
    bob = cart + L * A.x
    kane = Kane(N)
    kane.particle(M, cart.dt(N), M * g * N.x - k * q[0] * N.y)
    kane.particle(m, bob.dt(N), m * g * N.x)
    return kane.equations(u), (M, m, L, k, g), q, u


class Symbols(unittest.TestCase):
    def test_cart_and_pendulum(self):
        d = Derivation()
        motion, (M, m, L, k, g), q, u = cart_and_pendulum(d)
        rows = motion.M
        self.assertTrue(rows[0][0].equals(M + m))
        self.assertTrue(rows[0][1].equals(m * L * cos(q[1])))
        self.assertTrue(rows[1][1].equals(m * L**2))
        self.assertTrue(motion.f[0].equals(m * L * u[1] ** 2 * sin(q[1]) - k * q[0]))
        self.assertTrue(motion.f[1].equals(-m * g * L * sin(q[1])))
        self.assertIn("cos", motion.latex)

    def test_lagrange_gives_the_same(self):
        d = Derivation()
        motion, (M, m, L, k, g), q, u = cart_and_pendulum(d)
        kinetic = (M + m) * u[0] ** 2 / 2 + m * L * cos(q[1]) * u[0] * u[1] + m * L**2 * u[1] ** 2 / 2
        potential = k * q[0] ** 2 / 2 - m * g * L * cos(q[1])
        for i, equation in enumerate(lagrange(kinetic - potential, q, u)):
            other = sum(motion.M[i][j] * d.acceleration(u[j]) for j in range(2)) - motion.f[i]
            self.assertTrue((equation - other).is_zero())

    def test_frames(self):
        d = Derivation()
        (a, b, c), (p, q, r) = d.standard(3)
        N = d.frame("N")
        B = N.euler("B", "313", [a, b, c])
        w = B.angular_velocity(N).components(B)
        self.assertTrue(w[2].equals(p * cos(b) + r))
        self.assertTrue(w[0].equals(p * sin(b) * sin(c) + q * cos(c)))
        self.assertTrue((B.x.dt(N) - B.angular_velocity(N).cross(B.x)).magnitude().is_zero())

    def test_rolling_by_dependent_speeds(self):
        # A wheel of radius r that rolls: x' = r w. (m r^2 + J) w' = torque
        d = Derivation()
        m, J, r, T = d.constants("m J r T", samples=[1, 2, 0.5, 3])
        q, u = d.standard(2)
        N = d.frame("N")
        A = N.rotate("A", 2, q[1])
        kane = Kane(N)
        kane.body(m, A.inertia(0, J, 0), (q[0] * N.x).dt(N), A.angular_velocity(N), torque=T * N.y)
        motion = kane.equations(u).reduce([u[0] - r * u[1]], [u[0]])
        self.assertEqual(len(motion.f), 1)
        self.assertTrue(motion.M[0][0].equals(m * r**2 + J))
        self.assertTrue(motion.accelerations()[0].equals(T / (m * r**2 + J)))

    def test_numbers(self):
        d = Derivation()
        motion, symbols, q, u = cart_and_pendulum(d)
        function = d.function([motion.M[0][1], motion.f[0]], [*symbols, *q, *u])
        x = numpy.random.default_rng(2).uniform(0.5, 2, (100, 9))
        values = function(x)
        m, L, k = x[:, 1], x[:, 2], x[:, 3]
        numpy.testing.assert_allclose(values[:, 0], m * L * numpy.cos(x[:, 6]), rtol=1e-14)
        numpy.testing.assert_allclose(
            values[:, 1], m * L * x[:, 8] ** 2 * numpy.sin(x[:, 6]) - k * x[:, 5], rtol=1e-12, atol=1e-14
        )

    def test_against_the_model_file(self):
        machine = cartan.Machine("pendulum", gravity=[0, 0, -9.81])
        machine.body("bob", mass=1.5, com=[0, 0, -0.4], inertia=[1e-3, 2e-3, 3e-3])
        machine.joint(
            "hinge", type="revolute", parent={"body": "world"}, child={"body": "bob"}, axis=[0, 1, 0], position=0.7
        )
        now = machine.build().eval()
        d = Derivation()
        (q,), (u,) = d.standard(1)
        N = d.frame("N")
        A = N.rotate("A", 2, q)
        kane = Kane(N)
        kane.body(
            1.5, A.inertia(1e-3, 2e-3, 3e-3), (-0.4 * A.z).dt(N), A.angular_velocity(N), force=-1.5 * 9.81 * N.z
        )
        value = kane.equations([u]).accelerations()[0].subs({q: 0.7, u: 0})
        self.assertAlmostEqual(float(value), now.acceleration[0].values[0], places=12)

    def test_sympy(self):
        try:
            import sympy
        except ImportError:
            self.skipTest("SymPy is not installed")
        d = Derivation()
        motion, symbols, q, u = cart_and_pendulum(d)
        theirs = to_sympy(motion.f[0])
        m, L, k, q1, q2, u2 = (sympy.Symbol(n, real=True) for n in ("m", "L", "k", "q1", "q2", "u2"))
        self.assertEqual(sympy.simplify(theirs - (m * L * u2**2 * sympy.sin(q2) - k * q1)), 0)
        self.assertTrue(from_sympy(theirs, d).equals(motion.f[0]))

    def test_mistakes(self):
        d, other = Derivation(), Derivation()
        a, b = d.constant("a"), other.constant("b")
        N = d.frame("N")
        A = N.rotate("A", 1, a)
        for call in (
            lambda: a + b,
            lambda: N.rotate("A", 2, a),
            lambda: N.rotate("B", 4, a),
            lambda: d.frame("C").x.dot(N.x),
            lambda: d.coordinate("z").dt(),
            lambda: d.function([a * d.constant("c")], [a]),
            lambda: N.euler("D", "31", [a]),
        ):
            with self.assertRaises(ValueError):
                call()
        for call in (lambda: a + "x", lambda: N.vector(1, 2, None), lambda: float(a), lambda: a.diff(d)):
            with self.assertRaises(TypeError):
                call()
        self.assertTrue(A.x.dot(N.x).equals(1))  # the derivation goes on

    def test_expressions_outlive_the_derivation(self):
        d = Derivation()
        x = d.constant("x")
        y = sin(x) ** 2 + cos(x) ** 2
        del d
        self.assertEqual(float(y), 1.0)
        self.assertEqual(float((x * 2).subs({x: 3})), 6.0)
        self.assertEqual(math.pi, float((x + math.pi).subs({x: 0})))


if __name__ == "__main__":
    unittest.main()
