// Random expression texts over t, x, y, z that use every operation and stay inside every domain.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace cartan::test::expr_test {

class RandomExpression {
 public:
  explicit RandomExpression(unsigned seed) : random_(seed) {}

  std::string text(int depth = 5) {
    if (depth == 0) return leaf();
    switch (below(29)) {
      case 0:
        return "(" + text(depth - 1) + " + " + text(depth - 1) + ")";
      case 1:
        return "(" + text(depth - 1) + " - " + text(depth - 1) + ")";
      case 2:
      case 3:
        return text(depth - 1) + "*" + text(depth - 1);
      case 4:
        return text(depth - 1) + "/(2 + " + bounded(depth) + ")";
      case 5:
        return "(-" + text(depth - 1) + ")";
      case 6:
        return "(" + bounded(depth) + ")^" + std::to_string(2 + below(9));
      case 7:
        return "(1.5 + " + bounded(depth) + ")^" + bounded(depth);
      case 8:
        return "pow(1.5 + " + bounded(depth) + ", -1.5)";
      case 9:
        return "sin(" + text(depth - 1) + ")";
      case 10:
        return "cos(" + text(depth - 1) + ")";
      case 11:
        return "tan(" + bounded(depth) + ")";
      case 12:
        return "asin(0.9*" + bounded(depth) + ")";
      case 13:
        return "acos(0.9*" + bounded(depth) + ")";
      case 14:
        return "atan(" + text(depth - 1) + ")";
      case 15:
        return "atan2(" + text(depth - 1) + ", 3 + " + bounded(depth) + ")";
      case 16:
        return "sinh(" + bounded(depth) + ")";
      case 17:
        return "cosh(" + bounded(depth) + ")";
      case 18:
        return "tanh(" + text(depth - 1) + ")";
      case 19:
        return "exp(" + bounded(depth) + ")";
      case 20:
        return "log(1.5 + " + bounded(depth) + ")";
      case 21:
        return "sqrt(1.5 + " + bounded(depth) + ")";
      case 22:
        return "abs(" + text(depth - 1) + ")";
      case 23:
        return "sign(" + text(depth - 1) + ")*" + text(depth - 1);
      case 24:
        return "min(" + text(depth - 1) + ", " + text(depth - 1) + ", " + leaf() + ")";
      case 25:
        return "max(" + text(depth - 1) + ", " + text(depth - 1) + ")";
      case 26:
        return "step(" + text(depth - 1) + ")*" + text(depth - 1);
      case 27:
        return "if(" + text(depth - 1) + comparison() + text(depth - 1) + ", " + text(depth - 1) +
               ", " + text(depth - 1) + ")";
      default:
        return "table(\"sine.csv\", \"y\", 2*" + bounded(depth) + ")";
    }
  }

  std::vector<double> point() {
    std::uniform_real_distribution<double> coordinate(-1.5, 1.5);
    return {coordinate(random_), coordinate(random_), coordinate(random_), coordinate(random_)};
  }

  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

 private:
  // Between -1 and 1.
  std::string bounded(int depth) { return (below(2) ? "tanh(" : "sin(") + text(depth - 1) + ")"; }
  std::string comparison() {
    const char* signs[] = {" < ", " > ", " <= ", " >= "};
    return signs[below(4)];
  }
  std::string leaf() {
    const char* leaves[] = {"t", "x", "y", "z", "x", "y", "(x + z)", "t*y", "1.25e-1", "pi"};
    return leaves[below(10)];
  }

  std::mt19937 random_;
};

}  // namespace cartan::test::expr_test
