// Numbers over the parameters of a file, known before the model is checked: how often a table
// stands, and what {i-1} means.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "io/toml_tree.h"

namespace cartan::io {

class EarlyNumbers {
 public:
  // `parameters`: the table, or null. `given`: values that replace entries of it.
  EarlyNumbers(const TomlNode* parameters, std::map<std::string, double> given)
      : parameters_(parameters), given_(std::move(given)) {}

  // Nothing when it does not parse or a name is unknown; `problem` says why. `extra`: one more
  // name.
  std::optional<double> value(const std::string& expression, std::string& problem,
                              const std::map<std::string, double>& extra = {}) const;
  std::optional<double> value(const TomlNode& node, std::string& problem) const;
  bool knows(const std::string& name) const;

 private:
  std::optional<double> evaluate(const std::string& expression, std::string& problem,
                                 const std::map<std::string, double>& extra, int depth) const;
  std::optional<double> parameter(const std::string& name, std::string& problem, int depth) const;

  const TomlNode* parameters_;
  std::map<std::string, double> given_;
};

}  // namespace cartan::io
