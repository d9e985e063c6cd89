// The frames of an SDF document: links, joints, models and named frames, each placed relative to
// another. Names are full, with `::` between a model and what is in it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "import/draft.h"

namespace cartan::import {

class SdfFrames {
 public:
  struct Frame {
    std::string relative_to;  // full name; "" is the world
    DraftPose pose;
    std::string attached_to;  // full name of what carries it: links carry themselves
    bool is_link = false;
    Location where;
  };

  // False when the name is taken.
  bool add(const std::string& name, Frame frame) {
    return frames_.emplace(name, std::move(frame)).second;
  }
  bool knows(const std::string& name) const { return name.empty() || frames_.count(name) > 0; }
  Frame* find(const std::string& name) {
    const auto found = frames_.find(name);
    return found == frames_.end() ? nullptr : &found->second;
  }

  // In the frame `base` on the way to the world; false when there is a circle or an unknown name.
  bool resolve(const std::string& name, const std::string& base, DraftPose& pose) const;
  // The link that carries a frame; "" for the world, "?" when there is none.
  std::string carrier(const std::string& name) const;

 private:
  std::map<std::string, Frame> frames_;
};

}  // namespace cartan::import
