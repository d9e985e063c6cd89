// Source 003's derivations by hand (sec. 5.1, appendix C.2): B, B', D and F written down as the
// document writes them, and what follows from them,
//   M* = B^T M B,   N* = B^T (M B' + D M B),   F* = B^T F,   M* q'' + N* q' = F*
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/vec3.h"
#include "symbolic/expression.h"

namespace cartan::test {

// From a name of the document (Th1, dTh1, m1, L21, g, ...) to its symbol.
using Names = std::function<Expression(const std::string&)>;

// One body's six rows: x' in the inertial frame, w in its own.
struct HandBody {
  Expression mass;
  Mat3<Expression> J;
  Vec3<Expression> omega;  // of D
  Vec3<Expression> force, torque;
  std::vector<Vec3<Expression>> Bx, Bw, dBx, dBw;  // by column
};

struct ByHand {
  std::vector<HandBody> bodies;
  std::vector<Expression> rates;
};

ByHand planar_pendulum_by_hand(const Names& name);          // C.2.1
ByHand constructed_pendulum_by_hand(const Names& name);     // 5.1 and C.2.2
ByHand rotated_double_pendulum_by_hand(const Names& name);  // C.2.3

// The accelerations of the constructed pendulum as the document prints them, above and below the
// line: by hand (PendulumOnASTickManualEqu) and by its algorithm (PendulumOnASTickByCode).
struct PrintedAcceleration {
  Expression above[2], below[2];
};
PrintedAcceleration constructed_pendulum_printed(const Names& name, bool by_algorithm);

struct HandMatrices {
  std::vector<Expression> B, Bdot;         // 6 rows per body, row-major
  std::vector<Expression> M_star, N_star;  // row-major
  std::vector<Expression> F_star;
};
HandMatrices matrices_of(const ByHand& hand);

}  // namespace cartan::test
