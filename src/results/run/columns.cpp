#include "results/run/columns.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/model_json.h"
#include "mechanics/variables/variables.h"
#include "report/column_units.h"
#include "results/load/load.h"
#include "results/load/state_file.h"
#include "results/refusal.h"

namespace cartan::results {
namespace {

using About = api::ColumnKind;

// Columns of one table.
class TableMaker {
 public:
  explicit TableMaker(std::string file) { table_.file = std::move(file); }

  template <class Value>
  TableMaker& add(std::string name, std::string unit, About kind, Value&& value) {
    table_.columns.push_back({std::move(name), std::move(unit), kind, std::forward<Value>(value)});
    return *this;
  }
  // NAME.x, NAME.y, NAME.z of what `vector` gives, with a letter before them.
  template <class Vector>
  TableMaker& add_vector(const std::string& name, const char* letter, const char* unit, About kind,
                         Vector vector) {
    constexpr const char* axes[] = {"x", "y", "z"};
    for (int k = 0; k < 3; ++k)
      add(name + "." + letter + axes[k], unit, kind,
          [vector, k](const Sample& s) -> double { return vector(s)[k]; });
    return *this;
  }
  RunTable take() { return std::move(table_); }

 private:
  RunTable table_;
};

// What a coordinate of a joint, its speed and the force on it are measured in.
std::string unit_of_coordinate(JointType type, int k) {
  const std::string unit = coordinate_unit(type, k);
  return unit == "1" ? "" : unit;
}
std::string unit_of_speed(JointType type, int k) {
  return speed_turns(type, k) ? "rad/s" : "m/s";
}

// T', V', power of forces and of constraints, what is left over: by the names a table has for them.
void add_power(TableMaker& table, const std::array<const char*, 5>& names) {
  table
      .add(names[0], "W", About::power,
           [](const Sample& s) { return s.dynamics.power.kinetic_rate; })
      .add(names[1], "W", About::power,
           [](const Sample& s) { return s.dynamics.power.potential_rate; })
      .add(names[2], "W", About::power,
           [](const Sample& s) { return s.dynamics.power.nonconservative; })
      .add(names[3], "W", About::power, [](const Sample& s) { return s.dynamics.power.constraint; })
      .add(names[4], "W", About::power,
           [](const Sample& s) { return s.dynamics.power.residual(); });
}

class MechanismTables {
 public:
  MechanismTables(const MechanicalSystem& system, const ExtraTables& extra, Workspace& workspace)
      : system_(system), model_(system.model()), extra_(extra), workspace_(workspace) {
    if (extra.multipliers || extra.constraints)
      rows_.emplace(nlohmann::json::parse(model_json(model_, parameter_values(model_))));
  }

  std::vector<RunTable> make() {
    std::vector<RunTable> tables = {trajectory(), bodies()};
    if (extra_.reactions) tables.push_back(reactions());
    if (extra_.power) tables.push_back(power());
    const std::vector<std::string> rows =
        extra_.multipliers || extra_.constraints ? row_names() : std::vector<std::string>();
    if (extra_.multipliers) tables.push_back(multipliers(rows));
    if (extra_.constraints) tables.push_back(violations(rows));
    if (extra_.forces) tables.push_back(forces());
    if (extra_.contacts) tables.push_back(contacts());
    if (extra_.elements) tables.push_back(elements());
    if (extra_.cuts) tables.push_back(cuts());
    return tables;
  }

 private:
  RunTable trajectory() {
    TableMaker table("trajectory.csv");
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      const std::vector<std::string> q = coordinate_columns(model_.joints[j]);
      const std::vector<std::string> v = speed_columns(model_.joints[j]);
      for (std::size_t k = 0; k < q.size(); ++k)
        table.add(q[k], unit_of_coordinate(model_.joints[j].type, static_cast<int>(k)),
                  About::coordinate, [j, k](const Sample& s) { return s.now.q[j][k]; });
      for (std::size_t k = 0; k < v.size(); ++k)
        table.add(v[k], unit_of_speed(model_.joints[j].type, static_cast<int>(k)), About::speed,
                  [j, k](const Sample& s) { return s.now.v[j][k]; });
    }
    for (std::size_t i = 0; i < model_.variables.size(); ++i)
      table.add(model_.variables[i].name, unit_in_name(model_.variables[i].name), About::variable,
                [i](const Sample& s) { return s.now.variables[i]; });
    table.add("kinetic", "J", About::energy, [](const Sample& s) { return s.now.kinetic; })
        .add("potential", "J", About::energy, [](const Sample& s) { return s.now.potential; })
        .add("energy", "J", About::energy,
             [](const Sample& s) { return s.now.kinetic + s.now.potential; })
        .add("constraint", "m or rad", About::violation,
             [](const Sample& s) { return s.now.position_violation; });
    for (std::size_t k = 0; k < model_.outputs.size(); ++k)
      table.add(model_.outputs[k].name, unit_in_name(model_.outputs[k].name), About::output,
                [k](const Sample& s) { return s.now.outputs[k]; });
    if (extra_.balance)
      add_power(table, {"kinetic_rate", "potential_rate", "nonconservative_power",
                        "constraint_power", "power_residual"});
    return table.take();
  }

