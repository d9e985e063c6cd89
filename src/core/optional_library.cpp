#include "core/optional_library.h"

#include <dlfcn.h>

#include "core/environment.h"

namespace cartan::core {

OptionalLibrary::OptionalLibrary(std::initializer_list<const char*> files, const char* chosen,
                                 Names names) {
  const int mode = RTLD_NOW | (names == Names::shared ? RTLD_GLOBAL : RTLD_LOCAL);
  if (const char* own = chosen ? environment(chosen) : nullptr) {
    handle_ = dlopen(own, mode);
    return;
  }
  for (const char* file : files)
    if (!handle_) handle_ = dlopen(file, mode);
}

void* OptionalLibrary::address(const char* name) {
  void* const found = handle_ ? dlsym(handle_, name) : nullptr;
  lacks_ = lacks_ || !found;
  return found;
}

}  // namespace cartan::core
