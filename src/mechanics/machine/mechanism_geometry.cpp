#include "mechanics/machine/mechanism_geometry.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/mixed.h"
#include "expr/hold_inputs.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/joints/joint_fields.h"
#include "mechanics/machine/kinematics.h"

namespace cartan::mechanics {
namespace {

// "the force 'wind'" when an expression of it varies with t.
std::string find_timed_force(const Model& model, std::span<const double> parameters) {
  for (const Force& force : model.forces) {
    bool found = false;
    for_each_expression(force, [&](const Formula& f) {
      found |= f.given() && varies_with_time(f.program, parameters);
    });
    if (found) return fmt::format("the force '{}'", force.name);
  }
  return "";
}

class MechanismGeometry final : public MotionGeometry {
 public:
  explicit MechanismGeometry(const Mechanism<double>& mechanism) : mechanism_(mechanism) {
    for (std::size_t i = 0; i < mechanism.links.size(); ++i)
      append_fields(mechanism.links[i], static_cast<int>(i), fields_);
    find_moving_rows();
  }

  std::string time_dependence() const override {
    const Model& model = *mechanism_.model;
    const std::span<const double> parameters = mechanism_.parameters;
    if (varies_with_time(model.gravity.program, parameters)) return "gravity";
    if (std::string force = find_timed_force(model, parameters); !force.empty()) return force;
    for (std::size_t c = 0; c < mechanism_.constraints.size(); ++c) {
      const auto* drive = std::get_if<DriveElement<double>>(&mechanism_.constraints[c]);
      if (drive && varies_with_time(drive->rate, parameters))
        return fmt::format("the drive '{}' (its speed changes)", model.constraints[c].name);
    }
    for (const Variable& variable : model.variables)
      if (varies_with_time(variable.rate.program, parameters))
        return fmt::format("the rate of the variable '{}'", variable.name);
    if (model.implicit && varies_with_time(model.implicit->form.program, parameters))
      return "the `equations` of [variables]";
    return "";
  }

  bool constraint_moves(int i) const override { return i < mechanism_.row_count() && moving_[i]; }

  // Of the joints, then shifts of the variables.
  int field_count() const override { return joint_fields() + mechanism_.nz; }

  FieldKind field_kind(int k) const override {
    if (k >= joint_fields()) return FieldKind::shift;
    const JointField& field = fields_[k];
    if (field.kind == JointField::Kind::shift) return FieldKind::shift;
    const bool outboard = (field.kind == JointField::Kind::right) != link(k).reversed;
    return outboard ? FieldKind::own : FieldKind::world;
  }

  std::string field_name(int k) const override {
    if (k >= joint_fields())
      return "shift of " + mechanism_.model->variables[k - joint_fields()].name;
    const JointField& field = fields_[k];
    const Model& model = *mechanism_.model;
    const LinkBody<double>& body = mechanism_.bodies[field.link];
    const Joint& joint = model.joints[body.joint];
    if (field.kind == JointField::Kind::shift)
      return joint.nq() == 1 ? fmt::format("shift of {}.q", joint.name)
                             : fmt::format("shift of {}.q[{}]", joint.name, field.component);
    const char axis = "xyz"[field.component % 3];
    const char* motion = field.component < 3 ? "rotation about" : "translation along";
    if (field_kind(k) == FieldKind::own)
      return fmt::format("{} {}'s own {} axis", field.component < 3 ? "spin about" : motion,
                         model.bodies[body.body].name, axis);
    return fmt::format("{} {} at {}", motion, axis, joint.name);
  }

  void fields(StateView at, std::span<const double> direction, Eigen::Ref<Eigen::MatrixXd> Y,
              Eigen::Ref<Eigen::MatrixXd> D) const override {
    Y.setZero();
    D.setZero();
    for (int k = 0; k < mechanism_.nz; ++k)
      Y(mechanism_.nq + mechanism_.nv + k, joint_fields() + k) = 1;
    for (int f = 0; f < joint_fields(); ++f)
      evaluate(
          f, at, [&](int i) { return seeded(at.x[i], direction[i]); },
          [&](int i, const Dual4& value) {
            Y(i, f) = value.a;
            D(i, f) = value.d[0];
          });
  }

