// Code and files that a model brings along are used with the user's consent only.
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

namespace fs = std::filesystem;

// Whoever loads it leaves a trace.
std::string code_that_tells(const std::string& trace) {
  return "#include <stdio.h>\n"
         "__attribute__((constructor)) static void tell(void) {\n"
         "  FILE* f = fopen(\"" +
         trace +
         "\", \"w\"); if (f) fclose(f);\n}\n"
         "double law(double x) { return 3 * x; }\ndouble dlawdx(double x) { return 3; }\n";
}

std::string sliding_mass(const std::string& functions) {
  return "name = \"mass\"\n[functions]\n" + functions +
         "\n[[body]]\nname = \"b\"\nmass = 1\n[[joint]]\nname = \"j\"\ntype = \"prismatic\"\n"
         "axis = [1, 0, 0]\nparent = { body = \"world\" }\nchild = { body = \"b\" }\n"
         "position = 0.5\n[[force]]\ntype = \"joint\"\njoint = \"j\"\nvalue = \"-law(q)\"\n"
         "[[output]]\nname = \"pull\"\nvalue = \"law(j.q)\"\n[simulate]\nduration = 0.1\n";
}

class ConsentTest : public testing::Test {
 protected:
  void SetUp() override {
    trace_ = scratch_.path("trace");
    scratch_.write("law.c", code_that_tells(trace_));
    model_ = scratch_.write("model.toml",
                            sliding_mass("law = { arguments = [\"x\"], source = \"law.c\" }"));
    if (const char* held = std::getenv("XDG_CONFIG_HOME")) config_ = held;
    fs::create_directories(scratch_.path("config/cartan"));
    setenv("XDG_CONFIG_HOME", scratch_.path("config").c_str(), 1);
  }
  void TearDown() override {
    if (config_.empty())
      unsetenv("XDG_CONFIG_HOME");
    else
      setenv("XDG_CONFIG_HOME", config_.c_str(), 1);
  }
  bool was_loaded() {
    const bool loaded = fs::exists(trace_);
    fs::remove(trace_);
    return loaded;
  }

  Scratch scratch_;
  std::string trace_, model_, config_;
};

TEST_F(ConsentTest, CodeIsRunWhenTrustedOnly) {
  for (const char* command : {"run", "eval", "compare", "linearize", "equilibrium"}) {
    SCOPED_TRACE(command);
    expect_refusal(run_cartan({command, model_}), "to run it needs your consent");
    EXPECT_FALSE(was_loaded());
  }
  const CommandResult told = run_cartan({"run", model_});
  EXPECT_NE(told.err.find("--trust"), std::string::npos) << told.err;
  EXPECT_NE(told.err.find("config/cartan/trusted"), std::string::npos) << told.err;
  EXPECT_EQ(expect_json(run_cartan({"eval", model_, "--trust", "--json"}))["acceleration"]["j"][0],
            -1.5);
  EXPECT_TRUE(was_loaded());
}

TEST_F(ConsentTest, CheckViewAndEquationsNeverRunCode) {
  const CommandResult check = run_cartan({"check", model_, "--trust"});
  EXPECT_EQ(check.status, 0) << check.err;
  EXPECT_NE(check.out.find("law.c"), std::string::npos) << check.out;
  EXPECT_NE(check.out.find("--trust"), std::string::npos) << check.out;
  const auto json = expect_json(run_cartan({"check", model_, "--json"}));
  EXPECT_EQ(json["code"].size(), 1u) << json;
  const std::string page = scratch_.path("page.html");
  const CommandResult view = run_cartan({"view", model_, "--trust", "--export", page});
  EXPECT_EQ(view.status, 0) << view.err;
  EXPECT_TRUE(fs::exists(page));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"equations", model_},
        {"generate", model_, "--out", scratch_.path("code")}}) {
    const CommandResult result = run_cartan(words);
    EXPECT_EQ(result.status, 0) << result.err;
  }
  EXPECT_FALSE(was_loaded());
}

TEST_F(ConsentTest, ASharedLibraryIsCodeToo) {
  ASSERT_EQ(
      std::system(("cc -shared -fPIC -o " + scratch_.path("law.so") + " " + scratch_.path("law.c"))
                      .c_str()),
      0);
  const std::string model = scratch_.write(
      "library.toml", sliding_mass("law = { arguments = [\"x\"], library = \"law.so\" }"));
  expect_refusal(run_cartan({"run", model}), "needs your consent");
  EXPECT_EQ(run_cartan({"check", model}).status, 0);
  EXPECT_FALSE(was_loaded());
  EXPECT_EQ(run_cartan({"run", model, "--trust"}).status, 0);
  EXPECT_TRUE(was_loaded());
}

