"""Cartan: the mechanics of machines.

>>> m = cartan.load("examples/heavy_top.toml")
>>> r = m.run(0.5, step=0.01, every=1)
>>> len(r.t), r.energy.drift < 1e-6
(51, True)
"""

import os as _os

from . import _cartan
from ._cartan import *  # noqa: F401,F403: records
from ._cartan import Model, Run, Table, __version__, formulations, integrators, load, load_text, plot
from .builder import Machine
from .typeset import Equations, equations
from .errors import Error, FailedError, InputError, refuse_bare_objects
from .model import Parameters, extend_model
from .results import extend_results
from .states import extend_state
from .viewing import View, view

del symbols  # noqa: F821: of the compiled part; the module of this name is the whole of it
from . import symbols  # noqa: E402

refuse_bare_objects(_cartan)
refuse_bare_objects(_cartan.symbols)
extend_model(Model)
extend_results(Run, Table, (_cartan.Check, _cartan.Fit, _cartan.StudyRuns), _cartan.GeneratedCode, _cartan.CodeFile)
extend_state(_cartan.State)

check, eval, run, compare = _cartan.check, _cartan.eval, _cartan.run, _cartan.compare  # noqa: A001
linearize, equilibrium, orbit, continue_ = _cartan.linearize, _cartan.equilibrium, _cartan.orbit, _cartan.continue_
lyapunov, fit, inverse = _cartan.lyapunov, _cartan.fit, _cartan.inverse
generate, ik, optimise, steer = _cartan.generate, _cartan.ik, _cartan.optimise, _cartan.steer


def study(what, **options):
    """Many runs with numbers that vary: of a model (options vary, keep, runs), or a study file.

    >>> m = cartan.load("examples/pendulum.toml")
    >>> s = cartan.study(m, vary={"tilt": "uniform(0.1,1.5)"}, keep={"lowest": "min(potential)"}, runs=8, duration=1)
    >>> s.runs, s.table["tilt"].shape
    (8, (8,))
    """
    if isinstance(what, Model):
        return _cartan.study(what, **options)
    if isinstance(what, (str, _os.PathLike)):
        return _cartan.study_file(what, **options)
    raise TypeError(f"study() takes a Model or the path of a study file, not {type(what).__name__}")
