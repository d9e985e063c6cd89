#include "core/dense.h"

namespace Eigen {
CARTAN_LATER_DENSE_TEMPLATES(template)
}  // namespace Eigen
