"""Gradients of a whole run: a run of classical Runge-Kutta steps, differentiated backwards.

With x_{k+1} = x_k + h/6 (f1 + 2 f2 + 2 f3 + f4) the gradient w of any function of the last state goes back step by
step: the exact gradient of what was computed. The stages of a stretch of steps are kept, those before it are computed
again from where their stretches begin. All of it happens in compiled code; from a thousand evaluations on this is code
for the model at hand, which the C compiler makes when it is first asked for (seconds, then from the cache).

>>> m = cartan.load_text("name = 'decay'\\n[parameters]\\nk = 0.5\\n[variables]\\nx = { initial = 1, rate = '-k*x' }\\n")
>>> s = m.system()
>>> end = run(s, s.start, step=0.01, steps=100)
>>> by_start, by_parameters = gradient(s, s.start, [1.0], step=0.01, steps=100, parameters=["k"])
>>> abs(float(by_start[0]) - float(end[0])) < 1e-12, round(float(by_parameters[0]), 6)
(True, -0.606531)

`torch_step` and `torch_run` are functions of PyTorch over the same, where it is installed.
"""


def run(s, x, step, steps, t=0.0):
    """The state after so many steps. Axes before the last one count states."""
    return s.take_steps(t, x, step, steps)


def gradient(s, x, w, step, steps, t=0.0, parameters=()):
    """By the start, and by parameters of the model, of a function whose gradient by the last state is w."""
    return s.steps_gradient(t, x, w, step, steps, parameters)


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
