// Friction of contacts that are decided together: at the border between sticking and slipping, and
// against an independent search.
#include <gtest/gtest.h>

#include <cmath>

#include "mechanics/contacts/contact_problem.h"
#include "support/random.h"
#include "system/cone_block.h"

namespace cartan::test {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

ContactProblem one_contact(const Matrix3d& A, const Vector3d& b, double mu) {
  ContactProblem problem;
  problem.A = A;
  problem.b = b;
  problem.laws = {{.kind = ContactLaw::Kind::friction, .mu = mu}};
  return problem;
}

Matrix3d random_response(Random& random) {
  Matrix3d B;
  for (int i = 0; i < 9; ++i) B(i / 3, i % 3) = random.uniform(-1, 1);
  return B * B.transpose() + 0.02 * Matrix3d::Identity();
}

Vector3d random_speeds(Random& random) {
  return {random.uniform(-1, 0.2), random.uniform(-1, 1), random.uniform(-1, 1)};
}

// A contact begins to slip where its friction has reached the limit: mu is the ratio of the forces
// that would hold it, less a billionth. What slides then is slower than all by nine digits.
TEST(ContactProblem, BeginsToSlipAtItsLimit) {
  Random random(7);
  int found = 0;
  for (int k = 0; k < 800; ++k) {
    const Matrix3d A = random_response(random);
    const Vector3d b = random_speeds(random), held = -A.inverse() * b;
    const double limit = std::hypot(held[1], held[2]) / held[0];
    // not where a contact that opens obeys the laws as well, or one that slides far from holding
    const double coupling = limit * std::hypot(A(0, 1), A(0, 2)) / A(0, 0);
    if (!(held[0] > 0.01) || !(limit > 0.05) || !(b[0] < 0) || coupling > 0.9) continue;
    const ContactSolution s = solve_contacts(one_contact(A, b, limit * (1 - 1e-9)));
    ASSERT_TRUE(s.found) << k << ", " << s.residual;
    EXPECT_TRUE(s.slips[0]) << k;
    EXPECT_NEAR((s.r - held).norm() / held.norm(), 0, 1e-6);
    ++found;
  }
  EXPECT_GT(found, 100);
}

// Coupling of normal and tangents so strong that the impulses of one make the other need more.
TEST(ContactProblem, OneContactAlwaysHasAnAnswer) {
  Random random(8);
  int slides = 0;
  for (int k = 0; k < 500; ++k) {
    const Matrix3d A = random_response(random);
    const ContactSolution s =
        solve_contacts(one_contact(A, random_speeds(random), random.uniform(0.05, 3)));
    EXPECT_TRUE(s.found) << k << ", " << s.residual;
    slides += s.slips[0];
  }
  EXPECT_GT(slides, 100);
}

// 0 <= P_n, 0 <= w_n; |P_t| <= mu (P_n + given), against w_t where it slips.
TEST(ConeBlock, ObeysTheLawUnderAGivenLoad) {
  Random random(9);
  int open = 0, closed = 0;
  for (int k = 0; k < 500; ++k) {
    const Matrix3d A = random_response(random);
    const Vector3d b = random_speeds(random);
    const double given = random.uniform(0, 1);
    ConeBlock block;
    for (int i = 0; i < 9; ++i) block.A[i / 3][i % 3] = A(i / 3, i % 3);
    block.mu = random.uniform(0.1, 0.8);
    block.prepare();
    double alpha = 0;
    const Triple answer = block.answer({b[0], b[1], b[2]}, alpha, given);
    const Vector3d P(answer[0], answer[1], answer[2]), w = A * P + b;
    const double limit = block.mu * (P[0] + given), size = std::hypot(P[1], P[2]),
                 sliding = std::hypot(w[1], w[2]), scale = b.norm();
    EXPECT_GE(P[0], 0) << k;
    EXPECT_GE(w[0], -1e-12 * scale) << k;
    EXPECT_NEAR(P[0] * w[0], 0, 1e-12) << k;
    EXPECT_LE(size, limit * (1 + 1e-12)) << k;
    EXPECT_NEAR(P[1] * w[1] + P[2] * w[2], -limit * sliding, 1e-11 * (1 + limit)) << k;
    ++(P[0] > 0 ? closed : open);
  }
  EXPECT_GT(open, 50);
  EXPECT_GT(closed, 50);
}

}  // namespace
}  // namespace cartan::test
