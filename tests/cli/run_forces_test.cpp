// run --record forces: forces.csv beside bodies.csv and power.csv of the same run.
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "core/vec3.h"
#include "io/csv.h"
#include "lie/quaternion.h"

namespace cartan::test {
namespace {

CsvTable read_whole_table(const std::string& path) {
  Diagnostics problems(path);
  const auto table = read_csv(path, CsvRows::all, problems);
  EXPECT_TRUE(table) << problems.text();
  return table.value_or(CsvTable());
}

Vec3<double> vector_at(const CsvTable& table, const std::string& prefix, const char* letters,
                       std::size_t row) {
  Vec3<double> v;
  for (int k = 0; k < 3; ++k) {
    const auto* column = table.find(prefix + letters + "xyz"[k]);
    EXPECT_TRUE(column) << prefix << letters;
    if (column) v[k] = (*column)[row];
  }
  return v;
}

// f . v + torque . w of one side of a force, from the files alone.
double power_of(const CsvTable& forces, const CsvTable& bodies, const std::string& name,
                const std::string& body, std::size_t row) {
  const std::string prefix = name + "." + body + ".";
  const auto of = [&](const char* letter) { return (*bodies.find(body + "." + letter))[row]; };
  const Quat<double> u{of("qw"), of("qx"), of("qy"), of("qz")};
  const Vec3<double> w = rotation_matrix(u) * vector_at(bodies, body + ".", "w", row);
  const Vec3<double> arm =
      vector_at(forces, prefix, "", row) - vector_at(bodies, body + ".", "", row);
  const Vec3<double> v = vector_at(bodies, body + ".", "v", row) + cross(w, arm);
  return dot(vector_at(forces, prefix, "f", row), v) + dot(vector_at(forces, prefix, "t", row), w);
}

TEST(RunForces, PowerOfTheTablesAgrees) {
  const Scratch scratch;
  const std::string out = scratch.path("out");
  ASSERT_EQ(run_cartan({"run", example("spring_damper_chain"), "--duration", "0.5", "--record",
                        "forces,power", "--out", out, "--quiet"})
                .status,
            0);
  const CsvTable forces = read_whole_table(out + "/forces.csv"),
                 power = read_whole_table(out + "/power.csv"),
                 bodies = read_whole_table(out + "/bodies.csv");
  ASSERT_EQ(forces.row_count(), bodies.row_count());
  const std::size_t row = forces.row_count() - 1;
  int compared = 0;
  for (const std::string& column : power.names) {
    if (!column.ends_with(".potential_rate")) continue;
    const std::string name = column.substr(0, column.rfind('.'));
    double sum = 0, size = 1e-9;
    for (const std::string& side : forces.names) {
      if (!side.starts_with(name + ".") || !side.ends_with(".fx")) continue;
      const std::string body = side.substr(name.size() + 1, side.size() - name.size() - 4);
      if (body == "world") continue;
      const double part = power_of(forces, bodies, name, body, row);
      sum += part;
      size += std::fabs(part);
    }
    const double expected = (*power.find(name + ".power"))[row] - (*power.find(column))[row];
    EXPECT_NEAR(sum, expected, 1e-10 * size) << name;
    compared += std::fabs(expected) > 1e-6;
  }
  EXPECT_GE(compared, 10);
}

TEST(RunForces, AReportRecordsThemAndALaterRunTakesThemAway) {
  const Scratch scratch;
  const std::string out = scratch.path("out");
  ASSERT_EQ(run_cartan({"run", example("bicycle"), "--duration", "0.1", "--report", "--out", out,
                        "--quiet"})
                .status,
            0);
  const CsvTable forces = read_whole_table(out + "/forces.csv");
  // the wheels press on the ground with about the weight of the whole, which falls a little
  double weight = 0;
  for (const std::string& column : forces.names)
    if (column.ends_with(".world.fz")) weight -= (*forces.find(column))[0];
  const double mass = expect_json(run_cartan({"check", example("bicycle"), "--json"}))["mass"];
  EXPECT_NEAR(weight, 9.81 * mass, 0.2 * 9.81 * mass);
  ASSERT_EQ(
      run_cartan({"run", example("bicycle"), "--duration", "0.1", "--out", out, "--quiet"}).status,
      0);
  EXPECT_EQ(read_file(out + "/forces.csv"), "");
}

// A rod that lies on a stop, and a block that hangs on one: the stop holds the weight, as a torque
// about the hinge and as a force along the slide; a force of the same name keeps its columns.
TEST(RunForces, StopsActOnChildAndParent) {
  const Scratch scratch;
  const std::string out = scratch.path("out"), model = scratch.write("stops.toml", R"(
[[body]]
name = "rod"
mass = 2
com = [0.5, 0, 0]
inertia = [0.1, 0.1, 0.1]
[[body]]
name = "block"
mass = 3
[[joint]]
name = "hinge"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "world", at = [0, 0, 1] }
child = { body = "rod" }
stop = { upper = 0 }
[[joint]]
name = "slide"
type = "prismatic"
axis = [0, 0, 1]
parent = { body = "world", at = [2, 0, 0] }
child = { body = "block" }
stop = { lower = 0 }
[[force]]
name = "slide lower"
type = "joint"
joint = "slide"
value = "-1"
)");
  const CommandResult ran = run_cartan({"run", model, "--duration", "0.1", "--step", "0.05",
                                        "--record", "forces", "--out", out, "--quiet"});
  ASSERT_EQ(ran.status, 0) << ran.err;
  const CsvTable forces = read_whole_table(out + "/forces.csv");
  const auto expect = [&](const std::string& side, const char* letters, Vec3<double> value) {
    for (std::size_t row = 0; row < forces.row_count(); ++row)
      EXPECT_LT(norm(vector_at(forces, side, letters, row) - value), 1e-12) << side << letters;
  };
  expect("hinge upper.rod.", "", {0, 0, 1});
  expect("hinge upper.rod.", "f", {});
  expect("hinge upper.rod.", "t", {0, -9.81, 0});
  expect("hinge upper.world.", "t", {0, 9.81, 0});
  expect("slide lower.block.", "f", {0, 0, -1});
  expect("contact slide lower.block.", "f", {0, 0, 3 * 9.81 + 1});
  expect("contact slide lower.world.", "f", {0, 0, -3 * 9.81 - 1});
  expect("contact slide lower.block.", "t", {});
  EXPECT_EQ(run_cartan({"view", out, "--export", scratch.path("page.html")}).status, 0);
}

TEST(RunForces, UnknownTablesAreRefused) {
  const Scratch scratch;
  expect_refusal(
      run_cartan({"run", example("pendulum"), "--record", "force", "--out", scratch.path("out")}),
      "forces");
}

}  // namespace
}  // namespace cartan::test
