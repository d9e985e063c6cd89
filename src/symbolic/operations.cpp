#include "symbolic/operations.h"

#include <cassert>

namespace cartan::symbolic {

double value_of_operation(Op op, double x, double y) {
  switch (op) {
    case Op::add:
      return x + y;
    case Op::subtract:
      return x - y;
    case Op::multiply:
      return x * y;
    case Op::divide:
      return x / y;
    case Op::power:
      return pow(x, y);
    case Op::atan2:
      return atan2(x, y);
    case Op::min:
      return min(x, y);
    case Op::max:
      return max(x, y);
    case Op::negate:
      return -x;
    case Op::sin:
      return sin(x);
    case Op::cos:
      return cos(x);
    case Op::tan:
      return tan(x);
    case Op::asin:
      return asin(x);
    case Op::acos:
      return acos(x);
    case Op::atan:
      return atan(x);
    case Op::sinh:
      return sinh(x);
    case Op::cosh:
      return cosh(x);
    case Op::tanh:
      return tanh(x);
    case Op::exp:
      return exp(x);
    case Op::log:
      return log(x);
    case Op::sqrt:
      return sqrt(x);
    case Op::abs:
      return abs(x);
    case Op::sign:
      return sign(x);
    case Op::step:
      return step(x);
    default:
      assert(false);
      return 0;
  }
}

}  // namespace cartan::symbolic