  RunTable bodies() {
    TableMaker table("bodies.csv");
    for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
      const std::string& name = model_.bodies[b].name;
      table.add_vector(
          name, "", "m", About::position, [b](const Sample& s) -> const auto& {
            return s.now.bodies[b].position;
          });
      constexpr double Quat<double>::*parts[] = {&Quat<double>::w, &Quat<double>::x,
                                                 &Quat<double>::y, &Quat<double>::z};
      constexpr const char* names[] = {".qw", ".qx", ".qy", ".qz"};
      for (int k = 0; k < 4; ++k)
        table.add(name + names[k], "", About::rotation, [b, part = parts[k]](const Sample& s) {
          return s.now.bodies[b].orientation.*part;
        });
      table.add_vector(
          name, "w", "rad/s",
          About::velocity, [b](const Sample& s) -> const auto& { return s.now.bodies[b].angular; });
      table.add_vector(
          name, "v", "m/s",
          About::velocity, [b](const Sample& s) -> const auto& { return s.now.bodies[b].linear; });
    }
    return table.take();
  }

  RunTable reactions() {
    TableMaker table("reactions.csv");
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      table.add_vector(
          model_.joints[j].name, "f", "N", About::force, [j](const Sample& s) -> const auto& {
            return s.dynamics.reactions[j].force;
          });
      table.add_vector(
          model_.joints[j].name, "t", "N m", About::force, [j](const Sample& s) -> const auto& {
            return s.dynamics.reactions[j].torque;
          });
    }
    return table.take();
  }

  RunTable power() {
    TableMaker table("power.csv");
    add_power(table,
              {"kinetic_rate", "potential_rate", "nonconservative", "constraint", "residual"});
    for (std::size_t k = 0; k < model_.forces.size(); ++k) {
      const std::string& name = model_.forces[k].name;
      table
          .add(name + ".potential", "J", About::energy,
               [k](const Sample& s) { return s.dynamics.forces[k].potential; })
          .add(name + ".potential_rate", "W", About::power,
               [k](const Sample& s) { return s.dynamics.forces[k].potential_rate; })
          .add(name + ".power", "W", About::power,
               [k](const Sample& s) { return s.dynamics.forces[k].power; });
    }
    for (std::size_t k = 0; k < model_.constraints.size(); ++k)
      if (model_.constraints[k].is_drive())
        table.add(model_.constraints[k].name + ".power", "W", About::power,
                  [k](const Sample& s) { return s.dynamics.constraint_power[k]; });
    return table.take();
  }

  RunTable multipliers(const std::vector<std::string>& rows) {
    TableMaker table("multipliers.csv");
    for (std::size_t r = 0; r < rows.size(); ++r)
      table.add(rows[r], rows_->unit(rows[r]), About::force,
                [r](const Sample& s) { return s.dynamics.multipliers[r]; });
    return table.take();
  }

  RunTable violations(const std::vector<std::string>& rows) {
    TableMaker table("constraints.csv");
    for (std::size_t r = 0; r < rows.size(); ++r)
      table
          .add(rows[r] + ".position", rows_->unit(rows[r] + ".position"), About::violation,
               [r](const Sample& s) { return s.positions[r]; })
          .add(rows[r] + ".velocity", rows_->unit(rows[r] + ".velocity"), About::violation,
               [r](const Sample& s) { return s.speeds[r]; });
    return table.take();
  }

  // NAME.BODY.x .. of every body a force, constraint or contact acts on; of the same body once
  // more: NAME.BODY#2.x ..; of a constraint named like a force: constraint NAME.BODY.x ..; of a
  // contact named like one of them: contact NAME.BODY.x ..
  RunTable forces() {
    TableMaker table("forces.csv");
    std::vector<std::string> seen;
    const std::vector<AppliedWrench> all =
        system_.report_forces(system_.initial_state(), workspace_);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string place = acting_name(all[i]) + "." +
                                (all[i].body == world ? "world" : model_.bodies[all[i].body].name);
      const long before = std::count(seen.begin(), seen.end(), place);
      seen.push_back(place);
      const std::string name = before == 0 ? place : fmt::format("{}#{}", place, before + 1);
      table.add_vector(
          name, "", "m",
          About::position, [i](const Sample& s) -> const auto& { return s.wrenches[i].point; });
      table.add_vector(
          name, "f", "N",
          About::force, [i](const Sample& s) -> const auto& { return s.wrenches[i].force; });
      table.add_vector(
          name, "t", "N m",
          About::force, [i](const Sample& s) -> const auto& { return s.wrenches[i].torque; });
    }
    add_contact_forces(table);
    return table.take();
  }

  // NAME.gap, NAME.mode (0 open, 1 sticking, 2 slipping), NAME.normal, NAME.tangential.
  RunTable contacts() {
    TableMaker table("contacts.csv");
    for (std::size_t i = 0; i < model_.contacts.size(); ++i) {
      const Contact& contact = model_.contacts[i];
      const std::string& name = contact.name;
      // a stop of an angle: its bound is one, and it gives a moment
      const bool turns =
          contact.is_stop() && speed_turns(model_.joints[contact.joint].type, contact.component);
      const char* const force = turns ? "N m" : "N";
      table
          .add(name + ".gap", turns ? "rad" : "m", About::violation,
               [i](const Sample& s) { return s.contacts[i].gap; })
          .add(name + ".mode", "", About::event,
               [i](const Sample& s) { return static_cast<double>(s.contacts[i].mode); })
          .add(name + ".normal", force, About::force,
               [i](const Sample& s) { return s.contacts[i].normal; })
          .add(name + ".tangential", force, About::force,
               [i](const Sample& s) { return s.contacts[i].tangential; });
    }
    return table.take();
  }

  // R and T* of every body as they are integrated (rotation_elements.h: twelve numbers each, R by
  // columns), Lambda in the axes of the start, and the multipliers of the joints, world axes.
  RunTable elements() {
    TableMaker table("elements.csv");
    for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
      const std::string& name = model_.bodies[b].name;
      for (int row = 0; row < 3; ++row)
        for (int c = 0; c < 3; ++c)
          table.add(fmt::format("{}.R{}{}", name, row + 1, c + 1), "", About::rotation,
                    [k = 12 * b + 3 * c + row](const Sample& s) { return s.at.x[k]; });
      for (int row = 0; row < 3; ++row)
        table.add(fmt::format("{}.T{}", name, row + 1), "", About::position,
                  [k = 12 * b + 9 + row](const Sample& s) { return s.at.x[k]; });
      for (int row = 0; row < 3; ++row)
        for (int c = row; c < 3; ++c)
          table.add(
              fmt::format("{}.Lambda{}{}", name, row + 1, c + 1), "", About::force,
              [b, row, c](const Sample& s) { return s.dynamics.elements->Lambda[b](row, c); });
    }
    const std::vector<std::vector<double>> joints =
        system_.report_dynamics(system_.initial_state(), workspace_).elements->joint;
    for (std::size_t j = 0; j < joints.size(); ++j)
      for (std::size_t k = 0; k < joints[j].size(); ++k)
        table.add(fmt::format("{}.Lambda_joint{}", model_.joints[j].name, k + 1), "", About::force,
                  [j, k](const Sample& s) { return s.dynamics.elements->joint[j][k]; });
    return table.take();
  }

  // Force and moment in body axes, and their parts along the normal and across it.
  RunTable cuts() {
    TableMaker table("cuts.csv");
    for (std::size_t i = 0; i < model_.cuts.size(); ++i) {
      const std::string& name = model_.cuts[i].name;
      table.add_vector(
          name, "f", "N",
          About::force, [i](const Sample& s) -> const auto& { return s.cuts[i].force; });
      table.add_vector(
          name, "t", "N m",
          About::force, [i](const Sample& s) -> const auto& { return s.cuts[i].moment; });
      table
          .add(name + ".axial", "N", About::force, [i](const Sample& s) { return s.cuts[i].axial; })
          .add(name + ".shear", "N", About::force, [i](const Sample& s) { return s.cuts[i].shear; })
          .add(name + ".torsion", "N m", About::force,
               [i](const Sample& s) { return s.cuts[i].torsion; })
          .add(name + ".bending", "N m", About::force,
               [i](const Sample& s) { return s.cuts[i].bending; });
    }
    return table.take();
  }

  // Forces of contacts act on both bodies at one point, those of stops as forces in a joint do.
  void add_contact_forces(TableMaker& table) {
    const std::vector<ContactReport> all =
        system_.report_contacts(system_.initial_state(), workspace_);
    for (std::size_t i = 0; i < all.size(); ++i)
      for (const bool second : {false, true}) {
        const int body = second ? all[i].body_b : all[i].body_a;
        const std::string name =
            contact_name(i) + "." + (body == world ? "world" : model_.bodies[body].name);
        table.add_vector(
            name, "", "m",
            About::position, [i](const Sample& s) -> const auto& { return s.contacts[i].point; });
        table.add_vector(name, "f", "N", About::force, [i, second](const Sample& s) {
          return second ? -s.contacts[i].force : s.contacts[i].force;
        });
        table.add_vector(name, "t", "N m", About::force, [i, second](const Sample& s) {
          return second ? -s.contacts[i].torque : s.contacts[i].torque;
        });
      }
  }

  // NAME.0, NAME.1, .. of every loop joint and constraint; of a constraint named like a loop joint:
  // constraint NAME.0, ..
  std::vector<std::string> row_names() {
    const ConstraintReport report = system_.report_constraints(system_.initial_state(), workspace_);
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

  static bool has_name(const auto& elements, const std::string& name) {
    return std::any_of(elements.begin(), elements.end(),
                       [&](const auto& element) { return element.name == name; });
  }
  std::string acting_name(const AppliedWrench& w) const {
    if (!w.constraint) return model_.forces[w.element].name;
    const std::string& name = model_.constraints[w.element].name;
    return has_name(model_.forces, name) ? "constraint " + name : name;
  }
  std::string contact_name(std::size_t i) const {
    const std::string& name = model_.contacts[i].name;
    const bool taken = has_name(model_.forces, name) || has_name(model_.constraints, name);
    return taken ? "contact " + name : name;
  }

  const MechanicalSystem& system_;
  const Model& model_;
  const ExtraTables& extra_;
  Workspace& workspace_;
  std::optional<ColumnUnits> rows_;  // of the equations of loop joints and constraints
};

}  // namespace

