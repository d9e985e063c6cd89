// Derivation: equations in other speeds than those of the joints, u = W(t, q) v + w(t, q).
//
//   v = V (u - w),  V = W^-1;   v' = V u' + s,  s = d/dt of v at constant u
//   V^T M V u' = V^T (f - M s) + (J V)^T lambda,   J V u' = gamma - J s
// The physics is run with v as formulas of u, so energies, events and outputs follow by themselves.
//
// Speeds u = L^T v with M = L D L^T (L unit lower triangular, source 004 chapter 3) have a diagonal
// mass matrix: T = 1/2 sum D_i u_i^2, D u' = L^-1 (f - M s).
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "codegen/derivation.h"
#include "symbolic/differentiate.h"
#include "symbolic/flatten.h"
#include "symbolic/simplify/zero.h"
#include "symbolic/substitute.h"

namespace cartan::codegen {
namespace {

const char* remedy(SpeedChoice choice) {
  return choice == SpeedChoice::diagonal ? "use another form" : "leave [speeds] out";
}

}  // namespace

std::string Derivation::refuse_speeds(const Model& model, SpeedChoice choice) {
  if (choice == SpeedChoice::joints || (choice == SpeedChoice::chosen && model.speeds.empty()))
    return "";
  for (const Constraint& constraint : model.constraints)
    if (constraint.is_drive())
      return fmt::format(
          "the speed of a driven joint is given, so that speeds of another kind cannot take its "
          "place; {}, or take the drives out",
          remedy(choice));
  if (choice == SpeedChoice::chosen) return "";
  if (!model.loop_joints.empty() || !model.constraints.empty())
    return "a diagonal mass matrix is derived for trees without loops and constraints; use another "
           "form";
  return refuse_mass_matrix(model);
}

void Derivation::choose_speeds(SpeedChoice choice) {
  const bool diagonal = choice == SpeedChoice::diagonal;
  if (!diagonal && (choice == SpeedChoice::joints || model_.speeds.empty())) return;
  if (refuse_mass_matrix(model_).empty()) mass_matrix_form();
  if (ws_->any_locked) {
    speed_problem_ = fmt::format(
        "a joint sticks at the start, so that its speed is given and speeds of another kind cannot "
        "take its place; {}, start with all joints moving, or give the friction a smoothing",
        remedy(choice));
    return;
  }
  SpeedForm form;
  form.joints = v_;
  if (diagonal) {
    speeds_ = std::move(form);
    speeds_->formulas = diagonal_speeds();
  } else {
    evaluate_motion(false);
    for (const ChosenSpeed& speed : model_.speeds)
      form.formulas.push_back(evaluate_formula(speed.value));
    if (!are_linear(form.formulas)) return;
    speeds_ = std::move(form);
    if (!invert_speeds()) return;
  }
  std::vector<Expression> symbols;
  for (std::size_t i = 0; i < v_.size(); ++i) {
    DerivedSymbol u = make_symbol(diagonal ? fmt::format("u{}", i + 1) : model_.speeds[i].name,
                                  speeds_->formulas[i].sample());
    u.label = diagonal ? u.name : model_.speeds[i].name;
    u.meaning = diagonal ? "speed with a diagonal mass matrix"
                         : fmt::format("speed: {}", model_.speeds[i].value.texts[0]);
    symbols.push_back(u.symbol);
    state_[q_.size() + i] = std::move(u);
  }
  const std::size_t n = v_.size();
  const std::vector<Expression> none(n, Expression(0));
  const std::vector<Expression> offset =
      substitute(graph_, speeds_->formulas, speeds_->joints, none);
  std::vector<Expression> back(n, Expression(0));
  if (diagonal) {  // back substitution: W is unit upper triangular
    for (std::size_t i = n; i-- > 0;) {
      back[i] = symbols[i];
      for (std::size_t j = i + 1; j < n; ++j) back[i] -= speeds_->W[i * n + j] * back[j];
    }
  } else {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        back[i] += speeds_->V[i * n + j] * (symbols[j] - offset[j]);
  }
  speeds_->back = v_ = back;
}

// M = L D L^T: W = L^T, and V by back substitution.
std::vector<Expression> Derivation::diagonal_speeds() {
  SpeedForm kept = std::move(*speeds_);
  speeds_.reset();
  const MassMatrixForm form = mass_matrix_form();
  const std::size_t n = v_.size();
  std::vector<Expression> L = form.M;
  kept.D.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    kept.D[k] = L[k * n + k];
    for (std::size_t i = k + 1; i < n; ++i) {
      const Expression factor = L[i * n + k] / kept.D[k];
      for (std::size_t j = k + 1; j <= i; ++j) L[i * n + j] -= factor * L[j * n + k];
    }
    // the column is needed as it is until all rows have taken their share
    for (std::size_t i = k + 1; i < n; ++i) L[i * n + k] /= kept.D[k];
  }
  std::vector<Expression> formulas;
  kept.W.assign(n * n, Expression(0));
  for (std::size_t i = 0; i < n; ++i) {
    kept.W[i * n + i] = Expression(1);
    Expression u = v_[i];
    for (std::size_t j = i + 1; j < n; ++j) {
      kept.W[i * n + j] = L[j * n + i];
      u += L[j * n + i] * v_[j];
    }
    formulas.push_back(u);
  }
  speeds_ = std::move(kept);
  return formulas;
}

