"""What goes wrong, with its places."""

import difflib


class Error(Exception):
    """Base of all errors of Cartan. `problems` lists them one by one: file, line, column, message."""

    def __init__(self, text, problems=()):
        super().__init__(text)
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


def unknown_option(function, name, known):
    return f"{function}() has no option {name!r}: {nearest(name, known)}"
