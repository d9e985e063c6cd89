"""003.10: the printed equations of section C.2.2 without forces, with the two lengths l2 of the document's scripts and
with its midpoint rule (C.6.2), whose iteration ends early. --all: the whole 600 s of it, a minute."""

import sys
from math import cos, dist, pi, sin

from runge_kutta import integrate, judge

g, m1, m2, L11, L12, l1 = 9.81, 3.3645051, 4.6811, 0.11705442, -0.019696113, 0.13294558
J19, J21, J25, J29 = 0.061726572, 4.1857e-3, 1.9213e-2, 1.97783e-2


def rates(L21):
    def f(t, x):
        d1, th2, d2 = x[1], x[2], x[3]
        top = d1 * d2 * ((J29 - J21 + L21**2 * m2) * sin(2 * th2) + 2 * L21 * (l1 + L11) * m2 * sin(th2))
        below = (J19 + J21 + (L11**2 + L12**2) * m1 + (L11 + l1) ** 2 * m2
                 + (J29 - J21 + L21**2 * m2) * cos(th2) ** 2 + 2 * L21 * (L11 + l1) * m2 * cos(th2))
        turn = (-d1**2 * ((J29 - J21 + L21**2 * m2) * sin(2 * th2) / 2 + L21 * (l1 + L11) * m2 * sin(th2))
                + L21 * g * m2 * cos(th2)) / (J25 + L21**2 * m2)
        return [d1, top / below, d2, turn]

    return f


start = [0, 91.7 * 2 * pi / 60, 3.6477, 0]
ends = [integrate(rates(L21), start, 10, 1e-3)[2] for L21 in (0.12675638, 0.1267)]
judge("shift of the arm by l2 = 0.1267 after 10 s [rad]", ends[1] - ends[0], -0.01251, 1e-5)


def midpoint(f, x, end, step, enough):
    """IntMid of section C.6.2: y1 = y0 + h f((y0 + y1) / 2), from y0 until it changes by `enough` at most."""
    for _ in range(round(end / step)):
        y, change = x, 1
        while change > enough:
            slope = f(0, [(a + b) / 2 for a, b in zip(x, y)])
            z = [a + step * b for a, b in zip(x, slope)]
            y, change = z, dist(z, y)
        x = y
    return x


# MaksErr is not printed; it is divided by the whole time, 600 s.
times = [(10, 1.40e-4, 1e-6)] + ([(600, 0.0415, 1e-4)] if "--all" in sys.argv else [])
for end, said, tolerance in times:
    early, full = (midpoint(rates(0.12675638), start, end, 2.5e-4, e)[2] for e in (1e-2 / 600, 1e-12))
    judge(f"shift of the arm by MaksErr = 1e-2 after {end} s [rad]", early - full, said, tolerance)