ExtraTables read_extra_tables(const std::vector<std::string>& names) {
  ExtraTables tables;
  const std::vector<std::pair<std::string, bool*>> known = {
      {"reactions", &tables.reactions},     {"multipliers", &tables.multipliers},
      {"constraints", &tables.constraints}, {"power", &tables.power},
      {"forces", &tables.forces},           {"contacts", &tables.contacts},
      {"elements", &tables.elements}};
  for (const std::string& name : names) {
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    if (found != known.end()) {
      *found->second = true;
      continue;
    }
    const std::string near = suggestion(name, {"reactions", "multipliers", "constraints", "power",
                                               "forces", "contacts", "elements"});
    refuse_at("cartan run",
              fmt::format("--record: unknown table '{}'{}", name,
                          near.empty() ? "; expected reactions, multipliers, constraints, power, "
                                         "forces, contacts or elements"
                                       : near));
  }
  return tables;
}

std::vector<std::string> RunTable::names() const {
  std::vector<std::string> list;
  for (const RunColumn& column : columns) list.push_back(column.name);
  return list;
}

std::vector<RunTable> mechanism_tables(const MechanicalSystem& system, const ExtraTables& extra,
                                       Workspace& workspace) {
  return MechanismTables(system, extra, workspace).make();
}

std::vector<RunTable> variables_tables(const VariablesSystem& system) {
  TableMaker table("trajectory.csv");
  const Model& model = system.model();
  for (std::size_t i = 0; i < model.variables.size(); ++i)
    table.add(model.variables[i].name, unit_in_name(model.variables[i].name), About::variable,
              [i](const Sample& s) { return s.at.x[i]; });
  for (std::size_t k = 0; k < model.outputs.size(); ++k)
    table.add(model.outputs[k].name, unit_in_name(model.outputs[k].name), About::output,
              [k](const Sample& s) { return s.outputs[k]; });
  return {table.take()};
}

}  // namespace cartan::results
