// Mass, centre of mass and inertia of a body at given parameter values, stated or from its shapes.
#pragma once

#include <span>

#include "core/vec3.h"
#include "lie/quaternion.h"
#include "model/model.h"

namespace cartan::model {

template <class S>
struct MassProperties {
  S mass{};
  Vec3<S> com;      // in the body frame
  Sym3<S> inertia;  // about the centre of mass, body axes
};

template <class S>
MassProperties<S> calc_mass_properties(const Body& body, std::span<const S> parameters);

// The unit quaternion of a rotation as written; the identity when none is.
template <class S>
Quat<S> calc_quaternion(const Rotation& rotation, std::span<const S> parameters);
template <class S>
Mat3<S> calc_rotation(const Rotation& rotation, std::span<const S> parameters);

// Three numbers; zero when not given.
template <class S>
Vec3<S> calc_vec3(const Formula& formula, std::span<const S> parameters);

}  // namespace cartan::model
