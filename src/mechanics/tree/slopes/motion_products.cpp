#include "mechanics/tree/slopes/motion_products.h"

#include <algorithm>

namespace cartan::mechanics {

namespace {

void add(SpatialPair& to, const SpatialPair& z) {
  to.n += z.n;
  to.f += z.f;
}
double along(const SpatialPair& a, const SpatialPair& b) {
  return dot(a.n, b.n) + dot(a.f, b.f);
}

// I z of the body alone.
SpatialPair inertia_of_body(const SlopeBody& b, const SpatialPair& z) {
  return {b.J * z.n + cross(b.h, z.f), b.m * z.f + cross(z.n, b.h)};
}

// C o = (2 w x J o - tr(J) w x o + 2 h x (o x u), 2 o x (m u + w x h)) of the body alone.
SpatialPair turning_of_body(const SlopeBody& b, const Vec3<double>& o) {
  const double trace = b.J.xx + b.J.yy + b.J.zz;
  return {cross(b.w, 2.0 * (b.J * o) - trace * o) + 2.0 * cross(b.h, cross(o, b.u)),
          2.0 * cross(o, b.m * b.u + cross(b.w, b.h))};
}
// y . C o = o . this
Vec3<double> turning_transposed(const SlopeBody& b, const SpatialPair& y) {
  const double trace = b.J.xx + b.J.yy + b.J.zz;
  const Vec3<double> yw = cross(y.n, b.w);
  return 2.0 * (b.J * yw) - trace * yw + 2.0 * cross(b.u, cross(y.n, b.h)) +
         2.0 * cross(b.m * b.u + cross(b.w, b.h), y.f);
}

}  // namespace

MotionProducts::MotionProducts(const Mechanism<double>& mechanism, const Mechanism<Dual4>& dual,
                               const SlopePlan& plan)
    : mechanism_(mechanism),
      plan_(plan),
      any_law_(!plan.laws.empty()),
      links_(mechanism, dual, plan),
      response_(mechanism),
      laws_(mechanism, dual, plan, links_),
      scalars_(plan.scalars()),
      o_(plan.links.size()),
      wrench_(plan.links.size()) {}

void MotionProducts::begin(const MotionWorkspace<double>& ws, MotionWorkspace<Dual4>& scratch) {
  ws_ = &ws;
  links_.fill_for_products(ws);
  if (any_law_) laws_.begin(ws, scratch);
}

// ------------------------------------------------------------------------------ along a direction

void MotionProducts::multiply(std::span<const double> dq, std::span<const double> u,
                              std::span<double> result) {
  response_.clear_forces();
  move_links(dq, u.subspan(mechanism_.nq, mechanism_.nv));
  for (const LinkSlopes::OwnForce& own : links_.own_forces())
    response_.tau(plan_.speed[own.i]) -= own.value * dq[plan_.speed[own.k]];
  std::fill(scalars_.begin(), scalars_.end(), 0.0);
  if (any_law_) laws_.multiply(dq, u, response_, scalars_);
  if (!plan_.drives.empty())
    for (std::size_t d = 0; d < wrench_.size(); ++d)
      wrench_[d] = response_.link(plan_.links[d].link).P;
  response_.solve(*ws_, true);
  if (!plan_.drives.empty()) add_drive_powers(u);
  std::copy(response_.x().begin(), response_.x().end(), result.begin());
  std::copy(scalars_.begin(), scalars_.end(), result.begin() + mechanism_.nv);
}

// o, c and P of all links, from the first outward.
void MotionProducts::move_links(std::span<const double> dq, std::span<const double> dv) {
  for (int d = 0; d < static_cast<int>(plan_.links.size()); ++d) {
    const SlopeLink& at = plan_.links[d];
    const Link<double>& link = mechanism_.links[at.link];
    const LinkState<double>& x = ws_->links[at.link];
    const SlopeBody& b = links_.body(d);
    MotionResponse::Change& change = response_.link(at.link);
    LinkChange own;
    change.c = {};
    if (link.motion == Motion::rotation3) {
      const double *q = dq.data() + link.v0, *v = dv.data() + link.v0;
      const Vec3<double> sigma = x.R * Vec3<double>{v[0], v[1], v[2]};
      own.turn = x.R * Vec3<double>{q[0], q[1], q[2]};
      own.o = sigma;
      change.c.n = cross(x.w, sigma);
      if (link.parent != world) {
        const LinkState<double>& p = ws_->links[link.parent];
        const Vec3<double> turned = cross(p.w, own.turn);
        own.o += turned;
        change.c.n += cross(p.dw, own.turn) + cross(p.w, turned + sigma);
      }
      change.c.f = cross(x.du, own.turn) - 2.0 * cross(own.o, b.u);
    } else {
      for (int k = 0; k < at.nv; ++k) {
        const SlopeColumn& c = links_.column(at.p0 + k);
        const double by_q = dq[link.v0 + k], by_v = dv[link.v0 + k];
        own.turn += by_q * c.phi;
        own.o += by_q * c.o + by_v * c.phi;
        change.c.n += by_q * c.by_q.n + by_v * c.by_v.n;
        change.c.f += by_q * c.by_q.f + by_v * c.by_v.f;
        if (link.motion == Motion::rotation1) continue;
        own.shift += by_q * c.psi;
        own.slide += by_q * c.slide + by_v * c.psi;
      }
    }
    o_[d] = own.o;
    if (at.parent >= 0) {
      o_[d] += o_[at.parent];
      // the wrench through the joint turns with what it carries
      const Vec3<double> f = cross(own.turn, b.f);
      SpatialPair& P = response_.link(link.parent).P;
      P.n += cross(own.turn, b.n) + cross(own.shift, b.f) + cross(b.r, f);
      P.f += f;
    }
    change.P = turning_of_body(b, o_[d]);
    if (laws_.reads_links()) follow_link(d, own);
  }
}

// The change of the link's pose and velocities, for laws that read it.
void MotionProducts::follow_link(int d, const LinkChange& own) {
  const SlopeLink& at = plan_.links[d];
  LinkChange& to = laws_.change(at.link);
  to = own;
  if (at.parent < 0) return;
  const int parent = plan_.links[at.parent].link;
  const LinkChange& p = laws_.change(parent);
  const LinkState<double>&x = ws_->links[at.link], &of_p = ws_->links[parent];
  to.turn += p.turn;
  to.shift += p.shift + cross(p.turn, x.r);
  to.o += p.o;
  to.slide += p.slide + cross(p.turn, x.u - of_p.u) + cross(p.o, x.r);
}

// A drive's multiplier is what its joint transmits beside other forces.
void MotionProducts::add_drive_powers(std::span<const double> u) {
  subtract_rows();
  for (int d = static_cast<int>(wrench_.size()) - 1; d >= 0; --d) pass_wrench(d);
  for (const DrivenSpeed& drive : plan_.drives) {
    const int j = plan_.speed[drive.place];
    const SlopeColumn& c = links_.column(drive.place);
    const int d = plan_.position[plan_.link_of_place[drive.place]];
    double force = along({c.phi, c.psi}, wrench_[d]) - response_.tau(j);
    for (const RowTerm<double>& term : mechanism_.terms)
      if (mechanism_.links[term.link].v0 + term.component == j)
        force -= term.factor * response_.lambda(term.row);
    for (const int s : drive.scalars)
      scalars_[s] += ws_->v[j] * force + ws_->lambda[drive.row] * u[mechanism_.nq + j];
  }
}

// What multipliers of the response do.
void MotionProducts::subtract_rows() {
  for (const LocalLaw& law : plan_.laws)
    for (int r = law.row0; r < law.row0 + law.rows; ++r)
      for (std::size_t s = law.source0 + 2 * static_cast<std::size_t>(r - law.row0), k = 0; k < 2;
           ++k, ++s) {
        const int link = mechanism_.sources[s].link;
        if (link == world) continue;
        SpatialPair& to = wrench_[plan_.position[link]];
        to.n -= response_.lambda(r) * ws_->source_n[s];
        to.f -= response_.lambda(r) * ws_->source_f[s];
      }
}

// F of the response: what the body needs, and to the parent.
void MotionProducts::pass_wrench(int d) {
  SpatialPair& F = wrench_[d];
  add(F, inertia_of_body(links_.body(d), response_.link(plan_.links[d].link).z));
  if (plan_.links[d].parent < 0) return;
  add(wrench_[plan_.links[d].parent], {F.n + cross(links_.body(d).r, F.f), F.f});
}

// ----------------------------------------------------------------------------------------
// transpose

void MotionProducts::multiply_transposed(std::span<const double> weights, std::span<double> by_q,
                                         std::span<double> state) {
  const int nq = mechanism_.nq, nv = mechanism_.nv;
  response_.clear();
  for (int j = 0; j < nv; ++j) response_.tau(j) = weights[j];
  const std::span<const double> scalars = weights.subspan(nv);
  drive_weights_.assign(plan_.drives.size(), 0.0);
  for (std::size_t k = 0; k < plan_.drives.size(); ++k) {
    const DrivenSpeed& drive = plan_.drives[k];
    const int j = plan_.speed[drive.place];
    double sum = 0;
    for (const int s : drive.scalars) sum += scalars[s];
    state[nq + j] += sum * ws_->lambda[drive.row];
    drive_weights_[k] = sum * ws_->v[j];
    const SlopeColumn& c = links_.column(drive.place);
    SpatialPair& given = response_.link(plan_.link_of_place[drive.place]).c;
    given.n -= drive_weights_[k] * c.phi;
    given.f -= drive_weights_[k] * c.psi;
    for (const RowTerm<double>& term : mechanism_.terms)
      if (mechanism_.links[term.link].v0 + term.component == j)
        response_.rest(term.row) -= term.factor * drive_weights_[k];
  }
  response_.solve(*ws_, !plan_.drives.empty());
  for (std::size_t k = 0; k < plan_.drives.size(); ++k)
    response_.x(plan_.speed[plan_.drives[k].place]) -= drive_weights_[k];
  std::fill(wrench_.begin(), wrench_.end(), SpatialPair{});
  subtract_rows();
  std::fill(o_.begin(), o_.end(), Vec3<double>{});
  if (any_law_) {
    for (std::size_t i = 0; i < mechanism_.links.size(); ++i)
      laws_.change(static_cast<int>(i)) = {};
    laws_.multiply_transposed(response_, scalars, by_q, state);
  }
  weigh_links(by_q, state.subspan(nq, nv));
  for (const LinkSlopes::OwnForce& own : links_.own_forces())
    by_q[plan_.speed[own.k]] -= own.value * response_.x(plan_.speed[own.i]);
}

// The steps of move_links backwards: of c the weight is -F, of P it is -z.
void MotionProducts::weigh_links(std::span<double> by_q, std::span<double> by_v) {
  for (int d = static_cast<int>(plan_.links.size()) - 1; d >= 0; --d) {
    const SlopeLink& at = plan_.links[d];
    const Link<double>& link = mechanism_.links[at.link];
    const LinkState<double>& x = ws_->links[at.link];
    const SlopeBody& b = links_.body(d);
    pass_wrench(d);
    LinkChange by;  // of the joint's own turn, shift, o, slide
    if (laws_.reads_links()) by = laws_.change(at.link);
    by.o += o_[d] - turning_transposed(b, response_.link(at.link).z);
    if (at.parent >= 0) {
      o_[at.parent] += by.o + cross(b.r, by.slide);
      if (laws_.reads_links()) {
        const int parent = plan_.links[at.parent].link;
        LinkChange& to = laws_.change(parent);
        to.turn += by.turn + cross(b.r, by.shift) + cross(x.u - ws_->links[parent].u, by.slide);
        to.shift += by.shift;
        to.slide += by.slide;
      }
      SpatialPair y = response_.link(link.parent).z;
      y.f += cross(y.n, b.r);
      by.turn += cross(y.n, b.n) + cross(y.f, b.f);
      by.shift += cross(y.n, b.f);
    }
    const SpatialPair c{-wrench_[d].n, -wrench_[d].f};
    if (link.motion == Motion::rotation3) {
      by.o -= 2.0 * cross(b.u, c.f);
      by.turn += cross(c.f, x.du);
      Vec3<double> sigma = by.o + cross(c.n, x.w);
      if (link.parent != world) {
        const LinkState<double>& p = ws_->links[link.parent];
        const Vec3<double> turned = cross(c.n, p.w);
        sigma += turned;
        by.turn += cross(by.o + turned, p.w) + cross(c.n, p.dw);
      }
      const Vec3<double> q = transpose_times(x.R, by.turn), v = transpose_times(x.R, sigma);
      for (int k = 0; k < 3; ++k) {
        by_q[link.v0 + k] += q[k];
        by_v[link.v0 + k] += v[k];
      }
      continue;
    }
    if (link.motion == Motion::rotation1) {
      const SlopeColumn& column = links_.column(at.p0);
      by_q[link.v0] += dot(column.phi, by.turn) + dot(column.o, by.o) + along(column.by_q, c);
      by_v[link.v0] += dot(column.phi, by.o) + along(column.by_v, c);
      continue;
    }
    for (int k = 0; k < at.nv; ++k) {
      const SlopeColumn& column = links_.column(at.p0 + k);
      by_q[link.v0 + k] += dot(column.phi, by.turn) + dot(column.psi, by.shift) +
                           dot(column.o, by.o) + dot(column.slide, by.slide) +
                           along(column.by_q, c);
      by_v[link.v0 + k] +=
          dot(column.phi, by.o) + dot(column.psi, by.slide) + along(column.by_v, c);
    }
  }
}

}  // namespace cartan::mechanics
