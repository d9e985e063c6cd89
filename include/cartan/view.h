// Machines and motions to look at, as one page without a server: `cartan view --export`.
//
//   const cartan::Model model = cartan::load("model.toml");
//   try {
//     std::ofstream("assembly.html") << cartan::view(model);
//     std::ofstream("motion.html") << cartan::view_run(cartan::run(model, {.duration = 1}));
//   } catch (const cartan::Error& error) {
//     std::puts(error.what());  // the viewer's page has not been built: `./cartan view` does
//   }
#pragma once

#include <cartan/run.h>

namespace cartan::api {

// The initial assembly of a model, as HTML. The model's own code is not run.
CARTAN_API std::string view(const Model& model, const ViewOptions& options = {});
// A run: bodies in motion, forces, traces, plots.
CARTAN_API std::string view_run(const Run& run, const ViewOptions& options = {});
// The folder of an earlier run.
CARTAN_API std::string view_folder(const std::string& folder, const ViewOptions& options = {});

}  // namespace cartan::api
