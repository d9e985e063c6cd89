#include "io/csv.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace cartan::test {
namespace {

class Csv : public testing::Test {
 protected:
  ~Csv() override { std::filesystem::remove(path_); }
  std::optional<CsvTable> read(const std::string& text, CsvRows rows = CsvRows::all) {
    std::ofstream(path_, std::ios::binary) << text;
    problems_ = Diagnostics("f");
    return read_csv(path_, rows, problems_);
  }

  std::string path_ = testing::TempDir() + "cartan_csv_" +
                      testing::UnitTest::GetInstance()->current_test_info()->name() + ".csv";
  Diagnostics problems_;
};

TEST_F(Csv, EmptyCellsAreGapsWhereAskedFor) {
  const std::optional<CsvTable> table = read("t,a\n1,2\n,3\n4,\n,\n", CsvRows::with_gaps);
  ASSERT_TRUE(table) << problems_.text();
  ASSERT_EQ(table->row_count(), 4u);
  EXPECT_EQ(table->columns[1][1], 3);
  EXPECT_EQ(table->columns[0][2], 4);
  for (const double gap : {table->columns[0][1], table->columns[1][2], table->columns[1][3]})
    EXPECT_TRUE(std::isnan(gap));
  EXPECT_FALSE(read("t,a\n1,x\n", CsvRows::with_gaps));
  EXPECT_FALSE(read("t,a\n1,nan\n", CsvRows::with_gaps));
  EXPECT_FALSE(read("t,a\n1,\n"));
}

TEST_F(Csv, NumbersReadBackExactly) {
  std::mt19937_64 random(7);
  std::vector<double> values = {0,
                                -0.0,
                                1,
                                0.1,
                                1e-300,
                                -1e300,
                                std::numeric_limits<double>::denorm_min(),
                                std::numeric_limits<double>::max()};
  while (values.size() < 2000) {
    const std::uint64_t bits = random();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    if (std::isfinite(value)) values.push_back(value);
  }
  for (double value : values) {
    std::string text;
    append_number(text, value);
    EXPECT_EQ(std::strtod(text.c_str(), nullptr), value) << text;
  }
}

TEST_F(Csv, LargeTablesSurviveTheBuffer) {
  constexpr int rows = 20000;
  {
    CsvWriter writer(path_);
    writer.header({"t", "x"});
    for (int k = 0; k < rows; ++k) {
      writer.number(k);
      writer.numbers({std::sqrt(k)});
      writer.end_row();
    }
    std::string problem;
    ASSERT_TRUE(writer.close(problem)) << problem;
  }
  const std::optional<CsvTable> table = read_csv(path_, CsvRows::all, problems_);
  ASSERT_TRUE(table);
  ASSERT_EQ(table->row_count(), static_cast<std::size_t>(rows));
  for (int k = 0; k < rows; ++k) ASSERT_EQ((*table->find("x"))[k], std::sqrt(k));
  const std::optional<CsvTable> last = read_csv(path_, CsvRows::last, problems_);
  ASSERT_TRUE(last);
  EXPECT_EQ(*last->find("t"), std::vector<double>{rows - 1.0});
  EXPECT_EQ(last->find("y"), nullptr);
}

TEST_F(Csv, BlanksAndEmptyLinesDoNoHarm) {
  const std::optional<CsvTable> table = read("t , x\r\n\n 1,\t+2 \r\n\n3,4");
  ASSERT_TRUE(table) << problems_.text();
  EXPECT_EQ(table->names, (std::vector<std::string>{"t", "x"}));
  EXPECT_EQ(*table->find("x"), (std::vector<double>{2, 4}));
}

TEST_F(Csv, ProblemsHaveAPlace) {
  EXPECT_FALSE(read("a,b\n1,2\n3,x4\n"));
  EXPECT_EQ(problems_.text(), "f:3:3: 'x4' in column 'b'; expected a finite number\n");
  EXPECT_FALSE(read("a,b\n1,nan\n"));
  EXPECT_FALSE(read("a,b\n1,2,3\n"));
  EXPECT_EQ(problems_.text(), "f:2:1: this row has 3 cells; the header has 2\n");
  EXPECT_FALSE(read("a,a\n1,2\n"));
  EXPECT_EQ(problems_.text(), "f:1:3: a second column 'a'\n");
  EXPECT_FALSE(read("a,,b\n"));
  EXPECT_FALSE(read("a,b\n"));
  EXPECT_FALSE(read("\n\n"));
  EXPECT_FALSE(read("a\n1\nx\n", CsvRows::last));
}

// A number that was cut off reads as another number.
TEST_F(Csv, TheLastRowMustEnd) {
  EXPECT_FALSE(read("t,x\n0,1\n1,2.5", CsvRows::last));
  EXPECT_NE(problems_.text().find("cut off"), std::string::npos) << problems_.text();
  EXPECT_TRUE(read("t,x\n0,1\n1,2.5\n", CsvRows::last)) << problems_.text();
}

// What is not defined is an empty cell, remembered with its column and the first time.
TEST_F(Csv, UndefinedNumbersAreEmptyCells) {
  {
    CsvWriter writer(path_);
    writer.text("t");
    writer.header({"a", "b"});
    for (const double t : {0.0, 0.5, 1.0}) {
      writer.number(t);
      writer.numbers({t, std::sqrt(0.25 - t)});
      writer.end_row();
    }
    ASSERT_EQ(writer.undefined().size(), 1u);
    EXPECT_EQ(writer.undefined()[0].name, "b");
    EXPECT_EQ(writer.undefined()[0].first, 0.5);
    EXPECT_EQ(writer.undefined()[0].count, 2);
    std::string problem;
    ASSERT_TRUE(writer.close(problem));
  }
  EXPECT_FALSE(read_csv(path_, CsvRows::all, problems_));
  const auto last = read_csv(path_, CsvRows::last, problems_);
  ASSERT_TRUE(last);
  EXPECT_EQ((*last->find("a"))[0], 1);
  EXPECT_TRUE(std::isnan((*last->find("b"))[0]));
  const auto sampled = read_csv_sampled(path_, 10, problems_);
  ASSERT_TRUE(sampled);
  EXPECT_EQ(sampled->recorded, 3u);
}

TEST_F(Csv, PartsAreSeenAndRefusedWhereAWholeIsNeeded) {
  {
    CsvWriter writer(path_);
    writer.header({"t", "x"});
    writer.numbers({0, 1});
    writer.end_row();
    writer.mark_partial("stopped at t = 0");
    std::string problem;
    ASSERT_TRUE(writer.close(problem));
  }
  for (const CsvRows rows : {CsvRows::all, CsvRows::last, CsvRows::with_gaps}) {
    problems_ = Diagnostics("f");
    EXPECT_FALSE(read_csv(path_, rows, problems_));
    EXPECT_NE(problems_.text().find("only a part of a run (stopped at t = 0)"), std::string::npos)
        << problems_.text();
  }
  problems_ = Diagnostics("f");
  const auto sampled = read_csv_sampled(path_, 10, problems_);
  ASSERT_TRUE(sampled) << problems_.text();
  EXPECT_EQ(sampled->recorded, 1u);
  EXPECT_EQ(sampled->table.columns[1], std::vector<double>{1});
}

TEST_F(Csv, WhatNeverEndsIsRefused) {
  EXPECT_FALSE(read_csv("/dev/zero", CsvRows::last, problems_));
  EXPECT_NE(problems_.text().find("a line of more than 64 MB"), std::string::npos)
      << problems_.text();
}

TEST_F(Csv, AFullDiskIsNoticed) {
  CsvWriter writer("/dev/full");
  for (int k = 0; k < 20000; ++k) {
    writer.number(k);
    writer.end_row();
  }
  std::string problem;
  EXPECT_FALSE(writer.close(problem));
  EXPECT_NE(problem, "");
  CsvWriter nowhere("/nonexistent/file.csv");
  nowhere.number(1);
  nowhere.end_row();
  EXPECT_FALSE(nowhere.close(problem));
}

TEST(Thinning, IsTheFinestThatKeepsNoMoreThanAsked) {
  // Rows 0, every, 2 every, .. and the last.
  const auto kept = [](std::size_t count, std::size_t every) {
    return (count - 1 + every - 1) / every + 1;
  };
  for (std::size_t count = 1; count < 200; ++count)
    for (std::size_t most = 2; most < 210; ++most) {
      const std::size_t every = thinning(count, most);
      ASSERT_LE(kept(count, every), most) << count;
      if (every > 1) ASSERT_GT(kept(count, every - 1), most) << count;
    }
}

TEST_F(Csv, SampledReadingKeepsTheFirstAndTheLastRow) {
  std::string text = "t,x\n";
  for (int k = 0; k < 23; ++k) text += std::to_string(k) + ",0.5\n";
  std::ofstream(path_, std::ios::binary) << text;
  for (const std::size_t most : {2, 5, 7, 12, 22, 23, 100}) {
    const auto sampled = read_csv_sampled(path_, most, problems_);
    ASSERT_TRUE(sampled);
    EXPECT_EQ(sampled->recorded, 23u);
    const std::vector<double>& t = sampled->table.columns[0];
    ASSERT_LE(t.size(), most);
    EXPECT_EQ(t.back(), 22);
    for (std::size_t k = 0; k + 1 < t.size(); ++k) EXPECT_EQ(t[k], k * sampled->every);
  }
}

TEST_F(Csv, SampledReadingRefusesWhatWasCutOff) {
  const auto refuse = [&](const std::string& text, const std::string& words) {
    std::ofstream(path_, std::ios::binary) << text;
    problems_ = Diagnostics("f");
    EXPECT_FALSE(read_csv_sampled(path_, 10, problems_)) << text;
    EXPECT_NE(problems_.text().find(words), std::string::npos) << problems_.text();
  };
  refuse("", "the file is empty");
  refuse("t,x", "the file is empty");
  refuse("t,x\n1,2\n3,0.12", "cut off");
  refuse("t,x\n1\n", "this row has 1 cells");
  refuse("t,x\n1,nan\n", "expected a finite number");
  std::filesystem::remove(path_);
  EXPECT_FALSE(read_csv_sampled(path_, 10, problems_));
}

}  // namespace
}  // namespace cartan::test
