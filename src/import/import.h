// Model files of other tools: URDF, MJCF (MuJoCo), SDF (Gazebo). They become the text of a model
// file, which goes the way of all model files; so a run of the source and of what `cartan import`
// writes are the same bit for bit. docs/import.md says what is carried over and what is not.
//
//   Diagnostics problems(path);
//   if (const auto imported = import_model_file(path, {}, problems)) std::cout << imported->text;
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/diagnostics.h"
#include "model/description.h"

namespace cartan::import {

struct ImportOptions {
  bool free_base = false;  // a root that nothing holds: fixed to the world, or on a free joint
  std::vector<std::pair<std::string, std::string>> packages;  // package://NAME/.. lies in DIR
  bool any_path = false;                                      // includes wherever they lie
  bool limits = true;                                         // limits of joints become stops
  std::vector<std::string> allowed;                           // and in these folders
  std::map<std::string, std::string> sets;  // parameters given by the user: name -> expression
  std::string text_folder;                  // where the text will lie; "": beside the source
};

// What became of a file, kind by kind.
struct ImportReport {
  struct Left {
    std::string kind, why;
    int count = 0;
    Location where;  // of the first
  };
  struct Note {
    Location where;
    std::string text;
  };
  std::vector<std::pair<std::string, int>> carried;
  std::vector<Left> not_carried;
  std::vector<Note> notes;  // assumptions and shifts

  void carry(const std::string& kind, int count = 1);
  void leave(const std::string& kind, Location where, const std::string& why, int count = 1);
  void note(Location where, const std::string& text) { notes.push_back({where, text}); }
};

struct ImportedModel {
  std::string format;            // "URDF", "MJCF", "SDF"
  std::string text;              // TOML
  std::vector<Location> places;  // where each line of it comes from
  ImportReport report;
};

// By its ending: .urdf, .xml, .sdf, .mjcf, .world, .xacro
bool is_foreign_model(const std::string& path);

std::optional<ImportedModel> import_model_file(const std::string& path,
                                               const ImportOptions& options, Diagnostics& problems);
std::optional<ImportedModel> import_model_text(const std::string& text, const std::string& path,
                                               const ImportOptions& options, Diagnostics& problems);

// A model file of any format as a description. What an import leaves out or assumes is told as
// warnings, once per kind.
std::optional<ModelDescription> read_any_model_file(const std::string& path,
                                                    const ImportOptions& options,
                                                    Diagnostics& problems);
// `path`: of the source; `folder`: where files are looked up, "" for that of the source.
std::optional<ModelDescription> describe_import(const ImportedModel& imported,
                                                const std::string& path, Diagnostics& problems,
                                                const std::string& folder = "");
void tell_import(const ImportReport& report, Diagnostics& problems);

}  // namespace cartan::import
