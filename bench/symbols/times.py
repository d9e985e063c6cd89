#!/usr/bin/env python3
"""Derivations in cartan.symbols and in SymPy: the same machines, the same answers, the CPU times.

usage: ./cartan python bench/symbols/times.py [--limit SECONDS] [--quick] [--bicycle]

--limit: how long SymPy may take for one machine (default 600); --quick: ours alone; --bicycle: no chains.
Answers are compared by numbers put into both; what differs by more than 1e-9 ends the program with status 1.
"""

import math
import multiprocessing
import queue
import sys
import time

import numpy
from cartan.symbols import Derivation, Kane, cos, sin, sqrt, tan

NUMBERS = {"m": 1.3, "L": 0.7, "I": 0.02, "g": 9.81}


# ------------------------------------------------------------------------------------- the chains


def chain_here(n, spatial):
    """Rods of mass m and length L on hinges (planar) or on universal joints (spatial); M and f."""
    d = Derivation()
    m, L, inertia, g = d.constants("m L I g", samples=list(NUMBERS.values()))
    q, u = d.standard(2 * n if spatial else n)
    N = d.frame("N")
    kane, velocity, frame = Kane(N), None, N
    for i in range(n):
        if spatial:
            frame = frame.rotate(f"B{i}", 1, q[2 * i]).rotate(f"A{i}", 2, q[2 * i + 1])
        else:
            frame = frame.rotate(f"A{i}", 2, q[i])
        middle = (-L / 2 * frame.z).dt(N)
        at = middle if velocity is None else velocity + middle
        kane.body(m, frame.inertia(inertia, inertia, 0), at, frame.angular_velocity(N), -m * g * N.z)
        end = (-L * frame.z).dt(N)
        velocity = end if velocity is None else velocity + end
    motion = kane.equations(u)
    return d, motion, [m, L, inertia, g], q, u


def chain_numbers(n, spatial, x):
    d, motion, p, q, u = chain_here(n, spatial)
    size = len(u)
    values = d.function([e for row in motion.M for e in row] + motion.f, [*p, *q, *u])(x)
    return values[: size * size].reshape(size, size), values[size * size :]


def chain_sympy(n, spatial, x, result):
    import sympy
    from sympy.physics import mechanics

    begin = time.process_time()
    size = 2 * n if spatial else n
    m, L, inertia, g = sympy.symbols("m L I g")
    q, u = mechanics.dynamicsymbols(f"q1:{size + 1}"), mechanics.dynamicsymbols(f"u1:{size + 1}")
    N = mechanics.ReferenceFrame("N")
    O = mechanics.Point("O")
    O.set_vel(N, 0)
    frame, point, bodies, loads = N, O, [], []
    for i in range(n):
        if spatial:
            between = frame.orientnew(f"B{i}", "Axis", [q[2 * i], frame.x])
            frame = between.orientnew(f"A{i}", "Axis", [q[2 * i + 1], between.y])
        else:
            frame = frame.orientnew(f"A{i}", "Axis", [q[i], frame.y])
        centre = point.locatenew(f"G{i}", -L / 2 * frame.z)
        centre.v2pt_theory(point, N, frame)
        bodies.append(
            mechanics.RigidBody(f"R{i}", centre, frame, m, (mechanics.inertia(frame, inertia, inertia, 0), centre))
        )
        loads.append((centre, -m * g * N.z))
        end = point.locatenew(f"P{i}", -L * frame.z)
        end.v2pt_theory(point, N, frame)
        point = end
    kane = mechanics.KanesMethod(N, q, u, [a.diff() - b for a, b in zip(q, u)])
    kane.kanes_equations(bodies, loads)
    M, f = kane.mass_matrix, kane.forcing
    spent = time.process_time() - begin
    at = dict(zip([m, L, inertia, g, *q, *u], x))
    M, f = (numpy.array(mechanics.msubs(each, at), dtype=float) for each in (M, f))
    result.put((spent, M, f.ravel()))


# ------------------------------------------------------------------------------------- the bicycle

