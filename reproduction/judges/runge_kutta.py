"""Runge-Kutta methods of order 4, in the standard library alone, for the judges beside this file."""

TABLEAUS = {
    "classical": ([[], [1 / 2], [0, 1 / 2], [0, 0, 1]], [1 / 6, 1 / 3, 1 / 3, 1 / 6]),
    "3/8 rule": ([[], [1 / 3], [-1 / 3, 1], [1, -1, 1]], [1 / 8, 3 / 8, 3 / 8, 1 / 8]),
    "Gill": (
        [[], [1 / 2], [(2**0.5 - 1) / 2, 1 - 2**-0.5], [0, -(2**-0.5), 1 + 2**-0.5]],
        [1 / 6, (2 - 2**0.5) / 6, (2 + 2**0.5) / 6, 1 / 6],
    ),
}


def integrate(f, x, end, step, tableau="classical", watch=None):
    """x(end) of x' = f(t, x); watch(t, x) is called after every step."""
    a, b = TABLEAUS[tableau]
    c = [sum(row) for row in a]
    steps = round(end / step)
    for k in range(steps):
        t, slopes = k * step, []
        for i, row in enumerate(a):
            at = [x[j] + step * sum(w * s[j] for w, s in zip(row, slopes)) for j in range(len(x))]
            slopes.append(f(t + c[i] * step, at))
        x = [x[j] + step * sum(w * s[j] for w, s in zip(b, slopes)) for j in range(len(x))]
        if watch:
            watch((k + 1) * step, x)
    return x


def judge(what, found, expected, tolerance):
    """Prints a line; the program ends with status 1 where a number is not what the report says."""
    good = abs(found - expected) <= tolerance
    print(f"{what}: {found:.6g} (the report says {expected:g}){'' if good else '  DIFFERS'}")
    if not good:
        raise SystemExit(1)
