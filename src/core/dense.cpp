#include "core/dense.h"

namespace Eigen {
CARTAN_DENSE_TEMPLATES(template)
}  // namespace Eigen
