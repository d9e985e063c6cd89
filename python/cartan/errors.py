"""What goes wrong, with its places."""

import difflib
import re


class Error(Exception):
    """Base of all errors of Cartan. `problems` lists them one by one: file, line, column, message."""

    def __init__(self, text, problems=()):
        # messages name options as the command line has them: --spectral-radius is spectral_radius here
        super().__init__(re.sub(r"(?<![\w-])--([a-z][a-z-]*)", lambda option: option[1].replace("-", "_"), text))
        self.problems = list(problems)


class InputError(Error, ValueError):
    """A file, a name or an option is wrong (exit status 2 of the command)."""


class FailedError(Error, RuntimeError):
    """The input is in order, but there is no result: no convergence, no such state (exit status 1)."""


def nearest(name, known):
    """' Did you mean ..?', or what there is."""
    same = [each for each in known if each.lower() == name.lower()]
    close = same or difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    if close:
        return f"did you mean {close[0]!r}?"
    return "known are " + ", ".join(sorted(known))


_CONSTRUCTIBLE = ("System", "Derivation", "Kane", "SystemVector", "SystemInertia", "Subexpressions")


def refuse_bare_objects(module):
    """Objects that only functions of the library make cannot be made empty, by hand or by copy.copy."""

    def made_by_hand(cls, *_, **__):
        raise TypeError(f"{cls.__name__}: made by functions of cartan only; there is no copy and no empty one")

    for name, each in list(vars(module).items()):
        enumeration = hasattr(each, "__members__")
        if isinstance(each, type) and name not in _CONSTRUCTIBLE and not enumeration:
            each.__new__ = staticmethod(made_by_hand)


def unknown_option(function, name, known):
    return f"{function}() has no option {name!r}: {nearest(name, known)}"
