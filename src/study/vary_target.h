// What a name in [vary] means: a parameter, or an initial value that becomes one.
#pragma once

#include <optional>
#include <string>

#include "model/description.h"

namespace cartan::study {

struct VaryTarget {
  enum class Kind { parameter, position, speed, variable };
  Kind kind = Kind::parameter;
  int index = 0;      // parameter, joint, variable
  int component = 0;  // of the joint's coordinates as written (free: of its place), of its speeds

  bool is_parameter() const { return kind == Kind::parameter; }
  bool operator==(const VaryTarget&) const = default;
};

// Nothing, with a sentence, for what cannot vary.
std::optional<VaryTarget> find_vary_target(const std::string& name,
                                           const ModelDescription& description,
                                           std::string& problem);

// The name of the parameter; an initial value gets one, whose value is the one that is written.
std::string make_parameter(const VaryTarget& target, ModelDescription& description);

}  // namespace cartan::study