TEST_F(ConsentTest, FormulasNeedNone) {
  const std::string model = scratch_.write(
      "formula.toml", sliding_mass("law = { arguments = [\"x\"], value = \"3*x\" }"));
  EXPECT_EQ(run_cartan({"run", model}).status, 0);
}

TEST_F(ConsentTest, TheUsersListWillDo) {
  const std::string list =
      scratch_.write("config/cartan/trusted", "# mine\n" + scratch_.path("elsewhere") + "\n");
  expect_refusal(run_cartan({"run", model_}), "needs your consent");
  scratch_.write("config/cartan/trusted", "# mine\n" + model_ + "\n");
  EXPECT_EQ(run_cartan({"run", model_}).status, 0);
  scratch_.write("config/cartan/trusted", scratch_.path("") + "\n");
  EXPECT_EQ(run_cartan({"run", model_}).status, 0);
  fs::permissions(list, fs::perms::others_write, fs::perm_options::add);
  expect_refusal(run_cartan({"run", model_}), "the list of trusted models is not believed");
}

TEST_F(ConsentTest, TablesOutsideTheModelsFolderAreReadWhenAllowed) {
  scratch_.write("secret.csv", "x,y\n0,0\n1,1\n2,4\n3,9\n");
  fs::create_directories(scratch_.path("model/data"));
  scratch_.write("model/data/inside.csv", "x,y\n0,0\n1,1\n2,4\n3,9\n");
  fs::create_symlink(scratch_.path("secret.csv"), scratch_.path("model/data/link.csv"));
  const auto model = [&](const std::string& file) {
    return scratch_.write(
        "model/m.toml",
        sliding_mass("law = { arguments = [\"x\"], value = \"table('" + file + "', 'y', x)\" }"));
  };
  EXPECT_EQ(run_cartan({"run", model("data/inside.csv")}).status, 0);
  EXPECT_EQ(run_cartan({"run", model("data/../data/inside.csv")}).status, 0);
  for (const std::string& file :
       {std::string("../secret.csv"), std::string("data/../../secret.csv"),
        scratch_.path("secret.csv"), std::string("data/link.csv")}) {
    SCOPED_TRACE(file);
    const std::string path = model(file);
    for (const char* command : {"run", "check"})
      expect_refusal(run_cartan({command, path}),
                     "lies outside the folder of this file; to read it needs your consent");
    const CommandResult view = run_cartan({"view", path, "--export", scratch_.path("no.html")});
    EXPECT_EQ(view.status, 2);
    EXPECT_EQ(run_cartan({"run", path, "--trust"}).status, 0);
    EXPECT_EQ(run_cartan({"check", path, "--allow-path", scratch_.path("")}).status, 0);
    expect_refusal(run_cartan({"run", path, "--allow-path", scratch_.path("config")}),
                   "needs your consent");
  }
}

// Measurements and states that a file of experiments names.
TEST_F(ConsentTest, DataOutsideTheFolderOfTheExperimentsAreReadWhenAllowed) {
  const std::string model = scratch_.write(
      "decay.toml", "[parameters]\nk = 2\n[variables]\nx = { initial = 1, rate = \"-k*x\" }\n");
  std::string rows = "t,x\n";
  for (int i = 0; i < 6; ++i)
    rows += std::to_string(0.2 * i) + "," + std::to_string(std::exp(-0.2 * i)) + "\n";
  scratch_.write("data.csv", rows);
  scratch_.write("start.json", "{\"t\": 0, \"variables\": {\"x\": 1}}");
  fs::create_directories(scratch_.path("study"));
  scratch_.write("study/data.csv", rows);
  const auto fit = [&](const std::string& keys, std::vector<std::string> more) {
    const std::string file =
        scratch_.write("study/e.toml", "[[experiment]]\n" + keys + "\ncolumns.x = {}\n");
    more.insert(more.begin(), {"fit", model, "--experiments", file, "--free", "k"});
    return run_cartan(more);
  };
  const CommandResult beside = fit("data = \"data.csv\"", {});
  EXPECT_EQ(beside.status, 0) << beside.err;
  for (const std::string& keys :
       {std::string("data = \"../data.csv\""), "data = \"" + scratch_.path("data.csv") + "\"",
        std::string("data = \"data.csv\"\nstate = \"../start.json\"")}) {
    SCOPED_TRACE(keys);
    const CommandResult refused = fit(keys, {});
    expect_refusal(refused, "lies outside the folder of this file; to read it needs your consent");
    EXPECT_NE(refused.err.find("--allow-path DIR"), std::string::npos) << refused.err;
    EXPECT_EQ(fit(keys, {"--allow-path", scratch_.path("")}).status, 0);
    EXPECT_EQ(fit(keys, {"--trust"}).status, 0);
  }
}

}  // namespace
}  // namespace cartan::test
