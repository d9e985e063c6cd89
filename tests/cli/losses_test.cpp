// Friction found from energy losses between turning points (`losses` of a column of experiments).
#include <cmath>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

using nlohmann::json;

// Energies at the turning points of a run with C2 = 0.07, all of them read too high by 3 J: the
// losses do not know.
std::string write_losses(const Scratch& scratch) {
  const std::string out = scratch.path("run");
  EXPECT_EQ(run_cartan({"run", example("arm_friction"), "--set", "C2=0.07", "--duration", "6",
                        "--out", out, "--quiet"})
                .status,
            0);
  std::istringstream lines(read_file(out + "/events.csv"));
  std::string line, data = "t,energy\n";
  std::getline(lines, line);
  std::vector<std::string> names;
  std::istringstream header(line);
  for (std::string name; std::getline(header, name, ',');) names.push_back(name);
  std::size_t place = 0;
  while (place < names.size() && names[place] != "shoulder.q0") ++place;
  int rows = 0;
  while (std::getline(lines, line) && rows < 8) {
    std::vector<std::string> cells;
    std::istringstream words(line);
    for (std::string cell; std::getline(words, cell, ',');) cells.push_back(cell);
    if (std::stod(cells[0]) < 1e-6) continue;
    const double angle = std::stod(cells.at(place));
    data += fmt::format("{},{:.17g}\n", cells[0], 3 - 4.6811 * 9.81 * 0.12675638 * std::sin(angle));
    ++rows;
  }
  EXPECT_EQ(rows, 8);
  scratch.write("losses.csv", data);
  return scratch.write("losses.toml",
                       "[[experiment]]\nname = \"arm\"\ndata = \"losses.csv\"\n"
                       "event = \"turning point\"\nduration = 10\n"
                       "columns.energy = { quantity = \"potential\", losses = true }\n");
}

TEST(FitLosses, ConstantFrictionIsFoundAgain) {
  const Scratch scratch;
  const std::string experiments = write_losses(scratch);
  const json fitted =
      expect_json(run_cartan({"fit", example("arm_friction"), "--experiments", experiments,
                              "--free", "C2=0.04", "--tolerance", "1e-11", "--json"}));
  EXPECT_NEAR(fitted["parameters"]["C2"].get<double>(), 0.07, 1e-7);
  // values instead of losses: the 3 J spoil it
  std::string text = read_file(experiments);
  text.replace(text.find(", losses = true"), 15, "");
  const json spoiled =
      expect_json(run_cartan({"fit", example("arm_friction"), "--experiments",
                              scratch.write("values.toml", text), "--free", "C2=0.04", "--json"}));
  EXPECT_GT(spoiled["final_cost"].get<double>(), 1);
  // what makes no sense is refused
  text = read_file(experiments);
  text.replace(text.find("losses = true"), 13, "losses = true, offset = 1");
  expect_refusal(run_cartan({"fit", example("arm_friction"), "--experiments",
                             scratch.write("offset.toml", text), "--free", "C2=0.04"}),
                 "an offset drops out of losses");
}

}  // namespace
}  // namespace cartan::test
