// Every list of names in the documents and in --help against the tables in the code: formulations,
// integrators, types of joints, forces and constraints, functions, commands, options.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "cli/command_line.h"
#include "cli/model_names.h"
#include "expr/functions.h"
#include "formulations/formulations.h"
#include "integrate/integrator.h"
#include "model/model.h"

namespace cartan::test {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

struct NameTable {
  std::string what;
  Names names;
};

// What generated Python defines, for a model that has everything there is.
Names generated_functions() {
  const Scratch scratch;
  const std::string out = scratch.path("code");
  const std::string model = scratch.write(
      "all.toml",
      "name = \"all\"\n[[body]]\nname = \"b\"\nmass = 1\ninertia = [1, 1, 1]\n"
      "[[joint]]\nname = \"j\"\ntype = \"revolute\"\naxis = [0, 1, 0]\n"
      "parent = { body = \"world\" }\nchild = { body = \"b\", at = [0, 0, 1] }\n"
      "[[force]]\ntype = \"torsion\"\njoint = \"j\"\nstiffness = 1\ndamping = 0.1\n"
      "[[event]]\nname = \"e\"\nwhen = \"j.q\"\n[[output]]\nname = \"o\"\nvalue = \"j.q\"\n");
  EXPECT_EQ(run_cartan({"generate", model, "--language", "python", "--out", out, "--name", "unit"})
                .status,
            0);
  Names names;
  const std::string text = read_file(out + "/unit.py");
  const std::regex form("\ndef ([a-z][a-z_]*)\\(");
  for (std::sregex_iterator at(text.begin(), text.end(), form), end; at != end; ++at)
    names.insert((*at)[1]);
  names.erase("check");
  return names;
}

std::vector<NameTable> name_tables() {
  std::vector<NameTable> tables(2);
  tables[0].what = "formulations";
  for (const FormulationInfo& row : formulation_table()) tables[0].names.insert(row.name);
  tables[1].what = "integrators";
  for (const IntegratorInfo& row : integrator_table()) tables[1].names.insert(row.name);
  NameTable joints{"types of joints", {}}, functions{"functions of expressions", {}};
  for (int k = 0; k < joint_type_count; ++k)
    joints.names.insert(info(static_cast<JointType>(k)).name);
  for (const FunctionRow& row : all_functions()) functions.names.insert(std::string(row.name));
  for (const FunctionRow& row : composed_functions()) functions.names.insert(std::string(row.name));
  functions.names.insert({"angle", "distance"});
  const auto add = [&](const char* what, const Names& names) { tables.push_back({what, names}); };
  add("types of forces", model_file_forces());
  add("types of constraints", model_file_constraints());
  add("measures of torsion", model_file_measures());
  add("tables of --record", {"reactions", "multipliers", "constraints", "power", "forces"});
  add("ways to keep constraints", {"projection", "none", "baumgarte"});
  add("languages of generated code", {"c", "c++", "python", "octave", "cuda", "latex"});
  tables.push_back(std::move(joints));
  tables.push_back(std::move(functions));
  tables.push_back({"functions of generated code", generated_functions()});
  return tables;
}

struct WordList {
  std::string where;
  Names words;
};

// `gl1` to `gl8`
void add_range(const std::string& from, const std::string& to, Names& words) {
  if (from.size() != to.size() || from.substr(0, from.size() - 1) != to.substr(0, to.size() - 1))
    return;
  for (char digit = from.back(); digit <= to.back(); ++digit)
    words.insert(from.substr(0, from.size() - 1) + digit);
}

void split(const std::string& text, const std::string& marks, Names& words) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find_first_of(marks, begin), text.size());
    if (end > begin) words.insert(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

// The first column of every table.
void add_columns(const std::string& file, const std::string& text, std::vector<WordList>& lists) {
  std::istringstream in(text);
  WordList column;
  const std::regex row("^\\| `([^`]*)` \\|.*");
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    std::smatch found;
    if (std::regex_match(line, found, row)) {
      column.where = file + ":" + std::to_string(number);
      column.words.insert(found[1]);
    } else if (!line.starts_with("|")) {
      if (!column.words.empty()) lists.push_back(std::move(column));
      column = {};
    }
  }
}

