"""Calls of a system: what Python adds to them, that nothing is left behind, that threads can share one."""

import gc
import os
import threading
import time
import unittest

import cartan
import numpy

EXAMPLES = os.path.join(os.environ["CARTAN_ROOT"], "examples")


def example(name):
    return cartan.load(os.path.join(EXAMPLES, name + ".toml"))


def memory():
    """Bytes in use, the rest given back."""
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def seconds(work, calls, times=7):
    """CPU time of a call, the least of several tries: others may be at work on this machine."""
    best = float("inf")
    for _ in range(times):
        begin = time.process_time()
        work(calls)
        best = min(best, time.process_time() - begin)
    return best / calls

SANITIZED = "CARTAN_SANITIZED" in os.environ


class Calls(unittest.TestCase):
    @unittest.skipIf(SANITIZED, "sanitizers take memory and time of their own")
    def test_what_python_adds(self):
        s = example("planar_double_pendulum").system()
        x, out = s.start, numpy.empty(s.size)
        call = s.derivative

        def into(count):
            for _ in range(count):
                call(0.0, x, out=out)

        def new(count):
            for _ in range(count):
                call(0.0, x)

        bare = min(s._seconds_per_call(20000) for _ in range(7))
        self.assertLess(seconds(into, 20000) - bare, 1e-6)
        self.assertLess(seconds(new, 20000) - bare, 2e-6)
        many, place = numpy.tile(x, (20000, 1)), numpy.empty((20000, s.size))
        together = seconds(lambda count: call(0.0, many, out=place), 20000)
        self.assertLess(together, 1.2 * bare)

    @unittest.skipIf(SANITIZED, "sanitizers take memory and time of their own")
    def test_a_million_calls_leave_nothing_behind(self):
        s = example("planar_double_pendulum").system()
        x, out = s.start, numpy.empty(s.size)
        model = example("heavy_top")

        def work(count):
            for _ in range(count):
                s.derivative(0.0, x, out=out)
            for _ in range(count // 20):
                s.derivative(0.0, x)
                s.jacobian(0.0, x)
                s.vjp(0.0, x, x)
            for _ in range(count // 50000):
                run = model.run(0.05, step=0.01, estimate=False)
                run["top.qw"].sum()
                model.system().derivative(0.0, model.system().start)
                try:
                    run["nothing"]
                except cartan.InputError:
                    pass

        work(100000)
        before = memory()
        work(1000000)
        self.assertLess(memory() - before, 4 << 20)

    def test_threads_share_a_system(self):
        s = example("heavy_top").system()
        states = s.start + 0.01 * numpy.random.default_rng(4).standard_normal((64, s.size))
        want = [(s.derivative(0.0, x), s.jacobian(0.0, x), s.jvp(0.0, x, x)) for x in states]
        wrong = []

        def work(first):
            for round_ in range(20):
                for k in range(first, 64, 2):
                    got = (s.derivative(0.0, states[k]), s.jacobian(0.0, states[k]), s.jvp(0.0, states[k], states[k]))
                    if not all(numpy.array_equal(a, b) for a, b in zip(got, want[k])):
                        wrong.append((round_, k))

        threads = [threading.Thread(target=work, args=(first,)) for first in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_what_outlives_its_model(self):
        model = example("double_pendulum")
        run, s, check = model.run(0.1), model.system(), model.check()
        column, state, eigen = run[run.names[1]], run.final, model.linearize(at="equilibrium").eigenvalues
        kept = column.copy(), list(eigen), s.derivative(0.0, s.start)
        del model, run
        gc.collect()
        numpy.testing.assert_array_equal(column, kept[0])
        numpy.testing.assert_array_equal(eigen, kept[1])
        numpy.testing.assert_array_equal(s.derivative(0.0, s.start), kept[2])
        self.assertEqual(check.bodies, 2)
        self.assertIn('"q"', state.json())

    def test_products_are_those_of_the_jacobian(self):
        for name in ("heavy_top", "four_bar", "double_pendulum"):
            s = example(name).system()
            rng = numpy.random.default_rng(5)
            x = s.start + 0.01 * rng.standard_normal((3, s.size))
            u, w = rng.standard_normal((2, 3, s.size))
            J = s.jacobian(0.0, x)
            numpy.testing.assert_allclose(s.jvp(0.0, x, u), numpy.einsum("kij,kj->ki", J, u), rtol=1e-12, atol=1e-12)
            numpy.testing.assert_allclose(s.vjp(0.0, x, w), numpy.einsum("kij,ki->kj", J, w), rtol=1e-12, atol=1e-12)


if __name__ == "__main__":
    unittest.main()
