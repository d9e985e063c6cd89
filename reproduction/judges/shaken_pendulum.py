"""004.6.4: the printed equations of the spherical pendulum on a shaken hinge (section 6.7.5, planet at rest)."""

from math import cos, sin, sqrt

from runge_kutta import integrate, judge

m, L, g, w, a, c = 1, 1, 1, 30, 0.2, 0.2


def f(t, x):
    q1, q2, u1, u2 = x
    hinge = a * cos(w * t) * w
    v1 = sin(q1) * hinge + cos(q2) * u1 * L
    v2 = -sin(q2) * hinge * cos(q1) - u2 * L
    speed = sqrt(v1**2 + v2**2 + (cos(q2) * cos(q1) * hinge) ** 2)
    lift = m * a * sin(w * t) * w**2
    u1t = (-sin(q1) * m * g - c * speed * v1 + 2 * m * sin(q2) * u2 * u1 * L + lift * sin(q1)) / (m * cos(q2) * L)
    u2t = -(sin(q2) * cos(q1) * m * g - c * speed * v2 + sin(q2) * m * u1**2 * cos(q2) * L
            - lift * cos(q1) * sin(q2)) / (m * L)
    return [u1, u2, u1t, u2t]


end = integrate(f, [0.5, 0.8, 0, 0], 4, 2e-4)
judge("q1 after 4 s", end[0], 3.174899, 2e-5)
judge("q2 after 4 s", end[1], -0.071395, 2e-5)
