#include "expr/external_function.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace cartan::expr {
namespace {

constexpr std::size_t highest_order = 3;

template <std::size_t>
using Number = double;

template <std::size_t... k>
double call_with(void* address, const double* x, std::index_sequence<k...>) {
  return reinterpret_cast<double (*)(Number<k>...)>(address)(x[k]...);
}

template <std::size_t count = 1>
double call(void* address, std::size_t arguments, const double* x) {
  if (arguments == count) return call_with(address, x, std::make_index_sequence<count>());
  if constexpr (count < most_arguments) return call<count + 1>(address, arguments, x);
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::string derivative_name(const ExternalFunction& function, const std::vector<int>& arguments) {
  if (arguments.empty()) return function.name;
  std::string by;
  for (const int a : arguments) by += (by.empty() ? "" : " ") + function.arguments[a];
  const auto given = function.derivatives.find(by);
  if (given != function.derivatives.end()) return given->second;
  std::string name = arguments.size() == 1 ? "d" : "d" + std::to_string(arguments.size());
  name += function.name;
  for (auto a = arguments.rbegin(); a != arguments.rend(); ++a)
    name += "d" + function.arguments[*a];
  return name;
}

FunctionCode::FunctionCode(ExternalFunction function, const AddressOf& address_of,
                           std::shared_ptr<const void> owner)
    : function_(std::move(function)), is_name_only_(!address_of), owner_(std::move(owner)) {
  orders_.push_back({});
  for (std::size_t i = 0; i < orders_.size(); ++i) {
    if (address_of) orders_[i].address = address_of(derivative_name(function_, orders_[i].by));
    orders_[i].slope.assign(function_.arguments.size(), -1);
    if (orders_[i].by.size() == highest_order) continue;
    for (int k = 0; k < arguments(); ++k) {
      std::vector<int> by = orders_[i].by;
      by.insert(std::upper_bound(by.begin(), by.end(), k), k);
      int number = find(by);
      if (number < 0) {
        number = static_cast<int>(orders_.size());
        orders_.push_back({std::move(by), {}, nullptr});
      }
      orders_[i].slope[k] = number;
    }
  }
}

int FunctionCode::find(std::span<const int> by) const {
  for (std::size_t i = 0; i < orders_.size(); ++i)
    if (std::equal(by.begin(), by.end(), orders_[i].by.begin(), orders_[i].by.end()))
      return static_cast<int>(i);
  return -1;
}

double FunctionCode::value(int number, const double* x) const {
  if (!has(number)) return std::numeric_limits<double>::quiet_NaN();
  return call(orders_[number].address, function_.arguments.size(), x);
}

}  // namespace cartan::expr
