// The symbolic equations of motion: `cartan equations`.
//
//   const cartan::Model model = cartan::load("model.toml");
//   std::puts(cartan::equations(model).c_str());
//   std::puts(cartan::equations(model, {.format = "latex", .form = "lagrange"}).c_str());
#pragma once

#include <cartan/model.h>

namespace cartan::api {

// The equations as text or as a LaTeX document.
CARTAN_API std::string equations(const Model& model, const EquationsOptions& options = {});

}  // namespace cartan::api
