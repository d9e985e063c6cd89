"""Wrong calls: each is an exception that says what was expected, none ends the interpreter."""

import os
import re
import unittest
from pathlib import Path

import cartan
import numpy
from cartan import symbols
from cartan.symbols import Derivation, Kane, Point, SystemInertia, SystemVector

EXAMPLES = os.path.join(os.environ["CARTAN_ROOT"], "examples")
DECAY = "name = 'decay'\n[parameters]\nk = 1\n[variables]\nx = { initial = 1, rate = '-k*x' }\n"
# What a message must have: an expectation, a list of what there is, or a thing to do.
REMEDY = re.compile(
    r"expect|did you mean|known are|must|need|give|name |use |takes|there is no|has no|choose|see \.|make all|say|"
    r"write|only|twice|at most|at least|cannot|not among|not linear|not related|but \d|entries|is not a number|singular|"
    r"No constructor|neither|without|two derivations|incompatible|nothing|already|no such|"
    r"go together|goes with|unsupported operand|not valid",
    re.I,
)
NAN, INF = float("nan"), float("inf")


def options_of(method):
    """name -> what the docstring says of it"""
    text = getattr(cartan.Model, method).__doc__.split("Options:")[1]
    return {line.split(":")[0].strip(): line for line in text.splitlines() if line.strip()}


