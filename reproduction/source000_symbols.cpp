// Source 000: the symbolic B of appendix A.2.1.
#include <sstream>

#include <fmt/format.h>

#include "reproduction/source000.h"
#include "reproduction/workshop.h"

namespace cartan::reproduction {
namespace {

const char* const about_x =
    R"toml(# Two rods that turn about x, the angle of the second from the first (source 000, section A.2.1).
name = "double pendulum about x"
gravity = [0, 0, "-g"]
[parameters]
l = 2
m = 50
g = 9.81
[[body]]
repeat = 2
name = "link{i}"
mass = "m"
com = [0, "l/2", 0]
inertia = ["m*l^2/12", 0.1, "m*l^2/12"]
[[joint]]
name = "first"
type = "revolute"
axis = [1, 0, 0]
parent = { body = "world" }
child = { body = "link1" }
[[joint]]
name = "second"
type = "revolute"
axis = [1, 0, 0]
parent = { body = "link1", at = [0, "l", 0] }
child = { body = "link2" }
)toml";

// Entries of A.2.1 that are not zero, row by row as printed, in the words of the command.
const std::vector<std::pair<const char*, const char*>> printed_B = {
    {"B[2,1]", "-l*sin(q1)/2"},
    {"B[3,1]", "l*cos(q1)/2"},
    {"B[4,1]", "1"},
    {"B[8,1]", "-l*sin(q1) - l*sin(q1 + q2)/2"},
    {"B[8,2]", "-l*sin(q1 + q2)/2"},
    {"B[9,1]", "l*cos(q1) + l*cos(q1 + q2)/2"},
    {"B[9,2]", "l*cos(q1 + q2)/2"},
    {"B[10,1]", "1"},
    {"B[10,2]", "1"}};

}  // namespace

void symbolic_B(Workshop& shop, Record& record) {
  const std::string text = shop.command({"equations", shop.write_model("about_x", about_x),
                                         "--form", "moving-frame", "--show", "B,Bdot"});
  Sheet sheet{
      "B and B' of the planar double pendulum as symbols, entries that are not zero "
      "(`equations --form moving-frame --show B,Bdot`); rows 1-3 and 7-9: velocity of a "
      "link's mass centre, 4-6 and 10-12: its angular velocity.",
      {"entry", "computed", "printed"},
      {}};
  int same = 0, entries = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find(" = ");
    if (!line.starts_with("  B") || equals == std::string::npos) continue;
    const std::string name = line.substr(2, equals - 2), value = line.substr(equals + 3);
    std::string printed = name[1] == '\'' ? "entry by entry the derivative of B" : "0";
    for (const auto& [entry, formula] : printed_B)
      if (name == entry) printed = formula;
    if (name[1] != '\'') ++entries, same += value == printed;
    sheet.rows.push_back({name, value, printed});
  }
  record.sheets.push_back(std::move(sheet));
  const int expected = static_cast<int>(printed_B.size());
  record.rows = {{"entries of B that are not zero", fmt::format("{}", expected),
                  fmt::format("{}, {} of them as printed", entries, same),
                  agrees_if(entries == expected && same == expected)}};
}

}  // namespace cartan::reproduction
