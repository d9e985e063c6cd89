// What a study tells: one JSON object, or a text.
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "study/study_tables.h"

namespace cartan::study {
namespace {

using SummaryJson = nlohmann::ordered_json;

SummaryJson number_or_null(double x) {
  return std::isfinite(x) ? SummaryJson(x) : SummaryJson(nullptr);
}
SummaryJson interval(double low, double high) {
  return SummaryJson::array({number_or_null(low), number_or_null(high)});
}

SummaryJson quantity_json(const QuantityStatistics& q) {
  SummaryJson json;
  json["count"] = q.count;
  json["undefined"] = q.undefined;
  json["mean"] = number_or_null(q.mean);
  json["deviation"] = number_or_null(q.deviation);
  json["minimum"] = number_or_null(q.minimum);
  json["maximum"] = number_or_null(q.maximum);
  SummaryJson values = SummaryJson::object(), intervals = SummaryJson::object();
  for (std::size_t i = 0; i < told_quantiles.size(); ++i) {
    const std::string name = fmt::format("{}", told_quantiles[i]);
    const bool there = i < q.quantiles.size();
    values[name] = there ? number_or_null(q.quantiles[i].value) : SummaryJson(nullptr);
    intervals[name] =
        there ? interval(q.quantiles[i].low, q.quantiles[i].high) : SummaryJson(nullptr);
  }
  json["quantiles"] = values;
  json["quantile_intervals"] = intervals;
  return json;
}

SummaryJson indices_json(const Study& study, const std::vector<SobolIndex>& list,
                         std::uint64_t base_points) {
  SummaryJson first = SummaryJson::object(), total = first, first_interval = first,
              total_interval = first;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string& name =
        study.inputs[static_cast<std::size_t>(study.design.sampled()[i])].name;
    first[name] = number_or_null(list[i].first);
    total[name] = number_or_null(list[i].total);
    first_interval[name] = interval(list[i].first_low, list[i].first_high);
    total_interval[name] = interval(list[i].total_low, list[i].total_high);
  }
  SummaryJson json;
  json["first"] = first;
  json["total"] = total;
  json["first_interval"] = first_interval;
  json["total_interval"] = total_interval;
  json["base_points"] = base_points;
  return json;
}

std::string law_text(const Distribution& d) {
  const std::string text = text_of(d);
  return text.size() <= 80 ? text : fmt::format("{} of {} values", to_string(d.kind), d.count());
}

std::string cell(double x) {
  return std::isfinite(x) ? fmt::format("{:.6g}", x) : "-";
}

// A share of the variance: nothing below a ten thousandth means anything.
std::string share(double x) {
  if (!std::isfinite(x)) return "-";
  return fmt::format("{:.4f}", std::abs(x) < 5e-5 ? 0.0 : x);
}

}  // namespace

std::string study_json(const Study& study, const StudyStatistics& s, const StudyProvenance& p) {
  const Design& design = study.design;
  SummaryJson json;
  json["model"] = study.model->name;
  json["model_file"] = study.model->file;
  if (!p.study_file.empty()) json["study"] = p.study_file;
  json["runs"] = s.runs;
  json["failed"] = s.failed;
  SummaryJson statuses = SummaryJson::object();
  for (int k = 0; k < run_outcome_count; ++k)
    if (s.outcomes[static_cast<std::size_t>(k)])
      statuses[to_string(static_cast<RunOutcome>(k))] = s.outcomes[static_cast<std::size_t>(k)];
  json["statuses"] = statuses;
  if (!s.first_failure.empty()) json["first_failure"] = s.first_failure;
  json["backend"] = p.backend;
  json["threads"] = p.threads;
  json["ranks"] = p.ranks;
  json["lanes"] = p.lanes;
  json["wall_seconds"] = p.wall_seconds;
  json["sampling"] = to_string(design.sampling());
  json["seed"] = design.seed();
  json["samples"] = design.samples();
  json["grid_points"] = design.grid_points();
  json["formulation"] = study.formulation;
  json["integrator"] = study.integrator;
  SummaryJson inputs = SummaryJson::object(), quantities = inputs, indices = inputs, kept = inputs;
  for (std::size_t k = 0; k < study.inputs.size(); ++k)
    inputs[study.inputs[k].name] = law_text(design.inputs()[k]);
  json["inputs"] = inputs;
  for (std::size_t k = 0; k < study.kept.size(); ++k) {
    quantities[study.kept[k].name] = quantity_json(s.quantities[k]);
    kept[study.kept[k].name] = study.kept[k].text;
    if (k < s.indices.size())
      indices[study.kept[k].name] = indices_json(study, s.indices[k], s.index_base_points[k]);
  }
  json["kept"] = kept;
  json["quantities"] = quantities;
  if (!s.indices.empty()) json["indices"] = indices;
  if (!p.notes.empty()) json["notes"] = p.notes;
  return json.dump(1) + "\n";
}

std::string study_summary(const Study& study, const StudyStatistics& s, const StudyProvenance& p) {
  const Design& design = study.design;
  std::string text = fmt::format("{}: {} runs, {} failed\n", study.model->name, s.runs, s.failed);
  text += fmt::format("{}, {} threads, {:.3g} s; {}, {}\n", p.backend, p.threads, p.wall_seconds,
                      study.formulation, study.integrator);
  if (design.sampled_count() > 0)
    text += fmt::format("sampling {}, seed {}\n", to_string(design.sampling()), design.seed());
  for (const std::string& note : p.notes) text += note + "\n";
  if (s.failed > 0) {
    text += "\nfailed:\n";
    for (int k = 0; k < run_outcome_count; ++k)
      if (is_failure(static_cast<RunOutcome>(k)) && s.outcomes[static_cast<std::size_t>(k)])
        text += fmt::format("  {:>10}  {}\n", s.outcomes[static_cast<std::size_t>(k)],
                            to_string(static_cast<RunOutcome>(k)));
    text += fmt::format("  the first: {}\n", s.first_failure);
  }
  text += fmt::format("\n{:<16}{:>13}{:>13}{:>13}{:>13}{:>13}{:>13}{:>13}\n", "quantity", "mean",
                      "deviation", "minimum", "5 %", "50 %", "95 %", "maximum");
  for (std::size_t k = 0; k < study.kept.size(); ++k) {
    const QuantityStatistics& q = s.quantities[k];
    const auto quantile = [&](std::size_t i) {
      return i < q.quantiles.size() ? cell(q.quantiles[i].value) : "-";
    };
    text += fmt::format("{:<16}{:>13}{:>13}{:>13}{:>13}{:>13}{:>13}{:>13}\n", study.kept[k].name,
                        cell(q.mean), cell(q.deviation), cell(q.minimum), quantile(0), quantile(2),
                        quantile(4), cell(q.maximum));
    if (q.undefined > 0) text += fmt::format("{:<16}  not defined in {} runs\n", "", q.undefined);
  }
  for (std::size_t k = 0; k < s.indices.size(); ++k) {
    text += fmt::format("\nSobol indices of {} (95 % intervals)\n", study.kept[k].name);
    for (std::size_t i = 0; i < s.indices[k].size(); ++i) {
      const SobolIndex& x = s.indices[k][i];
      text += fmt::format("  {:<16} first {:>7} [{:>7}, {:>7}]   total {:>7} [{:>7}, {:>7}]\n",
                          study.inputs[static_cast<std::size_t>(design.sampled()[i])].name,
                          share(x.first), share(x.first_low), share(x.first_high), share(x.total),
                          share(x.total_low), share(x.total_high));
    }
  }
  return text;
}

}  // namespace cartan::study
