"""Gradients of whole runs, against forward sensitivities and closed forms."""

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