// Words in backticks that follow one another: `a`, `b` (why) or `c`; several in one pair: `a b c`.
void add_runs(const std::string& file, const std::string& text, std::vector<WordList>& lists) {
  const std::regex between("\\s*(,|;|or|and|, or|, and|to)\\s*");
  WordList now;
  std::string last;
  std::size_t end = 0;
  for (std::size_t open = text.find('`'); open != std::string::npos; open = text.find('`', end)) {
    const std::size_t close = text.find('`', open + 1);
    if (close == std::string::npos) break;
    const std::string word = text.substr(open + 1, close - open - 1);
    const std::string gap = text.substr(end, open - end);
    if (gap.size() > 200 || !std::regex_match(gap, between)) {
      if (now.words.size() > 1) lists.push_back(std::move(now));
      now = {};
    } else if (gap.find(" to ") != std::string::npos) {
      add_range(last, word, now.words);
    }
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(open), '\n');
    now.where = file + ":" + std::to_string(line);
    split(word, " \n|\"", now.words);
    last = word;
    end = close + 1;
  }
  if (now.words.size() > 1) lists.push_back(std::move(now));
}

// Without what stands in parentheses; lines keep their numbers.
std::string without_asides(const std::string& text) {
  std::string result;
  int depth = 0;
  for (const char c : text) {
    if (c == '(') ++depth;
    if (depth == 0 || c == '\n') result += c;
    if (c == ')' && depth > 0) --depth;
    if (c == '\n' && result.ends_with("\n\n")) depth = 0;  // an open one ends with its paragraph
  }
  return result;
}

std::vector<WordList> lists_in_document(const std::string& file) {
  const std::string text = read_file(file);
  std::vector<WordList> lists;
  add_columns(file, text, lists);
  add_runs(file, text, lists);
  add_runs(file, without_asides(text), lists);
  return lists;
}

std::vector<WordList> lists_in_help(const std::string& command, std::string text) {
  text = std::regex_replace(text, std::regex("\\s+"), " ");
  std::vector<WordList> lists;
  const std::regex run(
      "[a-z0-9+][a-z0-9+-]*( \\([^()]*\\))?((, | or |, or | and |\\||,)[a-z0-9+][a-z0-9+-]*( "
      "\\([^()]*\\))?)+");
  for (std::sregex_iterator at(text.begin(), text.end(), run), end; at != end; ++at) {
    WordList list{"cartan " + command + " --help", {}};
    const std::string plain = std::regex_replace(at->str(), std::regex(" \\([^()]*\\)"), "");
    split(std::regex_replace(plain, std::regex(" or | and "), ","), ", |", list.words);
    lists.push_back(std::move(list));
  }
  return lists;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  const std::string help = run_cartan({"--help"}).out;
  const std::regex row("\n  ([a-z]+) +[^ ]");
  const std::string commands = help.substr(help.find("Commands:"));
  for (std::sregex_iterator at(commands.begin(), commands.end(), row), end; at != end; ++at)
    names.push_back((*at)[1]);
  names.erase(std::remove(names.begin(), names.end(), "cartan"), names.end());
  return names;
}

std::string joined(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += " " + name;
  return text;
}

// A list that has nearly all names of a table is meant to have all.
void expect_complete(const std::vector<WordList>& lists, const std::vector<NameTable>& tables,
                     std::set<std::string>& met) {
  for (const WordList& list : lists)
    for (const NameTable& table : tables) {
      Names missing;
      std::set_difference(table.names.begin(), table.names.end(), list.words.begin(),
                          list.words.end(), std::inserter(missing, missing.end()));
      const std::size_t slack = table.names.size() >= 12 ? 3 : table.names.size() >= 5 ? 1 : 0;
      if (missing.size() > slack) continue;
      met.insert(table.what);
      EXPECT_TRUE(missing.empty())
          << list.where << ": the list of " << table.what << " lacks" << joined(missing);
    }
}

TEST(Names, EveryListInDocumentsAndHelpsIsComplete) {
  const std::vector<NameTable> tables = name_tables();
  std::set<std::string> met;
  std::vector<std::string> documents = {std::string(CARTAN_ROOT) + "/README.md"};
  for (const auto& entry : fs::directory_iterator(CARTAN_ROOT "/docs"))
    if (entry.path().extension() == ".md") documents.push_back(entry.path().string());
  for (const std::string& file : documents) expect_complete(lists_in_document(file), tables, met);
  for (const std::string& command : command_names())
    expect_complete(lists_in_help(command, run_cartan({command, "--help"}).out), tables, met);
  // the documents have a list of each
  for (const NameTable& table : tables) EXPECT_TRUE(met.count(table.what)) << table.what;
}

TEST(Names, FileFormatAndMethodsHaveOneList) {
  const std::vector<NameTable> tables = name_tables();
  EXPECT_EQ(tables[0].names, model_file_formulations());
  EXPECT_EQ(tables[1].names, model_file_integrators());
}

