"""000.3.3: the classical pendulum with J = m l^2/3 against the prism of the three-dimensional model, after 10 s."""

from math import sin

from runge_kutta import integrate, judge

m, l, g = 50, 2, 9.81
ends = []
for J in (m * (l**2 + 0.2**2) / 12 + m * (l / 2) ** 2, m * l**2 / 3):
    ends.append(integrate(lambda t, x: [x[1], -m * g * l / 2 * sin(x[0]) / J], [0.1, 0], 10, 1e-3)[0])
judge("angle of the thin rod less that of the prism [rad]", abs(ends[1] - ends[0]), 3.13e-3, 1e-5)
