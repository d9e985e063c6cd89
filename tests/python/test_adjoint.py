"""Gradients of whole runs, against forward sensitivities and closed forms."""

import os
import unittest

import cartan
import numpy
from cartan import adjoint


def chain(links):
    """Rods on hinges, each with its own mass, length and inertia: 3 parameters a link."""
    m = cartan.Machine("chain")
    names = []
    for i in range(links):
        names += [f"m{i}", f"L{i}", f"I{i}"]
        m.parameters(**{f"m{i}": 1 + 0.1 * i, f"L{i}": 0.3 + 0.02 * i, f"I{i}": 0.01 + 0.001 * i})
        m.body(f"b{i}", mass=f"m{i}", com=[0, 0, f"-L{i}/2"], inertia=[f"I{i}"] * 3)
        parent = {"body": f"b{i - 1}", "at": [0, 0, f"-L{i - 1}"]} if i else {"body": "world"}
        m.joint(f"j{i}", type="revolute", axis=[0, 1, 0], position=0.2 + 0.1 * i, parent=parent, child={"body": f"b{i}"})
    return m.build(), names


def forward_sensitivities(s, x, step, steps, names):
    """X and P of x' = f: X' = J X, P' = J P + f_p, by the same steps."""
    n, m = s.size, len(names)

    def rates(t, z):
        y, Z = z[:, 0], z[:, 1:]
        Zdot = s.jacobian(t, y) @ Z
        Zdot[:, n:] += s.parameter_jacobian(t, y, names)
        return numpy.column_stack([s.derivative(t, y.copy()), Zdot])

    z = numpy.column_stack([x, numpy.eye(n), numpy.zeros((n, m))])
    for k in range(steps):
        t = k * step
        f1 = rates(t, z)
        f2 = rates(t + step / 2, z + step / 2 * f1)
        f3 = rates(t + step / 2, z + step / 2 * f2)
        f4 = rates(t + step, z + step * f3)
        z = z + step / 6 * (f1 + 2 * f2 + 2 * f3 + f4)
    return z[:, 0], z[:, 1 : n + 1], z[:, n + 1 :]


FORCED = "name='f'\n[parameters]\nk=2\n[variables]\nx={initial=1,rate='v'}\nv={initial=0,rate='-k*sin(x)+cos(t)'}\n"


