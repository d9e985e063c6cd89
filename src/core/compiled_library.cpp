#include "core/compiled_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "core/checksum.h"
#include "core/child_process.h"
#include "core/environment.h"
#include "core/library_cache.h"

namespace cartan::core {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t long_source = 300000;  // characters: worth a note

std::string contents(const fs::path& file, bool& ok) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  ok = ok && in.good();
  return text.str();
}

// `native` means another thing on another processor.
std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.compare(0, 5, "flags") == 0 || line.compare(0, 8, "Features") == 0) return line;
  return "";
}

struct Compiler {
  std::vector<std::string> words;  // $CC may carry options
  std::string version;
};

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

bool probe(const std::string& command, Compiler& compiler) {
  compiler.words = words_of(command);
  if (compiler.words.empty()) return false;
  std::vector<std::string> question = compiler.words;
  question.push_back("--version");
  const ChildResult answer = run_child(question);
  compiler.version = answer.output();
  return answer.started && answer.status == 0;
}

bool find_compiler(const CompileOptions& options, Compiler& compiler, std::string& problem) {
  std::string asked = options.compiler;
  std::string from = "the compiler asked for";
  if (asked.empty())
    if (const char* cc = environment("CC")) asked = cc, from = "the compiler named in $CC";
  if (!asked.empty()) {
    if (probe(asked, compiler)) return true;
    problem = fmt::format(
        "{}, '{}', cannot be run; name a C compiler that can (CC=gcc), or unset CC to have cc, gcc "
        "or clang looked for",
        from, asked);
    return false;
  }
  for (const char* name : {"cc", "gcc", "clang"})
    if (probe(name, compiler)) return true;
  problem =
      "there is no C compiler (cc, gcc, clang), and generated code has to be compiled; install one "
      "(on Debian: apt-get install gcc) or name one in $CC";
  return false;
}

bool is_gcc(const Compiler& compiler) {
  return compiler.version.find("Free Software Foundation") != std::string::npos;
}

// The first lines of what a compiler says.
std::string beginning(const std::string& text) {
  std::istringstream in(text);
  std::string result, line;
  for (int k = 0; k < 6 && std::getline(in, line); ++k) result += "\n  " + line;
  return result;
}

}  // namespace

std::vector<std::string> find_c_compiler(std::string& problem) {
  Compiler compiler;
  return find_compiler({}, compiler, problem) ? compiler.words : std::vector<std::string>{};
}

CompiledLibrary::~CompiledLibrary() {
  if (handle_) dlclose(handle_);
}

void* CompiledLibrary::address(const std::string& name) const {
  return dlsym(handle_, name.c_str());
}

std::shared_ptr<const CompiledLibrary> CompiledLibrary::load(const fs::path& file,
                                                             bool was_cached) {
  dlerror();  // forgets earlier ones
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return nullptr;
  return std::shared_ptr<const CompiledLibrary>(new CompiledLibrary(handle, file, was_cached));
}

std::shared_ptr<const CompiledLibrary> CompiledLibrary::open(const fs::path& file,
                                                             std::string& problem) {
  auto loaded = load(file, true);
  if (!loaded) {
    const char* why = dlerror();
    problem =
        fmt::format("it cannot be loaded as a shared library: {}", why ? why : "unknown reason");
  }
  return loaded;
}

std::shared_ptr<const CompiledLibrary> CompiledLibrary::compile(const std::string& source,
                                                                const CompileOptions& options,
                                                                std::string& problem) {
  Compiler compiler;
  if (!find_compiler(options, compiler, problem)) return nullptr;
  std::vector<std::string> words = compiler.words;
  // Functions of the user keep their meaning where another library has one of the same name.
  if (options.cpp)
    words.insert(words.end(), {"-x", "c++", "-std=c++17", "-fno-exceptions", "-fno-rtti"});
  else
    words.push_back("-std=c99");
  words.insert(words.end(), {"-shared", "-fPIC", "-Wl,-Bsymbolic"});
  words.insert(words.end(), options.flags.begin(), options.flags.end());
  if (is_gcc(compiler))
    words.insert(words.end(), options.gcc_flags.begin(), options.gcc_flags.end());

  std::string key = source + '\0' + compiler.version + '\0' + processor();
  for (const std::string& word : words) key += '\0' + word;
  for (const fs::path& file : options.sources) {
    bool ok = true;
    key += '\0' + contents(file, ok);
    if (!ok) {
      problem =
          fmt::format("the C file '{}' with functions of yours cannot be read", file.string());
      return nullptr;
    }
  }
  const fs::path folder = open_library_cache(options.cache, problem);
  if (folder.empty()) return nullptr;
  const std::string name = checksum_of(key);
  const fs::path library = folder / (name + ".so");
  std::error_code error;
  if (is_sealed(library))
    if (auto loaded = load(library, true)) {
      touch_library(library);
      return loaded;
    }

  std::string aside = (folder / (name + "-XXXXXX")).string();
  if (!mkdtemp(aside.data())) {
    problem = fmt::format(
        "compiled code cannot be kept in '{}' ({}); set XDG_CACHE_HOME to a folder that can be "
        "written",
        folder.string(), std::strerror(errno));
    return nullptr;
  }
  const fs::path work = aside;
  std::ofstream(work / "code.c", std::ios::binary) << source;
  words.insert(words.end(), {"-o", (work / "code.so").string(), (work / "code.c").string()});
  if (options.cpp) words.insert(words.end(), {"-x", "none"});
  for (const fs::path& file : options.sources) {
    words.push_back(file.string());
    if (file.extension() != ".c") words.push_back("-Wl,-rpath," + file.parent_path().string());
  }
  words.push_back("-lm");
  if (options.note && source.size() > long_source)
    options.note(fmt::format("compiling {:.1f} MB of C, once", 1e-6 * double(source.size())));
  const ChildResult result = run_child(words);
  std::shared_ptr<const CompiledLibrary> loaded;
  if (result.started && result.status != 0 && stop_wanted()) {
    problem = "interrupted while the C compiler worked";
  } else if (!result.started || result.status != 0) {
    problem =
        fmt::format("the C compiler '{}' failed{}", compiler.words[0], beginning(result.output()));
  } else {
    if (!seal_library(work / "code.so")) error = std::make_error_code(std::errc::io_error);
    if (!error) fs::rename(work / "code.so", library, error);
    loaded = error ? nullptr : load(library, false);
    if (!loaded) {
      const char* why = dlerror();
      problem = fmt::format("compiled code cannot be loaded: {}", error ? error.message()
                                                                  : why ? why
                                                                        : "unknown reason");
    }
  }
  fs::remove_all(work, error);
  prune_library_cache(folder, library);
  return loaded;
}

}  // namespace cartan::core
