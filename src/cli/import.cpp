// cartan import: a model file of another tool as a model file of ours.
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/terminal/arguments.h"
#include "cli/terminal/model_options.h"
#include "cli/terminal/out_option.h"
#include "cli/terminal/terminal_watch.h"
#include "core/source_files.h"
#include "import/import.h"
#include "results/load/load.h"

namespace cartan::cli {
namespace {

struct ImportArguments {
  ModelArguments model;
  std::string out;
  bool json = false, force = false;
};

std::optional<int> read_import_arguments(const Words& words, ImportArguments& o) {
  Arguments arguments("import",
                      "Turn a model file of another tool into a readable model file, and say what "
                      "is carried over and\nwhat is not. Formats: URDF (.urdf), MJCF (.xml), SDF "
                      "(.sdf). Without --out the model file is printed.",
                      "  cartan import robot.urdf --out robot.toml\n"
                      "  cartan import walker.urdf --base free --out walker.toml");
  arguments.positional("FILE", "URDF, MJCF or SDF file", o.model.path);
  arguments.option("--out", "FILE", "write the model file here", o.out);
  declare_import(arguments, o.model);
  declare_consent(arguments, o.model);
  arguments.flag("--force", "replace FILE where it exists", o.force);
  arguments.flag("--json", "print one JSON object: carried, not_carried, notes, model", o.json);
  return arguments.parse(words);
}

nlohmann::ordered_json report_json(const ImportedModel& imported, const ImportArguments& o) {
  nlohmann::ordered_json json;
  json["format"] = imported.format;
  json["carried"] = nlohmann::ordered_json::object();
  for (const auto& [kind, count] : imported.report.carried) json["carried"][kind] = count;
  json["not_carried"] = nlohmann::ordered_json::array();
  for (const ImportReport::Left& left : imported.report.not_carried)
    json["not_carried"].push_back({{"kind", left.kind},
                                   {"count", left.count},
                                   {"where", place_text(o.model.path, left.where)},
                                   {"why", left.why}});
  json["notes"] = nlohmann::ordered_json::array();
  for (const ImportReport::Note& note : imported.report.notes)
    json["notes"].push_back({{"where", place_text(o.model.path, note.where)}, {"text", note.text}});
  json["model"] = o.out.empty() ? imported.text : o.out;
  return json;
}

void print_report(const ImportedModel& imported, const ImportArguments& o) {
  fmt::print("Written: {}\nCarried over from {}:", o.out, imported.format);
  const char* separator = " ";
  for (const auto& [kind, count] : imported.report.carried) {
    fmt::print("{}{} {}", separator, count, kind);
    separator = ", ";
  }
  fmt::print("\nNext: cartan check {}\n", o.out);
}

}  // namespace

int import_command(const Words& words) {
  ImportArguments o;
  if (const std::optional<int> status = read_import_arguments(words, o)) return *status;
  std::error_code ignored;
  if (!std::filesystem::exists(o.model.path, ignored))
    refuse_at(o.model.path, "there is no such file" + suggest_file(o.model.path));
  const api::Watch watch = terminal_watch();
  ImportOptions options = import_options(o.model, watch);
  namespace fs = std::filesystem;
  const std::string source_folder = fs::path(o.model.path).parent_path().string();
  if (!o.out.empty()) {
    options.text_folder = fs::path(o.out).parent_path().string();
    if (options.text_folder.empty()) options.text_folder = ".";
  }
  if (std::filesystem::path(o.model.path).extension() == ".toml")
    return complain("import",
                    o.model.path + " is a model file already; expected URDF, MJCF or SDF");
  Diagnostics problems(o.model.path);
  const std::optional<ImportedModel> imported = import_model_file(o.model.path, options, problems);
  if (imported) {
    tell_import(imported->report, problems);
    // What cannot be read back is not written.
    Consent consent = consent_of(o.model, CodeUse::never, watch);
    consent.folders.push_back(source_folder.empty() ? "." : source_folder);
    if (const auto description =
            describe_import(*imported, o.model.path, problems, options.text_folder))
      (void)check_model(*description, problems, {}, consent);
  }
  if (!imported || problems.has_errors()) refuse(problems, consent_remedy(problems));
  fmt::print(stderr, "{}", problems.text());
  std::string problem;
  if (!o.out.empty() && !write_whole_file(o.out, imported->text, replace_if(o.force), problem))
    return complain("import", problem);
  if (o.json)
    fmt::print(
        "{}\n",
        report_json(*imported, o).dump(1, ' ', false, nlohmann::json::error_handler_t::replace));
  else if (o.out.empty())
    fmt::print("{}", imported->text);
  else
    print_report(*imported, o);
  return exit_done;
}

}  // namespace cartan::cli