bool Derivation::are_linear(const std::vector<Expression>& formulas) {
  const SparseJacobian slopes = jacobian(graph_, formulas, v_);
  const SparseJacobian bends = jacobian(graph_, slopes.entries, v_);
  const std::vector<bool> zero = which_are_identically_zero(graph_, bends.entries);
  for (std::size_t e = 0; e < zero.size(); ++e) {
    if (zero[e]) continue;
    const ChosenSpeed& speed = model_.speeds[slopes.row[bends.row[e]]];
    speed_problem_ = fmt::format(
        "the speed '{}' is not linear in the speeds of the joints; expected a sum of speeds, each "
        "times something without speeds",
        speed.name);
    return false;
  }
  return true;
}

// W and V = W^-1 by elimination; of possible pivots a number is best, then the largest sample.
bool Derivation::invert_speeds() {
  const std::size_t n = v_.size();
  const SparseJacobian slopes = jacobian(graph_, speeds_->formulas, speeds_->joints);
  std::vector<Expression> A(n * n, Expression(0)), V(n * n, Expression(0));
  for (std::size_t e = 0; e < slopes.entries.size(); ++e)
    A[slopes.row[e] * n + slopes.column[e]] = slopes.entries[e];
  speeds_->W = A;
  for (std::size_t i = 0; i < n; ++i) V[i * n + i] = Expression(1);
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = n;
    double best = 1e-9;
    for (std::size_t i = k; i < n; ++i) {
      const Expression& entry = A[i * n + k];
      const double size = std::fabs(entry.sample()) * (entry.is_number() ? 1e6 : 1);
      if (size > best) best = size, pivot = i;
    }
    if (pivot == n) {
      speed_problem_ =
          "the [speeds] depend on each other, so that the speeds of the joints do not follow from "
          "them; give as many independent ones as the joints of the tree have";
      speeds_.reset();
      return false;
    }
    for (std::size_t j = 0; j < n && pivot != k; ++j) {
      std::swap(A[k * n + j], A[pivot * n + j]);
      std::swap(V[k * n + j], V[pivot * n + j]);
    }
    const Expression inverse = Expression(1) / A[k * n + k];
    for (std::size_t j = 0; j < n; ++j) {
      A[k * n + j] *= inverse;
      V[k * n + j] *= inverse;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const Expression factor = A[i * n + k];
      if (factor.is_number() && factor.number() == 0) continue;
      for (std::size_t j = 0; j < n; ++j) {
        A[i * n + j] -= factor * A[k * n + j];
        V[i * n + j] -= factor * V[k * n + j];
      }
    }
  }
  speeds_->V = std::move(V);
  return true;
}

