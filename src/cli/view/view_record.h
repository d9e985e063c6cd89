// A film of a run: a headless browser draws the pictures, ffmpeg joins them.
#pragma once

#include <string>

#include "cli/view/view_server.h"

namespace cartan::cli {

struct Film {
  std::string file;  // .gif or .mp4
  double speed = 1;  // of the run, per second of the film
};

// "" or why this cannot be: another ending, chromium or ffmpeg missing.
std::string refuse_film(const Film& film);

// Serves `content` to the browser and writes the file, whole or not at all. False with a sentence
// in `problem`.
bool record_film(const Film& film, ViewContent content, std::string& problem);

// Starts a program that stays beside this one, its words unheard; its process id, or -1.
int start_program(const std::vector<std::string>& words);

}  // namespace cartan::cli
