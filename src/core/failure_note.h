// Why a number could not be computed. A function that has no value somewhere (a table outside of
// its range) gives "not a number" and leaves a note; who tells the user that a computation failed
// asks for it. The first note stays until it is taken. Each thread has its own.
#pragma once

#include <string>

#include "core/folders.h"

namespace cartan::core {

bool has_failure_note();
void note_failure(std::string why);
void clear_failure_note();
// The note, which is then gone; "" where there is none.
std::string take_failure_note();

}  // namespace cartan::core
