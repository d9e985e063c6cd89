// NetCDF-4 files through the library of the system, which is loaded when the first one is written:
// the program needs neither its headers to be built nor itself to start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/folders.h"

namespace cartan::study {

enum class NetcdfType { text = 2, byte = 1, real = 6, whole = 10, words = 12 };

class NetcdfFile {
 public:
  // "" where the library is there, else a sentence that says what to do.
  static std::string missing();
  // Null with a sentence. The library must be there.
  static std::unique_ptr<NetcdfFile> create(const std::string& path, std::string& problem);
  ~NetcdfFile();
  NetcdfFile(const NetcdfFile&) = delete;
  NetcdfFile& operator=(const NetcdfFile&) = delete;

  // Handles; after the first failure nothing more is done, and close() tells it.
  int add_dimension(const std::string& name, std::size_t length);
  int add_variable(const std::string& name, NetcdfType type, std::vector<int> dimensions);
  // variable -1: of the file
  void add_text(int variable, const std::string& name, const std::string& text);
  void add_number(int variable, const std::string& name, double value);
  void add_bytes(int variable, const std::string& name, std::span<const signed char> values);
  void end_definitions();

  // A piece of a variable from `start`, `count` long in every dimension.
  void put(int variable, const std::vector<std::size_t>& start,
           const std::vector<std::size_t>& count, const double* values);
  void put(int variable, std::size_t start, std::span<const signed char> values);
  void put(int variable, std::size_t start, std::span<const long long> values);
  void put(int variable, std::size_t start, const std::string& words);
  bool close(std::string& problem);

 private:
  NetcdfFile() = default;
  void note(int status);
  int file_ = -1;
  std::string path_, problem_;
};

// A name NetCDF allows: what it does not becomes an underscore.
std::string netcdf_name(const std::string& name);

}  // namespace cartan::study
