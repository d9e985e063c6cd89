// Source 004, figure 6.1 and the operation counts of sections 6.2.3, 6.2.4, 6.5.4 and 6.7.5.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "reproduction/source004.h"
#include "reproduction/workshop.h"

namespace cartan::reproduction {
namespace {

const char* const small_system = R"toml(# Lennartsson, figure 6.1: eqspr2, translated into C.
name = "eqspr2"
[parameters]
k = 1
[variables]
u1 = { initial = 0.1, rate = "sin(q1)*cos(q2)*u1^2 - k*cos(q4)" }
u2 = { initial = 0.2, rate = "sin(q3)*sin(q2)*cos(q4)*u4*u3 - k*cos(q3)" }
u3 = { initial = 0.3, rate = "sin(q3)*sin(q2)*cos(q1)*u1*u2 - k*cos(q1)" }
u4 = { initial = 0.4, rate = "sin(q1)*sin(q2)*cos(q3)*u1^2 - k*cos(q2)" }
q1 = { initial = 0.5, rate = "u1" }
q2 = { initial = 0.6, rate = "u2" }
q3 = { initial = 0.7, rate = "u3" }
q4 = { initial = 0.8, rate = "u4" }
)toml";

const char* const two_equations = R"toml(# Lennartsson, equations (6.2) and (6.3).
name = "two equations"
[parameters]
mu = 0.3
[variables]
x1 = { initial = 0.4, rate = "-x1*x2*sin(x2)*mu + sin(x1)*cos(x2)" }
x2 = { initial = 0.7, rate = "-sin(x2)*x1*x2*cos(x2) - x2" }
)toml";

struct Counts {
  int additions = 0, multiplications = 0, divisions = 0, functions = 0;
  double written_out = 0;
  int total() const { return additions + multiplications + divisions + functions; }
  std::string text() const {
    std::string result =
        fmt::format("{} additions, {} multiplications", additions, multiplications);
    if (divisions > 0) result += fmt::format(", {} divisions", divisions);
    return result + fmt::format(", {} functions", functions);
  }
};

Counts counts_of(Workshop& shop, const std::string& model) {
  const Json made =
      shop.json({"generate", model, "--language", "c", "--out", shop.data("counted"), "--force"});
  const Json& one = made.at("operations").at("derivative");
  return {one.at("additions"), one.at("multiplications"), one.at("divisions"), one.at("functions"),
          one.at("written_out")};
}

Verdict no_more(int computed, int printed) {
  return computed == printed  ? Verdict::agrees
         : computed < printed ? Verdict::better
                              : Verdict::differs;
}

long lines_in(const std::string& folder) {
  long lines = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".c") continue;
    std::ifstream stream(entry.path());
    for (std::string line; std::getline(stream, line);) ++lines;
  }
  return lines;
}

}  // namespace

// A chain of rods on universal joints: two degrees of freedom each.
std::string chain_model(int links) {
  return fmt::format(
      R"toml(# A spherical pendulum with {0} links, angles of each relative to the one before.
name = "{0}-pendulum"
[parameters]
n = {0}
L = 1
[[body]]
repeat = "n"
name = "link{{i}}"
mass = 1
com = [0, 0, "-L"]
[[joint]]
name = "joint1"
type = "universal"
axes = [[1, 0, 0], [0, 1, 0]]
parent = {{ body = "world" }}
child = {{ body = "link1" }}
position = [0.1, 0.2]
[[joint]]
repeat = "n - 1"
name = "joint{{i+1}}"
type = "universal"
axes = [[1, 0, 0], [0, 1, 0]]
parent = {{ body = "link{{i}}", at = [0, 0, "-L"] }}
child = {{ body = "link{{i+1}}" }}
position = [0.1, 0.2]
)toml",
      links);
}

void add_generated_row(Workshop& shop, Record& record, int links, bool jacobian) {
  const std::string model =
      shop.write_model(fmt::format("n_pendulum_{}", links), chain_model(links));
  std::vector<std::string> words = {"generate",           model,    "--language", "c", "--out",
                                    shop.data("counted"), "--force"};
  if (jacobian) words.push_back("--jacobian");
  const Json all = shop.json(words).at("operations");
  const auto count_text = [](double count) {  // counts stop at the largest integer
    return count < 9e18 ? fmt::format("{:.3g}", count) : std::string("more than 9e18");
  };
  std::string text;
  for (const char* name : {"derivative", "jacobian"})
    if (all.contains(name))
      text += fmt::format("{}{}: {} operations shared, {} written out", text.empty() ? "" : "; ",
                          name, all.at(name).at("total").get<int>(),
                          count_text(all.at(name).at("written_out")));
  record.rows.push_back({fmt::format("n = {}, relative coordinates: what `generate` writes", links),
                         "", text, Verdict::own});
  record.notes.push_back(
      "Times, and counts of equations derived in the document's own way, are taken by the program "
      "of this report with the library behind the commands; no command prints them. The last row "
      "is a command's.");
}

void code_of_small_system(Workshop& shop, Record& record) {
  const Counts found = counts_of(shop, shop.write_model("eqspr2", small_system));
  record.rows = {{"written out", "4 additions, 19 multiplications, 15 functions: 38",
                  fmt::format("{:g} operations", found.written_out),
                  no_more(static_cast<int>(found.written_out), 38)},
                 {"shared", "4 additions, 17 multiplications, 7 functions: 28",
                  fmt::format("{}: {}", found.text(), found.total()), no_more(found.total(), 28)}};
  record.notes = {
      "The file of the figure is a MEX function for MATLAB 5; `generate --language c` writes the "
      "same derivative as plain C, with initial values and a check of itself."};
}

void operation_counts(Workshop& shop, Record& record) {
  const Counts two = counts_of(shop, shop.write_model("two_equations", two_equations));
  record.rows = {{"(6.2), (6.3): functions and multiplications, shared", "3 and 5 (6.2.3, 6.2.4)",
                  fmt::format("{} and {}", two.functions, two.multiplications),
                  no_more(two.functions + two.multiplications, 8)}};
  const Counts vdp = counts_of(shop, shop.model("van_der_pol"));
  record.rows.push_back({"van der Pol's oscillator", "2 additions, 3 multiplications", vdp.text(),
                         no_more(vdp.total(), 5)});
  const Counts foucault = counts_of(shop, shop.model("foucault"));
  record.rows.push_back(
      {"Foucault's pendulum on a shaken hinge, written out",
       "29 additions, 209 multiplications, 5 divisions, 90 functions: 333",
       fmt::format("{:.3g} operations", foucault.written_out), Verdict::differs,
       "the document's hinge is shaken too, and its rates are solved for symbolically; here the "
       "planet is a body and the mass matrix is eliminated in the code"});
  record.rows.push_back({"the same, shared",
                         "29 additions, 144 multiplications, 3 divisions, 10 functions: 186",
                         fmt::format("{}: {}", foucault.text(), foucault.total()),
                         foucault.total() <= 186 ? Verdict::better : Verdict::differs,
                         "another model of the same pendulum, as said above"});
  constexpr int links = 30;
  const std::string model =
      shop.write_model(fmt::format("n_pendulum_{}", links), chain_model(links));
  const long lines = lines_in(shop.folder_of({"generate", model, "--language", "c"}));
  record.rows.push_back(
      {fmt::format("{}-pendulum, {} degrees of freedom: lines of C", links, 2 * links),
       "24747, half of them computation", fmt::format("{}", lines),
       lines < 24747 ? Verdict::better : Verdict::order,
       "a line here is one statement; the recursion needs O(n) of them"});
}

}  // namespace cartan::reproduction
