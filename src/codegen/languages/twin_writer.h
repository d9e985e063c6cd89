// The text of sets that stand side by side (twins.h), in C with the vectors of GCC and Clang: a
// number beside a vector counts for all its places.
#pragma once

#include <string>
#include <vector>

#include "codegen/languages/expression_writer.h"

namespace cartan::codegen {

class TwinWriter {
 public:
  // `type_prefix` and the width make the name of a type.
  TwinWriter(const ExpressionGraph& graph, const Listing& listing, const ExpressionWriter& numbers,
             const Dialect& dialect, std::string type_prefix)
      : graph_(graph),
        listing_(listing),
        numbers_(numbers),
        dialect_(dialect),
        type_prefix_(std::move(type_prefix)) {}

  // What the statement of a set computes.
  std::string definition(int set) const;
  std::string type(int width) const { return type_prefix_ + std::to_string(width); }
  // "typedef double TYPE __attribute__(..);"
  static std::string declare_type(const std::string& type, int width);

 private:
  struct Signed {
    bool negative = false;
    Written magnitude;
    bool is_vector = true;  // or one number for all places
  };
  Signed write_set(int set) const;
  Signed write_sum(const Signed& x, const Signed& y) const;
  Signed write_term(const std::vector<SignedNode>& nodes, const std::vector<char>& flipped) const;
  Signed write_held(const std::vector<SignedNode>& nodes) const;
  std::string list(const std::vector<std::string>& entries) const;
  std::string text_of(const Signed& x) const;

  const ExpressionGraph& graph_;
  const Listing& listing_;
  const ExpressionWriter& numbers_;
  const Dialect& dialect_;
  const std::string type_prefix_;
};

}  // namespace cartan::codegen
