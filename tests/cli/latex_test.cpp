// LaTeX of `equations` and `generate` of the examples, compiled: one document with all of them,
// because TeX starts slowly.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

#include "cli/closed_models.h"
#include "core/child_process.h"

namespace cartan::test {
namespace {

namespace fs = std::filesystem;

// Pages and pages, which take seconds: of these only the smallest of each kind is read.
const std::set<std::string> large = {
    "benchmark_bicycle",   "bricard",          "coiled_drop",
    "four_link",           "humanoid",         "ladder",
    "revolute_chain_5",    "revolute_chain_6", "scissor",
    "sixteen_link",        "sixtyfour_link",   "spherical_three_bar",
    "spring_damper_chain", "stewart",          "torsion_euler",
    "torsion_literal"};

// Equations with impacts are not written out.
bool touches(const fs::path& file) {
  std::ifstream stream(file);
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  for (const char* word : {"[[contact]]", "[[contacts]]", "\nstop = ", "\nset = {"})
    if (text.find(word) != std::string::npos) return true;
  return false;
}

std::vector<std::string> small_examples() {
  std::vector<std::string> names;
  for (const auto& file : fs::directory_iterator(std::string(CARTAN_ROOT) + "/examples"))
    if (file.path().extension() == ".toml" && !large.count(file.path().stem().string()) &&
        !touches(file.path()))
      names.push_back(file.path().stem().string());
  return names;
}

const std::string begin_document = "\\begin{document}\n", end_document = "\\end{document}\n";

// Documents one after the other in one, with the head of the first.
struct Collection {
  std::string text;
  int documents = 0;

  void add(const std::string& document, const std::string& name) {
    const std::size_t begin = document.find(begin_document), end = document.rfind(end_document);
    ASSERT_TRUE(begin != std::string::npos && end != std::string::npos) << name;
    if (text.empty()) text = document.substr(0, begin + begin_document.size());
    text += "\\message{at " + name + "}\n";
    text += document.substr(begin + begin_document.size(), end - begin - begin_document.size());
    text += "\\newpage\n";
    ++documents;
  }
  // The log of the compiler.
  std::string compile(const Scratch& scratch) const {
    std::ofstream(scratch.path("all.tex")) << text << end_document;
    const ChildResult result =
        run_child({"pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-output-directory",
                   scratch.path(""), scratch.path("all.tex")});
    const std::string log = result.output();
    EXPECT_EQ(result.status, 0) << log.substr(log.size() > 2000 ? log.size() - 2000 : 0);
    EXPECT_TRUE(fs::exists(scratch.path("all.pdf")));
    return log;
  }
};

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

bool no_tex() {
  return !run_child({"pdflatex", "--version"}).started;
}

TEST(Latex, EquationsOfTheExamplesCompile) {
  if (no_tex()) GTEST_SKIP() << "no TeX here (Debian package texlive-latex-base)";
  const Scratch scratch;
  Collection all;
  for (const std::string& name : small_examples()) {
    const CommandResult result = run_cartan({"equations", example_path(name), "--format", "latex"});
    if (result.status == 2 && result.err.find("bearings") != std::string::npos) continue;
    ASSERT_EQ(result.status, 0) << name << result.err;
    all.add(result.out, name);
  }
  for (const char* name : {"planar_double_pendulum", "constructed_pendulum", "four_bar", "sleigh"})
    for (const char* form : {"lagrange", "canonical", "moving-frame"}) {
      const CommandResult result = run_cartan(
          {"equations", example_path(name), "--form", form, "--format", "latex", "--show", "all"});
      if (result.status == 0) all.add(result.out, name);
    }
  EXPECT_GE(all.documents, 45);
  const std::string log = all.compile(scratch);
  // formulas that run over the margin: roots and fractions, which cannot be broken
  EXPECT_LE(count(log, "Overfull \\hbox"), 6) << log;
}

TEST(Latex, GeneratedDocumentsCompile) {
  if (no_tex()) GTEST_SKIP() << "no TeX here (Debian package texlive-latex-base)";
  const Scratch scratch;
  Collection all;
  for (const std::string& name : small_examples()) {
    const CommandResult result = run_cartan(
        {"generate", example_path(name), "--language", "latex", "--out", scratch.path(name)});
    ASSERT_EQ(result.status, 0) << name << result.err;
    for (const auto& file : fs::directory_iterator(scratch.path(name))) {
      if (file.path().extension() != ".tex") continue;  // the manifest
      std::ifstream stream(file.path());
      all.add({std::istreambuf_iterator<char>(stream), {}}, name);
    }
  }
  EXPECT_GE(all.documents, 40);
  all.compile(scratch);
}

}  // namespace
}  // namespace cartan::test
