// Distributions and kept quantities as words: uniform(0.9, 1.1), log(0.01, 1, 20),
// final(shoulder.q).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/study_text.h"

namespace cartan::study {

// uniform, normal, lognormal, triangular, values
std::optional<Distribution::Kind> sampled_kind(const std::string& name);
std::vector<std::string> sampled_kind_names();

// "lin(A, B, N)", "log(A, B, N)"; false with a sentence in `problem`.
bool read_grid_words(const std::string& words, InputText& input, std::string& problem);

}  // namespace cartan::study
