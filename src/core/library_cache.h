// The folder that keeps compiled libraries. It is held below a size: what was not used for longest
// goes first. Work folders of compilations that were killed go after a day.
#pragma once

#include <cstdint>
#include <filesystem>

namespace cartan {

// $XDG_CACHE_HOME/cartan, else ~/.cache/cartan.
std::filesystem::path default_library_cache();

// Marks a library as used now.
void touch_library(const std::filesystem::path& library);

// Once the libraries of `folder` take more than `most` bytes, removes the least recently used until
// half of it is left; `kept` stays. A process that has loaded a removed library keeps it.
void prune_library_cache(const std::filesystem::path& folder, const std::filesystem::path& kept,
                         std::uintmax_t most = std::uintmax_t(512) << 20);

}  // namespace cartan
