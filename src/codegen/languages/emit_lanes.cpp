// Lanes: functions over the number type V of study/kernel/lanes.h, without a head of their own.
#include "codegen/languages/c_family.h"
#include "codegen/languages/emitters.h"

namespace cartan {
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

}  // namespace

std::string emit_lanes(const UnitPlan& plan) {
  const CFamilyWriter writer(plan, lane_flavour());
  std::string text = writer.table_data();
  for (const PlannedFunction& function : plan.functions) text += writer.definition(function) + "\n";
  return text;
}

}  // namespace cartan
