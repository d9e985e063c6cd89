// Records as JSON. Slow to compile: for .cpp files that make JSON only.
#pragma once

#include <Eigen/Core>
#include <complex>
#include <nlohmann/json.hpp>
#include <vector>

#include "mechanics/machine/mechanism_system.h"

namespace cartan::results {

using Json = nlohmann::ordered_json;

// Adds a member of a name the object has not: [] would look through all others first.
void add_member(Json& object, const std::string& name, Json value);

Json json_of(const Vec3<double>& a);
Json json_of(const Quat<double>& u);
Json complex_json(const std::vector<std::complex<double>>& values);  // [[re, im]..]
Json json_of(const Eigen::MatrixXd& matrix);                         // list of rows
// { joint: [..] } for every joint
Json joints_json(const Model& model, const std::vector<std::vector<double>>& values);
// t, q, v in the shape of STATE.json, and the bodies
Json state_json(const Model& model, const Observation& at);
// The parameters by name
Json parameters_json(const Model& model);

}  // namespace cartan::results
