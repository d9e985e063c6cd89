// What is written where: existing files, parts of runs, states that were cut off, times beyond
// resolution.
#include <chrono>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

namespace fs = std::filesystem;

TEST(Results, FilesAreNotOverwrittenWithoutForce) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"pendulum"}), text = read_file(model);
  const std::string run = scratch.path("run");
  ASSERT_EQ(run_cartan({"run", model, "--duration", "0.1", "--out", run, "--quiet"}).status, 0);
  const std::vector<std::vector<std::string>> writers = {
      {"inverse", model, "--motion", run + "/trajectory.csv", "--out"},
      {"equations", model, "--out"},
      {"compare", model, "--duration", "0.1", "--integrators", "gl3", "--csv"},
      {"new", "top", "--out"},
      {"view", run, "--export"}};
  const std::string target = scratch.write("target", "mine");
  for (std::vector<std::string> words : writers) {
    SCOPED_TRACE(words[0]);
    words.push_back(target);
    scratch.write("target", "mine");
    expect_refusal(run_cartan(words),
                   "exists already; give another name, or replace it with --force");
    EXPECT_EQ(read_file(target), "mine");
    words.push_back("--force");
    const CommandResult forced = run_cartan(words);
    EXPECT_EQ(forced.status, 0) << forced.err;
    EXPECT_NE(read_file(target), "mine");
  }
  EXPECT_EQ(read_file(model), text);
  EXPECT_EQ(run_cartan({"equations", model, "--out", "/dev/null"}).status, 0)
      << "a device is no file";
  // told before the work: a name that cannot be written
  for (std::vector<std::string> words : writers) {
    SCOPED_TRACE(words[0]);
    words.push_back(scratch.path("missing/file"));
    expect_refusal(run_cartan(words), "missing/file': No such file or directory");
    words.back() = scratch.path("run");
    expect_refusal(run_cartan(words), "run': Is a directory");
  }
}

// No equilibrium, and a motion that ends after a quarter of a turn: whatever is computed fails.
const char* const hopeless =
    "name = \"hopeless\"\n[parameters]\nk = 1\n"
    "[variables]\nx = { initial = 0, rate = \"k + x^2\" }\n"
    "[simulate]\nduration = 3\nstep = 0.01\nintegrator = \"dop853\"\n";

// Who computes for an hour must not hear afterwards that the folder is taken: the folder is told
// before the failure of the computation.
TEST(Results, EveryFolderIsLookedAtBeforeTheWork) {
  const Scratch scratch;
  const std::string model = scratch.write("m.toml", hopeless);
  const std::string data = scratch.write("d.csv", "t,x\n0,0\n1,1\n3,2\n");
  struct Writer {
    std::vector<std::string> words;
    std::string file;
  };
  const std::vector<Writer> writers = {
      {{"run", model}, "summary.json"},
      {{"linearize", model, "--at", "equilibrium"}, "linearize.json"},
      {{"linearize", model, "--at", "equilibrium", "--sweep", "k=lin(1,2,3)"}, "sweep.csv"},
      {{"equilibrium", model}, "state.json"},
      {{"equilibrium", model, "--search", "x=lin(-1,1,3)"}, "equilibria.json"},
      {{"continue", model, "--parameter", "k", "--from", "1", "--to", "2"}, "branch.svg"},
      {{"lyapunov", model, "--section", "x - 1", "--duration", "10"}, "section.csv"},
      {{"fit", model, "--data", data, "--free", "k"}, "residuals_1.svg"},
      {{"fit", model, "--data", data, "--free", "k;k"}, "fit-2.json"}};
  for (const Writer& writer : writers) {
    SCOPED_TRACE(writer.words[0] + " " + writer.file);
    std::vector<std::string> words = writer.words;
    words.insert(words.end(), {"--out", scratch.path("new")});
    const CommandResult failed = run_cartan(words);
    EXPECT_EQ(failed.status, 1) << failed.err;
    EXPECT_FALSE(fs::exists(scratch.path("new")) &&
                 !fs::exists(scratch.path("new") + "/cartan-manifest.json"));
    fs::remove_all(scratch.path("new"));

    fs::create_directory(scratch.path("taken"));
    words.back() = scratch.path("taken");
    scratch.write("taken/" + writer.file, "mine");
    expect_refusal(run_cartan(words),
                   "exists already and is no result that was written here; choose another folder, "
                   "or replace it with --force");
    EXPECT_EQ(read_file(scratch.path("taken/" + writer.file)), "mine");
    EXPECT_EQ(list_folder(scratch.path("taken")).size(), 1u);
    fs::remove(scratch.path("taken/" + writer.file));
    fs::create_directory(scratch.path("taken/" + writer.file));
    expect_refusal(run_cartan(words), "is a folder and in the way of a result");
    fs::remove_all(scratch.path("taken"));
  }
}

