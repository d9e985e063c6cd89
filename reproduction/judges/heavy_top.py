"""002.3: energy of the top without gravity on SE(3), where the velocities obey Euler's equations about the pivot."""

from math import pi

from runge_kutta import TABLEAUS, integrate, judge

m, r = 21.6, 0.5
J = [0.36, 0.306 + m * r**2, 0.09 + m * r**2]


def f(t, w):
    return [(J[1] - J[2]) * w[1] * w[2] / J[0], (J[2] - J[0]) * w[2] * w[0] / J[1], (J[0] - J[1]) * w[0] * w[1] / J[2]]


def energy(w):
    return sum(J[k] * w[k] ** 2 for k in range(3)) / 2


start = [0, 20 * pi, 10 * pi]
for tableau, expected in (("classical", 3.90e-3), ("3/8 rule", 3.95e-3), ("Gill", 4.36e-3)):
    assert tableau in TABLEAUS
    end = integrate(f, start, 10, 1e-3, tableau)
    judge(f"drift after 10 s, {tableau} [J]", abs(energy(end) - energy(start)), expected, 1e-5)
