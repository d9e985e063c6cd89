// The gateway of Octave (octave/cartan.m): every command through it, and the same numbers.
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "core/child_process.h"

namespace cartan::test {
namespace {

using nlohmann::json;

// Each line runs a command in a folder of its own; `done` gathers their names. What a checkout may
// not have built (the viewer's page, the reproduction) says so.
const char* const octave_script = R"m(
done = {};
function result = go (varargin)
  done = evalin ("base", "done");
  assignin ("base", "done", [done, varargin(1)]);
  result = cartan (varargin{:});
endfunction
function maybe (varargin)
  done = evalin ("base", "done");
  assignin ("base", "done", [done, varargin(1)]);
  [result, status, messages] = cartan (varargin{:});
  assert (status == 0 || (status == 1 && ! isempty (strfind (messages, "is missing"))));
endfunction
text = go ("new", "double-pendulum", "--out", "it's double.toml");
model = "it's double.toml";
assert (! isempty (strfind (text, "Written")));
run = go ("run", model, struct ("duration", 0.5, "set", {{"L=1.2"}}, "integrator", "dop853", ...
                                "tolerance", 1e-12, "out", "run", "force", false));
angles = cartan_table ("run/trajectory.csv", "shoulder.q0");
assert (abs (angles(end) - run.final.q.shoulder) < 1e-14);
go ("check", model);
assert (isfield (go ("eval", model), "acceleration"));
go ("inverse", model, "--motion", "run/trajectory.csv");
go ("compare", model, "--duration", 0.1, "--steps", [0.02, 0.01]);
go ("equations", model);
go ("generate", model, "--language", "octave", "--out", "code");
orbit = go ("orbit", [examples, "/van_der_pol.toml"], "--period", 6.6);
assert (abs (orbit.period - 6.663287) < 1e-5);
go ("lyapunov", [examples, "/lorenz.toml"], "--duration", 1);
go ("linearize", [examples, "/pendulum.toml"], "--at", "equilibrium");
go ("equilibrium", model);
go ("continue", model, "--parameter", "L", "--from", 1, "--to", 1.2);
go ("study", model, "--vary", "L=uniform(1,1.2)", "--runs", 3, "--keep", "last=final(shoulder.q)");
best = go ("optimise", model, struct ("free", "L", "minimise", "final((shoulder.q - 1.5)^2)", ...
                                      "duration", 0.1));
go ("fit", model, "--data", "run/trajectory.csv", "--free", "L=1");
found = go ("ik", [examples, "/four_bar.toml"], "--target", "motor.q = pi/3");
assert (found.found);
go ("plot", "run", "--out", "charts");
maybe ("steer", [examples, "/steering/brachistochrone.toml"], "--starts", 1);
maybe ("view", "run", "--export", "run.html");
maybe ("reproduce", "--list");
urdf = fopen ("rod.urdf", "w");
fputs (urdf, ["<robot name=\"rod\"><link name=\"rod\"><inertial><mass value=\"1\"/>", ...
              "<inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/>", ...
              "</inertial></link></robot>"]);
fclose (urdf);
go ("import", "rod.urdf", "--out", "rod.toml", "--base", "free");
[result, status, messages] = cartan ("run", "none.toml");
assert (status == 2 && ! isempty (strfind (messages, "no such file")));
failed = false;
try
  cartan ("run", "none.toml");
catch problem
  failed = ! isempty (strfind (problem.message, "no such file"));
end_try_catch
assert (failed);
printf ("FINAL %.17g\n", run.final.q.shoulder);
printf ("DONE %s\n", done{:});
)m";

TEST(Octave, EveryCommandThroughTheGateway) {
  const Scratch scratch;
  const std::string script = scratch.write(
      "gateway.m", std::string("addpath ('" CARTAN_ROOT "/octave');\nexamples = '" CARTAN_ROOT
                               "/examples';\ncd ('") +
                       scratch.path("") + "');\nsetenv ('CARTAN', '" CARTAN_COMMAND "');\n" +
                       octave_script);
  const ChildResult octave = run_child({"octave-cli", "--quiet", "--norc", "--no-history", script});
  if (!octave.started) GTEST_SKIP() << "octave is missing";
  ASSERT_EQ(octave.status, 0) << octave.output();
  std::set<std::string> done, known;
  double final_angle = 0;
  std::istringstream lines(octave.out);
  for (std::string word; lines >> word;) {
    if (word == "DONE" && lines >> word) done.insert(word);
    if (word == "FINAL") lines >> final_angle;
  }
  // all of the list in `cartan --help`
  std::istringstream help(run_cartan({"--help"}).out);
  bool listed = false;
  for (std::string line; std::getline(help, line);) {
    if (line == "Commands:")
      listed = true;
    else if (line.empty())
      listed = false;
    else if (listed)
      known.insert(line.substr(2, line.find(' ', 2) - 2));
  }
  EXPECT_GT(known.size(), 20u);
  EXPECT_EQ(done, known);
  const json run = expect_json(
      run_cartan({"run", scratch.path("it's double.toml"), "--duration", "0.5", "--set", "L=1.2",
                  "--integrator", "dop853", "--tolerance", "1e-12", "--json"}));
  EXPECT_EQ(final_angle, run["final"]["q"]["shoulder"][0].get<double>());
}

}  // namespace
}  // namespace cartan::test
