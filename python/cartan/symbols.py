"""Derivations by hand: frames, vectors, Kane's and Lagrange's equations, as on paper.

>>> from cartan.symbols import Derivation, Kane
>>> d = Derivation()
>>> m, L, g = d.constants("m L g")
>>> (q,), (u,) = d.standard(1)
>>> N = d.frame("N")
>>> A = N.rotate("A", 2, q)
>>> bob = -L * A.z
>>> k = Kane(N)
>>> k.particle(m, bob.dt(N), -m * g * N.z)
>>> k.equations([u]).accelerations()[0].simplify()
-g*sin(q1)/L
"""

import re
import zlib
from collections import namedtuple

from . import _cartan
from ._cartan.symbols import *  # noqa: F401,F403
from ._cartan.symbols import Derivation, Expression, Frame, MotionEquations, Vector, _nodes


def _several(make):
    def method(self, names, samples=None):
        """Several at once: "m L g"."""
        words = names.replace(",", " ").split() if isinstance(names, str) else list(names)
        values = [()] * len(words) if samples is None else [(float(sample),) for sample in samples]
        if len(values) != len(words):
            raise ValueError(f"{len(words)} names, but {len(values)} samples")
        made = [make(self, word, *value) for word, value in zip(words, values)]
        return made[0] if len(made) == 1 else tuple(made)

    return method


_constant_with_sample = Derivation.constant


def _constant(self, name, sample=None):
    """A symbol that does not depend on time. Where pivots are chosen its sample value counts; without one it has a
    value between 0.7 and 1.7 of its own.

    >>> d = Derivation()
    >>> d.constant("m") == d.constant("m"), d.constant("m").equals(d.constant("L"))
    (True, False)
    """
    if sample is None:
        sample = 0.7 + zlib.crc32(str(name).encode()) % 997 / 997
    return _constant_with_sample(self, name, sample)


Derivation.constant = _constant
Derivation.constants = _several(Derivation.constant)
Derivation.coordinates = _several(Derivation.coordinate)
Derivation.speeds = _several(Derivation.speed)


def lagrange(lagrangian, coordinates, speeds):
    """d/dt (dL/du) - dL/dq for coordinates whose rates are the speeds."""
    return [lagrangian.diff(u).dt() - lagrangian.diff(q) for q, u in zip(coordinates, speeds)]


class Point:
    """A point: where it is from another one, and how fast it moves.

    >>> d = Derivation()
    >>> q, u = d.standard(1)
    >>> N = d.frame("N")
    >>> P = Point("O").locate("P", d.constant("L") * N.rotate("A", 3, q[0]).x)
    >>> P.velocity(N)
    [0, u1*L, 0] A
    """

    def __init__(self, name, origin=None, offset=None):
        self.name, self.origin, self.offset, self._velocity = name, origin, offset, None

    def locate(self, name, offset):
        """Another point, at `offset` from this one."""
        return Point(name, self, offset)

    def _path(self):
        points = [self]
        while points[-1].origin is not None:
            points.append(points[-1].origin)
        return points

    def position(self, origin=None):
        """The vector from the first point, or from another one of the same chain of points."""
        total = None
        for point in self._path():
            if point is origin:
                return total if total is not None else 0 * self._path()[-2].offset
            if point.origin is not None:
                total = point.offset if total is None else total + point.offset
        if origin is not None:
            back = origin.position()
            return -back if total is None else total - back
        if total is None:
            raise ValueError(f"point {self.name!r} is where positions begin: it has none of its own")
        return total

    def set_velocity(self, velocity):
        """Given instead of derived: a point at rest, the contact of a wheel that rolls."""
        self._velocity = velocity

    def velocity(self, frame):
        """As seen in a frame."""
        total = None
        for point in self._path():
            if point._velocity is not None:
                return point._velocity if total is None else total + point._velocity
            if point.origin is not None:
                rate = point.offset.dt(frame)
                total = rate if total is None else total + rate
        if total is None:
            raise ValueError(f"point {self.name!r}: say how it moves with set_velocity, or locate it from another")
        return total

    def __repr__(self):
        return f"Point {self.name}"


# ------------------------------------------------------------------------------------- in print


def _axis(frame, k):
    return f"\\hat{{\\mathbf{{{frame.name.lower()}}}}}_{{{'xyz'[k]}}}"


def _vector_latex(self):
    """LaTeX: components with the axes they belong to."""
    parts = []
    for frame, components in self.terms():
        for k, value in enumerate(components):
            text = value.latex
            if text in ("0", "0.0"):
                continue
            if text in ("1", "1.0", "-1", "-1.0"):
                text = text.rstrip("0").rstrip(".").rstrip("1")
            elif re.search(r"[^\\]\s[+-]\s", text):
                text = f"\\left({text}\\right)"
            parts.append(f"{text}\\,{_axis(frame, k)}" if text not in ("", "-") else text + _axis(frame, k))
    return " + ".join(parts).replace("+ -", "- ") or "0"


