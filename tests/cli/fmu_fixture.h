// FMUs made by the command, unpacked and loaded.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/command_line.h"
#include "cli/fmu_importer.h"

namespace cartan::test {

using FmuWords = std::vector<std::string>;

inline std::string fmu_example(const std::string& name) {
  return std::string(CARTAN_ROOT "/examples/") + name + ".toml";
}

class Fmu : public testing::Test {
 protected:
  std::unique_ptr<Importer> make(const std::string& model, const FmuWords& more = {},
                                 const std::string& language = "fmi3") {
    const std::string out = scratch_.path("out" + std::to_string(++made_));
    FmuWords words = {"generate", model, "--language", language, "--name", "it", "--out", out};
    words.insert(words.end(), more.begin(), more.end());
    const CommandResult result = run_cartan(words);
    EXPECT_EQ(result.status, 0) << result.err;
    const std::string archive = read_file(out + "/it.fmu");
    if (archive.size() < 22) return nullptr;
    return std::make_unique<Importer>(archive, out);
  }
  Scratch scratch_;
  int made_ = 0;
};

}  // namespace cartan::test
