// Places in several files. A model may be made of more than one (parts, includes); a `Location`
// stays two numbers, and those of a file other than the model's own carry its index in their high
// bits: line and column need 24 bits each, since no file is larger than 16 MB.
#pragma once

#include <string>

#include "core/diagnostics.h"

namespace cartan::core {

// Files are numbered from 1 in the order they are met, for the whole program; 0 is the model file.
// Equal names get equal numbers. 0 too when there are more files than numbers (16383).
int intern_source_file(const std::string& name);
std::string source_file_name(int file);

Location place_in_file(Location where, int file);
int file_of_place(Location where);
// Line and column as an editor counts them.
Location plain_place(Location where);

// "FILE:LINE:COLUMN" with what is known of it; `main_file` for places of the model file.
std::string place_text(const std::string& main_file, Location where);
// "line 12", "line 12 of leg.toml"
std::string line_text(Location where);

}  // namespace cartan::core
