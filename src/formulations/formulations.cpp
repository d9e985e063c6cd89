#include "formulations/formulations.h"

#include <algorithm>

#include <fmt/format.h>

#include "codegen/rate_compiler.h"
#include "core/method_names.h"
#include "mechanics/absolute/absolute_system.h"
#include "mechanics/elements/rotation_system.h"
#include "mechanics/machine/kinematics.h"
#include "mechanics/machine/switched_model.h"
#include "mechanics/momenta/canonical_system.h"
#include "mechanics/tree/moving_frame.h"
#include "mechanics/tree/recursive.h"
#include "mechanics/tree/slopes/dual_solver.h"
#include "mechanics/tree/tree_system.h"
#include "mechanics/variables/variables.h"
#include "model/formulas.h"

namespace cartan::formulations {
namespace {

bool closes_loop(const Model& model, int joint) {
  return std::find(model.loop_joints.begin(), model.loop_joints.end(), joint) !=
         model.loop_joints.end();
}

// What contacts and jumps cannot do in any formulation yet.
std::string refuse_jumps(const Model& model) {
  for (const Event& event : model.events)
    for (const Jump& jump : event.jumps)
      if (jump.what != Jump::What::variable && closes_loop(model, jump.index))
        return fmt::format(
            "event '{}' sets joint '{}', which closes a loop; write 'loop = true' at another joint "
            "of the loop, so that this one belongs to the tree",
            event.name, model.joints[jump.index].name);
  const bool rubs = std::any_of(model.contacts.begin(), model.contacts.end(),
                                [](const Contact& c) { return c.rubs() && !c.rough; });
  for (const Force& force : model.forces) {
    const auto* friction = std::get_if<FrictionForce>(&force.law);
    if (!friction || !rubs) continue;
    if (!friction->bearings.empty() || !friction->smoothing.given())
      return fmt::format(
          "friction '{}' beside contacts with friction: which of them sticks is not decided "
          "together; give it 'smoothing' and no bearings",
          force.name);
  }
  return "";
}

// For formulations that follow no impacts.
std::string refuse_contacts(const Model& model, bool absolute) {
  if (!model.a_contact().empty() && !absolute)
    return fmt::format(
        "contact '{}': this formulation knows no impacts and no one-sided forces; use the "
        "formulation recursive, moving-frame, absolute-se3 or absolute-so3r3{}",
        model.a_contact(),
        !model.contacts.empty() && model.contacts[0].is_stop()
            ? ", or leave the stop out (limits of URDF, MJCF and SDF: limits none)"
            : "");
  for (const Event& event : model.events)
    if (!event.jumps.empty())
      return fmt::format(
          "event '{}' sets values, which this formulation does not; use the formulation recursive "
          "or moving-frame",
          event.name);
  return "";
}

// What formulations in joint coordinates cannot do.
std::string refuse_friction(const Model& model) {
  if (std::string jumps = refuse_jumps(model); !jumps.empty()) return jumps;
  for (const Force& force : model.forces) {
    const auto* friction = std::get_if<FrictionForce>(&force.law);
    if (friction && !friction->smoothing.given() &&
        holds_nothing(model.joints[friction->joint].type))
      return fmt::format("friction '{}': a free joint cannot stick; give 'smoothing' or use 'drag'",
                         force.name);
    if (friction && closes_loop(model, friction->joint) &&
        (!friction->smoothing.given() || !friction->bearings.empty()))
      return fmt::format(
          "friction '{}' acts in joint '{}', which closes a loop; write 'loop = true' at another "
          "joint of the loop, so that this one belongs to the tree{}",
          force.name, model.joints[friction->joint].name,
          friction->bearings.empty() ? ", or give 'smoothing'" : "");
  }
  return "";
}

// Rows of the table: what the formulation cannot do, contacts and jumps among it.
std::string refuse_absolute_row(const Model& model) {
  if (std::string why = refuse_contacts(model, true); !why.empty()) return why;
  return refuse_absolute(model);
}
std::string refuse_elements_row(const Model& model) {
  if (std::string why = refuse_contacts(model, false); !why.empty()) return why;
  return refuse_rotation_elements(model);
}
std::string refuse_canonical_row(const Model& model) {
  if (std::string why = refuse_contacts(model, false); !why.empty()) return why;
  return refuse_canonical(model);
}
std::string refuse_generated_row(const Model& model) {
  if (std::string why = refuse_contacts(model, false); !why.empty()) return why;
  return refuse_friction(model);
}

std::unique_ptr<MechanicalSystem> make_recursive(const Model& model,
                                                 std::vector<double> parameters) {
  return make_tree_system(
      model, std::move(parameters),
      {"recursive", solve_accelerations<double>, solve_along_numbers, solve_accelerations<Pack4>});
}
std::unique_ptr<MechanicalSystem> make_moving(const Model& model, std::vector<double> parameters) {
  return make_tree_system(model, std::move(parameters),
                          {"moving-frame", solve_moving_frame<double>, solve_moving_frame<Dual4>,
                           solve_moving_frame<Pack4>});
}

std::unique_ptr<MechanicalSystem> make_generated(const Model& model,
                                                 std::vector<double> parameters) {
  auto compiler = make_rate_compiler(model, parameters);
  return make_tree_system(model, std::move(parameters),
                          {"generated", solve_accelerations<double>, solve_along_numbers,
                           solve_accelerations<Pack4>, nullptr, std::move(compiler)});
}

std::string find_missing_inertia(const Model& model, const std::vector<double>& parameters,
                                 const MechanicalSystem& system) {
  const State state = system.initial_state();
  const Mechanism<double> mechanism = make_mechanism<double>(model, parameters);
  MotionWorkspace<double> ws = make_motion_workspace(mechanism);
  Observation now;
  system.observe(state, now, *system.make_workspace());
  std::vector<double> q(mechanism.nq), v(mechanism.nv);
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    const int joint = mechanism.bodies[i].joint;
    std::copy(now.q[joint].begin(), now.q[joint].end(), q.begin() + mechanism.links[i].q0);
    std::copy(now.v[joint].begin(), now.v[joint].end(), v.begin() + mechanism.links[i].v0);
  }
  fill_kinematics<double>(mechanism, state.t, q.data(), v.data(), ws);
  const int joint = find_joint_without_inertia(mechanism, ws);
  if (joint < 0) return "";
  return fmt::format(
      "joint '{}': its motion meets no inertia; give mass or inertia to the bodies it carries, or "
      "use a joint with fewer freedoms",
      model.joints[joint].name);
}

}  // namespace

