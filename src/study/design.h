// Which numbers run i has: samples, tables and grids put together.
//
// A study has S samples of what is sampled (or S rows of its tables) and a grid of G points; there
// are G S runs, and run i has sample i mod S at the grid point i / S, whose last input changes
// fastest.
//
// Where Sobol indices are wanted the samples form a Saltelli design: N base points of 2d dimensions
// give two matrices A and B of d columns, and every base point has d + 2 runs in a row:
//   A, B, and for each input k the row of A with the k-th number of B.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "study/distribution.h"
#include "study/sampler.h"

namespace cartan::study {

struct DesignChoice {
  std::vector<Distribution> inputs;
  std::uint64_t samples = 1;  // asked for, where anything is sampled or there are tables
  Sampling sampling = Sampling::sobol;
  std::uint64_t seed = 1;
  bool indices = false;
};

class Design {
 public:
  Design() = default;
  explicit Design(DesignChoice choice);

  std::uint64_t runs() const { return samples_ * grid_; }
  std::uint64_t samples() const { return samples_; }
  std::uint64_t grid_points() const { return grid_; }
  const std::vector<Distribution>& inputs() const { return choice_.inputs; }
  Sampling sampling() const { return choice_.sampling; }
  std::uint64_t seed() const { return choice_.seed; }
  int sampled_count() const { return static_cast<int>(sampled_.size()); }
  // Inputs that are sampled, in order; the columns of A and B.
  const std::vector<int>& sampled() const { return sampled_; }

  bool has_indices() const { return choice_.indices; }
  std::uint64_t base_points() const { return base_points_; }
  int runs_per_base_point() const { return sampled_count() + 2; }
  // Whether statistics count the run: with indices only those of A and B are independent samples.
  bool is_counted(std::uint64_t run) const {
    return !choice_.indices || run % static_cast<std::uint64_t>(runs_per_base_point()) < 2;
  }

  // One number per input.
  void fill(std::uint64_t run, std::span<double> values) const;
  // The same as data for kernels (kernel/sampling.h): tables seen, not owned, and their lengths.
  sampling::SampleDesign describe() const;
  std::size_t numbers() const { return numbers_.size(); }
  std::size_t directions() const {
    return static_cast<std::size_t>(dimensions_of(choice_)) * SobolPoints::digits;
  }

  // "" or why there is no such design.
  static std::string refusal(const DesignChoice& choice);

 private:
  static int dimensions_of(const DesignChoice& choice);
  void make_table();

  DesignChoice choice_;
  std::vector<int> sampled_;
  std::vector<int> dimension_;  // per input: of the sampler; -1: not sampled
  std::vector<std::uint64_t> stride_;
  std::vector<sampling::SampleInput> table_;
  std::vector<double> numbers_;
  std::uint64_t samples_ = 1, grid_ = 1, base_points_ = 0;
  std::shared_ptr<const Sampler> sampler_;
};

}  // namespace cartan::study
