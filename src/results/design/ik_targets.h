// Targets as written: "EXPR = EXPR", "POINT = [x, y, z]", "BODY.R = [[..], [..], [..]]" or three
// angles, "[a, b] = [c, d]"; ranges "EXPR = [LOW, HIGH]".
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/kinematics/targets.h"
#include "results/load/analysis_state.h"

namespace cartan::results {

using TargetList = std::vector<std::unique_ptr<StateEquations>>;

// Appends what the text says; "" or a sentence about what is wrong.
std::string add_target(const Analysis& analysis, const std::string& text, TargetList& targets);

// Both sides of the '=' outside of brackets and quotes; nothing when there is none.
std::optional<std::pair<std::string, std::string>> split_equation(const std::string& text);

// The entries of "[a, b, c]"; nothing when the text is no list.
std::optional<std::vector<std::string>> split_list(const std::string& text);

// "" or a sentence.
std::string read_value_range(const Analysis& analysis, const std::string& text, ValueRange& range);

// Stops of joints, as ranges of their coordinates; a range of the same name goes before.
void add_stop_ranges(const Analysis& analysis, std::vector<ValueRange>& ranges);

// Whether an expression of the model's names compiles.
bool is_expression(const Model& model, const std::string& text);

// "BODY,POINT,EXPR": what tells solutions apart, a body by its place and the entries of its
// rotation.
std::string read_distinct(const Analysis& analysis, const std::string& text,
                          std::vector<std::shared_ptr<const StateFunction>>& functions);

}  // namespace cartan::results
