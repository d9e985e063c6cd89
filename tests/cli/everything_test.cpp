// The file with every feature is not only read: its loops close, and it moves.
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

using nlohmann::json;

const std::string everything = std::string(CARTAN_ROOT) + "/tests/good/everything.toml";

TEST(EverythingFile, IsAssembledAndMoves) {
  const json checked = expect_json(run_cartan({"check", everything, "--json"}));
  EXPECT_EQ(checked["dof"], 5);
  for (const char* formulation : {"recursive", "moving-frame"}) {
    SCOPED_TRACE(formulation);
    const json run = expect_json(run_cartan(
        {"run", everything, "--duration", "0.1", "--formulation", formulation, "--json"}));
    EXPECT_EQ(run["status"], "completed");
    EXPECT_LT(run["energy"]["max_drift"].get<double>(), 1e-9);
  }
}

// A picture outside of the folder is told and left out; a mass from there is refused.
TEST(MeshesOutside, AreNoReasonToStop) {
  const Scratch work;
  std::filesystem::create_directories(work.path("model"));
  work.write("part.obj",
             "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  const std::string joint =
      "[[joint]]\nname = \"j\"\ntype = \"revolute\"\naxis = [0, 1, 0]\n"
      "parent = { body = \"world\" }\nchild = { body = \"b\" }\n";
  const std::string shape = "shape = { mesh = \"../part.obj\" }\n";
  const std::string picture = work.write(
      "model/picture.toml",
      "[[body]]\nname = \"b\"\nmass = 1\ninertia = [1, 1, 1]\ncom = [0, 0, -1]\n" + shape + joint);
  const std::string mass =
      work.write("model/mass.toml", "[[body]]\nname = \"b\"\ndensity = 1\n" + shape + joint);
  const auto run = run_cartan({"run", picture, "--duration", "0.1"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.err.find("body 'b' is drawn without it"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("lies outside the folder"), std::string::npos) << run.err;
  const auto allowed =
      run_cartan({"run", picture, "--duration", "0.1", "--allow-path", work.path("")});
  EXPECT_EQ(allowed.status, 0);
  EXPECT_EQ(allowed.err.find("drawn without"), std::string::npos) << allowed.err;
  const auto refused = run_cartan({"run", mass, "--duration", "0.1"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("--allow-path"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace cartan::test