// s = d/dt v(t, q, u) at constant u
std::vector<Expression> Derivation::speed_drift() {
  std::vector<Expression> states = q_, rates = coordinate_rates();
  states.push_back(time_);
  rates.push_back(Expression(1));
  return total_time_derivative(graph_, speeds_->back, states, rates);
}

void Derivation::change_speeds(MassMatrixForm& form) {
  const std::size_t n = v_.size(), rows = static_cast<std::size_t>(form.rows);
  const std::vector<Expression> s = speed_drift();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) form.f[i] -= form.M[i * n + j] * s[j];
  for (std::size_t k = 0; k < rows; ++k)
    for (std::size_t j = 0; j < n; ++j) form.gamma[k] -= form.J[k * n + j] * s[j];
  if (!speeds_->D.empty()) {  // L r = f
    std::fill(form.M.begin(), form.M.end(), Expression(0));
    for (std::size_t i = 0; i < n; ++i) {
      form.M[i * n + i] = speeds_->D[i];
      for (std::size_t j = 0; j < i; ++j) form.f[i] -= speeds_->W[j * n + i] * form.f[j];
    }
    return;
  }
  const std::vector<Expression>& V = speeds_->V;
  std::vector<Expression> MV(n * n, Expression(0)), f(n, Expression(0));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k) MV[i * n + j] += form.M[i * n + k] * V[k * n + j];
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) f[i] += V[k * n + i] * form.f[k];
    for (std::size_t j = i; j < n; ++j) {
      Expression sum(0);
      for (std::size_t k = 0; k < n; ++k) sum += V[k * n + i] * MV[k * n + j];
      form.M[i * n + j] = form.M[j * n + i] = sum;
    }
  }
  form.f = std::move(f);
  std::vector<Expression> J(rows * n, Expression(0));
  for (std::size_t k = 0; k < rows; ++k)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < n; ++i) J[k * n + j] += form.J[k * n + i] * V[i * n + j];
  form.J = std::move(J);
}

// The rates of the speeds of state(): with a diagonal mass matrix by divisions alone, otherwise
// u' = d/dt (W v + w) with the joints' v'.
std::vector<Expression> Derivation::own_speed_rates() {
  if (speeds_ && !speeds_->D.empty()) {
    const MassMatrixForm form = mass_matrix_form();
    std::vector<Expression> rates;
    for (std::size_t i = 0; i < v_.size(); ++i) rates.push_back(form.f[i] / speeds_->D[i]);
    return rates;
  }
  solve();
  if (!speeds_) return ws_->vdot;
  std::vector<Expression> states = q_, rates = coordinate_rates();
  states.insert(states.end(), speeds_->joints.begin(), speeds_->joints.end());
  rates.insert(rates.end(), ws_->vdot.begin(), ws_->vdot.end());
  states.push_back(time_);
  rates.push_back(Expression(1));
  return substitute(graph_, total_time_derivative(graph_, speeds_->formulas, states, rates),
                    speeds_->joints, speeds_->back);
}

std::vector<double> Derivation::in_own_speeds(const State& state) {
  std::vector<double> x(state.x.begin(), state.x.begin() + static_cast<long>(state_.size()));
  if (!speeds_) return x;
  std::vector<Expression> symbols = q_;
  symbols.insert(symbols.end(), speeds_->joints.begin(), speeds_->joints.end());
  symbols.push_back(time_);
  std::vector<double> numbers(x.begin(), x.begin() + static_cast<long>(q_.size() + v_.size()));
  numbers.push_back(state.t);
  for (const DerivedSymbol& parameter : parameters_) {
    symbols.push_back(parameter.symbol);
    numbers.push_back(parameter.symbol.sample());
  }
  const Program program = flatten(graph_, speeds_->formulas, symbols);
  std::vector<double> scratch(program.scratch_size()), u(program.outputs.size());
  evaluate<double>(program, numbers, scratch, u);
  std::copy(u.begin(), u.end(), x.begin() + static_cast<long>(q_.size()));
  return x;
}

}  // namespace cartan::codegen
