#include "cli/command_line.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

extern char** environ;

namespace cartan::test {
namespace fs = std::filesystem;
namespace {

// Reads both pipes until they end, whichever has something first.
void drain(int out, int err, CommandResult& result) {
  pollfd pipes[2] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
  std::string* texts[2] = {&result.out, &result.err};
  char block[1 << 14];
  for (int open = 2; open > 0;) {
    poll(pipes, 2, -1);
    for (int k = 0; k < 2; ++k) {
      if (pipes[k].fd < 0 || pipes[k].revents == 0) continue;
      const ssize_t count = read(pipes[k].fd, block, sizeof block);
      if (count > 0) {
        texts[k]->append(block, static_cast<std::size_t>(count));
      } else {
        pipes[k].fd = -1;
        --open;
      }
    }
  }
}

}  // namespace

RunningCommand::RunningCommand(const std::vector<std::string>& words) {
  int out[2], err[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) std::abort();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
  std::vector<char*> arguments = {const_cast<char*>(CARTAN_COMMAND)};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  // A shell hands an ignored Ctrl-C to what it starts in the background; who types it does not.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGINT);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  if (posix_spawn(&process_, CARTAN_COMMAND, &actions, &attributes, arguments.data(), environ) != 0)
    process_ = -1;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(out[1]);
  close(err[1]);
  out_ = out[0];
  err_ = err[0];
}

RunningCommand::~RunningCommand() {
  if (process_ > 0) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  close(out_);
  close(err_);
}

void RunningCommand::send(int signal) const {
  if (process_ > 0) kill(process_, signal);
}

CommandResult RunningCommand::wait() {
  CommandResult result;
  drain(out_, err_, result);
  int status = 0;
  if (process_ > 0 && waitpid(process_, &status, 0) == process_)
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  process_ = -1;
  return result;
}

std::string example(const std::string& name) {
  return std::string(CARTAN_ROOT) + "/examples/" + name + ".toml";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

CommandResult run_cartan(const std::vector<std::string>& words) {
  return RunningCommand(words).wait();
}

Scratch::Scratch() {
  std::string pattern = (fs::temp_directory_path() / "cartan-test-XXXXXX").string();
  if (!mkdtemp(pattern.data())) std::abort();
  folder_ = pattern;
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::string Scratch::write(const std::string& name, const std::string& content) const {
  std::ofstream(path(name), std::ios::binary) << content;
  return path(name);
}

std::string Scratch::write_template(const std::vector<std::string>& words) const {
  std::vector<std::string> all = {"new"};
  all.insert(all.end(), words.begin(), words.end());
  const CommandResult result = run_cartan(all);
  EXPECT_EQ(result.status, 0) << result.err;
  return write(words[0] + ".toml", result.out);
}

std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> list_folder(const std::string& path) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(path, ignored))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

nlohmann::json expect_json(const CommandResult& result, int status) {
  EXPECT_EQ(result.status, status) << result.err;
  nlohmann::json json = nlohmann::json::parse(result.out, nullptr, false);
  EXPECT_TRUE(json.is_object()) << "stdout is not one JSON object: " << result.out.substr(0, 300);
  return json;
}

void expect_refusal(const CommandResult& result, const std::string& text) {
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find(text), std::string::npos) << "the message is: " << result.err;
  EXPECT_EQ(result.err.find("internal error"), std::string::npos) << result.err;
}

namespace {

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells;
  std::string cell;
  for (std::istringstream stream(line); std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

// Index of a column; 0 after a failure.
std::size_t find_column(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return found - names.begin();
  ADD_FAILURE() << "there is no column " << name;
  return 0;
}

}  // namespace

std::vector<double> Table::operator[](const std::string& name) const {
  const std::size_t k = find_column(names, name);
  std::vector<double> column;
  for (const std::vector<double>& row : rows) column.push_back(row[k]);
  return column;
}

Table read_table(const std::string& path) {
  Table table;
  std::ifstream stream(path);
  std::string line;
  std::getline(stream, line);
  table.names = split(line);
  while (std::getline(stream, line)) {
    std::vector<double> row;
    for (const std::string& cell : split(line)) row.push_back(std::strtod(cell.c_str(), nullptr));
    EXPECT_EQ(row.size(), table.names.size()) << path;
    row.resize(table.names.size());
    table.rows.push_back(std::move(row));
  }
  EXPECT_FALSE(table.rows.empty()) << path;
  return table;
}

double LastRow::operator[](const std::string& name) const {
  return values[find_column(names, name)];
}

LastRow last_row(const std::string& path) {
  const Table table = read_table(path);
  if (table.rows.empty()) return {table.names, std::vector<double>(table.names.size())};
  return {table.names, table.rows.back()};
}

}  // namespace cartan::test
