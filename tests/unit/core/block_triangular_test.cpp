#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "core/block_triangular.h"
#include "core/dense.h"

namespace cartan::test {
namespace {

struct Pattern {
  int n = 0;
  std::vector<int> row, column;
};

Pattern pattern_of(const Eigen::MatrixXd& a) {
  Pattern p{static_cast<int>(a.rows()), {}, {}};
  for (int i = 0; i < a.rows(); ++i)
    for (int j = 0; j < a.cols(); ++j)
      if (a(i, j) != 0) p.row.push_back(i), p.column.push_back(j);
  return p;
}

BlockOrder order_of(const Eigen::MatrixXd& a) {
  const Pattern p = pattern_of(a);
  return order_blocks(p.n, p.row, p.column);
}

// Solved block by block, with nothing but what the order says.
Eigen::VectorXd solve_in_turn(const Eigen::MatrixXd& a, const Eigen::VectorXd& b,
                              const BlockOrder& order) {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(a.cols());
  for (const EquationBlock& block : order.blocks) {
    const int m = static_cast<int>(block.rows.size());
    Eigen::MatrixXd part(m, m);
    Eigen::VectorXd right(m);
    for (int i = 0; i < m; ++i) {
      right(i) = b(block.rows[i]) - a.row(block.rows[i]).dot(x);
      for (int j = 0; j < m; ++j) part(i, j) = a(block.rows[i], block.columns[j]);
    }
    const Eigen::VectorXd found = Eigen::PartialPivLU<Eigen::MatrixXd>(part).solve(right);
    for (int j = 0; j < m; ++j) x(block.columns[j]) = found(j);
  }
  return x;
}

// Blocks of known sizes with entries below them, rows and columns shuffled.
TEST(BlockTriangular, HiddenBlocksAreFound) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> number(0.5, 2);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<int> sizes;
    int n = 0;
    for (int k = 0; k < 6; ++k) sizes.push_back(1 + static_cast<int>(random() % 4)), n += sizes[k];
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n, n);
    for (int k = 0, first = 0; k < 6; first += sizes[k++])
      for (int i = 0; i < sizes[k]; ++i) {
        const int row = first + i;
        a(row, row) = 4 * number(random);
        a(row, first + (i + 1) % sizes[k]) += number(random);  // a ring: no smaller blocks
        for (int j = 0; j < first; ++j)
          if (random() % 3 == 0) a(row, j) = number(random);
      }
    std::vector<int> rows(n), columns(n);
    std::iota(rows.begin(), rows.end(), 0);
    std::iota(columns.begin(), columns.end(), 0);
    std::shuffle(rows.begin(), rows.end(), random);
    std::shuffle(columns.begin(), columns.end(), random);
    Eigen::MatrixXd shuffled(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) shuffled(rows[i], columns[j]) = a(i, j);
    const BlockOrder order = order_of(shuffled);
    ASSERT_TRUE(order.left_rows.empty());
    std::vector<int> found;
    for (const EquationBlock& block : order.blocks)
      found.push_back(static_cast<int>(block.rows.size()));
    std::sort(found.begin(), found.end());
    std::sort(sizes.begin(), sizes.end());
    EXPECT_EQ(found, sizes);
    const Eigen::VectorXd b = Eigen::VectorXd::Random(n);
    const Eigen::VectorXd x = solve_in_turn(shuffled, b, order);
    EXPECT_LE((shuffled * x - b).norm(), 1e-9 * (1 + x.norm() * shuffled.norm()));
  }
}

TEST(BlockTriangular, WhatCannotBeMatchedIsNamed) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(3, 3);
  a(0, 0) = a(1, 0) = a(2, 1) = a(2, 2) = 1;  // two equations for the first unknown
  const BlockOrder order = order_of(a);
  EXPECT_EQ(order.left_rows.size(), 1u);
  EXPECT_EQ(order.left_columns.size(), 1u);
  EXPECT_TRUE(order.blocks.empty());
}

TEST(BlockTriangular, LongChainsNeedNoRecursion) {
  const int n = 100000;
  Pattern p{n, {}, {}};
  for (int i = 0; i < n; ++i) {
    p.row.push_back(i), p.column.push_back(i);
    p.row.push_back(i), p.column.push_back((i + 1) % n);
  }
  const BlockOrder ring = order_blocks(p.n, p.row, p.column);
  ASSERT_EQ(ring.blocks.size(), 1u);
  EXPECT_EQ(ring.blocks[0].rows.size(), static_cast<std::size_t>(n));
  p.row.pop_back(), p.column.pop_back();
  EXPECT_EQ(order_blocks(p.n, p.row, p.column).blocks.size(), static_cast<std::size_t>(n));
}

}  // namespace
}  // namespace cartan::test
