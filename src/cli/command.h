// What main knows of a command: its name, one line on what it does, and the function.
#pragma once

#include <string>
#include <vector>

#include "core/folders.h"

namespace cartan::cli {

enum ExitStatus { exit_done = 0, exit_failed = 1, exit_bad_input = 2 };

// The words after the command's name.
using Words = std::vector<std::string>;

// "cartan COMMAND: MESSAGE" on stderr; returns the status.
int complain(const char* command, const std::string& message, int status = exit_bad_input);

int run_command(const Words& words);
int check_command(const Words& words);
int eval_command(const Words& words);
int inverse_command(const Words& words);
int compare_command(const Words& words);
int equations_command(const Words& words);
int generate_command(const Words& words);
int orbit_command(const Words& words);
int lyapunov_command(const Words& words);
int linearize_command(const Words& words);
int equilibrium_command(const Words& words);
int continue_command(const Words& words);
int view_command(const Words& words);
int fit_command(const Words& words);
int study_command(const Words& words);
int plot_command(const Words& words);
int hand_to_reproduction(const Words& words);  // `cartan reproduce`
int import_command(const Words& words);
int new_command(const Words& words);
int ik_command(const Words& words);
int optimise_command(const Words& words);
int steer_command(const Words& words);

}  // namespace cartan::cli
