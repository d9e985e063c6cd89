// plot and run --report as a user types them.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

using nlohmann::json;

std::vector<std::string> names_of(const json& files) {
  std::vector<std::string> names;
  for (const auto& file : files["files"]) {
    const std::string path = file;
    names.push_back(path.substr(path.rfind('/') + 1));
  }
  return names;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

TEST(PlotCommand, ARunHasItsCharts) {
  const Scratch scratch;
  const std::string out = scratch.path("run");
  ASSERT_EQ(
      run_cartan({"run", example("slider_crank"), "--duration", "0.2", "--out", out, "--quiet"})
          .status,
      0);
  const auto names = names_of(expect_json(run_cartan({"plot", out, "--json"})));
  for (const char* name : {"energies.svg", "drift.svg", "coordinates-rad.svg", "coordinates-m.svg",
                           "speeds-rad-s.svg", "phase-main_bearing.svg", "spectrum.svg"})
    EXPECT_TRUE(has(names, name)) << name;
  const std::string svg = read_file(out + "/plots/coordinates-rad.svg");
  EXPECT_TRUE(contains(svg, "coordinates [rad]"));
  EXPECT_TRUE(contains(svg, ">t [s]<"));
  EXPECT_TRUE(contains(svg, ">crank_pin.q0<"));
}

TEST(PlotCommand, ChosenQuantitiesAndPortraits) {
  const Scratch scratch;
  const std::string out = scratch.path("run"), plots = scratch.path("plots");
  ASSERT_EQ(
      run_cartan({"run", example("kepler"), "--duration", "3", "--out", out, "--quiet"}).status, 0);
  const json path = expect_json(
      run_cartan({"plot", out, "--x", "planet.x", "--y", "planet.y", "--out", plots, "--json"}));
  ASSERT_EQ(path["files"].size(), 1u);
  const std::string svg = read_file(path["files"][0]);
  EXPECT_TRUE(contains(svg, "planet.x [m]") && contains(svg, "planet.y [m]"));
  const json energy = expect_json(run_cartan(
      {"plot", out, "--quantity", "kinetic,potential", "--from", "1", "--out", plots, "--json"}));
  EXPECT_TRUE(contains(read_file(energy["files"][0]), "value [J]"));
  const json spectrum = expect_json(
      run_cartan({"plot", out, "--quantity", "planet.x", "--spectrum", "--out", plots, "--json"}));
  EXPECT_TRUE(contains(read_file(spectrum["files"][0]), "frequency [Hz]"));
  // Two runs in one chart.
  const json both =
      expect_json(run_cartan({"plot", out, out, "--quantity", "energy", "--out", plots, "--json"}));
  EXPECT_TRUE(contains(read_file(both["files"][0]), ">run: energy<"));
}

TEST(PlotCommand, TablesOfAnalyses) {
  const Scratch scratch;
  const std::string csv = scratch.path("table.csv");
  ASSERT_EQ(
      run_cartan({"compare", example("heavy_top"), "--formulations", "recursive", "--integrators",
                  "gl2,gl3", "--steps", "0.02,0.01", "--duration", "0.2", "--csv", csv})
          .status,
      0);
  const json compared = expect_json(run_cartan({"plot", csv, "--json"}));
  EXPECT_EQ(compared["files"].size(), 3u);
  const std::string svg = read_file(scratch.path("work-precision.svg"));
  EXPECT_TRUE(contains(svg, ">gl2<") && contains(svg, ">gl3<"));
  EXPECT_TRUE(contains(svg, "error at the end"));

  const std::string sweep = scratch.path("sweep");
  ASSERT_EQ(run_cartan({"linearize", example("double_spring"), "--at", "equilibrium", "--sweep",
                        "k=lin(1,10,5)", "--out", sweep})
                .status,
            0);
  EXPECT_TRUE(has(names_of(expect_json(run_cartan({"plot", sweep, "--json"}))),
                  "eigenvalues-imaginary.svg"));

  const std::string model =
      scratch.write("pitchfork.toml",
                    "name = \"pitchfork\"\n[parameters]\np = 0\n[variables]\nx = { initial = 0, "
                    "rate = \"p*x - x^3\" }\n");
  const std::string branch = scratch.path("branch");
  ASSERT_EQ(run_cartan({"continue", model, "--parameter", "p", "--from", "-1", "--to", "1",
                        "--switch", "--out", branch})
                .status,
            0);
  ASSERT_TRUE(has(names_of(expect_json(run_cartan({"plot", branch, "--json"}))), "branch-x.svg"));
  const std::string diagram = read_file(branch + "/plots/branch-x.svg");
  EXPECT_TRUE(contains(diagram, ">branch-point<"));
  EXPECT_TRUE(contains(diagram, "stroke-dasharray"));  // the unstable part
  // the time of [variables] has no unit
  EXPECT_TRUE(contains(read_file(branch + "/plots/growth.svg"), ">largest real part<"));
}

TEST(PlotCommand, AxesOfAnalysesHaveUnits) {
  const Scratch scratch;
  const std::string branch = scratch.path("branch");
  ASSERT_EQ(
      run_cartan({"continue", example("bicycle"), "--set", "lean=0", "--set", "steer=0",
                  "--parameter", "R2*front_axle.v", "--from", "4", "--to", "4.5", "--out", branch})
          .status,
      0);
  ASSERT_EQ(run_cartan({"plot", branch, "--quantity", "rear_axle.v0"}).status, 0);
  EXPECT_TRUE(
      contains(read_file(branch + "/plots/branch-rear_axle.v0.svg"), ">rear_axle.v0 [rad/s]<"));
  const std::string search = scratch.path("search");
  ASSERT_EQ(run_cartan({"equilibrium", example("planar_double_pendulum"), "--search",
                        "shoulder.q=lin(-3,3,4),elbow.q=lin(-3,3,4)", "--out", search})
                .status,
            0);
  ASSERT_EQ(run_cartan({"plot", search}).status, 0);
  const std::string map = read_file(search + "/plots/residual-map.svg");
  EXPECT_TRUE(contains(map, ">shoulder.q [rad]<") && contains(map, ">elbow.q [rad]<"));
}

// More methods than colours: a chart for every formulation.
TEST(PlotCommand, ManyMethodsShareNoChart) {
  const Scratch scratch;
  const std::string csv = scratch.path("table.csv");
  ASSERT_EQ(run_cartan({"compare", example("heavy_top"), "--formulations", "recursive,moving-frame",
                        "--integrators", "gl1,gl2,gl3,rk4", "--steps", "0.02,0.01", "--duration",
                        "0.1", "--csv", csv})
                .status,
            0);
  const std::vector<std::string> names = names_of(expect_json(run_cartan({"plot", csv, "--json"})));
  EXPECT_EQ(names.size(), 6u);
  EXPECT_TRUE(has(names, "work-precision-recursive.svg"));
  EXPECT_TRUE(contains(read_file(scratch.path("convergence-moving-frame.svg")), ">gl2<"));
}

TEST(PlotCommand, BadInput) {
  const Scratch scratch;
  expect_refusal(run_cartan({"plot", scratch.path("nothing")}), "no such folder or file");
  const std::string csv = scratch.write("table.csv", "t,a\n0,1\n1,2\n");
  expect_refusal(run_cartan({"plot", csv, "--quantity", "b"}), "there is no column 'b'");
  expect_refusal(run_cartan({"plot", csv, "--x", "t"}), "--x and --y belong together");
  expect_refusal(run_cartan({"plot", csv, "--format", "gif"}), "expected svg or png");
  expect_refusal(run_cartan({"plot", csv, "--from", "5", "--quantity", "a"}), "no sample lies");
  expect_refusal(run_cartan({"plot", scratch.write("bad.csv", "t,a\n0\n")}), "bad.csv:2");
  expect_refusal(run_cartan({"plot", scratch.write("bad.json", "{}")}), "expected a table");
  expect_refusal(run_cartan({"plot"}), "a word is missing");
}

TEST(PlotCommand, PngWhereThereIsABrowser) {
  if (std::system("command -v chromium > /dev/null 2>&1") != 0) GTEST_SKIP() << "no chromium";
  const Scratch scratch;
  const std::string csv = scratch.write("table.csv", "t,a\n0,1\n1,2\n2,0\n");
  const json result = expect_json(
      run_cartan({"plot", csv, "--quantity", "a", "--format", "png", "--width", "400", "--json"}));
  ASSERT_EQ(result["files"].size(), 1u);
  const std::string png = read_file(result["files"][0]);
  EXPECT_EQ(png.substr(1, 3), "PNG");
  EXPECT_EQ(static_cast<unsigned char>(png[18]) * 256 + static_cast<unsigned char>(png[19]), 800);
}

TEST(RunReport, OneFileWithEverything) {
  const Scratch scratch;
  const std::string out = scratch.path("run");
  ASSERT_EQ(run_cartan({"run", example("four_bar"), "--duration", "0.2", "--out", out, "--report",
                        "--quiet"})
                .status,
            0);
  const std::string page = read_file(out + "/report.html");
  EXPECT_TRUE(contains(page, "<h2>Summary</h2>") && contains(page, "degree of freedom"));
  EXPECT_TRUE(contains(page, "<svg"));
  EXPECT_TRUE(contains(page, "<h2>Provenance</h2>") && contains(page, "cartan run"));
  EXPECT_TRUE(contains(page, "Model file"));
  EXPECT_TRUE(contains(page, "<iframe") || contains(page, "cartan view"));  // or why not
  EXPECT_FALSE(contains(page, "src=\"http"));
  // A later run without a report leaves none that is not its own.
  ASSERT_EQ(
      run_cartan({"run", example("four_bar"), "--duration", "0.1", "--out", out, "--quiet"}).status,
      0);
  EXPECT_FALSE(std::filesystem::exists(out + "/report.html"));
  expect_refusal(run_cartan({"run", example("four_bar"), "--report"}), "give --out DIR");
  // [variables] have no bodies.
  const std::string plain = scratch.path("plain");
  ASSERT_EQ(run_cartan({"run", example("lorenz"), "--duration", "1", "--out", plain, "--report",
                        "--quiet"})
                .status,
            0);
  EXPECT_TRUE(contains(read_file(plain + "/report.html"), "<svg"));
}

}  // namespace
}  // namespace cartan::test
