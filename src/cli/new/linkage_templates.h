// Ready models of linkages with as many stages as asked for.
#pragma once

#include <string>

#include "cli/new/templates.h"

namespace cartan::cli {

std::string make_scissor(const TemplateOptions& options);  // 3 stages unless --links says otherwise
std::string make_ladder(const TemplateOptions& options);

}  // namespace cartan::cli
