// reproduce, mostly in quick mode: every item is computed or honestly missing, and the report says
// so.
#include <map>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

using nlohmann::json;

// One document: no item fails, figures have captions, verdicts that must not change do not.
json reproduce(const Scratch& scratch, const std::string& document, bool quick = true) {
  const std::string out = scratch.path("report");
  std::vector<std::string> words = {"reproduce", "--only", document, "--out", out, "--json"};
  if (quick) words.push_back("--quick");
  const CommandResult result = run_cartan(words);
  const json results = expect_json(result);
  const std::string page = read_file(out + "/report.html");
  for (const auto& item : results["items"]) {
    const std::string id = item["id"];
    EXPECT_NE(item["status"], "failed") << id << ": " << item["problem"];
    EXPECT_TRUE(contains(page, "id=\"item-" + id + "\"")) << id;
    if (item["status"] != "computed") continue;
    EXPECT_FALSE(item["rows"].empty()) << id;
    EXPECT_GT(item["commands"].get<int>(), 0) << id;  // a reader can type what was done
    for (const auto& row : item["rows"]) {
      EXPECT_FALSE(contains(row["computed"], "nan")) << id << ": " << row["quantity"];
      EXPECT_NE(row["computed"], "") << id;
      if (row["verdict"] == "differs") {  // never without an argument
        EXPECT_NE(row["remark"], "") << id << ": " << row["quantity"];
      }
    }
  }
  EXPECT_FALSE(contains(page, "src=\"http"));
  EXPECT_FALSE(contains(page, "<figcaption></figcaption>"));
  return results;
}

int count(const json& results, const std::string& status) {
  int n = 0;
  for (const auto& item : results["items"]) n += item["status"] == status;
  return n;
}

std::string verdict(const json& results, const std::string& id, const std::string& quantity) {
  for (const auto& item : results["items"])
    if (item["id"] == id)
      for (const auto& row : item["rows"])
        if (contains(row["quantity"], quantity)) return row["verdict"];
  return "no such row";
}

// "the fit finds it again to 0.7 standard errors": that number, or -1.
double recovery(const json& results, const std::string& id, const std::string& quantity) {
  for (const auto& item : results["items"])
    if (item["id"] == id)
      for (const auto& row : item["rows"]) {
        const std::string remark = row["remark"];
        const std::size_t at = remark.find("again to ");
        if (contains(row["quantity"], quantity) && at != std::string::npos)
          return std::stod(remark.substr(at + 9));
      }
  return -1;
}

// Every figure and table of the documents with computed content has an item that names it, and the
// list names nothing that the documents do not have.
TEST(Reproduce, ListCoversTheDocuments) {
  const CommandResult listed = run_cartan({"reproduce", "--list"});
  ASSERT_EQ(listed.status, 0) << listed.err;
  std::map<std::string, bool> found;  // "000 figure 3.1"
  std::istringstream lines(listed.out);
  const auto is_number = [](std::string word) {
    if (!word.empty() && (word.back() == ':' || word.back() == ',')) word.pop_back();
    return !word.empty() && word.find_first_not_of("0123456789.") == std::string::npos ? word : "";
  };
  std::map<std::string, std::string> covered;  // "000 figure 3.1": what the list says of it
  bool items = true;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_FALSE(contains(line, "missing")) << line;
    if (line.empty() || line.starts_with("Figures and tables")) {
      items = false;
      continue;
    }
    if (!items) {
      std::istringstream words(line);
      std::string document, kind, number, rest;
      words >> document >> kind >> number >> std::ws;
      std::getline(words, rest);
      covered[document + " " + kind + " " + number] = rest;
      continue;
    }
    std::istringstream words(line);
    std::string id, kind, number;
    words >> id;
    while (words >> kind)
      if (kind == "figure" || kind == "table") {
        words >> number;
        if (const std::string n = is_number(number); !n.empty())
          found[id.substr(0, 3) + " " + kind + " " + n] = false;
      }
  }
  std::istringstream list(read_file(std::string(CARTAN_ROOT) + "/reproduction/coverage.txt"));
  int computed = 0;
  for (std::string line; std::getline(list, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string document, kind, number, how;
    words >> document >> kind >> number >> how;
    const std::string name = document + " " + kind + " " + number;
    ASSERT_TRUE(covered.count(name)) << name;
    EXPECT_EQ(covered[name].starts_with(document + "."), how == "computed") << covered[name];
    if (how == "computed") {
      EXPECT_TRUE(found.count(name)) << name << " has no item";
      ++computed;
    } else if (how == "missing:") {
      EXPECT_FALSE(found.count(name)) << name << " is not missing any more";
    }
    found[name] = true;
  }
  for (const auto& [name, listed_there] : found)
    EXPECT_TRUE(listed_there) << name << " is not in reproduction/coverage.txt";
  EXPECT_EQ(computed, 89);
}

