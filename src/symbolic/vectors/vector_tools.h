// Vectors, dyads and system vectors as a whole: substitution, simplification, text.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "symbolic/vectors/system_vector.h"

namespace cartan::symbolic {

// Every component replaced by what the function makes of it.
using ComponentMap = std::function<Expression(const Expression&)>;
Vector map_components(const Vector& a, const ComponentMap& map);
Dyad map_components(const Dyad& a, const ComponentMap& map);
SystemVector map_components(const SystemVector& a, const ComponentMap& map);

Vector substitute(const Vector& a, std::span<const Expression> symbols,
                  std::span<const Expression> by);
SystemVector substitute(const SystemVector& a, std::span<const Expression> symbols,
                        std::span<const Expression> by);

// [x, y, z] N + [x, y, z] B; "0" for a vector that vanishes.
std::string to_text(const Vector& a);
std::string to_text(const Dyad& a);

}  // namespace cartan::symbolic
