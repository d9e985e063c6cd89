// Source 003, appendix C.2: equations by hand and by its algorithm, three times "Diff = 0".
//
// What the document prints as derived by hand stands as an output beside the acceleration of the
// model, so that a run shows their difference at every step.
#include <cmath>

#include <fmt/format.h>

#include "reproduction/drawing.h"
#include "reproduction/source003.h"

namespace cartan {
namespace {

// C.2.1: M* = m1 L1^2 + J15, F* = m1 g L1 cos(Th1) + F1.
const char* const single =
    R"toml(# Rykkje, section C.2.1: one link about y; what was derived by hand as an output.
name = "2D pendulum, by hand and by algorithm"
gravity = [0, 0, "-g"]
[parameters]
g = 9.81
L1 = 0.37
m1 = 1.9
J15 = 0.043
F1 = 0.4
[[body]]
name = "link"
mass = "m1"
com = ["L1", 0, 0]
inertia = [0.04, "J15", 0.05]
[[joint]]
name = "hinge"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "world" }
child = { body = "link" }
position = 0.3
velocity = 2
[[force]]
name = "drive"
type = "joint"
joint = "hinge"
value = "F1"
[[output]]
name = "diff"
value = "hinge.a - (F1 + L1*m1*g*cos(hinge.q))/(J15 + L1^2*m1)"
[[output]]
name = "acceleration"
value = "hinge.a"
[simulate]
duration = 5
step = 0.01
)toml";

// C.2.2 as printed (PendulumOnASTickManualEqu), Th2 = arm.q, dTh1 = column.v, dTh2 = arm.v.
const char* const stick =
    R"toml(# Rykkje, section C.2.2: the constructed pendulum; what was derived by hand as outputs.
name = "pendulum on a stick, by hand and by algorithm"
gravity = [0, 0, "-g"]
[parameters]
g = 9.81
L11 = 0.117
L12 = -0.0197
L13 = 0.301
l1 = 0.133
l3 = -0.009
L21 = 0.127
m1 = 3.36
m2 = 4.68
J19 = 0.0617
J21 = 4.19e-3
J25 = 1.92e-2
J29 = 1.98e-2
F1 = 0.2
F2 = -0.3
[[body]]
name = "column"
mass = "m1"
com = ["L11", "L12", "L13"]
inertia = [0.0832, 0.1156, "J19", 0.0077, -0.0035, 0.0006]
[[body]]
name = "arm"
mass = "m2"
com = ["L21", 0, 0]
inertia = ["J21", "J25", "J29"]
[[joint]]
name = "base"
type = "revolute"
axis = [0, 0, 1]
parent = { body = "world" }
child = { body = "column" }
velocity = 5
[[joint]]
name = "shoulder"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "column", at = ["L11 + l1", 0, "L13 + l3"] }
child = { body = "arm" }
position = 2.9
velocity = 0.4
[[force]]
name = "first"
type = "joint"
joint = "base"
value = "F1"
[[force]]
name = "second"
type = "joint"
joint = "shoulder"
value = "F2"
[definitions]
Th2 = "shoulder.q"
dTh1 = "base.v"
dTh2 = "shoulder.v"
by_hand1 = "(F1 - J21*dTh1*dTh2*sin(2*Th2) + J29*dTh1*dTh2*sin(2*Th2) + L21^2*dTh1*dTh2*m2*sin(2*Th2) + 2*L21*dTh1*dTh2*l1*m2*sin(Th2) + 2*L11*L21*dTh1*dTh2*m2*sin(Th2))/(J19 + J21 + L11^2*m1 + L11^2*m2 + L12^2*m1 + l1^2*m2 - J21*cos(Th2)^2 + J29*cos(Th2)^2 + 2*L11*l1*m2 + L21^2*m2*cos(Th2)^2 + 2*L11*L21*m2*cos(Th2) + 2*L21*l1*m2*cos(Th2))"
by_hand2 = "-((J29*dTh1^2*sin(2*Th2))/2 - (J21*dTh1^2*sin(2*Th2))/2 - F2 - L21*g*m2*cos(Th2) + (L21^2*dTh1^2*m2*sin(2*Th2))/2 + L21*dTh1^2*l1*m2*sin(Th2) + L11*L21*dTh1^2*m2*sin(Th2))/(J25 + L21^2*m2)"
[[output]]
name = "diff"
value = "base.a - by_hand1"
[[output]]
name = "diff2"
value = "shoulder.a - by_hand2"
[[output]]
name = "acceleration"
value = "shoulder.a"
[simulate]
duration = 5
step = 0.01
)toml";

double largest_of(const ResultTable& table, const char* name) {
  return largest(column(table, name));
}

}  // namespace

void equations_by_hand(Workshop& shop, Record& record) {
  Chart chart = figure_chart("By hand and by algorithm", "t [s]", "difference [rad/s^2]");
  for (const auto& [file, text, where, outputs] :
       {std::tuple("by_hand_1", single, "C.2.1, pendulum", std::vector<const char*>{"diff"}),
        std::tuple("by_hand_2", stick, "C.2.2, constructed pendulum",
                   std::vector<const char*>{"diff", "diff2"})}) {
    const auto run = shop.run(
        {shop.write_model(file, text), "--formulation", "moving-frame", "--integrator", "gl3"});
    const ResultTable table = run.table();
    double worst = 0;
    for (const char* output : outputs) {
      worst = std::max(worst, largest_of(table, output));
      add_line(chart, fmt::format("{}: {}", where, output), column(table, "t"),
               column(table, output));
    }
    const double size = largest_of(table, "acceleration");
    record.rows.push_back(
        {fmt::format("{}: printed equations less the algorithm's", where), "Diff = 0",
         fmt::format("{} of {:.3g} rad/s^2 at 501 states", few_digits(worst), size),
         agrees_if(worst < 1e-12 * size)});
  }
  // C.2.3 prints the way, not the equations: the algorithm against other formulations of the model.
  double worst = 0;
  std::vector<std::vector<double>> ends;
  for (const char* formulation : {"moving-frame", "recursive", "absolute-se3", "canonical"}) {
    const auto run = shop.run({shop.model("rotated_double_pendulum"), "--formulation", formulation,
                               "--integrator", "gl4", "--step", "0.005", "--duration", "2"});
    const ResultTable table = run.table();
    ends.push_back({column(table, "column.q0").back(), column(table, "shoulder.q0").back(),
                    column(table, "elbow.q0").back()});
    for (std::size_t k = 0; k < 3; ++k)
      worst = std::max(worst, std::fabs(ends.back()[k] - ends[0][k]));
  }
  record.rows.push_back(
      {"C.2.3, rotated double pendulum: the algorithm and three other formulations after 2 s",
       "Diff = 0", few_digits(worst) + " rad apart", agrees_if(worst < 1e-9),
       "by hand the document prints its steps only; motions are compared instead"});
  record.figures.push_back(
      {chart,
       "Angular accelerations of the moving-frame algorithm less those of the equations that "
       "source 003 prints as derived by hand, along two motions: rounding."});
  record.notes = {
      "In C.2.3 the drives F2 and F3 are passed on with the wrong sign (FH(5) = -F2 + F3, both by "
      "hand and by algorithm, so that the difference is zero all the same); here they are zero."};
}

}  // namespace cartan
