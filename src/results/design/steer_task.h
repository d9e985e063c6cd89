// The file of a steering task: what shall be reached, by which inputs, at which cost. Everything
// that is a number may be an expression of the model's parameters.
#pragma once

#include <string>
#include <vector>

#include "core/diagnostics.h"

namespace cartan::results {

struct SteerBounds {
  std::string name;       // of an input, or an expression
  std::string low, high;  // "" where there is none
  Location where;
};

// NAME = value, list or rotation; NAME a coordinate, a speed, a variable or any expression.
struct SteerCondition {
  std::string name;
  bool free = false;
  std::vector<std::string> values;                                          // one or several
  enum class Turn { none, axis_angle, quaternion, rpy } turn = Turn::none;  // form of `values`
  Location where;
};

struct SteerDuration {
  std::string guess, low, high;  // the last two "" where it is given
  Location where;
  bool written() const { return !guess.empty(); }
};

// NAME = expression of s, which goes from 0 to 1.
struct SteerGuess {
  std::string name, text;
  Location where;
};

// A part of the motion in which the same contacts are closed.
struct SteerPhaseText {
  std::string name;
  SteerDuration duration;
  std::vector<std::string> closed;  // contacts
  std::vector<SteerBounds> inputs;  // bounds of their own
  std::vector<SteerBounds> path;
  std::vector<SteerCondition> end;
  std::vector<SteerGuess> guess;  // s goes through the phase
  Location where;
};

// By how much an expression grows along the whole motion: by a number, a number per second, or by
// whatever it takes.
struct SteerAdvance {
  std::string name, value;
  bool speed = false, free = false;
  Location where;
};

struct SteerTask {
  std::string file, folder;  // of the task
  std::string model;         // as written
  Location model_where;
  SteerDuration duration;              // of the whole; with phases it may be missing
  std::vector<SteerPhaseText> phases;  // none: one phase without contacts
  double tolerance = 1e-6;
  std::string method = "gauss";
  int points = 5, intervals = 0, starts = 4;
  bool refine = true;
  bool lists_inputs = false;  // there is a table [inputs]; otherwise all of the model's are meant
  std::vector<SteerBounds> inputs, path;
  std::vector<SteerCondition> start, end;
  bool periodic = false;
  std::vector<std::string> periodic_names;  // empty: all
  Location periodic_where;
  std::string swap;  // equal parts that are exchanged when it repeats
  Location swap_where;
  std::vector<SteerAdvance> advance;
  std::string integral, final;
  Location integral_where, final_where;
  std::string guess_file;
  Location guess_file_where;
  std::vector<SteerGuess> guess;  // s goes through the motion
};

// Refuses a file that is not a task, with all that is wrong in it.
SteerTask read_steer_task(const std::string& path);

}  // namespace cartan::results
