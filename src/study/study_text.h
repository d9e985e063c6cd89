// What a study file, or the words of a command line, say; names and expressions as text.
//
//   model = "double_pendulum.toml"
//   runs = 100000
//   sampling = "sobol"
//   [vary]
//   L1 = { uniform = [0.9, 1.1] }
//   damping = { grid = "log(0.01, 1, 20)" }
//   [simulate]
//   integrator = "rk4"
//   [keep]
//   top = { max = "tip_height" }
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/description.h"
#include "study/distribution.h"

namespace cartan::study {

struct InputText {
  std::string name;  // of a parameter, JOINT.q, JOINT.v (with [i]), VARIABLE
  Distribution::Kind kind = Distribution::Kind::uniform;
  Values numbers;            // in brackets; expressions over the model's parameters
  std::string file, column;  // table
  Location where, name_where;
};

// How a quantity is taken of a run.
enum class KeepKind { final, max, min, mean, rms, integral, at, event, count };
const char* to_string(KeepKind kind);
std::optional<KeepKind> keep_kind_from_name(const std::string& name);
std::vector<std::string> keep_kind_names();

struct KeepText {
  std::string name;
  KeepKind kind = KeepKind::final;
  Value expression;  // event: what is taken there; count: none
  Value time;        // at
  Reference event;   // event, count
  Location where;
};

struct StudyText {
  std::string file;    // "" from a command line
  std::string folder;  // tables and the model are looked up relative to it
  std::string model;
  std::optional<double> runs;
  std::optional<bool> indices;
  std::string sampling;
  std::optional<double> seed;
  std::vector<InputText> inputs;
  SimulateText simulate;
  std::vector<KeepText> keeps;
  std::optional<double> trajectories;
  Location model_where, runs_where, indices_where, sampling_where, seed_where, trajectories_where;
  Location vary_where, keep_where;
};

// Nothing when the text is no TOML at all; other problems are collected and leave gaps.
std::optional<StudyText> read_study_text(std::string_view text, Diagnostics& problems);
std::optional<StudyText> read_study_file(const std::string& path, Diagnostics& problems);
// Is this TOML text a study rather than a model? It says which model it is about.
bool looks_like_study(const std::string& path);

// "L1=uniform(0.9,1.1)", "damping=log(0.01,1,20)": adds to `study`, or complains.
void read_vary_words(const std::string& words, StudyText& study, Diagnostics& problems);
// "angle=final(shoulder.q)", "hit=event(hit, t)"; without a name the text itself is the name.
void read_keep_words(const std::string& words, StudyText& study, Diagnostics& problems);

}  // namespace cartan::study
