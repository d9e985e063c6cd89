// Ready model files.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cartan {

struct TemplateOptions {
  std::optional<int> links;  // chain
  std::string joint;         // chain: "spherical" or "revolute"
};

struct Template {
  const char* name;
  const char* summary;
  bool takes_links;
  std::string (*make)(const TemplateOptions& options);
};

const std::vector<Template>& template_table();

}  // namespace cartan
