"""What a Model can do beside what the library gives it."""

from collections.abc import Mapping

from . import _cartan
from .typeset import equations
from .errors import InputError, nearest
from .viewing import shown_or_note, view

# The options that may be given without their names, in this order.
_FIRST = {
    "check": (),
    "eval": ("at",),
    "run": ("duration",),
    "compare": (),
    "linearize": (),
    "linearize_sweep": ("sweep",),
    "equilibrium": (),
    "equilibrium_search": ("search",),
    "orbit": ("period",),
    "continue_": ("parameter", "from", "to"),
    "lyapunov": ("duration",),
    "fit": ("free", "data"),
    "fit_alternatives": ("free", "data"),
    "inverse": ("motion",),
    "equations": (),
    "generate": ("language",),
    "ik": ("target",),
    "optimise": ("free", "minimise"),
    "study": ("vary", "keep"),
}


# One example each: they stand in the docstrings, and a test runs them.
_TOP = '>>> m = cartan.load("examples/heavy_top.toml")\n'
_PENDULUM = '>>> m = cartan.load("examples/pendulum.toml")\n'
_DECAY = (
    ">>> m = cartan.load_text(\"name = 'decay'\\n[parameters]\\nk = 1\\n\"\n"
    "...     \"[variables]\\nx = { initial = 1, rate = '-k*x' }\\n\")\n"
)
_EXAMPLES = {
    "check": _TOP + ">>> m.check().dof\n3",
    "eval": _TOP + ">>> m.eval().mass_matrix.shape\n(3, 3)",
    "run": _TOP + '>>> r = m.run(0.1, step=0.01, integrator="rk4", every=1)\n>>> r["top.qw"].shape, r.status\n((11,), \'completed\')',
    "compare": _PENDULUM
    + '>>> c = m.compare(integrators=["gl2", "rk4"], steps=[0.02, 0.01], duration=0.2)\n>>> len(c.rows) > 0\nTrue',
    "linearize": _PENDULUM + '>>> m.linearize(at="equilibrium").stable\nTrue',
    "linearize_sweep": _PENDULUM
    + '>>> s = m.linearize_sweep("L=lin(0.4,0.6,3)", at="equilibrium")\n>>> [p.value for p in s.points]\n[0.4, 0.5, 0.6]',
    "equilibrium": _PENDULUM + ">>> m.equilibrium().stable\nTrue",
    "equilibrium_search": ">>> m = cartan.load_text(\"name = 'two'\\n[variables]\\nx = { initial = 0, rate = '1 - x^2' }\\n\")\n"
    '>>> len(m.equilibrium_search("x=lin(-2,2,4)").equilibria)\n2',
    "orbit": ">>> m = cartan.load_text(\"name = 'circle'\\n[variables]\\nx = { initial = 1, rate = 'y + x*(1-x^2-y^2)' }\\n\"\n"
    "...     \"y = { initial = 0, rate = '-x + y*(1-x^2-y^2)' }\\n\")\n"
    '>>> round(m.orbit("6", section="y").period, 9)\n6.283185307',
    "continue_": ">>> m = cartan.load_text(\"name = 'fold'\\n[parameters]\\na = 0.5\\n\"\n"
    "...     \"[variables]\\nx = { initial = 0.7, rate = 'a - x^2' }\\n\")\n"
    '>>> b = m.continue_("a", 0.5, 1)\n>>> len(b.points) > 2\nTrue',
    "lyapunov": _DECAY + ">>> round(m.lyapunov(50).exponents[0], 6)\n-1.0",
    "fit": _DECAY
    + ">>> import tempfile\n>>> with tempfile.NamedTemporaryFile('w', suffix='.csv') as file:\n"
    "...     print('t,x', '0,1', '1,0.5', '2,0.25', sep='\\n', file=file, flush=True)\n"
    "...     f = m.fit('k', file.name)\n>>> round(f.parameters[0].value, 2)\n0.69",
    "fit_alternatives": _DECAY
    + ">>> import tempfile\n>>> with tempfile.NamedTemporaryFile('w', suffix='.csv') as file:\n"
    "...     print('t,x', '0,1', '1,0.5', '2,0.25', sep='\\n', file=file, flush=True)\n"
    "...     f = m.fit_alternatives('k;k=2', file.name)\n>>> len(f)\n2",
    "inverse": _PENDULUM
    + ">>> import tempfile\n>>> with tempfile.TemporaryDirectory() as folder:\n"
    "...     m.run(0.2, step=0.01).save(folder, force=True)\n"
    "...     f = m.inverse(folder + '/trajectory.csv')\n>>> len(f.table) == 21\nTrue",
    "equations": _PENDULUM + '>>> "sin" in m.equations()\nTrue',
    "generate": _PENDULUM + '>>> [f.name for f in m.generate("python").files]\n[\'pendulum.py\']',
    "ik": '>>> m = cartan.load("examples/four_bar.toml")\n>>> len(m.ik("motor.q = pi/3", all=True).solutions)\n2',
    "optimise": _DECAY
    + '>>> best = m.optimise("k", "(final(x) - 0.5)^2", duration=1)\n>>> round(best.parameters["k"], 4)\n0.6931',
    "study": _DECAY
    + '>>> s = m.study({"k": "lin(0,1,3)"}, {"end": "final(x)"}, duration=1)\n'
    ">>> s.table[\"end\"].round(6).tolist()\n[1.0, 0.606531, 0.367879]",
}


