#include "results/motion_table.h"

#include <algorithm>

#include <fmt/core.h>

#include "expr/table_function.h"
#include "io/csv.h"
#include "lie/quaternion.h"
#include "results/load/state_file.h"

namespace cartan::results {
namespace {

using Rows = std::vector<std::vector<double>>;

// Slopes of the smooth curves through every column of `rows`.
Rows differentiate(const std::vector<double>& t, const Rows& rows) {
  Rows slopes(rows.size(), std::vector<double>(rows[0].size()));
  for (std::size_t c = 0; c < rows[0].size(); ++c) {
    std::vector<double> column;
    for (const std::vector<double>& row : rows) column.push_back(row[c]);
    const TableFunction curve(t, column, Interpolation::spline, Outside::extrapolate);
    for (std::size_t k = 0; k < t.size(); ++k) slopes[k][c] = curve.slope(t[k]);
  }
  return slopes;
}

Quat<double> quaternion_of(const std::vector<double>& row) {
  return {row[0], row[1], row[2], row[3]};
}

// u and -u are the same rotation; neighbours in time must lie on the same side.
void unwind_quaternions(Rows& q) {
  for (std::size_t k = 1; k < q.size(); ++k) {
    double product = 0;
    for (int i = 0; i < 4; ++i) product += q[k][i] * q[k - 1][i];
    if (product < 0)
      for (int i = 0; i < 4; ++i) q[k][i] = -q[k][i];
  }
}

// w = 2 u* u' / |u|^2 in the axes of C; the linear part of a free joint in C's axes too.
std::vector<double> rotation_speeds(const std::vector<double>& q, const std::vector<double>& rate) {
  const Quat<double> u = quaternion_of(q);
  const Vec3<double> w = (2 / norm2(u)) * (conjugate(u) * quaternion_of(rate)).vector();
  std::vector<double> v = {w.x, w.y, w.z};
  if (q.size() > 4) {
    const Mat3<double> R = rotation_matrix(u);
    const Vec3<double> p(rate[4], rate[5], rate[6]);
    for (int i = 0; i < 3; ++i) v.push_back(dot(R.c[i], p));
  }
  return v;
}

Rows calc_speeds(const Joint& joint, const std::vector<double>& t, Rows q) {
  if (!has_quaternion(joint.type)) return differentiate(t, q);
  unwind_quaternions(q);
  Rows v = differentiate(t, q);
  for (std::size_t k = 0; k < t.size(); ++k) v[k] = rotation_speeds(q[k], v[k]);
  return v;
}

class MotionReader {
 public:
  MotionReader(const CsvTable& table, Diagnostics& problems) : table_(table), problems_(problems) {}

  MotionTable read(const Model& model) {
    if (!read_times()) return motion_;
    std::vector<bool> in_tree(model.joints.size(), false);
    for (const TreeJoint& step : model.tree) in_tree[step.joint] = true;
    motion_.joints.resize(model.joints.size());
    for (std::size_t j = 0; j < model.joints.size(); ++j)
      if (in_tree[j] && model.joints[j].nv() > 0) read_joint(model.joints[j], motion_.joints[j]);
    for (const Variable& variable : model.variables) {
      const std::vector<double>* column = table_.find(variable.name);
      motion_.variables.push_back(column ? *column : std::vector<double>());
    }
    return motion_;
  }

 private:
  bool read_times() {
    const std::vector<double>* t = table_.find("t");
    if (!t) {
      problems_.error({1, 1}, "there is no column 't'; expected the columns of trajectory.csv");
      return false;
    }
    motion_.t = *t;
    for (std::size_t k = 1; k < t->size(); ++k)
      if (!((*t)[k] > (*t)[k - 1])) {
        problems_.error(
            {}, fmt::format("column 't' must increase from row to row; row {} does not", k + 1));
        return false;
      }
    return true;
  }

  // Empty when there is none of the columns; complains when there is a part.
  Rows read_columns(const std::vector<std::string>& names) {
    std::vector<const std::vector<double>*> columns;
    std::string missing;
    for (const std::string& name : names) {
      columns.push_back(table_.find(name));
      if (!columns.back() && missing.empty()) missing = name;
    }
    if (std::count(columns.begin(), columns.end(), nullptr) == std::ssize(columns)) return {};
    if (!missing.empty()) {
      problems_.error({1, 1},
                      fmt::format("there is no column '{}' beside its neighbours", missing));
      return {};
    }
    Rows rows(table_.row_count());
    for (std::size_t k = 0; k < rows.size(); ++k)
      for (const std::vector<double>* column : columns) rows[k].push_back((*column)[k]);
    return rows;
  }

  void read_joint(const Joint& joint, PrescribedJoint& motion) {
    motion.q = read_columns(coordinate_columns(joint));
    if (motion.q.empty()) {
      if (!problems_.has_errors())
        problems_.error(
            {1, 1}, fmt::format("there is no column '{}'; expected the coordinates of every joint",
                                coordinate_columns(joint)[0]));
      return;
    }
    for (const std::vector<double>& q : motion.q)
      if (!check_coordinates(joint, q, problems_)) return;
    motion.v = read_columns(speed_columns(joint));
    motion.a = read_columns(speed_columns(joint, 'a'));
    if (motion.v.empty() || motion.a.empty()) derive(joint, motion);
  }

  void derive(const Joint& joint, PrescribedJoint& motion) {
    if (motion_.t.size() < 2) {
      problems_.error(
          {}, fmt::format("one row is not enough to differentiate the motion of joint '{}'; "
                          "give its columns '{}' and '{}', or more rows",
                          joint.name, speed_columns(joint)[0], speed_columns(joint, 'a')[0]));
      return;
    }
    const bool no_speeds = motion.v.empty(), no_accelerations = motion.a.empty();
    if (no_speeds) motion.v = calc_speeds(joint, motion_.t, motion.q);
    if (no_accelerations) motion.a = differentiate(motion_.t, motion.v);
    motion_.derived.push_back(fmt::format("{} of '{}'",
                                          no_speeds && no_accelerations ? "v and a"
                                          : no_speeds                   ? "v"
                                                                        : "a",
                                          joint.name));
  }

  const CsvTable& table_;
  Diagnostics& problems_;
  MotionTable motion_;
};

}  // namespace

std::optional<MotionTable> read_motion(const std::string& path, const Model& model,
                                       Diagnostics& problems) {
  const std::optional<CsvTable> table = read_csv(path, CsvRows::all, problems);
  if (!table) return std::nullopt;
  MotionTable motion = MotionReader(*table, problems).read(model);
  if (problems.has_errors()) return std::nullopt;
  return motion;
}

}  // namespace cartan::results
