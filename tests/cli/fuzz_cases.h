// Random command lines over all commands, with random models, tables and states: what a user may
// type on a bad day. Case n of a seed is always the same.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "support/text_mutator.h"

namespace cartan::test {

// What all cases draw from: model texts, results of a few commands.
class FuzzMaterial {
 public:
  FuzzMaterial();
  ~FuzzMaterial();
  FuzzMaterial(const FuzzMaterial&) = delete;

  std::vector<std::string> models;   // texts
  std::vector<std::string> results;  // folders: runs, sweeps, branches
  std::vector<std::string> tables;   // texts of CSV files
  std::vector<std::string> states;   // texts of state files (JSON)

 private:
  std::filesystem::path folder_;
};

struct FuzzCase {
  std::vector<std::string> words;  // after `cartan`; files are in the folder it was made for
};

// Writes the files of the case into `folder`, which is empty.
FuzzCase make_fuzz_case(const FuzzMaterial& material, unsigned seed, int number,
                        const std::filesystem::path& folder);

// "" or what is wrong: a crash, a hang, a number that is none, an exit status of its own. `done`:
// the command did what it was asked for.
std::string run_fuzz_case(const FuzzCase& one, const std::filesystem::path& folder, bool& done);

}  // namespace cartan::test
