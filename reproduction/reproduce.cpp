// cartan reproduce: the tables and figures of the source documents, computed, in one report.
#include "reproduction/reproduce.h"
#include "reproduction/coverage.h"

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>

#include <fmt/core.h>

#include "cli/terminal/arguments.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/out_option.h"
#include "core/child_process.h"
#include "io/output_files.h"
#include "reproduction/coverage.h"
#include "reproduction/items.h"
#include "reproduction/report_page.h"
#include "reproduction/workshop.h"

namespace cartan::reproduction {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

struct ReproduceArguments {
  std::string out = "reproduced", examples = CARTAN_EXAMPLES;
  std::vector<std::string> only;
  bool quick = false, list = false, json = false, force = false;
};

std::optional<int> read_reproduce_arguments(const Words& words, ReproduceArguments& o) {
  Arguments arguments("reproduce",
                      "Compute every table and figure of the five source documents and write one "
                      "report (report.html, results.json): what is printed, what comes out, how "
                      "they compare, where the documents are wrong or silent.",
                      "  cartan reproduce\n"
                      "  cartan reproduce --quick --only 002 --out report\n"
                      "  cartan reproduce --only 004.7.4,004.7.6");
  arguments.option("--out", "DIR", "folder of the report (reproduced)", o.out);
  declare_force(arguments, o.force);
  arguments.list("--only", "IDS", "documents or items: 002, 004.7.6; separated by commas", o.only);
  arguments.flag("--quick", "shorter runs and coarser figures: a minute instead of many", o.quick);
  arguments.flag("--list", "list the items, compute nothing", o.list);
  arguments.option("--examples", "DIR", "folder of the model files", o.examples);
  arguments.flag("--json", "print results.json", o.json);
  return arguments.parse(words);
}

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

bool is_wanted(const std::string& id, const std::vector<std::string>& only) {
  if (only.empty()) return true;
  for (const std::string& one : only)
    if (id == one || id.starts_with(one + ".")) return true;
  return false;
}

Record make_record(const Document& document, const Item& item, Workshop& workshop) {
  Record record;
  record.id = item.id;
  record.document = document.number;
  record.title = item.title;
  if (!item.make) {
    record.status = RecordStatus::missing;
    record.problem = item.missing ? item.missing : "not computed yet";
    return record;
  }
  const auto begin = Clock::now();
  workshop.begin(record);
  try {
    item.make(workshop, record);
  } catch (const std::exception& error) {
    record.status = RecordStatus::failed;
    record.problem = error.what();
  }
  record.seconds = since(begin);
  if (record.status == RecordStatus::computed && record.commands.empty())
    record.notes.push_back(
        "No command prints these numbers: they are times and counts that the program of this "
        "report takes itself, with the library behind the commands.");
  return record;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[64];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", std::gmtime(&now));
  return text;
}

std::string machine() {
  std::ifstream stream("/proc/cpuinfo");
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

int list_items(const std::vector<Document>& documents, const std::vector<std::string>& only) {
  for (const Document& document : documents)
    for (const Item& item : document.items)
      if (is_wanted(item.id, only))
        fmt::print("{:<14} {}{}\n", item.id, item.title, item.make ? "" : " (missing)");
  if (!only.empty()) return exit_done;
  fmt::print(
      "\nFigures and tables as the documents number them, and the items that compute them:\n{}",
      coverage_text(documents));
  return exit_done;
}

// The folder is ours from the start, so that a second call may take up what an interrupted one
// left.
std::unique_ptr<OutputFolder> open_folder(const ReproduceArguments& o, std::string& problem) {
  auto output = OutputFolder::open(o.out, "reproduce", replace_if(o.force), problem);
  if (!output) return nullptr;
  std::error_code ignored;
  for (const char* name : {"models", "data", "animations"})
    if (!output->holds_results() && !o.force && fs::exists(fs::path(o.out) / name, ignored)) {
      problem = fmt::format(
          "'{}/{}' exists already and is no result that was written here; choose "
          "another folder, or replace what it holds with --force",
          o.out, name);
      return nullptr;
    }
  if (!output->write("report.html", "being computed\n", problem) || !output->commit(problem))
    return nullptr;
  return output;
}

}  // namespace

int reproduce_command(const Words& words) {
  ReproduceArguments o;
  if (const std::optional<int> status = read_reproduce_arguments(words, o)) return *status;
  const std::vector<Document> documents = {document_000(), document_001(), document_002(),
                                           document_003(), document_004()};
  for (const std::string& one : o.only) {
    bool known = false;
    for (const Document& document : documents)
      for (const Item& item : document.items) known |= is_wanted(item.id, {one});
    if (!known)
      return complain(
          "reproduce",
          fmt::format("--only {}: there is no such document or item; --list lists them", one));
  }
  if (o.list) return list_items(documents, o.only);
  std::error_code failed;
  if (!fs::is_directory(o.examples, failed))
    return complain("reproduce",
                    o.examples + ": the model files are missing; --examples names their folder");
  std::string problem;
  const auto output = open_folder(o, problem);
  if (!output) return complain("reproduce", problem);

  Workshop::Settings settings;
  settings.out = fs::absolute(o.out).lexically_normal().string();
  settings.examples = fs::absolute(o.examples).lexically_normal().string();
  settings.program = (fs::path(own_program()).parent_path() / "cartan").string();
  settings.quick = o.quick;
  settings.interrupted = &watch_interrupts();
  Workshop workshop(settings);
  const auto begin = Clock::now();
  std::vector<ReproducedDocument> done;
  int broken = 0;
  for (const Document& document : documents) {
    ReproducedDocument one{&document, {}};
    for (const Item& item : document.items) {
      if (!is_wanted(item.id, o.only)) continue;
      if (workshop.interrupted()) return complain("reproduce", "interrupted", exit_failed);
      one.records.push_back(make_record(document, item, workshop));
      const Record& record = one.records.back();
      const bool bad = record.status == RecordStatus::failed;
      broken += bad;
      fmt::print(stderr, "{:<14} {:<9} {:6.1f} s  {}{}\n", record.id,
                 record.status == RecordStatus::missing ? "missing"
                 : bad                                  ? "FAILED"
                                                        : "computed",
                 record.seconds, record.title, bad ? ": " + record.problem : "");
    }
    if (!one.records.empty()) done.push_back(std::move(one));
  }
  ReportFacts facts{CARTAN_VERSION, today(), machine(), o.quick, since(begin)};
  const std::string results = report_json(done, facts);
  if (!output->append("report.html", report_page(done, facts), problem) ||
      !output->append("results.json", results, problem))
    return complain("reproduce", problem, exit_failed);
  fmt::print("{}", o.json ? results : settings.out + "/report.html\n");
  return broken > 0 ? exit_failed : exit_done;
}

}  // namespace cartan::reproduction