// In the help of `run` (and of all that take one) every formulation and every default.
TEST(Names, HelpsListFormulationsAndDefaults) {
  for (const char* command : {"run", "eval", "inverse", "fit", "orbit", "lyapunov", "compare"}) {
    const std::string help =
        std::regex_replace(run_cartan({command, "--help"}).out, std::regex("\\s+"), " ");
    for (const FormulationInfo& row : formulation_table())
      EXPECT_NE(help.find(row.name), std::string::npos) << command << " --help: " << row.name;
  }
  const std::string help =
      std::regex_replace(run_cartan({"run", "--help"}).out, std::regex("\\s+"), " ");
  for (const char* part :
       {"(default: the file's, else recursive)", "(default: the file's, else gl3)",
        "(default: the file's, else 0.01)", "(default: the file's, else 10)",
        "(default: the file's, else the method's)", "(default: projection)",
        "(default: the file's, else 1)", "(default: 0.9)"})
    EXPECT_NE(help.find(part), std::string::npos) << part;
}

Names options_in(const std::string& text, const char* before) {
  Names options;
  const std::regex form(std::string(before) + "(--[a-z][a-z-]*)");
  for (std::sregex_iterator at(text.begin(), text.end(), form), end; at != end; ++at)
    options.insert((*at)[1]);
  return options;
}

// A section of commands.md for every command, and in it every option its help has.
TEST(Names, CommandsAndTheirOptionsAreDocumented) {
  const std::string text = "\n" + read_file(CARTAN_ROOT "/docs/commands.md");
  std::vector<std::string> sections;
  const std::regex heading("\n## ([a-z]+)\n");
  for (std::sregex_iterator at(text.begin(), text.end(), heading), end; at != end; ++at)
    sections.push_back((*at)[1]);
  std::vector<std::string> commands = command_names();
  ASSERT_GT(commands.size(), 10u);
  const std::string common = text.substr(0, text.find("\n## "));
  for (const std::string& command : commands) {
    const std::size_t begin = text.find("\n## " + command + "\n");
    ASSERT_NE(begin, std::string::npos) << command << ": no section in docs/commands.md";
    const std::string section = text.substr(begin, text.find("\n## ", begin + 1) - begin);
    const Names documented = options_in(section + common, "[^a-z-]");
    const Names known = options_in(run_cartan({command, "--help"}).out, "\n  ");
    EXPECT_FALSE(known.empty()) << command;
    for (const std::string& option : known)
      EXPECT_TRUE(documented.count(option)) << command << ": docs/commands.md lacks " << option;
  }
  std::sort(sections.begin(), sections.end());
  std::sort(commands.begin(), commands.end());
  EXPECT_EQ(sections, commands);
}

// The table that the guide shows has the columns that `compare` prints.
TEST(Names, TheGuideShowsTheTableOfCompare) {
  const std::string out =
      run_cartan({"compare", std::string(CARTAN_ROOT) + "/examples/double_pendulum.toml",
                  "--formulations", "recursive", "--integrators", "rk4", "--steps", "0.1",
                  "--duration", "0.2"})
          .out;
  const auto plain = [](const std::string& line) {
    return std::regex_replace(line, std::regex("\\s+"), " ");
  };
  const std::string header = plain(out.substr(0, out.find('\n')));
  EXPECT_TRUE(header.starts_with("formulation integrator step"));
  const std::string guide = plain(read_file(CARTAN_ROOT "/docs/guide.md"));
  EXPECT_NE(guide.find(header), std::string::npos) << header;
}

// A count of the examples, where one is told, is right.
TEST(Names, ExamplesAreCounted) {
  long count = 0;
  for (const auto& entry : fs::directory_iterator(CARTAN_ROOT "/examples"))
    count += entry.path().extension() == ".toml";
  std::vector<std::string> files = {CARTAN_ROOT "/README.md", CARTAN_ROOT "/CHANGELOG.md"};
  for (const auto& entry : fs::directory_iterator(CARTAN_ROOT "/docs"))
    if (entry.path().extension() == ".md") files.push_back(entry.path().string());
  const std::regex form("([0-9]+) examples");
  for (const std::string& file : files) {
    const std::string text = read_file(file);
    for (std::sregex_iterator at(text.begin(), text.end(), form), end; at != end; ++at)
      EXPECT_EQ(std::stol((*at)[1]), count) << file << ": " << at->str();
  }
}

// A key of a model file stands once in the table of its section.
TEST(Names, NoKeyIsExplainedTwice) {
  std::ifstream in(CARTAN_ROOT "/docs/model-file.md");
  Names seen;
  const std::regex row("^\\| (`[^`]*`) \\|.*");
  for (std::string line; std::getline(in, line);) {
    std::smatch found;
    if (!line.starts_with("|")) seen.clear();
    if (std::regex_match(line, found, row))
      EXPECT_TRUE(seen.insert(found[1]).second) << "docs/model-file.md: " << found[1] << " twice";
  }
}

}  // namespace
}  // namespace cartan::test
