// The functions a model file adds to the expression language ([functions]): formulas of their
// arguments, written out where they are called, and functions whose code is the user's.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "expr/external_function.h"

namespace cartan::expr {

struct SyntaxTree;

struct UserFunction {
  std::string name;
  std::vector<std::string> arguments;
  std::shared_ptr<const SyntaxTree> body;    // a formula of the arguments; or else
  std::shared_ptr<const FunctionCode> code;  // where its numbers come from; neither: reported
};

class UserFunctions {
 public:
  void add(UserFunction function) {
    index_.try_emplace(function.name, static_cast<int>(list_.size()));
    list_.push_back(std::move(function));
  }
  // Of several of one name the first; null when there is none.
  const UserFunction* find(const std::string& name) const {
    const auto at = index_.find(name);
    return at == index_.end() ? nullptr : &list_[at->second];
  }
  UserFunction& operator[](std::size_t k) { return list_[k]; }
  const std::vector<UserFunction>& list() const { return list_; }

 private:
  std::vector<UserFunction> list_;
  std::unordered_map<std::string, int> index_;
};

}  // namespace cartan::expr