TEST(Results, PicturesOfOthersAreNotReplaced) {
  const Scratch scratch;
  const std::string table = scratch.write("t.csv", "t,a,b\n0,1,2\n1,2,1\n2,3,2\n");
  const std::string out = scratch.path("pictures"), picture = out + "/quantities.svg";
  const auto plot = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"plot", table, "--out", out, "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return run_cartan(words);
  };
  const auto first = expect_json(plot({"--quantity", "a"}));
  ASSERT_EQ(first["files"].size(), 1u);
  const std::string name = first["files"][0], drawn = read_file(name);
  // own pictures are replaced, those of other calls stay
  const auto spectrum = expect_json(plot({"--x", "a", "--y", "b"}));
  EXPECT_NE(spectrum["files"][0], name);
  EXPECT_TRUE(fs::exists(name));
  expect_json(plot({"--quantity", "b"}));
  EXPECT_NE(read_file(name), drawn);
  // those of others are not
  fs::remove_all(out);
  fs::create_directory(out);
  const std::string mine = scratch.write("pictures/" + fs::path(name).filename().string(), "mine");
  expect_refusal(plot({"--quantity", "a"}), "is no result that was written here");
  EXPECT_EQ(read_file(mine), "mine");
  EXPECT_EQ(list_folder(out).size(), 1u);
  expect_json(plot({"--quantity", "a", "--force"}));
  EXPECT_EQ(read_file(mine), drawn);
}

TEST(Results, FoldersOfOthersAreNotFilled) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"pendulum"});
  fs::create_directory(scratch.path("mine"));
  const std::string state = scratch.write("mine/summary.json", "mine"),
                    code = scratch.write("mine/pendulum.c", "mine"),
                    modes = scratch.write("mine/linearize.json", "mine");
  const std::string folder = scratch.path("mine");
  expect_refusal(run_cartan({"run", model, "--out", folder}), "is no result that was written here");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"generate", model, "--out", folder},
        {"linearize", model, "--at", "equilibrium", "--out", folder}}) {
    const CommandResult result = run_cartan(words);
    EXPECT_NE(result.status, 0);
    EXPECT_TRUE(contains(result.err, "is no result that was written here")) << result.err;
  }
  for (const std::string& file : {state, code, modes}) EXPECT_EQ(read_file(file), "mine");
  EXPECT_EQ(list_folder(folder).size(), 3u);
  // own results are replaced, beside those of other commands
  const std::string out = scratch.path("out");
  for (int k = 0; k < 2; ++k) {
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"run", model, "--duration", "0.1", "--out", out},
          {"linearize", model, "--at", "equilibrium", "--out", out},
          {"generate", model, "--out", out}}) {
      const CommandResult result = run_cartan(words);
      EXPECT_EQ(result.status, 0) << result.err;
    }
  }
  EXPECT_TRUE(fs::exists(out + "/trajectory.csv") && fs::exists(out + "/linearize.json") &&
              fs::exists(out + "/pendulum.c"));
}

const char* const falling_apart =
    "name = \"blow-up\"\n[variables]\nx = { initial = 1, rate = \"x^2\" }\n"
    "[[event]]\nname = \"two\"\nwhen = \"x - 2\"\n"
    "[simulate]\nduration = 2\nstep = 0.01\nintegrator = \"dop853\"\n";