// A row each.
static constexpr FormulationInfo formulation_rows[] = {
    {"recursive", "articulated bodies, O(n); the default", refuse_friction, make_recursive},
    {"moving-frame", "M* v' + N* v = F* with the B matrices of the moving-frame method",
     refuse_friction, make_moving},
    {"absolute-se3", "every body free on SE(3), every joint a constraint; sparse, O(n) for trees",
     refuse_absolute_row, make_absolute_se3},
    {"absolute-so3r3", "the same with the state of a body on SO(3) x R3", refuse_absolute_row,
     make_absolute_so3r3},
    {"rotation-elements",
     "twelve numbers per body, rotation matrix and translation; two-step elimination",
     refuse_elements_row, make_rotation_elements},
    {"canonical", "momenta as state, O(n): Hamilton's equations, trees only", refuse_canonical_row,
     make_canonical_system},
    {"generated", "code compiled from the symbolic equations, for the machine at hand",
     refuse_generated_row, make_generated},
};
static_assert(has_names(formulation_names, formulation_rows),
              "core/method_names.h has other names");

const std::vector<FormulationInfo>& formulation_table() {
  static const std::vector<FormulationInfo> table(std::begin(formulation_rows),
                                                  std::end(formulation_rows));
  return table;
}

const FormulationInfo* find_formulation(const std::string& name) {
  for (const FormulationInfo& row : formulation_table())
    if (row.name == name) return &row;
  return nullptr;
}

// Joints that cannot stick one by one: forces that hold them are not unique.
static std::string refuse_dependent_friction(const MechanicalSystem& system) {
  const auto workspace = system.make_workspace();
  const std::string name = system.find_dependent_friction(system.initial_state(), *workspace);
  if (name.empty()) return "";
  return fmt::format(
      "friction '{}': constraints tie its joint to others with dry friction, so that it is not "
      "decided which of them sticks; give 'smoothing', or keep dry friction in one of the joints",
      name);
}

// Loads of bearings follow from reactions, which redundant constraints leave open.
static std::string refuse_loads(const Model& model, const MechanicalSystem& system) {
  for (const Force& force : model.forces) {
    const auto* friction = std::get_if<FrictionForce>(&force.law);
    if (!friction || friction->bearings.empty()) continue;
    const auto workspace = system.make_workspace();
    const ConstraintReport report = system.report_constraints(system.initial_state(), *workspace);
    if (report.redundant() == 0) return "";
    return fmt::format(
        "friction '{}' has bearings, but {} of {} constraint equations are redundant (the last in "
        "{}), so the loads of bearings are not unique; close the loop with a joint of more freedom "
        "(spherical, cylindrical)",
        force.name, report.redundant(), report.rows, report.owners[report.redundant_rows.back()]);
  }
  return "";
}

