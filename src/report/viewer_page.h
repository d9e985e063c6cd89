// The viewer's page: one HTML file, built from viewer/ and kept beside the program.
#pragma once

#include <optional>
#include <string>

#include "core/folders.h"

namespace cartan::report {

// The page without data: viewer.html in the folder of the program or of the library, or the file
// that the environment variable CARTAN_VIEWER names. Nothing, with a sentence in `problem`, when
// there is none.
std::optional<std::string> read_viewer_page(std::string& problem);

// The page with a document of viewer_data() inside: it needs no server and no network. For a part
// of another page, put it into an iframe.
std::string page_with_data(const std::string& page, const std::string& data);

}  // namespace cartan::report
