#include "codegen/team_schedule.h"

#include <algorithm>
#include <queue>

namespace cartan::codegen {
namespace {

// In operations: how much longer the way to the end may be for a number that need not be fetched.
constexpr int worth_of_number = 15, latency = 3;
constexpr double first_length = 20, longest_length = 2000, growth = 1.5;

class TeamScheduler {
 public:
  TeamScheduler(std::span<const TeamTask> tasks, int roles, int cost_of_waiting)
      : tasks_(tasks),
        cost_of_waiting_(cost_of_waiting),
        users_(tasks.size()),
        missing_(tasks.size()),
        rank_(tasks.size(), 0) {
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
  };

  double worth_of(const Step& step) const {
    return static_cast<double>(step.work) / (step.longest + cost_of_waiting_);
  }

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
      if (!best.tasks.empty() && worth_of(step) < 0.99 * worth_of(best)) break;
      const bool is_over = step.count + done == tasks_.size() ||
                           step.work < 0.25 * length * schedule_.roles || length > longest_length;
      if (best.tasks.empty() || worth_of(step) > worth_of(best)) best = std::move(step);
      if (is_over) break;
    }
    return best;
  }

  // Every role takes tasks until it has that much to do: first those that only it can go on with,
  // then of the others the one that is urgent and whose numbers it has.
  Step fill_step(double length) {
    Step step;
    step.tasks.resize(schedule_.roles);
    std::vector<int> left = missing_, role_here(tasks_.size(), -1), pool = ready_;
    for (int role = 0; role < schedule_.roles; ++role) {
      auto own = make_queue();
      int cost = 0;
      while (cost < length && !(own.empty() && pool.empty())) {
        int i = -1;
        if (own.empty()) {
          i = take_from(pool, role);
        } else {
          i = own.top();
          own.pop();
        }
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

  int take_from(std::vector<int>& pool, int role) const {
    const auto worth = [&](int i) {
      int sum = rank_[i];
      for (const int k : tasks_[i].needs)
        sum += schedule_.role_of[k] == role ? worth_of_number : -worth_of_number;
      return sum;
    };
    std::size_t best = 0;
    int most = worth(pool[0]);
    for (std::size_t k = 1; k < pool.size(); ++k)
      if (const int other = worth(pool[k]); other > most || (other == most && pool[k] < pool[best]))
        best = k, most = other;
    const int i = pool[best];
    pool.erase(pool.begin() + static_cast<std::ptrdiff_t>(best));
    return i;
  }

  std::span<const TeamTask> tasks_;
  const int cost_of_waiting_;
  std::vector<std::vector<int>> users_;
  std::vector<int> missing_, rank_, ready_;
  TeamSchedule schedule_;
};

}  // namespace

TeamSchedule schedule_team(std::span<const TeamTask> tasks, int roles, int cost_of_waiting) {
  return TeamScheduler(tasks, roles, cost_of_waiting).make();
}

}  // namespace cartan::codegen
