// The tables of a mechanism's run.
#include <algorithm>

#include <fmt/core.h>

#include "cli/recorder.h"
#include "cli/run_result.h"
#include "cli/state_file.h"

namespace cartan {
namespace {

void append(std::vector<std::string>& list, const std::vector<std::string>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

// NAME.suffix for each suffix
template <class T>
std::vector<std::string> dotted(const std::vector<T>& items,
                                std::initializer_list<const char*> suffixes) {
  std::vector<std::string> names;
  for (const T& item : items)
    for (const char* suffix : suffixes) names.push_back(item.name + "." + suffix);
  return names;
}

std::vector<std::string> trajectory_columns(const Model& model, bool balance) {
  std::vector<std::string> names;
  for (const Joint& joint : model.joints) {
    append(names, coordinate_columns(joint));
    append(names, speed_columns(joint));
  }
  append(names, {"kinetic", "potential", "energy", "constraint"});
  for (const Output& output : model.outputs) names.push_back(output.name);
  if (balance)
    append(names, {"kinetic_rate", "potential_rate", "nonconservative_power", "constraint_power",
                   "power_residual"});
  return names;
}

void write_vector(CsvWriter& table, const Vec3<double>& a) {
  for (int k = 0; k < 3; ++k) table.number(a[k]);
}

class TreeRecorder final : public Recorder {
 public:
  TreeRecorder(const MechanicalSystem& system, const ExtraTables& extra, OutputFolder* output)
      : Recorder(output), system_(system), workspace_(system.make_workspace()), extra_(extra) {
    const Model& model = system.model();
    open_main_tables(trajectory_columns(model, extra.balance));
    bodies_ = open_table("bodies.csv", dotted(model.bodies, {"x", "y", "z", "qw", "qx", "qy", "qz",
                                                             "wx", "wy", "wz", "vx", "vy", "vz"}));
    open_impacts(system);
    open_extra_tables(model);
  }

  void describe(StateView at_end, RunResult& result) override {
    system_.observe(at_end, now_, *workspace_);
    result.statistics = statistics_;
    result.final = now_;
    result.outputs = now_.outputs;
    const ConstraintReport constraints = system_.report_constraints(at_end, *workspace_);
    result.dof = constraints.dof();
    result.constrained = system_.constrained();
  }

 private:
  void open_extra_tables(const Model& model) {
    const auto open = [&](bool wanted, const char* name, const std::vector<std::string>& columns) {
      return wanted ? open_table(name, columns) : nullptr;
    };
    reactions_ = open(extra_.reactions, "reactions.csv",
                      dotted(model.joints, {"fx", "fy", "fz", "tx", "ty", "tz"}));
    std::vector<std::string> power = {"kinetic_rate", "potential_rate", "nonconservative",
                                      "constraint", "residual"};
    append(power, dotted(model.forces, {"potential", "potential_rate", "power"}));
    for (const Constraint& constraint : model.constraints)
      if (constraint.is_drive()) power.push_back(constraint.name + ".power");
    power_ = open(extra_.power, "power.csv", power);
    const std::vector<std::string> rows = row_names();
    multipliers_ = open(extra_.multipliers, "multipliers.csv", rows);
    std::vector<std::string> violations;
    for (const std::string& row : rows) append(violations, {row + ".position", row + ".velocity"});
    constraints_ = open(extra_.constraints, "constraints.csv", violations);
    forces_ = open(extra_.forces, "forces.csv",
                   extra_.forces ? force_columns() : std::vector<std::string>());
    contacts_ = open(extra_.contacts, "contacts.csv",
                     dotted(model.contacts, {"gap", "mode", "normal", "tangential"}));
  }

  // NAME.BODY.x .. of every body a force or constraint acts on; of the same body once more:
  // NAME.BODY#2.x ..; of a constraint named like a force: constraint NAME.BODY.x ..
  std::vector<std::string> force_columns() {
    const Model& model = system_.model();
    std::vector<std::string> names, seen;
    int contact_index = 0;
    for (const AppliedWrench& w : system_.report_forces(system_.initial_state(), *workspace_)) {
      const std::string place =
          acting_name(w) + "." + (w.body == world ? "world" : model.bodies[w.body].name);
      const long before = std::count(seen.begin(), seen.end(), place);
      seen.push_back(place);
      const std::string name = before == 0 ? place : fmt::format("{}#{}", place, before + 1);
      for (const char* suffix : {"x", "y", "z", "fx", "fy", "fz", "tx", "ty", "tz"})
        names.push_back(name + "." + suffix);
    }
    for (const ContactReport& c : system_.report_contacts(system_.initial_state(), *workspace_)) {
      const std::string& contact = model.contacts[contact_index++].name;
      for (const int body : {c.body_a, c.body_b}) {
        const std::string place =
            contact + "." + (body == world ? "world" : model.bodies[body].name);
        for (const char* suffix : {"x", "y", "z", "fx", "fy", "fz", "tx", "ty", "tz"})
          names.push_back(place + "." + suffix);
      }
    }
    return names;
  }

  // NAME.0, NAME.1, .. of every loop joint and constraint; of a constraint named like a loop joint:
  // constraint NAME.0, ..
  std::vector<std::string> row_names() {
    const ConstraintReport report =
        system_.report_constraints(system_.initial_state(), *workspace_);
    std::vector<std::string> names;
    std::string name;
    int index = 0;
    for (std::size_t r = 0; r < report.owners.size(); ++r, ++index) {
      const std::string& owner = report.owners[r];  // joint 'NAME' or constraint 'NAME'
      if (r == 0 || owner != report.owners[r - 1]) {
        const std::size_t quote = owner.find('\'');
        name = owner.substr(quote + 1, owner.size() - quote - 2);
        if (std::find(names.begin(), names.end(), name + ".0") != names.end())
          name = "constraint " + name;
        index = 0;
      }
      names.push_back(fmt::format("{}.{}", name, index));
    }
    return names;
  }

  std::string acting_name(const AppliedWrench& w) const {
    const Model& model = system_.model();
    if (!w.constraint) return model.forces[w.element].name;
    const std::string& name = model.constraints[w.element].name;
    const bool taken = std::any_of(model.forces.begin(), model.forces.end(),
                                   [&](const Force& force) { return force.name == name; });
    return taken ? "constraint " + name : name;
  }

  void fill_row(StateView at, std::vector<double>& row) override {
    system_.observe(at, now_, *workspace_);
    for (std::size_t j = 0; j < now_.q.size(); ++j) {
      row.insert(row.end(), now_.q[j].begin(), now_.q[j].end());
      row.insert(row.end(), now_.v[j].begin(), now_.v[j].end());
    }
    row.insert(row.end(), {now_.kinetic, now_.potential, now_.kinetic + now_.potential,
                           now_.position_violation});
    row.insert(row.end(), now_.outputs.begin(), now_.outputs.end());
    if (!extra_.balance) return;
    const PowerBalance p = system_.report_dynamics(at, *workspace_).power;
    row.insert(row.end(),
               {p.kinetic_rate, p.potential_rate, p.nonconservative, p.constraint, p.residual()});
    statistics_.take(p);
  }

  void take_sample(StateView at) override {
    statistics_.take(now_);
    if (bodies_) write_bodies();
    if (extra_.any() && bodies_) write_extra(at);
  }

  void write_bodies() {
    bodies_->number(now_.t);
    for (const BodyState& body : now_.bodies) {
      write_vector(*bodies_, body.position);
      const Quat<double>& u = body.orientation;
      for (double component : {u.w, u.x, u.y, u.z}) bodies_->number(component);
      write_vector(*bodies_, body.angular);
      write_vector(*bodies_, body.linear);
    }
    bodies_->end_row();
  }

  void write_power(const DynamicsReport& report) {
    const PowerBalance& p = report.power;
    power_->numbers(
        {p.kinetic_rate, p.potential_rate, p.nonconservative, p.constraint, p.residual()});
    for (const ForceReport& force : report.forces)
      power_->numbers({force.potential, force.potential_rate, force.power});
    const std::vector<Constraint>& constraints = system_.model().constraints;
    for (std::size_t k = 0; k < constraints.size(); ++k)
      if (constraints[k].is_drive()) power_->number(report.constraint_power[k]);
  }

  void write_extra(StateView at) {
    const std::initializer_list<CsvWriter*> tables = {reactions_,   power_,  multipliers_,
                                                      constraints_, forces_, contacts_};
    for (CsvWriter* table : tables)
      if (table) table->number(at.t);
    if (extra_.needs_dynamics()) write_dynamics(system_.report_dynamics(at, *workspace_));
    if (constraints_) {
      system_.constraint_violations(at, positions_, speeds_, *workspace_);
      for (std::size_t r = 0; r < positions_.size(); ++r)
        for (double number : {positions_[r], speeds_[r]}) constraints_->number(number);
    }
    if (forces_)
      for (const AppliedWrench& w : system_.report_forces(at, *workspace_))
        for (const Vec3<double>& vector : {w.point, w.force, w.torque})
          write_vector(*forces_, vector);
    if (forces_ || contacts_) write_contacts(system_.report_contacts(at, *workspace_));
    for (CsvWriter* table : tables)
      if (table) table->end_row();
  }

  // Forces of contacts act on both bodies at one point; those of stops are moments or forces of a
  // joint and have no point.
  void write_contacts(const std::vector<ContactReport>& contacts) {
    for (const ContactReport& c : contacts) {
      if (contacts_)
        contacts_->numbers({c.gap, static_cast<double>(c.mode), c.normal, c.tangential});
      if (!forces_) continue;
      for (const double side : {1.0, -1.0})
        for (const Vec3<double>& vector : {c.point, side * c.force, Vec3<double>{}})
          write_vector(*forces_, vector);
    }
  }

  void write_dynamics(const DynamicsReport& report) {
    if (reactions_)
      for (const JointReaction& reaction : report.reactions) {
        write_vector(*reactions_, reaction.force);
        write_vector(*reactions_, reaction.torque);
      }
    if (power_) write_power(report);
    if (multipliers_) multipliers_->numbers(report.multipliers);
  }

  const MechanicalSystem& system_;
  std::unique_ptr<Workspace> workspace_;
  ExtraTables extra_;
  Observation now_;
  MotionStatistics statistics_;
  std::vector<double> positions_, speeds_;  // violations
  CsvWriter* bodies_ = nullptr;
  CsvWriter* reactions_ = nullptr;
  CsvWriter* power_ = nullptr;
  CsvWriter* multipliers_ = nullptr;
  CsvWriter* constraints_ = nullptr;
  CsvWriter* forces_ = nullptr;
  CsvWriter* contacts_ = nullptr;
};

}  // namespace

std::unique_ptr<Recorder> make_mechanism_recorder(const MechanicalSystem& system,
                                                  const ExtraTables& tables, OutputFolder* output) {
  return std::make_unique<TreeRecorder>(system, tables, output);
}

}  // namespace cartan
