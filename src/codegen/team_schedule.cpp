#include "codegen/team_schedule.h"

#include <algorithm>
#include <queue>

namespace cartan::codegen {
namespace {

constexpr int cost_of_waiting = 25, latency = 3;  // in operations
constexpr double first_length = 20, longest_length = 2000, growth = 1.5;

class TeamScheduler {
 public:
  TeamScheduler(std::span<const TeamTask> tasks, int roles)
      : tasks_(tasks), users_(tasks.size()), missing_(tasks.size()), rank_(tasks.size(), 0) {
    schedule_.roles = roles;
    schedule_.step_of.assign(tasks.size(), -1);
    schedule_.role_of.assign(tasks.size(), -1);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      for (const int k : tasks[i].needs) users_[k].push_back(static_cast<int>(i));
      missing_[i] = static_cast<int>(tasks[i].needs.size());
      if (missing_[i] == 0) ready_.push_back(static_cast<int>(i));
    }
    for (std::size_t i = tasks.size(); i-- > 0;) {
      for (const int user : users_[i]) rank_[i] = std::max(rank_[i], rank_[user]);
      rank_[i] += tasks[i].cost + latency;
    }
  }

  TeamSchedule make() {
    for (std::size_t done = 0; done < tasks_.size();) {
      Step step = best_step(done);
      for (int role = 0; role < schedule_.roles; ++role)
        for (const int i : step.tasks[role]) {
          schedule_.step_of[i] = static_cast<int>(schedule_.steps.size());
          schedule_.role_of[i] = role;
        }
      std::erase_if(ready_, [&](int i) { return schedule_.step_of[i] >= 0; });
      for (const std::vector<int>& list : step.tasks)
        for (const int i : list) {
          ++done;
          for (const int user : users_[i])
            if (--missing_[user] == 0 && schedule_.step_of[user] < 0) ready_.push_back(user);
        }
      schedule_.steps.push_back(std::move(step.tasks));
    }
    return std::move(schedule_);
  }

 private:
  struct Step {
    std::vector<std::vector<int>> tasks;  // by role
    int work = 0, longest = 0;
    std::size_t count = 0;
    double worth() const { return static_cast<double>(work) / (longest + cost_of_waiting); }
  };

  // The task on the longest way to the end first.
  auto make_queue() const {
    const auto later = [this](int x, int y) {
      return rank_[x] != rank_[y] ? rank_[x] < rank_[y] : x > y;
    };
    return std::priority_queue<int, std::vector<int>, decltype(later)>(later);
  }

  Step best_step(std::size_t done) {
    Step best;
    for (double length = first_length;; length *= growth) {
      Step step = fill_step(length);
      if (!best.tasks.empty() && step.worth() < 0.99 * best.worth()) break;
      const bool is_over = step.count + done == tasks_.size() ||
                           step.work < 0.25 * length * schedule_.roles || length > longest_length;
      if (best.tasks.empty() || step.worth() > best.worth()) best = std::move(step);
      if (is_over) break;
    }
    return best;
  }

  // Every role takes tasks until it has that much to do: first those that only it can go on with.
  Step fill_step(double length) {
    Step step;
    step.tasks.resize(schedule_.roles);
    std::vector<int> left = missing_, role_here(tasks_.size(), -1);
    auto pool = make_queue();
    for (const int i : ready_) pool.push(i);
    for (int role = 0; role < schedule_.roles; ++role) {
      auto own = make_queue();
      int cost = 0;
      while (cost < length && !(own.empty() && pool.empty())) {
        auto& source = own.empty() ? pool : own;
        const int i = source.top();
        source.pop();
        step.tasks[role].push_back(i);
        role_here[i] = role;
        cost += tasks_[i].cost;
        for (const int user : users_[i])
          if (--left[user] == 0 &&
              std::all_of(tasks_[user].needs.begin(), tasks_[user].needs.end(),
                          [&](int k) { return role_here[k] < 0 || role_here[k] == role; }))
            own.push(user);
      }
      step.work += cost;
      step.longest = std::max(step.longest, cost);
      step.count += step.tasks[role].size();
    }
    return step;
  }

  std::span<const TeamTask> tasks_;
  std::vector<std::vector<int>> users_;
  std::vector<int> missing_, rank_, ready_;
  TeamSchedule schedule_;
};

}  // namespace

TeamSchedule schedule_team(std::span<const TeamTask> tasks, int roles) {
  return TeamScheduler(tasks, roles).make();
}

}  // namespace cartan::codegen