TEST(Reproduce, Document000) {
  const Scratch scratch;
  const json results = reproduce(scratch, "000");
  EXPECT_EQ(count(results, "computed"), 16);
  EXPECT_EQ(verdict(results, "000.A.2", "entries of B"), "agrees");
  EXPECT_EQ(verdict(results, "000.3.1", "size of B"), "agrees");
  EXPECT_EQ(verdict(results, "000.3.5", "body 2"), "agrees");
  EXPECT_EQ(verdict(results, "000.top", "momentum"), "agrees");
  EXPECT_TRUE(std::filesystem::exists(scratch.path("report/models/four_link.toml")));
}

TEST(Reproduce, Document001) {
  const Scratch scratch;
  const json results = reproduce(scratch, "001");
  EXPECT_EQ(count(results, "computed"), 8);
  EXPECT_EQ(verdict(results, "001.2", "angles"), "agrees");
  EXPECT_EQ(verdict(results, "001.claims", "eigenvalues"), "differs");
}

TEST(Reproduce, Document002) {
  const Scratch scratch;
  const json results = reproduce(scratch, "002");
  EXPECT_EQ(count(results, "computed"), 12);
  EXPECT_EQ(verdict(results, "002.3", "initial kinetic energy"), "agrees");
  EXPECT_EQ(verdict(results, "002.12", "SE(3)"), "agrees");
}

TEST(Reproduce, Document003) {
  const Scratch scratch;
  const json results = reproduce(scratch, "003");
  EXPECT_EQ(count(results, "computed"), 43);
  for (const char* model : {"2.1, pendulum", "constructed pendulum", "rotated double pendulum"})
    EXPECT_EQ(verdict(results, "003.C.2", model), "agrees") << model;
  // data made here: an own check, and the constants behind them are found again
  for (const char* id : {"003.21", "003.27"}) {
    const double errors = recovery(results, id, "C10");
    EXPECT_GE(errors, 0) << id;
    EXPECT_LT(errors, 3) << id;
  }
}

// In full the fit ends where one turning point more would be lost.
TEST(Reproduce, ConstantFrictionInFull) {
  const Scratch scratch;
  EXPECT_EQ(count(reproduce(scratch, "003.16", false), "computed"), 1);
}

TEST(LongReproduce, EverythingInFull) {
  const Scratch scratch;
  const json results = reproduce(scratch, "000,001,002,003,004", false);
  EXPECT_EQ(count(results, "computed"), 102);
}

TEST(Reproduce, Document004) {
  const Scratch scratch;
  const json results = reproduce(scratch, "004");
  EXPECT_EQ(count(results, "computed") + count(results, "missing"), 23);
  EXPECT_EQ(verdict(results, "004.3.3", "mass matrix"), "agrees");
  EXPECT_EQ(verdict(results, "004.6.1", "shared"), "agrees");
  EXPECT_EQ(verdict(results, "004.trail", "grows with the speed"), "agrees");
  for (const auto& [id, quantity] :
       std::map<std::string, std::string>{{"004.6.6", "eigenvalues"},
                                          {"004.6.8", "period"},
                                          {"004.7.1", "q1"},
                                          {"004.frequencies", "in the plane"},
                                          {"004.7.4", "capsize"},
                                          {"004.7.5", "stable up to"},
                                          {"004.7.6", "first saddle-node"},
                                          {"004.trail", "vanishes"},
                                          {"004.wheels", "stable from"}})
    EXPECT_EQ(verdict(results, id, quantity), "agrees") << id;
}

TEST(Reproduce, OptionsAndFailures) {
  const Scratch scratch;
  expect_refusal(run_cartan({"reproduce", "--only", "005"}), "no such document or item");
  expect_refusal(run_cartan({"reproduce", "--examples", scratch.path("none")}),
                 "model files are missing");
  const CommandResult list = run_cartan({"reproduce", "--list", "--only", "002"});
  EXPECT_EQ(list.status, 0);
  EXPECT_TRUE(contains(list.out, "002.15"));
  EXPECT_FALSE(contains(list.out, "000.3.1"));
  // An item whose model is missing fails, the report is still written and says so.
  std::filesystem::create_directories(scratch.path("empty"));
  const std::string out = scratch.path("report");
  const CommandResult broken = run_cartan({"reproduce", "--quick", "--only", "002.2", "--examples",
                                           scratch.path("empty"), "--out", out});
  EXPECT_EQ(broken.status, 1);
  EXPECT_TRUE(contains(read_file(out + "/report.html"), "no such model file"));
}

}  // namespace
}  // namespace cartan::test
