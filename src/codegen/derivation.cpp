#include "codegen/derivation.h"

#include <algorithm>

#include <fmt/format.h>

#include "codegen/axes/axial_recursion.h"
#include "codegen/axes/link_frames.h"
#include "codegen/languages/coordinate_text.h"
#include "codegen/short_paths.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/forces/dry_friction.h"
#include "mechanics/forces/forces.h"
#include "mechanics/joints/joint_motion.h"
#include "mechanics/machine/expression_inputs.h"
#include "mechanics/machine/kinematics.h"
#include "mechanics/machine/variable_states.h"
#include "mechanics/tree/recursive.h"
#include "mechanics/tree/tree_report.h"
#include "model/mass_properties.h"
#include "symbolic/count.h"

namespace cartan::codegen {
namespace {

// Beyond so many speeds M v' = f in link axes never takes fewer operations than an O(n) recursion.
constexpr int most_speeds_in_link_frames = 12;
constexpr long operations_at_once = 5;  // in a cycle at best: two products with a sum, and a sum

}  // namespace

// ---------------------------------------------------------------------------------------- symbols

Derivation::Derivation(const Model& model, std::span<const double> parameters, const State& at,
                       const DeriveOptions& options)
    : model_(model) {
  sample_functions();
  time_ = graph_.symbol("t", at.t);
  add_parameters(parameters, options);
  if (model.is_mechanism())
    add_mechanism(at, options);
  else
    add_variables(at);
}

// Coordinates are called q1, v1, ...; a parameter of the same name keeps it.
std::string Derivation::free_name(std::string name) const {
  while (graph_.find_symbol(name) >= 0) name += '_';
  return name;
}

DerivedSymbol Derivation::make_symbol(const std::string& name, double sample) {
  DerivedSymbol made;
  made.name = free_name(name);
  made.symbol = graph_.symbol(made.name, sample);
  return made;
}

void Derivation::add_parameters(std::span<const double> values, const DeriveOptions& options) {
  parameter_values_.assign(values.begin(), values.end());
  for (int i : model_.parameter_order) {
    if (options.fold && !model_.is_input(i)) continue;
    const Parameter& parameter = model_.parameters[i];
    if (options.keep) {
      const bool kept =
          std::find(options.keep->begin(), options.keep->end(), i) != options.keep->end();
      if (kept)
        parameter_values_[i] = graph_.symbol(parameter.name, values[i]);
      else if (!parameter.value.program.is_constant() && !model_.is_input(i))
        parameter_values_[i] = evaluate_of_parameters(parameter.value)[0];
      continue;
    }
    if (options.follow && !parameter.value.program.is_constant() && !model_.is_input(i)) {
      parameter_values_[i] =
          evaluate<Expression>(parameter.value, std::span<const Expression>(parameter_values_))[0];
      continue;
    }
    parameter_values_[i] = graph_.symbol(parameter.name, values[i]);
  }
  for (std::size_t i = 0; i < model_.parameters.size(); ++i) {
    const std::string& name = model_.parameters[i].name;
    if (graph_.find_symbol(name) < 0) continue;
    const bool input = model_.is_input(static_cast<int>(i));
    parameters_.push_back({graph_.symbol(name), name, name, "", input ? "input" : "parameter"});
  }
}

void Derivation::add_mechanism(const State& at, const DeriveOptions& options) {
  mechanism_.emplace(
      make_mechanism<Expression>(model_, std::span<const Expression>(parameter_values_)));
  mechanism_->baumgarte = options.baumgarte;
  ws_.emplace(make_motion_workspace(*mechanism_));
  // code and equations know no turns (mechanics/joints/turns.h)
  // The state may be one of a system whose switches are held (switched_model.h): their branches
  // stand behind the modes of friction. Code follows what is written and has none.
  const auto own = static_cast<std::ptrdiff_t>(mechanism_->mode_size());
  const auto branches = std::max<std::ptrdiff_t>(0, std::ssize(at.mode) - own);
  const auto first = at.mode.begin() + mechanism_->friction_modes;
  mode_.assign(at.mode.begin(), first);
  mode_.insert(mode_.end(), first + branches, at.mode.begin() + branches + mechanism_->turn0());
  for (const bool positions : {true, false}) {
    std::vector<Expression>& numbers = positions ? q_ : v_;
    numbers.resize(positions ? mechanism_->nq : mechanism_->nv);
    for (const Joint& joint : model_.joints) {
      const int i = mechanism_->link_of_joint[&joint - model_.joints.data()];
      if (i < 0) continue;
      const Link<Expression>& link = mechanism_->links[i];
      for (int k = 0; k < (positions ? link.nq : link.nv); ++k) {
        const int place = (positions ? link.q0 : link.v0) + k;
        const bool dotted = options.dots && !positions && joint.nq() == joint.nv();
        const std::string name = dotted ? fmt::format("q{}'", link.q0 + k + 1)
                                        : fmt::format("{}{}", positions ? 'q' : 'v', place + 1);
        DerivedSymbol s = make_symbol(name, at.x[positions ? place : mechanism_->nq + place]);
        const ComponentText text =
            positions ? position_text(joint.type, k) : velocity_text(joint.type, k);
        s.label = fmt::format("{}.{}{}", joint.name, positions ? 'q' : 'v', k);
        s.unit = text.unit;
        s.meaning = fmt::format("{}{} of joint '{}'",
                                !positions && joint.nq() == joint.nv() ? "rate of " : "",
                                text.meaning, joint.name);
        numbers[place] = s.symbol;
        state_.push_back(std::move(s));
      }
    }
  }
  add_variables(at);
  for (int k = 0; k < mechanism_->nz; ++k)
    ws_->variables[k] = state_[mechanism_->nq + mechanism_->nv + k].symbol;
  choose_speeds(options.speeds);
}

void Derivation::add_variables(const State& at) {
  for (std::size_t i = 0; i < model_.variables.size(); ++i) {
    const std::string& name = model_.variables[i].name;
    DerivedSymbol s = make_symbol(name, at.x[nq() + nv() + static_cast<int>(i)]);
    s.label = name;
    s.meaning = fmt::format("variable '{}'", name);
    state_.push_back(std::move(s));
  }
}

std::vector<Expression> Derivation::q() const {
  return q_;
}
std::vector<Expression> Derivation::v() const {
  return v_;
}

// -------------------------------------------------------------------------------------- evaluation

void Derivation::evaluate_kinematics() {
  std::copy(mode_.begin(), mode_.end(), ws_->mode.begin());
  fill_kinematics<Expression>(*mechanism_, time_, q_.data(), v_.data(), *ws_);
}

void Derivation::evaluate_forces() {
  evaluate_kinematics();
  fill_forces(*mechanism_, *ws_);
}

// Rows that are equations: those of drives of tree joints are none.
bool Derivation::closed() const {
  return std::any_of(mechanism_->rows.begin(), mechanism_->rows.end(),
                     [](const ConstraintRow& row) { return row.driven_speed < 0; });
}

bool Derivation::has_driven_speeds() const {
  return std::any_of(mechanism_->rows.begin(), mechanism_->rows.end(),
                     [](const ConstraintRow& row) { return row.driven_speed >= 0; });
}

// Of the forms there are for the accelerations, the one with the fewest operations; where what has
// to be waited for takes longer than they do, as along a chain, that counts.
AccelerationSolver<Expression> Derivation::choose_solver() {
  if (closed()) return solve_accelerations<Expression>;
  std::vector<AccelerationSolver<Expression>> forms = {solve_in_link_axes<Expression>,
                                                       solve_in_joint_axes<Expression>,
                                                       solve_accelerations<Expression>};
  // ball joints of slender bodies make M badly conditioned: there recursions keep more digits
  const bool single = std::all_of(mechanism_->links.begin(), mechanism_->links.end(),
                                  [](const Link<Expression>& link) { return link.nv <= 1; });
  if (single && mechanism_->nv <= most_speeds_in_link_frames)
    forms.push_back(solve_in_link_frames<Expression>);
  AccelerationSolver<Expression> best = nullptr;
  long least = 0;
  for (const AccelerationSolver<Expression> form : forms) {
    evaluate_forces();
    solve_with_friction<Expression>(*mechanism_, *ws_, form);
    const long operations = count_shared(graph_, ws_->vdot).total();
    const long cost = std::max(operations, operations_at_once * calc_longest_path(ws_->vdot));
    if (!best || cost < least) best = form, least = cost;
  }
  return best;
}

void Derivation::solve() {
  if (!solver_) solver_ = choose_solver();
  evaluate_forces();
  solve_with_friction<Expression>(*mechanism_, *ws_, solver_);
}

std::vector<Expression> Derivation::coordinate_rates() {
  std::vector<Expression> rates(q_.size());
  for (const Link<Expression>& link : mechanism_->links)
    calc_coordinate_rates(link, q_.data() + link.q0, v_.data() + link.v0, rates.data() + link.q0);
  return rates;
}

std::vector<Expression> Derivation::rates() {
  std::vector<Expression> result;
  if (!mechanism_ && model_.implicit) return implicit_form().rates;
  if (!mechanism_) {
    for (const Variable& variable : model_.variables)
      result.push_back(evaluate_formula(variable.rate));
    return result;
  }
  const std::vector<Expression> speeds = own_speed_rates();
  result = coordinate_rates();
  result.insert(result.end(), speeds.begin(), speeds.end());
  const std::vector<Expression> more = variable_rates();
  result.insert(result.end(), more.begin(), more.end());
  return result;
}

std::vector<Expression> Derivation::variable_rates() {
  std::vector<Expression> rates(mechanism_ ? mechanism_->nz : 0);
  if (rates.empty()) return rates;
  evaluate_kinematics();
  calc_variable_rates(*mechanism_, *ws_, rates.data());
  return rates;
}

std::vector<Expression> Derivation::evaluate_of_parameters(const Formula& formula) const {
  return evaluate<Expression>(formula, std::span<const Expression>(parameter_values_));
}

std::vector<DerivedSymbol> Derivation::inputs() const {
  std::vector<DerivedSymbol> list;
  for (const DerivedSymbol& s : parameters_)
    if (model_.is_input(model_.find_parameter(s.name))) list.push_back(s);
  return list;
}

std::vector<DerivedSymbol> Derivation::plain_parameters() const {
  std::vector<DerivedSymbol> list;
  for (const DerivedSymbol& s : parameters_)
    if (!model_.is_input(model_.find_parameter(s.name))) list.push_back(s);
  return list;
}

std::optional<Expression> Derivation::power() {
  if (!mechanism_ || !mechanism_->has_power) return std::nullopt;
  solve();
  if (mechanism_->has_drives) fill_drive_multipliers(*mechanism_, *ws_);
  Expression sum = calc_nonconservative_power(*mechanism_, *ws_);
  if (mechanism_->has_drives) sum += calc_drive_power(*mechanism_, *ws_);
  return sum;
}

Expression Derivation::kinetic() {
  evaluate_kinematics();
  return calc_kinetic_energy(*mechanism_, *ws_);
}

Expression Derivation::potential() {
  evaluate_kinematics();
  return calc_potential_energy(*mechanism_, *ws_);
}

DerivedPlaces Derivation::places() {
  evaluate_kinematics();
  DerivedPlaces places;
  const auto append = [&](const Point<Expression>& point, std::vector<Expression>& positions,
                          std::vector<Expression>& velocities) {
    const Vec3<Expression> x = point_position(*ws_, point), u = point_velocity(*ws_, point);
    positions.insert(positions.end(), {x.x, x.y, x.z});
    velocities.insert(velocities.end(), {u.x, u.y, u.z});
  };
  for (const int link : mechanism_->link_of_body)
    append({link, mechanism_->bodies[link].com_L}, places.centre, places.centre_velocity);
  for (const Joint& joint : model_.joints) {
    Point<Expression> point;
    point.p = calc_vec3<Expression>(joint.child.at, parameter_values_);
    if (joint.child.body != world) {
      point.link = mechanism_->link_of_body[joint.child.body];
      const Pose<Expression>& X = mechanism_->bodies[point.link].X_LB;
      point.p = X.p + X.R * point.p;
    }
    append(point, places.joint, places.joint_velocity);
  }
  return places;
}

std::vector<Expression> Derivation::evaluate_formulas(const Formula& formula) {
  const Program& program = formula.program;
  std::vector<Expression> inputs, scratch(program.scratch_size()), outputs(program.outputs.size());
  for (const Symbol& symbol : program.inputs) {
    if (mechanism_)
      inputs.push_back(symbol_value(*mechanism_, *ws_, symbol));
    else
      inputs.push_back(symbol.quantity == Quantity::time        ? time_
                       : symbol.quantity == Quantity::parameter ? parameter_values_[symbol.index]
                                                                : state_[symbol.index].symbol);
  }
  evaluate<Expression>(program, inputs, scratch, outputs);
  return outputs;
}

std::vector<Expression> Derivation::events() {
  if (mechanism_) {
    ws_->kinetic = kinetic();
    ws_->potential = potential();
  }
  std::vector<Expression> values;
  for (const Event& event : model_.events) values.push_back(evaluate_formula(event.when));
  return values;
}

std::vector<Expression> Derivation::constraint_values() {
  if (!mechanism_ || mechanism_->row_count() == 0) return {};
  evaluate_kinematics();
  fill_constraint_positions(*mechanism_, *ws_);
  const int rows = mechanism_->row_count();
  std::vector<Expression> values(ws_->row_position.begin(), ws_->row_position.begin() + rows);
  values.insert(values.end(), ws_->row_speed.begin(), ws_->row_speed.begin() + rows);
  return values;
}

bool Derivation::outputs_need_reactions() const {
  return std::any_of(model_.outputs.begin(), model_.outputs.end(), [](const Output& output) {
    return output.value.program.depends_on(Quantity::reaction) ||
           output.value.program.depends_on(Quantity::multiplier);
  });
}

// Positions, speeds and energies; accelerations where they are asked for.
void Derivation::evaluate_motion(bool accelerations) {
  if (!mechanism_) return;
  if (accelerations) {
    solve();
    if (!mechanism_->loops.empty()) {
      fill_loop_coordinates(*mechanism_, *ws_);
      calc_loop_accelerations(*mechanism_, *ws_, ws_->loop_vdot.data());
    }
  } else {
    evaluate_kinematics();
    if (!mechanism_->loops.empty()) fill_loop_coordinates(*mechanism_, *ws_);
  }
  ws_->kinetic = calc_kinetic_energy(*mechanism_, *ws_);
  ws_->potential = calc_potential_energy(*mechanism_, *ws_);
}

std::vector<Expression> Derivation::outputs() {
  if (outputs_need_reactions()) return {};
  evaluate_motion(mechanism_ && mechanism_->outputs_need_motion);
  std::vector<Expression> values;
  for (const Output& output : model_.outputs)
    if (!output.is_input) values.push_back(evaluate_formula(output.value));
  return values;
}

std::vector<Expression> Derivation::values(std::span<const Formula* const> formulas) {
  evaluate_motion(std::any_of(formulas.begin(), formulas.end(), [](const Formula* formula) {
    const auto& inputs = formula->program.inputs;
    return std::any_of(inputs.begin(), inputs.end(), [](const Symbol& symbol) {
      return symbol.quantity >= Quantity::joint_acceleration;
    });
  }));
  std::vector<Expression> all;
  for (const Formula* formula : formulas)
    for (const Expression& value : evaluate_formulas(*formula)) all.push_back(value);
  return all;
}

}  // namespace cartan::codegen
