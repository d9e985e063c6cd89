// What the elements of a checked model are made of: formulas, places, rotations; and the words in
// which a type of force tells its keys and its check (model/forces/TYPE.h).
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "core/diagnostics.h"
#include "expr/expression.h"
#include "model/description.h"

namespace cartan::model {

inline constexpr int world = -1;  // body index of the world

// One or several expressions; `texts` as the user wrote them.
struct Formula {
  Program program;
  std::vector<std::string> texts;
  Location where;
  int size() const { return static_cast<int>(program.outputs.size()); }
  bool given() const { return !program.outputs.empty(); }
};

struct Rotation {
  RotationText::Kind kind = RotationText::Kind::none;
  Formula values;
};

struct Placement {
  int body = world;
  Formula at;  // 3
  Rotation rotate;
};

// Which names an expression may use, each scope including the one before it (time: not
// coordinates).
enum class Scope {
  numbers,      // parameters
  coordinates,  // and where joints are, for a relation that is differentiated twice
  time,         // and t
  drive,        // the same, for a motion that is differentiated twice
  positions,    // and where joints and bodies are
  everything,   // and speeds, energies, variables
  outputs,      // and accelerations, reactions, multipliers
  equations,    // everything and rates of variables
};

inline constexpr int unresolved = -2;  // a reference to nothing, complained about

// A key that the tables of a type may have in a model file.
struct ElementKey {
  const char* key;
  bool frame = false;           // `from`, `to`: with axes of their own
  const char* world = nullptr;  // is the world where it is left out: the key, or one in its table
};

// Fills a default where a formula was not given.
Formula or_default(const Formula& formula, std::initializer_list<double> values);

// Whether a key is there, be it with a value that was complained about.
inline bool present(const Values& values) {
  return !values.empty() || values.where.line > 0;
}

}  // namespace cartan::model
