// What a study is, item by item, so that one that goes on can tell what has changed since.
#pragma once

#include <string>
#include <vector>

#include "study/study.h"

namespace cartan::study {

// `backend`: runs of different backends are not mixed; `sets`: words of --set.
std::string make_record(const Study& study, const std::string& backend,
                        const std::vector<std::string>& sets);

// "" or the differences, the first few of them: "runs was 100, is 200".
std::string compare_records(const std::string& before, const std::string& now);

}  // namespace cartan::study
