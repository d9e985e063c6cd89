// Eight variables, seven of them given by equations: a pair, two that follow it, three together,
// one with a rate of its own in between. And the same solved by hand.
#pragma once

namespace cartan::test {

inline constexpr const char* implicit_text = R"toml(
equations = ["(2 + p*sin(x)^2)*x' + cos(y)*y' = y - t", "x' - p*y' = x*z", "u' + x*y' = z' + 1",
             "exp(u)*w' = u' - w*x'", "3*a' + b' + sin(x)*c' = w' + a*b", "a' - 2*b' = u*c",
             "b' + x*a' + 4*c' = a"]
[parameters]
p = 0.7
[variables]
w = { initial = 0.2 }
x = { initial = 0.4 }
z = { initial = 0.5, rate = "p*y - z" }
y = { initial = 1.2 }
u = { initial = 0.1 }
a = { initial = 0.3 }
b = { initial = -0.2 }
c = { initial = 0.6 }
[[output]]
name = "single"
value = "x + y"
[[output]]
name = "dense"
value = [["x*y", 1, "p"], [0, "sin(x)", "z"]]
[[output]]
name = "list"
value = ["x", "y*u"]
[[output]]
name = "few"
value = [[0, "x*y", 0, 0], ["exp(u)", 0, 0, "w*p"]]
sparse = true
)toml";
inline constexpr const char* explicit_text = R"toml(
[parameters]
p = 0.7
[definitions]
det = "-p*(2 + p*sin(x)^2) - cos(y)"
dx = "(-p*(y - t) - cos(y)*x*z)/det"
dy = "((2 + p*sin(x)^2)*x*z - (y - t))/det"
du = "p*y - z + 1 - x*dy"
dw = "(du - w*dx)/exp(u)"
r1 = "dw + a*b"
r2 = "u*c"
r3 = "a"
D = "3*(-2*4 - 0*1) - 1*(1*4 - 0*x) + sin(x)*(1*1 + 2*x)"
da = "(r1*(-8) - 1*(r2*4 - 0*r3) + sin(x)*(r2*1 + 2*r3))/D"
db = "(3*(r2*4 - 0*r3) - r1*(1*4 - 0*x) + sin(x)*(1*r3 - r2*x))/D"
dc = "(3*(-2*r3 - r2*1) - 1*(1*r3 - r2*x) + r1*(1*1 + 2*x))/D"
[variables]
w = { initial = 0.2, rate = "dw" }
x = { initial = 0.4, rate = "dx" }
z = { initial = 0.5, rate = "p*y - z" }
y = { initial = 1.2, rate = "dy" }
u = { initial = 0.1, rate = "du" }
a = { initial = 0.3, rate = "da" }
b = { initial = -0.2, rate = "db" }
c = { initial = 0.6, rate = "dc" }
)toml";

}  // namespace cartan::test
