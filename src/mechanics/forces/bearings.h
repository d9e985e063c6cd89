// How the bearings of a joint share its constraint wrench.
//
// Bearing b at the point p_b of the joint frame carries a radial force (across the axis) and/or an
// axial one. The loads are those of least norm in static balance with the wrench (f, n at C's
// origin):
//   sum_b l_b = f,   sum_b p_b x l_b = n      ->   l = P (f, n),  P the pseudo-inverse
// For two bearings this is the lever rule, with the axial force shared (source 003, eq. 129-137).
#pragma once

#include "mechanics/machine/mechanism.h"

namespace cartan::mechanics {

template <class S>
std::vector<BearingRow<S>> make_bearings(const std::vector<Bearing>& bearings, JointType type,
                                         const Vec3<S>& axis, std::span<const S> parameters);

}  // namespace cartan::mechanics
