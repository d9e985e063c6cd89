// A model file of any format.
#include <filesystem>

#include "import/import.h"
#include "io/toml_reader.h"

namespace cartan::import {

bool is_foreign_model(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  for (const char* known : {".urdf", ".xml", ".sdf", ".mjcf", ".world", ".xacro"})
    if (ending == known) return true;
  return false;
}

void tell_import(const ImportReport& report, Diagnostics& problems) {
  for (const ImportReport::Left& left : report.not_carried)
    problems.warning(left.where, "not carried over: " + left.kind + " (" +
                                     std::to_string(left.count) + "): " + left.why);
  for (const ImportReport::Note& note : report.notes) problems.warning(note.where, note.text);
}

std::optional<ModelDescription> describe_import(const ImportedModel& imported,
                                                const std::string& path, Diagnostics& problems,
                                                const std::string& folder) {
  std::optional<ModelDescription> model = read_model_text(
      imported.text, folder.empty() ? std::filesystem::path(path).parent_path().string() : folder,
      problems, imported.places);
  if (model) model->file = path;
  return model;
}

std::optional<ModelDescription> read_any_model_file(const std::string& path,
                                                    const ImportOptions& options,
                                                    Diagnostics& problems) {
  if (!is_foreign_model(path)) {
    ReadOptions reading;
    reading.consent.any_path = options.any_path;
    reading.consent.folders = options.allowed;
    reading.sets = options.sets;
    return read_model_file(path, problems, reading);
  }
  const std::optional<ImportedModel> imported = import_model_file(path, options, problems);
  if (!imported) return std::nullopt;
  tell_import(imported->report, problems);
  return describe_import(*imported, path, problems);
}

}  // namespace cartan::import
