// Runs the command as a user types it.
#pragma once

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace cartan::test {

// The path of a model of examples/.
std::string example(const std::string& name);

bool contains(const std::string& text, const std::string& part);

struct CommandResult {
  int status = -1;  // exit status; -signal when a signal ended it
  std::string out, err;
};

// cartan WORDS...
CommandResult run_cartan(const std::vector<std::string>& words);

// A command that runs beside the test; ended, if need be, with this object.
class RunningCommand {
 public:
  explicit RunningCommand(const std::vector<std::string>& words);
  ~RunningCommand();
  RunningCommand(const RunningCommand&) = delete;
  RunningCommand& operator=(const RunningCommand&) = delete;
  void send(int signal) const;
  CommandResult wait();

 private:
  int process_ = -1;
  int out_ = -1, err_ = -1;
};

// A folder of its own for each test, removed at the end.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& content) const;  // its path
  std::string write_template(const std::vector<std::string>& words) const;       // `new`, its path

 private:
  std::filesystem::path folder_;
};

std::string read_file(const std::string& path);
// Names in a folder, sorted; hidden ones too.
std::vector<std::string> list_folder(const std::string& path);

// Asserts that stdout is exactly one JSON object and the exit status `status`.
nlohmann::json expect_json(const CommandResult& result, int status = 0);
// Asserts exit status 2, nothing on stdout, and a message that contains `text`.
void expect_refusal(const CommandResult& result, const std::string& text);

// The numbers of a CSV file (text counts as zero).
struct Table {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
  std::vector<double> operator[](const std::string& name) const;  // a column
};
Table read_table(const std::string& path);

// Its last line.
struct LastRow {
  std::vector<std::string> names;
  std::vector<double> values;
  double operator[](const std::string& name) const;
};
LastRow last_row(const std::string& path);

}  // namespace cartan::test
