// The user's own list of models that may run code and read files anywhere.
#pragma once

#include <string>

#include <cartan/watch.h>

#include "core/folders.h"

namespace cartan::results {

// $XDG_CONFIG_HOME/cartan/trusted, else ~/.config/cartan/trusted: a path of a model file or of a
// folder on every line. "" where neither variable is set.
std::string trust_list_path();

// Does the list name the model, or a folder it lies in? A list that others could write is not
// believed, and a message says so.
bool is_on_trust_list(const std::string& model, const api::Watch& watch);

}  // namespace cartan::results
