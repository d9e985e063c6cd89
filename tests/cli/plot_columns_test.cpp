// plot: what is drawn follows from the kinds and units of the columns.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <regex>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

// File names, without folder.
std::vector<std::string> plotted(std::vector<std::string> words) {
  words.insert(words.begin(), "plot");
  words.push_back("--json");
  std::vector<std::string> names;
  const nlohmann::json result = expect_json(run_cartan(words));
  for (const std::string path : result["files"]) names.push_back(path.substr(path.rfind('/') + 1));
  std::sort(names.begin(), names.end());
  return names;
}
using FileNames = std::vector<std::string>;

TEST(PlotColumns, ATableWithoutATimeHasNeitherSpectrumNorPortraits) {
  const Scratch scratch;
  std::string rows = "mass,cost,gain\n";
  for (int k = 0; k < 20; ++k)
    rows +=
        std::to_string(k) + "," + std::to_string(k * k % 7) + "," + std::to_string(k % 3) + "\n";
  const std::string csv = scratch.write("items.csv", rows);
  EXPECT_EQ(plotted({csv}), FileNames{"quantities.svg"});
  const std::string svg = read_file(scratch.path("quantities.svg"));
  EXPECT_TRUE(contains(svg, ">mass<") && contains(svg, ">cost<") && contains(svg, ">gain<"));
  expect_refusal(run_cartan({"plot", csv, "--quantity", "cost", "--spectrum"}),
                 "a spectrum needs a time, and the first column, 'mass', is none");
  expect_refusal(run_cartan({"plot", csv, "--quantity", "cost", "--from", "3"}),
                 "choose a part of the time");
}

TEST(PlotColumns, AMeasuredCourseHasASpectrumButNoPortrait) {
  const Scratch scratch;
  std::string rows = "t,a,b\n";
  for (int k = 0; k < 64; ++k)
    rows += std::to_string(0.1 * k) + "," + std::to_string(std::sin(0.5 * k)) + ",1\n";
  EXPECT_EQ(plotted({scratch.write("course.csv", rows)}),
            (FileNames{"quantities.svg", "spectrum.svg"}));
  // a time that runs back is none
  EXPECT_EQ(plotted({scratch.write("back.csv", "t,a\n0,1\n2,3\n1,2\n4,1\n5,1\n6,1\n7,1\n8,1\n")}),
            FileNames{"quantities.svg"});
}

TEST(PlotColumns, WordsInATableAreNoCrash) {
  const Scratch scratch;
  EXPECT_EQ(plotted({scratch.write("events.csv", "t,event,a\n0,start,1\n1,stop,2\n")}),
            FileNames{"quantities.svg"});
  EXPECT_EQ(plotted({scratch.write("only.csv", "t,event\n0,start\n1,stop\n"), "--quantity", "t"}),
            FileNames{"quantities.svg"});
  EXPECT_EQ(plotted({scratch.write("list.csv", "method,error\ngl2,1\ngl3,2\n")}),
            FileNames{"quantities.svg"});
  const std::string svg = read_file(scratch.path("quantities.svg"));
  EXPECT_TRUE(contains(svg, ">gl2<") && contains(svg, ">gl3<") && contains(svg, ">method<"));
  expect_refusal(run_cartan({"plot", scratch.write("words.csv", "t,event\n0,start\n1,stop\n")}),
                 "there are no numbers");
  expect_refusal(run_cartan({"plot", scratch.path("words.csv"), "--quantity", "event"}),
                 "the column 'event' holds words");
}

// Texts of a chart with their places.
std::map<std::string, std::pair<double, double>> texts_of(const std::string& svg) {
  std::map<std::string, std::pair<double, double>> texts;
  const std::regex form("<text x=\"([-.0-9]+)\" y=\"([-.0-9]+)\"[^>]*>([^<]*)</text>");
  for (std::sregex_iterator at(svg.begin(), svg.end(), form), end; at != end; ++at)
    texts[(*at)[3]] = {std::stod((*at)[1]), std::stod((*at)[2])};
  return texts;
}

class PlottedRun : public testing::Test {
 protected:
  void SetUp() override {
    out_ = scratch_.path("run");
    ASSERT_EQ(run_cartan({"run", example("slider_crank"), "--duration", "0.1", "--out", out_,
                          "--record", "reactions,power,multipliers,constraints", "--quiet"})
                  .status,
              0);
  }
  Scratch scratch_;
  std::string out_;
};

TEST_F(PlottedRun, RadiansAndJoulesHaveAxesOfTheirOwn) {
  EXPECT_EQ(plotted({out_, "--quantity", "main_bearing.q0,energy,crank_pin.q0"}),
            (FileNames{"quantities-J.svg", "quantities-rad.svg"}));
  const std::string svg = read_file(out_ + "/plots/quantities-rad.svg");
  EXPECT_TRUE(contains(svg, "value [rad]") && contains(svg, ">main_bearing.q0<"));
  EXPECT_TRUE(contains(read_file(out_ + "/plots/quantities-J.svg"), "energy [J]"));
}