class Adjoint(unittest.TestCase):
    def test_thirty_parameters(self):
        model, names = chain(10)
        self.assertEqual(len(names), 30)
        s = model.system()
        end, X, P = forward_sensitivities(s, s.start, 0.002, 200, names)
        numpy.testing.assert_allclose(adjoint.run(s, s.start, 0.002, 200), end, rtol=1e-13, atol=1e-13)
        w = numpy.random.default_rng(1).standard_normal(s.size)
        by_start, by_parameters = adjoint.gradient(s, s.start, w, 0.002, 200, parameters=names)
        numpy.testing.assert_allclose(by_start, w @ X, rtol=1e-10, atol=1e-10)
        numpy.testing.assert_allclose(by_parameters, w @ P, rtol=1e-10, atol=1e-10)
        self.assertGreater(abs(by_parameters).min(), 0)

    def test_thousand_steps_cost_a_few_runs(self):
        """Below five runs of the same steps, once its code is compiled; CPU time, the best of some."""
        import time

        model, names = chain(10)
        s = model.system()
        w = numpy.zeros(s.size)
        w[0] = 1

        def cost(work):
            best = float("inf")
            for _ in range(5):
                begin = time.process_time()
                work()
                best = min(best, time.process_time() - begin)
            return best

        call = lambda: adjoint.gradient(s, s.start, w, 0.001, 1000, parameters=names)  # noqa: E731
        _, by_parameters = call()  # compiles
        ratio = cost(call) / cost(lambda: adjoint.run(s, s.start, 0.001, 1000))
        print(f"gradient by 30 parameters over 1000 steps: {ratio:.2f} runs")
        self.assertLess(ratio, 5)
        # the same without compiled code: fewer steps than it pays for, in pieces
        x, back, sums = s.start, w, numpy.zeros(30)
        starts = [x]
        for _ in range(9):
            starts.append(adjoint.run(s, starts[-1], 0.001, 100))
        fresh = model.system()
        for k in range(9, 6, -1):
            back, added = fresh.steps_gradient(0.1 * k, starts[k], back, 0.001, 100, names)
            sums += added
        by_70, by_p = adjoint.gradient(s, starts[7], w, 0.001, 300, parameters=names)
        numpy.testing.assert_allclose(back, by_70, rtol=1e-10, atol=1e-10)
        numpy.testing.assert_allclose(sums, by_p, rtol=1e-10, atol=1e-10)
        self.assertGreater(abs(by_parameters).min(), 0)

    def test_products_are_those_of_the_jacobian(self):
        """jvp and vjp come from formulas of cost O(n): equal to rounding, batched, with out=."""
        random = numpy.random.default_rng(3)
        for links in (1, 4, 10):
            s = chain(links)[0].system()
            x = s.start + 0.3 * random.standard_normal((5, 2, s.size))
            u = random.standard_normal(x.shape)
            J = s.jacobian(0.0, x)
            forward, back = numpy.einsum("...ij,...j->...i", J, u), numpy.einsum("...i,...ij->...j", u, J)
            size = abs(J).max()
            numpy.testing.assert_allclose(s.jvp(0.0, x, u), forward, rtol=0, atol=1e-12 * size * links)
            numpy.testing.assert_allclose(s.vjp(0.0, x, u), back, rtol=0, atol=1e-12 * size * links)
            out = numpy.empty_like(x)
            self.assertIs(s.vjp(0.0, x, u, out=out), out)
            numpy.testing.assert_array_equal(out, s.vjp(0.0, x, u))

    def test_compiled_code_and_the_system_agree(self):
        """Loops, drives, a table in a coupler, states beside the mechanism: the same gradients either way."""
        for name in ("four_bar", "cam", "dc_motor_winch"):
            with self.subTest(name):
                model = cartan.load(os.path.join(os.environ["CARTAN_ROOT"], f"examples/{name}.toml"))
                s, names, h = model.system(), list(model.parameters), 1e-4
                w = numpy.random.default_rng(1).standard_normal(s.size)
                by_start, by_parameters = adjoint.gradient(s, s.start, w, h, 300, parameters=names)
                starts = [s.start]
                for k in range(2):
                    starts.append(adjoint.run(s, starts[-1], h, 100, t=100 * h * k))
                sums = numpy.zeros(len(names))
                for k in (2, 1, 0):  # systems of their own, each asked for too little to compile
                    w, added = model.system().steps_gradient(100 * h * k, starts[k], w, h, 100, names)
                    sums += added
                numpy.testing.assert_allclose(by_start, w, rtol=0, atol=1e-10 * abs(w).max())
                numpy.testing.assert_allclose(by_parameters, sums, rtol=0, atol=1e-10 * abs(sums).max())

    def test_batches(self):
        s = cartan.load_text(FORCED).system()
        x = s.start + numpy.arange(6).reshape(2, 3, 1) * 0.1
        w = numpy.ones_like(x)
        ends = adjoint.run(s, x, 0.01, 50)
        by_start, by_k = adjoint.gradient(s, x, w, 0.01, 50, parameters=["k"])
        self.assertEqual((ends.shape, by_start.shape, by_k.shape), ((2, 3, 2), (2, 3, 2), (2, 3, 1)))
        h = 1e-6
        up, down = (
            adjoint.run(cartan.load_text(FORCED, set={"k": 2 + d}).system(), x[1, 2], 0.01, 50).sum() for d in (h, -h)
        )
        self.assertAlmostEqual(by_k[1, 2, 0], (up - down) / (2 * h), delta=1e-7)

    def test_wrong_calls(self):
        s = cartan.load_text(FORCED).system()
        x, w = s.start, numpy.ones(2)
        wrong = {
            "a state too short": lambda: s.take_steps(0, [1.0], 0.1, 3),
            "no number": lambda: s.take_steps(0, [1.0, float("nan")], 0.1, 3),
            "a step of zero": lambda: s.take_steps(0, x, 0, 3),
            "no step": lambda: s.take_steps(0, x, float("inf"), 3),
            "half a step": lambda: s.take_steps(0, x, 0.1, 2.5),
            "steps backwards": lambda: s.take_steps(0, x, 0.1, -1),
            "too many": lambda: s.take_steps(0, x, 0.1, 1e30),
            "a word": lambda: s.take_steps(0, "x", 0.1, 3),
            "out of another shape": lambda: s.take_steps(0, x, 0.1, 3, out=numpy.zeros(3)),
            "a gradient too long": lambda: s.steps_gradient(0, x, [1, 2, 3], 0.1, 3),
            "more gradients": lambda: s.steps_gradient(0, x, [w, w], 0.1, 3),
            "no such parameter": lambda: s.steps_gradient(0, x, w, 0.1, 3, ["kk"]),
            "parameters as numbers": lambda: s.steps_gradient(0, x, w, 0.1, 3, [1]),
        }
        for name, call in wrong.items():
            with self.subTest(name), self.assertRaises((TypeError, ValueError)):
                call()
        numpy.testing.assert_array_equal(s.take_steps(0, x, 0.1, 0), x)
        numpy.testing.assert_array_equal(s.steps_gradient(0, x, w, 0.1, 0)[0], w)

    def test_parameter_jacobian(self):
        model, _ = chain(2)
        s, x = model.system(), model.system().start
        J = s.parameter_jacobian(0.0, x, ["m1", "L0"])
        self.assertEqual(J.shape, (s.size, 2))
        for k, (name, value) in enumerate((("m1", 1.1), ("L0", 0.3))):
            h = 1e-5
            up, down = (model.with_({name: value + d}).system().derivative(0.0, x) for d in (h, -h))
            numpy.testing.assert_allclose(J[:, k], (up - down) / (2 * h), rtol=1e-6, atol=1e-7)
        with self.assertRaisesRegex(cartan.InputError, "m1"):
            s.parameter_jacobian(0.0, x, "m11")

    def test_torch(self):
        try:
            import torch
        except ImportError:
            with self.assertRaisesRegex(ImportError, "python3-torch"):
                adjoint.torch_step(None, None, 0.1)
            self.skipTest("PyTorch is not installed")
        s = cartan.load_text("name='o'\n[variables]\nx={initial=1,rate='v'}\nv={initial=0,rate='-x'}\n").system()
        x = torch.tensor([1.0, 0.0], dtype=torch.float64, requires_grad=True)
        end = adjoint.torch_run(s, x, 0.01, 100)
        loss = (end**2 * torch.tensor([1.0, 2.0])).sum()
        loss.backward()
        # x(1) = R x(0) with a rotation R, to the order of the steps
        c, d = numpy.cos(1), numpy.sin(1)
        R, e = numpy.array([[c, d], [-d, c]]), numpy.array([c, -d])
        numpy.testing.assert_allclose(x.grad.numpy(), R.T @ (2 * numpy.array([1, 2]) * e), atol=1e-8)
        self.assertTrue(torch.autograd.gradcheck(lambda y: adjoint.torch_step(s, y, 0.1), (x.detach().requires_grad_(),)))


if __name__ == "__main__":
    unittest.main()
