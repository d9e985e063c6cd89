// C code compiled by the system's compiler and loaded into this process.
//
// The result is kept under $XDG_CACHE_HOME/cartan (or ~/.cache/cartan), named by a hash of source,
// flags, compiler and processor, so that the same code is compiled once. It is written aside and
// renamed when complete: several processes may compile the same code at once. A file that is
// damaged or cannot be loaded is made anew. library_cache.h keeps the folder private and small.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/folders.h"

namespace cartan::core {

// The compiler gets the flags that stand here, whatever the code is like; beside them only what
// makes a library of it.
struct CompileOptions {
  std::string compiler;  // empty: $CC, cc, gcc or clang, the first there is
  bool cpp = false;      // C++17 without its library, exceptions and types at run time
  std::vector<std::string> flags = {"-O2", "-march=native", "-fno-math-errno",
                                    "-ffp-contract=fast"};
  std::vector<std::string> gcc_flags;  // after those, where the compiler is GCC
  // C files and shared libraries of the user, compiled and linked along
  std::vector<std::filesystem::path> sources;
  std::filesystem::path cache;  // empty: see above
  // Told, at most once, when the compiler has to run and the code is long.
  std::function<void(const std::string&)> note;
};

// The command of the C compiler that would be used ($CC may carry options), or nothing and a
// sentence with the remedy.
std::vector<std::string> find_c_compiler(std::string& problem);

class CompiledLibrary {
 public:
  // Null, and the problem as a sentence with its remedy, when there is no library.
  static std::shared_ptr<const CompiledLibrary> compile(const std::string& source,
                                                        const CompileOptions& options,
                                                        std::string& problem);
  // A shared library of the user.
  static std::shared_ptr<const CompiledLibrary> open(const std::filesystem::path& file,
                                                     std::string& problem);
  ~CompiledLibrary();
  CompiledLibrary(const CompiledLibrary&) = delete;
  CompiledLibrary& operator=(const CompiledLibrary&) = delete;

  // Null when the code has no such function.
  template <class Function>
  Function* function(const std::string& name) const {
    return reinterpret_cast<Function*>(address(name));
  }
  void* address(const std::string& name) const;
  bool was_cached() const { return was_cached_; }
  const std::filesystem::path& file() const { return file_; }

 private:
  CompiledLibrary(void* handle, std::filesystem::path file, bool was_cached)
      : handle_(handle), file_(std::move(file)), was_cached_(was_cached) {}
  static std::shared_ptr<const CompiledLibrary> load(const std::filesystem::path& file,
                                                     bool was_cached);

  void* handle_;
  std::filesystem::path file_;
  bool was_cached_;
};

}  // namespace cartan::core
