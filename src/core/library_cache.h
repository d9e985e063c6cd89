// The folder that keeps compiled libraries. Nobody but the user can write to it, so that nobody
// else decides what is loaded, and every library carries its length and checksum, so that one that
// was cut off is not. It is held below a size: what was not used for longest goes first. Work
// folders of compilations that were killed go after a day.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/folders.h"

namespace cartan::core {

// $XDG_CACHE_HOME/cartan, else ~/.cache/cartan; empty where neither variable holds an absolute
// path.
std::filesystem::path default_library_cache();

// The folder to use: `asked`, or with an empty one the default cache, or where that cannot be had
// for the user alone a fresh folder that goes with this process. Empty, with a sentence in
// `problem`, where there is none.
std::filesystem::path open_library_cache(const std::filesystem::path& asked, std::string& problem);

// Appends length and checksum to a library, which the loader does not mind, and closes the file to
// others.
bool seal_library(const std::filesystem::path& library);
// Is it a library that was sealed here and has not changed since, in the user's own file?
bool is_sealed(const std::filesystem::path& library);

// Marks a library as used now.
void touch_library(const std::filesystem::path& library);

// Once the libraries of `folder` take more than `most` bytes, removes the least recently used until
// half of it is left; `kept` stays. A process that has loaded a removed library keeps it.
void prune_library_cache(const std::filesystem::path& folder, const std::filesystem::path& kept,
                         std::uintmax_t most = std::uintmax_t(512) << 20);

}  // namespace cartan::core
