// Tables of numbers over time: columns with names and units.
//
//   const cartan::Run run = cartan::run(cartan::load("model.toml"), {.duration = 1});
//   const cartan::Table& motion = run.table("trajectory.csv");
//   for (const cartan::Column& column : motion.columns)
//     std::printf("%s [%s]: %g\n", column.name.c_str(), column.unit.c_str(), column.values.back());
//   const std::span<const double> energy = motion["energy"];
//   std::printf("%zu samples, %g J\n", energy.size(), energy.front());
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cartan/export.h>

namespace cartan::api {

// What a column is about.
enum class ColumnKind {
  time,        // t
  coordinate,  // of a joint
  speed,       // of a joint
  variable,    // of a [variables] file
  energy,      // kinetic, potential, their sum
  violation,   // of constraints
  output,      // [[output]] of the model
  power,       // power and rates of energies
  position,    // of a body, or of the point a force acts at
  rotation,    // of a body: a number of its quaternion
  velocity,    // of a body
  force,       // a force, a torque, a multiplier
  event,       // which event, and in which direction
};

// One column: what it is called and measured in, and its numbers.
struct Column {
  std::string name;  // as in the table's file: "elbow.q0"
  std::string unit;  // "rad", "m/s", ..; "" where there is none or it is not known
  ColumnKind kind = ColumnKind::output;
  std::vector<double> values;      // one per row; not a number where it is not defined
  std::vector<std::string> words;  // instead of numbers: the names of events
};

// A table as a run writes it.
struct Table {
  std::string name;             // of its file: "trajectory.csv"
  std::vector<Column> columns;  // the first is t

  // Rows.
  std::size_t size() const { return columns.empty() ? 0 : columns.front().values.size(); }
  // Null where there is no such column. `elbow.q` and `elbow.q[0]` mean elbow.q0.
  CARTAN_API const Column* find(std::string_view column) const;
  // The numbers of a column; an Error that suggests the nearest name where there is none.
  CARTAN_API std::span<const double> operator[](std::string_view column) const;
};

}  // namespace cartan::api
