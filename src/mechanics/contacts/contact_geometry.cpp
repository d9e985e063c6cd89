// Contacts of the model as numbers, and where surfaces touch: contact point, normal, tangents and
// their rates.
#include "core/mixed.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/contacts/contact_rows.h"
#include "mechanics/joints/joint_shape.h"
#include "mechanics/machine/kinematics.h"
#include "model/mass_properties.h"
#include "symbolic/expression.h"

namespace cartan::mechanics {
namespace {

// The coordinate axis farthest from `direction`, by value.
template <class S>
Vec3<S> farthest_axis(const Vec3<S>& direction) {
  int least = 0;
  for (int k = 1; k < 3; ++k)
    if (value_of(abs(direction[k])) < value_of(abs(direction[least]))) least = k;
  Vec3<S> e;
  e[least] = S(1);
  return e;
}

template <class S>
struct ContactBuilder {
  const Model& model;
  Mechanism<S>& mechanism;
  std::span<const S> parameters = mechanism.parameters;

  int link_of(int body) const { return body == world ? world : mechanism.link_of_body[body]; }
  Pose<S> frame_of(const ContactSide& side) const {
    const Pose<S> X = calc_frame<S>(side.place, parameters);
    return side.place.body == world ? X : mechanism.bodies[link_of(side.place.body)].X_LB * X;
  }
  std::vector<S> numbers(const Formula& f) const { return evaluate<S>(f, parameters); }

  void set_plane(const ContactSide& side, const Pose<S>& X, ContactSurfaces<S>& on) const {
    const std::vector<S> n = numbers(side.size);
    on.normal = unit(X.R * Vec3<S>{n[0], n[1], n[2]});
    const Vec3<S> e = farthest_axis(on.normal);
    on.along1 = unit(e - dot(e, on.normal) * on.normal);
    on.along2 = cross(on.normal, on.along1);
  }

  // Several places of one contact share everything but the point on a.
  void add_pair(ContactElement<S> e, const Contact& c) const {
    const Pose<S> A = frame_of(c.a), B = frame_of(c.b);
    ContactSurfaces<S>& on = e.on;
    on.a_link = link_of(c.a.place.body);
    on.b_link = link_of(c.b.place.body);
    on.b = B.p;
    on.inside = c.b.inside;
    e.kind = ContactKind::plane;
    if (c.b.shape == ContactShape::plane) set_plane(c.b, B, on);
    if (c.b.shape != ContactShape::plane) e.kind = ContactKind::spheres;
    if (c.b.shape == ContactShape::sphere) on.radius_b = numbers(c.b.size)[0];
    on.a = A.p;
    const std::vector<S> size = c.a.size.given() ? numbers(c.a.size) : std::vector<S>();
    switch (c.a.shape) {
      case ContactShape::point:
      case ContactShape::plane:
        return add(e);
      case ContactShape::sphere:
        on.radius = size[0];
        return add(e);
      case ContactShape::disc: {
        const std::vector<S> axis = numbers(c.a.axis);
        e.kind = ContactKind::disc;
        on.radius = size[0];
        on.axis = unit(A.R * Vec3<S>{axis[0], axis[1], axis[2]});
        return add(e);
      }
      case ContactShape::ellipsoid:
        e.kind = ContactKind::ellipsoid;
        on.e1 = A.R.c[0];
        on.e2 = A.R.c[1];
        on.e3 = A.R.c[2];
        on.squares = {size[0] * size[0], size[1] * size[1], size[2] * size[2]};
        return add(e);
      case ContactShape::capsule:
        on.radius = size[0];
        for (const double end : {-0.5, 0.5}) {
          on.a = A * Vec3<S>{S(0), S(0), S(end) * size[1]};
          add(e);
        }
        return;
      case ContactShape::box:
        for (int corner = 0; corner < 8; ++corner) {
          on.a = A * Vec3<S>{S(corner & 1 ? 0.5 : -0.5) * size[0],
                             S(corner & 2 ? 0.5 : -0.5) * size[1],
                             S(corner & 4 ? 0.5 : -0.5) * size[2]};
          add(e);
        }
        return;
      case ContactShape::mesh:
        for (const Vec3<double>& corner : c.a.hull->corners) {
          on.a = A * Vec3<S>{corner.x * size[0], corner.y * size[1], corner.z * size[2]};
          add(e);
        }
    }
  }

