"""Cartan: the mechanics of machines.

>>> import cartan
>>> m = cartan.load("examples/heavy_top.toml")
>>> r = m.run(2, step=0.01)
>>> r["top.q0"], r.t, r.energy.drift
"""

from . import _cartan
from ._cartan import *  # noqa: F401,F403: records
from ._cartan import Model, Run, Table, __version__, formulations, integrators, load, load_text, plot
from .builder import Machine
from .errors import Error, FailedError, InputError
from .model import Parameters, extend_model
from .results import extend_results

extend_model(Model)
extend_results(Run, Table)

check, eval, run, compare = _cartan.check, _cartan.eval, _cartan.run, _cartan.compare  # noqa: A001
linearize, equilibrium, orbit, continue_ = _cartan.linearize, _cartan.equilibrium, _cartan.orbit, _cartan.continue_
lyapunov, fit, inverse = _cartan.lyapunov, _cartan.fit, _cartan.inverse
equations, generate = _cartan.equations, _cartan.generate
