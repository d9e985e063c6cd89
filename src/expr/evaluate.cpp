// The scalars of core/scalar.h for which programs are evaluated.
#include "expr/evaluate_impl.h"

namespace cartan::expr {

#define CARTAN_INSTANTIATE_EVALUATE(S)                                                       \
  template void evaluate<S>(const Program&, std::span<const S>, std::span<S>, std::span<S>); \
  template S evaluate_gradient<S>(const Program&, int, std::span<const S>, std::span<S>,     \
                                  std::span<S>, std::span<S>);
CARTAN_FOR_EACH_SCALAR(CARTAN_INSTANTIATE_EVALUATE)
CARTAN_INSTANTIATE_EVALUATE(Mixed)
#undef CARTAN_INSTANTIATE_EVALUATE

}  // namespace cartan::expr