Vector.latex = property(_vector_latex, doc="components with their axes")
Vector._repr_latex_ = lambda self: f"${_vector_latex(self)}$"
Frame._repr_latex_ = lambda self: "$" + ",\\; ".join(_axis(self, k) for k in range(3)) + "$"


# ------------------------------------------------------------------ what is done with equations


def _symbols_in(derivation, values):
    """The symbols that values depend on, in the order they were made."""
    entries, _ = _nodes(derivation, values)
    return [derivation.constant(entry[2]) for entry in entries if entry[1] == "input"]


def _flat(rows):
    return [entry for row in rows for entry in row]


Transformed = namedtuple("Transformed", "W D W_rate speeds accelerations")
Transformed.__doc__ = "Speeds W u in which the mass matrix is the diagonal D; W', the speeds and their rates."


def _transform(self):
    """Speeds in which the mass matrix is diagonal: M = W^T D W, new speeds W u.

    >>> d = Derivation()
    >>> m = d.constant("m", 2)
    >>> q, u = d.standard(2)
    >>> N = d.frame("N")
    >>> k = Kane(N)
    >>> k.particle(m, (q[0] * N.x).dt(N))
    >>> k.particle(m, ((q[0] + q[1]) * N.x).dt(N))
    >>> t = k.equations(u).transform()
    >>> t.D, t.speeds
    ([2*m, m/2], [u1 + u2/2, u2])
    """
    return Transformed(*self.speeds[0].derivation._transform(self.M, self.f, self.speeds))


class LinearMotion:
    """x' = A x + B w near a steady motion; x: coordinates, then speeds; w: inputs."""

    def __init__(self, states, inputs, A, B):
        self.states, self.inputs, self.A, self.B = states, inputs, A, B

    def numbers(self, values=None):
        """A and B as arrays, with numbers for the symbols that are left: {L: 0.4, ..}."""
        import numpy

        values = values or {}
        entries = _flat(self.A) + _flat(self.B)
        derivation = self.states[0].derivation
        numbers = numpy.array([float(x) for x in derivation.subs(entries, values)])
        n, m = len(self.states), len(self.inputs)
        return numbers[: n * n].reshape(n, n), numbers[n * n :].reshape(n, m)

    def eigenvalues(self, values=None):
        """Of A, with numbers for the symbols that are left."""
        import numpy

        return numpy.linalg.eigvals(self.numbers(values)[0])

    def __repr__(self):
        rows = ["A = " + "\n    ".join(str(row) for row in self.A)]
        if self.inputs:
            rows.append("B = " + "\n    ".join(str(row) for row in self.B))
        return "\n".join(rows)


def _linearize(self, coordinates, at, inputs=(), constraints=(), dependent=()):
    """Linear motion near a steady one: `at` says where, as {symbol: number or expression}.

    Coordinates that follow from others are named in `dependent`, the expressions that vanish with them in
    `constraints`. Rates of the coordinates are those of the derivation.

    >>> d = Derivation()
    >>> L, g = d.constant("L", 1), d.constant("g", 10)
    >>> q, u = d.standard(1)
    >>> N = d.frame("N")
    >>> k = Kane(N)
    >>> k.particle(1, (-L * N.rotate("A", 2, q[0]).z).dt(N), -g * N.z)
    >>> k.equations(u).linearize(q, at={q[0]: 0, u[0]: 0})
    A = [0, 1]
        [-g/L, 0]
    """
    d = self.speeds[0].derivation
    coordinates, inputs, dependent = list(coordinates), list(inputs), list(dependent)
    states = coordinates + list(self.speeds)
    for value in d.subs(self.f, at):
        if not value.is_zero():
            raise ValueError(f"the motion is not steady there: a force of {value} is left; name a steady one in `at`")
    rates = [q.dt() for q in coordinates]
    values = rates + list(self.f)
    by = d.jacobian(values, states + inputs)
    by = _rows(d.subs(_flat(by), at), len(states) + len(inputs))
    if dependent:  # d/dq of what the constraints make of them
        inner = _rows(d.subs(_flat(d.jacobian(constraints, dependent)), at), len(dependent))
        outer = _rows(d.subs(_flat(d.jacobian(constraints, coordinates)), at), len(coordinates))
        follow = d.solve(inner, [[-x for x in row] for row in outer])
        if len(coordinates) == 1:
            follow = [[x] for x in follow]
        through = _rows(d.subs(_flat(d.jacobian(values, dependent)), at), len(dependent))
        for i, row in enumerate(by):
            for j in range(len(coordinates)):
                row[j] = row[j] + sum((through[i][k] * follow[k][j] for k in range(len(dependent))), 0)
    M = _rows(d.subs(_flat(self.M), at), len(self.speeds))
    lower = d.solve(M, by[len(coordinates) :])
    if lower and not isinstance(lower[0], list):
        lower = [[x] for x in lower]
    rows = [[_shown(x) for x in row] for row in by[: len(coordinates)] + lower]
    n = len(states)
    return LinearMotion(states, inputs, [row[:n] for row in rows], [row[n:] for row in rows])