  void add_field_jacobian(StateView at, std::span<const double> factors,
                          Eigen::Ref<Eigen::MatrixXd> J) const override {
    for (int f = 0; f < joint_fields(); ++f) {
      if (factors[f] == 0) continue;
      const Link<double>& l = link(f);
      for (int column = 0; column < l.nq + l.nv; ++column) {
        const int j = place(l, column);
        evaluate(
            f, at, [&](int i) { return seeded(at.x[i], i == j ? 1 : 0); },
            [&](int i, const Dual4& value) { J(i, j) += factors[f] * value.d[0]; });
      }
    }
  }

  void add_field_curvature(StateView at, std::span<const double> factors, std::span<const double> u,
                           std::span<const double> w, std::span<double> result) const override {
    evaluate_mixed(
        factors, [&](int i) { return Mixed(at.x[i], u[i], w[i]); },
        [&](int i, double factor, const Mixed& value) { result[i] += factor * value.uw; });
  }

  void add_field_third(StateView at, std::span<const double> factors, std::span<const double> u,
                       std::span<const double> w, std::span<const double> v,
                       std::span<double> result) const override {
    evaluate_mixed(
        factors, [&](int i) { return Mixed(at.x[i], u[i], w[i], v[i]); },
        [&](int i, double factor, const Mixed& value) { result[i] += factor * value.uwv; });
  }

 private:
  int joint_fields() const { return static_cast<int>(fields_.size()); }
  const Link<double>& link(int field) const { return mechanism_.links[fields_[field].link]; }
  // Where number `k` of a joint's (q, v) stands in x.
  int place(const Link<double>& l, int k) const {
    return k < l.nq ? l.q0 + k : mechanism_.nq + l.v0 + k - l.nq;
  }
  static Dual4 seeded(double value, double slope) {
    Dual4 x(value);
    x.d[0] = slope;
    return x;
  }

  template <class Read, class Write>
  void evaluate(int f, StateView, Read&& read, Write&& write) const {
    const Link<double>& l = link(f);
    Dual4 in[13], out[13];
    for (int k = 0; k < l.nq + l.nv; ++k) in[k] = read(place(l, k));
    calc_joint_field<Dual4>(l.type, l.nq, l.nv, fields_[f], in, in + l.nq, out, out + l.nq);
    for (int k = 0; k < l.nq + l.nv; ++k) write(place(l, k), out[k]);
  }

  template <class Read, class Add>
  void evaluate_mixed(std::span<const double> factors, Read&& read, Add&& add) const {
    for (int f = 0; f < joint_fields(); ++f) {
      if (factors[f] == 0) continue;
      const Link<double>& l = link(f);
      Mixed in[13], out[13];
      for (int k = 0; k < l.nq + l.nv; ++k) in[k] = read(place(l, k));
      calc_joint_field<Mixed>(l.type, l.nq, l.nv, fields_[f], in, in + l.nq, out, out + l.nq);
      for (int k = 0; k < l.nq + l.nv; ++k) add(place(l, k), factors[f], out[k]);
    }
  }

  void find_moving_rows() {
    moving_.assign(mechanism_.row_count(), false);
    for (int r = 0; r < mechanism_.row_count(); ++r) {
      const ConstraintRow& row = mechanism_.rows[r];
      if (row.element < 0) continue;
      const auto* drive = std::get_if<DriveElement<double>>(&mechanism_.constraints[row.element]);
      moving_[r] = drive && drive->position->program.depends_on(Quantity::time);
    }
  }

  const Mechanism<double>& mechanism_;
  std::vector<JointField> fields_;
  std::vector<bool> moving_;  // per row
};

}  // namespace

std::unique_ptr<MotionGeometry> make_mechanism_geometry(const Mechanism<double>& mechanism) {
  return std::make_unique<MechanismGeometry>(mechanism);
}

}  // namespace cartan::mechanics
