// The equations of a model as code: `cartan generate`.
//
//   const cartan::GeneratedCode code =
//       cartan::generate(cartan::load("model.toml"), {.language = "c", .jacobian = true});
//   for (const cartan::CodeFile& file : code.files)
//     std::printf("%s: %zu bytes\n", file.name.c_str(), file.text.size());
#pragma once

#include <cartan/model.h>

namespace cartan::api {

// A file of code.
struct CodeFile {
  std::string name, text;
};

// What was generated.
struct GeneratedCode {
  std::vector<CodeFile> files;
  std::vector<std::string> states, parameters;  // what x and p are made of
  std::string hash;                             // of the model and what was set
  std::string json;                             // as `cartan generate --json` prints it
};

// Derives and writes the code; into a folder, too, where options.out names one.
CARTAN_API GeneratedCode generate(const Model& model, const GenerateOptions& options = {});

}  // namespace cartan::api
