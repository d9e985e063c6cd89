"""What a Model can do beside what the library gives it."""

from collections.abc import Mapping

from . import _cartan
from .errors import InputError, nearest

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
}


class Parameters(Mapping):
    """The parameters of a model with their values; completes names, suggests the nearest for a wrong one."""

    def __init__(self, values):
        self._values = values

    def __getitem__(self, name):
        try:
            return self._values[name]
        except KeyError:
            raise InputError(f"no parameter {name!r}: {nearest(str(name), list(self._values))}") from None

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

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
    """The same model with other values of parameters: numbers, or expressions of other parameters."""
    model = self
    for name, value in {**(parameters or {}), **more}.items():
        if name not in model._parameters:
            raise InputError(f"no parameter {name!r}: {nearest(name, list(model._parameters))}")
        model = model._with(name, value if isinstance(value, str) else float(value))
    return model


def _restore(text, file, values):
    model = _cartan.load_text(text, file=file)
    for name, value in values.items():  # in file order: what depends on a parameter follows it
        if model._parameters[name] != value:
            model = model._with(name, value)
    return model


def _method(name, first):
    function = getattr(_cartan, name)

    def method(self, *values, **options):
        if len(values) > len(first):
            raise TypeError(
                f"{name}() takes {'only named options' if not first else 'at most ' + ', '.join(first) + ' without a name'}"
            )
        for option, value in zip(first, values):
            if option in options or option + "_" in options:
                raise TypeError(f"{name}() got {option!r} twice")
            options[option] = value
        return function(self, **options)

    method.__name__ = name
    method.__qualname__ = f"Model.{name}"
    method.__doc__ = function.__doc__
    return method


def _system(self, formulation=""):
    """The equations as functions of arrays: derivative, jacobian, mass_matrix, .."""
    return _cartan.System(self, formulation)


def _html(self):
    """A table of what the model is, for notebooks."""
    import html

    rows = [("bodies", self.bodies), ("joints", self.joints), ("forces", self.forces)]
    rows += [("constraints", self.constraints), ("variables", self.variables), ("outputs", self.outputs)]
    cells = [f"<tr><th>{k}</th><td>{html.escape(', '.join(v))}</td></tr>" for k, v in rows if v]
    values = ", ".join(f"{k} = {v:.6g}" for k, v in self._parameters.items())
    if values:
        cells.append(f"<tr><th>parameters</th><td>{html.escape(values)}</td></tr>")
    try:
        check = _cartan.check(self)
        cells.insert(0, f"<tr><th>degrees of freedom</th><td>{check.dof}</td></tr>")
    except Exception as error:  # shown instead
        cells.insert(0, f"<tr><th>check</th><td>{html.escape(str(error))}</td></tr>")
    return f"<b>{html.escape(self.name)}</b><table>{''.join(cells)}</table>"


def extend_model(model):
    for name, first in _FIRST.items():
        setattr(model, name, _method(name, first))
    model.parameters = property(lambda self: Parameters(self._parameters), doc="names and values")
    model.with_ = _with
    model.system = _system
    model._repr_html_ = _html
    model.__repr__ = lambda self: f"<cartan.Model {self.name!r}, {len(self.bodies)} bodies, {len(self.joints)} joints>"
    model.__reduce__ = lambda self: (_restore, (self.text, self.file, dict(self._parameters)))