# Meijaard, Papadopoulos, Ruina, Schwab (2007), table 1: the benchmark that SymPy's own test has.
BICYCLE = {
    "w": 1.02, "c": 0.08, "lam": math.pi / 10, "g": 9.81, "rr": 0.3, "rf": 0.35,
    "mr": 2, "irx": 0.0603, "iry": 0.12, "mf": 3, "ifx": 0.1405, "ify": 0.28,
    "mb": 85, "xb": 0.3, "zb": -0.9, "ibx": 9.2, "iby": 11, "ibz": 2.8, "ibxz": 2.4,
    "mh": 4, "xh": 0.9, "zh": -0.7, "ihx": 0.05892, "ihy": 0.06, "ihz": 0.00708, "ihxz": -0.00756,
}  # fmt: skip
# Their table 2 at 5 m/s: weave, capsize, castering.
PUBLISHED = [complex(-0.775341882195845, 4.46486771378823), complex(-0.775341882195845, -4.46486771378823),
             -0.322866429004087, -14.0783896927982]  # fmt: skip


def bicycle_here():
    """The linear motion of the upright bicycle, and its symbols."""
    d = Derivation()
    p = dict(zip(BICYCLE, d.constants(list(BICYCLE), samples=list(BICYCLE.values()))))
    w, c, lam, g, rr, rf = (p[k] for k in ("w", "c", "lam", "g", "rr", "rf"))
    yaw, lean, pitch, steer = d.coordinates("yaw lean pitch steer", samples=[0, 0.1, 0.001, -0.2])
    u1, u2, u3, u4, u5, ud = d.speeds("u1 u2 u3 u4 u5 ud", samples=[0, 0, -0.87, 13.7, 14, 0])
    for coordinate, speed in ((lean, u1), (steer, u2), (yaw, u3), (pitch, ud)):
        d.set_rate(coordinate, speed)
    N = d.frame("N")  # forward, right, down
    Y = N.rotate("Y", 3, yaw)
    A = Y.rotate("A", 1, lean)
    F = A.rotate("F", 2, pitch)
    C = F.rotate("C", 2, lam)
    S = C.rotate("S", 3, steer)

    def in_fork(x, z):  # straight ahead, components along forward and down
        return S.vector(cos(lam) * x - sin(lam) * z, 0, sin(lam) * x + cos(lam) * z)

    axis = w + c - rr * tan(lam)  # where the steering axis is as high as the rear wheel's centre
    to_centre = -rr * A.z
    to_axis = axis * F.x
    to_front = in_fork(w - axis, rr - rf)
    lowest = N.z - N.z.dot(S.y) * S.y
    to_ground = (rf / sqrt(lowest.dot(lowest))) * lowest
    gap = (to_centre + to_axis + to_front + to_ground).dot(N.z)

    wF, wS = F.angular_velocity(N), S.angular_velocity(N)
    w1, w2 = wF - u4 * F.y, wS - u5 * S.y
    v1 = w1.cross(to_centre)
    vA = v1 + wF.cross(to_axis)
    v2 = vA + wS.cross(to_front)
    slip = v2 + w2.cross(to_ground)
    kane = Kane(N)
    kane.body(p["mr"], F.inertia(p["irx"], p["iry"], p["irx"]), v1, w1, p["mr"] * g * N.z)
    kane.body(p["mf"], S.inertia(p["ifx"], p["ify"], p["ifx"]), v2, w2, p["mf"] * g * N.z)
    frame_centre = v1 + wF.cross(F.vector(p["xb"], 0, p["zb"] + rr))
    kane.body(p["mb"], F.inertia(p["ibx"], p["iby"], p["ibz"], 0, p["ibxz"], 0), frame_centre, wF, p["mb"] * g * N.z)
    s, k = sin(lam), cos(lam)
    turned = (  # the fork's inertia is told along forward and down
        k * k * p["ihx"] - 2 * s * k * p["ihxz"] + s * s * p["ihz"],
        p["ihy"],
        s * s * p["ihx"] + 2 * s * k * p["ihxz"] + k * k * p["ihz"],
        0,
        s * k * (p["ihx"] - p["ihz"]) + (k * k - s * s) * p["ihxz"],
        0,
    )
    fork_centre = vA + wS.cross(in_fork(p["xh"] - axis, p["zh"] + rr))
    kane.body(p["mh"], S.inertia(*turned), fork_centre, wS, p["mh"] * g * N.z)
    free = kane.equations([u1, u2, u3, u4, u5, ud])
    motion = free.reduce([slip.dot(Y.x), slip.dot(Y.y), gap.dt()], [u3, u4, ud])
    v = d.constant("v", 5)
    at = {yaw: 0, lean: 0, pitch: 0, steer: 0, u1: 0, u2: 0, u5: v / rf}
    linear = motion.linearize([lean, steer], at=at, constraints=[gap], dependent=[pitch])
    return linear, p, v


