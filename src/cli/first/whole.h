// The program of a first run: `cartan-first` has `run`, `check`, `eval` and `new` and is built in
// half the time of the whole. What it lacks (the other commands, compiled equations, formulations
// other than those in joint coordinates, time stepping) it leaves to the whole: it calls the
// launcher again, which builds that and gives it the same words.
#pragma once

#include "cli/command.h"

namespace cartan::cli {

// Of main, before anything else.
void remember_words(char** words);

int hand_to_whole(const Words& words);

}  // namespace cartan::cli
