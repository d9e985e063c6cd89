// Ready model files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/folders.h"

namespace cartan::cli {

struct TemplateOptions {
  std::optional<int> links;  // chain, scissor, ladder
  std::string joint;         // chain: "spherical" or "revolute"
};

struct Template {
  const char* name;
  const char* summary;
  std::string (*make)(const TemplateOptions& options);
  bool takes_links = false;
  bool takes_joint = false;
};

const std::vector<Template>& template_table();

}  // namespace cartan::cli
