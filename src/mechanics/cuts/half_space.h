// Mass on one side of a plane: how much, where its centre is, and how it is spread.
//
// For the part of a body in front of the plane, normal . (x - at) > 0:
//   m = int rho dV,   s = int rho x dV,   P = int rho x x^T dV        (body axes, body origin)
// Boxes are cut as six tetrahedra; spheres in closed form; cylinders slice by slice, where the
// slices are segments of discs and the angle of the segment is the variable of integration, so that
// the integrand is smooth and Gauss' rule exact to rounding.
#pragma once

#include "model/model.h"

namespace cartan::mechanics {

struct PartMoments {
  double mass = 0;
  Vec3<double> first;
  Mat3<double> second;
};

struct CutPlane {
  Vec3<double> at, normal;  // body axes; the normal has unit length
};

// Of a body whose mass is spread by `density` or `line`.
PartMoments calc_front_part(const Body& body, const CutPlane& plane,
                            std::span<const double> parameters);
// Of all of it, the same way: in front of a plane that leaves nothing behind.
PartMoments calc_whole_part(const Body& body, std::span<const double> parameters);

}  // namespace cartan::mechanics
