// Repetition and parts: what a model file says in short is written out before it is read. Works on
// the tree of the file, so every section has both, and keeps the places of what it copies.
//
//   [[body]]                         [[part]]
//   repeat = "n"                     file = "leg.toml"
//   name = "link{i}"                 name = "left"             # names become left_hip, left_length
//   mass = "m/i"                     on = "trunk"              # what the part's world stands on
//   first = { mass = 2 }             at = [0, 0.2, 0]
//                                    set = { length = 0.4 }
#pragma once

#include <map>
#include <string>

#include "io/toml_tree.h"
#include "model/consent.h"

namespace cartan::io {

struct ExpandOptions {
  std::string file, folder;                 // of the model
  Consent consent;                          // parts outside its folder
  std::map<std::string, std::string> sets;  // parameters given by the user: name -> expression
};

// False after a complaint that leaves the rest without sense.
bool expand_model(TomlNode& root, const ExpandOptions& options, Diagnostics& problems);

}  // namespace cartan::io
