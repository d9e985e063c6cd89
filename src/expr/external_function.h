// Functions whose code the user gives: known by their names and those of their derivatives.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/folders.h"

namespace cartan::expr {

// Its derivatives are functions of the same arguments, named d + NAME + d + ARGUMENT, d2 + NAME +
// d + LATER + d + EARLIER (the later argument first; source 004, section 6.4), or as told in
// `derivatives`: "q1" or "q1 q2" (in the order of the arguments) -> name.
struct ExternalFunction {
  std::string name;
  std::vector<std::string> arguments;
  std::map<std::string, std::string> derivatives;
  bool withheld = false;  // its code is not to be run here
};

// The name of the derivative by `arguments` (from 0, ascending); of none: the function's own.
std::string derivative_name(const ExternalFunction& function, const std::vector<int>& arguments);

inline constexpr int most_arguments = 8;

// A function with the addresses of its code, as far as there is code, and of its derivatives up to
// the third. Each is double NAME(double, ...) with C linkage.
class FunctionCode {
 public:
  // Null for a name that has no code.
  using AddressOf = std::function<void*(const std::string& name)>;

  // The function itself (number 0) or a derivative.
  struct Order {
    std::vector<int> by;     // ascending
    std::vector<int> slope;  // by argument: the number of the derivative; -1: beyond the third
    void* address = nullptr;
  };

  // No `address_of`: known by name only. `owner`: keeps the code in memory.
  explicit FunctionCode(ExternalFunction function, const AddressOf& address_of = {},
                        std::shared_ptr<const void> owner = nullptr);

  const ExternalFunction& declaration() const { return function_; }
  int arguments() const { return static_cast<int>(function_.arguments.size()); }
  bool is_name_only() const { return is_name_only_; }
  const Order& order(int number) const { return orders_[number]; }
  int find(std::span<const int> by) const;  // number, or -1
  bool has(int number) const { return number >= 0 && orders_[number].address; }
  std::string name_of(int number) const { return derivative_name(function_, orders_[number].by); }

  // NaN where there is no code.
  double value(int number, const double* x) const;

 private:
  ExternalFunction function_;
  bool is_name_only_;
  std::vector<Order> orders_;
  std::shared_ptr<const void> owner_;
};

}  // namespace cartan::expr
