// cartan check: validate a model and say what it is.
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include "cli/arguments.h"
#include "cli/json_values.h"
#include "cli/load.h"
#include "dynamics/formulations.h"
#include "model/mass_properties.h"

namespace cartan {
namespace {

struct Masses {
  double total = 0;
  // at the initial configuration
  bool placed = false;
  Vec3<double> com;
  Eigen::Vector3d principal;  // moments about the common centre of mass, ascending
};

struct Facts {
  int speeds = 0;       // of the tree
  bool closed = false;  // loops or constraints
  Masses masses;
  std::string not_runnable;  // why a closed system cannot be simulated, or ""
};

Eigen::Matrix3d matrix(const Sym3<double>& s) {
  Eigen::Matrix3d m;
  m << s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz;
  return m;
}
Eigen::Vector3d vector(const Vec3<double>& a) {
  return {a.x, a.y, a.z};
}
Eigen::Matrix3d matrix(const Mat3<double>& m) {
  Eigen::Matrix3d result;
  result << vector(m.c[0]), vector(m.c[1]), vector(m.c[2]);
  return result;
}

// `bodies`: where they are, or null when that is not known.
Masses calc_masses(const Model& model, const std::vector<BodyState>* bodies) {
  const std::vector<double> parameters = parameter_values(model);
  Masses masses;
  Eigen::Vector3d first = Eigen::Vector3d::Zero();   // first moment
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();  // inertia about the origin
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const auto body = calc_mass_properties<double>(model.bodies[b], parameters);
    masses.total += body.mass;
    if (!bodies) continue;
    const Eigen::Matrix3d R = matrix(rotation_matrix((*bodies)[b].orientation));
    const Eigen::Vector3d x = vector((*bodies)[b].position) + R * vector(body.com);
    first += body.mass * x;
    second += R * matrix(body.inertia) * R.transpose() +
              body.mass * (x.squaredNorm() * Eigen::Matrix3d::Identity() - x * x.transpose());
  }
  if (!bodies || masses.total <= 0) return masses;
  const Eigen::Vector3d com = first / masses.total;
  const Eigen::Matrix3d about_com =
      second -
      masses.total * (com.squaredNorm() * Eigen::Matrix3d::Identity() - com * com.transpose());
  masses.placed = true;
  masses.com = {com.x(), com.y(), com.z()};
  masses.principal =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(about_com, Eigen::EigenvaluesOnly)
          .eigenvalues();
  for (double& moment : masses.principal)  // of a thin rod: zero, but for rounding
    if (std::fabs(moment) < 1e-14 * masses.principal[2]) moment = 0;
  return masses;
}

// False after a complaint: a tree whose equations cannot be formed.
bool collect(const Model& model, Facts& facts) {
  for (const TreeJoint& step : model.tree) facts.speeds += model.joints[step.joint].nv();
  facts.closed = !model.loop_joints.empty() || !model.constraints.empty();
  std::string problem;
  const std::unique_ptr<System> system =
      make_system(model, parameter_values(model), "recursive", problem);
  const auto* mechanism = dynamic_cast<const MechanicalSystem*>(system.get());
  if (!mechanism) {
    facts.masses = calc_masses(model, nullptr);
    facts.not_runnable = problem;
    if (facts.closed) return true;
    fmt::print(stderr, "{}: {}\n", model.file, problem);
    return false;
  }
  Observation now;
  const auto workspace = system->make_workspace();
  mechanism->observe(system->initial_state(), now, *workspace);
  facts.masses = calc_masses(model, &now.bodies);
  return true;
}

// ------------------------------------------------------------------------------------------
// telling

std::string body_name(const Model& model, int body) {
  return body == world ? "world" : model.bodies[body].name;
}

// Tree joints by the body they start from; the last list belongs to the world.
std::vector<std::vector<const TreeJoint*>> branches_of(const Model& model) {
  std::vector<std::vector<const TreeJoint*>> branches(model.bodies.size() + 1);
  for (const TreeJoint& step : model.tree)
    (step.inboard == world ? branches.back() : branches[step.inboard]).push_back(&step);
  return branches;
}

// A body that carries one other keeps its indentation, so that long chains stay readable.
void print_branches(const Model& model, const std::vector<std::vector<const TreeJoint*>>& branches,
                    std::size_t from, const std::string& indent) {
  const bool fork = branches[from].size() > 1;
  for (const TreeJoint* step : branches[from]) {
    const Joint& joint = model.joints[step->joint];
    const bool last = step == branches[from].back();
    fmt::print("{}{}{} ({}{}) -> {}\n", indent, fork ? "+- " : "", joint.name,
               info(joint.type).name, step->reversed ? ", reversed" : "",
               body_name(model, step->outboard));
    print_branches(model, branches, step->outboard,
                   fork ? indent + (last ? "   " : "|  ") : indent);
  }
}

void print_closures(const Model& model) {
  if (!model.loop_joints.empty()) fmt::print("\nLoops closed by\n");
  for (int j : model.loop_joints) {
    const Joint& joint = model.joints[j];
    fmt::print("  {} ({}): {} to {}\n", joint.name, info(joint.type).name,
               body_name(model, joint.parent.body), body_name(model, joint.child.body));
  }
  if (!model.constraints.empty()) fmt::print("\nConstraints\n");
  for (const Constraint& constraint : model.constraints)
    fmt::print("  {} ({})\n", constraint.name, constraint.type);
}

void print_facts(const Model& model, const Facts& facts) {
  const auto line = [](const char* label, const std::string& text) {
    fmt::print("{:<20} {}\n", label, text);
  };
  fmt::print("\n");
  if (facts.closed)
    line("speeds of the tree",
         fmt::format("{}; loops and constraints take some of them away, which this "
                     "version does not count",
                     facts.speeds));
  else
    line("degrees of freedom", std::to_string(facts.speeds));
  if (!model.forces.empty()) line("forces", std::to_string(model.forces.size()));
  line("total mass", fmt::format("{:.10g} kg", facts.masses.total));
  if (facts.masses.placed) {
    const Masses& m = facts.masses;
    line("centre of mass",
         fmt::format("({:.6g}, {:.6g}, {:.6g}) m at the start", m.com.x, m.com.y, m.com.z));
    line("principal moments", fmt::format("{:.6g}, {:.6g}, {:.6g} kg m^2 about it", m.principal[0],
                                          m.principal[1], m.principal[2]));
  }
  if (!facts.not_runnable.empty()) fmt::print("\nNot for `run` yet: {}.\n", facts.not_runnable);
}

void print_mechanism(const Model& model, const Facts& facts) {
  fmt::print("{}: in order\n\nworld\n", model.name.empty() ? model.file : model.name);
  print_branches(model, branches_of(model), model.bodies.size(), "  ");
  print_closures(model);
  print_facts(model, facts);
}

Json mechanism_json(const Model& model, const Facts& facts) {
  Json json = {{"model", model.name},           {"bodies", model.bodies.size()},
               {"joints", model.joints.size()}, {"loops", model.loop_joints.size()},
               {"forces", model.forces.size()}, {"constraints", model.constraints.size()},
               {"speeds", facts.speeds}};
  if (!facts.closed) {
    json["dof"] = facts.speeds;
    json["dof_position"] = facts.speeds;
    json["redundant"] = 0;
  }
  json["mass"] = facts.masses.total;
  if (facts.masses.placed) {
    const Eigen::Vector3d& p = facts.masses.principal;
    json["center_of_mass"] = json_of(facts.masses.com);
    json["principal_moments"] = {p[0], p[1], p[2]};
  }
  if (!facts.not_runnable.empty()) json["not_runnable"] = facts.not_runnable;
  return json;
}

void print_variables(const Model& model, bool json) {
  std::vector<std::string> names;
  for (const Variable& variable : model.variables) names.push_back(variable.name);
  if (json)
    return print_json({{"model", model.name},
                       {"bodies", 0},
                       {"joints", 0},
                       {"loops", 0},
                       {"variables", names},
                       {"parameters", parameters_json(model)}});
  fmt::print("{}: in order\n\nvariables {}\n", model.name.empty() ? model.file : model.name,
             fmt::join(names, ", "));
}

}  // namespace

int check_command(const Words& words) {
  ModelArguments model_arguments;
  bool json = false;
  Arguments arguments("check",
                      "Validate a model; print its tree, loops, degrees of freedom, total mass and "
                      "principal moments.",
                      "  cartan check examples/heavy_top.toml");
  declare_model(arguments, model_arguments);
  arguments.flag("--json", "print one JSON object", json);
  if (const std::optional<int> status = arguments.parse(words)) return *status;
  const std::unique_ptr<const Model> model = load_model(model_arguments);
  if (!model) return exit_bad_input;
  if (!model->is_mechanism()) {
    print_variables(*model, json);
    return exit_done;
  }
  Facts facts;
  if (!collect(*model, facts)) return exit_bad_input;
  if (json)
    print_json(mechanism_json(*model, facts));
  else
    print_mechanism(*model, facts);
  return exit_done;
}

}  // namespace cartan