TEST(Partial, IsKeptWhenAskedForAndMarkedInEveryFile) {
  const Scratch scratch;
  const std::string model = scratch.write("m.toml", falling_apart), out = scratch.path("out");
  const CommandResult lost = run_cartan({"run", model, "--out", out});
  EXPECT_EQ(lost.status, 1);
  EXPECT_FALSE(fs::exists(out));
  const CommandResult kept = run_cartan({"run", model, "--out", out, "--keep-partial"});
  EXPECT_EQ(kept.status, 1);
  EXPECT_TRUE(contains(kept.err, "marked as a part")) << kept.err;
  int files = 0;
  for (const std::string& name : list_folder(out)) {
    ++files;
    EXPECT_TRUE(contains(read_file(out + "/" + name), "partial")) << name;
  }
  EXPECT_EQ(files, 5) << "trajectory, events, model, summary, manifest";
  const std::string page = scratch.path("page.html");
  EXPECT_EQ(run_cartan({"view", out, "--export", page}).status, 0);
  EXPECT_TRUE(contains(read_file(page), "(partial)"));
  const auto plot = expect_json(
      run_cartan({"plot", out, "--quantity", "x", "--out", scratch.path("p"), "--json"}));
  EXPECT_TRUE(contains(read_file(plot["files"][0]), "(partial)"));
  for (const std::string& from : {out, out + "/trajectory.csv"})
    expect_refusal(run_cartan({"run", model, "--from", from}), "this is only a part of a run");
  expect_refusal(run_cartan({"fit", model, "--data", out + "/trajectory.csv", "--free", "x"}),
                 "this is only a part of a run");
  // a whole run in the same place is whole again
  ASSERT_EQ(run_cartan({"run", model, "--duration", "0.5", "--out", out, "--keep-partial"}).status,
            0);
  for (const std::string& name : list_folder(out))
    EXPECT_FALSE(contains(read_file(out + "/" + name), "partial")) << name;
  EXPECT_EQ(run_cartan({"run", model, "--from", out, "--duration", "0.1"}).status, 0);
  expect_refusal(run_cartan({"run", model, "--keep-partial"}), "give --out DIR too");
}

TEST(Partial, AnInterruptedRunIsKeptToo) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"pendulum"}), out = scratch.path("out");
  RunningCommand run({"run", model, "--duration", "1e7", "--out", out, "--keep-partial"});
  const auto has_begun = [&] {  // data lie aside
    for (const std::string& name : list_folder(out))
      if (!read_file(out + "/" + name + "/bodies.csv").empty()) return true;
    return false;
  };
  for (int k = 0; k < 3000 && !has_begun(); ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  run.send(SIGINT);
  const CommandResult result = run.wait();
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(contains(result.err, "stopped on request")) << result.err;
  EXPECT_EQ(run_cartan({"plot", out, "--out", scratch.path("p")}).status, 0);
  EXPECT_TRUE(contains(read_file(out + "/bodies.csv"), "# partial: stopped on request"));
}

TEST(Results, AStateThatWasCutOffIsRefused) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"pendulum"}), out = scratch.path("out");
  ASSERT_EQ(run_cartan({"run", model, "--duration", "0.5", "--out", out, "--quiet"}).status, 0);
  const std::string text = read_file(out + "/trajectory.csv");
  const std::string cut = scratch.write("cut.csv", text.substr(0, text.size() - 4));
  expect_refusal(run_cartan({"run", model, "--from", cut}), "cut off");
  fs::resize_file(out + "/trajectory.csv", text.size() - 4);
  expect_refusal(run_cartan({"run", model, "--from", out}), "cut off");
  EXPECT_EQ(run_cartan({"run", model, "--duration", "0.1", "--from",
                        scratch.write("whole.csv", text), "--quiet"})
                .status,
            0);
}

TEST(Results, AnEndlessFileIsNoState) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"pendulum"});
  fs::create_symlink("/dev/zero", scratch.path("zero.csv"));
  expect_refusal(run_cartan({"run", model, "--from", scratch.path("zero.csv")}), "64 MB");
  expect_refusal(run_cartan({"run", model, "--from", "/dev/zero"}), "larger than 256 MB");
}

