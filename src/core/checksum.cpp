#include "core/checksum.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include <fmt/format.h>

namespace cartan::core {

// Two chains of multiplications by odd numbers; the shift brings high bits, which a product fills
// last, back to where the next word meets them.
void Checksum::mix(std::uint64_t word) {
  state_[0] = (state_[0] ^ word) * 0x9fb21c651e98df25u;
  state_[0] ^= state_[0] >> 29;
  state_[1] = (state_[1] + word) * 0xd6e8feb86659fd93u;
  state_[1] ^= state_[1] >> 32;
}

void Checksum::add(std::string_view bytes) {
  std::size_t kept = bytes_ % 8;
  bytes_ += bytes.size();
  std::uint64_t word = 0;
  if (kept > 0) {
    const std::size_t taken = std::min(bytes.size(), 8 - kept);
    std::memcpy(rest_ + kept, bytes.data(), taken);
    bytes.remove_prefix(taken);
    if (kept + taken < 8) return;
    std::memcpy(&word, rest_, 8);
    mix(word);
  }
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    std::memcpy(&word, bytes.data(), 8);
    mix(word);
  }
  std::memcpy(rest_, bytes.data(), bytes.size());
}

std::string Checksum::text() const {
  Checksum whole = *this;
  std::uint64_t word = 0;
  std::memcpy(&word, rest_, bytes_ % 8);
  whole.mix(word);
  whole.mix(bytes_);
  whole.mix(whole.state_[1]);
  return fmt::format("{:016x}{:016x}", whole.state_[0], whole.state_[1]);
}

std::string checksum_of(std::string_view text) {
  Checksum sum;
  sum.add(text);
  return sum.text();
}

std::optional<Fingerprint> calc_fingerprint(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return std::nullopt;
  Checksum sum;
  std::vector<char> block(std::size_t{1} << 18);
  while (stream) {
    stream.read(block.data(), static_cast<std::streamsize>(block.size()));
    sum.add({block.data(), static_cast<std::size_t>(stream.gcount())});
  }
  if (stream.bad()) return std::nullopt;
  return Fingerprint{sum.bytes(), sum.text()};
}

}  // namespace cartan::core
