// Lanes: functions over the number type V of study/kernel/lanes.h, without a head of their own.
// Long functions may be the work of a team (codegen/team_function.h).
#include "codegen/languages/c_family.h"
#include "codegen/languages/emitters.h"
#include "codegen/team_function.h"

#include <algorithm>

#include <fmt/format.h>

namespace cartan::codegen {
namespace {

CFlavour lane_flavour() {
  CFlavour flavour;
  flavour.prefix = flavour.helper_prefix = flavour.function_prefix = "lane_";
  flavour.function_qualifier = "LANE_FUNCTION ";
  flavour.part_qualifier = "LANE_PART ";
  flavour.table_qualifier = "LANE_TABLE";
  flavour.restrict_word = "__restrict__";
  flavour.number_type = "V";
  flavour.has_sincos = true;
  flavour.is_lane = true;
  return flavour;
}

// Tables, and the function that evaluates them lane by lane.
std::string lane_tables(const UnitPlan& plan, const CFamilyWriter& writer) {
  if (plan.tables.empty()) return "";
  return table_function("LANE_SCALAR ", "lane_table_at", "lane_floor_of", "lane_undefined") +
         R"(LANE_INLINE V lane_table(const double (*piece)[5], int count, double last, int outside, int order, V x)
{
  for (int l = 0; l < CARTAN_LANES; ++l)
    lane_put(x, l, lane_table_at(piece, count, last, outside, order, lane_get(x, l)));
  return x;
}
)" + writer.table_data();
}

}  // namespace

std::string emit_lanes(const UnitPlan& plan) {
  const CFamilyWriter writer(plan, lane_flavour());
  std::string text = lane_tables(plan, writer);
  for (const PlannedFunction& function : plan.functions) text += writer.definition(function) + "\n";
  return text;
}

std::string emit_team_lanes(const UnitPlan& plan, const TeamForm& form,
                            const std::set<std::string>& shared, TeamSizes& sizes) {
  const CFlavour flavour = lane_flavour();
  const CFamilyWriter writer(plan, flavour);
  std::string text = lane_tables(plan, writer), cases;
  int number = 0;
  TeamNumbers numbers;
  for (const PlannedFunction& function : plan.functions) {
    if (!shared.count(function.name)) {
      text += writer.definition(function) + "\n";
      continue;
    }
    const TeamFunctionWriter team(plan, flavour, function, form, numbers);
    sizes.near = std::max(sizes.near, team.near());
    sizes.far = std::max(sizes.far, team.far());
    sizes.outputs = std::max(sizes.outputs, function.array(0).size());
    text += team.write_team() + team.write_call(writer.head(function), number) + "\n";
    cases +=
        fmt::format("    case {}:\n      lane_{}_team(TEAM_PLACE_HERE, role, t);\n      break;\n",
                    number++, function.name);
  }
  return numbers.list() + text +
         fmt::format(
             "TEAM_SERVICE void lane_team_work(TEAM_PLACE, int which, int role, V t)\n"
             "{{\n  switch (which) {{\n{}  }}\n}}\n",
             cases);
}

}  // namespace cartan::codegen
