#include "cli/json_values.h"

#include <fmt/core.h>

namespace cartan {

Json to_json(const Vec3<double>& a) { return {a.x, a.y, a.z}; }

Json to_json(const Quat<double>& u) { return {u.w, u.x, u.y, u.z}; }

Json to_json(const Eigen::MatrixXd& matrix) {
  Json rows = Json::array();
  for (int i = 0; i < matrix.rows(); ++i) {
    Json row = Json::array();
    for (int j = 0; j < matrix.cols(); ++j) row.push_back(matrix(i, j));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json joints_to_json(const Model& model, const std::vector<std::vector<double>>& values) {
  Json joints = Json::object();
  for (std::size_t j = 0; j < model.joints.size(); ++j) joints[model.joints[j].name] = values[j];
  return joints;
}

Json state_to_json(const Model& model, const Observation& at) {
  Json bodies = Json::object();
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const BodyState& body = at.bodies[b];
    bodies[model.bodies[b].name] = {{"position", to_json(body.position)},
                                    {"quaternion", to_json(body.orientation)},
                                    {"angular", to_json(body.angular)},
                                    {"linear", to_json(body.linear)}};
  }
  return {{"t", at.t},
          {"q", joints_to_json(model, at.q)},
          {"v", joints_to_json(model, at.v)},
          {"bodies", std::move(bodies)}};
}

Json parameters_to_json(const Model& model) {
  Json parameters = Json::object();
  const std::vector<double> values = parameter_values(model);
  for (std::size_t p = 0; p < values.size(); ++p) parameters[model.parameters[p].name] = values[p];
  return parameters;
}

void print_json(const Json& object) { fmt::print("{}\n", object.dump(2)); }

}  // namespace cartan