def _shown(x):
    """Short expressions in the form that is best read; long ones take too long."""
    return x.simplify() if isinstance(x, Expression) and x.operations <= 30 else x


def _rows(entries, columns):
    return [list(entries[k : k + columns]) for k in range(0, len(entries), columns)]


def _generate(self, language, name, inputs, outputs):
    """Code for values: {file name: text}. `inputs` and `outputs` map names to lists (or rows) of expressions.

    >>> d = Derivation()
    >>> x, y = d.constants("x y")
    >>> files = d.generate("python", "circle", {"p": [x, y]}, {"r": [sqrt(x**2 + y**2)]})
    >>> sorted(files)
    ['circle.py']
    """
    return self._generate(language, name, list(inputs.items()), "values", list(outputs.items()), None)


def _generate_motion(self, language, name, coordinates):
    """Code for the rates of coordinates and speeds as functions of time, state and parameters: {file name: text}.

    >>> d = Derivation()
    >>> q, u = d.standard(1)
    >>> k = Kane(d.frame("N"))
    >>> k.particle(d.constant("m", 2), (q[0] * d.frame("N").x).dt(d.frame("N")))
    >>> files = k.equations(u).generate("c", "free_particle", q)
    >>> sorted(files)
    ['free_particle.c', 'free_particle.h']
    """
    d = self.speeds[0].derivation
    coordinates = list(coordinates)
    rates = [q.dt() for q in coordinates]
    states = coordinates + list(self.speeds)
    every = _symbols_in(d, rates + _flat(self.M) + list(self.f))
    others = [s for s in every if s not in states and s != d.time]
    arguments = [("t", d.time), ("x", states), ("p", others)]
    return d._generate(language, name, arguments, "rates", [("q_rate", rates)], ("u_rate", self.M, self.f))


Derivation.generate = _generate
MotionEquations.transform = _transform
MotionEquations.linearize = _linearize
MotionEquations.generate = _generate_motion


def to_sympy(value, symbols=None):
    """The same in SymPy: an expression, or nested lists of them. `symbols` maps names to symbols of yours."""
    import sympy

    if isinstance(value, (list, tuple)):
        return type(value)(to_sympy(each, symbols) for each in value)
    if not isinstance(value, Expression):
        return sympy.sympify(value)
    known = {} if symbols is None else symbols
    try:
        entries, (root,) = _nodes(value.derivation, [value])
    except ValueError:
        return sympy.Float(float(value))
    functions = {"asin": sympy.asin, "acos": sympy.acos, "atan": sympy.atan, "abs": sympy.Abs, "min": sympy.Min}
    functions |= {"max": sympy.Max, "step": lambda x: sympy.Heaviside(x, 0)}
    made = {}
    for node, operation, *operands in entries:
        if operation == "constant":
            number = operands[0]
            made[node] = sympy.Integer(int(number)) if number == int(number) else sympy.nsimplify(number, rational=True)
        elif operation == "input":
            name = operands[0]
            made[node] = known.setdefault(name, sympy.Symbol(name, real=True))
        else:
            a, b, c = (made.get(k) for k in operands)
            made[node] = {
                "add": lambda: a + b,
                "subtract": lambda: a - b,
                "multiply": lambda: a * b,
                "divide": lambda: a / b,
                "negate": lambda: -a,
                "power": lambda: a**b,
                "atan2": lambda: sympy.atan2(a, b),
                "if_positive": lambda: sympy.Piecewise((b, a > 0), (c, True)),
                "min": lambda: sympy.Min(a, b),
                "max": lambda: sympy.Max(a, b),
            }.get(operation, lambda: functions.get(operation, getattr(sympy, operation, None))(a))()
    return made[root]


def from_sympy(value, derivation):
    """An expression of SymPy as one of a derivation; symbols become constants unless they exist already."""
    import sympy

    if isinstance(value, (list, tuple)):
        return [from_sympy(each, derivation) for each in value]
    value = sympy.sympify(value)
    done = {}
    names = {sympy.Abs: "Abs", sympy.sign: "sign", sympy.atan2: "atan2"}
    for node in sympy.postorder_traversal(value):
        if node in done:
            continue
        inside = [done[each] for each in node.args]
        if node.is_Symbol:
            done[node] = derivation.constant(node.name)
        elif node.is_number and not node.args:
            done[node] = float(node)
        elif node.is_Rational:
            done[node] = node.p / node.q
        elif node.is_Add:
            done[node] = sum(inside[1:], inside[0])
        elif node.is_Mul:
            product = inside[0]
            for each in inside[1:]:
                product = product * each
            done[node] = product
        elif node.is_Pow:
            done[node] = inside[0] ** inside[1]
        else:
            function = getattr(_cartan.symbols, names.get(node.func, node.func.__name__.lower()), None)
            if function is None:
                raise ValueError(f"from_sympy: {node.func.__name__} has no counterpart")
            done[node] = function(*inside)
    return done[value]
