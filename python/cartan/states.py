"""States by names."""

import json

from .errors import InputError, nearest


def _values(self):
    """name -> number or array"""
    found = {}
    for joint in self.joints:
        for letter, numbers in (("q", joint.q), ("v", joint.v)):
            if len(numbers):
                found[f"{joint.name}.{letter}"] = float(numbers[0]) if len(numbers) == 1 else numbers
    found.update(self.variables)
    return found


def _getitem(self, name):
    """A coordinate, a speed or a variable by its name.

    >>> cartan.load("examples/four_bar.toml").eval().state["motor.q"]
    0.5
    """
    values = _values(self)
    if name in values:
        return values[name]
    raise InputError(f"the state has no {name!r}: {nearest(str(name), list(values))}")


def _with(self, values=None, **more):
    """The text of a state with other values, for the options `from_`, `at` and `start`.

    >>> m = cartan.load("examples/pendulum.toml")
    >>> start = m.eval().state.with_({"joint1.v": [0, 0.5, 0]})
    >>> float(m.run(0.01, step=0.01, from_=start)["joint1.v1"][0])
    0.5
    """
    known, text = _values(self), json.loads(self.json())
    for name, value in {**(values or {}), **more}.items():
        if name not in known:
            raise InputError(f"the state has no {name!r}: {nearest(str(name), list(known))}")
        joint, _, letter = name.rpartition(".")
        if name in self.variables:
            text["variables"][name] = float(value)
            continue
        numbers = [float(value)] if not hasattr(value, "__len__") else [float(each) for each in value]
        expected = len(text[letter][joint])
        if len(numbers) != expected:
            raise InputError(f"{name}: expected {expected} numbers, got {len(numbers)}")
        text[letter][joint] = numbers
    for key in [key for key in text if key not in ("t", "q", "v", "variables")]:
        del text[key]  # follows from the rest
    return json.dumps(text)


def extend_state(state):
    state.names = property(lambda self: list(_values(self)), doc="what can be asked for by name")
    state.__getitem__ = _getitem
    state.with_ = _with
    state._ipython_key_completions_ = lambda self: list(_values(self))
