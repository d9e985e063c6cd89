"""Gradients of a whole run: a run of classical Runge-Kutta steps, differentiated backwards.

With x_{k+1} = x_k + h/6 (f1 + 2 f2 + 2 f3 + f4) the gradient w of any function of the last state goes back step by
step through products with the exact Jacobian: the exact gradient of what was computed. States at every sqrt(n)-th step
are kept, those between are computed again.

>>> m = cartan.load_text("name = 'decay'\\n[parameters]\\nk = 0.5\\n[variables]\\nx = { initial = 1, rate = '-k*x' }\\n")
>>> s = m.system()
>>> end = run(s, s.start, step=0.01, steps=100)
>>> by_start, by_parameters = gradient(s, s.start, [1.0], step=0.01, steps=100, parameters=["k"])
>>> abs(float(by_start[0]) - float(end[0])) < 1e-12, round(float(by_parameters[0]), 6)
(True, -0.606531)

`torch_step` and `torch_run` are functions of PyTorch over the same, where it is installed.
"""

import math

import numpy


def _stages(s, t, x, h):
    """Where the four stages stand, and their rates."""
    f1 = s.derivative(t, x)
    x2 = x + h / 2 * f1
    f2 = s.derivative(t + h / 2, x2)
    x3 = x + h / 2 * f2
    f3 = s.derivative(t + h / 2, x3)
    x4 = x + h * f3
    return (x, x2, x3, x4), (f1, f2, f3, s.derivative(t + h, x4))


def step_forward(s, t, x, h):
    """One classical Runge-Kutta step."""
    _, (f1, f2, f3, f4) = _stages(s, t, x, h)
    return x + h / 6 * (f1 + 2 * f2 + 2 * f3 + f4)


def step_back(s, t, x, h, w, parameters=()):
    """The gradient before a step from x, of what has the gradient w after it; and what the step adds by parameters."""
    (x1, x2, x3, x4), _ = _stages(s, t, x, h)
    b4 = h / 6 * w
    back4 = s.vjp(t + h, x4, b4)
    b3 = h / 3 * w + h * back4
    back3 = s.vjp(t + h / 2, x3, b3)
    b2 = h / 3 * w + h / 2 * back3
    back2 = s.vjp(t + h / 2, x2, b2)
    b1 = h / 6 * w + h / 2 * back2
    back1 = s.vjp(t, x1, b1)
    added = numpy.zeros(len(parameters))
    if len(parameters):
        for time, at, b in ((t, x1, b1), (t + h / 2, x2, b2), (t + h / 2, x3, b3), (t + h, x4, b4)):
            added += b @ s.parameter_jacobian(time, at, list(parameters))
    return w + back1 + back2 + back3 + back4, added


def run(s, x, step, steps, t=0.0):
    """The state after so many steps."""
    x = numpy.array(x, dtype=float)
    for k in range(steps):
        x = step_forward(s, t + k * step, x, step)
    return x


def gradient(s, x, w, step, steps, t=0.0, parameters=()):
    """By the start, and by parameters of the model, of a function whose gradient by the last state is w."""
    x, w = numpy.array(x, dtype=float), numpy.array(w, dtype=float)
    stride = max(1, math.isqrt(steps))
    kept = {}
    for k in range(steps):
        if k % stride == 0:
            kept[k] = x
        x = step_forward(s, t + k * step, x, step)
    by_parameters = numpy.zeros(len(parameters))
    for first in sorted(kept, reverse=True):
        states = [kept[first]]
        for k in range(first, min(first + stride, steps) - 1):
            states.append(step_forward(s, t + k * step, states[-1], step))
        for k in range(first + len(states) - 1, first - 1, -1):
            w, added = step_back(s, t + k * step, states[k - first], step, w, parameters)
            by_parameters += added
    return w, by_parameters


def _torch():
    try:
        import torch
    except ImportError:
        raise ImportError("PyTorch is not installed; the Debian package python3-torch has it") from None
    return torch


def torch_run(s, x, step, steps, t=0.0):
    """The same as a function of PyTorch: `x` may require a gradient. Numbers are float64 on the CPU."""
    torch = _torch()

    class Run(torch.autograd.Function):
        @staticmethod
        def forward(context, start):
            context.start = start.detach().cpu().numpy().astype(float)
            return torch.from_numpy(run(s, context.start, step, steps, t))

        @staticmethod
        def backward(context, w):
            by_start, _ = gradient(s, context.start, w.detach().cpu().numpy(), step, steps, t)
            return torch.from_numpy(by_start)

    return Run.apply(x)


def torch_step(s, x, step, t=0.0):
    """One step as a function of PyTorch."""
    return torch_run(s, x, step, 1, t)