TEST_F(PlottedRun, PortraitsAreTitledByWhatTheyShowAndOneUnitHasOneScale) {
  EXPECT_EQ(plotted({out_, "--x", "main_bearing.fx", "--y", "main_bearing.fz"}),
            FileNames{"portrait.svg"});
  const std::string svg = read_file(out_ + "/plots/portrait.svg");
  EXPECT_TRUE(contains(svg, ">slider-crank: main_bearing.fz over main_bearing.fx<")) << svg;
  // 5000 N are as many pixels across as upwards: found from the numbers along the axes
  std::vector<std::pair<double, double>> across, upwards;  // value, place
  double lowest = 0;
  for (const auto& [text, place] : texts_of(svg)) lowest = std::max(lowest, place.second);
  const std::regex number("-?[0-9.]+");
  for (const auto& [text, place] : texts_of(svg)) {
    if (!std::regex_match(text, number)) continue;
    across.emplace_back(std::stod(text), place.first);
    upwards.emplace_back(std::stod(text), place.second);
  }
  const double row = std::max_element(upwards.begin(), upwards.end(), [](auto& a, auto& b) {
                       return a.second < b.second;
                     })->second;
  std::vector<std::pair<double, double>> x, y;
  for (std::size_t k = 0; k < across.size(); ++k)
    (std::fabs(upwards[k].second - row) < 1 ? x : y)
        .push_back(std::fabs(upwards[k].second - row) < 1 ? across[k] : upwards[k]);
  ASSERT_GE(x.size(), 2u);
  ASSERT_GE(y.size(), 2u);
  std::sort(x.begin(), x.end());
  std::sort(y.begin(), y.end());
  const double per_x = (x.back().second - x.front().second) / (x.back().first - x.front().first);
  const double per_y = (y.front().second - y.back().second) / (y.back().first - y.front().first);
  EXPECT_NEAR(per_x / per_y, 1, 0.01);
}

TEST_F(PlottedRun, ConstraintMeansTheViolationAndPowersAreNamedSo) {
  EXPECT_EQ(plotted({out_, "--quantity", "constraint"}), FileNames{"quantities.svg"});
  const std::string violation = read_file(out_ + "/plots/quantities.svg");
  EXPECT_TRUE(contains(violation, "constraint [m or rad]"));
  EXPECT_TRUE(contains(violation, ">slider-crank: constraint<"));
  plotted({out_, "--quantity", "constraint_power"});
  EXPECT_TRUE(contains(read_file(out_ + "/plots/quantities.svg"), "constraint_power [W]"));
  plotted({out_, "--quantity", "residual"});  // as power.csv has it
  EXPECT_TRUE(contains(read_file(out_ + "/plots/quantities.svg"), "power_residual [W]"));
}

TEST_F(PlottedRun, MultipliersAndViolationsHaveUnits) {
  // the loop is closed by a hinge: three rows hold a point, two an axis
  EXPECT_EQ(plotted({out_, "--quantity", "wrist_pin.*"}).size(), 6u);
  for (const char* unit : {"N", "N-m", "m", "m-s", "rad", "rad-s"})
    EXPECT_TRUE(std::filesystem::exists(out_ + "/plots/quantities-" + unit + ".svg")) << unit;
  EXPECT_TRUE(contains(read_file(out_ + "/plots/quantities-N-m.svg"), ">wrist_pin.4<"));
  const std::string driven = scratch_.path("driven");
  ASSERT_EQ(run_cartan({"run", example("driven_pendulum"), "--duration", "0.5", "--out", driven,
                        "--record", "multipliers", "--quiet"})
                .status,
            0);
  const std::string header = read_file(driven + "/multipliers.csv");
  const std::string name = header.substr(2, header.find('\n') - 2);
  ASSERT_TRUE(name.ends_with(".0")) << name;
  plotted({driven, "--quantity", name});
  EXPECT_TRUE(contains(read_file(driven + "/plots/quantities.svg"), name + " [N"));
}

// To start a browser takes seconds: one draws all pictures.
TEST_F(PlottedRun, OneBrowserDrawsAllPictures) {
  if (std::system("command -v chromium > /dev/null 2>&1") != 0) GTEST_SKIP() << "no chromium";
  const std::string count = scratch_.path("starts"), tools = scratch_.path("tools");
  std::filesystem::create_directories(tools);
  const std::string path = std::getenv("PATH");
  std::ofstream(tools + "/chromium")
      << "#!/bin/sh\necho started >> " << count << "\nPATH=" << path << " exec chromium \"$@\"\n";
  std::filesystem::permissions(tools + "/chromium", std::filesystem::perms::owner_all);
  setenv("PATH", (tools + ":" + path).c_str(), 1);
  const FileNames names = plotted({out_, "--format", "png"});
  setenv("PATH", path.c_str(), 1);
  EXPECT_GE(names.size(), 7u);
  EXPECT_EQ(read_file(count), "started\n");
  for (const std::string& name : names) {
    const std::string png = read_file(out_ + "/plots/" + name);
    ASSERT_GT(png.size(), 5000u) << name;
    EXPECT_EQ(png.substr(1, 3), "PNG") << name;
    EXPECT_EQ(static_cast<unsigned char>(png[18]) * 256 + static_cast<unsigned char>(png[19]), 1600)
        << name;
  }
}

}  // namespace
}  // namespace cartan::test
