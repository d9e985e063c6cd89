#include "core/failure_note.h"

#include <utility>

namespace cartan::core {

static thread_local std::string note;

bool has_failure_note() {
  return !note.empty();
}
void note_failure(std::string why) {
  if (note.empty()) note = std::move(why);
}
void clear_failure_note() {
  note.clear();
}
std::string take_failure_note() {
  return std::exchange(note, std::string());
}

}  // namespace cartan::core
