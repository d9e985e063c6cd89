#include "results/run/assembly_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cartan::results {
namespace {

constexpr std::size_t most_changes = 8;

// One number by itself, several as a list.
Json value_json(const std::vector<double>& values) {
  return values.size() == 1 ? Json(values[0]) : Json(values);
}

std::string value_text(const std::vector<double>& values) {
  return values.size() == 1 ? fmt::format("{:.9g}", values[0])
                            : fmt::format("[{:.9g}]", fmt::join(values, ", "));
}

const char* what(const ChangedValues& change) {
  return change.velocity ? "velocity" : "position";
}

}  // namespace

Json assembly_json(const Model& model, const AssemblyReport& assembly) {
  Json changed = Json::array();
  for (const ChangedValues& change : assembly.changed)
    changed.push_back({{"joint", model.joints[change.joint].name},
                       {"what", what(change)},
                       {"written", value_json(change.written)},
                       {"used", value_json(change.used)}});
  return {{"position_change", assembly.position_change},
          {"velocity_change", assembly.velocity_change},
          {"changed", std::move(changed)}};
}

std::string assembly_line(const AssemblyReport& assembly) {
  return fmt::format("coordinates changed by up to {:.3g}, speeds by up to {:.3g}",
                     assembly.position_change, assembly.velocity_change);
}

std::vector<std::string> changed_lines(const Model& model, const AssemblyReport& assembly) {
  std::vector<std::string> lines;
  const std::size_t shown = std::min(assembly.changed.size(), most_changes);
  for (std::size_t k = 0; k < shown; ++k) {
    const ChangedValues& change = assembly.changed[k];
    lines.push_back(fmt::format("not kept: {} of '{}', written {}, used {}", what(change),
                                model.joints[change.joint].name, value_text(change.written),
                                value_text(change.used)));
  }
  if (shown < assembly.changed.size())
    lines.push_back(fmt::format("and {} more that were not kept (all of them: --json)",
                                assembly.changed.size() - shown));
  return lines;
}

WrittenStart written_start(const std::vector<std::optional<std::vector<double>>>& q,
                           const std::vector<std::optional<std::vector<double>>>& v) {
  WrittenStart written(std::max(q.size(), v.size()));
  for (std::size_t j = 0; j < q.size(); ++j)
    if (q[j]) written[j].q = *q[j];
  for (std::size_t j = 0; j < v.size(); ++j)
    if (v[j]) written[j].v = *v[j];
  return written;
}

}  // namespace cartan::results
