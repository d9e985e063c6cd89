// Mixed second and third derivatives (core/mixed.h) against symbolic ones.
#include <gtest/gtest.h>

#include "core/mixed.h"
#include "random_expression.h"
#include "support.h"

namespace cartan::test::expr_test {
namespace {

TEST(Mixed, AgreesWithSymbolicDerivativesOnRandomExpressions) {
  RandomExpression random(33);
  int not_zero = 0;
  for (int k = 0; k < 300; ++k) {
    const std::string text = random.text(4);
    const std::vector<double> at = random.point();
    const Program program = program_of(text);
    // along x and y: u moves x, w and v move x and y
    std::vector<Mixed> moving(at.begin(), at.end());
    moving[1] = Mixed(at[1], 1, 0.7, -0.3);
    moving[2] = Mixed(at[2], 0, -0.4, 0.5);
    const Mixed value = value_at<Mixed>(program, moving);
    const Program by_x = differentiate(program, all_symbols[1]);
    const double x = value_at<double>(by_x, at),
                 y = value_at<double>(differentiate(program, all_symbols[2]), at),
                 xx = value_at<double>(differentiate(by_x, all_symbols[1]), at),
                 xy = value_at<double>(differentiate(by_x, all_symbols[2]), at);
    const Program by_xx = differentiate(by_x, all_symbols[1]),
                  by_xy = differentiate(by_x, all_symbols[2]);
    const double xxx = value_at<double>(differentiate(by_xx, all_symbols[1]), at),
                 xxy = value_at<double>(differentiate(by_xx, all_symbols[2]), at),
                 xyy = value_at<double>(differentiate(by_xy, all_symbols[2]), at);
    const double second = 0.7 * xx - 0.4 * xy, third = -0.21 * xxx + 0.47 * xxy - 0.2 * xyy;
    double size =
        1 + std::fabs(value.a) + std::fabs(x) + std::fabs(y) + std::fabs(xx) + std::fabs(xy);
    EXPECT_NEAR(value.u, x, 1e-11 * size) << text;
    EXPECT_NEAR(value.w, 0.7 * x - 0.4 * y, 1e-11 * size) << text;
    EXPECT_NEAR(value.uw, second, 1e-10 * size) << text;
    size += std::fabs(xxx) + std::fabs(xxy) + std::fabs(xyy);
    EXPECT_NEAR(value.uv, -0.3 * xx + 0.5 * xy, 1e-10 * size) << text;
    EXPECT_NEAR(value.uwv, third, 1e-9 * size) << text;
    not_zero += third != 0;
  }
  EXPECT_GT(not_zero, 60);
}

// Powers, roots and angles where a formula is easily wrong.
TEST(Mixed, CornersOfPowersAndAngles) {
  const Mixed x(2, 1, 1), y(3, 1, 1);
  EXPECT_NEAR(pow(x, Mixed(3)).uw, 12, 1e-12);
  EXPECT_NEAR(pow(Mixed(0, 1, 1), Mixed(2)).uw, 2, 0);
  EXPECT_EQ(pow(Mixed(0, 1, 1), Mixed(0.5)).uw, 0);
  EXPECT_EQ(sqrt(Mixed(0, 1, 1)).uw, 0);
  EXPECT_NEAR(pow(Mixed(2), y).uw, 8 * std::log(2.0) * std::log(2.0), 1e-12);
  EXPECT_NEAR((x / y).uw, -2.0 / 27, 1e-15);  // (2 + s) / (3 + s)
  const Mixed angle = atan2(x, y);            // of y, x
  EXPECT_NEAR(angle.u, (3.0 - 2.0) / 13, 1e-15);
  EXPECT_NEAR(angle.uw, -10.0 / 169, 1e-15);
  const Mixed z(2, 1, 1, 1);
  EXPECT_NEAR(pow(z, Mixed(3)).uwv, 6, 1e-12);
  EXPECT_NEAR(pow(Mixed(0, 1, 1, 1), Mixed(3)).uwv, 6, 0);
  EXPECT_NEAR(sqrt(z).uwv, 0.375 / (4 * std::sqrt(2.0)), 1e-15);
  EXPECT_NEAR((Mixed(1) / z).uwv, -6.0 / 16, 1e-15);
}

}  // namespace
}  // namespace cartan::test::expr_test
