#include "report/viewer_data.h"

#include <bit>

#include <nlohmann/json.hpp>

#include "core/base64.h"
#include "report/column_units.h"

namespace cartan::report {
namespace {

using Json = nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little, "the document is little-endian");

template <class T>
std::string base64(const std::vector<T>& numbers) {
  return to_base64({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)});
}

// Rows of a kept table that a plot of at most `most` samples takes.
std::vector<std::size_t> choose_rows(std::size_t count, std::size_t most, std::size_t& every) {
  every = thinning(count, most);
  std::vector<std::size_t> rows;
  for (std::size_t k = 0; k < count; k += every) rows.push_back(k);
  if (rows.empty() || rows.back() + 1 != count) rows.push_back(count - 1);
  return rows;
}

Json table_json(const ViewerTable& table, const ColumnUnits& units, const ViewerLimits& limits) {
  const CsvTable& csv = table.rows.table;
  // Energies and violations are looked at through their differences: doubles. Where bodies are and
  // how joints are loaded is only drawn.
  const bool single =
      table.name == "bodies.csv" || table.name == "reactions.csv" || table.name == "forces.csv";
  std::size_t every = 1;
  const std::size_t most =
      std::max<std::size_t>(2, std::min(limits.samples, limits.table_numbers / csv.names.size()));
  const std::vector<std::size_t> rows = choose_rows(csv.row_count(), most, every);
  std::vector<std::string> names, measured;
  std::vector<double> t, numbers;
  for (std::size_t c = 0; c < csv.names.size(); ++c) {
    const bool is_time = csv.names[c] == "t";
    if (!is_time) {
      names.push_back(picture_name(table.name, csv.names[c]));
      measured.push_back(units.unit(names.back()));
    }
    for (std::size_t row : rows) (is_time ? t : numbers).push_back(csv.columns[c][row]);
  }
  Json json;
  json["name"] = table.name;
  json["count"] = rows.size();
  json["recorded"] = table.rows.recorded;
  json["every"] = table.rows.every * every;
  json["type"] = single ? "f32" : "f64";
  json["columns"] = names;
  json["units"] = measured;
  json["t"] = base64(t);
  json["data"] =
      single ? base64(std::vector<float>(numbers.begin(), numbers.end())) : base64(numbers);
  return json;
}

Json frames_json(const ViewerRun& run) {
  if (run.bodies.empty()) return nullptr;
  const SampledCsv& rows = run.tables.front().rows;
  std::vector<const std::vector<double>*> columns;
  for (const std::string& body : run.bodies)
    for (const char* suffix : {"x", "y", "z", "qw", "qx", "qy", "qz"})
      columns.push_back(rows.table.find(body + "." + suffix));
  std::vector<float> poses;
  poses.reserve(columns.size() * rows.table.row_count());
  for (std::size_t row = 0; row < rows.table.row_count(); ++row)
    for (const std::vector<double>* column : columns)
      poses.push_back(static_cast<float>((*column)[row]));
  return {{"count", rows.table.row_count()},
          {"recorded", rows.recorded},
          {"every", rows.every},
          {"t", base64(*rows.table.find("t"))},
          {"poses", base64(poses)}};
}

Json run_json(const ViewerRun& run, const ViewerLimits& limits) {
  Json json;
  json["label"] = run.label;
  json["model"] = Json::parse(run.model, nullptr, false);
  json["summary"] = Json::parse(run.summary, nullptr, false);
  json["frames"] = frames_json(run);
  json["tables"] = Json::array();
  const ColumnUnits units(nlohmann::json::parse(run.model, nullptr, false));
  for (const ViewerTable& table : run.tables)
    json["tables"].push_back(table_json(table, units, limits));
  json["events"] = Json::array();
  for (const ViewerEvent& event : run.events)
    json["events"].push_back(
        {{"t", event.t}, {"name", event.name}, {"direction", event.direction}});
  json["impacts"] = Json::array();
  for (const ViewerImpact& impact : run.impacts)
    json["impacts"].push_back(
        {{"t", impact.t}, {"contact", impact.contact}, {"normal", impact.normal}});
  return json;
}

}  // namespace

std::string viewer_data(const std::vector<ViewerRun>& runs, const std::string& kind,
                        const std::string& modes, const ViewerLimits& limits) {
  Json json;
  json["format"] = "cartan-viewer-1";
  json["kind"] = kind;
  json["runs"] = Json::array();
  for (const ViewerRun& run : runs) json["runs"].push_back(run_json(run, limits));
  json["modes"] = modes.empty() ? Json(nullptr) : Json::parse(modes, nullptr, false);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace cartan::report
