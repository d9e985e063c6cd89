// w . f(t, x; p) differentiated backwards by x and by parameters, once and for all: as expressions,
// emitted as C, compiled and loaded. A call costs about as much as three or four of f.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analysis/reverse_steps.h"
#include "core/compiled_library.h"
#include "model/model.h"
#include "system/system.h"

namespace cartan::results {

// Copies share the code; each is for one thread.
class CompiledRates final : public RateFunctions {
 public:
  // For a System in joint coordinates, in the mode of the state, by parameters of the model.
  // Null with a sentence where there is no such code.
  static std::unique_ptr<CompiledRates> make(const Model& model, const State& at,
                                             const std::vector<int>& parameters,
                                             std::string& problem);

  std::size_t size() const { return size_; }
  void rates(double t, std::span<const double> x, std::span<double> xdot) override;
  void back(double t, std::span<const double> x, std::span<const double> w, std::span<double> by_x,
            std::span<double> by_p) override;

 private:
  using Code = void(double t, const double* x, const double* p, const double* w, double* out);

  std::shared_ptr<const CompiledLibrary> library_;
  Code *of_rates_ = nullptr, *of_back_ = nullptr;
  std::size_t size_ = 0;
  std::vector<double> numbers_;      // of the parameters
  std::vector<std::size_t> places_;  // of those asked for, among the derivatives
  std::vector<double> out_;          // by x, then by parameters
};

}  // namespace cartan::results
