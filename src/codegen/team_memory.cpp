#include "codegen/team_memory.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace cartan::codegen {
namespace {

class TeamPlacer {
 public:
  TeamPlacer(const std::vector<TeamValue>& values, const TeamSchedule& schedule)
      : values_(values), schedule_(schedule), spans_(values.size()) {
    memory_.places.resize(values.size());
    for (std::size_t v = 0; v < values.size(); ++v) {
      Span& span = spans_[v];
      span.role = schedule.role_of[values[v].maker];
      span.first = span.last = schedule.step_of[values[v].maker];
      std::set<std::pair<int, int>> fetched;  // step and role
      for (const int user : values[v].users) {
        span.last = std::max(span.last, schedule.step_of[user]);
        span.is_own = span.is_own && schedule.role_of[user] == span.role;
        fetched.emplace(schedule.step_of[user], schedule.role_of[user]);
      }
      span.fetches = static_cast<long>(fetched.size());
      // steps that it lies there, for each time that it is fetched
      span.weight = (span.last - span.first) / (1.0 + static_cast<double>(fetched.size()));
      if (!span.is_own)
        memory_.places[v].kind = TeamPlace::Kind::near;
      else if (span.last > span.first)
        memory_.places[v].kind = TeamPlace::Kind::held;
    }
  }

  TeamMemory make(int most_held, int most_near) {
    for (int role = 0; role < schedule_.roles; ++role) release_held(role, most_held);
    give_near(most_near);
    give_far();
    for (std::size_t v = 0; v < values_.size(); ++v)
      if (memory_.places[v].slot >= 0)
        (memory_.places[v].kind == TeamPlace::Kind::near ? memory_.near_moves
                                                         : memory_.far_moves) +=
            1 + spans_[v].fetches;
    return std::move(memory_);
  }

 private:
  struct Span {
    int role = 0, first = 0, last = 0;  // steps
    bool is_own = true;                 // used by its role alone
    double weight = 0;
    long fetches = 0;  // by step and role
  };

  std::vector<int> values_of(TeamPlace::Kind kind) const {
    std::vector<int> list;
    for (std::size_t v = 0; v < values_.size(); ++v)
      if (memory_.places[v].kind == kind) list.push_back(static_cast<int>(v));
    return list;
  }

  // Of more held values than there are registers those go that are used least.
  void release_held(int role, int most) {
    std::vector<int> own = values_of(TeamPlace::Kind::held);
    std::erase_if(own, [&](int v) { return spans_[v].role != role; });
    std::vector<int> held(schedule_.steps.size(), 0);
    for (const int v : own)
      for (int s = spans_[v].first; s <= spans_[v].last; ++s) ++held[s];
    std::stable_sort(own.begin(), own.end(),
                     [&](int x, int y) { return spans_[x].weight > spans_[y].weight; });
    for (const int v : own) {
      const auto begin = held.begin() + spans_[v].first, end = held.begin() + spans_[v].last + 1;
      if (std::none_of(begin, end, [&](int count) { return count > most; })) continue;
      std::for_each(begin, end, [](int& count) { --count; });
      memory_.places[v].kind = TeamPlace::Kind::near;
    }
  }

  std::vector<int> in_order(TeamPlace::Kind kind) const {
    std::vector<int> list = values_of(kind);
    std::stable_sort(list.begin(), list.end(),
                     [&](int x, int y) { return spans_[x].first < spans_[y].first; });
    return list;
  }

  // Slots in the order of the steps; where there are none left, the value goes far that would take
  // its slot for the longest time between two uses.
  void give_near(int most) {
    std::vector<int> free, living;
    for (const int v : in_order(TeamPlace::Kind::near)) {
      std::erase_if(living, [&](int k) {
        if (spans_[k].last >= spans_[v].first) return false;
        free.push_back(memory_.places[k].slot);
        return true;
      });
      int& slot = memory_.places[v].slot;
      if (!free.empty()) {
        slot = free.back();
        free.pop_back();
      } else if (memory_.near < most) {
        slot = memory_.near++;
      } else {
        const auto worst = std::max_element(living.begin(), living.end(), [&](int x, int y) {
          return spans_[x].weight < spans_[y].weight;
        });
        if (worst == living.end() || spans_[*worst].weight <= spans_[v].weight) {
          memory_.places[v].kind = TeamPlace::Kind::far;
          continue;
        }
        slot = memory_.places[*worst].slot;
        memory_.places[*worst] = {TeamPlace::Kind::far, -1};
        living.erase(worst);
      }
      living.push_back(v);
    }
  }

  void give_far() {
    std::vector<int> free, living;
    for (const int v : in_order(TeamPlace::Kind::far)) {
      std::erase_if(living, [&](int k) {
        if (spans_[k].last >= spans_[v].first) return false;
        free.push_back(memory_.places[k].slot);
        return true;
      });
      int& slot = memory_.places[v].slot;
      if (free.empty()) {
        slot = memory_.far++;
      } else {
        slot = free.back();
        free.pop_back();
      }
      living.push_back(v);
    }
  }

  const std::vector<TeamValue>& values_;
  const TeamSchedule& schedule_;
  std::vector<Span> spans_;
  TeamMemory memory_;
};

}  // namespace

TeamMemory place_team_values(const std::vector<TeamValue>& values, const TeamSchedule& schedule,
                             int most_held, int most_near) {
  return TeamPlacer(values, schedule).make(most_held, most_near);
}

}  // namespace cartan::codegen
