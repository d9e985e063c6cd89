// Intermediate variables the user introduces (source 004, sec. 7.2): a name stands for an
// expression, and what follows handles the name.
//
// A level says how often it will be differentiated by time: 2 for positions, 1 for velocities and
// coefficients of constraints, 0 for forces. The rate of a subexpression is linear in the speeds
// (or, where it depends on speeds itself, in their rates); its coefficients become subexpressions
// of one level less, so that tangent vectors and mass matrices can still be read off:
//   sx' = sum_k sx_k u_k + sx_0
// The graph shares equal expressions anyway. Subexpressions are for the reader and the writer of
// equations: they name what would be unreadable, and keep the definitions in order of computation.
#pragma once

#include <string>
#include <vector>

#include "symbolic/vectors/vectors.h"

namespace cartan::symbolic {

class Subexpressions {
 public:
  explicit Subexpressions(Kinematics& kinematics, std::string prefix = "sx_")
      : kinematics_(&kinematics), prefix_(std::move(prefix)) {}
  Subexpressions(const Subexpressions&) = delete;  // the kinematics hold pointers to it
  Subexpressions& operator=(const Subexpressions&) = delete;

  // Numbers and symbols stay what they are.
  Expression define(const Expression& value, int level = 2);
  Vector define(const Vector& value, int level = 2);

  struct Definition {
    Expression symbol, value;
    int level;
  };
  // In an order of computation: a definition uses earlier ones only.
  const std::vector<Definition>& definitions() const { return definitions_; }

  // Makes the definitions of all rates that the levels promise; they join the others.
  void differentiate();

  // Without subexpressions: every name replaced by what it stands for.
  std::vector<Expression> expand(std::vector<Expression> values) const;
  Expression expand(const Expression& value) const { return expand(std::vector{value})[0]; }
  // The values of all definitions where some symbols have the given values; NaN where more would be
  // needed.
  std::vector<double> evaluate(const std::vector<Expression>& symbols,
                               const std::vector<double>& at) const;

 private:
  Expression rate_of(int which);
  Expression split(const Expression& rate, const std::vector<Expression>& by, int level);

  Kinematics* kinematics_;
  std::string prefix_;
  std::vector<Definition> definitions_;
};

}  // namespace cartan::symbolic
