// Composite bodies: a link and all that it carries as one rigid body, in LinkState:
//   A = inertia about o, f = mass times centre of mass from o, D.xx = mass; world axes
#pragma once

#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

template <class S>
void start_composite(const Link<S>& link, LinkState<S>& x) {
  x.A = link.principal ? rotate_principal(x.R, link.J) : rotate(x.R, link.J);
  x.f = x.R * link.mc;
  x.D.xx = link.mass;
}

// J' = J + (r.c + c.r) 1 - r c^T - c r^T + m (r.r 1 - r r^T), c the first moment about o
template <class S>
void add_composite(const LinkState<S>& x, LinkState<S>& p) {
  const S rc = S(2) * dot(x.r, x.f);
  Sym3<S> shift = x.D.xx * minus_hat_squared(x.r);
  shift += Sym3<S>{rc - S(2) * x.r.x * x.f.x,        rc - S(2) * x.r.y * x.f.y,
                   rc - S(2) * x.r.z * x.f.z,        -(x.r.x * x.f.y + x.r.y * x.f.x),
                   -(x.r.x * x.f.z + x.r.z * x.f.x), -(x.r.y * x.f.z + x.r.z * x.f.y)};
  p.A += x.A + shift;
  p.f += x.f + x.D.xx * x.r;
  p.D.xx += x.D.xx;
}

}  // namespace cartan::mechanics
