#include "import/sdf_frames.h"

namespace cartan::import {
namespace {
constexpr int longest_frame_chain = 1000;
}

bool SdfFrames::resolve(const std::string& name, const std::string& base, DraftPose& pose) const {
  pose = {};
  std::string at = name;
  for (int steps = 0; at != base; ++steps) {
    const auto found = frames_.find(at);
    if (found == frames_.end() || steps > longest_frame_chain) return false;
    pose = compose(found->second.pose, pose);
    at = found->second.relative_to;
  }
  return true;
}

std::string SdfFrames::carrier(const std::string& name) const {
  std::string at = name;
  for (int steps = 0; !at.empty(); ++steps) {
    const auto found = frames_.find(at);
    if (found == frames_.end() || steps > longest_frame_chain) return "?";
    if (found->second.is_link) return at;
    at = found->second.attached_to;
  }
  return at;
}

}  // namespace cartan::import
