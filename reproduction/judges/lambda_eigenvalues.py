"""001: "the eigenvalues of Lambda are constant". A free body with J = diag(1, 1.5, 2), K = tr(J)/2 - J: R^T R'' = A + H, H = -W^T W with
W = R^T R' = hat(w), A = hat(w'), and Lambda = sym((A + H) K) without forces. Its eigenvalues along Euler's motion."""

from math import acos, cos, pi, sqrt

from runge_kutta import integrate, judge

J = [1.0, 1.5, 2.0]
K = [sum(J) / 2 - one for one in J]


def rates(t, w):
    return [(J[1] - J[2]) * w[1] * w[2] / J[0], (J[2] - J[0]) * w[2] * w[0] / J[1], (J[0] - J[1]) * w[0] * w[1] / J[2]]


def hat(a):
    return [[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]]


def multiplier(w):
    A, W = hat(rates(0, w)), hat(w)
    S = [[A[i][j] - sum(W[k][i] * W[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
    M = [[S[i][j] * K[j] for j in range(3)] for i in range(3)]
    return [[(M[i][j] + M[j][i]) / 2 for j in range(3)] for i in range(3)]


def eigenvalues(M):  # of a symmetric matrix, by the angle of its characteristic cubic
    mean = sum(M[i][i] for i in range(3)) / 3
    D = [[M[i][j] - (mean if i == j else 0) for j in range(3)] for i in range(3)]
    size = sqrt(sum(D[i][j] ** 2 for i in range(3) for j in range(3)) / 6)
    det = (D[0][0] * (D[1][1] * D[2][2] - D[1][2] * D[2][1]) - D[0][1] * (D[1][0] * D[2][2] - D[1][2] * D[2][0])
           + D[0][2] * (D[1][0] * D[2][1] - D[1][1] * D[2][0])) / size**3
    angle = acos(max(-1.0, min(1.0, det / 2))) / 3
    return sorted(mean + 2 * size * cos(angle + 2 * pi * k / 3) for k in range(3))


start = [1.0, 1.0, 1.0]
low, high = eigenvalues(multiplier(start)), eigenvalues(multiplier(start))


def watch(t, w):
    for k, value in enumerate(eigenvalues(multiplier(w))):
        low[k], high[k] = min(low[k], value), max(high[k], value)


integrate(rates, start, 20, 1e-2, watch=watch)
print("eigenvalues over 20 s:", ", ".join(f"{a:.3f} .. {b:.3f}" for a, b in zip(low, high)))
spread = max(b - a for a, b in zip(low, high))
judge("largest change of an eigenvalue, w = (1, 1, 1) at the start", spread, 1.198, 0.001)