TEST(Results, TimesBeyondResolutionAreRefused) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"pendulum"});
  for (const char* integrator : {"gl3", "rk4", "dop853", "generalized-alpha", "cvode"})
    for (const std::vector<std::string>& more :
         {std::vector<std::string>{"--duration", "1e17"}, {"--step", "1e-300"}}) {
      std::vector<std::string> words = {"run", model, "--integrator", integrator};
      words.insert(words.end(), more.begin(), more.end());
      SCOPED_TRACE(std::string(integrator) + more[0]);
      expect_refusal(run_cartan(words), "cannot be told apart");
    }
  const std::string state = scratch.write("late.json", "{\"t\": 1e16}");
  expect_refusal(run_cartan({"run", model, "--from", state}), "cannot be told apart");
  const std::string early = scratch.write("early.json", "{\"t\": 1e6}");
  EXPECT_EQ(run_cartan({"run", model, "--from", early, "--duration", "0.1", "--quiet"}).status, 0);
  const CommandResult compare = run_cartan({"compare", model, "--duration", "1e17"});
  EXPECT_NE(compare.status, 0);
}

TEST(Results, FilesOfANewerFormatAreRefused) {
  const Scratch scratch;
  const std::string rest = "[variables]\nx = { initial = 1, rate = \"-x\" }\n";
  EXPECT_EQ(run_cartan({"check", scratch.write("two.toml", "format = 2\n" + rest)}).status, 0);
  EXPECT_EQ(run_cartan({"check", scratch.write("none.toml", rest)}).status, 0);
  const CommandResult newer = run_cartan(
      {"check", scratch.write("three.toml", "format = 3\nnew_key = 1\n[wonders]\na = 1\n" + rest)});
  expect_refusal(newer, "this file has format 3, newer than this program, which reads format 2");
  EXPECT_FALSE(contains(newer.err, "new_key")) << "what else is new there is not complained about";
  expect_refusal(run_cartan({"check", scratch.write("one.toml", "format = 1\n" + rest)}),
                 "there are no files of format 1");
  expect_refusal(run_cartan({"check", scratch.write("text.toml", "format = \"2\"\n" + rest)}),
                 "expected `format = 2`");
  const std::string data = scratch.write("d.csv", "t,x\n0,1\n1,0.4\n");
  const std::string study =
      scratch.write("e.toml", "format = 3\n[[experiment]]\nname = \"a\"\ndata = \"d.csv\"\n");
  expect_refusal(
      run_cartan({"fit", scratch.path("none.toml"), "--experiments", study, "--free", "k"}),
      "this file has format 3");
}

// A page of many megabytes, killed while it is written, leaves nothing behind.
TEST(Results, AKilledExportLeavesNothing) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"pendulum"});
  fs::create_directory(scratch.path("tmp"));
  setenv("TMPDIR", scratch.path("tmp").c_str(), 1);
  fs::create_directory(scratch.path("pages"));
  for (const int wait : {5, 20, 40, 60, 80, 120}) {
    RunningCommand view({"view", model, "--export", scratch.path("pages/page.html")});
    std::this_thread::sleep_for(std::chrono::milliseconds(wait));
    view.send(SIGKILL);
    view.wait();
    for (const std::string& name : list_folder(scratch.path("pages"))) EXPECT_EQ(name, "page.html");
    fs::remove(scratch.path("pages/page.html"));
  }
  // temporary folders of the dead go with the next call, once nobody can be about to use them
  for (const std::string& name : list_folder(scratch.path("tmp")))
    fs::last_write_time(scratch.path("tmp/" + name),
                        fs::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_EQ(run_cartan({"view", model, "--export", scratch.path("page.html")}).status, 0);
  EXPECT_EQ(list_folder(scratch.path("tmp")), std::vector<std::string>{});
  unsetenv("TMPDIR");
}

}  // namespace
}  // namespace cartan::test
