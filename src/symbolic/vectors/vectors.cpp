#include "symbolic/vectors/vectors.h"

#include <algorithm>
#include <cassert>

#include "symbolic/simplify/is_zero.h"

namespace cartan::symbolic {
namespace {

bool vanishes(const Vec3<Expression>& c) {
  return is_zero(c.x) && is_zero(c.y) && is_zero(c.z);
}

}  // namespace

// ----------------------------------------------------------------------------------------- vectors

Vector::Vector(Frame frame, const Vec3<Expression>& components) : frames_(frame.frames) {
  if (!vanishes(components)) terms_.push_back({frame.index, components});
}

void Vector::add_term(Frames& frames, int frame, const Vec3<Expression>& c) {
  assert(!frames_ || frames_ == &frames);
  frames_ = &frames;
  const auto at = std::find_if(terms_.begin(), terms_.end(),
                               [&](const Term& term) { return term.frame == frame; });
  if (at == terms_.end()) {
    if (!vanishes(c)) terms_.push_back({frame, c});
    return;
  }
  at->c += c;
  if (vanishes(at->c)) terms_.erase(at);
}

Vector& Vector::operator+=(const Vector& o) {
  if (!frames_) frames_ = o.frames_;
  for (const Term& term : std::vector<Term>(o.terms_)) add_term(*frames_, term.frame, term.c);
  return *this;
}

Vector operator*(const Expression& s, const Vector& a) {
  Vector result;
  for (const Vector::Term& term : a.terms_) result.add_term(*a.frames_, term.frame, s * term.c);
  return result;
}

Vector Vector::with_components(std::span<const Expression> components) const {
  assert(components.size() == 3 * terms_.size());
  Vector result;
  for (std::size_t k = 0; k < terms_.size(); ++k)
    result.add_term(*frames_, terms_[k].frame,
                    {components[3 * k], components[3 * k + 1], components[3 * k + 2]});
  return result;
}

Expression dot(const Vector& a, const Vector& b) {
  Expression sum;
  for (const Vector::Term& x : a.terms())
    for (const Vector::Term& y : b.terms())
      sum += dot(a.frames()->transform(x.c, x.frame, y.frame), y.c);
  return sum;
}

Vector cross(const Vector& a, const Vector& b) {
  Vector result;
  for (const Vector::Term& x : a.terms())
    for (const Vector::Term& y : b.terms())
      result.add_term(*a.frames(), y.frame,
                      cross(a.frames()->transform(x.c, x.frame, y.frame), y.c));
  return result;
}

Expression magnitude(const Vector& a) {
  if (a.is_zero()) return 0;
  return norm(components(a, natural_frame(a)));
}

// ------------------------------------------------------------------------------------ one frame

// Each frame on the way hands what it has collected to the next frame towards the goal; the
// farthest ones first, and in the order of the terms among equals: sums over a growing list of
// terms have their beginnings in common.
Vec3<Expression> components(const Vector& a, Frame goal) {
  if (a.is_zero()) return {};
  Frames& frames = *a.frames();
  if (a.terms().size() == 1) {
    const Vector::Term& term = a.terms()[0];
    return frames.transform(term.c, term.frame, goal.index);
  }
  std::vector<int> towards(frames.size(), -1);  // of frames above the goal: the frame below
  for (int i = goal.index; frames.parent(i) >= 0; i = frames.parent(i))
    towards[frames.parent(i)] = i;
  auto next = [&](int i) { return towards[i] >= 0 ? towards[i] : frames.parent(i); };

  std::vector<int> distance(frames.size(), -1);
  std::vector<Vec3<Expression>> sum(frames.size());
  std::vector<int> order, way;
  distance[goal.index] = 0;
  for (const Vector::Term& term : a.terms()) {
    way.clear();
    int i = term.frame;
    for (; i >= 0 && distance[i] < 0; i = next(i)) way.push_back(i);
    if (i < 0) return frames.transform(term.c, term.frame, goal.index);  // not related: says so
    int steps = distance[i];
    for (auto at = way.rbegin(); at != way.rend(); ++at) distance[*at] = ++steps;
    order.insert(order.end(), way.begin(), way.end());
    sum[term.frame] += term.c;
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](int x, int y) { return distance[x] > distance[y]; });
  for (const int i : order) {
    const int to = next(i);
    sum[to] +=
        frames.parent(i) == to ? frames.to_parent(sum[i], i) : frames.from_parent(sum[i], to);
  }
  return sum[goal.index];
}

Vector express(const Vector& a, Frame frame) {
  return {frame, components(a, frame)};
}

Frame natural_frame(const Vector& a) {
  if (a.is_zero()) return {a.frames(), -1};
  Frames& frames = *a.frames();
  int deepest = a.terms()[0].frame;
  for (const Vector::Term& term : a.terms())
    if (frames.depth(term.frame) > frames.depth(deepest)) deepest = term.frame;
  std::vector<char> above(frames.size(), 0);
  for (int i = deepest; i >= 0; i = frames.parent(i)) above[i] = 1;
  int common = deepest;
  bool is_chain = true;
  for (const Vector::Term& term : a.terms()) {
    is_chain = is_chain && above[term.frame];
    int i = term.frame;
    while (i >= 0 && !above[i]) i = frames.parent(i);
    if (i >= 0 && frames.depth(i) < frames.depth(common)) common = i;
  }
  return {&frames, is_chain ? deepest : common};
}

// ---------------------------------------------------------------------------------------
// derivative

Vector local_derivative(const Vector& a) {
  Vector result;
  for (const Vector::Term& term : a.terms())
    result.add_term(*a.frames(), term.frame, a.frames()->kinematics().rate(term.c));
  return result;
}

Vector derivative(const Vector& a, Frame frame) {
  Vector result;
  for (const Vector::Term& term : a.terms()) {
    Frames& frames = *a.frames();
    const Vec3<Expression> w = frames.angular_velocity_components(term.frame, frame.index);
    result.add_term(frames, term.frame, frames.kinematics().rate(term.c) + cross(w, term.c));
  }
  return result;
}

Vector derivative_at_constant_speeds(const Vector& a, Frame frame) {
  Vector result;
  for (const Vector::Term& term : a.terms()) {
    Frames& frames = *a.frames();
    const Vec3<Expression> w = frames.angular_velocity_components(term.frame, frame.index);
    result.add_term(frames, term.frame,
                    frames.kinematics().rate_at_constant_speeds(term.c) + cross(w, term.c));
  }
  return result;
}

}  // namespace cartan::symbolic
