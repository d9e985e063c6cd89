// `check` counts degrees of freedom by ranks: what the examples of closed and constrained
// mechanisms have.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

struct Count {
  const char* example;
  int loops, dof, dof_position, redundant;
};

class ClosedCheck : public testing::TestWithParam<Count> {};

TEST_P(ClosedCheck, DegreesOfFreedom) {
  const Count& expected = GetParam();
  const std::string path = std::string(CARTAN_ROOT) + "/examples/" + expected.example + ".toml";
  const nlohmann::json got = expect_json(run_cartan({"check", path, "--json"}));
  EXPECT_EQ(got["loops"], expected.loops);
  EXPECT_EQ(got["dof"], expected.dof);
  EXPECT_EQ(got["dof_position"], expected.dof_position);
  EXPECT_EQ(got["redundant"], expected.redundant);
}

INSTANTIATE_TEST_SUITE_P(
    Examples, ClosedCheck,
    testing::Values(Count{"four_bar", 1, 1, 1, 3}, Count{"slider_crank", 1, 1, 1, 3},
                    Count{"bricard", 1, 1, 1, 1},  // counting says none
                    Count{"squeezer", 3, 1, 1, 9}, Count{"governor", 2, 2, 2, 6},
                    Count{"stewart", 6, 6, 6, 0}, Count{"spherical_three_bar", 1, 3, 3, 0},
                    Count{"scissor", 4, 1, 1, 12}, Count{"ladder", 4, 4, 4, 12},
                    Count{"braced_frame", 3, 1, 1, 10},  // one of them in its plane
                    Count{"coupled_pendulums", 0, 3, 3, 0}, Count{"gears", 0, 1, 1, 0},
                    Count{"foucault", 0, 2, 2, 0}, Count{"driven_pendulum", 0, 2, 2, 0},
                    // rolling and knife edges take speeds away, not places
                    Count{"sleigh", 0, 2, 3, 0}, Count{"rolling_coin", 0, 3, 5, 0},
                    Count{"bicycle", 0, 3, 7, 0}, Count{"benchmark_bicycle", 0, 3, 7, 0}),
    [](const auto& info) { return std::string(info.param.example); });

}  // namespace
}  // namespace cartan::test
