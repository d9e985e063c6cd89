#include "core/part_library.h"

namespace cartan::core {
namespace {

std::string file_of(const std::string& name) {
  return "libcartan_" + name + ".so";
}

// Major and minor number.
std::string interface_version() {
  const std::string version = CARTAN_VERSION;
  return version.substr(0, version.rfind('.'));
}

}  // namespace

OptionalLibrary load_part(const std::string& name) {
  const std::string file = file_of(name), versioned = file + "." + interface_version();
  return OptionalLibrary({file.c_str(), versioned.c_str()});
}

std::string explain_missing_part(const std::string& name) {
  return file_of(name) +
         ", a part of Cartan, cannot be loaded: it belongs beside the program or its library";
}

}  // namespace cartan::core
