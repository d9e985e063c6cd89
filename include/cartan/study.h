// Many runs with numbers that vary: `cartan study`.
//
//   const cartan::Model model = cartan::load_text(
//       "name = 'decay'\n[parameters]\nk = 1\n[variables]\nx = { initial = 1, rate = '-k*x' }\n");
//   const cartan::StudyRuns study = cartan::study(
//       model, {.vary = {"k=uniform(0.5,1.5)"}, .keep = {"end=final(x)"}, .runs = 64,
//               .duration = 1});
//   std::printf("mean %g of %ld runs\n", study.quantities[0].mean, study.runs);
#pragma once

#include <cartan/model.h>
#include <cartan/table.h>

namespace cartan::api {

// What the runs say about one kept quantity.
struct StudyQuantity {
  std::string name;
  std::string text;  // how it is taken: "final(shoulder.q)"
  long count = 0;    // runs with a value
  double mean = 0, deviation = 0, minimum = 0, maximum = 0;
  std::vector<double> probabilities;  // 0.05, 0.25, 0.5, 0.75, 0.95
  std::vector<double> quantiles;      // beside them
};

// How much of a quantity's variance an input explains: Sobol's indices.
struct StudyIndex {
  std::string quantity, input;
  double first = 0, first_low = 0, first_high = 0;  // with an interval of 95 per cent
  double total = 0, total_low = 0, total_high = 0;
};

// A study that was computed.
struct StudyRuns {
  long runs = 0, failed = 0;
  std::string backend;
  int threads = 0, ranks = 0, lanes = 0;
  double wall_seconds = 0;
  Table
      table;  // run, the inputs, the kept quantities, status; empty above a hundred million numbers
  std::vector<StudyQuantity> quantities;
  std::vector<StudyIndex> indices;  // where there are any
  std::vector<std::string> notes;   // what was chosen by itself
  long missing_blocks = 0;          // of a part: what others have yet to compute
  std::string problem;              // where every run failed: the first message
  std::string text;                 // as `cartan study` prints it
  std::string json;                 // as `cartan study --json` prints it
};

// Runs the model many times: options.vary, options.keep and options.runs say how.
CARTAN_API StudyRuns study(const Model& model, const StudyOptions& options);
// The same of a study file; options come on top of it.
CARTAN_API StudyRuns study_file(const std::string& path, const StudyOptions& options = {},
                                const LoadOptions& load = {});

}  // namespace cartan::api
