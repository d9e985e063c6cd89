// Compiling and loading: the cache, compilers that are absent or fail, several processes at once.
#include "core/compiled_library.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <map>

#include "core/library_cache.h"
#include "work_folder.h"

namespace cartan::test {
namespace {

namespace fs = std::filesystem;

const char* const code = "double twice(double x) { return 2 * x; }\n";

CompileOptions options_in(const WorkFolder& folder) {
  CompileOptions options;
  options.cache = folder.path() / "cache";
  return options;
}

std::shared_ptr<const CompiledLibrary> compile(const std::string& source,
                                               const CompileOptions& options) {
  std::string problem;
  auto library = CompiledLibrary::compile(source, options, problem);
  EXPECT_EQ(problem, "");
  return library;
}

std::string problem_with(const std::string& source, const CompileOptions& options) {
  std::string problem;
  EXPECT_EQ(CompiledLibrary::compile(source, options, problem), nullptr);
  return problem;
}

TEST(CompiledLibrary, IsCompiledOnce) {
  const WorkFolder folder;
  const CompileOptions options = options_in(folder);
  const auto first = compile(code, options), second = compile(code, options);
  ASSERT_NE(first, nullptr);
  ASSERT_NE(second, nullptr);
  EXPECT_FALSE(first->was_cached());
  EXPECT_TRUE(second->was_cached());
  EXPECT_EQ(second->function<double(double)>("twice")(3), 6);
  EXPECT_EQ(second->address("thrice"), nullptr);
  // nothing is left aside
  EXPECT_EQ(std::distance(fs::directory_iterator(options.cache), {}), 1);
}

TEST(CompiledLibrary, OtherSourceOrFlagsAreAnotherLibrary) {
  const WorkFolder folder;
  CompileOptions options = options_in(folder);
  const auto first = compile(code, options);
  const auto other = compile("double twice(double x) { return x + x; }\n", options);
  options.flags[0] = "-O1";
  const auto again = compile(code, options);
  ASSERT_TRUE(first && other && again);
  EXPECT_FALSE(other->was_cached());
  EXPECT_FALSE(again->was_cached());
}

TEST(CompiledLibrary, DamagedEntriesAreMadeAnew) {
  const WorkFolder folder;
  const CompileOptions options = options_in(folder);
  fs::path file;
  {
    const auto library = compile(code, options);
    ASSERT_NE(library, nullptr);
    file = library->file();
  }
  for (const char* damage : {"", "no library"}) {
    fs::remove(file);
    std::ofstream(file) << damage;
    const auto library = compile(code, options);
    ASSERT_NE(library, nullptr);
    EXPECT_FALSE(library->was_cached());
    EXPECT_EQ(library->function<double(double)>("twice")(4), 8);
  }
}

// A library that is cut off may still load, and then crashes whoever calls it.
TEST(CompiledLibrary, WhatWasCutOffOrChangedIsNotLoaded) {
  const WorkFolder folder;
  const CompileOptions options = options_in(folder);
  fs::path file;
  {
    const auto library = compile(code, options);
    ASSERT_NE(library, nullptr);
    file = library->file();
  }
  const auto spoil = [&](auto&& change) {
    fs::copy_file(file, file.string() + "2");  // a new file: the old one may be mapped
    change(file.string() + "2");
    fs::rename(file.string() + "2", file);
    EXPECT_FALSE(is_sealed(file));
    const auto library = compile(code, options);
    ASSERT_NE(library, nullptr);
    EXPECT_FALSE(library->was_cached());
    EXPECT_EQ(library->function<double(double)>("twice")(4), 8);
  };
  const std::uintmax_t size = fs::file_size(file);
  for (const std::uintmax_t left : {size - 1, size - 60, size / 2, std::uintmax_t{1}})
    spoil([&](const std::string& path) { fs::resize_file(path, left); });
  spoil([&](const std::string& path) {
    std::fstream stream(path, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(static_cast<std::streamoff>(size / 2));
    stream.put('\x5a');
    stream.put('\xa5');
  });
  EXPECT_TRUE(compile(code, options)->was_cached());
}

// A library that somebody else could have put there is not loaded.
TEST(CompiledLibrary, OnlyFoldersOfTheUsersOwnKeepCode) {
  const WorkFolder folder;
  CompileOptions options = options_in(folder);
  fs::path file;
  {
    const auto library = compile(code, options);
    ASSERT_NE(library, nullptr);
    file = library->file();
  }
  EXPECT_EQ(fs::status(options.cache).permissions(), fs::perms::owner_all);
  // the file itself
  fs::permissions(file, fs::perms::group_write, fs::perm_options::add);
  EXPECT_FALSE(compile(code, options)->was_cached());
  EXPECT_TRUE(compile(code, options)->was_cached());
  // its folder: closed, and what it held is not believed
  fs::permissions(options.cache, fs::perms::others_all, fs::perm_options::add);
  EXPECT_FALSE(compile(code, options)->was_cached());
  EXPECT_EQ(fs::status(options.cache).permissions(), fs::perms::owner_all);
  EXPECT_TRUE(compile(code, options)->was_cached());
  // the folder above
  fs::permissions(folder.path(), fs::perms::others_all, fs::perm_options::add);
  EXPECT_NE(problem_with(code, options).find("others may write to"), std::string::npos);
  fs::permissions(folder.path(), fs::perms::owner_all);
  if (geteuid() != 0) return;
  // another user's
  ASSERT_EQ(chown(options.cache.c_str(), 12345, 12345), 0);
  EXPECT_NE(problem_with(code, options).find("belongs to another user"), std::string::npos);
}

// Without HOME there is no place that can be foreseen.
TEST(CompiledLibrary, WithoutAHomeTheCacheIsOfTheProcess) {
  const WorkFolder folder;
  std::map<std::string, std::string> held;
  for (const char* name : {"XDG_CACHE_HOME", "HOME", "TMPDIR"}) {
    if (const char* value = std::getenv(name)) held[name] = value;
    unsetenv(name);
  }
  setenv("TMPDIR", folder.path().c_str(), 1);
  setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(default_library_cache(), "");
  const auto first = compile(code, {}), second = compile(code, {});
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->file().parent_path().parent_path(), folder.path());
  EXPECT_EQ(first->file().parent_path().filename().string().substr(0, 12), "cartan-code-");
  EXPECT_TRUE(second->was_cached());
  EXPECT_FALSE(fs::exists("relative"));
  unsetenv("TMPDIR");
  unsetenv("XDG_CACHE_HOME");
  for (const auto& [name, value] : held) setenv(name.c_str(), value.c_str(), 1);
}

// A compiler that writes down its words, one in a line, and does what cc does.
std::vector<std::string> words_for(const std::string& source, const WorkFolder& folder) {
  const fs::path script = folder.path() / "recording-cc", list = folder.path() / "words";
  std::ofstream(script) << "#!/bin/sh\nprintf '%s\\n' \"$@\" > " << list << "\nexec cc \"$@\"\n";
  fs::permissions(script, fs::perms::owner_all);
  CompileOptions options = options_in(folder);
  options.compiler = script;
  options.flags = {"-O0", "-DASKED"};
  EXPECT_NE(compile(source, options), nullptr);
  std::ifstream in(list);
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word);)
    if (word.find(folder.path()) == std::string::npos) words.push_back(word);
  return words;
}

