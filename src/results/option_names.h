// Remedies of the library in the words of the command line.
//
// Messages of analyses tell what to do without knowing how a user does it ("ask for a driven
// orbit"); here the option is added: "ask for a driven orbit (--driven)".
#pragma once

#include <string>

#include "core/folders.h"

namespace cartan::results {

std::string name_options(std::string message);

}  // namespace cartan::results
