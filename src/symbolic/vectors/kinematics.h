// What changes with time, and how fast: the kinematic differential equations of a derivation.
//
//   coordinate   q    q' is an expression of coordinates, speeds and time, given by the user
//   speed        u    u' is a symbol of its own, the unknown of the equations of motion
//   time         t    t' = 1
// Every other symbol is a constant. The time derivative of an expression is the chain rule over its
// nodes, each node once, whatever asks for it and how often.
//
// Mistakes of the user (a coordinate without its equation) are collected in problems(); the
// derivative is zero then.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/diagnostics.h"
#include "core/vec3.h"
#include "symbolic/expression.h"

namespace cartan::symbolic {

class Kinematics {
 public:
  explicit Kinematics(ExpressionGraph& graph);
  Kinematics(const Kinematics&) = delete;  // frames point to it
  Kinematics& operator=(const Kinematics&) = delete;

  ExpressionGraph& graph() const { return *graph_; }
  Diagnostics& problems() { return problems_; }
  const Diagnostics& problems() const { return problems_; }
  bool ok() const { return !problems_.has_errors(); }

  Expression time(double sample = 0);  // the symbol t
  Expression coordinate(const std::string& name, double sample = 0);
  Expression speed(const std::string& name, double sample = 0);
  // q1 .. qn with q_i' = u_i
  struct Standard {
    std::vector<Expression> q, u;
  };
  Standard standard(int count);

  // The kinematic differential equation of a coordinate, or any other symbol that depends on time.
  void set_rate(const Expression& symbol, const Expression& rate);
  // The same, found when it is first asked for.
  void set_rate(const Expression& symbol, std::function<Expression()> rate);
  // u' of a speed: the symbol "u'".
  Expression acceleration(const Expression& speed);
  const std::vector<Expression>& coordinates() const { return coordinates_; }
  const std::vector<Expression>& speeds() const { return speeds_; }

  // d/dt
  Expression rate(const Expression& x);
  Vec3<Expression> rate(const Vec3<Expression>& x) { return {rate(x.x), rate(x.y), rate(x.z)}; }
  // d/dt as if all u' were zero: what remains of an acceleration.
  Expression rate_at_constant_speeds(const Expression& x);
  Vec3<Expression> rate_at_constant_speeds(const Vec3<Expression>& x) {
    return {rate_at_constant_speeds(x.x), rate_at_constant_speeds(x.y),
            rate_at_constant_speeds(x.z)};
  }
  // Counts the changes of the equations: what was derived before is out of date.
  int version() const { return version_; }

 private:
  struct Entry {
    bool is_speed = false;
    bool is_known = false;
    bool is_told = false;  // that it is missing
    Expression rate;       // of a speed: its acceleration
    std::function<Expression()> find;
  };
  struct Memory {  // by node
    std::vector<Expression> rate;
    std::vector<char> known;
  };
  Expression rate(const Expression& x, bool constant_speeds);
  Expression symbol_rate(int node, bool constant_speeds);
  Expression without_accelerations(const Expression& rate);
  Expression node_rate(int node, const Memory& memory);
  void forget();

  ExpressionGraph* graph_;
  Diagnostics problems_;
  std::unordered_map<int, Entry> entries_;  // by node of the symbol
  std::vector<Expression> coordinates_, speeds_;
  Memory memories_[2];
  int version_ = 0;
};

}  // namespace cartan::symbolic