// [variables] files have no formulation but the choice between evaluating and compiling.
static std::unique_ptr<System> make_variables(const Model& model, std::vector<double> parameters,
                                              const std::string& formulation,
                                              std::string& problem) {
  if (formulation != "generated") {
    SwitchedModel switched = make_switched_model(model, 0);
    auto system =
        make_variables_system(switched.model ? *switched.model : model, std::move(parameters));
    system->set_switches(std::move(switched.switches), std::move(switched.model));
    problem = system->start_problem();
    if (!problem.empty()) return nullptr;
    return system;
  }
  auto compiler = make_rate_compiler(model, parameters);
  auto system = make_variables_system(model, std::move(parameters), compiler);
  problem = system->start_problem();
  if (!problem.empty()) return nullptr;
  if (!compiler->find_derivative(system->initial_state(), problem)) return nullptr;
  return system;
}

// Discrete states of dry friction; the branches of switches follow them in the mode.
static int count_friction_modes(const Model& model) {
  int count = 0;
  for (const Force& force : model.forces)
    if (const auto* friction = std::get_if<FrictionForce>(&force.law);
        friction && !friction->smoothing.given()) {
      const Joint& joint = model.joints[friction->joint];
      count += is_ball(joint.type) ? 1 : joint.nv();
    }
  return count;
}

// Compiled code would have to be made for every combination of branches.
static bool compiles(const FormulationInfo& row) {
  return std::string_view(row.name) == "generated";
}

static Location place_of(const Model& model, const AssemblyReport& assembly) {
  if (assembly.joint >= 0) return model.joints[assembly.joint].where;
  if (assembly.constraint >= 0) return model.constraints[assembly.constraint].where;
  return {};
}

// Contacts that only methods which locate none can follow.
static std::string refuse_located(const Model& model, Location* where) {
  for (const ContactGroup& group : model.contact_groups) {
    if (group.not_located.empty()) continue;
    if (where) *where = group.law.where;
    return group.not_located;
  }
  constexpr std::size_t most_located = 500;
  for (const Contact& contact : model.contacts) {
    if (!contact.a.hull || contact.a.hull->corners.size() <= most_located) continue;
    if (where) *where = contact.where;
    return fmt::format(
        "contact '{}' has a mesh of {} corners, each of which is followed by itself; where impacts "
        "are located a mesh has at most {}: simplify it, or use the integrator moreau",
        contact.name, contact.a.hull->corners.size(), most_located);
  }
  return "";
}

std::unique_ptr<System> make_system(const Model& model, std::vector<double> parameters,
                                    const std::string& formulation, std::string& problem,
                                    Location* where, SystemUse use) {
  problem.clear();
  if (use != SystemUse::derivation && !model.unknown_functions.empty()) {
    const Model::UnknownFunction& first = model.unknown_functions[0];
    problem = explain_unknown_function(first.name, first.withheld);
    if (where) *where = model.unknown_functions[0].where;
    return nullptr;
  }
  if (!model.is_mechanism())
    return make_variables(model, std::move(parameters), formulation, problem);
  const FormulationInfo* row = find_formulation(formulation);
  if (!row) {
    std::string known;
    for (const FormulationInfo& f : formulation_table()) known += fmt::format(" {}", f.name);
    problem = fmt::format("formulation '{}' is not part of this version; use one of:{}",
                          formulation, known);
    return nullptr;
  }
  problem = row->refusal(model);
  if (!problem.empty()) return nullptr;
  if (use == SystemUse::numbers) problem = refuse_located(model, where);
  if (!problem.empty()) return nullptr;
  std::shared_ptr<Model> stepped;
  if (use == SystemUse::stepping && !model.a_contact().empty()) {
    stepped = std::make_shared<Model>(model);
    stepped->contacts_stepped = true;
  }
  const Model& base = stepped ? *stepped : model;
  SwitchedModel switched;
  if (use != SystemUse::derivation && !compiles(*row))
    switched = make_switched_model(base, count_friction_modes(base));
  std::unique_ptr<MechanicalSystem> system =
      row->make(switched.model ? *switched.model : base, parameters);
  if (!switched.model) switched.model = std::move(stepped);
  system->set_switches(std::move(switched.switches), std::move(switched.model));
  problem = system->assembly().problem;
  if (!problem.empty()) {
    if (where) *where = place_of(model, system->assembly());
    return nullptr;
  }
  problem = find_missing_inertia(model, parameters, *system);
  if (problem.empty() && system->constrained()) problem = refuse_loads(model, *system);
  if (problem.empty() && system->constrained()) problem = refuse_dependent_friction(*system);
  if (!problem.empty()) return nullptr;
  return system;
}

}  // namespace cartan::formulations
