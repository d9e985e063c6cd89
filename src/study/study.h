// A study, checked and ready: the model with its varied numbers as parameters, the design, what is
// kept of every run.
//
// Every input is a parameter of the model: an initial value (JOINT.q, VARIABLE) that varies becomes
// one of its own, which stands where the file has the number. So a run is what `cartan run`
// computes of a file with the run's numbers written into it, assembly of closed mechanisms
// included. Expressions that are kept are outputs of the model, behind those of the file.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/model.h"
#include "study/design.h"
#include "study/motion_log.h"
#include "study/study_text.h"
#include "study/vary_target.h"

namespace cartan::study {

struct StudyInput {
  std::string name;   // as written
  VaryTarget target;  // a parameter, or an initial value, on which nothing else depends
  int parameter = 0;  // of the model
};

struct KeptQuantity {
  std::string name, text;  // text: "final(shoulder.q)"
  KeepKind kind = KeepKind::final;
  int output = -1;  // its expression among the outputs of the model; count: none
  double time = 0;  // at
  int event = -1;   // event, count: in model.events
};

struct Study {
  std::shared_ptr<const Model> model;
  std::vector<StudyInput> inputs;
  Design design;
  std::vector<KeptQuantity> kept;
  std::size_t own_outputs = 0;   // of the model file ...
  std::size_t kept_outputs = 0;  // ... behind which those of the study stand
  std::uint64_t trajectories = 0;
  MotionLogMaker make_motion_log;  // needed where motions are kept
  std::string formulation, integrator;
  std::optional<double> asked_runs;
  bool instant = false;  // of duration zero: nothing moves, expressions are evaluated at the start

  std::size_t columns() const { return kept.size(); }
  // Runs whose whole motion is kept: trajectories of them, evenly chosen.
  bool keeps_trajectory(std::uint64_t run) const;
};

// `description`: the model as read; `plain`: checked without a complaint, with `overrides` (--set)
// and `plain.consent`. Complaints about the study go to `problems`, whose file is that of the
// study. Nothing when there are any.
std::optional<Study> make_study(const StudyText& text, const ModelDescription& description,
                                const Model& plain, const Overrides& overrides,
                                Diagnostics& problems);

}  // namespace cartan::study
