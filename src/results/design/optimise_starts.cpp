#include "results/design/optimise_starts.h"

#include <nlohmann/json.hpp>

namespace cartan::results {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Packed = nlohmann::json;

std::vector<double> packed_list(const VectorXd& v) {
  return {v.data(), v.data() + v.size()};
}
VectorXd vector_of(const Packed& list) {
  const auto numbers = list.get<std::vector<double>>();
  return Eigen::Map<const VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

}  // namespace

std::string write_design_result(const DesignResult& r) {
  const MatrixXd& slopes = r.point.slopes;
  const Packed packed = {
      {"converged", r.converged},
      {"problem", r.problem},
      {"theta", packed_list(r.theta)},
      {"multipliers", packed_list(r.multipliers)},
      {"objective", r.point.objective},
      {"gradient", packed_list(r.point.gradient)},
      {"constraints", packed_list(r.point.constraints)},
      {"slopes", std::vector<double>(slopes.data(), slopes.data() + slopes.size())},
      {"rows", slopes.rows()},
      {"violation", r.violation},
      {"stationarity", r.stationarity},
      {"iterations", r.iterations},
      {"evaluations", r.evaluations},
      {"at_bound", r.at_bound},
      {"second_order", r.second_order},
      {"saddles", r.saddles}};
  const std::vector<std::uint8_t> bytes = Packed::to_cbor(packed);
  return {bytes.begin(), bytes.end()};
}

DesignResult read_design_result(const std::string& bytes) {
  const Packed packed = Packed::from_cbor(bytes);
  DesignResult r;
  r.converged = packed["converged"];
  r.problem = packed["problem"];
  r.theta = vector_of(packed["theta"]);
  r.multipliers = vector_of(packed["multipliers"]);
  r.point.objective = packed["objective"];
  r.point.gradient = vector_of(packed["gradient"]);
  r.point.constraints = vector_of(packed["constraints"]);
  const VectorXd slopes = vector_of(packed["slopes"]);
  const Eigen::Index rows = packed["rows"];
  r.point.slopes =
      Eigen::Map<const MatrixXd>(slopes.data(), rows, rows > 0 ? slopes.size() / rows : 0);
  r.violation = packed["violation"];
  r.stationarity = packed["stationarity"];
  r.iterations = packed["iterations"];
  r.evaluations = packed["evaluations"];
  r.at_bound = packed["at_bound"].get<std::vector<int>>();
  r.second_order = packed["second_order"];
  r.saddles = packed["saddles"];
  return r;
}

}  // namespace cartan::results