def bicycle_eigenvalues(speed):
    linear, p, v = bicycle_here()
    values = linear.eigenvalues({**{p[k]: number for k, number in BICYCLE.items()}, v: speed})
    return sorted(values, key=abs)[1:]  # without the forward speed, which does not change


def bicycle_sympy(result):
    from sympy.physics.mechanics.tests import test_kane3

    test_kane3.evalf = sys.modules["sympy.core.evalf"]  # the module that the test means, not the function
    begin = time.process_time()
    note = ""
    try:
        test_kane3.test_bicycle()  # asserts its linearised matrices
    except Exception as error:  # noqa: BLE001: the time until then counts
        note = f" ({type(error).__name__} at its end)"
    result.put((time.process_time() - begin, note))


# ---------------------------------------------------------------------------------------- the table


def fastest(work, times=3):
    best = math.inf
    for _ in range(times):
        begin = time.process_time()
        work()
        best = min(best, time.process_time() - begin)
    return best


def within(limit, work, *arguments):
    """What the work puts into its queue, or None where it takes too long."""
    result = multiprocessing.Queue()
    process = multiprocessing.Process(target=work, args=(*arguments, result))
    process.start()
    begin = time.monotonic()
    try:
        while time.monotonic() - begin < limit:
            try:
                return result.get(timeout=1)
            except queue.Empty:
                if not process.is_alive():
                    return None
        return None
    finally:
        process.kill()
        process.join()


def main():
    quick = "--quick" in sys.argv
    limit = float(sys.argv[sys.argv.index("--limit") + 1]) if "--limit" in sys.argv else 600.0
    failed = False
    print("| machine | here, s | SymPy, s | largest difference |\n| --- | --- | --- | --- |")
    for spatial in () if "--bicycle" in sys.argv else (False, True):
        for n in (2, 4, 6, 10):
            size = 2 * n if spatial else n
            x = numpy.concatenate([list(NUMBERS.values()), numpy.random.default_rng(n).uniform(-1, 1, 2 * size)])
            ours = fastest(lambda: chain_here(n, spatial))
            theirs = None if quick else within(limit, chain_sympy, n, spatial, x)
            difference = ""
            if theirs:
                M, f = chain_numbers(n, spatial, x)
                gap = max(abs(M - theirs[1]).max() / abs(M).max(), abs(f - theirs[2]).max() / abs(f).max())
                failed |= gap > 1e-9
                difference = f"{gap:.1e}"
            told = "" if quick else f"{theirs[0]:.2f}" if theirs else f"more than {limit:g}"
            print(f"| {n} {'spatial' if spatial else 'planar'} links | {ours:.4f} | {told} | {difference} |", flush=True)
    ours = fastest(bicycle_here)
    found = sorted(bicycle_eigenvalues(5), key=lambda value: (value.real, value.imag))
    gap = max(abs(a - b) for a, b in zip(found, sorted(PUBLISHED, key=lambda value: (value.real, value.imag))))
    failed |= gap > 1e-9
    theirs = None if quick else within(limit, bicycle_sympy)
    told = "" if quick else f"{theirs[0]:.2f}{theirs[1]}" if theirs else f"more than {limit:g}"
    print(f"| Whipple bicycle, linearised | {ours:.4f} | {told} | {gap:.1e} (eigenvalues at 5 m/s, published) |")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