TEST(CompiledLibrary, TheCompilerGetsTheFlagsOfTheCallerHoweverLongTheCodeIs) {
  const WorkFolder folder;
  const std::vector<std::string> few = words_for(code, folder);
  const std::string long_code = code + ("/* " + std::string(1000000, '.') + " */\n");
  EXPECT_EQ(words_for(long_code, folder), few);
  std::vector<std::string> levels;
  for (const std::string& word : few)
    if (word.starts_with("-O") || word.starts_with("-fno")) levels.push_back(word);
  EXPECT_EQ(levels, std::vector<std::string>{"-O0"});
}

TEST(CompiledLibrary, CacheIsInTheUsersFolder) {
  const char* before = std::getenv("XDG_CACHE_HOME");
  const std::string held = before ? before : "";
  setenv("XDG_CACHE_HOME", "/tmp/somewhere", 1);
  EXPECT_EQ(default_library_cache(), fs::path("/tmp/somewhere/cartan"));
  unsetenv("XDG_CACHE_HOME");
  if (const char* home = std::getenv("HOME"))
    EXPECT_EQ(default_library_cache(), fs::path(home) / ".cache" / "cartan");
  if (before) setenv("XDG_CACHE_HOME", held.c_str(), 1);
}

TEST(CompiledLibrary, ProcessesMayCompileAtOnce) {
  const WorkFolder folder;
  const CompileOptions options = options_in(folder);
  std::vector<pid_t> children;
  for (int k = 0; k < 3; ++k) {
    const pid_t child = fork();
    if (child == 0) {
      std::string problem;
      const auto library = CompiledLibrary::compile(code, options, problem);
      _exit(library && library->function<double(double)>("twice")(5) == 10 ? 0 : 1);
    }
    ASSERT_GT(child, 0);
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(options.cache), {}), 1);
}

TEST(CompiledLibrary, AnAbsentCompilerIsTold) {
  const WorkFolder folder;
  CompileOptions options = options_in(folder);
  options.compiler = "no-such-compiler-here";
  EXPECT_EQ(
      problem_with(code, options),
      "the compiler asked for, 'no-such-compiler-here', cannot be run; name a C compiler that "
      "can (CC=gcc), or unset CC to have cc, gcc or clang looked for");
  const char* cc = std::getenv("CC");
  const std::string held_cc = cc ? cc : "", path = std::getenv("PATH");
  options.compiler = "";
  setenv("CC", "nothing-at-all", 1);
  EXPECT_NE(problem_with(code, options).find("named in $CC, 'nothing-at-all'"), std::string::npos);
  unsetenv("CC");
  setenv("PATH", "/nowhere", 1);
  EXPECT_NE(problem_with(code, options).find("there is no C compiler (cc, gcc, clang)"),
            std::string::npos);
  setenv("PATH", path.c_str(), 1);
  if (cc) setenv("CC", held_cc.c_str(), 1);
}

TEST(CompiledLibrary, ProblemsAreSentences) {
  const WorkFolder folder;
  CompileOptions options = options_in(folder);
  EXPECT_NE(problem_with("double broken(", options).find("failed"), std::string::npos);
  // a function that nobody gives is found when the library is loaded
  const std::string missing = problem_with(
      "extern double nobody(double);\ndouble f(double x) { return nobody(x); }\n", options);
  EXPECT_NE(missing.find("nobody"), std::string::npos) << missing;
  options.sources = {folder.path() / "absent.c"};
  EXPECT_NE(problem_with(code, options).find("cannot be read"), std::string::npos);
  options = options_in(folder);
  folder.write("file", "");
  options.cache = folder.path() / "file" / "cache";
  EXPECT_NE(problem_with(code, options).find("XDG_CACHE_HOME"), std::string::npos);
}

}  // namespace
}  // namespace cartan::test
