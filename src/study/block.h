// A block: consecutive runs, computed together by one worker, whole or not at all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "integrate/simulate.h"

namespace cartan::study {

// What became of a run; the numbers stand in files.
enum class RunOutcome : std::uint8_t {
  completed = 0,
  stopped_by_event = 1,
  no_convergence = 2,
  step_too_small = 3,
  not_finite = 4,
  chattering = 5,
  constraints_lost = 6,
  bad_numbers = 7,  // there is no such machine, or no consistent start
};
inline constexpr int run_outcome_count = 8;
const char* to_string(RunOutcome outcome);
RunOutcome outcome_of(RunStatus status);
inline bool is_failure(RunOutcome outcome) {
  return outcome > RunOutcome::stopped_by_event;
}

struct Block {
  std::uint64_t first = 0;  // run
  std::uint32_t count = 0;
  std::uint32_t columns = 0;
  std::vector<double> values;  // run after run; not a number where there is none
  std::vector<RunOutcome> outcomes;
  std::vector<std::pair<std::uint32_t, std::string>> messages;      // by place in the block
  std::vector<std::pair<std::uint32_t, std::string>> trajectories;  // CSV text

  void clear(std::uint64_t first_run, std::uint32_t runs, std::uint32_t kept);
  double value(std::uint32_t place, std::size_t column) const {
    return values[place * columns + column];
  }
};

// As the bytes of a file, little endian, a checksum at the end.
std::string encode_block(const Block& block);
// Nothing where the bytes are damaged or cut off.
std::optional<Block> decode_block(std::string_view bytes);

}  // namespace cartan::study
