// Rows of the contacts that are near: how they move with the speeds, and what impulses do there.
#include <algorithm>
#include <cmath>

#include "mechanics/stepping/stepped_contacts.h"

namespace cartan::mechanics {
namespace {

// The normal and two tangents.
struct Directions {
  Vec3<double> at[3];
  explicit Directions(const Vec3<double>& n) {
    const int least = std::fabs(n.x) <= std::fabs(n.y) ? (std::fabs(n.x) <= std::fabs(n.z) ? 0 : 2)
                                                       : (std::fabs(n.y) <= std::fabs(n.z) ? 1 : 2);
    Vec3<double> e;
    e[least] = 1;
    const Vec3<double> t = e - dot(e, n) * n;
    at[0] = n;
    at[1] = (1 / norm(t)) * t;
    at[2] = cross(n, at[1]);
  }
};

// N = J C of one row; free bodies with loops that the compiler knows the length of.
template <int known>
void fill_answer(const Eigen::MatrixXd& C, const double* J, double* N) {
  const int size = known > 0 ? known : static_cast<int>(C.rows());
  const double* column = C.data();
  for (int i = 0; i < (known > 0 ? known : C.cols()); ++i, column += size) {
    double sum = 0;
    for (int j = 0; j < size; ++j) sum += column[j] * J[j];
    N[i] = sum;
  }
}

Vec3<double> speed_on(const MotionWorkspace<double>& ws, int link, const Vec3<double>& point) {
  if (link == world) return {};
  const LinkState<double>& x = ws.links[link];
  return x.u + cross(x.w, point - x.o);
}

}  // namespace

double rate_of(const NearPlace& place, const MotionWorkspace<double>& ws,
               std::span<const double> speeds) {
  if (place.speed >= 0) return place.sign * speeds[place.speed];
  return dot(place.normal, speed_on(ws, place.a, place.point) - speed_on(ws, place.b, place.point));
}

// One contact: its rows J and N.
void SteppedContacts::add_rows(const NearPlace& place, const MotionWorkspace<double>& ws,
                               const SteppingScratch& s, ContactSet& set) const {
  SteppedContact& c = set.contacts.back();
  const int part_a = place.a == world ? -1 : parts_.of_link[place.a];
  const int part_b = place.b == world ? -1 : parts_.of_link[place.b];
  const int of[2] = {part_a >= 0 ? part_a : part_b, part_a >= 0 && part_b != part_a ? part_b : -1};
  for (int k = 0; k < 2; ++k)
    if (of[k] >= 0) c.part[k] = {parts_.first[of[k]], lanes_of(parts_.size[of[k]])};
  c.row0 = set.speeds.size();
  set.speeds.resize(c.row0 + static_cast<std::size_t>(c.rows * c.lanes()));
  set.answers.resize(set.speeds.size());
  const Directions directions(place.speed < 0 ? place.normal : Vec3<double>{0, 0, 1});
  for (int r = 0; r < c.rows; ++r) {
    std::size_t at = c.row0 + static_cast<std::size_t>(r * c.lanes());
    for (int k = 0; k < 2 && of[k] >= 0; at += static_cast<std::size_t>(c.part[k].lanes), ++k) {
      const int part = of[k];
      double* const row = set.speeds[at].at;
      if (place.speed >= 0) row[parts_.place[place.speed] - parts_.first[part]] = place.sign;
      for (const int side : {0, 1}) {
        const int link = side == 0 ? place.a : place.b;
        if (place.speed >= 0 || link == world || parts_.of_link[link] != part) continue;
        const Vec3<double> f = side == 0 ? directions.at[r] : -directions.at[r];
        add_to_row(mechanism_, parts_, ws, link, cross(place.point - ws.links[link].o, f), f, row);
      }
      const Eigen::MatrixXd& C = s.response[part];
      double* const answer = set.answers[at].at;
      if (C.rows() == 6 && C.cols() == 6)
        fill_answer<6>(C, row, answer);
      else
        fill_answer<0>(C, row, answer);
    }
  }
}

// Rows of what is near in the middle of a step, and answers to impulses there; gaps and speeds as
// they were at the start, where the same place was near, else by the rows.
void SteppedContacts::fill_set(const MotionWorkspace<double>& ws, const SteppingScratch& s,
                               Speeds start, Speeds middle, double length, ContactSet& set) const {
  set.clear();
  for (const NearPlace& place : s.near) {
    SteppedContact& c = set.contacts.emplace_back();
    c.key = place.key;
    c.restitution = place.law->restitution;
    c.friction = place.law->friction;
    c.rows = c.friction > 0 && place.speed < 0 ? 3 : 1;
    add_rows(place, ws, s, set);
    const auto found =
        std::lower_bound(s.start.places.begin(), s.start.places.end(), place.key,
                         [](const LookedAt::Place& at, std::uint64_t key) { return at.key < key; });
    if (found != s.start.places.end() && found->key == place.key) {
      c.gap = found->gap;
      c.before = found->rate;
      continue;
    }
    c.gap = place.gap - 0.5 * length * rate_of(place, ws, middle);
    const double* row = set.speeds[c.row0].at;
    for (const SteppedContact::Part& part : c.part)
      for (int i = 0; i < lane * part.lanes; ++i, ++row)
        if (const int speed = parts_.order[part.first + i]; speed >= 0)
          c.before += *row * start[speed];
  }
}

void SteppedContacts::add_answer(std::span<const double> y, std::span<double> v,
                                 Workspace& workspace) const {
  const SteppingScratch& s = scratch_(workspace).stepping;
  for (int part = 0; part < parts_.count(); ++part) {
    if (!s.wanted[part]) continue;
    const Eigen::MatrixXd& C = s.response[part];
    const int first = parts_.first[part];
    for (int k = 0; k < C.cols(); ++k)
      for (int i = 0; i < C.rows(); ++i) v[first + i] += C(i, k) * y[first + k];
  }
}

}  // namespace cartan::mechanics
