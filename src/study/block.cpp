#include "study/block.h"

#include <bit>
#include <cstring>
#include <limits>

#include "core/checksum.h"

namespace cartan::study {
namespace {

static_assert(std::endian::native == std::endian::little, "block files are little endian");

constexpr std::string_view block_magic = "cartan block 1\n";
constexpr std::size_t checksum_length = 32;

template <class T>
void put(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
void put_all(std::string& bytes, const std::vector<T>& values) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

void put_texts(std::string& bytes,
               const std::vector<std::pair<std::uint32_t, std::string>>& texts) {
  put(bytes, static_cast<std::uint32_t>(texts.size()));
  for (const auto& [place, text] : texts) {
    put(bytes, place);
    put(bytes, static_cast<std::uint64_t>(text.size()));
    bytes += text;
  }
}

class BlockBytes {
 public:
  explicit BlockBytes(std::string_view bytes) : rest_(bytes) {}

  template <class T>
  bool get(T& value) {
    return copy(&value, sizeof value);
  }
  template <class T>
  bool get_all(std::vector<T>& values, std::uint64_t count) {
    if (count > rest_.size() / sizeof(T)) return false;
    values.resize(count);
    return copy(values.data(), count * sizeof(T));
  }
  bool get_texts(std::vector<std::pair<std::uint32_t, std::string>>& texts) {
    std::uint32_t count = 0;
    if (!get(count)) return false;
    for (std::uint32_t k = 0; k < count; ++k) {
      std::uint32_t place = 0;
      std::uint64_t length = 0;
      if (!get(place) || !get(length) || length > rest_.size()) return false;
      texts.emplace_back(place, std::string(rest_.substr(0, length)));
      rest_.remove_prefix(length);
    }
    return true;
  }
  bool at_end() const { return rest_.empty(); }

 private:
  bool copy(void* target, std::size_t size) {
    if (size > rest_.size()) return false;
    if (size > 0) std::memcpy(target, rest_.data(), size);
    rest_.remove_prefix(size);
    return true;
  }

  std::string_view rest_;
};

}  // namespace

const char* to_string(RunOutcome outcome) {
  switch (outcome) {
    case RunOutcome::completed:
      return to_string(RunStatus::completed);
    case RunOutcome::stopped_by_event:
      return to_string(RunStatus::stopped_by_event);
    case RunOutcome::no_convergence:
      return to_string(RunStatus::no_convergence);
    case RunOutcome::step_too_small:
      return to_string(RunStatus::step_too_small);
    case RunOutcome::not_finite:
      return to_string(RunStatus::not_finite);
    case RunOutcome::chattering:
      return to_string(RunStatus::chattering);
    case RunOutcome::constraints_lost:
      return to_string(RunStatus::constraints_lost);
    case RunOutcome::bad_numbers:
      break;
  }
  return "bad numbers";
}

RunOutcome outcome_of(RunStatus status) {
  switch (status) {
    case RunStatus::completed:
      return RunOutcome::completed;
    case RunStatus::stopped_by_event:
      return RunOutcome::stopped_by_event;
    case RunStatus::no_convergence:
      return RunOutcome::no_convergence;
    case RunStatus::step_too_small:
      return RunOutcome::step_too_small;
    case RunStatus::not_finite:
      return RunOutcome::not_finite;
    case RunStatus::chattering:
      return RunOutcome::chattering;
    case RunStatus::constraints_lost:
      return RunOutcome::constraints_lost;
    default:
      return RunOutcome::bad_numbers;
  }
}

void Block::clear(std::uint64_t first_run, std::uint32_t runs, std::uint32_t kept) {
  first = first_run;
  count = runs;
  columns = kept;
  values.assign(std::size_t{runs} * kept, std::numeric_limits<double>::quiet_NaN());
  outcomes.assign(runs, RunOutcome::completed);
  messages.clear();
  trajectories.clear();
}

std::string encode_block(const Block& block) {
  std::string bytes(block_magic);
  put(bytes, block.first);
  put(bytes, block.count);
  put(bytes, block.columns);
  put_all(bytes, block.values);
  put_all(bytes, block.outcomes);
  put_texts(bytes, block.messages);
  put_texts(bytes, block.trajectories);
  return bytes + checksum_of(bytes);
}

std::optional<Block> decode_block(std::string_view bytes) {
  if (!bytes.starts_with(block_magic) || bytes.size() < block_magic.size() + checksum_length)
    return std::nullopt;
  const std::string_view sum = bytes.substr(bytes.size() - checksum_length);
  bytes.remove_suffix(checksum_length);
  if (checksum_of(bytes) != sum) return std::nullopt;
  BlockBytes rest(bytes.substr(block_magic.size()));
  Block block;
  if (!rest.get(block.first) || !rest.get(block.count) || !rest.get(block.columns) ||
      !rest.get_all(block.values, std::uint64_t{block.count} * block.columns) ||
      !rest.get_all(block.outcomes, block.count) || !rest.get_texts(block.messages) ||
      !rest.get_texts(block.trajectories) || !rest.at_end())
    return std::nullopt;
  return block;
}

}  // namespace cartan::study
