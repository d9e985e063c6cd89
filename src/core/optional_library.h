// A shared library of others that is loaded when it is first asked for: the program needs it
// neither to be built nor to start.
//
//   OptionalLibrary library({"libnetcdf.so.19", "libnetcdf.so"}, "CARTAN_NETCDF_LIBRARY");
//   library.find("nc_create", netcdf.create);
//   library.find("nc_close", netcdf.close);
//   netcdf.whole = library.is_whole();
#pragma once

#include <initializer_list>

#include "core/folders.h"

namespace cartan::core {

class OptionalLibrary {
 public:
  enum class Names { own, shared };  // shared: libraries loaded later see its functions

  // The first of the files that can be loaded; only the one that the environment variable `chosen`
  // names, where it does. It stays loaded until the program ends.
  explicit OptionalLibrary(std::initializer_list<const char*> files, const char* chosen = nullptr,
                           Names names = Names::own);

  bool is_loaded() const { return handle_ != nullptr; }

  // Sets a pointer to a function or to data of the library; null where there is none of that name.
  template <class Pointer>
  void find(const char* name, Pointer& pointer) {
    pointer = reinterpret_cast<Pointer>(address(name));
  }

  // It is loaded, and everything looked for was there.
  bool is_whole() const { return handle_ && !lacks_; }

 private:
  void* address(const char* name);

  void* handle_ = nullptr;
  bool lacks_ = false;
};

}  // namespace cartan::core
