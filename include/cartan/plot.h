// Charts of what was written: `cartan plot`.
//
//   cartan::run(cartan::load("model.toml"), {.duration = 1, .out = "drawn", .force = true});
//   for (const std::string& file : cartan::plot({"drawn"}, {.quantity = {"energy"}}))
//     std::puts(file.c_str());
#pragma once

#include <string>
#include <vector>

#include <cartan/error.h>
#include <cartan/options.h>

namespace cartan::api {

// Draws folders of results or tables (.csv; .json of `compare`); the files written.
CARTAN_API std::vector<std::string> plot(const std::vector<std::string>& paths,
                                         const PlotOptions& options = {});

}  // namespace cartan::api
