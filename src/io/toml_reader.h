// Model files (TOML) in: text -> description, every problem with its line and column.
//
// What a file says is told by docs/model-file.md. Reading checks the form (keys, types); the sense
// (names, numbers, lengths, expressions) is checked by check_model, which a caller runs also after
// complaints of the reader, so that all problems are told at once:
//
//   Diagnostics problems(path);
//   std::optional<Model> model;
//   if (auto description = read_model_file(path, problems)) model = check_model(*description,
//   problems); if (!model) std::cerr << problems.text();
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/consent.h"
#include "model/description.h"

namespace cartan::io {

inline constexpr std::size_t max_model_file_size = std::size_t{16} << 20;

// What parts and repetitions need to know (io/toml_expand.h).
struct ReadOptions {
  std::string file;                         // the model's own, "" for a text
  Consent consent;                          // parts outside its folder
  std::map<std::string, std::string> sets;  // parameters given by the user: name -> expression
};

// Nothing is returned when the text is not TOML at all. `folder`: where tables are looked up.
std::optional<ModelDescription> read_model_text(std::string_view text, std::string folder,
                                                Diagnostics& problems);
// A text made of another file: `places` has, for each line, the place its content comes from.
std::optional<ModelDescription> read_model_text(std::string_view text, std::string folder,
                                                Diagnostics& problems,
                                                const std::vector<Location>& places,
                                                const ReadOptions& options = {});
std::optional<ModelDescription> read_model_file(const std::string& path, Diagnostics& problems,
                                                const ReadOptions& options = {});

}  // namespace cartan::io
