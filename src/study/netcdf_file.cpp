#include "study/netcdf_file.h"

#include <cstdlib>

#include <fmt/format.h>

#include "core/optional_library.h"

namespace cartan::study {
namespace {

// The functions of libnetcdf that are used; their C interface has not changed since version 4.0.
struct NetcdfLibrary {
  using Sizes = const std::size_t*;
  int (*create)(const char*, int, int*) = nullptr;
  int (*def_dim)(int, const char*, std::size_t, int*) = nullptr;
  int (*def_var)(int, const char*, int, int, const int*, int*) = nullptr;
  int (*put_att_text)(int, int, const char*, std::size_t, const char*) = nullptr;
  int (*put_att_double)(int, int, const char*, int, std::size_t, const double*) = nullptr;
  int (*put_att_schar)(int, int, const char*, int, std::size_t, const signed char*) = nullptr;
  int (*enddef)(int) = nullptr;
  int (*put_vara_double)(int, int, Sizes, Sizes, const double*) = nullptr;
  int (*put_vara_schar)(int, int, Sizes, Sizes, const signed char*) = nullptr;
  int (*put_vara_longlong)(int, int, Sizes, Sizes, const long long*) = nullptr;
  int (*put_vara_string)(int, int, Sizes, Sizes, const char**) = nullptr;
  int (*close)(int) = nullptr;
  const char* (*strerror)(int) = nullptr;
  bool whole = false;
};

NetcdfLibrary load_netcdf() {
  NetcdfLibrary nc;
  OptionalLibrary library(
      {"libnetcdf.so.19", "libnetcdf.so.22", "libnetcdf.so.18", "libnetcdf.so.15", "libnetcdf.so"},
      "CARTAN_NETCDF_LIBRARY");
  library.find("nc_create", nc.create);
  library.find("nc_def_dim", nc.def_dim);
  library.find("nc_def_var", nc.def_var);
  library.find("nc_put_att_text", nc.put_att_text);
  library.find("nc_put_att_double", nc.put_att_double);
  library.find("nc_put_att_schar", nc.put_att_schar);
  library.find("nc_enddef", nc.enddef);
  library.find("nc_put_vara_double", nc.put_vara_double);
  library.find("nc_put_vara_schar", nc.put_vara_schar);
  library.find("nc_put_vara_longlong", nc.put_vara_longlong);
  library.find("nc_put_vara_string", nc.put_vara_string);
  library.find("nc_close", nc.close);
  library.find("nc_strerror", nc.strerror);
  nc.whole = library.is_whole();
  return nc;
}

const NetcdfLibrary& netcdf() {
  static const NetcdfLibrary library = load_netcdf();
  return library;
}

constexpr int netcdf4_format = 0x1000, whole_file = -1;  // NC_NETCDF4, NC_GLOBAL

}  // namespace

std::string NetcdfFile::missing() {
  if (netcdf().whole) return "";
  return "the NetCDF library is not installed (Debian package libnetcdf19); install it, then "
         "call for the study again and go on with it; or name it in CARTAN_NETCDF_LIBRARY";
}

std::unique_ptr<NetcdfFile> NetcdfFile::create(const std::string& path, std::string& problem) {
  std::unique_ptr<NetcdfFile> file(new NetcdfFile);
  file->path_ = path;
  const int status = netcdf().create(path.c_str(), netcdf4_format, &file->file_);
  if (status == 0) return file;
  file->file_ = -1;
  problem = fmt::format("cannot write '{}': {}", path, netcdf().strerror(status));
  return nullptr;
}

NetcdfFile::~NetcdfFile() {
  if (file_ >= 0) netcdf().close(file_);
}

void NetcdfFile::note(int status) {
  if (status != 0 && problem_.empty())
    problem_ = fmt::format("cannot write '{}': {}", path_, netcdf().strerror(status));
}

int NetcdfFile::add_dimension(const std::string& name, std::size_t length) {
  int handle = -1;
  if (problem_.empty()) note(netcdf().def_dim(file_, name.c_str(), length, &handle));
  return handle;
}

int NetcdfFile::add_variable(const std::string& name, NetcdfType type,
                             std::vector<int> dimensions) {
  int handle = -1;
  if (problem_.empty())
    note(netcdf().def_var(file_, name.c_str(), static_cast<int>(type),
                          static_cast<int>(dimensions.size()), dimensions.data(), &handle));
  return handle;
}

void NetcdfFile::add_text(int variable, const std::string& name, const std::string& text) {
  if (problem_.empty())
    note(netcdf().put_att_text(file_, variable < 0 ? whole_file : variable, name.c_str(),
                               text.size(), text.data()));
}

void NetcdfFile::add_number(int variable, const std::string& name, double value) {
  if (problem_.empty())
    note(netcdf().put_att_double(file_, variable < 0 ? whole_file : variable, name.c_str(),
                                 static_cast<int>(NetcdfType::real), 1, &value));
}

void NetcdfFile::add_bytes(int variable, const std::string& name,
                           std::span<const signed char> values) {
  if (problem_.empty())
    note(netcdf().put_att_schar(file_, variable, name.c_str(), static_cast<int>(NetcdfType::byte),
                                values.size(), values.data()));
}

void NetcdfFile::end_definitions() {
  if (problem_.empty()) note(netcdf().enddef(file_));
}

void NetcdfFile::put(int variable, const std::vector<std::size_t>& start,
                     const std::vector<std::size_t>& count, const double* values) {
  if (problem_.empty())
    note(netcdf().put_vara_double(file_, variable, start.data(), count.data(), values));
}

void NetcdfFile::put(int variable, std::size_t start, std::span<const signed char> values) {
  const std::size_t count = values.size();
  if (problem_.empty())
    note(netcdf().put_vara_schar(file_, variable, &start, &count, values.data()));
}

void NetcdfFile::put(int variable, std::size_t start, std::span<const long long> values) {
  const std::size_t count = values.size();
  if (problem_.empty())
    note(netcdf().put_vara_longlong(file_, variable, &start, &count, values.data()));
}

void NetcdfFile::put(int variable, std::size_t start, const std::string& words) {
  const std::size_t count = 1;
  const char* text = words.c_str();
  if (problem_.empty()) note(netcdf().put_vara_string(file_, variable, &start, &count, &text));
}

bool NetcdfFile::close(std::string& problem) {
  if (file_ >= 0) note(netcdf().close(file_));
  file_ = -1;
  if (!problem_.empty()) problem = problem_;
  return problem_.empty();
}

std::string netcdf_name(const std::string& name) {
  std::string result;
  for (const char c : name) result += c == '/' || (c >= 0 && c < ' ') || c == 127 ? '_' : c;
  while (!result.empty() && result.back() == ' ') result.pop_back();
  const char first = result.empty() ? ' ' : result[0];
  const bool letter = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') ||
                      (first >= '0' && first <= '9') || first == '_' || first < 0;
  return letter ? result : "_" + result;
}

}  // namespace cartan::study