class WrongCalls(unittest.TestCase):
    count = 0

    @classmethod
    def tearDownClass(cls):
        assert cls.count >= 200, f"only {cls.count} wrong calls"

    def refuse(self, call, what, kinds=(TypeError, ValueError, cartan.Error, KeyError, IndexError)):
        WrongCalls.count += 1
        with self.subTest(call=what):
            try:
                value = call()
            except kinds as error:
                self.assertRegex(str(error), REMEDY)
            else:
                self.fail(f"{what} gave {value!r}")

    def test_options_of_a_wrong_type(self):
        model = cartan.load_text(DECAY)
        for method in cartan.model._FIRST:
            for option in options_of(method):
                spelled = option + "_" if option == "from" else option
                self.refuse(
                    lambda m=method, o=spelled: getattr(model, m)(**{o: object()}), f"{method}({option}=object())", TypeError
                )

    def test_options_that_do_not_exist(self):
        model = cartan.load_text(DECAY)
        for method in cartan.model._FIRST:
            self.refuse(lambda m=method: getattr(model, m)(no_such_option=1), f"{method}(no_such_option)", TypeError)
            self.refuse(lambda m=method: getattr(model, m)(*range(9)), f"{method}(*range(9))", TypeError)

    def test_numbers_that_are_none(self):
        model = cartan.load_text(DECAY)
        for number in (NAN, INF, -INF):
            for call, what in (
                (lambda n: model.run(n), "run"),
                (lambda n: model.run(1, step=n), "step"),
                (lambda n: model.run(1, tolerance=n), "tolerance"),
                (lambda n: model.lyapunov(n), "lyapunov"),
                (lambda n: model.continue_("k", n, 1), "continue"),
                (lambda n: model.optimise("k", "final(x)", duration=n), "optimise"),
                (lambda n: model.study({"k": "lin(0,1,2)"}, {"e": "final(x)"}, duration=n), "study"),
                (lambda n: model.with_(k=n), "with_"),
                (lambda n: model.linearize(time=n), "time"),
            ):
                self.refuse(lambda c=call, n=number: c(n), f"{what} {number}")

    def test_values_out_of_range(self):
        model = cartan.load_text(DECAY)
        pendulum = cartan.load(os.path.join(EXAMPLES, "pendulum.toml"))
        calls = {
            "negative duration": lambda: model.run(-1),
            "zero step": lambda: model.run(1, step=0),
            "every 0": lambda: model.run(1, every=0),
            "integrator": lambda: model.run(1, integrator="rk5"),
            "formulation": lambda: pendulum.run(1, formulation="recursiv"),
            "record": lambda: pendulum.run(1, record="reaction"),
            "stabilisation": lambda: pendulum.run(1, stabilisation="some"),
            "from": lambda: model.run(1, from_="no_such_state.json"),
            "state text": lambda: model.run(1, from_="{ not json"),
            "bool": lambda: model.run(True),
            "huge int": lambda: model.run(1, every=2**40),
            "float as int": lambda: model.run(1, every=1.5),
            "text as flag": lambda: model.run(1, estimate="yes"),
            "column": lambda: model.run(0.1)["y"],
            "column type": lambda: model.run(0.1)[3],
            "table": lambda: model.run(0.1).table("bodies.csv"),
            "plot column": lambda: model.run(0.1).plot("zz"),
            "save over": lambda: model.save(os.path.join(EXAMPLES, "pendulum.toml")),
            "language": lambda: model.generate("cobol"),
            "form": lambda: model.equations(form="newton"),
            "format": lambda: model.equations(format="word"),
            "orbit without period": lambda: model.orbit(),
            "fit without data": lambda: model.fit("k"),
            "fit unknown": lambda: model.fit("kk", "no.csv"),
            "fit no file": lambda: model.fit("k", "no.csv"),
            "inverse without motion": lambda: model.inverse(),
            "inverse of variables": lambda: model.inverse("no.csv"),
            "ik without target": lambda: model.ik(),
            "ik target": lambda: model.ik("x"),
            "ik name": lambda: model.ik("y = 1"),
            "ik starts": lambda: model.ik("x = 1", starts=5),
            "ik path and all": lambda: model.ik(path="a.csv", all=True),
            "ik path": lambda: pendulum.ik(path="a.csv"),
            "optimise nothing": lambda: model.optimise(),
            "optimise no aim": lambda: model.optimise("k"),
            "optimise both aims": lambda: model.optimise("k", "final(x)", maximise="final(x)"),
            "optimise unknown": lambda: model.optimise("q", "final(x)"),
            "optimise twice": lambda: model.optimise("k,k", "final(x)"),
            "optimise at": lambda: model.optimise("k", "final(x)", at="rest"),
            "optimise bounds": lambda: model.optimise("k", "final(x)", bounds={"q": [0, 1]}),
            "optimise subject": lambda: model.optimise("k", "final(x)", subject="final(x)"),
            "optimise starts": lambda: model.optimise("k", "final(x)", starts=3),
            "optimise expression": lambda: model.optimise("k", "final(y)"),
            "study nothing": lambda: model.study(),
            "study law": lambda: model.study({"k": "unifrm(0,1)"}, {"e": "final(x)"}, runs=3),
            "study keep": lambda: model.study({"k": "uniform(0,1)"}, {"e": "finl(x)"}, runs=3),
            "study name": lambda: model.study({"kk": "uniform(0,1)"}, {"e": "final(x)"}, runs=3),
            "study runs": lambda: model.study({"k": "uniform(0,1)"}, {"e": "final(x)"}, runs=2.5),
            "study threads": lambda: model.study({"k": "lin(0,1,2)"}, {"e": "final(x)"}, threads=0),
            "study backend": lambda: model.study({"k": "lin(0,1,2)"}, {"e": "final(x)"}, backend="tpu"),
            "study part": lambda: model.study({"k": "lin(0,1,2)"}, {"e": "final(x)"}, part="3/2"),
            "study resume": lambda: model.study({"k": "lin(0,1,2)"}, {"e": "final(x)"}, resume=True),
            "study file": lambda: cartan.study("no_such_study.toml"),
            "study of a number": lambda: cartan.study(3),
            "continue unknown": lambda: model.continue_("kk", 0, 1),
            "continue without ends": lambda: model.continue_("k"),
            "sweep": lambda: model.linearize_sweep("k=li(0,1,2)"),
            "search": lambda: model.equilibrium_search("x"),
            "compare": lambda: model.compare(integrators="rk5"),
            "compare steps": lambda: model.compare(steps="a"),
            "lyapunov": lambda: model.lyapunov(-1),
            "view": lambda: cartan.view(3),
            "view folder": lambda: cartan.view("no_such_folder"),
            "view frames": lambda: model.view(frames=1),
            "view modes": lambda: model.view(modes="no.json"),
            "system": lambda: pendulum.system("recursiv"),
            "plot": lambda: cartan.plot("no_such_folder"),
            "load": lambda: cartan.load("no_such_file.toml"),
            "load number": lambda: cartan.load(object()),
            "load set": lambda: cartan.load_text(DECAY, set={"kk": 1}),
            "load set text": lambda: cartan.load_text(DECAY, set="k"),
            "load option": lambda: cartan.load_text(DECAY, sett=1),
            "load text": lambda: cartan.load_text("name = "),
            "load_text type": lambda: cartan.load_text(3),
            "parameter": lambda: model.parameters["K"],
            "with_": lambda: model.with_(kk=1),
            "with_ type": lambda: model.with_(k=[1]),
            "with_ text": lambda: model.with_(k="2*"),
            "model constructor": lambda: cartan.Model(),
            "unborn model": lambda: cartan.Model.__new__(cartan.Model).run(1),
            "unborn name": lambda: cartan.Model.__new__(cartan.Model).name,
            "run of something else": lambda: cartan.run("model.toml"),
            "record constructor": lambda: cartan.Run(),
        }
        for what, call in calls.items():
            self.refuse(call, what)

    def test_machines(self):
        def machine(**keys):
            m = cartan.Machine("wrong")
            m.body("a", **{"mass": 1, "inertia": [1, 1, 1], **keys})
            m.joint("j", type="revolute", parent={"body": "world"}, child={"body": "a"}, axis=[0, 1, 0])
            return m.build()

        m = cartan.Machine("wrong")
        calls = {
            "mass": lambda: machine(mass=-1),
            "nan": lambda: machine(mass=NAN),
            "type": lambda: machine(mass=object()),
            "text": lambda: machine(mass="mm"),
            "key": lambda: machine(mas=1),
            "inertia": lambda: machine(inertia=[1, 1]),
            "complex": lambda: machine(mass=1j),
            "none": lambda: machine(mass=None),
            "array": lambda: machine(inertia=numpy.array([1, NAN, 1])),
            "table": lambda: m.paramters(a=1),
            "empty": lambda: m.build(),
        }
        for what, call in calls.items():
            kinds = (TypeError, ValueError, cartan.Error, AttributeError)
            self.refuse(call, "machine " + what, kinds)

    def test_systems(self):
        s = cartan.load(os.path.join(EXAMPLES, "heavy_top.toml")).system()
        variables = cartan.load_text(DECAY).system()
        x = s.start
        wrong_states = {
            "short": x[:-1],
            "long": numpy.append(x, 0),
            "scalar": 1.0,
            "text": "state",
            "none": None,
            "dict": {},
            "complex": x + 1j,
            "object": numpy.array([object()] * s.size),
            "nan": numpy.where(numpy.arange(s.size) == 2, NAN, x),
            "inf": numpy.where(numpy.arange(s.size) == 0, INF, x),
            "two axes": numpy.zeros((2, s.size - 1)),
            "empty": numpy.zeros(0),
        }
        for name, state in wrong_states.items():
            for function in ("derivative", "jacobian", "mass_matrix", "bias", "acceleration", "energies", "__call__"):
                self.refuse(lambda f=function, y=state: getattr(s, f)(0.0, y), f"{function} {name}", (TypeError, ValueError))
            self.refuse(lambda y=state: s.jvp(0.0, x, y), f"jvp along {name}", (TypeError, ValueError))
            self.refuse(lambda y=state: s.vjp(0.0, y, x), f"vjp at {name}", (TypeError, ValueError))
        frozen = numpy.empty(s.size)
        frozen.setflags(write=False)
        for name, out in {
            "short": numpy.empty(3),
            "single": numpy.empty(s.size, dtype=numpy.float32),
            "list": [0] * s.size,
            "frozen": frozen,
            "strided": numpy.empty(2 * s.size)[::2],
        }.items():
            self.refuse(lambda o=out: s.derivative(0.0, x, out=o), f"out {name}", (TypeError, ValueError))
            self.refuse(lambda o=out: s.jvp(0.0, x, x, out=o), f"jvp out {name}", (TypeError, ValueError))
        for time in (NAN, INF, "now", None, [0.0, 1.0], 1j):
            self.refuse(lambda t=time: s.derivative(t, x), f"time {time}", (TypeError, ValueError))
            self.refuse(lambda t=time: s.jacobian(t, x), f"time of jacobian {time}", (TypeError, ValueError))
        self.refuse(lambda: variables.mass_matrix(0.0, variables.start), "mass matrix of variables")
        self.refuse(lambda: variables.energies(0.0, variables.start), "energies of variables")
        self.refuse(lambda: cartan.System(3), "system of a number")

    def test_symbols(self):
        d, other = Derivation(), Derivation()
        a, b = d.constant("a", 1), other.constant("b")
        q, u = d.standard(2)
        N = d.frame("N")
        A = N.rotate("A", 1, a)
        kane = Kane(N)
        many = SystemVector([N.x])
        calls = {
            "two derivations": lambda: a + b,
            "text": lambda: a + "x",
            "float": lambda: float(a),
            "diff by a number": lambda: a.diff(d),
            "subs of a number": lambda: a.subs({3: 4}),
            "subs by text": lambda: a.subs({a: "x"}),
            "frame twice": lambda: N.rotate("A", 2, a),
            "axis 4": lambda: N.rotate("B", 4, a),
            "axis of two": lambda: N.rotate("B", [1, 0], a),
            "angle": lambda: N.rotate("B", 1, "a"),
            "euler": lambda: N.euler("D", "31", [a]),
            "euler axes": lambda: N.euler("D", "345", [a, a, a]),
            "unrelated": lambda: d.frame("C").x.dot(N.x),
            "no rate": lambda: d.coordinate("z").dt(),
            "rate of a number": lambda: d.set_rate(3, a),
            "standard 0": lambda: d.standard(0),
            "missing input": lambda: d.function([a * d.constant("c")], [a]),
            "input number": lambda: d.function([a], [3]),
            "function shape": lambda: d.function([a], [a])(numpy.zeros((2, 3))),
            "function text": lambda: d.function([a], [a])("x"),
            "vector of two": lambda: N.vector(1, 2, None),
            "vector plus number": lambda: N.x + 1,
            "vector times vector": lambda: N.x * N.y,
            "dot of a number": lambda: N.x.dot(3),
            "dt without a frame": lambda: N.x.dt(),
            "dcm": lambda: N.dcm(d.frame("E")),
            "orient": lambda: N.orient("F", [[1, 0], [0, 1]]),
            "dyad": lambda: N.dyad([[1, 2, 3]]),
            "mass": lambda: kane.particle("m", N.x),
            "not linear": lambda: [kane.particle(1, u[0] ** 2 * N.x), kane.equations(u)],
            "speeds": lambda: Kane(N).equations([3]),
            "constants": lambda: d.constants("p q", samples=[1]),
            "system vectors": lambda: many + SystemVector([N.x, N.y]),
            "system index": lambda: many[3],
            "inertia": lambda: SystemInertia([a, a]) * many,
            "inertia text": lambda: SystemInertia(["m"]),
            "ragged": lambda: d.solve([[1, 2], [3]], [1, 2]),
            "not square": lambda: d.solve([[1, 2]], [1, 2]),
            "singular": lambda: d.solve([[1, 1], [1, 1]], [1, 2]),
            "language": lambda: d.generate("cobol", "x", {"p": [a]}, {"y": [a]}),
            "code without its symbol": lambda: d.generate("c", "x", {"p": [a]}, {"y": [q[0]]}),
            "code of a number": lambda: d.generate("c", "x", {"p": [1]}, {"y": [a]}),
            "point": lambda: Point("O").position(),
            "point velocity": lambda: Point("O").velocity(N),
            "sympy": lambda: symbols.from_sympy("besselj(0, x)", d),
            "subexpression level": lambda: symbols.Subexpressions(d).define(a, level=99),
            "subexpression": lambda: symbols.Subexpressions(d).define("x"),
        }
        for what, call in calls.items():
            self.refuse(call, "symbols " + what)
        self.assertTrue(A.x.dot(N.x).equals(1))  # the derivation goes on

    def test_files_that_are_gone(self):
        path = Path("gone.toml")
        path.write_text(DECAY, encoding="utf-8")
        model = cartan.load(path)
        path.unlink()
        self.assertEqual(model.run(0.1).status, "completed")  # what was read is what is used
        self.refuse(lambda: cartan.load(path), "deleted file")


if __name__ == "__main__":
    unittest.main()
