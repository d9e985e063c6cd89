// A set of node numbers found by what the nodes are: open addressing. A slot keeps 32 bits of the
// hash beside the number, so nodes are looked at (far away in memory) only when these agree, and
// growing needs no node at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/folders.h"

namespace cartan::symbolic {

class NodeTable {
 public:
  NodeTable() : slots_(64) {}

  // The number for which is_it(number) holds among those entered with this hash, or -1.
  template <class IsIt>
  int find(std::uint32_t hash, IsIt&& is_it) const {
    for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
      const Slot& slot = slots_[at];
      if (slot.number == empty || (slot.hash == hash && is_it(slot.number))) return slot.number;
    }
  }

  // Enters a number that is not there.
  void insert(std::uint32_t hash, int number) {
    if (2 * ++count_ > slots_.size()) grow();
    put({hash, number});
  }

 private:
  static constexpr int empty = -1;
  struct Slot {
    std::uint32_t hash = 0;
    int number = empty;
  };
  std::size_t mask() const { return slots_.size() - 1; }

  void put(const Slot& slot) {
    std::size_t at = slot.hash & mask();
    while (slots_[at].number != empty) at = (at + 1) & mask();
    slots_[at] = slot;
  }

  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.number != empty) put(slot);
  }

  std::vector<Slot> slots_;  // a power of two
  std::size_t count_ = 0;
};

}  // namespace cartan::symbolic