  void add(ContactElement<S> e) const {
    e.row0 = mechanism.row_count();
    e.rows = e.rubs ? 3 : 1;
    ConstraintRow row;
    row.contact = static_cast<int>(mechanism.contacts.size());
    for (int k = 0; k < e.rows; ++k) {
      row.holonomic = k == 0;
      mechanism.rows.push_back(row);
      const int r = e.row0 + k;
      int a = e.on.a_link, b = e.on.b_link;
      if (e.kind == ContactKind::stop) {
        const int l = mechanism.loop_of_joint[e.joint];
        if (l < 0) {
          mechanism.terms.push_back(
              {r, mechanism.link_of_joint[e.joint], e.component, S(static_cast<double>(e.sign))});
          continue;
        }
        mechanism.loops_act = true;
        a = mechanism.loops[l].child;
        b = mechanism.loops[l].parent;
        mechanism.sources.push_back({r, a, l, true});
        mechanism.sources.push_back({r, b, l, false});
        continue;
      }
      mechanism.sources.push_back({r, a, -1, true});
      mechanism.sources.push_back({r, b, -1, false});
    }
    mechanism.contacts_rub |= e.rubs;
    mechanism.contacts.push_back(e);
  }

  void operator()(int index) const {
    const Contact& c = model.contacts[index];
    ContactElement<S> e;
    e.contact = index;
    e.restitution = numbers(c.restitution)[0];
    e.rubs = c.rubs();
    e.rough = c.rough;
    e.poisson = c.poisson;
    if (c.friction.given()) e.friction = numbers(c.friction)[0];
    e.active = c.active.given() ? &c.active : nullptr;
    if (!c.is_stop()) return add_pair(e, c);
    e.joint = c.joint;
    e.component = c.component;
    e.sign = c.upper ? -1 : 1;
    e.bound = numbers(c.bound)[0];
    add(e);
  }
};

// Everything about a side at a world point.
template <class S>
Vec3<S> place_on(const MotionWorkspace<S>& ws, int link, const Vec3<S>& p) {
  return link == world ? p : ws.links[link].o + ws.links[link].R * p;
}
template <class S>
Vec3<S> speed_on(const MotionWorkspace<S>& ws, int link, const Vec3<S>& p) {
  return link == world ? Vec3<S>{}
                       : ws.links[link].u + cross(ws.links[link].w, ws.links[link].R * p);
}
template <class S>
Vec3<S> turned_with(const MotionWorkspace<S>& ws, int link, const Vec3<S>& d) {
  return link == world ? d : ws.links[link].R * d;
}
template <class S>
Vec3<S> spin_with(const MotionWorkspace<S>& ws, int link) {
  return link == world ? Vec3<S>{} : ws.links[link].w;
}

// n = +-d / |d| along the line of the centres; tangents from the axis farthest from it.
template <class S>
ContactFrame<S> frame_of_spheres(const ContactSurfaces<S>& on, const MotionWorkspace<S>& ws) {
  ContactFrame<S> f;
  const Vec3<S> x = place_on(ws, on.a_link, on.a), y = place_on(ws, on.b_link, on.b);
  const Vec3<S> vx = speed_on(ws, on.a_link, on.a), vy = speed_on(ws, on.b_link, on.b);
  const S side(on.inside ? -1.0 : 1.0);
  const S length2 = norm2(x - y);
  const auto apart = less(S(1e-200), length2);
  const S length = sqrt(select(apart, length2, S(1)));
  const Vec3<S> line = (S(1) / length) * (x - y), rate = vx - vy;
  const Vec3<S> line_rate = (S(1) / length) * (rate - dot(line, rate) * line);
  f.n = side * line;
  f.n_rate = side * line_rate;
  f.gap = side * (select(apart, length, S(0)) - on.radius_b) - on.radius;
  f.c = y + on.radius_b * line;
  f.c_rate = vy + on.radius_b * line_rate;
  const Vec3<S> e = farthest_axis(f.n);
  const S along = dot(e, f.n);
  const Vec3<S> p = e - along * f.n, p_rate = -(dot(e, f.n_rate) * f.n + along * f.n_rate);
  const S inverse = S(1) / norm(p);
  f.t1 = inverse * p;
  f.t1_rate = inverse * (p_rate - dot(f.t1, p_rate) * f.t1);
  f.t2 = cross(f.n, f.t1);
  f.t2_rate = cross(f.n_rate, f.t1) + cross(f.n, f.t1_rate);
  return f;
}

// From the centre x of a disc to the lowest point of its rim: -r (n - (n.a) a) / |..|. A disc that
// lies flat touches with its centre.
template <class S>
void add_rim(const ContactSurfaces<S>& on, const MotionWorkspace<S>& ws, ContactFrame<S>& f) {
  const Vec3<S> axis = turned_with(ws, on.a_link, on.axis);
  const Vec3<S> axis_rate = cross(spin_with(ws, on.a_link), axis);
  const S along = dot(f.n, axis);
  const Vec3<S> down = along * axis - f.n;
  const Vec3<S> down_rate =
      (dot(f.n_rate, axis) + dot(f.n, axis_rate)) * axis + along * axis_rate - f.n_rate;
  const S length2 = norm2(down);
  const auto tilted = less(S(1e-24), length2);
  const S inverse = select(tilted, S(1) / sqrt(select(tilted, length2, S(1))), S(0));
  const Vec3<S> d = inverse * down;
  f.c += on.radius * d;
  f.c_rate += on.radius * (inverse * (down_rate - dot(d, down_rate) * d));
}

// Lowest point of an ellipsoid with half axes a: -Q (a^2 m) / s, m = Q^T n, s^2 = sum a^2 m^2.
template <class S>
void add_support(const ContactSurfaces<S>& on, const MotionWorkspace<S>& ws, ContactFrame<S>& f) {
  const Vec3<S> w = spin_with(ws, on.a_link);
  const Mat3<S> Q =
      Mat3<S>::columns(turned_with(ws, on.a_link, on.e1), turned_with(ws, on.a_link, on.e2),
                       turned_with(ws, on.a_link, on.e3));
  const Vec3<S> m = transpose_times(Q, f.n), m_rate = transpose_times(Q, f.n_rate - cross(w, f.n));
  const auto scaled = [&](const Vec3<S>& d) {
    return Vec3<S>{on.squares.x * d.x, on.squares.y * d.y, on.squares.z * d.z};
  };
  const Vec3<S> am = scaled(m), am_rate = scaled(m_rate);
  const S s = sqrt(dot(am, m)), inverse = S(1) / s, s_rate = inverse * dot(am, m_rate);
  const Vec3<S> offset = Q * (-inverse * am);
  f.c += offset;
  f.c_rate += cross(w, offset) + Q * (-inverse * am_rate + (inverse * inverse * s_rate) * am);
}

}  // namespace

template <class S>
ContactFrame<S> calc_contact_frame(const ContactSurfaces<S>& on, ContactKind kind,
                                   const MotionWorkspace<S>& ws) {
  if (kind == ContactKind::spheres) return frame_of_spheres(on, ws);
  ContactFrame<S> f;
  const Vec3<S> w = spin_with(ws, on.b_link);
  f.n = turned_with(ws, on.b_link, on.normal);
  f.t1 = turned_with(ws, on.b_link, on.along1);
  f.t2 = turned_with(ws, on.b_link, on.along2);
  f.n_rate = cross(w, f.n);
  f.t1_rate = cross(w, f.t1);
  f.t2_rate = cross(w, f.t2);
  f.c = place_on(ws, on.a_link, on.a);
  f.c_rate = speed_on(ws, on.a_link, on.a);
  if (kind == ContactKind::plane) {
    f.c -= on.radius * f.n;
    f.c_rate -= on.radius * f.n_rate;
  } else if (kind == ContactKind::disc) {
    add_rim(on, ws, f);
  } else {
    add_support(on, ws, f);
  }
  f.gap = dot(f.n, f.c - place_on(ws, on.b_link, on.b));
  return f;
}

Pose<double> calc_side_frame(const Mechanism<double>& mechanism, const ContactSide& side) {
  const Pose<double> X = calc_frame<double>(side.place, mechanism.parameters);
  if (side.place.body == world) return X;
  return mechanism.bodies[mechanism.link_of_body[side.place.body]].X_LB * X;
}

std::vector<ContactElement<double>> make_single_contacts(const Mechanism<double>& mechanism) {
  Mechanism<double> copy = mechanism;
  ContactBuilder<double> build{*mechanism.model, copy};
  for (std::size_t k = 0; k < mechanism.model->contacts.size(); ++k)
    if (mechanism.model->contacts[k].group < 0) build(static_cast<int>(k));
  return copy.contacts;
}

template <class S>
void add_contacts(const Model& model, Mechanism<S>& mechanism) {
  if (model.contacts_stepped) mechanism.has_power = true;
  if (model.contacts.empty() || model.contacts_stepped) return;
  ContactBuilder<S> build{model, mechanism};
  for (std::size_t k = 0; k < model.contacts.size(); ++k) build(static_cast<int>(k));
  mechanism.has_power = true;  // impacts and slipping take energy
}

#define CARTAN_INSTANTIATE(S)                                                            \
  template void add_contacts<S>(const Model&, Mechanism<S>&);                            \
  template ContactFrame<S> calc_contact_frame<S>(const ContactSurfaces<S>&, ContactKind, \
                                                 const MotionWorkspace<S>&);
CARTAN_FOR_EACH_SCALAR_AND_EXPRESSION(CARTAN_INSTANTIATE)
CARTAN_INSTANTIATE(Mixed)
#undef CARTAN_INSTANTIATE

}  // namespace cartan::mechanics