class Parameters(Mapping):
    """The parameters of a model with their values; completes names, suggests the nearest for a wrong one.

    >>> p = cartan.load("examples/pendulum.toml").parameters
    >>> p["L"] == p.L
    True
    """

    def __init__(self, values):
        self._values = values

    def __getitem__(self, name):
        try:
            return self._values[name]
        except KeyError:
            raise InputError(f"no parameter {name!r}: {nearest(str(name), list(self._values))}") from None

    def __getattr__(self, name):
        if name in self._values:
            return self._values[name]
        raise AttributeError(f"no parameter {name!r}: {nearest(name, list(self._values))}")

    def __contains__(self, name):
        return name in self._values

    def __iter__(self):
        return iter(self._values)

    def __len__(self):
        return len(self._values)

    def __dir__(self):
        return [*super().__dir__(), *self._values]

    def _ipython_key_completions_(self):
        return list(self._values)

    def __repr__(self):
        return "Parameters(" + ", ".join(f"{k}={v:.12g}" for k, v in self._values.items()) + ")"


def _with(self, parameters=None, **more):
    """The same model with other values of parameters: numbers, or expressions of other parameters.

    >>> cartan.load("examples/pendulum.toml").with_(L=0.7).parameters["L"]
    0.7
    """
    model = self
    for name, value in {**(parameters or {}), **more}.items():
        if name not in model._parameters:
            raise InputError(f"no parameter {name!r}: {nearest(name, list(model._parameters))}")
        model = model._with(name, value if isinstance(value, str) else float(value))
    return model


def _restore(text, file, options):
    return _cartan.load_text(text, file=file, **options)


def _controlled_run(model, options):
    """m.run(.., control=f, control_step=h): f(t, state) gives the inputs until it is asked again."""
    import os
    import tempfile

    control, step = options.pop("control"), options.pop("control_step", None)
    if not callable(control):
        raise TypeError(f"control must be a function control(t, state), not {type(control).__name__}")
    if step is None:
        raise TypeError("control needs control_step, the time from one call to the next")
    where = {key: options[key] for key in options if key not in ("out", "force", "report", "record", "keep_partial")}
    table = _cartan.find_inputs(model, control, step, **where)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "inputs.csv")
        with open(path, "w", encoding="utf-8") as file:
            print(*(column.name for column in table.columns), sep=",", file=file)
            for row in zip(*(column.values.tolist() for column in table.columns)):
                print(*map(repr, row), sep=",", file=file)
        held = _restore(model.text, model.file, {**model._options, "input_file": path, "input_kind": "steps"})
        return _cartan.run(held, **options)


_CONTROL = """

    control=f, control_step=h: a controller in Python. f(t, state) is asked at the start and every h, and gives the
    inputs that hold until then: a dict by name, a list in the order of m.inputs, or one number. The price: some
    milliseconds a call (the interpreter, and equations made anew for the new inputs), and the motion is computed
    twice, the second time with the inputs found. A controller in the model file ([variables], expressions) costs
    nothing of that.

    >>> m = cartan.load_text("name = 'cart'\\n[inputs]\\nu = 0\\n[variables]\\n"
    ...     "x = { initial = 1, rate = 'v' }\\nv = { initial = 0, rate = 'u' }\\n")
    >>> r = m.run(10, step=0.01, control=lambda t, state: -state["x"] - 2 * state["v"], control_step=0.05)
    >>> abs(r["x"][-1]) < 1e-2, r["u"][0]
    (True, -1.0)
"""


def _method(name, first):
    function = equations if name == "equations" else getattr(_cartan, name)

    def method(self, *values, **options):
        if len(values) > len(first):
            raise TypeError(
                f"{name}() takes {'only named options' if not first else 'at most ' + ', '.join(first) + ' without a name'}"
            )
        for option, value in zip(first, values):
            if option in options or option + "_" in options:
                raise TypeError(f"{name}() got {option!r} twice")
            options[option] = value
        if name == "run" and "control" in options:
            return _controlled_run(self, options)
        return function(self, **options)

    method.__name__ = name
    method.__qualname__ = f"Model.{name}"
    about, _, options = (function.__doc__ or "").partition("\n\nOptions:")
    about = about.partition("\n\n")[2] or about  # without pybind11's signature
    example = "\n    ".join(_EXAMPLES[name].splitlines())
    more = _CONTROL if name == "run" else ""
    method.__doc__ = f"{about}\n\n    {example}{more}\n\nOptions:{options}"
    return method


def _system(self, formulation=""):
    """The equations as functions of arrays: derivative, jacobian, mass_matrix, ..

    >>> s = cartan.load("examples/pendulum.toml").system()
    >>> s.derivative(0.0, s.start).shape == (s.size,)
    True
    """
    return _cartan.System(self, formulation)


def _html(self):
    """What a notebook shows: tree, degrees of freedom, parameters, picture."""
    import html
    import textwrap

    try:
        report = _cartan.check(self).text
    except Exception as error:  # noqa: BLE001: shown instead
        report = str(error)
    values = ", ".join(f"{k} = {v:.6g}" for k, v in self._parameters.items())
    if values:
        margin = " " * 21
        report += textwrap.fill(values, 110, initial_indent="parameters".ljust(21), subsequent_indent=margin) + "\n"
    picture = shown_or_note(self) if self.is_mechanism else ""
    return f"<b>{html.escape(self.name)}</b><pre>{html.escape(report)}</pre>{picture}"


def extend_model(model):
    for name, first in _FIRST.items():
        setattr(model, name, _method(name, first))
    model.parameters = property(lambda self: Parameters(self._parameters), doc="names and values")
    model.with_ = _with
    model.system = _system
    model.view = view
    model._repr_html_ = _html
    model.__repr__ = lambda self: f"<cartan.Model {self.name!r}, {len(self.bodies)} bodies, {len(self.joints)} joints>"
    model.__reduce__ = lambda self: (_restore, (self.text, self.file, self._options))
