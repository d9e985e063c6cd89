// Work shared out to the roles of a team: nobody uses what is not there yet, and nothing is
// overwritten that somebody still needs.
#include <algorithm>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "codegen/team_memory.h"
#include "codegen/team_schedule.h"

namespace cartan::test {
namespace {

std::vector<TeamTask> random_tasks(std::uint32_t seed, int count) {
  std::mt19937 random(seed);
  std::vector<TeamTask> tasks(count);
  for (int i = 0; i < count; ++i) {
    tasks[i].cost = 1 + static_cast<int>(random() % 12);
    std::set<int> needs;
    const int span = seed % 2 == 0 ? 40 : count;  // a chain, or anything
    for (std::uint32_t k = random() % 4; i > 0 && k > 0; --k)
      needs.insert(i - 1 - static_cast<int>(random() % std::min(i, span)));
    tasks[i].needs.assign(needs.begin(), needs.end());
  }
  return tasks;
}

std::vector<TeamValue> values_of(const std::vector<TeamTask>& tasks) {
  std::vector<TeamValue> values(tasks.size());
  for (int i = 0; i < static_cast<int>(tasks.size()); ++i) {
    values[i].maker = i;
    for (const int k : tasks[i].needs) values[k].users.push_back(i);
  }
  return values;
}

TEST(TeamSchedule, EveryTaskOnceAndAfterWhatItNeeds) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed)
    for (const int roles : {1, 2, 6, 8}) {
      const std::vector<TeamTask> tasks = random_tasks(seed, 400);
      const TeamSchedule schedule = schedule_team(tasks, roles);
      std::vector<int> place(tasks.size(), -1);  // in its role and step
      for (std::size_t s = 0; s < schedule.steps.size(); ++s)
        for (int role = 0; role < roles; ++role)
          for (std::size_t k = 0; k < schedule.steps[s][role].size(); ++k) {
            const int i = schedule.steps[s][role][k];
            EXPECT_EQ(place[i], -1);
            place[i] = static_cast<int>(k);
            EXPECT_EQ(schedule.step_of[i], static_cast<int>(s));
            EXPECT_EQ(schedule.role_of[i], role);
          }
      for (int i = 0; i < static_cast<int>(tasks.size()); ++i) {
        ASSERT_GE(place[i], 0);
        for (const int k : tasks[i].needs) {
          EXPECT_LE(schedule.step_of[k], schedule.step_of[i]);
          if (schedule.step_of[k] < schedule.step_of[i]) continue;
          EXPECT_EQ(schedule.role_of[k], schedule.role_of[i]);
          EXPECT_LT(place[k], place[i]);
        }
      }
    }
}

TEST(TeamSchedule, RolesHaveTheirShare) {
  std::vector<TeamTask> tasks(4000);  // chains beside each other
  for (int i = 8; i < 4000; ++i) tasks[i].needs = {i - 8};
  const TeamSchedule schedule = schedule_team(tasks, 8);
  std::size_t longest = 0;
  for (const auto& step : schedule.steps) {
    std::size_t most = 0;
    for (const std::vector<int>& list : step) most = std::max(most, list.size());
    longest += most;
  }
  EXPECT_LT(longest, 700u);  // 500 at best
}

// After three tasks of one role each the first of two is left to the role that has one of its
// numbers, though the other is a little more urgent.
TEST(TeamSchedule, RolesPreferTheirOwnNumbers) {
  const std::vector<TeamTask> tasks = {
      {120, {}}, {100, {}}, {110, {}}, {100, {0, 2}}, {105, {1, 2}}};
  const TeamSchedule schedule = schedule_team(tasks, 3);
  ASSERT_EQ(schedule.steps.size(), 2u);
  EXPECT_EQ(schedule.role_of[3], schedule.role_of[0]);
  const TeamMemory memory = place_team_values(values_of(tasks), schedule, 50, 1000);
  // the second, fetched by one role, and the third, by two roles of which one has made it
  EXPECT_EQ(memory.near_moves, 5);
  EXPECT_EQ(memory.far_moves, 0);
}

TEST(TeamMemory, PlacesAreFreeWhenTheyAreTaken) {
  int far_values = 0, held_values = 0;
  for (std::uint32_t seed = 1; seed <= 20; ++seed)
    for (const int most_near : {0, 5, 60, 1000}) {
      constexpr int roles = 4, most_held = 3;
      const std::vector<TeamTask> tasks = random_tasks(seed, 400);
      const std::vector<TeamValue> values = values_of(tasks);
      const TeamSchedule schedule = schedule_team(tasks, roles);
      const TeamMemory memory = place_team_values(values, schedule, most_held, most_near);
      EXPECT_LE(memory.near, most_near);
      std::set<std::tuple<int, int, int>> taken;  // kind, slot, step
      std::vector<std::vector<int>> held(roles, std::vector<int>(schedule.steps.size(), 0));
      for (const TeamValue& value : values) {
        const int v = static_cast<int>(&value - values.data());
        const TeamPlace& place = memory.places[v];
        const int role = schedule.role_of[value.maker], first = schedule.step_of[value.maker];
        int last = first;
        bool is_own = true;
        for (const int user : value.users) {
          last = std::max(last, schedule.step_of[user]);
          is_own = is_own && schedule.role_of[user] == role;
        }
        if (place.kind == TeamPlace::Kind::none) {
          EXPECT_TRUE(is_own && last == first);
          continue;
        }
        if (place.kind == TeamPlace::Kind::held) {
          EXPECT_TRUE(is_own);
          ++held_values;
          for (int s = first; s <= last; ++s) EXPECT_LE(++held[role][s], most_held);
          continue;
        }
        const bool is_near = place.kind == TeamPlace::Kind::near;
        far_values += !is_near;
        EXPECT_GE(place.slot, 0);
        EXPECT_LT(place.slot, is_near ? memory.near : memory.far);
        for (int s = first; s <= last; ++s)
          EXPECT_TRUE(taken.emplace(is_near, place.slot, s).second) << "seed " << seed;
      }
    }
  EXPECT_GT(far_values, 100);
  EXPECT_GT(held_values, 100);
}

}  // namespace
}  // namespace cartan::test
