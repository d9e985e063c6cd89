// Each type checks itself: model/constraints/TYPE.h.
#include <charconv>

#include "expr/functions.h"
#include "expr/switches.h"
#include "model/check/check_elements.h"
#include "model/type_names.h"

namespace cartan::model {
namespace {

// Two drives cannot both have their way with one joint.
void refuse_second_drives(CheckContext& check) {
  const std::vector<Constraint>& all = check.model.constraints;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto* drive = std::get_if<DriveConstraint>(&all[i].law);
    if (!drive || all[i].type != "drive" || drive->joint == unresolved) continue;
    for (std::size_t k = 0; k < i; ++k) {
      const auto* earlier = std::get_if<DriveConstraint>(&all[k].law);
      if (!earlier || all[k].type != "drive" || earlier->joint != drive->joint ||
          all[k].name == all[i].name)  // told already
        continue;
      check.problems.error(all[i].where, "constraint '" + all[i].name +
                                             "' drives a joint that constraint '" + all[k].name +
                                             "' drives already; expected one drive for a joint");
      break;
    }
  }
}

}  // namespace

std::string find_switching_word(const Program& program) {
  for (const SwitchPoint& point : hold_switches(program, 0).switches)
    for (const FunctionRow& row : all_functions())
      if (row.op == point.op) return std::string(row.name);
  return "";
}

std::optional<CoordinateName> parse_coordinate(const std::string& text) {
  const std::size_t open = text.find('[');
  CoordinateName result{text.substr(0, open)};
  if (open == std::string::npos) return result;
  const char *begin = text.data() + open + 1, *end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, result.component);
  if (error != std::errc() || result.component < 0 || stop + 1 != end || *stop != ']')
    return std::nullopt;
  return result;
}

void check_constraints(CheckContext& check) {
  const std::vector<std::string> names = element_names(check.text.constraints);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const ConstraintText& text = check.text.constraints[i];
    const Owner owner{"constraint", names[i], text.where};
    Constraint constraint;
    constraint.name = names[i];
    constraint.type = text.type;
    constraint.where = text.where;
    if (check_element_type(check, text, owner, constraint_types))
      check_law(check, text, owner, constraint.law);
    check.model.constraints.push_back(std::move(constraint));
  }
  refuse_second_drives(check);
}

}  // namespace cartan::model
