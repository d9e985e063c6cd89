// Where the items of a reproduction do their work: they run the commands a user would type, each as
// a process of its own, and read what these write. So every figure of the report can be had by
// hand, and a crash harms one item only.
#pragma once

#include <atomic>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/child_process.h"
#include "report/result_table.h"
#include "reproduction/record.h"

namespace cartan::reproduction {

using Json = nlohmann::ordered_json;

// Ends an item; its record carries the sentence.
struct ItemFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Workshop {
 public:
  struct Settings {
    std::string out;       // folder of the report
    std::string examples;  // folder of the model files
    std::string program;   // this program
    bool quick = false;
    const std::atomic<bool>* interrupted = nullptr;
  };

  explicit Workshop(Settings settings) : settings_(std::move(settings)) {}

  bool quick() const { return settings_.quick; }
  const std::string& out() const { return settings_.out; }
  bool interrupted() const { return settings_.interrupted && *settings_.interrupted; }
  // `full`, or `quick` in quick mode.
  double choose(double full, double quick) const { return settings_.quick ? quick : full; }

  // From now on commands and models are noted in this record.
  void begin(Record& record) { record_ = &record; }

  // The path of a model file of examples/, which is copied beside the report.
  std::string model(const std::string& name);
  // A model file made for the occasion, kept beside the report.
  std::string write_model(const std::string& name, const std::string& text);
  // A file in the data folder.
  std::string write_data(const std::string& name, const std::string& text);
  std::string data(const std::string& name) const;

  // cartan WORDS...; fails with what the command said when its exit status is not 0 (or 1, if
  // `may_fail`). The same words a second time: what the first time gave.
  std::string command(const std::vector<std::string>& words, bool may_fail = false);
  // With --json at the end.
  Json json(std::vector<std::string> words, bool may_fail = false);

  // `run` into a folder of its own, named by its words.
  struct Run {
    std::string folder;
    Json summary;
    ResultTable table(const std::string& file = "trajectory.csv") const;
  };
  Run run(const std::vector<std::string>& words);
  // The most memory a command of these words had at once, in megabytes.
  double memory(const std::vector<std::string>& words);
  // Any command that writes a folder with --out; the folder.
  std::string folder_of(const std::vector<std::string>& words);

  // A page of the viewer with a run in it, beside the report; without the viewer's page a note in
  // the record.
  void add_animation(const Run& run, const std::string& name, const std::string& words);

 private:
  ChildResult call(const std::vector<std::string>& words, bool may_fail) const;
  std::string shown(const std::vector<std::string>& words) const;

  Settings settings_;
  Record* record_ = nullptr;
  std::map<std::string, std::string> answers_;  // by words
  int folders_ = 0;
  std::map<std::string, std::string> folder_names_;
};

// Columns of a table as doubles; fails when there is none.
const std::vector<double>& column(const ResultTable& table, const std::string& name);

// "1.9e-13"
std::string few_digits(double value, int digits = 2);

}  // namespace cartan::reproduction
