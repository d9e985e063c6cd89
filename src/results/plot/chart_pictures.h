// Charts as PNG, drawn by a browser without a window.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "core/folders.h"

namespace cartan::results {

struct ChartPicture {
  std::string svg;   // its text
  std::string file;  // .png to write
};

// One browser draws all of them (to start it takes seconds), twice as fine as the charts' own
// pixels. False with a sentence in `problem`, and nothing written, when there is none or it fails.
bool write_pictures(const std::vector<ChartPicture>& pictures, const std::atomic<bool>* stop,
                    std::string& problem);

}  // namespace cartan::results
