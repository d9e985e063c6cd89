// One function in C, C++ or CUDA. A long one is cut into parts, because compilers need more than
// linear time for one function; values that cross a cut travel in an array w, vectors in arrays
// _w2, _w4, _w8.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "codegen/languages/c_family.h"
#include "codegen/languages/expression_writer.h"
#include "codegen/languages/twin_writer.h"

namespace cartan::codegen {

std::string parameter_of_argument(const UnitPlan& plan, const CFlavour& flavour, int argument);
std::string parameter_of_array(const CFlavour& flavour, const std::string& name);

class CFunctionWriter : public Dialect {
 public:
  CFunctionWriter(const UnitPlan& plan, const CFlavour& flavour, const PlannedFunction& function);

  std::string write(const std::string& head);

  std::string number(double magnitude) const override;
  bool fuses() const override { return flavour_.is_lane; }
  std::string fused(const std::string& x, const std::string& y, const std::string& z,
                    bool minus_product, bool minus_z) const override;
  std::string symbol(int argument, int entry) const override;
  std::string temporary(int number) const override;
  std::string function(Op op, const std::vector<std::string>& operands) const override;
  std::string table(int table, int order, const std::string& x) const override;
  std::string solution(int array, int entry) const override {
    return array_name(array) + "[" + std::to_string(entry) + "]";
  }

 protected:
  const UnitPlan& plan_;
  const CFlavour& flavour_;
  const PlannedFunction& function_;
  ExpressionWriter writer_;

 private:
  struct Part {
    int begin, end;  // statements
  };
  void cut();
  void name_turns();
  void name_temporaries();
  bool is_cleared(int array) const { return cleared_[array] != 0; }
  std::string statements(int begin, int end) const;
  std::string solve_text(const DenseBlock& block) const;
  std::string cleared_text() const;
  std::string turns_text() const;
  std::string work_arrays() const;
  std::string number_type(int width) const {
    return width == 1 ? flavour_.number_type : twin_writer_.type(width);
  }
  // Parameters and arguments of the part whose text has just been made.
  void take_used(std::vector<std::string>& parameters, std::vector<std::string>& arguments) const;
  std::string array_name(int array) const {
    used_arrays_.insert(array);
    return function_.array_names[array];
  }

  std::vector<Part> parts_;
  std::vector<std::string> names_;  // of temporaries
  std::vector<char> cleared_;       // arrays that are mostly zero: set to 0 at once
  std::map<int, int> scratch_;      // by width: length of the array
  TwinWriter twin_writer_;
  int turns_ = 0;  // sines at its beginning, and as many cosines behind them
  mutable std::set<int> used_arguments_, used_arrays_;
  mutable std::set<int> used_scratch_;  // widths
};

}  // namespace cartan::codegen
