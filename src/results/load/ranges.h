// Ranges of values on the command line: NAME=lin(A,B,N), and lists of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/model.h"

namespace cartan::results {

struct Range {
  std::string name;  // whatever stands before the last '=' that a range follows
  std::vector<double> values;
};

// "P=lin(A,B,N)": N values from A to B, evenly spaced; "P=log(A,B,N)": in constant ratio. Numbers
// may be expressions over the model's parameters. Nothing, with a sentence in `problem`, when the
// text is something else.
std::optional<Range> read_range(const std::string& text, const Model& model, std::string& problem);

// "A=lin(..),B=lin(..)"
std::optional<std::vector<Range>> read_ranges(const std::string& text, const Model& model,
                                              std::string& problem);

}  // namespace cartan::results
