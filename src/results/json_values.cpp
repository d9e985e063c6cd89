#include "results/json_values.h"

namespace cartan::results {

void add_member(Json& object, const std::string& name, Json value) {
  using Members = Json::object_t;
  static_cast<Members::Container&>(object.get_ref<Members&>()).emplace_back(name, std::move(value));
}

Json json_of(const Vec3<double>& a) {
  return {a.x, a.y, a.z};
}

Json json_of(const Quat<double>& u) {
  return {u.w, u.x, u.y, u.z};
}

Json json_of(const Eigen::MatrixXd& matrix) {
  Json rows = Json::array();
  for (int i = 0; i < matrix.rows(); ++i) {
    Json row = Json::array();
    for (int j = 0; j < matrix.cols(); ++j) row.push_back(matrix(i, j));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json complex_json(const std::vector<std::complex<double>>& values) {
  Json list = Json::array();
  for (const std::complex<double>& z : values) list.push_back({z.real(), z.imag()});
  return list;
}

Json joints_json(const Model& model, const std::vector<std::vector<double>>& values) {
  Json joints = Json::object();
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    add_member(joints, model.joints[j].name, values[j]);
  return joints;
}

Json state_json(const Model& model, const Observation& at) {
  Json bodies = Json::object();
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const BodyState& body = at.bodies[b];
    add_member(bodies, model.bodies[b].name,
               {{"position", json_of(body.position)},
                {"quaternion", json_of(body.orientation)},
                {"angular", json_of(body.angular)},
                {"linear", json_of(body.linear)}});
  }
  Json json = {{"t", at.t}, {"q", joints_json(model, at.q)}, {"v", joints_json(model, at.v)}};
  if (!model.variables.empty()) json["variables"] = Json::object();
  for (std::size_t i = 0; i < model.variables.size(); ++i)
    add_member(json["variables"], model.variables[i].name, at.variables[i]);
  json["bodies"] = std::move(bodies);
  return json;
}

Json parameters_json(const Model& model) {
  Json parameters = Json::object();
  const std::vector<double> values = parameter_values(model);
  for (std::size_t p = 0; p < values.size(); ++p)
    add_member(parameters, model.parameters[p].name, values[p]);
  return parameters;
}

}  // namespace cartan::results
