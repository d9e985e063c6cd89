"""000, table 3.2: which reading of the text gives the 15794 evaluations of RK45? None.

The four rods move in a plane, so quaternions are (cos, sin, 0, 0) and a rate has one component; the zeros count in the
mean square of the errors. The rule of steps is scipy's: Dormand and Prince's pair, errors against
atol + rtol max(|y|, |y_new|), 0.9 err^(-1/5) between 0.2 and 10, two evaluations before the first step, six for each
one that is tried. Without an argument the reading nearest to the document's formulas; --all: all of them, with other
tolerances and other gravity (ten minutes).
"""

import math
import sys
from itertools import product

from runge_kutta import judge

A = [
    [],
    [1 / 5],
    [3 / 40, 9 / 40],
    [44 / 45, -56 / 15, 32 / 9],
    [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
    [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
    [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
]
ERROR = [-71 / 57600, 0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40]
LINKS, MASS, LENGTH, WIDTH = 4, 50.0, 2.0, 0.2
INERTIA = MASS * (LENGTH**2 + WIDTH**2) / 12
NUMBERS = 7 * LINKS  # of the document's state


def accelerations(angles, rates, gravity):
    """Of the links, from absolute angles: M a = r by elimination."""
    n, rows = LINKS, []
    for i in range(n):
        row, right = [], -(MASS * LENGTH * (n - 1 - i) + MASS * LENGTH / 2) * gravity * math.sin(angles[i])
        for j in range(n):
            outer = n - 1 - max(i, j)
            factor = MASS * LENGTH**2 * (outer + (0.25 if i == j else 0.5))
            row.append(factor * math.cos(angles[i] - angles[j]) + (INERTIA if i == j else 0))
            right -= factor * math.sin(angles[i] - angles[j]) * rates[j] ** 2
        rows.append(row + [right])
    for k in range(n):
        for i in range(k + 1, n):
            f = rows[i][k] / rows[k][k]
            for j in range(k, n + 1):
                rows[i][j] -= f * rows[k][j]
    a = [0.0] * n
    for i in reversed(range(n)):
        a[i] = (rows[i][n] - sum(rows[i][j] * a[j] for j in range(i + 1, n))) / rows[i][i]
    return a


def sums(values):
    total, result = 0, []
    for v in values:
        total += v
        result.append(total)
    return result


def differences(values):
    return [v - (values[i - 1] if i else 0) for i, v in enumerate(values)]


class Reading:
    def __init__(self, turns_relative=True, rates_relative=True, straight=True, scale=0.5, gravity=9.81):
        self.turns_relative, self.rates_relative, self.straight = turns_relative, rates_relative, straight
        self.scale, self.gravity = scale, gravity  # the state holds scale times the angular velocity

    def start(self):
        angles = [0.1 if self.straight or i == 0 else 0.0 for i in range(LINKS)]
        if self.turns_relative:
            angles = differences(angles)
        return [math.cos(a / 2) for a in angles] + [math.sin(a / 2) for a in angles] + [0.0] * LINKS

    def rate(self, y):
        c, s, v = y[:LINKS], y[LINKS : 2 * LINKS], [x / self.scale for x in y[2 * LINKS :]]
        turns = [2 * math.atan2(si, ci) for ci, si in zip(c, s)]
        angles = sums(turns) if self.turns_relative else turns
        rates = sums(v) if self.rates_relative else v
        a = accelerations(angles, rates, self.gravity)
        spins = differences(rates) if self.turns_relative else rates
        if self.rates_relative:
            a = differences(a)
        return (
            [-w * si / 2 for w, si in zip(spins, s)]
            + [w * ci / 2 for w, ci in zip(spins, c)]
            + [self.scale * x for x in a]
        )


def evaluations(reading, rtol=1e-13, atol=1e-13, end=10.0, most=60000):
    y, count = reading.start(), 2
    size = range(len(y))

    def norm(values, near):
        return math.sqrt(sum((v / (atol + rtol * n)) ** 2 for v, n in zip(values, near)) / NUMBERS)

    f = reading.rate(y)
    near = [abs(x) for x in y]
    d0, d1 = norm(y, near), norm(f, near)
    h0 = 1e-6 if min(d0, d1) < 1e-5 else 0.01 * d0 / d1
    other = reading.rate([y[i] + h0 * f[i] for i in size])
    steepest = max(d1, norm([b - a for a, b in zip(f, other)], near) / h0)
    h = min(100 * h0, max(1e-6, h0 * 1e-3) if steepest <= 1e-15 else (0.01 / steepest) ** 0.2)
    t = 0.0
    while t < end and count < most:
        rejected = False
        while True:
            h = min(t + h, end) - t
            slopes = [f]
            for row in A[1:]:
                at = [y[i] + h * sum(w * k[i] for w, k in zip(row, slopes)) for i in size]
                slopes.append(reading.rate(at))
            count += 6
            error = norm(
                [h * sum(w * k[i] for w, k in zip(ERROR, slopes)) for i in size],
                [max(abs(a), abs(b)) for a, b in zip(y, at)],
            )
            if error < 1:
                break
            h *= max(0.2, 0.9 * error**-0.2)
            rejected = True
        t, y, f = t + h, at, slopes[-1]
        factor = 10 if error == 0 else min(10, 0.9 * error**-0.2)
        h *= min(1, factor) if rejected else factor
    return count


def try_all():
    readings = list(product((True, False), (True, False), (True, False), (0.5, 1.0)))
    tolerances = [(1e-13, 1e-13, 9.81)] + [(1e-13, 1e-13, g) for g in (9.8, 9.82, 9.80665, 10.0)]
    tolerances += product((1e-9, 1e-10, 1e-11, 1e-12, 2.3e-14), (1e-10, 1e-11, 1e-12, 1e-13, 1e-14), (9.81,))
    for rtol, atol, gravity in tolerances:
        counts = [evaluations(Reading(*words, gravity), rtol, atol) for words in readings]
        print(f"rtol {rtol:g}, atol {atol:g}, g {gravity:g}: {min(counts)} to {max(counts)}", flush=True)
        if 15794 in counts:
            raise SystemExit("15794 found")


if "--all" in sys.argv:
    try_all()
judge("evaluations of RK45, the document's formulas", evaluations(Reading()), 20966, 30)
