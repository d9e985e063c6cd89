// The standard streams of the command: what is lost on stdout is told, what is lost on stderr is no
// reason to end, and no name of a file or model steers the terminal.
#pragma once

#include "cli/command.h"
#include "results/refusal.h"

namespace cartan::cli {

// To be called first. A stream that was closed is opened onto a device, so that no file of ours
// gets its number: stdout onto one that takes nothing, which the end of the command notices.
void prepare_streams();

// The exit status of the command: `status`, or failure with a sentence where output was lost.
int finish_streams(int status);

// What a command could not do, on stderr; its exit status.
int tell_refusal(const Refusal& refusal);

// What main does: prepared streams, the command with its words, and no exception beyond. Nothing is
// expected to throw; what does is our mistake or a machine without memory.
int run_program(int count, char** words, int (*command)(const Words& words));

}  // namespace cartan::cli
