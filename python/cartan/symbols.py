"""Derivations by hand: frames, vectors, Kane's and Lagrange's equations, as on paper.

>>> from cartan.symbols import *
>>> d = Derivation()
>>> m, L, g = d.constants("m L g")
>>> (q,), (u,) = d.standard(1)
>>> N = d.frame("N")
>>> A = N.rotate("A", 2, q)
>>> bob = -L * A.z
>>> k = Kane(N)
>>> k.particle(m, bob.dt(N), -m * g * N.z)
>>> k.equations([u])
"""

from . import _cartan
from ._cartan.symbols import *  # noqa: F401,F403
from ._cartan.symbols import Derivation, Expression, _nodes


def _several(make):
    def method(self, names, samples=None):
        """Several at once: "m L g"."""
        words = names.replace(",", " ").split() if isinstance(names, str) else list(names)
        values = [0.0] * len(words) if samples is None else list(samples)
        if len(values) != len(words):
            raise ValueError(f"{len(words)} names, but {len(values)} samples")
        made = [make(self, word, value) for word, value in zip(words, values)]
        return made[0] if len(made) == 1 else tuple(made)

    return method


Derivation.constants = _several(Derivation.constant)
Derivation.coordinates = _several(Derivation.coordinate)
Derivation.speeds = _several(Derivation.speed)


def lagrange(lagrangian, coordinates, speeds):
    """d/dt (dL/du) - dL/dq for coordinates whose rates are the speeds."""
    return [lagrangian.diff(u).dt() - lagrangian.diff(q) for q, u in zip(coordinates, speeds)]


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
